"""Keras, NumPy and the page's JavaScript say the same, and no decoder sees what it is asked for."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from attention_from_scratch import decoding, quantised, speller_export
from attention_from_scratch.experiments import spelling_plan as plan
from attention_from_scratch.experiments.spelling_runs import taught
from attention_from_scratch.tasks import spelling
from attention_from_scratch.tasks.spelling import Word

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts")]

import vendor  # noqa: E402

WORDS, LEVELS = 1_000, 24


@pytest.fixture(scope="module")
def words():
    """Random words with random pronunciations, of all lengths that the models read."""
    rng = np.random.default_rng(0)
    made = []
    for _ in range(WORDS):
        letters = rng.choice(list(spelling.LETTERS), rng.integers(spelling.SHORTEST, spelling.LONGEST + 1))
        spoken = rng.choice(spelling.SOUNDS, rng.integers(1, spelling.MOST_SOUNDS + 1))
        made.append(Word("".join(letters), (tuple(spoken.tolist()),)))
    return made


@pytest.fixture(scope="module")
def models():
    """One of each kind, with weights large enough that it says something, rounded as the page's are."""
    from attention_from_scratch.models.spellers import speller_trainer, weights_of

    made = {}
    for index, (name, sizes) in enumerate(plan.MODELS.items()):
        model = speller_trainer(name, **sizes).start(index)
        rng = np.random.default_rng(index)
        weights = {
            key: rng.normal(float(key.endswith("gamma")), 0.15, array.shape).astype(np.float32)
            for key, array in weights_of(model).items()
        }
        weights = quantised.rounded(weights, LEVELS)
        model.set_weights(list(weights.values()))
        made[name] = model, weights
    return made


def logits_of(model, pairs):
    return model(pairs.letters, pairs.previous).numpy()


@pytest.mark.parametrize("name", plan.MODELS)
def test_models_are_of_one_size(models, name):
    transformer, other = models["transformer"][0].count_params(), models[name][0].count_params()
    assert abs(other / transformer - 1) < 0.015


@pytest.mark.parametrize("name", plan.MODELS)
def test_no_output_depends_on_what_it_is_asked_for_or_on_what_comes_later(models, words, name):
    model, pairs = models[name][0], spelling.pairs(words[:50])
    previous = np.where(pairs.previous == 0, 1, pairs.previous)
    before = model(pairs.letters, previous).numpy()
    rng = np.random.default_rng(1)
    for seen in (1, 4, spelling.STEPS - 1):
        other = previous.copy()
        other[:, seen:] = 1 + (other[:, seen:] + rng.integers(0, 38, other[:, seen:].shape)) % 39
        after = model(pairs.letters, other).numpy()
        np.testing.assert_array_equal(after[:, :seen], before[:, :seen])
        assert np.any(after[:, seen:] != before[:, seen:])


@pytest.mark.parametrize("name", plan.MODELS)
def test_padding_behind_a_word_is_not_read(models, words, name):
    """Looked at from the weights on it, and, for the encoder read backwards, from its last states."""
    model, pairs = models[name][0], spelling.pairs(words[:50])
    _, weights = model.look(pairs.letters, pairs.previous)
    if weights is not None:
        padding = (pairs.letters == 0)[:, np.newaxis, np.newaxis]
        assert np.all(np.where(padding, weights, 0) == 0)
    if hasattr(model, "backwards"):
        short = pairs.letters[:, : (pairs.letters[0] != 0).sum()][:1]
        np.testing.assert_allclose(
            model._encode(pairs.letters[:1])[1], model._encode(short)[1], atol=1e-6, rtol=0
        )


def test_numpy_says_what_keras_says(models, words):
    from attention_from_scratch.models.spellers import greedy

    model, weights = models["transformer"]
    pairs, made = spelling.pairs(words[:200]), decoding.EncoderDecoder.of(weights)
    logits, crossed = decoding.whole(made, decoding.encode(made, pairs.letters), pairs.previous)
    np.testing.assert_allclose(logits, logits_of(model, pairs), atol=1e-5, rtol=0)
    np.testing.assert_allclose(crossed[-1], model.look(pairs.letters, pairs.previous)[1], atol=1e-5, rtol=0)
    said = decoding.greedy(made, pairs.letters, spelling.START, spelling.END)
    assert (said == greedy(model, pairs.letters)).all(axis=1).mean() > 0.99  # a tie may fall either way


@pytest.mark.parametrize("name", ["transformer", "lstm"])
def test_the_page_says_what_keras_says_on_a_thousand_words(models, words, name, tmp_path):
    from attention_from_scratch.models.spellers import greedy

    model, weights = models[name]
    pairs = spelling.pairs(words)
    logits, said = logits_of(model, pairs), greedy(model, pairs.letters)
    test = speller_export.test_of(words, logits)
    data, manifest = speller_export.packed(
        name, weights, LEVELS, test, plan.MODELS["transformer"]["num_heads"]
    )
    (tmp_path / manifest["weights"]).write_bytes(data)
    (tmp_path / "model.json").write_text(json.dumps(manifest))
    asked = [
        [[token for token in row if token], given]
        for row, given in zip(pairs.letters.tolist(), pairs.previous.tolist(), strict=True)
    ]
    (tmp_path / "words.json").write_text(json.dumps(asked))
    script = ROOT / "tests" / "javascript" / "spell.js"
    command = [vendor.node(), script, tmp_path / "model.json", tmp_path / "words.json", tmp_path / "out.json"]
    subprocess.run(command, check=True, timeout=120)
    answers = json.loads((tmp_path / "out.json").read_text())

    np.testing.assert_allclose(np.array([a["logits"] for a in answers]), logits, atol=1e-4, rtol=0)
    heard = [spelling.sounds_of(row) for row in said]
    same = [spelling.sounds_of(a["said"]) == row for a, row in zip(answers, heard, strict=True)]
    assert np.mean(same) > 0.99  # a tie may fall either way
    assert len(set(heard)) > 20  # or the comparison would be of one answer


def test_what_is_unpacked_is_what_was_rounded(models):
    import gzip

    _, weights = models["lstm"]
    data, manifest = speller_export.packed("lstm", weights, LEVELS, {})
    unpacked = gzip.decompress(data)
    assert len(unpacked) == manifest["bytes"]
    for each in manifest["arrays"]:
        size = int(np.prod(each["shape"]))
        if "offset" in each:
            found = np.frombuffer(unpacked, "<f4", size, each["offset"])
        else:
            levels = np.frombuffer(unpacked, np.int8, size, each["levels"]).reshape(each["shape"])
            assert np.abs(levels).max() == LEVELS
            found = levels * np.frombuffer(unpacked, "<f4", each["shape"][-1], each["steps"])
        np.testing.assert_allclose(found.reshape(each["shape"]), weights[each["name"]], rtol=2e-7)


def test_a_training_learns_and_is_the_same_twice():
    settings = {
        **plan.settings("gru", 0, 8e-3),
        "training": 1_280,
        "test": 10,
        "validation": 100,
        "passes": 2,
    }
    losses = [taught(**settings)[2] for _ in range(2)]
    np.testing.assert_array_equal(*losses)
    assert losses[0][1] < losses[0][0] - 0.1


def test_each_sound_has_an_example_whose_letters_stand_in_it():
    assert set(speller_export.EXAMPLES) == set(spelling.SOUNDS)
    found = {
        word.letters: word.pronunciations
        for word in spelling.words(plan.DICTIONARY["version"], plan.DICTIONARY["sha256"])
    }
    for sound, (word, letters) in speller_export.EXAMPLES.items():
        assert letters in word
        if len(word) >= spelling.SHORTEST:
            assert any(sound in spoken for spoken in found[word]), (sound, word)


def test_words_to_try_name_what_is_said_wrongly():
    words = [Word("tea", (("T", "IY"),)), Word("toe", (("T", "OW"), ("T",)))]
    t, ow = (1 + spelling.SOUNDS.index(sound) for sound in ("T", "OW"))
    said = np.array([[t, ow, spelling.END], [t, spelling.END, spelling.END]])
    told = speller_export.words_to_try(words, {"transformer": said})
    assert told["wrong"] == {"transformer": [0]}
    assert told["listed"] == ["T IY", "T OW|T"]
