"""What `depth` asks fresh seeds: its own trainings, at the rates that its rule has chosen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attention_from_scratch.experiments import depth_plan as plan
from measured.terms.trial import Trial

P = plan.PARAMETERS
SHARED = {name: P[name] for name in ("batch", "steps", "steps_between", "validation", "test")}


def ask(seed: int, cells: Mapping[str, Mapping[str, Any]], **training: Any) -> dict[str, float]:
    """Train the model of each cell of the map; its test accuracy and its updates."""
    kept = {}
    for cell, settings in cells.items():
        made = plan.train_and_sum_up(seed=seed, causal=True, **{**training, **settings})
        kept |= {cell: made["test_accuracy"], f"{cell}_updates": made["steps"]}
    return kept


def _cells(rates: Mapping[tuple[str, int], float]) -> dict[str, dict[str, Any]]:
    return {
        f"{model}_l{length}": {"length": length, "learning_rate": rate, **plan.MODELS[model]}
        for (model, length), rate in rates.items()
    }


def _trial(name: str, question: str, rates: Mapping[tuple[str, int], float]) -> Trial:
    cells = _cells(rates)
    tolerance = dict.fromkeys(cells, 0.1) | {f"{cell}_updates": 1_000 for cell in cells}
    return Trial(name, question, ask, {**SHARED, "stop_at": P["solved"], "cells": cells}, tolerance=tolerance)


# The rates are those that the study's own rule chose, by a seed that is not reported; `depth` checks them.
TWO_BLOCKS = _trial(
    "two_blocks_at_each_length",
    "Two blocks, 32 and 48 wide: is each of the four lengths solved from this seed?",
    {
        ("blocks2_w32", 8): 1e-3,
        ("blocks2_w32", 12): 3e-3,
        ("blocks2_w32", 16): 3e-3,
        ("blocks2_w32", 24): 3e-3,
        ("blocks2_w48", 8): 1e-3,
        ("blocks2_w48", 12): 3e-3,
        ("blocks2_w48", 16): 1e-3,
        ("blocks2_w48", 24): 3e-3,
    },
)
SHORTEST = _trial(
    "one_block_at_the_shortest",
    "One block, 32 to 128 wide: is length eight solved from this seed?",
    {
        ("blocks1_w32", 8): 3e-3,
        ("blocks1_w64", 8): 3e-3,
        ("blocks1_w96", 8): 1e-3,
        ("blocks1_w128", 8): 1e-3,
    },
)
NARROW_AND_MIDDLE = {
    ("blocks1_w32", 12): 1e-3,
    ("blocks1_w32", 16): 1e-3,
    ("blocks1_w64", 8): 3e-3,
    ("blocks1_w64", 12): 1e-3,
}
TWELVE = _trial(
    "one_block_at_twelve",
    "One block, 32, 64 and 128 wide: where does it stand at length twelve, and what did that take?",
    {**NARROW_AND_MIDDLE, ("blocks1_w128", 12): 1e-3},
)
LONGEST = _trial(
    "one_block_at_twenty_four",
    "One block, 32 and 64 wide: where does it stand at length twenty-four when its budget ends?",
    {("blocks1_w32", 24): 3e-3, ("blocks1_w64", 24): 1e-2},
)
MOSTLY = _trial(
    "one_block_mostly_at_twelve",
    "One block, 32 and 64 wide: does the one stay near its baseline, and does length cost the other updates?",
    NARROW_AND_MIDDLE,
)
TRIALS = (TWO_BLOCKS, SHORTEST, TWELVE, LONGEST, MOSTLY)
