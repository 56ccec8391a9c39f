"""The page's speller from other seeds, and beside it the model that led the comparison.

The build trains the speller of the page from one seed. Here it is taught from four others, on the same
words, and its weights rounded to the same levels. Beside it stands the LSTM with attention, which led the
comparison on a fifth of the words (`spelling`), at the rate that was chosen for it there, on all of these
words, from the same seeds. Neither rate is chosen anew for the larger set, for either.

Sizes, seeds and rates were fixed before anything of this was trained. Refuted, if a seed of the transformer
erred more than eleven in a hundred sounds. Which of the two errs less was open.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from attention_from_scratch.experiments import spelling_plan as plan
from attention_from_scratch.experiments.policies import COUNT
from attention_from_scratch.experiments.spelling_runs import summed_up, taught
from attention_from_scratch.quantised import rounded
from attention_from_scratch.tasks import spelling
from measured.terms.experiment import Experiment, Findings, Run
from measured.terms.family import Family, rows, table
from measured.terms.measurement import Measurement, Spread
from measured.terms.scope import Scope
from measured.terms.trial import Outcomes, Study, read_outcomes

STORED = Path(__file__).resolve().parents[3] / "tests" / "confirmations" / "speller_seeds.json"
PARAMETERS: dict[str, Any] = {
    **plan.WORDS,
    "seeds": [1, 2, 3, 4],
    "training": 100_000,
    "passes": 5,
    "batch": 128,
    "levels": 24,
    "rates": {"transformer": 4e-3, "lstm_attention": 3.2e-2},
}

MODEL_WORDS = {"transformer": "transformer", "lstm_attention": "LSTM with attention"}
LABELS = {"model": MODEL_WORDS}
STORED_VALUE = Spread("stored outcomes of a study: they move when it is run again", k=3, floor=0.01)

# fmt: off
PHONEME_ERROR = Family("transformer.speller.seeds.phoneme_error.{model}",
    "phoneme error of the {model} on held-out words, its weights rounded, mean over seeds",
    STORED_VALUE, ".3f", labels=LABELS)
WORD_ERROR = Family("transformer.speller.seeds.word_error.{model}",
    "word error of the {model} on held-out words, its weights rounded, mean over seeds",
    STORED_VALUE, ".3f", labels=LABELS)
BEFORE_ROUNDING = Family("transformer.speller.seeds.before_rounding.{model}",
    "phoneme error of the {model} on held-out words before its weights are rounded, mean over seeds",
    STORED_VALUE, ".3f", labels=LABELS)
SEED_COUNT = Family("transformer.speller.seeds.count.{model}", "seeds that the {model} has been trained from",
    COUNT, "d", labels=LABELS)
# fmt: on
KEPT = (
    (PHONEME_ERROR, "phoneme_error"),
    (WORD_ERROR, "word_error"),
    (BEFORE_ROUNDING, "phoneme_error_before"),
)


def runs(stored: Outcomes) -> list[Run]:
    """Every training, a model after the other; none depends on another."""
    shared = {name: PARAMETERS[name] for name in (*plan.WORDS, "training", "passes", "batch", "levels")}
    return [
        Run(
            f"{model}.seed{seed}",
            train_and_round,
            {"model": model, "sizes": plan.MODELS[model], "learning_rate": rate, "seed": seed, **shared},
        )
        for model, rate in PARAMETERS["rates"].items()
        for seed in PARAMETERS["seeds"]
    ]


def train_and_round(levels: int, **settings: Any) -> dict[str, Any]:
    """Teach one speller; count what it says wrongly before and after its weights are rounded.

    Args:
        levels: to which the weights are rounded (`quantised`).
        settings: of `spelling_runs.taught`.
    """
    trainer, words, losses = taught(**settings)
    from attention_from_scratch.models.spellers import greedy, weights_of

    letters = spelling.letter_tokens([word.letters for word in words.test])

    def errors() -> dict[str, Any]:
        said = greedy(trainer.model, letters)
        return summed_up([spelling.sounds_of(row) for row in said], words.test)

    before = errors()
    trainer.model.set_weights(list(rounded(weights_of(trainer.model), levels).values()))
    after = errors()
    return {
        "phoneme_error": after["phoneme_error"],
        "word_error": after["word_error"],
        "phoneme_error_before": before["phoneme_error"],
        "word_error_before": before["word_error"],
        "parameters": int(trainer.model.count_params()),
        "loss": float(losses[-1]),
    }


def measure(seeds: list[int], rates: dict[str, float], **_: Any) -> Findings:
    """Sum up each model, once two of its seeds have been trained."""
    stored = read_outcomes(STORED)
    found: list[Measurement] = []
    told = {}
    for model in rates:
        done = [seed for seed in seeds if f"{model}.seed{seed}" in stored]
        found.append(SEED_COUNT.of(len(done), model=model))
        if len(done) > 1:
            told[model] = MODEL_WORDS[model]
            found += _summed_up(model, [stored[f"{model}.seed{seed}"] for seed in done], done)
    columns = {
        "phoneme error": PHONEME_ERROR,
        "before rounding": BEFORE_ROUNDING,
        "word error": WORD_ERROR,
        "seeds": SEED_COUNT,
    }
    return Findings(tuple(found), tables=(table("speller.seeds", "model", rows("model", told), columns),))


def _summed_up(model: str, made: list[Any], seeds: list[int]) -> Iterator[Measurement]:
    for family, kept in KEPT:
        yield family.over_seeds([outcome[kept] for outcome in made], seeds, model=model)


EXPERIMENT = Experiment(
    name="speller_seeds",
    question="Is what the page's speller errs a matter of its seed?",
    measure=measure,
    parameters=PARAMETERS,
    prefixes=("transformer",),
    studies=(
        Study(
            "speller_seeds",
            "The page's transformer from other seeds, and the LSTM with attention on as many words.",
            runs,
            tolerance={
                "phoneme_error": 0.02,
                "word_error": 0.04,
                "phoneme_error_before": 0.02,
                "word_error_before": 0.04,
                "loss": 0.02,
            },
        ),
    ),
    scopes={
        "transformer.speller.seeds.*": Scope(
            "{training} training words, {passes} passes in batches of {batch}, rates {rates} as chosen on "
            "fewer words, weights rounded to {levels} levels; {test} held-out words, greedy decoding; "
            "seeds {seeds}."
        )
    },
)
