"""The two spellers that run on the page: what they say, where the transformer looks, how it decodes.

The transformer of the comparison (`spelling`) is taught nearly all words of the dictionary but the held-out
ones. Its LSTM without attention stands beside it as the comparison has it, taught fewer words. Their weights
are rounded to few levels, so that a browser has less to fetch; everything here is measured on the rounded
ones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attention_from_scratch.experiments import speller_measures as measures
from attention_from_scratch.experiments import spelling_plan as plan
from attention_from_scratch.experiments.speller_measures import measure
from attention_from_scratch.experiments.speller_trials import ask, ask_about_the_e
from attention_from_scratch.experiments.spelling_runs import train_and_keep
from measured.terms.claims import Claim, Verdict, above, below, equal, every
from measured.terms.experiment import Experiment, Findings, Run
from measured.terms.null import becomes, instead
from measured.terms.scope import Scope
from measured.terms.trial import Confirmation, Trial

PARAMETERS: dict[str, Any] = {
    **plan.WORDS,
    "seed": 0,
    "words": 100_000,
    "times": 5,
    "lstm_words": plan.PARAMETERS["training"],
    "lstm_times": plan.PARAMETERS["passes"],
    "batch": 128,
    "levels": {"transformer": 24, "lstm": 12},
    "rates": {"transformer": 4e-3, "lstm": 3.2e-2},
    "beams": [1, 5],
    "beam_words": 1_000,
    "key_value_heads": [2, 1],
    "drawn": ["knightly", "wrote", "skate", "sympathize"],
}


def runs() -> tuple[Run, ...]:
    """One training a model."""
    settings = {name: PARAMETERS[name] for name in (*plan.WORDS, "seed", "batch")}
    return tuple(
        Run(
            model,
            train_and_keep,
            {
                "model": model,
                "sizes": plan.MODELS[model],
                "learning_rate": rate,
                "levels": PARAMETERS["levels"][model],
                "training": PARAMETERS["lstm_words" if model == "lstm" else "words"],
                "passes": PARAMETERS["lstm_times" if model == "lstm" else "times"],
                **settings,
            },
            # None smaller for a first look: who says no word rightly has nothing that could be measured.
            seconds=3_600.0,
        )
        for model, rate in PARAMETERS["rates"].items()
    )


def _few_errors(found: Findings) -> Verdict:
    return below({"transformer": measures.PHONEME_ERROR.value(found, model="transformer")}, 0.11)


def _small_enough(found: Findings) -> Verdict:
    return below({"bytes": measures.BYTES.value(found, model="both")}, 250_000)


def _later_sounds_change_nothing(found: Findings) -> Verdict:
    return equal(measures.CHANGED.values(found), 0)


def _cache_is_equal_to_rounding(found: Findings) -> Verdict:
    """What is left at twice the digits tells rounding from a small mistake."""
    apart = {dtype: family.value(found) for dtype, family in measures.CACHE_DIFFERENCE.items()}
    return every(
        below({"float32": apart["float32"]}, 1e-4),
        below({"float64": apart["float64"]}, 1e-12),
        below({"the same to the last bit": measures.SAME_BITS.value(found, dtype="float32")}, 0.9),
    )


def _likelier_is_not_righter(found: Findings) -> Verdict:
    most, one = PARAMETERS["beams"][-1], PARAMETERS["beams"][0]
    gained = measures.BEAM_PHONEME_ERROR.value(found, beams=one) - measures.BEAM_PHONEME_ERROR.value(
        found, beams=most
    )
    return every(
        above({"words": measures.LIKELIER.value(found, beams=most)}, 0.01),
        below({"change": abs(gained)}, 0.01),
    )


def _believes_what_is_wrong(found: Findings) -> Verdict:
    return above({"believed": measures.BELIEVED.value(found)}, 0.75)


def _weights_name_what_is_needed(found: Findings) -> Verdict:
    named = measures.AGREES.value(found, block=measures.BLOCKS[-1], head="mean")
    return above({"above the place alone": named - measures.BY_PLACE.value(found)}, 0.1)


def _silent_letters_are_looked_at_less(found: Findings) -> Verdict:
    looked = {kind: measures.LOOKED_AT.value(found, letters=kind) for kind in measures.LETTER_WORDS}
    return above({kind: looked["all"] - looked[kind] for kind in ("silent", "final_e")}, 0.1)


def _weights_mislead_about_the_e(weight: float, transplanted: float) -> Callable[[Findings], Verdict]:
    def predicate(found: Findings) -> Verdict:
        share = {what: measures.FINAL_E.value(found, what=what) for what in measures.FINAL_E_WORDS}
        return every(
            below({"weight on the e": share["weight"]}, weight),
            above({"struck": share["changed_without"]}, 0.75),
            below({"hidden": share["changed_when_hidden"]}, 0.25),
            above({"transplanted": share["changed_by_transplant"]}, transplanted),
        )

    return predicate


def _mislead_from_a_seed(weight: float, transplanted: float) -> str:
    return (
        f"weight < {weight} and changed_without > 0.75 and changed_when_hidden < 0.25 "
        f"and changed_by_transplant > {transplanted}"
    )


FRESH = Trial(
    "page_spellers_fresh_seeds",
    "Taught again from a fresh seed, do the page's spellers say, look and decode as the page tells?",
    ask,
    {name: value for name, value in PARAMETERS.items() if name not in ("seed", "drawn")},
    tolerance={
        **dict.fromkeys(("phoneme_error", "beams_change"), 0.02),
        **dict.fromkeys(("likelier", "believed", "named", "by_place"), 0.1),
        **dict.fromkeys((f"looked_at_{kind}" for kind in measures.LETTER_WORDS), 0.15),
        **dict.fromkeys(measures.FINAL_E_WORDS, 0.2),
        **{"bytes": 8_000, "same_bits": 0.3, "cache_float32": 5e-5, "cache_float64": 1e-13},
    },
)
# Four of the first seven fresh seeds failed a claim with bounds of a fifth and three fifths; what is said in
# its place, with bounds chosen after that look, is put to others.
THE_E = Trial(
    "silent_e_mostly",
    "Taught again from a fresh seed, what does a vowel's look make of the silent e behind its consonant?",
    ask_about_the_e,
    {
        **plan.WORDS,
        "words": PARAMETERS["words"],
        "times": PARAMETERS["times"],
        "rate": PARAMETERS["rates"]["transformer"],
        "batch": PARAMETERS["batch"],
        "levels": PARAMETERS["levels"]["transformer"],
    },
    tolerance=dict.fromkeys(measures.FINAL_E_WORDS, 0.2),
)
AT_FIRST, AFTER_A_LOOK = ({"weight": 0.2, "transplanted": 0.6}, {"weight": 0.25, "transplanted": 0.5})
NOT_ABOUT_THE_E = (
    instead("transformer.final_e.changed_without", by="transformer.final_e.changed_when_hidden"),
    instead("transformer.final_e.changed_when_hidden", by="transformer.final_e.changed_without"),
    instead("transformer.final_e.changed_by_transplant", by="transformer.final_e.changed_when_hidden"),
    instead("transformer.final_e.weight", by="transformer.final_e.weight_on_vowel"),
)
CLAIMS = (
    Claim(
        "transformer.speller_errs_little",
        "the page's transformer says less than 11% of the sounds of held-out words wrongly",
        _few_errors,
        nulls=(
            instead(
                "transformer.speller.phoneme_error.transformer",
                by="transformer.speller.phoneme_error.lstm",
            ),
        ),
        confirmed_by=Confirmation(FRESH, "phoneme_error < 0.11"),
    ),
    Claim(
        "transformer.speller_is_small",
        "both models together take less than a quarter of a megabyte",
        _small_enough,
        nulls=(becomes("transformer.speller.bytes.both", by=300_000.0),),
        confirmed_by=Confirmation(FRESH, "bytes < 250_000"),
    ),
    Claim(
        "transformer.causal_to_the_last_bit",
        "no logit changes, to the last bit, when later sounds are replaced by others",
        _later_sounds_change_nothing,
        nulls=(becomes("transformer.causal.changed.{model}", by=1.0),),
        confirmed_by=Confirmation(FRESH, "logits_changed == 0"),
    ),
    Claim(
        "transformer.cache_equals_rounding",
        "with a cache the logits are the same to rounding, in float32 and float64, and not to the last bit",
        _cache_is_equal_to_rounding,
        nulls=(
            becomes("transformer.cache.max_difference.float64", by=1e-6),
            becomes("transformer.cache.max_difference.float32", by=0.01),
            becomes("transformer.cache.same_bits.float32", by=1.0),
        ),
        confirmed_by=Confirmation(
            FRESH, "cache_float32 < 1e-4 and cache_float64 < 1e-12 and same_bits < 0.9"
        ),
    ),
    Claim(
        "transformer.likelier_is_not_righter",
        "more beams find likelier answers for more than one word in a hundred, and the phoneme error changes "
        "by less than one percentage point",
        _likelier_is_not_righter,
        nulls=(
            becomes("transformer.beam.likelier.b5", by=0.0),
            becomes("transformer.beam.phoneme_error.b5", by=0.0),
            becomes("transformer.beam.phoneme_error.b5", by=0.5),
        ),
        confirmed_by=Confirmation(FRESH, "likelier > 0.01 and abs(beams_change) < 0.01"),
    ),
    Claim(
        "transformer.wrong_words_are_believed",
        "of the words that it says wrongly the speller finds its own answer likelier than each listed one in "
        "more than three quarters",
        _believes_what_is_wrong,
        nulls=(becomes("transformer.beam.believed", by=0.5),),
        confirmed_by=Confirmation(FRESH, "believed > 0.75"),
    ),
    Claim(
        "transformer.weights_name_letters",
        "the letter that the last block looks at most is the one whose hiding costs a sound most, more often "
        "than the letter at the same place is",
        _weights_name_what_is_needed,
        nulls=(instead("transformer.alignment.agrees.b2.mean", by="transformer.alignment.by_place"),),
        confirmed_by=Confirmation(FRESH, "named - by_place > 0.1"),
    ),
    Claim(
        "transformer.silent_letters",
        "letters that are not heard are looked at less than letters are as a rule",
        _silent_letters_are_looked_at_less,
        nulls=(
            instead("transformer.alignment.looked_at.silent", by="transformer.alignment.looked_at.all"),
            instead("transformer.alignment.looked_at.final_e", by="transformer.alignment.looked_at.all"),
        ),
        confirmed_by=Confirmation(FRESH, "looked_at_all - max(looked_at_silent, looked_at_final_e) > 0.1"),
    ),
    Claim(
        "transformer.weights_mislead_about_the_e",
        "a long vowel gives the silent e behind its consonant less than a fifth of its weight, and hiding "
        "the e from the decoder changes the vowel in less than a quarter of the words; striking the e "
        "changes it in more than three quarters, and so does, in more than three fifths, putting at the "
        "vowel's letter what the encoder has there without the e",
        _weights_mislead_about_the_e(**AT_FIRST),
        nulls=NOT_ABOUT_THE_E,
        confirmed_by=Confirmation(FRESH, _mislead_from_a_seed(**AT_FIRST)),
    ),
    Claim(
        "transformer.weights_mostly_mislead_about_the_e",
        "in most trainings a long vowel gives the silent e behind its consonant less than a quarter of its "
        "weight, and hiding the e from the decoder changes the vowel in less than a quarter of the words; "
        "striking the e changes it in more than three quarters, and so does, in more than half, putting at "
        "the vowel's letter what the encoder has there without the e",
        _weights_mislead_about_the_e(**AFTER_A_LOOK),
        nulls=NOT_ABOUT_THE_E,
        confirmed_by=Confirmation(THE_E, _mislead_from_a_seed(**AFTER_A_LOOK), least="most"),
    ),
)

EXPERIMENT = Experiment(
    name="speller",
    question="What do the page's spellers say to words that they have not met, and where do they look?",
    measure=measure,
    parameters=PARAMETERS,
    prefixes=("transformer",),
    runs=runs(),
    claims=CLAIMS,
    scopes={
        f"transformer.{what}": Scope(
            "The transformer: {words} training words, {times} passes; the LSTM: {lstm_words} words, "
            "{lstm_times} passes; batches of {batch}, one training each, seed {seed}, weights rounded as the "
            "page's are; {test} held-out words.",
            seeds=("seed",),
        )
        for what in (
            *(
                f"{name}.*"
                for name in ("speller", "causal", "cache", "beam", "pooled", "alignment", "final_e")
            ),
            "final_e_words",
        )
    },
)
