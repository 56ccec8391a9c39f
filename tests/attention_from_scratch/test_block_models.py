"""Models, their training and their NumPy twin: tiny trainings, seconds in all."""

import json

import numpy as np
import pytest

from attention_from_scratch import circuits, export, forward
from attention_from_scratch.experiments import induction_runs
from attention_from_scratch.tasks import match_then_read
from when_used import WhenUsed

models = WhenUsed("attention_from_scratch.models.blocks")
training = WhenUsed("attention_from_scratch.training")

TINY = {
    "length": 8,
    "blocks": 2,
    "width": 16,
    "num_heads": 2,
    "feed_forward": 16,
    "causal": False,
}


def tiny_run(seed=0):
    chosen = {**TINY, "learning_rate": 3e-3, "batch": 16, "sequences": 320, "epochs": 12, "validation": 100}
    return induction_runs.train_on_fixed_set(**chosen, test=1_500, seed=seed)


@pytest.fixture(scope="module")
def run():
    return tiny_run()


@pytest.fixture(scope="module")
def other_seed(run):
    """Trained after the other."""
    return tiny_run(seed=1)


@pytest.mark.parametrize(("blocks", "parameters"), [(1, 9_129), (2, 17_673)])
def test_the_models_have_exactly_the_parameters_of_the_write_up(blocks, parameters):
    assert models.block_model(length=12, blocks=blocks).count_params() == parameters


def test_impossible_models_are_refused():
    with pytest.raises(ValueError, match="blocks is 0"):
        models.block_model(length=8, blocks=0)
    with pytest.raises(ValueError, match="no multiple"):
        models.block_model(length=8, blocks=1, width=32, num_heads=5)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("blocks", [1, 2, 3])
def test_the_numpy_forward_pass_agrees_with_keras(blocks, causal):
    training.set_seed(blocks)
    model = models.block_model(length=10, blocks=blocks, causal=causal)
    generator = np.random.default_rng(0)
    shaken = [w + generator.normal(scale=0.2, size=w.shape).astype(w.dtype) for w in model.get_weights()]
    model.set_weights(shaken)
    drawn = match_then_read.draw(200, 10, generator)
    trace = forward.forward(models.weights_by_name(model), drawn.tokens, causal=causal)
    np.testing.assert_allclose(trace.logits, model(drawn.tokens).numpy(), atol=1e-5)
    assert trace.logits.dtype == np.float32
    for weights in trace.attention:
        np.testing.assert_allclose(weights.sum(axis=-1), 1, atol=1e-5)
    assert trace.attention[-1].shape[2] == 1
    if causal and blocks > 1:
        assert (np.triu(trace.attention[0][0, 0], k=1) == 0).all()


def test_a_causal_mask_changes_nothing_for_one_block():
    training.set_seed(0)
    weights = models.weights_by_name(models.block_model(length=10, blocks=1))
    tokens = match_then_read.draw(50, 10, np.random.default_rng(0)).tokens
    open_, causal = (forward.forward(weights, tokens, causal=c).logits for c in (False, True))
    assert (open_ == causal).all()


def test_a_run_gives_the_same_bytes_again_also_after_another_seed(run, other_seed):
    again = tiny_run()
    assert run.keys() == again.keys()
    assert all(np.asarray(run[k]).tobytes() == np.asarray(again[k]).tobytes() for k in run)


def test_seeds_differ(run, other_seed):
    assert (run["weights.embedding.embeddings"] != other_seed["weights.embedding.embeddings"]).any()
    assert (run["keras_tokens"] != other_seed["keras_tokens"]).any()


def test_training_lowers_the_loss_and_counts_its_steps(run):
    assert run["losses"][-1] < run["losses"][0]
    assert run["steps"].tolist() == [20 * epoch for epoch in range(1, 13)]


def test_an_accuracy_is_what_the_weights_give(run):
    drawn = match_then_read.draw(1_500, 8, induction_runs.stream(0, induction_runs.TEST))
    trace = forward.forward(forward.weights_of(run), drawn.tokens)
    assert circuits.accuracy(trace, drawn) == pytest.approx(float(run["test_accuracy"]), abs=0.002)
    np.testing.assert_allclose(trace.logits[:1_000], run["keras_logits"], atol=1e-5)


def fresh(**settings):
    chosen = {**TINY, "blocks": 1, "learning_rate": 3e-3, "batch": 16, "steps": 60, "steps_between": 20}
    return induction_runs.train_on_fresh_sequences(
        **{**chosen, "seed": 0, "validation": 100, "test": 100, "stop_at": 1.0, **settings}
    )


def test_training_stops_where_it_is_good_enough_and_says_never_where_it_is_not():
    stopped, unsolved = fresh(stop_at=0.01), fresh()
    assert stopped["steps"].tolist() == [20]
    assert stopped["solved_at"] == 20
    assert unsolved["steps"].tolist() == [20, 40, 60]
    assert np.isinf(unsolved["solved_at"])


def test_a_diverging_training_says_so_with_its_seed(monkeypatch):
    options = {**TINY, "blocks": 1}
    shared = training.trainer(models.block_model, options, learning_rate=3e-3)
    monkeypatch.setattr(shared, "advance", lambda *_: float("nan"))
    with pytest.raises(training.Diverged, match=r"steps with seed 3"):
        fresh(seed=3)


def test_what_is_exported_reads_back_to_the_bit(run, tmp_path):
    binary, manifest = export.export(run, tmp_path / "model")
    read, weights = export.read(manifest), forward.weights_of(run)
    assert list(read) == list(weights)
    assert all((read[name] == weights[name]).all() for name in weights)
    said = json.loads(manifest.read_text(encoding="utf-8"))
    assert binary.stat().st_size == said["bytes"] == 4 * said["parameters"] == 4 * int(run["parameters"])
    trace = forward.forward(read, np.array(said["test"]["tokens"]))
    np.testing.assert_allclose(trace.logits, said["test"]["logits"], atol=said["test"]["tolerance"])
    assert (said["blocks"], said["num_heads"], said["key_dim"], said["length"]) == (2, 2, 8, 8)


def test_a_cut_off_export_is_refused(run, tmp_path):
    binary, manifest = export.export(run, tmp_path)
    binary.write_bytes(binary.read_bytes()[:-4])
    with pytest.raises(ValueError, match="holds"):
        export.read(manifest)


def test_a_run_without_weights_is_refused():
    with pytest.raises(ValueError, match="no array named weights"):
        export.packed({"losses": np.zeros(3)})
    with pytest.raises(ValueError, match="no embedding"):
        forward.forward({"logits.bias": np.zeros(3)}, np.zeros((1, 3), int))
