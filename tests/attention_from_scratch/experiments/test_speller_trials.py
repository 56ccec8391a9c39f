"""A fresh seed's spellers are taught and measured as the page's are, and each claim on them can fail."""

from __future__ import annotations

import numpy as np
import pytest

from attention_from_scratch import decoding
from attention_from_scratch.experiments import speller, speller_measures, speller_trials, spelling_trials
from attention_from_scratch.tasks import spelling

ON_ITS_WAY = {
    "phoneme_error": 0.1,
    "bytes": 240_000,
    "logits_changed": 0,
    "cache_float32": 1e-5,
    "cache_float64": 1e-14,
    "same_bits": 0.2,
    "likelier": 0.05,
    "beams_change": -0.003,
    "believed": 0.95,
    "named": 0.9,
    "by_place": 0.7,
    "looked_at_all": 0.7,
    "looked_at_silent": 0.4,
    "looked_at_final_e": 0.1,
    "weight": 0.1,
    "changed_without": 0.95,
    "changed_when_hidden": 0.05,
    "changed_by_transplant": 0.9,
}
WRONG = {
    "transformer.speller_errs_little": [{"phoneme_error": 0.12}],
    "transformer.speller_is_small": [{"bytes": 260_000}],
    "transformer.causal_to_the_last_bit": [{"logits_changed": 1}],
    "transformer.cache_equals_rounding": [
        {"cache_float32": 1e-3},
        {"cache_float64": 1e-8},
        {"same_bits": 1.0},
    ],
    "transformer.likelier_is_not_righter": [
        {"likelier": 0.0},
        {"beams_change": 0.02},
        {"beams_change": -0.02},
    ],
    "transformer.wrong_words_are_believed": [{"believed": 0.6}],
    "transformer.weights_name_letters": [{"named": 0.7}],
    "transformer.silent_letters": [{"looked_at_silent": 0.7}, {"looked_at_final_e": 0.7}],
    "transformer.weights_mislead_about_the_e": [
        {"weight": 0.3},
        {"changed_without": 0.5},
        {"changed_when_hidden": 0.5},
        {"changed_by_transplant": 0.5},
    ],
    "transformer.weights_mostly_mislead_about_the_e": [
        {"weight": 0.3},
        {"changed_without": 0.5},
        {"changed_when_hidden": 0.5},
        {"changed_by_transplant": 0.4},
    ],
}


@pytest.mark.parametrize("claim", speller.CLAIMS, ids=lambda claim: claim.id)
def test_each_claim_on_the_spellers_can_fail_on_a_fresh_seed(claim):
    assert claim.confirmed_by.held(ON_ITS_WAY)
    assert WRONG[claim.id]
    for changed in WRONG[claim.id]:
        assert not claim.confirmed_by.held({**ON_ITS_WAY, **changed}), changed


def test_a_fresh_seed_is_taught_and_measured_as_the_page_is(monkeypatch):
    taught, measured = {}, []

    def keep(levels, **settings):
        taught[settings["model"]] = {"levels": levels, **settings}
        return {}

    def measure(runs, beams, **settings):
        measured.append({"beams": beams, **settings})
        raise InterruptedError

    monkeypatch.setattr(speller_trials, "train_and_keep", keep)
    monkeypatch.setattr(speller_trials, "measure", measure)
    monkeypatch.setattr(speller_trials, "weights_in", lambda run: {})
    monkeypatch.setattr(decoding.EncoderDecoder, "of", lambda weights: None)
    with pytest.raises(InterruptedError):
        speller_trials.ask(seed=7, **speller.FRESH.parameters)
    for run in speller.runs():
        assert taught[run.name] == {**run.parameters, "seed": 7}
    of_both = dict(taught)
    taught.clear()
    with pytest.raises(KeyError, match="said"):  # what the transformer says is asked of its run
        speller_trials.ask_about_the_e(seed=7, **speller.THE_E.parameters)
    assert taught == {"transformer": of_both["transformer"]}
    of_the_page = {name: speller.PARAMETERS[name] for name in measured[0]}
    assert measured[0] == {**of_the_page, "drawn": []}


def test_what_a_fresh_seed_keeps_is_what_was_measured(monkeypatch):
    found = {}

    class Measured:
        """Findings that answer each id with its place among those asked for."""

        measurements = ()

        def __getitem__(self, id_):
            return found.setdefault(id_, float(len(found)))

    monkeypatch.setattr(speller_trials, "train_and_keep", lambda levels, **settings: {})
    monkeypatch.setattr(speller_trials, "measure", lambda runs, beams, **settings: Measured())
    monkeypatch.setattr(
        speller_measures.Family, "values", lambda family, found: {family.id: 3, family.id + "2": 4}
    )
    kept = speller_trials.ask(seed=7, **speller.FRESH.parameters)
    assert kept["logits_changed"] == 7
    assert kept["beams_change"] == (
        found["transformer.beam.phoneme_error.b5"] - found["transformer.beam.phoneme_error.b1"]
    )
    assert kept["named"] == found["transformer.alignment.agrees.b2.mean"]
    assert kept["phoneme_error"] == found["transformer.speller.phoneme_error.transformer"]
    assert {*ON_ITS_WAY} <= {*kept}


def test_two_rates_are_asked_of_the_lstm_and_one_of_the_transformer(monkeypatch):
    asked = []

    def train(heard, **settings):
        asked.append((heard, settings["model"], settings["learning_rate"], settings["seed"]))
        return {"phoneme_error": float(len(asked))}

    monkeypatch.setattr(spelling_trials, "train_one", train)
    rates = {"transformer": 0.1, "lstm_attention": 0.2, "gru": 0.3}
    kept = spelling_trials.train_at_two_rates(5, rates)
    assert asked == [
        ("validation", "transformer", 0.1, 5),
        ("validation", "lstm_attention", 0.1, 5),
        ("validation", "lstm_attention", 0.2, 5),
    ]
    assert kept == {"transformer": 1.0, "at_the_transformers_rate": 2.0, "at_its_own_rate": 3.0}


def test_an_answer_that_never_ends_is_as_likely_as_what_was_said_of_it(monkeypatch):
    """A model that is sure of one sound and of no end: eleven of it are likelier than one and an end."""
    one = spelling.SOUNDS[0]
    logits = np.zeros((2, spelling.STEPS, len(spelling.SOUNDS) + 3))
    logits[..., 1] = 9.0

    def whole(model, memory, previous):
        assert previous.tolist() == [
            [spelling.START] + [1] * 10,
            [spelling.START, 1] + [spelling.PADDING] * 9,
        ]
        return logits, None

    monkeypatch.setattr(decoding, "encode", lambda model, letters: None)
    monkeypatch.setattr(decoding, "whole", whole)
    word = spelling.Word("ah", ((one,),))
    assert speller_measures.believed(None, [(one,) * spelling.STEPS], [word]) == 1.0
