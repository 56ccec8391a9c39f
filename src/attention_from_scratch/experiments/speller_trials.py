"""The page's two spellers from one fresh seed; its transformer alone, for what is said of the silent e."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attention_from_scratch import decoding
from attention_from_scratch.experiments import speller_measures as measures
from attention_from_scratch.experiments import spelling_plan as plan
from attention_from_scratch.experiments.speller_measures import final_e, measure, said_rightly, test_words
from attention_from_scratch.experiments.spelling_runs import train_and_keep
from attention_from_scratch.speller_export import weights_in
from attention_from_scratch.tasks.spelling import sounds_of
from measured.terms.experiment import Findings


def ask(
    seed: int,
    words: int,
    times: int,
    lstm_words: int,
    lstm_times: int,
    rates: Mapping[str, float],
    batch: int,
    levels: Mapping[str, int],
    beams: list[int],
    beam_words: int,
    key_value_heads: list[int],
    **dictionary: Any,
) -> dict[str, float]:
    """Teach both from this seed and measure what the page measures of its own.

    Args:
        seed: of the weights, and of the order of the words.
        words: that the transformer is taught.
        times: passes over them.
        lstm_words: that the LSTM is taught.
        lstm_times: passes over them.
        rates: of each model.
        batch: words an update.
        levels: to which the weights of each are rounded.
        beams: kept by beam search; the first is one.
        beam_words: decoded with beams.
        key_value_heads: to which the decoder's are pooled.
        dictionary: which words are held out, of which version (`spelling_plan.WORDS`).
    """
    taught = {"transformer": (words, times), "lstm": (lstm_words, lstm_times)}
    runs = {
        model: train_and_keep(
            levels[model],
            model=model,
            sizes=plan.MODELS[model],
            seed=seed,
            learning_rate=rates[model],
            training=training,
            passes=passes,
            batch=batch,
            **dictionary,
        )
        for model, (training, passes) in taught.items()
    }
    found = measure(
        runs,
        beams,
        beam_words=beam_words,
        key_value_heads=key_value_heads,
        levels=levels,
        drawn=[],
        **dictionary,
    )
    one, most = (measures.BEAM_PHONEME_ERROR.value(found, beams=count) for count in (beams[0], beams[-1]))
    kept = {
        "phoneme_error": measures.PHONEME_ERROR.value(found, model="transformer"),
        "bytes": measures.BYTES.value(found, model="both"),
        "logits_changed": sum(measures.CHANGED.values(found).values()),
        "cache_float32": measures.CACHE_DIFFERENCE["float32"].value(found),
        "cache_float64": measures.CACHE_DIFFERENCE["float64"].value(found),
        "same_bits": measures.SAME_BITS.value(found, dtype="float32"),
        "likelier": measures.LIKELIER.value(found, beams=beams[-1]),
        "beams_change": most - one,
        "believed": measures.BELIEVED.value(found),
        "named": measures.AGREES.value(found, block=measures.BLOCKS[-1], head="mean"),
        "by_place": measures.BY_PLACE.value(found),
        **{
            f"looked_at_{kind}": measures.LOOKED_AT.value(found, letters=kind)
            for kind in measures.LETTER_WORDS
        },
        **{what: measures.FINAL_E.value(found, what=what) for what in measures.FINAL_E_WORDS},
    }
    return {name: float(value) for name, value in kept.items()}


def ask_about_the_e(
    seed: int,
    words: int,
    times: int,
    rate: float,
    batch: int,
    levels: int,
    **dictionary: Any,
) -> dict[str, float]:
    """Teach the transformer alone from this seed, and measure what its vowels make of a silent final e.

    Args:
        seed: of the weights, and of the order of the words.
        words: that it is taught.
        times: passes over them.
        rate: at which it learns.
        batch: words an update.
        levels: to which its weights are rounded.
        dictionary: which words are held out, of which version (`spelling_plan.WORDS`).
    """
    run = train_and_keep(
        levels,
        model="transformer",
        sizes=plan.MODELS["transformer"],
        seed=seed,
        learning_rate=rate,
        training=words,
        passes=times,
        batch=batch,
        **dictionary,
    )
    said = [sounds_of(row) for row in run["said"]]
    right = said_rightly(said, test_words(dictionary))
    found = Findings(tuple(final_e(decoding.EncoderDecoder.of(weights_in(run)), right)))
    return {what: float(measures.FINAL_E.value(found, what=what)) for what in measures.FINAL_E_WORDS}
