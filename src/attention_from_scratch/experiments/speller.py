"""The two spellers that run on the page: what they say, where the transformer looks, how it decodes.

The transformer of the comparison (`spelling`), and its LSTM without attention, are taught nearly all words
of the dictionary but the same held-out ones. Their weights are rounded to few levels, so that a browser has
less to fetch; everything here is measured on the rounded ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from attention_from_scratch.experiments import spelling_plan as plan
from attention_from_scratch.experiments.spelling_runs import summed_up, train_and_keep
from attention_from_scratch.tasks import spelling
from measured.terms.experiment import Experiment, Findings, Run
from measured.terms.family import Family
from measured.terms.measurement import Close
from measured.terms.scope import Scope

PARAMETERS: dict[str, Any] = {
    **plan.WORDS,
    "seed": 0,
    "training": 100_000,
    "passes": 5,
    "batch": 128,
    "levels": {"transformer": 24, "lstm": 12},
    "rates": {"transformer": 4e-3, "lstm": 3.2e-2},
}
MODEL_WORDS = {"transformer": "transformer", "lstm": "LSTM without attention"}
TRAINED = Close(
    "one training: its digits depend on the machine, and each word wrong or right is a step", atol=0.02
)

PHONEME_ERROR = Family(
    "transformer.speller.phoneme_error.{model}",
    "phoneme error of the page's {model} on held-out words",
    TRAINED,
    ".3f",
    labels={"model": MODEL_WORDS},
)
WORD_ERROR = Family(
    "transformer.speller.word_error.{model}",
    "word error of the page's {model} on held-out words",
    TRAINED,
    ".3f",
    labels={"model": MODEL_WORDS},
)


def runs() -> tuple[Run, ...]:
    """One training a model."""
    settings = {name: PARAMETERS[name] for name in (*plan.WORDS, "seed", "training", "passes", "batch")}
    return tuple(
        Run(
            model,
            train_and_keep,
            {
                "model": model,
                "sizes": plan.MODELS[model],
                "learning_rate": rate,
                "levels": PARAMETERS["levels"][model],
                **settings,
            },
            seconds=3_600.0,
            quick={"training": 1_280, "passes": 1},
        )
        for model, rate in PARAMETERS["rates"].items()
    )


def measure(runs: Mapping[str, Mapping[str, np.ndarray]], **p: Any) -> Findings:
    """Sum up what the two spellers say."""
    test = test_words(p)
    found = []
    for model, arrays in runs.items():
        errors = summed_up([spelling.sounds_of(row) for row in arrays["said"]], test)
        found += [
            PHONEME_ERROR.of(errors["phoneme_error"], model=model),
            WORD_ERROR.of(errors["word_error"], model=model),
        ]
    return Findings(tuple(found))


def test_words(p: Mapping[str, Any]) -> tuple[spelling.Word, ...]:
    """The held-out words, in the order in which the runs were asked for them."""
    counts = {name: p[name] for name in ("test", "validation", "training")}
    return spelling.split(spelling.words(p["version"], p["sha256"]), p["split_seed"], **counts).test


EXPERIMENT = Experiment(
    name="speller",
    question="What do the page's spellers say to words that they have not met, and where do they look?",
    measure=measure,
    parameters=PARAMETERS,
    prefixes=("transformer",),
    runs=runs(),
    scopes={
        "transformer.speller.*": Scope(
            "{training} training words, {passes} passes in batches of {batch}, one training each, seed "
            "{seed}, weights rounded to {levels} levels on either side of zero; {test} held-out words, "
            "greedy decoding."
        )
    },
)
