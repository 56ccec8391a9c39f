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

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from attention_from_scratch.experiments import transformer_tasks_plan as plan
from attention_from_scratch.experiments.policies import ARITHMETIC, COUNT
from attention_from_scratch.experiments.rate_trials import place_of, trials_table
from attention_from_scratch.experiments.transformer_tasks_trials import (
    FRESH_COPY,
    FRESH_COPY_APART,
    FRESH_PARITY,
    FRESH_PARITY_MOSTLY,
    FRESH_RECALL,
    FRESH_STATE,
)
from attention_from_scratch.tasks.order_blind import commonest_value
from attention_from_scratch.tasks.sequences import KEYS, TASKS
from measured.terms.claims import Claim, Verdict, above, below, every
from measured.terms.experiment import Cell, Experiment, Findings, Table
from measured.terms.family import Family
from measured.terms.measurement import Close, Measurement, Spread
from measured.terms.null import Null, becomes, instead, one_seed, swapped
from measured.terms.scope import Scope
from measured.terms.trial import Confirmation, Outcomes, Study, read_outcomes

STORED = Path(__file__).resolve().parents[3] / "tests" / "confirmations" / "transformer_tasks.json"

ASKED = {"parity": "parity", "state": "product of permutations", "copy": "copying", "recall": "recall"}
MODEL_WORDS = {
    "transformer": "transformer, ALiBi's positions",
    "sinusoidal": "transformer, sinusoidal positions",
    "linear": "linear attention",
    "lstm": "LSTM",
    "gru": "GRU",
    "simple_rnn": "SimpleRNN",
}
WHERE = {"within": "at the trained length", "beyond": "beyond it"}
ORDER_BLIND_DRAWS = 20_000
STORED_VALUE = Spread("stored outcomes of a study: they move when it is run again", k=4, floor=0.05)
A_TRIAL = Close("one stored outcome of a study", atol=0.3)
A_TRIAL_UPDATES = Close("one stored outcome of a study, looked at each hundred updates", atol=1_000)
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
TRIED = Family("transformer.tasks.tried.{task}.{model}.n{place}",
    "validation accuracy of {model} on {task} at the end of the trial at {rate}", A_TRIAL, ".2f",
    labels=LABELS)
TRIED_UPDATES = Family("transformer.tasks.tried_updates.{task}.{model}.n{place}",
    "updates after which {model} had solved {task} in the trial at {rate}", A_TRIAL_UPDATES, ",d",
    labels=LABELS)
ORDER_BLIND = Family("transformer.tasks.order_blind.recall.{where}",
    "accuracy of naming the commonest of the values read, {where}", ARITHMETIC, ".2f", labels=LABELS)
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
    for where, pairs in zip(WHERE, plan.LENGTHS["recall"], strict=True):
        drawn = TASKS["recall"].test(ORDER_BLIND_DRAWS, pairs, np.random.default_rng(pairs))
        found.append(ORDER_BLIND.of(commonest_value(drawn, KEYS), where=where))
    for (task, model), made in done.items():
        at = {"task": task, "model": model}
        found.append(UPDATES.over_seeds([run["steps"] for run in made], seeds, **at))
        found.append(SIZE.of(made[0]["parameters"], **at))
        found.append(RATE.of(plan.chosen_rate(stored, task, model), **at))
        found += _trials(stored, task, model)
        for index, where in enumerate(WHERE):
            accuracies = [run["accuracy"][index] for run in made]
            found.append(ACCURACY.over_seeds(accuracies, seeds, where=where, **at))
    tables = (*_tables(asked, list(done)), *_trials_tables(stored, asked, list(done)))
    return Findings(tuple(found), tables=tables)


def _trials(stored: Outcomes, task: str, model: str) -> Iterator[Measurement]:
    """What each rate gave that was tried: updates where the task was solved, and else the accuracy."""
    for rate in plan.rates_tried(stored, task, model):
        outcome = stored[plan.trial_name(task, model, rate)]
        at = {"task": task, "model": model, "place": place_of(rate), "rate": f"{rate:g}"}
        if plan.solved(outcome):
            yield TRIED_UPDATES.of(int(outcome["steps"]), **at)
        else:
            yield TRIED.of(outcome["validation"][-1], **at)


def _trials_tables(stored: Outcomes, asked: list[str], done: list[tuple[str, str]]) -> Iterator[Table]:
    """One a task. What decided over a rate is shown: updates where it was solved, and else the accuracy."""

    def cells(task: str, model: str) -> dict[float, Cell]:
        return {
            rate: (TRIED_UPDATES if plan.solved(stored[plan.trial_name(task, model, rate)]) else TRIED).cell(
                task=task, model=model, place=place_of(rate)
            )
            for rate in plan.rates_tried(stored, task, model)
        }

    for task in asked:
        models = {MODEL_WORDS[model]: model for of, model in done if of == task}
        yield trials_table(
            f"transformer.tasks_trials_{task}",
            ASKED[task],
            {words: cells(task, model) for words, model in models.items()},
            {words: RATE.cell(task=task, model=model) for words, model in models.items()},
        )


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
            )
            + (_guessing(columns.values()) if family is ACCURACY else ()),
        )


def _guessing(columns: Iterable[tuple[str, Any]]) -> tuple[tuple[Any, ...]]:
    """The row of who guesses."""
    return (("guessing", *(GUESSED.cell(task=task) for task, _ in columns)),)


RECURRENT = ["lstm", "gru", "simple_rnn"]
ATTENTION = ["transformer", "sinusoidal", "linear"]
OTHERS = [*RECURRENT, "linear", "sinusoidal"]


def _parity(found: Findings) -> Verdict:
    """Recurrent layers beyond the trained length; attention at it, where it is easier."""
    return every(
        above(ACCURACY.samples(found, task="parity", model=RECURRENT, where="beyond"), 0.95),
        below(ACCURACY.samples(found, task="parity", model="transformer", where="within"), 0.65),
    )


def _parity_mostly(found: Findings) -> Verdict:
    """After a fresh seed whose GRU and SimpleRNN carried it less far: what most seeds of each do."""
    at = {"task": "parity"}
    return every(
        above(_medians(found, RECURRENT, where="beyond", **at), 0.95),
        below(_medians(found, ["transformer"], where="within", **at), 0.65),
    )


def _medians(found: Findings, models: list[str], **at: str) -> dict[str, float]:
    return {m: median(ACCURACY.samples(found, model=m, **at).values()) for m in models}


def _within_only(found: Findings) -> Verdict:
    """After a look: neither was expected to learn parity at all."""
    at = {"task": "parity", "model": ["sinusoidal", "linear"]}
    return every(
        above(ACCURACY.samples(found, where="within", **at), 0.75),
        below(ACCURACY.samples(found, where="beyond", **at), 0.65),
    )


def _recall(found: Findings) -> Verdict:
    """Of most seeds: an earlier study saw one in three stay on its plateau."""
    at = {"task": "recall", "where": "within"}
    recalled = sorted(ACCURACY.samples(found, model="transformer", **at).values())
    return every(
        above({"median": recalled[len(recalled) // 2]}, 0.75),
        below(ACCURACY.samples(found, model=OTHERS, **at), 0.5),
    )


def _state(found: Findings) -> Verdict:
    """Recurrent layers beyond the trained length; attention at it, where it is easier."""
    return every(
        above(ACCURACY.samples(found, task="state", model=RECURRENT, where="beyond"), 0.9),
        below(ACCURACY.samples(found, task="state", model=ATTENTION, where="within"), 0.5),
    )


def _copy(found: Findings) -> Verdict:
    at = {"task": "copy", "where": "within"}
    return every(
        above(ACCURACY.samples(found, model=["sinusoidal", "linear"], **at), 0.95),
        below(ACCURACY.samples(found, model=[*RECURRENT, "transformer"], **at), 0.9),
    )


def _copy_recurrent(found: Findings) -> Verdict:
    at = {"task": "copy", "where": "within"}
    return every(
        above(ACCURACY.samples(found, model=["sinusoidal", "linear"], **at), 0.95),
        below(ACCURACY.samples(found, model=RECURRENT, **at), 0.9),
    )


def _copy_alibi(found: Findings) -> Verdict:
    """After a fresh seed that copied a little more."""
    return below(_medians(found, ["transformer"], task="copy", where="within"), 0.9)


def _copy_beyond(found: Findings) -> Verdict:
    """After a look: at the one rate of an earlier study the GRU was with those that fall."""
    at = {"task": "copy", "where": "beyond"}
    return every(
        above(ACCURACY.samples(found, model=COPIES_ON, **at), 0.15),
        below(ACCURACY.samples(found, model=STOPS_COPYING, **at), 0.1),
    )


COPIES_ON = ["transformer", "gru"]
STOPS_COPYING = ["sinusoidal", "linear", "lstm", "simple_rnn"]

PARITY_CARRIED_ON = "min(lstm_beyond, gru_beyond, simple_rnn_beyond) > 0.95 and transformer_within < 0.65"


def _not_carried_on(level: Callable[..., Null]) -> tuple[Null, ...]:
    """Worlds in which a recurrent layer carries no parity on, or the transformer answers as many.

    Args:
        level: puts a model's accuracy elsewhere, of one seed or of all.
    """
    of = "transformer.tasks.accuracy.parity"
    return (
        *(swapped(f"{of}.{model}.{{where}}", f"{of}.transformer.{{where}}") for model in RECURRENT),
        *(level(f"{of}.{model}.beyond", by="transformer.tasks.chance.parity") for model in RECURRENT),
        level(f"{of}.transformer.within", by=1.0),
    )


def _copied_alike(*others: str) -> tuple[Null, ...]:
    """Worlds in which another model copies as sinusoidal positions and linear attention do, or they as it.

    Args:
        others: models.
    """
    of, copying = "transformer.tasks.accuracy.copy", ("sinusoidal", "linear")
    return (
        *(swapped(f"{of}.{model}.within", f"{of}.{other}.within") for model in copying for other in others),
        *(one_seed(f"{of}.{model}.within", by="transformer.tasks.chance.copy") for model in copying),
        *(one_seed(f"{of}.{model}.within", by=1.0) for model in others),
    )


CLAIMS = (
    Claim(
        "transformer.tasks_parity",
        "every seed: LSTM, GRU and SimpleRNN answer more than 0.95 of the parities beyond the trained "
        "length, the transformer with ALiBi's positions less than 0.65 at the trained length",
        _parity,
        nulls=_not_carried_on(one_seed),
        confirmed_by=Confirmation(
            FRESH_PARITY,
            PARITY_CARRIED_ON,
        ),
    ),
    Claim(
        "transformer.tasks_parity_mostly",
        "most seeds: LSTM, GRU and SimpleRNN answer more than 0.95 of the parities beyond the trained "
        "length, the transformer with ALiBi's positions less than 0.65 at the trained length",
        _parity_mostly,
        nulls=_not_carried_on(becomes),
        confirmed_by=Confirmation(
            FRESH_PARITY_MOSTLY,
            PARITY_CARRIED_ON,
            least="most",
        ),
    ),
    Claim(
        "transformer.tasks_within_only",
        "every seed: the transformer with sinusoidal positions and linear attention answer more than 0.75 of "
        "the parities at the trained length, and less than 0.65 beyond it",
        _within_only,
        nulls=tuple(
            null
            for model in ("sinusoidal", "linear")
            for null in (
                swapped(
                    f"transformer.tasks.accuracy.parity.{model}.within",
                    f"transformer.tasks.accuracy.parity.{model}.beyond",
                ),
                instead(
                    f"transformer.tasks.accuracy.parity.{model}.within",
                    by="transformer.tasks.accuracy.parity.transformer.within",
                ),
                instead(
                    f"transformer.tasks.accuracy.parity.{model}.beyond",
                    by="transformer.tasks.accuracy.parity.lstm.beyond",
                ),
                one_seed(
                    f"transformer.tasks.accuracy.parity.{model}.within", by="transformer.tasks.chance.parity"
                ),
                one_seed(f"transformer.tasks.accuracy.parity.{model}.beyond", by=1.0),
            )
        ),
        confirmed_by=Confirmation(
            FRESH_PARITY,
            "min(sinusoidal_within, linear_within) > 0.75 and max(sinusoidal_beyond, linear_beyond) < 0.65",
        ),
    ),
    Claim(
        "transformer.tasks_state",
        "every seed: LSTM, GRU and SimpleRNN name more than 0.9 of the products beyond the trained length; "
        "the transformers with ALiBi's and with sinusoidal positions and linear attention name less than 0.5 "
        "at the trained length",
        _state,
        nulls=(
            *(
                swapped(
                    f"transformer.tasks.accuracy.state.{model}.{{where}}",
                    f"transformer.tasks.accuracy.state.{other}.{{where}}",
                )
                for model in RECURRENT
                for other in ATTENTION
            ),
            *(
                one_seed(
                    f"transformer.tasks.accuracy.state.{model}.beyond", by="transformer.tasks.chance.state"
                )
                for model in RECURRENT
            ),
            *(one_seed(f"transformer.tasks.accuracy.state.{model}.within", by=1.0) for model in ATTENTION),
        ),
        confirmed_by=Confirmation(
            FRESH_STATE,
            "min(lstm_beyond, gru_beyond, simple_rnn_beyond) > 0.9 "
            "and max(transformer_within, sinusoidal_within, linear_within) < 0.5",
        ),
    ),
    Claim(
        "transformer.tasks_copy",
        "every seed: the transformer with sinusoidal positions and linear attention copy more than 0.95 of "
        "the symbols at the trained number; LSTM, GRU, SimpleRNN and the transformer with ALiBi's positions "
        "less than 0.9",
        _copy,
        nulls=_copied_alike(*RECURRENT, "transformer"),
        confirmed_by=Confirmation(
            FRESH_COPY,
            "min(sinusoidal_within, linear_within) > 0.95 "
            "and max(transformer_within, lstm_within, gru_within, simple_rnn_within) < 0.9",
        ),
    ),
    Claim(
        "transformer.tasks_copy_recurrent",
        "every seed: the transformer with sinusoidal positions and linear attention copy more than 0.95 of "
        "the symbols at the trained number; LSTM, GRU and SimpleRNN less than 0.9",
        _copy_recurrent,
        nulls=_copied_alike(*RECURRENT),
        confirmed_by=Confirmation(
            FRESH_COPY_APART,
            "min(sinusoidal_within, linear_within) > 0.95 "
            "and max(lstm_within, gru_within, simple_rnn_within) < 0.9",
        ),
    ),
    Claim(
        "transformer.tasks_copy_alibi",
        "most seeds of the transformer with ALiBi's positions copy less than 0.9 of the symbols at the "
        "trained number",
        _copy_alibi,
        nulls=(
            becomes("transformer.tasks.accuracy.copy.transformer.within", by=1.0),
            instead(
                "transformer.tasks.accuracy.copy.transformer.within",
                by="transformer.tasks.accuracy.copy.sinusoidal.within",
            ),
        ),
        confirmed_by=Confirmation(FRESH_COPY_APART, "transformer_within < 0.9", least="most"),
    ),
    Claim(
        "transformer.tasks_copy_beyond",
        "every seed: the transformer with ALiBi's positions and the GRU copy more than 0.15 of the symbols "
        "beyond the trained number; the transformer with sinusoidal positions, linear attention, LSTM and "
        "SimpleRNN less than 0.1",
        _copy_beyond,
        nulls=(
            *(
                swapped(
                    f"transformer.tasks.accuracy.copy.{model}.beyond",
                    f"transformer.tasks.accuracy.copy.{other}.beyond",
                )
                for model in COPIES_ON
                for other in STOPS_COPYING
            ),
            *(
                one_seed(
                    f"transformer.tasks.accuracy.copy.{model}.beyond", by="transformer.tasks.chance.copy"
                )
                for model in COPIES_ON
            ),
            *(one_seed(f"transformer.tasks.accuracy.copy.{model}.beyond", by=1.0) for model in STOPS_COPYING),
        ),
        confirmed_by=Confirmation(
            FRESH_COPY,
            "min(transformer_beyond, gru_beyond) > 0.15 "
            "and max(sinusoidal_beyond, linear_beyond, lstm_beyond, simple_rnn_beyond) < 0.1",
        ),
    ),
    Claim(
        "transformer.tasks_recall",
        "most seeds of the transformer with ALiBi's positions recall more than 0.75 at the trained number of "
        "pairs; no seed of the one with sinusoidal positions, of linear attention, LSTM, GRU and SimpleRNN "
        "more than half",
        _recall,
        nulls=(
            *(
                swapped(
                    f"transformer.tasks.accuracy.recall.{model}.within",
                    "transformer.tasks.accuracy.recall.transformer.within",
                )
                for model in OTHERS
            ),
            *(one_seed(f"transformer.tasks.accuracy.recall.{model}.within", by=1.0) for model in OTHERS),
            becomes("transformer.tasks.accuracy.recall.transformer.within", by=0.3),
        ),
        confirmed_by=Confirmation(
            FRESH_RECALL,
            "transformer_within > 0.75 and max("
            "sinusoidal_within, linear_within, lstm_within, gru_within, simple_rnn_within) < 0.5",
            least="most",
        ),
    ),
)

EXPERIMENT = Experiment(
    name="transformer_tasks",
    question="What does recurrence do better than attention, and what does attention do better?",
    measure=measure,
    parameters=plan.PARAMETERS,
    prefixes=("transformer",),
    claims=CLAIMS,
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
            "{parity_steps} updates for parity, {state_steps} for the product of permutations, {copy_steps} "
            "for copying and {recall_steps} for recall, Adam with a warm-up over {warm_up}, gradients "
            "clipped at a norm of {clip_norm}, each model on each task at the best of the rates {rates} "
            "and their neighbours where the best is at an end, chosen with seed {rate_seed}; "
            "{parity_within} flips, {state_within} permutations, {copy_within} symbols and {recall_within} "
            "pairs; beyond: {parity_beyond}, {state_beyond}, {copy_beyond} and {recall_beyond}; seeds "
            "{seeds}.",
            seeds=("seeds",),
        )
    },
)
