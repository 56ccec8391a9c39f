"""What `transformer_positions` trains: five kinds of positions, each at its own rate, for as many updates.

Random symbols; after each that occurred before, the model says what followed it last time. Each beginning of
a training sequence is a shorter one, so that all lengths up to 12 are trained. Tested is the hardest question
of that kind: the last symbol occurred once before, anywhere in 12, 16, 24 or 48 tokens.

The rate of each kind is chosen by one rule (`rates`): one training a rate with the whole budget, from a seed
that is not reported; the best has the highest validation accuracy at the end. Validation sequences have the
trained length: nothing is chosen by what lies beyond. Then five seeds at that rate. No training ends before
its budget. Seeds, rates, rule and budget were fixed before anything of this was trained.

An earlier study, whose outcomes are replaced by this one, gave all kinds the rate that suited RoPE, and ended
each training at 0.98 of validation: RoPE after 200 updates, ALiBi after 1,000, so that it compared budgets,
too.

The size at which embeddings start was chosen after a look: as Keras starts them, 2,000 updates left RoPE at
0.94 of the trained questions; with variance 1, 200 leave it above 0.99.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attention_from_scratch.experiments import rates
from attention_from_scratch.experiments.sequence_runs import train_and_test
from attention_from_scratch.position_kinds import KINDS
from measured.terms.experiment import Run
from measured.terms.trial import Outcomes

MODEL = {
    "blocks": 2,
    "width": 32,
    "num_heads": 4,
    "feed_forward": 64,
    "norm": "before",
    "longest": 48,
    "deviation": 1.0,
}
TRAINING: dict[str, Any] = {
    "length": 12,
    "test_lengths": [12, 16, 24, 48],
    "steps": 1_000,
    "steps_between": 250,
    "batch": 64,
    "warm_up": 100,
    "clip_norm": 1.0,
    "stop_at": 1.1,  # never: every model makes all its updates
    "validation": 1_000,
    "test": 1_000,
}
PARAMETERS: dict[str, Any] = {
    "seeds": [0, 1, 2, 3, 4],
    "rate_seed": 100,
    "rates": list(rates.FIRST),
    **MODEL,
    **TRAINING,
}


def runs(stored: Outcomes, p: Mapping[str, Any] = PARAMETERS) -> list[Run]:
    """All trainings that can be named so far, kind by kind."""
    named = []
    for kind in KINDS:
        named += [
            Run(trial_name(kind, rate), train_and_test, settings(kind, p["rate_seed"], rate))
            for rate in rates_tried(stored, kind, p)
        ]
        rate = chosen_rate(stored, kind, p)
        if rate is not None:
            named += [
                Run(name_of(kind, seed), train_and_test, settings(kind, seed, rate)) for seed in p["seeds"]
            ]
    return named


def rates_tried(stored: Outcomes, kind: str, p: Mapping[str, Any] = PARAMETERS) -> list[float]:
    """Those that are tried, as far as they can be named; in rising order."""
    return rates.rates_tried(_merit(stored, kind), p["rates"])


def chosen_rate(stored: Outcomes, kind: str, p: Mapping[str, Any] = PARAMETERS) -> float | None:
    """The best of the rates tried; None before all have been."""
    return rates.chosen_rate(_merit(stored, kind), p["rates"])


def _merit(stored: Outcomes, kind: str) -> rates.Merit:
    """Validation accuracy at the end; who diverged is last."""

    def merit(rate: float) -> float | None:
        name = trial_name(kind, rate)
        if name not in stored:
            return None
        return -1.0 if stored[name]["diverged"] else stored[name]["validation"][-1]

    return merit


def trial_name(kind: str, rate: float) -> str:
    """What a trial of a rate is stored under."""
    return f"rate.{kind}.r{rate:g}"


def name_of(kind: str, seed: int) -> str:
    """What a reported training is stored under."""
    return f"{kind}.seed{seed}"


def settings(kind: str, seed: int, rate: float) -> dict[str, Any]:
    """Of `train_and_test`."""
    return {
        "seed": seed,
        "task": "induction",
        "model": "transformer",
        "options": {**MODEL, "positions": kind},
        "learning_rate": rate,
        **TRAINING,
    }
