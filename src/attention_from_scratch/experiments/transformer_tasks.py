"""The question: what does recurrence do better than attention, and what does attention do better.

Drawn: two tasks that ask for a state after each token (parity; the product of permutations of three things),
and two that ask for what was read (copying; recall of values by keys, with many questions a sequence). Models
of about as many parameters: transformers of two blocks with ALiBi's and with sinusoidal positions, linear
attention, and an LSTM, a GRU and a SimpleRNN of one layer. ALiBi lowers scores before a softmax, which linear
attention (Katharopoulos et al. 2020, arXiv:2006.16236) has not; its positions are sinusoidal.

Tested at the trained length and beyond. What is trained, and how rates are chosen, stands in
`transformer_tasks_plan`.

Refuted, if one kind of model were the best at all tasks.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from attention_from_scratch.experiments import transformer_tasks_plan as plan
from attention_from_scratch.experiments.policies import ARITHMETIC, COUNT
from attention_from_scratch.tasks.sequences import TASKS
from measured.terms.experiment import Experiment, Findings, Table
from measured.terms.family import Family
from measured.terms.measurement import Spread
from measured.terms.scope import Scope
from measured.terms.trial import Study, read_outcomes

STORED = Path(__file__).resolve().parents[3] / "tests" / "confirmations" / "transformer_tasks.json"

ASKED = {"parity": "parity", "state": "state", "copy": "copying", "recall": "recall"}
MODEL_WORDS = {
    "transformer": "transformer, ALiBi's positions",
    "sinusoidal": "transformer, sinusoidal positions",
    "linear": "linear attention",
    "lstm": "LSTM",
    "gru": "GRU",
    "simple_rnn": "SimpleRNN",
}
WHERE = {"within": "at the trained length", "beyond": "beyond it"}
STORED_VALUE = Spread("stored outcomes of a study: they move when it is run again", k=4, floor=0.05)
LABELS = {"task": ASKED, "model": MODEL_WORDS, "where": WHERE}

# fmt: off
ACCURACY = Family("transformer.tasks.accuracy.{task}.{model}.{where}",
    "accuracy of {model} on {task}, {where}, mean over seeds", STORED_VALUE, ".2f", labels=LABELS)
UPDATES = Family("transformer.tasks.updates.{task}.{model}",
    "updates made by {model} on {task}, all of them where it is not solved, mean over seeds",
    Spread("stored outcomes of a study", k=4, floor=200), ",.0f", labels=LABELS)
SIZE = Family("transformer.tasks.parameters.{task}.{model}", "parameters of {model} on {task}",
    COUNT, ",d", labels=LABELS)
RATE = Family("transformer.tasks.rate.{task}.{model}", "rate that the trials chose for {model} on {task}",
    COUNT, "g", labels=LABELS)
GUESSED = Family("transformer.tasks.chance.{task}", "accuracy of guessing on {task}", ARITHMETIC, ".2f",
    labels=LABELS)
# fmt: on


def measure(seeds: list[int], **_: Any) -> Findings:
    """Sum up each model on each task, once all of its seeds have been trained."""
    stored = read_outcomes(STORED)
    names = {cell: [plan.name_of(*cell, seed) for seed in seeds] for cell in plan.CELLS}
    done = {cell: [stored[n] for n in names[cell]] for cell in names if set(names[cell]) <= set(stored)}
    asked = [task for task in plan.LENGTHS if any(task == of for of, _ in done)]
    found = [GUESSED.of(1 / TASKS[task].answers, task=task) for task in asked]
    for (task, model), made in done.items():
        at = {"task": task, "model": model}
        found.append(UPDATES.over_seeds([run["steps"] for run in made], seeds, **at))
        found.append(SIZE.of(made[0]["parameters"], **at))
        found.append(RATE.of(plan.chosen_rate(stored, task, model), **at))
        for index, where in enumerate(WHERE):
            accuracies = [run["accuracy"][index] for run in made]
            found.append(ACCURACY.over_seeds(accuracies, seeds, where=where, **at))
    return Findings(tuple(found), tables=tuple(_tables(asked, list(done))))


def _tables(asked: list[str], done: list[tuple[str, str]]) -> Iterator[Table]:
    """Models by tasks; what the study has not trained yet is said."""
    both = [(task, where) for task in asked for where in WHERE]
    for name, columns, family in (
        (
            "tasks",
            {f"{ASKED[task]}, {WHERE[where]}": (task, {"where": where}) for task, where in both},
            ACCURACY,
        ),
        ("tasks_updates", {ASKED[task]: (task, {}) for task in asked}, UPDATES),
        ("tasks_rates", {ASKED[task]: (task, {}) for task in asked}, RATE),
        ("tasks_parameters", {ASKED[task]: (task, {}) for task in asked}, SIZE),
    ):
        yield Table(
            f"transformer.{name}",
            ("model", *columns),
            tuple(
                (
                    words,
                    *(
                        family.cell(task=task, model=model, **at)
                        if (task, model) in done
                        else "not trained yet"
                        for task, at in columns.values()
                    ),
                )
                for model, words in LABELS["model"].items()
                if any(model == of for _, of in done)
            ),
        )


EXPERIMENT = Experiment(
    name="transformer_tasks",
    question="What does recurrence do better than attention, and what does attention do better?",
    measure=measure,
    parameters=plan.PARAMETERS,
    prefixes=("transformer",),
    studies=(
        Study(
            "transformer_tasks",
            "Two tasks of state and two of looking back, six models, within and beyond the trained length.",
            plan.runs,
            tolerance={"accuracy": 0.3, "validation": 0.3, "steps": 2_000},
        ),
    ),
    scopes={
        "transformer.tasks.*": Scope(
            "Models of about as many parameters, fresh sequences in batches of {batch}, at most "
            "{parity_steps} updates for parity, {state_steps} for the product of permutations, {copy_steps} for "
            "copying and {recall_steps} for recall, Adam with a warm-up over {warm_up}, gradients clipped at a norm of {clip_norm}, each "
            "model on each task at the best of the rates {rates} and their neighbours where the best is at "
            "an end, chosen with seed {rate_seed}; {parity_within} flips, {state_within} permutations, "
            "{copy_within} symbols and {recall_within} pairs; beyond: {parity_beyond}, {state_beyond}, "
            "{copy_beyond} and {recall_beyond}; seeds {seeds}."
        )
    },
)
