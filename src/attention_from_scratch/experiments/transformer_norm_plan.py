"""What `transformer_norm` and `transformer_removal_trained` train: two studies of one small task.

After each symbol that has occurred before, say what followed it last time (`tasks.sequences.induction`);
tested is the last symbol, which occurred once before, anywhere. Two blocks can do it.

The map of the norm: LayerNorm before each layer or after each sum, with and without warm-up, at three depths
and three rates. Nothing is chosen: each cell of the map is reported.

Removal: models with one part taken away, at four depths, with warm-up. Each of them is first trained at
three rates from a seed that is not reported, for fewer steps; the rate with the highest validation accuracy
is taken, the smaller one where two are equal. Where the best is at an end, the next rate of the ladder is
tried, too (`rates`), as long as it is better.

Seeds, sizes, rates and budgets were fixed before anything of this was trained. The rule for a best rate at
an end was added when three rates and three seeds had been: in twenty of twenty-four models the best was at an
end. So the trials go on, seeds are five, and what was reported of three is replaced; at eight blocks, where
three rates and three seeds were reported at first, for want of time, this was done last.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from attention_from_scratch.experiments import rates
from attention_from_scratch.experiments.sequence_runs import train_and_test
from attention_from_scratch.experiments.transformer_removal import VARIANTS
from measured.terms.experiment import Run
from measured.terms.trial import Outcomes

RATES = dict(zip(("slow", "usual", "fast"), rates.FIRST, strict=True))
WARM_UPS = {"none": 0, "risen": 100}
NORMS = ("before", "after")
NORM_DEPTHS = [2, 4, 8]

REMOVAL_DEPTHS = [1, 2, 4, 8]

MODEL = {
    "width": 32,
    "num_heads": 4,
    "feed_forward": 64,
    "norm": "before",
    "positions": "sinusoidal",
    "deviation": 1.0,
}
TRAINING: dict[str, Any] = {
    "length": 12,
    "steps": 400,
    "steps_between": 200,
    "batch": 32,
    "clip_norm": 1.0,
    "stop_at": 1.1,  # never: every model makes all its steps
    "validation": 200,
    "test": 1_000,
}
SHARED: dict[str, Any] = {**MODEL, **TRAINING, "seeds": [0, 1, 2], "rates": list(RATES.values())}
NORM_PARAMETERS: dict[str, Any] = {**SHARED, "warm_up": WARM_UPS["risen"], "depths": NORM_DEPTHS}
REMOVAL_PARAMETERS: dict[str, Any] = {
    **SHARED,
    "warm_up": WARM_UPS["risen"],
    "depths": REMOVAL_DEPTHS,
    "rate_seed": 100,
    "rate_steps": 200,
    "look_at": 64,
    "seeds": [0, 1, 2, 3, 4],
}


def settings(seed: int, differing: Mapping[str, Any], rate: float, warm_up: int) -> dict[str, Any]:
    """Of `train_and_test`; `differing` has the depth as `blocks`, and what else is not as in `MODEL`."""
    return {
        "seed": seed,
        "task": "induction",
        "model": "transformer",
        "options": {**MODEL, **differing},
        "test_lengths": [TRAINING["length"]],
        "learning_rate": rate,
        "warm_up": warm_up,
        **TRAINING,
    }


def norm_name(norm: str, warm_up: str, depth: int, rate: str, seed: int) -> str:
    """What a training of the map is stored under."""
    return f"{norm}.{warm_up}.d{depth}.{rate}.seed{seed}"


def norm_runs(stored: Outcomes, p: Mapping[str, Any] = NORM_PARAMETERS) -> list[Run]:
    """Every training of the map, model by model; none depends on another."""
    return [
        Run(
            norm_name(norm, warm_up, depth, rate, seed),
            train_and_test,
            settings(seed, {"norm": norm, "blocks": depth}, RATES[rate], WARM_UPS[warm_up]),
        )
        for depth in p["depths"]
        for norm in NORMS
        for warm_up in WARM_UPS
        for rate in RATES
        for seed in p["seeds"]
    ]


def removal_runs(stored: Outcomes, p: Mapping[str, Any] = REMOVAL_PARAMETERS) -> list[Run]:
    """All trainings with a part removed that can be named so far, model by model."""
    return [
        run for depth in p["depths"] for variant in VARIANTS for run in _removed(stored, variant, depth, p)
    ]


def _removed(stored: Outcomes, variant: str, depth: int, p: Mapping[str, Any]) -> Iterator[Run]:
    differing = {**VARIANTS[variant][1], "blocks": depth}
    for rate in rates_tried(stored, variant, depth, p):
        given = settings(p["rate_seed"], differing, rate, p["warm_up"]) | {"steps": p["rate_steps"]}
        yield Run(removal_trial(variant, depth, rate), train_and_test, given)
    chosen = chosen_rate(stored, variant, depth, p)
    if chosen is not None:
        for seed in p["seeds"]:
            given = settings(seed, differing, chosen, p["warm_up"]) | {"look_at": p["look_at"]}
            yield Run(removal_name(variant, depth, seed), train_and_test, given)


def rates_tried(
    stored: Outcomes, variant: str, depth: int, p: Mapping[str, Any] = REMOVAL_PARAMETERS
) -> list[float]:
    """Three, and more as long as the best is at an end."""
    return rates.rates_tried(_merit(stored, variant, depth), p["rates"])


def chosen_rate(
    stored: Outcomes, variant: str, depth: int, p: Mapping[str, Any] = REMOVAL_PARAMETERS
) -> float | None:
    """The best of the rates, by what the trials left; None before all have been made."""
    return rates.chosen_rate(_merit(stored, variant, depth), p["rates"])


def _merit(stored: Outcomes, variant: str, depth: int) -> rates.Merit:
    """Validation accuracy at the end; who diverged is last."""

    def merit(rate: float) -> float | None:
        name = removal_trial(variant, depth, rate)
        if name not in stored:
            return None
        return -1.0 if stored[name]["diverged"] else stored[name]["validation"][-1]

    return merit


def removal_trial(variant: str, depth: int, rate: float) -> str:
    """What a trial of a rate is stored under."""
    return f"rate.{variant}.d{depth}.r{rate:g}"


def removal_name(variant: str, depth: int, seed: int) -> str:
    """What a reported training is stored under."""
    return f"{variant}.d{depth}.seed{seed}"
