"""Letters to sounds: a transformer against recurrent models of its size, with and without attention.

Five models of about as many parameters are taught the same words of the CMU Pronouncing Dictionary, in the
same orders, and then asked for words that none of them has met (`spelling_plan`). What they say is compared
with every listed pronunciation; any of them counts as right.

The trainings are a study: their outcomes are stored, and repeated by sample.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from attention_from_scratch.experiments import spelling_plan as plan
from attention_from_scratch.experiments.policies import COUNT
from measured.terms.experiment import Experiment, Findings
from measured.terms.family import Family
from measured.terms.measurement import Spread
from measured.terms.scope import Scope
from measured.terms.trial import Study, read_outcomes

STORED = Path(__file__).resolve().parents[3] / "tests" / "confirmations" / "spelling_comparison.json"

MODEL_WORDS = {
    "transformer": "transformer",
    "lstm": "LSTM",
    "lstm_attention": "LSTM with attention",
    "gru": "GRU",
    "gru_attention": "GRU with attention",
}
TOLERANCE = {
    "phoneme_error": 0.02,
    "word_error": 0.04,
    "phoneme_error_over_words": 0.002,
    "word_error_over_words": 0.002,
    "edits_by_length": 60,
    "sounds_by_length": 30,
    "wrong_by_length": 30,
    "loss": 0.02,
    "update_seconds": 1.0,
}
STORED_VALUE = Spread("stored outcomes of a study: they move when it is run again", k=3, floor=0.01)

PHONEME_ERROR = Family(
    "transformer.spelling.phoneme_error.{model}",
    "phoneme error of the {model} on held-out words, mean over seeds",
    STORED_VALUE,
    ".3f",
    labels={"model": MODEL_WORDS},
)
WORD_ERROR = Family(
    "transformer.spelling.word_error.{model}",
    "word error of the {model} on held-out words, mean over seeds",
    STORED_VALUE,
    ".3f",
    labels={"model": MODEL_WORDS},
)
PARAMETER_COUNT = Family(
    "transformer.spelling.parameters.{model}",
    "parameters of the {model}",
    COUNT,
    ",d",
    labels={"model": MODEL_WORDS},
)


def measure(seeds: list[int], **settings: Any) -> Findings:
    """Sum the stored outcomes up over their seeds."""
    stored = read_outcomes(STORED)
    found = []
    for model in plan.MODELS:
        made = [stored[plan.name_of(model, seed)] for seed in seeds]
        found += [
            PHONEME_ERROR.over_seeds([run["phoneme_error"] for run in made], seeds, model=model),
            WORD_ERROR.over_seeds([run["word_error"] for run in made], seeds, model=model),
            PARAMETER_COUNT.of(int(made[0]["parameters"]), model=model),
        ]
    return Findings(tuple(found))


EXPERIMENT = Experiment(
    name="spelling",
    question="Which of five models of one size says the fewest sounds of unknown words wrongly?",
    measure=measure,
    parameters=plan.PARAMETERS,
    prefixes=("transformer",),
    studies=(
        Study(
            "spelling_comparison",
            "Five spellers of one size, taught the same words, at the best rate of each.",
            plan.runs,
            tolerance=TOLERANCE,
        ),
        Study(
            "spelling_heads",
            "The transformer with fewer heads of keys and values than of queries.",
            lambda stored: plan.runs_with_fewer_heads(stored, read_outcomes(STORED)),
            tolerance=TOLERANCE,
        ),
        Study(
            "spelling_more_words",
            "The five spellers with five times the words, once each.",
            lambda stored: plan.runs_with_more_words(stored, read_outcomes(STORED)),
            tolerance=TOLERANCE,
        ),
    ),
    scopes={
        "transformer.spelling.*": Scope(
            "{training} training words, {passes} passes in batches of {batch}, each model at the best of the "
            "rates {rates} and their doubles where the highest is best, chosen with seed {rate_seed} in "
            "{rate_passes} passes; {test} held-out words, greedy decoding; seeds {seeds}."
        )
    },
)
