"""The question: which of five kinds of positions reach beyond the lengths that were trained.

Drawn: random symbols; after each that occurred before, the model says what followed it last time. Each
beginning of a training sequence is a shorter one, so that all lengths up to 12 are trained. Tested is the
hardest question of that kind: the last symbol occurred once before, anywhere in 12, 16, 24 or 48 tokens.

The models differ in nothing but their positions. The table of learned ones has a row for each tested
position; training never touches the rows from the 13th on.

Refuted, if positions made no difference at 48 tokens.

The rate and the budget were chosen with RoPE and seed 0, with smaller embeddings; all kinds got them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attention_from_scratch.experiments.policies import ARITHMETIC
from attention_from_scratch.experiments.sequence_runs import train_and_test
from attention_from_scratch.position_kinds import KINDS
from attention_from_scratch.tasks.sequences import SYMBOLS
from measured.terms.experiment import Experiment, Findings, Run
from measured.terms.family import Family, rows, table
from measured.terms.measurement import Spread
from measured.terms.scope import Scope

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
    "task": "induction",
    "model": "transformer",
    "length": 12,
    "test_lengths": [12, 16, 24, 48],
    "steps": 1_000,
    "steps_between": 100,
    "batch": 64,
    "learning_rate": 3e-3,
    "warm_up": 0,
    "clip_norm": 1.0,
    "stop_at": 0.98,
    "validation": 500,
    "test": 1_000,
}
PARAMETERS: dict[str, Any] = {"seeds": [0, 1, 2, 3, 4], "symbols": SYMBOLS, **MODEL, **TRAINING}

# fmt: off
ACCURACY = Family("transformer.positions.accuracy.{kind}.l{length}",
    "accuracy at {length} tokens, positions {kind}, trained up to 12 tokens, mean over seeds",
    Spread("four standard errors over seeds, at least 0.05", k=4, floor=0.05), ".2f",
    labels={"kind": KINDS})
GUESSED = Family("transformer.positions.chance", "accuracy of guessing one of the symbols", ARITHMETIC, ".3f")
# fmt: on


def _runs() -> list[Run]:
    return [
        run
        for kind in KINDS
        for run in Run.over_seeds(
            f"positions.{kind}",
            train_and_test,
            {"options": {**MODEL, "positions": kind}, **TRAINING},
            PARAMETERS["seeds"],
            quick_seeds=[0, 1],
            quick={"steps": 200},
        )
    ]


def measure(
    runs: Mapping[str, Any], seeds: list[int], test_lengths: list[int], symbols: int, **_: Any
) -> Findings:
    """Sum the trainings up over their seeds."""
    found = [GUESSED.of(1 / symbols)]
    for kind in KINDS:
        made = [runs[f"positions.{kind}.seed{seed}"]["accuracy"] for seed in seeds]
        for index, length in enumerate(test_lengths):
            found.append(ACCURACY.over_seeds([a[index] for a in made], seeds, kind=kind, length=length))
    columns = {f"{length} tokens": ACCURACY.at(length=length) for length in test_lengths}
    return Findings(
        tuple(found), tables=(table("transformer.positions", "positions", rows("kind", KINDS), columns),)
    )


EXPERIMENT = Experiment(
    name="transformer_positions",
    question="Which kinds of positions reach beyond the lengths that were trained?",
    measure=measure,
    parameters=PARAMETERS,
    quick={"seeds": [0, 1]},
    runs=tuple(_runs()),
    prefixes=("transformer",),
    scopes={
        "transformer.positions.*": Scope(
            "{blocks} causal blocks of width {width} with {num_heads} heads, LayerNorm {norm} each layer, at "
            "most {steps} updates of {batch} sequences of {length} tokens from {symbols} symbols, Adam at "
            "{learning_rate}, stopped at {stop_at} of a validation set; seeds {seeds}."
        )
    },
)
