"""The part of `induction` that asks how often a picture of weights would have told the right story.

Here the story is known: which circuit a model has was settled by cutting and transplanting, and which two
tokens an answer hangs on is given by the task, the first cue and the symbol after it. So maps can be held
against the truth.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Float

from attention_from_scratch import explanations, forward, vision
from attention_from_scratch.experiments.induction_circuits import CIRCUIT, FLIPPED, KINDS, PICTURED
from attention_from_scratch.experiments.induction_training import Runs, of_seeds, probes
from attention_from_scratch.tasks.match_then_read import CUE, SYMBOLS
from measured.terms.experiment import Findings
from measured.terms.family import Family, rows, table
from measured.terms.measurement import Measurement, Spread

SEQUENCES = 200
METHODS = {
    "raw": "weights of the last query, block 2",
    "rollout": "rollout",
    "replaced": "replacing one token at a time",
}
LABELS = {"method": METHODS}

# fmt: off
STORIES = Family("explanation.own_models.stories.{kind}",
    "one-head models with {mask}, at {rate}, whose second block gives one position most of its weight",
    FLIPPED, "d")
RIGHT_STORIES = Family("explanation.own_models.right_stories.{kind}",
    "of these, those that have the circuit which that picture suggests: one-head models with {mask}, at "
    "{rate}", FLIPPED, "d")
BOTH_NAMED = Family("explanation.own_models.both_named.{method}",
    "share of sequences in which the first two positions of a map are the cue and its answer, mean over "
    "solved one-head "
    "models without a mask: {method}",
    Spread("trained models: four standard errors, at least 0.05", k=4, floor=0.05), ".2f", labels=LABELS)
ANSWER_NAMED = Family("explanation.own_models.answer_first.{method}",
    "share of sequences in which the first position of a map is the answer's, mean over solved one-head "
    "models without "
    "a mask: {method}",
    Spread("trained models: four standard errors, at least 0.05", k=4, floor=0.05), ".2f", labels=LABELS)
# fmt: on


def right_stories(proven: Findings) -> Findings:
    """How many pictures told the right story, by the counts of `induction_circuits.one_head`."""
    found: list[Measurement] = []
    for kind, (mask, rate) in KINDS.items():
        shown = sum(PICTURED.value(proven, read=read, kind=kind) for read in ("cue", "answer"))
        right = sum(CIRCUIT.value(proven, circuit=circuit, kind=kind) for circuit in ("cue", "answer"))
        of = {"kind": kind, "mask": mask, "rate": rate}
        found += [STORIES.of(shown, **of), RIGHT_STORIES.of(right, **of)]
    return Findings(tuple(found))


def both_causes(runs: Runs, p: Mapping[str, Any]) -> Findings:
    """Which maps name the two tokens that the answer hangs on."""
    drawn = probes(p)
    tokens, places = drawn.tokens[:SEQUENCES], drawn.places[:SEQUENCES]
    both: dict[str, list[float]] = {name: [] for name in METHODS}
    first: dict[str, list[float]] = {name: [] for name in METHODS}
    seeds: list[int] = []
    made = of_seeds(runs, "circuit.bidirectional", p["bidirectional_seeds"])
    for seed, run in zip(p["bidirectional_seeds"], made, strict=True):
        if not np.isfinite(run["solved_at"]):
            continue
        seeds.append(seed)
        for name, values in maps_of(forward.weights_of(run), tokens).items():
            order = np.argsort(-values, axis=1, kind="stable")[:, :2]
            causes = np.stack([places, places + 1], axis=1)
            both[name].append((np.sort(order, axis=1) == causes).all(axis=1).mean())
            first[name].append((order[:, 0] == causes[:, 1]).mean())
    if not seeds:  # a first look trains too little to solve anything
        return Findings(())
    found = [BOTH_NAMED.over_seeds(both[name], seeds, method=name) for name in METHODS]
    found += [ANSWER_NAMED.over_seeds(first[name], seeds, method=name) for name in METHODS]
    columns = {"cue and answer come first": BOTH_NAMED, "the answer comes first": ANSWER_NAMED}
    return Findings(
        tuple(found), {}, (table("explanation.own_models", "map", rows("method", METHODS), columns),)
    )


def maps_of(
    weights: forward.Weights, tokens: np.ndarray
) -> dict[str, Float[np.ndarray, "sequences positions"]]:
    """Maps over all positions but the last, which asks."""
    trace = forward.forward(weights, tokens)
    said = forward.answers(trace)
    asking = tokens.shape[1] - 1
    lead = vision.lead(trace.logits, said)
    falls = [
        lead - vision.lead(forward.forward(weights, replaced(tokens, place)).logits, said)
        for place in range(asking)
    ]
    return {
        "raw": trace.attention[1][:, :, 0, :asking].mean(axis=1),
        "rollout": explanations.rolled(trace.attention, query=asking)[:, :asking],
        "replaced": np.stack(falls, axis=1),
    }


def replaced(tokens: np.ndarray, place: int) -> np.ndarray:
    """The sequences with another symbol at one place: the next one; in the place of a cue, the first."""
    changed = tokens.copy()
    changed[:, place] = np.where(tokens[:, place] == CUE, 1, tokens[:, place] % SYMBOLS + 1)
    return changed
