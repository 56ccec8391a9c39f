"""What `spelling` trains: the comparison, a study; and the speller of the page, which the build trains.

Five models read the same words in the same orders. Their widths are those that come nearest to the
transformer's number of parameters. Rates are not chosen by hand: each model is taught with four rates from a
seed that is not reported, for fewer passes, and the one that says the fewest sounds of the validation words
wrongly is taken; where that is the highest, twice the rate is tried, too, as long as it is better. (This
last rule was added when the LSTM's trials came out best at the highest of four; no held-out word had been
asked for.) All seeds were fixed before anything was trained.

A smaller study goes with it: the transformer with fewer heads of keys and values.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attention_from_scratch.experiments.spelling_runs import train_one
from measured.terms.experiment import Run

MODELS: Mapping[str, Mapping[str, int]] = {
    "transformer": {"width": 64, "num_heads": 4, "feed_forward": 128, "blocks": 2},
    "lstm": {"units": 64},
    "lstm_attention": {"units": 48},
    "gru": {"units": 76},
    "gru_attention": {"units": 54},
}
# The package's version, and the hash of the words that are kept of it.
DICTIONARY = {
    "version": "1.1.3",
    "sha256": "5440e238c0341cce1f734e2db909b251958a65f9f531860ef478a3aed8b4e0bd",
}
WORDS = {**DICTIONARY, "split_seed": 0, "test": 2_000, "validation": 1_000}

PARAMETERS: dict[str, Any] = {
    **WORDS,
    "seeds": [0, 1, 2, 3, 4],
    "rate_seed": 100,
    "rates": [1e-3, 2e-3, 4e-3, 8e-3],
    "rate_passes": 2,
    "training": 20_000,
    "passes": 4,
    "batch": 128,
    "heads_seeds": [0, 1, 2],
}
# Heads of keys and values in the decoder's self-attention; else there are as many as of queries.
KEY_VALUE_HEADS = {"grouped": 2, "multi_query": 1}

Outcomes = Mapping[str, Mapping[str, Any]]


def runs(stored: Outcomes, p: Mapping[str, Any] = PARAMETERS) -> list[Run]:
    """All trainings that can be named so far, seed by seed once the rates have been chosen."""
    tried = {model: rates_of(stored, model, p) for model in MODELS}
    trials = [_trial(model, rate, p) for model, rates in tried.items() for rate in rates]
    if any(trial.name not in stored for trial in trials):
        return trials
    return trials + [_compared(model, seed, stored, p) for seed in p["seeds"] for model in MODELS]


def rates_of(stored: Outcomes, model: str, p: Mapping[str, Any] = PARAMETERS) -> list[float]:
    """The rates that a model is tried with: as many as are needed for the best not to be the highest."""
    rates = list(p["rates"])
    while (
        all(trial_name(model, rate) in stored for rate in rates) and _best(stored, model, rates) == rates[-1]
    ):
        rates.append(2 * rates[-1])
    return rates


def chosen_rate(stored: Outcomes, model: str, p: Mapping[str, Any] = PARAMETERS) -> float:
    """The rate with the lowest phoneme error on the validation words."""
    return _best(stored, model, rates_of(stored, model, p))


def _best(stored: Outcomes, model: str, rates: list[float]) -> float:
    return min(rates, key=lambda rate: stored[trial_name(model, rate)]["phoneme_error"])


def trial_name(model: str, rate: float) -> str:
    """What a trial of a rate is stored under."""
    return f"rate.{model}.r{rate:g}"


def name_of(model: str, seed: int) -> str:
    """What a training of the comparison is stored under."""
    return f"compared.{model}.seed{seed}"


def settings(model: str, seed: int, rate: float, p: Mapping[str, Any] = PARAMETERS) -> dict[str, Any]:
    """Of `spelling_runs.taught`, for the comparison."""
    return {
        "model": model,
        "sizes": MODELS[model],
        "seed": seed,
        "learning_rate": rate,
        **{name: p[name] for name in (*WORDS, "training", "passes", "batch")},
    }


def runs_with_fewer_heads(
    stored: Outcomes, compared: Outcomes, p: Mapping[str, Any] = PARAMETERS
) -> list[Run]:
    """The transformer of the comparison with fewer heads of keys and values, at the rate chosen for it.

    Args:
        stored: outcomes of this study; no run depends on them.
        compared: outcomes of the comparison.
        p: the parameters.
    """
    made = []
    for seed in p["heads_seeds"]:
        for way, heads in KEY_VALUE_HEADS.items():
            given = settings("transformer", seed, chosen_rate(compared, "transformer", p), p)
            given["sizes"] = {**given["sizes"], "key_value_heads": heads}
            made.append(Run(f"{way}.seed{seed}", train_one, {"heard": "test", **given}))
    return made


def _trial(model: str, rate: float, p: Mapping[str, Any]) -> Run:
    given = settings(model, p["rate_seed"], rate, p) | {"passes": p["rate_passes"]}
    return Run(trial_name(model, rate), train_one, {"heard": "validation", **given})


def _compared(model: str, seed: int, stored: Outcomes, p: Mapping[str, Any]) -> Run:
    given = settings(model, seed, chosen_rate(stored, model, p), p)
    return Run(name_of(model, seed), train_one, {"heard": "test", **given})
