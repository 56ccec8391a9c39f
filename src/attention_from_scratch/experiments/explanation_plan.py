"""What `explanation` trains and asks, fixed before anything was looked at.

The epochs alone were chosen after a look: at two trainings' curves of accuracy, which no longer rose after
forty.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attention_from_scratch.experiments.explanation_runs import train_bags, train_vision
from measured.terms.experiment import Run

TRAINING: dict[str, Any] = {
    "sha256": "09f66e6debdee2cd2b5ae59e0d6abbb73fc2b0e0185d2e1957e9ebb51e23aa22",
    "split_seed": 0,
    "batch": 32,
    "epochs": 40,
    "learning_rate": 2e-3,
}
GRADIENTS = {"probe": 200, "path_steps": 16}
MARKS = {"marked_share": 0.5}
BAGS = {"bag_epochs": 40}
PARAMETERS: dict[str, Any] = {
    **TRAINING,
    **GRADIENTS,
    **MARKS,
    **BAGS,
    "data_version": "1.9.1",
    "seeds": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    "control_seeds": [0, 1, 2, 3, 4],
    "blocks": 2,
    "width": 32,
    "num_heads": 4,
    "patches": 16,
    "confident": 0.95,
    "draws": 1_000,
    "level": 0.95,
    "penalty": 0.1,
    "permutations": 50,
    "others": 60,
    "analysis_seed": 0,
}
QUICK_SEEDS = {"seeds": [0, 1, 4, 5], "control_seeds": [0, 1]}
QUICK = {**QUICK_SEEDS, "draws": 100, "permutations": 5, "others": 5}
CONTROLS = ("shuffled", "planted", "empty", "plus_one")


def runs() -> Iterator[Run]:
    """A plain training for each seed; for a few of them each control, and the bags."""
    for kind, seeds in (("plain", "seeds"), *((control, "control_seeds") for control in CONTROLS)):
        parameters = {**TRAINING, **GRADIENTS, **(MARKS if kind == "planted" else {}), "kind": kind}
        yield from Run.over_seeds(
            kind, train_vision, parameters, PARAMETERS[seeds], quick_seeds=QUICK_SEEDS[seeds]
        )
    yield from Run.over_seeds(
        "bags",
        train_bags,
        {**TRAINING, **BAGS},
        PARAMETERS["control_seeds"],
        quick_seeds=QUICK_SEEDS["control_seeds"],
    )
