"""What `scale` and `scale_grid` ask fresh seeds: the lookup, from two starts, with three treatments."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from attention_from_scratch.experiments.lookup_training import TRAINING
from attention_from_scratch.experiments.scale_grid_runs import STARTS, train_one
from attention_from_scratch.learning_curves import first_look
from measured.terms.trial import Trial

SOLVED = 0.99
TRIED = {"learning_rate": 1e-3, **TRAINING}


def ask_division(seed: int, **training: Any) -> dict[str, float]:
    """Accuracy and updates until solved, from both starts, undivided and divided."""
    kept = {}
    for name, curve in _curves(seed, STARTS, ("none", "divided"), **training):
        kept[name] = float(curve[-1])
        kept[f"{name}_updates"] = training["every"] * first_look(curve, SOLVED)
    return kept


def ask_further(seed: int, **training: Any) -> dict[str, float]:
    """Accuracy with QK-norm from both starts; from the large one also undivided and divided."""
    curves = dict(_curves(seed, STARTS, ("qk_norm",), **training))
    curves |= dict(_curves(seed, ("unit",), ("none", "divided"), **training))
    half = curves["unit_none"][len(curves["unit_none"]) // 2]
    return {**{name: float(curve[-1]) for name, curve in curves.items()}, "unit_none_half": float(half)}


def _curves(
    seed: int, starts: Iterable[str], ways: Iterable[str], learning_rate: float, **training: Any
) -> Iterable[tuple[str, np.ndarray]]:
    for start in starts:
        for way in ways:
            made = train_one(seed, start, way, learning_rate, **training)
            yield f"{start}_{way}", np.array([*made["accuracies"][:-1], made["accuracy"]])


DIVIDED = Trial(
    "lookup_from_two_starts",
    "Does the lookup learn with and without the division, from embeddings of variance 1 and from Keras' own?",
    ask_division,
    TRIED,
    count=20,
    tolerance={f"{start}_{way}": 0.05 for start in STARTS for way in ("none", "divided")}
    | {f"{start}_{way}_updates": 40 for start in STARTS for way in ("none", "divided")},
)
FURTHER = Trial(
    "lookup_with_qk_norm",
    "Does the lookup learn with QK-norm, from either start, and how far does it get undivided by half time?",
    ask_further,
    TRIED,
    count=20,
    tolerance=dict.fromkeys(("unit_qk_norm", "keras_qk_norm", "unit_none", "unit_divided"), 0.05)
    | {"unit_none_half": 0.1},
)
