"""Match-then-read: find the cue, name the symbol after it.

A sequence holds a cue somewhere, and the cue again at its end. The answer is the symbol right after the
first cue. Finding it takes two steps, each of them easy: match the cue, read its neighbour.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Int

SYMBOLS = 7
CUE = SYMBOLS + 1
ANY_CUE = tuple(range(1, CUE + 1))
VOCABULARY = SYMBOLS + 2  # 0 is kept for padding, which this task does not need


class Lookups(NamedTuple):
    """Sequences that each hold one lookup.

    Args:
        tokens: symbols 1 … 7, the cue, no padding.
        answers: the symbol that stands right after the first cue.
        places: where the first cue stands, from 0; the answer stands at `places + 1`.
    """

    tokens: Int[np.ndarray, "sequences length"]
    answers: Int[np.ndarray, " sequences"]
    places: Int[np.ndarray, " sequences"]


def draw(count: int, length: int, generator: np.random.Generator) -> Lookups:
    """Sequences whose cue is always symbol 8.

    The other symbols are drawn uniformly from 1 … 7, with repetition; the cue's place uniformly from
    0 … length − 3, so that its answer never is the last token, the cue's second occurrence.

    Args:
        count: of sequences.
        length: of each, at least 3.
        generator: the source of randomness; pass a seeded one.

    Raises:
        ValueError: `length` is below 3, which leaves no room for a cue, its answer and the question.
    """
    _check_length(length)
    tokens = generator.integers(1, SYMBOLS + 1, size=(count, length), dtype=np.int32)
    places = generator.integers(0, length - 2, size=count)
    return _with_cue(tokens, places, np.full(count, CUE, np.int32))


def draw_any_cue(
    count: int, length: int, generator: np.random.Generator, cues: Sequence[int] = ANY_CUE
) -> Lookups:
    """The variant in which the cue differs from sequence to sequence: any of the symbols 1 … 8.

    The last token is the cue; it occurred once before, and the answer followed it. The other tokens are
    drawn uniformly from the seven symbols that are not the cue, so that guessing is worth exactly what
    it is worth with a fixed cue. No constant query can find the cue here: a model has to match.

    Args:
        count: of sequences.
        length: of each, at least 3.
        generator: the source of randomness; pass a seeded one.
        cues: those that may be drawn; the others still stand among the ordinary tokens.

    Raises:
        ValueError: `length` is below 3.
    """
    _check_length(length)
    cues = np.asarray(cues, np.int32)[generator.integers(0, len(cues), size=count, dtype=np.int32)]
    tokens = generator.integers(1, SYMBOLS + 1, size=(count, length), dtype=np.int32)
    tokens += tokens >= cues[:, np.newaxis]  # skips the cue, keeps the draw uniform
    places = generator.integers(0, length - 2, size=count)
    return _with_cue(tokens, places, cues)


def _with_cue(tokens: np.ndarray, places: np.ndarray, cues: np.ndarray) -> Lookups:
    rows = np.arange(len(tokens))
    tokens[rows, places] = cues
    tokens[:, -1] = cues
    return Lookups(tokens, tokens[rows, places + 1].copy(), places.astype(np.int32))


def _check_length(length: int) -> None:
    if length < 3:
        raise ValueError(f"length is {length}; a cue, its answer and the question need at least 3")
