"""The comparison of the spellers from one fresh seed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attention_from_scratch.experiments import spelling_plan as plan
from attention_from_scratch.experiments.spelling_runs import train_one

# What the trials of the comparison chose; a test compares them with its stored outcomes.
RATES = {
    "transformer": 4e-3,
    "lstm": 3.2e-2,
    "lstm_attention": 3.2e-2,
    "gru": 1.6e-2,
    "gru_attention": 1.6e-2,
}
SETTINGS: Mapping[str, Any] = {
    name: plan.PARAMETERS[name] for name in (*plan.WORDS, "training", "passes", "batch")
}


def train_all(seed: int, rates: Mapping[str, float], **settings: Any) -> dict[str, float]:
    """Teach each model from this seed; its phoneme error on the held-out words.

    Args:
        seed: of the weights, and of the order of the words.
        rates: of each model.
        settings: of `spelling_runs.taught`.
    """
    return {
        model: train_one(
            "test", model=model, sizes=plan.MODELS[model], seed=seed, learning_rate=rate, **settings
        )["phoneme_error"]
        for model, rate in rates.items()
    }
