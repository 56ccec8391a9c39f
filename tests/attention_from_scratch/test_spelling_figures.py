"""The spellers' figures, and the summary of what the study has stored so far."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from attention_from_scratch.experiments import registry, speller, spelling
from attention_from_scratch.experiments import spelling_plan as plan
from attention_from_scratch.experiments.spelling_trials import RATES
from attention_from_scratch.figures import spelling as figures
from attention_from_scratch.tasks.spelling import SOUNDS
from measured.errors import MeasuredError
from measured.terms import drawing
from measured.terms.record import Record
from measured.terms.trial import read_outcomes

PALETTE = Path(registry.__file__).parents[1] / "figures" / "palette.json"


def an_outcome(error):
    lengths = len(spelling.LENGTHS)
    return {
        "phoneme_error": error,
        "word_error": 2 * error,
        "phoneme_error_over_words": 0.004,
        "parameters": 176_000,
        "update_seconds": 0.05,
        "wrong_by_length": [10 * (n + 1) for n in range(lengths)],
        "words_by_length": [100] * lengths,
    }


def stored(tmp_path, monkeypatch, seeds):
    """A study with its trials and so many seeds; the LSTM with attention errs least."""
    made = {}
    for place, model in enumerate(plan.MODELS):
        for rate in (*plan.PARAMETERS["rates"], 1.6e-2, 3.2e-2):
            made[plan.trial_name(model, rate)] = an_outcome(abs(rate - 4e-3) + 0.1)
        for seed in seeds:
            made[plan.name_of(model, seed)] = an_outcome(0.1 + 0.01 * place + 0.001 * seed)
    runs = {name: {"parameters": {}, "outcome": outcome} for name, outcome in made.items()}
    path = tmp_path / "study.json"
    path.write_text(json.dumps({"name": "study", "question": "?", "runs": runs}))
    monkeypatch.setattr(spelling, "STORED", path)
    monkeypatch.setattr(spelling, "STORED_HEADS", tmp_path / "heads.json")
    return spelling.measure(**spelling.EXPERIMENT.parameters)


def a_record(experiment, findings):
    measurements = {m.id: m for m in findings.measurements}
    return Record(
        experiment.name, "?", "", "full", experiment.parameters, {}, {}, measurements, arrays=findings.arrays
    )


def test_seeds_count_once_all_models_have_them(tmp_path, monkeypatch):
    findings = stored(tmp_path, monkeypatch, [0, 1, 2])
    assert findings["transformer.spelling.seed_count"] == 3
    assert findings["transformer.spelling.phoneme_error.transformer"] == pytest.approx(0.101)
    np.testing.assert_allclose(findings.arrays["by_length.gru"][:, 0], 0.1)
    assert not any(m.id.startswith("transformer.spelling.heads") for m in findings.measurements)


def test_a_study_without_outcomes_says_what_makes_them(tmp_path, monkeypatch):
    with pytest.raises(MeasuredError, match="nox -s confirm -- study"):
        stored(tmp_path, monkeypatch, [])


def test_fresh_seeds_are_taught_at_the_rates_that_the_stored_trials_chose():
    outcomes = read_outcomes(spelling.STORED)
    assert {model: plan.chosen_rate(outcomes, model) for model in plan.MODELS} == RATES


def drawn_twice(draw, record):
    palette = drawing.Palette.load(PALETTE)
    first, second = (drawing.svg_of(draw(palette, record), "figure.test", palette) for _ in range(2))
    assert first == second
    assert len(first) < 60_000
    made = draw(palette, record)
    assert len({len(column) for column in made.data.values()}) == 1
    return made


def test_errors_by_length_are_drawn_for_each_model(tmp_path, monkeypatch):
    record = a_record(spelling.EXPERIMENT, stored(tmp_path, monkeypatch, [0, 1]))
    made = drawn_twice(figures.by_length, record)
    assert "the GRU, 0.10 at 3 letters, 0.80 at 10" in made.alt
    assert set(made.data) == {"letters", *spelling.MODEL_WORDS.values()}


def test_where_four_words_look_is_drawn_with_its_sounds():
    rng = np.random.default_rng(0)
    arrays = {}
    for word in speller.PARAMETERS["drawn"]:
        arrays[f"alignment.{word}"] = rng.dirichlet(np.ones(len(word)), 3)
        arrays[f"sounds.{word}"] = np.array([1, 2, 3])
    record = Record("speller", "?", "", "full", speller.PARAMETERS, {}, {}, {}, arrays=arrays)
    made = drawn_twice(figures.alignment, record)
    largest = " ".join("skate"[int(row.argmax())] for row in arrays["alignment.skate"])
    assert f"skate is said {' '.join(SOUNDS[:3])}, whose largest weights lie on {largest}" in made.alt
    assert sum(made.data["weight"]) == pytest.approx(12)  # three rows a word, each of which sums to one
