"""The question: where may LayerNorm stand, and when does a rate have to rise slowly, by depth and rate.

Drawn: the induction task of `transformer_positions`, with RoPE. Models of two and of six blocks, LayerNorm
before each layer or after each sum, the rate there at once or risen over the first updates, three rates.
Kept: the accuracy on validation sequences when the budget ends or the task is solved.

Refuted, if LayerNorm after each sum learned in six blocks at the fastest rate without a warm-up.

The trainings are a study: stored, and repeated by sample.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attention_from_scratch.experiments.policies import COUNT
from attention_from_scratch.experiments.sequence_runs import train_and_test
from measured.terms.experiment import Experiment, Findings, Run
from measured.terms.family import Family, table
from measured.terms.measurement import Spread
from measured.terms.scope import Scope
from measured.terms.trial import Outcomes, Study, read_outcomes

STORED = Path(__file__).resolve().parents[3] / "tests" / "confirmations" / "transformer_norm.json"

RATES = {"slow": 1e-3, "usual": 3e-3, "fast": 1e-2}
TRAINING: dict[str, Any] = {
    "task": "induction",
    "model": "transformer",
    "length": 12,
    "test_lengths": [12],
    "steps": 400,
    "steps_between": 100,
    "batch": 64,
    "clip_norm": 1.0,
    "stop_at": 0.98,
    "validation": 500,
    "test": 500,
}
PARAMETERS: dict[str, Any] = {
    "seeds": [0, 1, 2],
    "depths": [2, 6],
    "rates": list(RATES.values()),
    "warm_up": 100,
    "width": 32,
    **TRAINING,
}
MODEL = {"width": 32, "num_heads": 4, "feed_forward": 64, "positions": "rope"}
NORMS = {"before": "LayerNorm before", "after": "LayerNorm after"}
RISES = {"at_once": "the rate at once", "risen": "the rate risen slowly"}
LABELS = {
    "norm": NORMS,
    "rise": RISES,
    "rate": {
        "slow": "a third of the usual rate",
        "usual": "the usual rate",
        "fast": "three times the usual rate",
    },
}

# fmt: off
ACCURACY = Family("transformer.norm.accuracy.{norm}.{rise}.d{depth}.{rate}",
    "validation accuracy of {depth} blocks at the end, {norm}, {rise}, {rate}, mean over seeds",
    Spread("stored outcomes of a study: they move when it is run again", k=4, floor=0.05), ".2f",
    labels=LABELS)
TRAININGS = Family("transformer.norm.trainings", "trainings of the map", COUNT, "d")
# fmt: on


def runs(stored: Outcomes) -> list[Run]:
    """Every training of the map; none depends on another."""
    return [
        Run(_name(*cell, seed), train_and_test, _settings(*cell, seed))
        for cell in _cells()
        for seed in PARAMETERS["seeds"]
    ]


def _cells() -> list[tuple[str, str, int, str]]:
    return [
        (norm, rise, depth, rate)
        for depth in PARAMETERS["depths"]
        for norm in NORMS
        for rise in RISES
        for rate in RATES
    ]


def _name(norm: str, rise: str, depth: int, rate: str, seed: int) -> str:
    return f"{norm}.{rise}.d{depth}.{rate}.seed{seed}"


def _settings(norm: str, rise: str, depth: int, rate: str, seed: int) -> dict[str, Any]:
    return {
        "seed": seed,
        "options": {**MODEL, "norm": norm, "blocks": depth},
        "learning_rate": RATES[rate],
        "warm_up": PARAMETERS["warm_up"] if rise == "risen" else 0,
        **TRAINING,
    }


def measure(seeds: list[int], **_: Any) -> Findings:
    """Sum the stored outcomes up over their seeds."""
    stored: Mapping[str, Mapping[str, Any]] = read_outcomes(STORED)
    found = [TRAININGS.of(len(stored))]
    lines = {}
    for norm, rise, depth, rate in _cells():
        ends = [stored[_name(norm, rise, depth, rate, seed)]["validation"][-1] for seed in seeds]
        found.append(ACCURACY.over_seeds(ends, seeds, norm=norm, rise=rise, depth=depth, rate=rate))
        lines[f"{depth} blocks, {NORMS[norm]}, {RISES[rise]}"] = {"norm": norm, "rise": rise, "depth": depth}
    columns = {f"at {value:g}": ACCURACY.at(rate=rate) for rate, value in RATES.items()}
    return Findings(tuple(found), tables=(table("transformer.norm", "accuracy", lines, columns),))


EXPERIMENT = Experiment(
    name="transformer_norm",
    question="Where may LayerNorm stand, and when does a rate have to rise slowly?",
    measure=measure,
    parameters=PARAMETERS,
    prefixes=("transformer",),
    studies=(
        Study(
            "transformer_norm",
            "LayerNorm before and after, with and without a warm-up, at two depths and three rates.",
            runs,
            tolerance={"accuracy": 0.3, "validation": 0.3, "steps": 400},
        ),
    ),
    scopes={
        "transformer.norm.*": Scope(
            "Causal models of width {width}, at most {steps} updates of {batch} sequences of {length} "
            "tokens, stopped at {stop_at}; where the rate rises, over {warm_up} updates; seeds {seeds}."
        )
    },
)
