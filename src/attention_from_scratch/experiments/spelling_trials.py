"""The comparison of the spellers from one fresh seed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attention_from_scratch.experiments import spelling_plan as plan
from attention_from_scratch.experiments.spelling_runs import train_one
from attention_from_scratch.tasks import spelling

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
    """Teach each model from this seed; its phoneme error, and word errors by length, on the held-out words.

    Args:
        seed: of the weights, and of the order of the words.
        rates: of each model.
        settings: of `spelling_runs.taught`.
    """
    kept = {}
    for model, rate in rates.items():
        made = train_one(
            "test", model=model, sizes=plan.MODELS[model], seed=seed, learning_rate=rate, **settings
        )
        kept[model] = made["phoneme_error"]
        kept |= {f"{model}_{words}": error for words, error in word_errors_by_length(made).items()}
    return kept


def train_at_two_rates(seed: int, rates: Mapping[str, float], **settings: Any) -> dict[str, float]:
    """Teach the transformer at its rate, and the LSTM with attention at that one and at its own.

    Args:
        seed: of the weights, and of the order of the words.
        rates: of each model.
        settings: of `spelling_runs.taught`.

    Returns:
        Phoneme errors on the validation words, as the trials that choose a rate have them.
    """
    asked = {
        "transformer": ("transformer", rates["transformer"]),
        "at_the_transformers_rate": ("lstm_attention", rates["transformer"]),
        "at_its_own_rate": ("lstm_attention", rates["lstm_attention"]),
    }
    return {
        name: train_one(
            "validation", model=model, sizes=plan.MODELS[model], seed=seed, learning_rate=rate, **settings
        )["phoneme_error"]
        for name, (model, rate) in asked.items()
    }


def word_errors_by_length(made: Mapping[str, Any]) -> dict[str, float]:
    """The word error of short words and of long ones, of what `spelling_runs.train_one` counts."""
    wrong, words = made["wrong_by_length"], made["words_by_length"]
    return {
        name: sum(wrong[n - spelling.SHORTEST] for n in letters)
        / sum(words[n - spelling.SHORTEST] for n in letters)
        for name, letters in (("short", (4, 5, 6)), ("long", (8, 9, 10)))
    }
