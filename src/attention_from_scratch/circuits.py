"""Finding out how a trained two-block model answers: where it looks, and what breaks it.

Looking at weights only suggests a mechanism. The functions here also remove it (`cut`), move it
(`transplant`) and ask which of two circuits the model's answers follow.

Three circuits of match-then-read, all of two steps:

- *cue*: block 1 moves the next symbol back onto the cue; block 2 finds the cue and reads it there.
- *answer*: block 1 moves the cue on to the position after it, which now knows that its left neighbour is
  the cue; block 2 finds that position and reads the symbol that stands there.
- *pointer*: block 1 hands the last position where the answer stands; block 2 reads there, and no edge between
  cue and answer has a part in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float

from attention_from_scratch.forward import Trace, Weights, answers, forward
from attention_from_scratch.tasks.match_then_read import Lookups

NEXT, PREVIOUS = 1, -1


class Look(NamedTuple):
    """Mean attention weights over sequences, one number for each head.

    Args:
        on_cue: of the last query of the last block, on the first cue's position.
        on_answer: the same, on the answer's position.
        cue_to_next: in block 1, from the first cue's position to the answer's.
        answer_to_previous: in block 1, from the answer's position to the first cue's.
    """

    on_cue: Float[np.ndarray, " heads"]
    on_answer: Float[np.ndarray, " heads"]
    cue_to_next: Float[np.ndarray, " heads"]
    answer_to_previous: Float[np.ndarray, " heads"]


class Moved(NamedTuple):
    """What a model answers once another sequence's block 1 was transplanted into it.

    Args:
        as_answer_circuit: share of answers that are the recipient's symbol at the donor's place.
        as_cue_circuit: share of answers that are the donor's symbol at the recipient's place.
        unmoved: share of answers that are still the recipient's own.
    """

    as_answer_circuit: float
    as_cue_circuit: float
    unmoved: float


def accuracy(trace: Trace, drawn: Lookups) -> float:
    """Share of sequences answered right."""
    return float(np.mean(answers(trace) == drawn.answers))


def look(trace: Trace, drawn: Lookups) -> Look:
    """Where a two-block model's heads look."""
    rows, cue = np.arange(len(drawn.places)), drawn.places
    first, last = trace.attention[0], trace.attention[-1][:, :, -1]
    return Look(
        on_cue=last[rows, :, cue].mean(axis=0),
        on_answer=last[rows, :, cue + 1].mean(axis=0),
        cue_to_next=first[rows, :, cue, cue + 1].mean(axis=0),
        answer_to_previous=first[rows, :, cue + 1, cue].mean(axis=0),
    )


def by_offset(
    weights: Float[np.ndarray, "sequences keys"], drawn: Lookups, offsets: Sequence[int]
) -> Float[np.ndarray, " offsets"]:
    """Mean weight at each offset from the answer's position, over the sequences that have such a position.

    Args:
        weights: one row a sequence, of its last query, say averaged over heads.
        drawn: the sequences; the cue is at offset −1.
        offsets: which ones.
    """
    rows, length = np.arange(len(weights)), weights.shape[-1]
    means = []
    for offset in offsets:
        position = drawn.places + 1 + offset
        there = (position >= 0) & (position < length)
        means.append(weights[rows[there], position[there]].mean())
    return np.array(means)


def classify(on_cue: float, on_answer: float, majority: float) -> str:
    """`cue` or `answer`, whichever holds more than `majority` of the weight; otherwise `neither`."""
    return "cue" if on_cue > majority else "answer" if on_answer > majority else "neither"


def cut(
    length: int, *shifts: int, heads: Sequence[int] | None = None, num_heads: int = 1
) -> Bool[np.ndarray, "heads queries keys"]:
    """Edges that stay when positions may no longer look at those so many places away.

    Args:
        length: of the sequences.
        shifts: `NEXT`, `PREVIOUS`, or any other distance; a query at `i` loses its key at `i + shift`.
        heads: whose edges are cut; None for all.
        num_heads: how many there are.
    """
    allowed = np.ones((num_heads, length, length), bool)
    gap = np.arange(length) - np.arange(length)[:, np.newaxis]
    for head in range(num_heads) if heads is None else heads:
        allowed[head] &= ~np.isin(gap, shifts)
    return allowed


def cut_edge(
    length: int, queries: np.ndarray, keys: np.ndarray
) -> Bool[np.ndarray, "sequences 1 queries keys"]:
    """Edges that stay when in each sequence one query may no longer look at one key.

    Args:
        length: of the sequences.
        queries: the query's position, in each sequence.
        keys: the key's.
    """
    allowed = np.ones((len(queries), 1, length, length), bool)
    allowed[np.arange(len(queries)), 0, queries, keys] = False
    return allowed


def hide(length: int, places: np.ndarray) -> Bool[np.ndarray, "sequences 1 queries keys"]:
    """Edges that stay when in each sequence nobody but the position itself may look at one position."""
    allowed = np.ones((len(places), 1, length, length), bool)
    rows = np.arange(len(places))
    allowed[rows, 0, :, places] = False
    allowed[rows, 0, places, places] = True
    return allowed


def accuracy_without(weights: Weights, drawn: Lookups, allowed: np.ndarray, causal: bool) -> float:
    """Accuracy once block 1 has lost edges of attention."""
    return accuracy(forward(weights, drawn.tokens, causal=causal, allowed={1: allowed}), drawn)


def transplant(weights: Weights, drawn: Lookups, causal: bool, *, last_only: bool = False) -> Moved:
    """Give each sequence what the heads of block 1 handed on in its neighbour, and see what it answers.

    Tokens, positions and residuals stay the recipient's; what attention moved in block 1 comes from the
    donor. In an answer circuit the donor then decides *where* is read and the recipient *what* stands
    there; in a cue circuit it is the other way round. Only pairs count in which the recipient's own
    answer and both predictions are three different symbols, and the cues stand at different places.

    Args:
        weights: of a two-block model.
        drawn: the sequences; each is its successor's donor.
        causal: as in training.
        last_only: transplant what the last query alone was handed. This moves a pointer, and nothing else.
    """
    donor = np.roll(np.arange(len(drawn.tokens)), 1)
    rows = np.arange(len(donor))
    own = forward(weights, drawn.tokens, causal=causal).heads[0]
    moved_on = np.concatenate([own[:, :, :-1], own[donor][:, :, -1:]], axis=2) if last_only else own[donor]
    trace = forward(
        weights, drawn.tokens, causal=causal, edit=lambda block, heads: moved_on if block == 1 else heads
    )
    given = answers(trace)
    by_answer = drawn.tokens[rows, drawn.places[donor] + 1]
    by_cue = drawn.tokens[donor, drawn.places + 1]
    cue = drawn.tokens[:, -1]
    counts = (
        (drawn.places != drawn.places[donor])
        & (by_answer != by_cue)
        & (by_answer != drawn.answers)
        & (by_cue != drawn.answers)
        & (by_answer != cue)
        & (by_cue != drawn.tokens[donor, -1])
    )
    return Moved(
        *(
            float(np.mean(given[counts] == expected[counts]))
            for expected in (by_answer, by_cue, drawn.answers)
        )
    )


def copied(weights: Weights, drawn: Lookups, causal: bool) -> float:
    """Share of sequences whose answer becomes the donor's once block 2's heads hand on what they did there.

    The causal half of "copying": whatever the heads of the last block read, the model says. Only
    neighbours with different answers count.
    """
    donor = np.roll(np.arange(len(drawn.tokens)), 1)
    last = forward(weights, drawn.tokens, causal=causal).heads[-1][donor]
    trace = forward(weights, drawn.tokens, causal=causal, edit=lambda b, heads: last if b == 2 else heads)
    different = drawn.answers != drawn.answers[donor]
    return float(np.mean((answers(trace) == drawn.answers[donor])[different]))


def direct_copying(weights: Weights, trace: Trace, drawn: Lookups) -> float:
    """Share of sequences in which what the last block's heads hand on raises the answer's logit the most.

    Straight through the output projection to the logits, past LayerNorm and feed-forward: the copying
    score in the spirit of Elhage et al. 2021, which was defined for models that have neither.
    """
    kernel = weights["block2_attention.attention_output.kernel"]
    output = np.einsum("shk,hkd->sd", trace.heads[-1][:, :, -1], kernel)
    raised = output @ weights["logits.kernel"]
    symbols = raised[:, 1:] - raised[:, 1:].mean(axis=0)
    return float(np.mean(symbols.argmax(axis=-1) + 1 == drawn.answers))
