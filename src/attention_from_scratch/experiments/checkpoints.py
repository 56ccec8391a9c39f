"""The question: what the attention of two blocks looks like while they learn the task of two steps.

The training of the reported experiment from its first seed is repeated and opened again and again: five times
an epoch while it learns, then once. Each checkpoint says where each head looks on one sequence, the one that
the live model shows first, and on two thousand probes. Four moments are told in numbers: the first
checkpoint, the last one on the plateau, the first one beyond it, and the end.

One model of five, watched because it is the one that readers can run. Nothing is claimed of others.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from attention_from_scratch.experiments.checkpoints_runs import train_and_watch
from attention_from_scratch.experiments.induction_plan import SMALL
from attention_from_scratch.tasks import match_then_read
from measured.terms.experiment import Experiment, Findings, Run
from measured.terms.family import Family, rows, table
from measured.terms.measurement import Close
from measured.terms.scope import Scope

CUE = match_then_read.CUE
SHOWN = [3, 1, 5, CUE, 6, 2, 2, 4, 1, 7, 3, CUE]  # what the live model shows first

TRAINING = {
    "length": 12,
    "learning_rate": 3e-3,
    "batch": 64,
    "sequences": 8_000,
    "epochs": 30,
    "validation": 1_000,
    "pieces": 5,
    "finer_until": 10,
    "sequence": SHOWN,
    "probe": 2_000,
    "probe_seed": 1_000,
}
PARAMETERS: dict[str, Any] = {
    **TRAINING,
    "seed": 0,
    "plateau_below": 0.4,
    "solved_from": 0.9,
}

MOMENTS = {
    "first": "the first checkpoint",
    "before": "the last one on the plateau",
    "after": "the first one beyond it",
    "last": "the end",
}
WHAT = {
    "accuracy": "validation accuracy",
    "on_answer": "block 2: weight on the answer, of the head that gives it most",
    "edge": "block 1: weight from the answer on the cue, of the head that gives it most",
}
LABELS = {"moment": MOMENTS, "what": WHAT}
ONE_TRAINING = Close(
    "one training: with other rounding the same seed takes another way to the same place; a moment is found "
    "by its accuracy, so what is measured there moves less than the moment itself",
    atol=0.25,
)
A_WAY_OFF = Close("with other rounding the same seed may leave the plateau a few epochs away", atol=750)

# What is measured: its name, what it is, how far it may drift, how it is shown.
# fmt: off
STEPS = Family("checkpoints.steps.{moment}", "{moment}: after how many steps", A_WAY_OFF, ",d", labels=LABELS)
SEEN = Family("checkpoints.{what}.{moment}", "{what}; {moment}", ONE_TRAINING, ".3f", labels=LABELS)
# fmt: on


def measure(runs: Mapping[str, Mapping[str, np.ndarray]], **p: Any) -> Findings:
    """Where the heads look at four moments; all checkpoints go into the arrays."""
    run = runs[f"two_blocks.seed{p['seed']}"]
    found = []
    for moment, at in _moments(run["accuracies"], p).items():
        found += [
            STEPS.of(int(run["steps"][at]), moment=moment),
            SEEN.of(float(run["accuracies"][at]), what="accuracy", moment=moment),
            SEEN.of(float(run["on_answer"][at].max()), what="on_answer", moment=moment),
            SEEN.of(float(run["edge"][at].max()), what="edge", moment=moment),
        ]
    columns = {"steps": STEPS, **{words: SEEN.at(what=what) for what, words in WHAT.items()}}
    shown = table("checkpoints.moments", "moment", rows("moment", MOMENTS), columns)
    return Findings(tuple(found), dict(run), (shown,))


def _moments(accuracies: np.ndarray, p: Mapping[str, Any]) -> dict[str, int]:
    """The checkpoints of the four moments; a training that stays on the plateau ends there."""
    last = len(accuracies) - 1
    beyond = np.flatnonzero(accuracies >= p["solved_from"])
    after = int(beyond[0]) if len(beyond) else last
    waiting = np.flatnonzero(accuracies[:after] < p["plateau_below"])
    return {"first": 0, "before": int(waiting[-1]) if len(waiting) else 0, "after": after, "last": last}


EXPERIMENT = Experiment(
    name="checkpoints",
    question="What does the attention of two blocks look like while they learn the task of two steps?",
    measure=measure,
    parameters=PARAMETERS,
    quick={"epochs": 2, "sequences": 320},
    runs=Run.over_seeds(
        "two_blocks",
        train_and_watch,
        {"blocks": 2, **SMALL, "causal": False, **TRAINING},
        [PARAMETERS["seed"]],
        quick_seeds=[PARAMETERS["seed"]],
        quick={"epochs": 2, "sequences": 320},
        seconds=600,
    ),
    scopes={
        "checkpoints.*": Scope(
            "Match-then-read, length {length}, two blocks with four heads, {sequences} sequences in batches "
            "of {batch} for {epochs} epochs, Adam at a rate of {learning_rate}; seed {seed} alone."
        )
    },
)
