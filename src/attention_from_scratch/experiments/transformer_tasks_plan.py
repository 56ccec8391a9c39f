"""What `transformer_tasks` trains: six models of one size on four tasks, each at a rate of its own.

Two tasks ask for a state after each token (parity; the product of permutations of three things), two for what
was read (copying; recall of values by keys, with many questions a sequence). Models of about as many
parameters: transformers of two blocks with ALiBi's and with sinusoidal positions, linear attention, and an
LSTM, a GRU and a SimpleRNN of one layer. ALiBi lowers scores before a softmax, which linear attention
(Katharopoulos et al. 2020, arXiv:2006.16236) has not; its positions are sinusoidal.

Each model is tuned on each task in the same way: one training a rate, with the whole budget, from a seed that
is not reported. The best is the one that solves the task after the fewest updates or, where none does, has
the highest validation accuracy at the end; a best rate at an end of those tried is not the end (`rates`).
Validation sequences have the trained length: nothing is chosen by what lies beyond. Then five seeds at that
rate. A training ends when its validation accuracy reaches a bound, or with the budget, one a task. Seeds,
rates and rule were fixed before anything of this was trained. So were the budgets, 2,000 updates; those of
copying and recall were halved, for want of time, when parity and most of the product had been trained and
nothing of those two.

An earlier study, whose outcomes are replaced by this one, trained the same models at one rate (0.003) from
three seeds.

After a look, at one seed that is not reported: recall stayed on its plateau as long as embeddings started as
Keras starts them, some thirty-five times smaller than what the layers add to them. So all embeddings start
with variance 1 here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from attention_from_scratch.experiments import rates
from attention_from_scratch.experiments.sequence_runs import train_and_test
from measured.terms.experiment import Run
from measured.terms.trial import Outcomes

BLOCKS = {"blocks": 2, "width": 32, "num_heads": 4, "feed_forward": 64, "norm": "before", "longest": 64}
MODELS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "transformer": ("transformer", {**BLOCKS, "positions": "alibi"}),
    "sinusoidal": ("transformer", {**BLOCKS, "positions": "sinusoidal"}),
    "linear": ("transformer", {**BLOCKS, "positions": "sinusoidal", "linear": True}),
    "lstm": ("lstm", {"width": 46}),
    "gru": ("gru", {"width": 53}),
    "simple_rnn": ("simple_rnn", {"width": 92}),
}
STEPS = {"parity": 2_000, "state": 2_000, "copy": 1_000, "recall": 1_000}
LENGTHS = {"parity": [16, 48], "state": [16, 48], "copy": [8, 16], "recall": [4, 8]}

TRAINING: dict[str, Any] = {
    "steps_between": 100,
    "batch": 32,
    "warm_up": 100,
    "clip_norm": 1.0,
    "stop_at": 0.995,
    "validation": 500,
    "test": 1_000,
}
PARAMETERS: dict[str, Any] = {
    "seeds": [0, 1, 2, 3, 4],
    "rate_seed": 100,
    "rates": list(rates.FIRST),
    **TRAINING,
    **{f"{task}_steps": steps for task, steps in STEPS.items()},
    **{
        f"{task}_{where}": n
        for task, at in LENGTHS.items()
        for where, n in zip(("within", "beyond"), at, strict=True)
    },
}
CELLS = [(task, model) for task in LENGTHS for model in MODELS]


def runs(stored: Outcomes, p: Mapping[str, Any] = PARAMETERS) -> list[Run]:
    """All trainings that can be named so far, model by model within each task."""
    return [run for task, model in CELLS for run in _of_cell(stored, task, model, p)]


def _of_cell(stored: Outcomes, task: str, model: str, p: Mapping[str, Any]) -> Iterator[Run]:
    for rate in rates_tried(stored, task, model, p):
        yield Run(trial_name(task, model, rate), train_and_test, settings(task, model, p["rate_seed"], rate))
    chosen = chosen_rate(stored, task, model, p)
    if chosen is not None:
        for seed in p["seeds"]:
            yield Run(name_of(task, model, seed), train_and_test, settings(task, model, seed, chosen))


def rates_tried(stored: Outcomes, task: str, model: str, p: Mapping[str, Any] = PARAMETERS) -> list[float]:
    """Those that are tried, as far as they can be named; in rising order."""
    return rates.rates_tried(_merit(stored, task, model), p["rates"])


def chosen_rate(stored: Outcomes, task: str, model: str, p: Mapping[str, Any] = PARAMETERS) -> float | None:
    """The best of the rates tried; None before all have been."""
    return rates.chosen_rate(_merit(stored, task, model), p["rates"])


def _merit(stored: Outcomes, task: str, model: str) -> rates.Merit:
    """Solved, then early; where it is not solved, the accuracy at the end. Who diverged is last."""

    def merit(rate: float) -> tuple[float, float] | None:
        outcome = stored.get(trial_name(task, model, rate))
        if outcome is None:
            return None
        if solved(outcome):
            return 1.0, -outcome["steps"]
        return 0.0, -1.0 if outcome["diverged"] else outcome["validation"][-1]

    return merit


def solved(outcome: Mapping[str, Any]) -> bool:
    """Whether a training ended because its validation accuracy had reached the bound."""
    return not outcome["diverged"] and outcome["validation"][-1] >= TRAINING["stop_at"]


def trial_name(task: str, model: str, rate: float) -> str:
    """What a trial of a rate is stored under."""
    return f"rate.{task}.{model}.r{rate:g}"


def name_of(task: str, model: str, seed: int) -> str:
    """What a reported training is stored under."""
    return f"{task}.{model}.seed{seed}"


def settings(task: str, model: str, seed: int, rate: float) -> dict[str, Any]:
    """Of `train_and_test`."""
    kind, options = MODELS[model]
    return {
        "seed": seed,
        "task": task,
        "model": kind,
        "options": dict(options),
        "length": LENGTHS[task][0],
        "test_lengths": LENGTHS[task],
        "steps": STEPS[task],
        "learning_rate": rate,
        **TRAINING,
    }
