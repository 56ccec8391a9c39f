"""The vision transformer: Keras, NumPy and the page's sketch compute the same, and hands may intervene."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from attention_from_scratch import explanations, vision, vision_export
from attention_from_scratch.tasks import digits

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts")]

import vendor  # noqa: E402

IMAGES = 20


def some_digits():
    from attention_from_scratch.experiments.explanation_plan import PARAMETERS

    found = digits.load(PARAMETERS["sha256"])
    return digits.Patched(digits.patches_of(found.images[:IMAGES]), found.labels[:IMAGES])


def uneven_model(**options):
    """A Keras model whose weights are large enough that attention is far from even."""
    import keras

    from attention_from_scratch.models.vision import vision_model

    keras.utils.set_random_seed(0)
    model = vision_model(**options)
    generator = np.random.default_rng(0)
    model.set_weights([w + generator.normal(0, 0.4, w.shape) for w in model.get_weights()])
    return model


@pytest.fixture(scope="module")
def plain():
    from attention_from_scratch.models.blocks import weights_by_name

    model = uneven_model()
    return model, weights_by_name(model), some_digits()


def test_memorised_asks_for_the_labels_that_the_training_dealt(monkeypatch):
    """A model that said each dealt label would have memorised all; one that says the true ones, a tenth."""
    from types import SimpleNamespace

    from attention_from_scratch import training
    from attention_from_scratch.experiments import explanation_maps
    from attention_from_scratch.experiments.explanation_plan import PARAMETERS, TRAINING
    from attention_from_scratch.experiments.explanation_runs import load_halves, trained_vision

    taught = {}

    def no_training(made, learned, *_args, **_settings):
        taught["labels"] = learned.answers
        return SimpleNamespace(accuracies=np.zeros(1))

    started = SimpleNamespace(start=lambda _seed: None)
    monkeypatch.setattr(training, "trainer", lambda *_args, **_settings: started)
    monkeypatch.setattr(training, "train_in_epochs", no_training)
    trained_vision(3, kind="shuffled", **TRAINING)
    train, _ = load_halves(TRAINING["sha256"], TRAINING["split_seed"], 1)
    for labels, low, high in ((taught["labels"], 1.0, 1.0), (train.answers, 0.05, 0.2)):
        said = SimpleNamespace(logits=np.eye(digits.CLASSES)[labels])
        monkeypatch.setattr(vision, "forward", lambda *_args, said=said: said)
        assert low <= explanation_maps.memorised({}, 3, PARAMETERS) <= high


def test_maps_that_know_no_model_are_what_they_are_called(plain):
    """Ink is of the image alone; the distance moves with what is covered with, so it knows the cover."""
    from attention_from_scratch.experiments import explanation_maps
    from attention_from_scratch.experiments.explanation_plan import PARAMETERS

    _, weights, shown = plain
    run = {f"weights.{name}": array for name, array in weights.items()}
    run |= dict.fromkeys(("gradients", "path_gradients"), np.zeros_like(shown.tokens))
    darker = shown._replace(tokens=np.minimum(shown.tokens + 0.5, 1.0))
    one, other = (
        explanation_maps.maps_of(run, shown.tokens, train, 0, PARAMETERS)[0] for train in (shown, darker)
    )
    np.testing.assert_array_equal(one["ink"], other["ink"])
    assert ((one["ink"] == 0) == (shown.tokens.max(axis=2) == 0)).all()
    blank = one["ink"] == 0
    assert one["distance"][blank].max() > np.median(one["distance"])
    assert np.abs(one["distance"] - other["distance"]).max() > 0.5


@pytest.mark.parametrize(
    "options", [{}, {"empty": True}, {"empty": True, "plus_one": True}], ids=["plain", "empty", "plus one"]
)
def test_numpy_computes_what_keras_computes(options):
    from attention_from_scratch.models.blocks import weights_by_name

    model, shown = uneven_model(**options), some_digits()
    look = vision.forward(weights_by_name(model), shown.tokens, **options)
    np.testing.assert_allclose(look.logits, model(shown.tokens).numpy(), atol=2e-4)
    totals = look.attention[-1].sum(axis=-1)
    if options.get("plus_one"):
        assert 0 < totals.min() < 0.9
        assert totals.max() <= 1 + 1e-5
    else:
        np.testing.assert_allclose(totals, 1, atol=1e-5)
    assert look.attention[-1].max() > 0.3
    assert look.attention[-1].shape[-1] == 17 + bool(options)


def test_a_hidden_token_gets_no_weight_and_changes_nothing_any_more(plain):
    _, weights, shown = plain
    visible = np.ones((IMAGES, 17), bool)
    visible[:, 6] = False
    before = vision.forward(weights, shown.tokens, visible=visible)
    assert all(np.all(block[..., 6] == 0) for block in before.attention)
    changed = shown.tokens.copy()
    changed[:, 5] += 1
    np.testing.assert_array_equal(vision.forward(weights, changed, visible=visible).logits, before.logits)
    assert (
        np.abs(vision.forward(weights, changed).logits - vision.forward(weights, shown.tokens).logits).max()
        > 0.1
    )


def test_its_own_weights_in_their_own_place_change_nothing_and_others_do(plain):
    _, weights, shown = plain
    look = vision.forward(weights, shown.tokens)
    same = vision.forward(weights, shown.tokens, replaced={1: look.attention[0], 2: look.attention[1]})
    np.testing.assert_array_equal(same.logits, look.logits)
    even = vision.forward(weights, shown.tokens, replaced={2: np.full((1, 1, 1, 17), 1 / 17, np.float32)})
    assert np.abs(even.logits - look.logits).max() > 0.1


@pytest.fixture(scope="module")
def gradients(plain):
    from attention_from_scratch.models.gradients import LeadGradients

    return LeadGradients(plain[0], batch=4)


def test_keras_gradients_are_the_slopes_of_the_lead(plain, gradients):
    """Against differences of NumPy's forward pass in double precision."""
    _, weights, shown = plain
    asked = np.arange(3, dtype=np.int32)
    found = gradients.at(shown.tokens[:3], asked)
    precise = {name: w.astype(float) for name, w in weights.items()}
    step = 1e-5
    for patch, pixel in ((0, 0), (5, 3), (15, 1)):
        leads = []
        for sign in (1, -1):
            moved = shown.tokens[:3].astype(float)
            moved[:, patch, pixel] += sign * step
            leads.append(vision.lead(vision.forward(precise, moved).logits, asked))
        np.testing.assert_allclose(found[:, patch, pixel], (leads[0] - leads[1]) / (2 * step), atol=2e-3)


def test_gradients_along_the_way_add_up_to_the_lead(plain, gradients):
    _, weights, shown = plain
    asked, few, mean = np.arange(4, dtype=np.int32), shown.tokens[:4], shown.tokens.mean(axis=0)
    maps = explanations.gradient_times_input(gradients.along(few, asked, mean, 200), few, mean)
    leads = [
        vision.lead(vision.forward(weights, x).logits, asked) for x in (few, np.broadcast_to(mean, few.shape))
    ]
    np.testing.assert_allclose(maps.sum(axis=1), leads[0] - leads[1], rtol=0.02, atol=0.02)


def test_gradients_compiled_once_are_those_of_the_weights_that_the_model_has_now(plain):
    from attention_from_scratch.models.gradients import LeadGradients, lead_gradients

    model, _, shown = plain
    few, asked = shown.tokens[:4], np.arange(4)
    shared = lead_gradients(model, 4)
    before, kept = shared.at(few, asked), model.get_weights()
    try:
        model.set_weights([2 * w for w in kept])
        again = lead_gradients(model, 4)
        assert again is shared
        after = again.at(few, asked)
        np.testing.assert_array_equal(after, LeadGradients(model, 4).at(few, asked))
    finally:
        model.set_weights(kept)
    assert np.abs(after - before).max() > 0.1


def test_more_images_than_a_batch_are_refused(plain, gradients):
    with pytest.raises(ValueError, match="at most 4"):
        gradients.at(plain[2].tokens[:5], np.arange(5))


def test_the_sketch_computes_what_keras_computes(plain, tmp_path):
    model, weights, shown = plain
    logits = model(shown.tokens).numpy()
    arrays = {"keras_logits": logits, **{f"weights.{name}": w for name, w in weights.items()}}
    _, manifest = vision_export.export(arrays, shown, shown, tmp_path)
    images = np.rint(digits.image_of(shown.tokens) * digits.BRIGHTEST).astype(int)
    pixels, out = tmp_path / "pixels.json", tmp_path / "out.json"
    pixels.write_text(json.dumps(images.reshape(IMAGES, -1).tolist()))
    script = ROOT / "tests" / "javascript" / "vision.js"
    subprocess.run([vendor.node(), script, manifest, pixels, out], check=True, timeout=120)
    found = json.loads(out.read_text())
    assert found["apart"] < 1e-4
    np.testing.assert_allclose([a["logits"] for a in found["answers"]], logits, atol=1e-4)
    look = vision.forward(weights, shown.tokens)
    for block in range(2):
        attention = np.array([a["attention"][block] for a in found["answers"]])
        np.testing.assert_allclose(attention, look.attention[block][:, :, 0], atol=1e-5)

    def lead_of(patches, classes):
        return vision.lead(vision.forward(weights, patches).logits, classes)

    falls = explanations.covering(lead_of, shown.tokens, logits.argmax(axis=1), shown.tokens.mean(axis=0))
    np.testing.assert_allclose([a["covering"] for a in found["answers"]], falls, atol=1e-3)


def test_the_sketch_begins_with_the_confidently_wrong(plain):
    _, weights, shown = plain
    chances = vision.probabilities(vision.forward(weights, shown.tokens).logits)
    wrong = chances.argmax(axis=1) != shown.answers
    order = vision_export.chosen(weights, shown)
    first = order[: wrong.sum()]
    assert wrong[first].all()
    assert not wrong[order[wrong.sum() :]].any()
    assert np.all(np.diff(chances.max(axis=1)[first]) <= 0)
