"""The question: what does recurrence do better than attention, and what does attention do better.

Drawn: two tasks that ask for a state after each token (parity; the running product of permutations of three
things, the group S₃), and two that ask for what was read (copying symbols that differ; recall of values by
keys, with many questions a sequence). Five models of about as many parameters: a transformer of two blocks,
the same with linear attention, an LSTM, a GRU and a SimpleRNN of one layer.

Nobody is tuned: one rate and one budget for all, fixed before. Five seeds, all reported. Tested at the
trained length and beyond.

Refuted, if one kind of model were the best at all four tasks.

After a look, at one seed that is not reported: recall stayed on its plateau as long as embeddings started as
Keras starts them, some thirty-five times smaller than what the layers add to them. So all embeddings start
with variance 1 here, and what the small start does to recall, with three kinds of positions, is measured
beside it. Positions are ALiBi's, and RoPE's where there is no softmax to bias.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attention_from_scratch.experiments.policies import ARITHMETIC, COUNT
from attention_from_scratch.experiments.sequence_runs import train_and_test
from attention_from_scratch.position_kinds import KINDS
from attention_from_scratch.tasks.sequences import TASKS
from measured.terms.experiment import Experiment, Findings, Run
from measured.terms.family import Family, rows, table
from measured.terms.measurement import Spread
from measured.terms.scope import Scope
from measured.terms.trial import Outcomes, Study, read_outcomes

STORED = Path(__file__).resolve().parents[3] / "tests" / "confirmations" / "transformer_tasks.json"

BLOCKS = {"blocks": 2, "width": 32, "num_heads": 4, "feed_forward": 64, "norm": "before", "longest": 64}
MODELS: Mapping[str, tuple[str, str, Mapping[str, Any]]] = {
    "transformer": ("transformer", "transformer", {**BLOCKS, "positions": "alibi"}),
    "lstm": ("LSTM", "lstm", {"width": 46}),
    "gru": ("GRU", "gru", {"width": 53}),
    "simple_rnn": ("SimpleRNN", "simple_rnn", {"width": 92}),
    "linear": ("linear attention", "transformer", {**BLOCKS, "positions": "rope", "linear": True}),
}
# What decides about recall: positions, and the standard deviation with which embeddings start (Keras' is that
# of numbers uniform in ±0.05).
STARTS = {"unit": ("variance 1", 1.0), "keras": ("Keras' own size", 0.05 / 3**0.5)}
PLACED_KINDS = ("none", "sinusoidal", "alibi")
ASKED = {"parity": "parity", "state": "product in S₃", "copy": "copying", "recall": "recall"}
LENGTHS = {"parity": [16, 48], "state": [16, 48], "copy": [8, 16], "recall": [4, 8]}
WHERE = {"within": "at the trained length", "beyond": "beyond it"}

TRAINING: dict[str, Any] = {
    "learning_rate": 3e-3,
    "steps": 1_000,
    "steps_between": 100,
    "batch": 32,
    "warm_up": 0,
    "clip_norm": 1.0,
    "stop_at": 0.995,
    "validation": 500,
    "test": 500,
}
PARAMETERS: dict[str, Any] = {
    "seeds": [0, 1, 2, 3, 4],
    **TRAINING,
    **{f"{task}_{where}": n for task, at in LENGTHS.items() for where, n in zip(WHERE, at, strict=True)},
}
STORED_VALUE = Spread("stored outcomes of a study: they move when it is run again", k=4, floor=0.05)
LABELS = {"task": ASKED, "model": {name: words for name, (words, _, _) in MODELS.items()}, "where": WHERE}

# fmt: off
ACCURACY = Family("transformer.tasks.accuracy.{task}.{model}.{where}",
    "accuracy of {model} on {task}, {where}, mean over seeds", STORED_VALUE, ".2f", labels=LABELS)
UPDATES = Family("transformer.tasks.updates.{task}.{model}",
    "updates made by {model} on {task}, all of them where it is not solved, mean over seeds",
    Spread("stored outcomes of a study", k=4, floor=200), ",.0f", labels=LABELS)
SIZE = Family("transformer.tasks.parameters.{task}.{model}", "parameters of {model} on {task}", COUNT, ",d",
    labels=LABELS)
GUESSED = Family("transformer.tasks.chance.{task}", "accuracy of guessing on {task}", ARITHMETIC, ".2f",
    labels=LABELS)
PLACED = Family("transformer.tasks.placed.{kind}.{start}",
    "accuracy of the transformer on recall at the trained length, positions {kind}, embeddings that start "
    "with {start}, mean over seeds", STORED_VALUE, ".2f",
    labels={"kind": KINDS, "start": {name: words for name, (words, _) in STARTS.items()}})
# fmt: on


def runs(stored: Outcomes) -> list[Run]:
    """Every training; none depends on another."""
    return [_run(cell, seed) for cell in (*CELLS, *PLACED_CELLS) for seed in PARAMETERS["seeds"]]


CELLS = {f"{task}.{model}": (task, *MODELS[model][1:]) for task in LENGTHS for model in MODELS}
PLACED_CELLS = {
    f"recall.{kind}.{start}": (
        "recall",
        "transformer",
        {**BLOCKS, "positions": kind, "deviation": deviation},
    )
    for kind in PLACED_KINDS
    for start, (_, deviation) in STARTS.items()
    if (kind, start) != ("alibi", "unit")
}


def _run(cell: str, seed: int) -> Run:
    task, model, options = {**CELLS, **PLACED_CELLS}[cell]
    settings = {
        "seed": seed,
        "task": task,
        "model": model,
        "options": dict(options),
        "length": LENGTHS[task][0],
        "test_lengths": LENGTHS[task],
        **TRAINING,
    }
    return Run(f"{cell}.seed{seed}", train_and_test, settings)


def measure(seeds: list[int], **_: Any) -> Findings:
    """Sum the stored outcomes up over their seeds."""
    stored = read_outcomes(STORED)
    found = []
    for task in LENGTHS:
        found.append(GUESSED.of(1 / TASKS[task].answers, task=task))
        for model in MODELS:
            made = [stored[f"{task}.{model}.seed{seed}"] for seed in seeds]
            at = {"task": task, "model": model}
            found.append(UPDATES.over_seeds([run["steps"] for run in made], seeds, **at))
            found.append(SIZE.of(made[0]["parameters"], **at))
            for index, where in enumerate(WHERE):
                accuracies = [run["accuracy"][index] for run in made]
                found.append(ACCURACY.over_seeds(accuracies, seeds, where=where, **at))
    for kind in PLACED_KINDS:
        for start in STARTS:
            cell = "recall.transformer" if (kind, start) == ("alibi", "unit") else f"recall.{kind}.{start}"
            accuracies = [stored[f"{cell}.seed{seed}"]["accuracy"][0] for seed in seeds]
            found.append(PLACED.over_seeds(accuracies, seeds, kind=kind, start=start))
    return Findings(tuple(found), tables=_tables())


def _tables():
    both = {
        f"{ASKED[task]}, {WHERE[where]}": ACCURACY.at(task=task, where=where)
        for task in LENGTHS
        for where in WHERE
    }
    models = rows("model", LABELS["model"])
    updates = {ASKED[task]: UPDATES.at(task=task) for task in LENGTHS}
    sizes = {ASKED[task]: SIZE.at(task=task) for task in LENGTHS}
    placed = {kind: KINDS[kind] for kind in PLACED_KINDS}
    return (
        table("transformer.tasks", "model", models, both),
        table("transformer.tasks_updates", "updates", models, updates),
        table("transformer.tasks_parameters", "parameters", models, sizes),
        table(
            "transformer.recall_positions",
            "positions",
            rows("kind", placed),
            {f"embeddings with {words}": PLACED.at(start=start) for start, (words, _) in STARTS.items()},
        ),
    )


EXPERIMENT = Experiment(
    name="transformer_tasks",
    question="What does recurrence do better than attention, and what does attention do better?",
    measure=measure,
    parameters=PARAMETERS,
    prefixes=("transformer",),
    studies=(
        Study(
            "transformer_tasks",
            "Two tasks of state and two of looking back, five models, within and beyond the trained length.",
            runs,
            tolerance={"accuracy": 0.3, "validation": 0.3, "steps": 1_000},
        ),
    ),
    scopes={
        "transformer.tasks.*": Scope(
            "Models of about as many parameters, at most {steps} updates of {batch} fresh sequences, Adam at "
            "{learning_rate}; {parity_within} tokens for parity "
            "and state, {copy_within} symbols to copy, {recall_within} pairs; beyond: {parity_beyond}, "
            "{copy_beyond} and {recall_beyond}; seeds {seeds}."
        )
    },
)
