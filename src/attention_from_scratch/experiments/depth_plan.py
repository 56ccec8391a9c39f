"""What `depth` trains: a map of depth, width and length, too long for a build, so it is a study.

Every model is causal and has heads that are eight wide. One block of width 32 and both two-block models
have a feed-forward layer twice as wide as the model, as the write-up's has; the wider single blocks have
the larger ones that let them solve length 12 in trials.

The rate is not ours to choose for each model by hand: each model at each length is first trained at three
rates from a seed that is not reported, for fewer steps, and the best of them is taken (the highest
validation accuracy; among solved ones the fewest steps; the smaller rate where both are equal).

At 16 and 24 no rate had taken the block that is 64 wide off its plateau when the trials ended, so that there
the rule chose among like ones, and chose the largest, which is the worst for this model at 12. That was seen
after the map had been made; the same cells are therefore trained once more, for the whole budget, at the rate
that it solves 12 with (`at_the_smallest_rate`, a study of its own, whose seeds are those of the map).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attention_from_scratch.experiments.induction_runs import train_on_fresh_sequences
from measured.terms.experiment import Run

MODELS: Mapping[str, Mapping[str, int]] = {
    "blocks2_w32": {"blocks": 2, "width": 32, "num_heads": 4, "feed_forward": 64},
    "blocks2_w48": {"blocks": 2, "width": 48, "num_heads": 6, "feed_forward": 96},
    "blocks1_w32": {"blocks": 1, "width": 32, "num_heads": 4, "feed_forward": 64},
    "blocks1_w64": {"blocks": 1, "width": 64, "num_heads": 8, "feed_forward": 512},
    "blocks1_w96": {"blocks": 1, "width": 96, "num_heads": 12, "feed_forward": 1_024},
    "blocks1_w128": {"blocks": 1, "width": 128, "num_heads": 16, "feed_forward": 1_024},
}

PARAMETERS: dict[str, Any] = {
    "lengths": [8, 12, 16, 24],
    "seeds": [0, 1, 2, 3, 4],
    "rate_seed": 100,
    "rates": [1e-3, 3e-3, 1e-2],
    "batch": 64,
    "steps": 10_000,
    "rate_steps": 4_000,
    "steps_between": 250,
    "solved": 0.99,
    "validation": 2_000,
    "test": 10_000,
}
STUCK = {"model": "blocks1_w64", "lengths": [16, 24]}  # cells whose rate was chosen on the plateau

Outcomes = Mapping[str, Mapping[str, float]]


def runs(stored: Outcomes, p: Mapping[str, Any] = PARAMETERS) -> list[Run]:
    """All trainings that can be named so far: a cell's reported ones once its rate has been chosen."""
    made = []
    for length in p["lengths"]:
        for model in MODELS:
            trials = [_trial(model, length, rate, p) for rate in p["rates"]]
            made += trials
            if all(trial.name in stored for trial in trials):
                rate = chosen_rate(stored, model, length, p)
                made += [_reported(model, length, rate, seed, p) for seed in p["seeds"]]
    return made


def chosen_rate(stored: Outcomes, model: str, length: int, p: Mapping[str, Any] = PARAMETERS) -> float:
    """The best of the three rates, by what the trials left."""

    def merit(rate: float) -> tuple[float, float, float]:
        outcome = stored[_trial_name(model, length, rate)]
        return min(outcome["accuracy"], p["solved"]), -outcome["steps"], -rate

    return max(p["rates"], key=merit)


def at_the_smallest_rate(stored: Outcomes, p: Mapping[str, Any] = PARAMETERS) -> list[Run]:
    """The trainings of cells whose rate was chosen among trials on the plateau; none depends on another."""
    model, rate = STUCK["model"], min(p["rates"])
    return [
        Run(f"{model}.l{length}.seed{seed}", train_and_sum_up, _settings(model, length, rate, seed, p))
        for length in STUCK["lengths"]
        for seed in p["seeds"]
    ]


def _trial_name(model: str, length: int, rate: float) -> str:
    return f"rate.{model}.l{length}.r{rate:g}"


def _trial(model: str, length: int, rate: float, p: Mapping[str, Any]) -> Run:
    settings = _settings(model, length, rate, p["rate_seed"], p) | {"steps": p["rate_steps"]}
    return Run(_trial_name(model, length, rate), train_and_sum_up, settings)


def _reported(model: str, length: int, rate: float, seed: int, p: Mapping[str, Any]) -> Run:
    return Run(f"map.{model}.l{length}.seed{seed}", train_and_sum_up, _settings(model, length, rate, seed, p))


def _settings(model: str, length: int, rate: float, seed: int, p: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "seed": seed,
        "length": length,
        **MODELS[model],
        "causal": True,
        "learning_rate": rate,
        "batch": p["batch"],
        "steps": p["steps"],
        "steps_between": p["steps_between"],
        "stop_at": p["solved"],
        "validation": p["validation"],
        "test": p["test"],
    }


def train_and_sum_up(**settings: Any) -> dict[str, float]:
    """One training, and the few numbers of it that are stored."""
    made = train_on_fresh_sequences(**settings)
    return {
        "accuracy": float(made["accuracies"][-1]),
        "test_accuracy": float(made["test_accuracy"]),
        "steps": int(made["steps"][-1]),
        "solved": bool(made["solved_at"] < float("inf")),
        "parameters": int(made["parameters"]),
    }
