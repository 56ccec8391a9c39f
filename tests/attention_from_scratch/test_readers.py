"""Readers in Keras: what they must agree on with NumPy, and that training gives the same bytes twice."""

import numpy as np
import pytest

from attention_from_scratch import recurrent
from attention_from_scratch.tasks.recall import draw, draw_ragged, padded
from when_used import WhenUsed

training = WhenUsed("attention_from_scratch.training")

BUDGET = {"batch": 16, "epochs": 2, "stop_at": 2.0}


@pytest.fixture(scope="module")
def readers():
    from attention_from_scratch.models import readers

    training.set_seed(0)
    return readers


def test_the_taped_gradients_are_those_of_the_product(readers):
    drawn = draw(4, 9, np.random.default_rng(0))
    model = readers.RecurrentReader("simple_rnn", 6)
    norms = model.gradient_norms(drawn)
    kernel, matrix, bias = (np.float64(w) for w in model.layer.get_weights())
    for sequence in range(4):
        inputs = np.float64(model.embedding(drawn.tokens[sequence]))
        states = recurrent.simple_rnn_states(inputs, kernel, matrix, bias)
        logit_kernel, logit_bias = (np.float64(w) for w in model.logits.get_weights())
        logits = states[-1] @ logit_kernel + logit_bias
        surprise = np.exp(logits) / np.exp(logits).sum() - np.eye(2)[drawn.answers[sequence]]
        expected = recurrent.state_gradients(states, matrix, logit_kernel @ surprise)
        assert norms[:, sequence] == pytest.approx(np.linalg.norm(expected, axis=1), rel=1e-4)


def test_gradients_far_below_float32_are_still_told(readers):
    model = readers.RecurrentReader("simple_rnn", 4)
    model.layer.cell.recurrent_kernel.assign(np.eye(4) * 1e-5)
    norms = model.gradient_norms(draw(2, 11, np.random.default_rng(0)))
    assert 0 < norms[0].max() < 1e-45


def test_the_numpy_gates_end_in_the_state_that_keras_reaches(readers):
    drawn = draw(1, 7, np.random.default_rng(0))
    model = readers.RecurrentReader("lstm", 5, forget_bias=3.0)
    kernel, matrix, bias = (np.float64(w) for w in model.layer.get_weights())
    assert (bias[5:10] == 3).all()
    gates = recurrent.lstm_forget_gates(np.float64(model.embedding(drawn.tokens[0])), kernel, matrix, bias)
    # The gate of step t is a function of the state after t − 1: push that through Keras.
    embedded = model.embedding(drawn.tokens)
    state = model.layer.cell.get_initial_state(batch_size=1)
    for step in range(7):
        z = embedded[:, step] @ kernel.astype(np.float32) + state[0] @ matrix.astype(np.float32)
        forget = recurrent.sigmoid(np.asarray(z)[0, 5:10] + 3)
        assert gates[step] == pytest.approx(forget, rel=1e-4)
        _, state = model.layer.cell(embedded[:, step], state)


def test_the_forget_bias_leaves_the_other_gates_alone(readers):
    bias = readers.RecurrentReader("lstm", 4, forget_bias=5.0).layer.cell.bias.numpy()
    assert bias.tolist() == [0] * 4 + [5] * 4 + [0] * 8


def test_an_unknown_layer_is_refused(readers):
    with pytest.raises(ValueError, match="expected simple_rnn, gru or lstm"):
        readers.RecurrentReader("rnn", 4)


def test_attention_attends_with_weights_that_sum_to_one(readers):
    model = readers.AttentionReader(12, 8)
    tokens = draw(3, 12, np.random.default_rng(0)).tokens
    assert model.weights_of_last(tokens).sum(axis=1) == pytest.approx(1, abs=1e-6)
    assert model.gradient_norms(draw(3, 12, np.random.default_rng(0))).shape == (12, 3)


def test_a_mask_makes_further_padding_invisible_and_its_absence_does_not(readers):
    drawn, _ = draw_ragged(6, 3, 8, np.random.default_rng(0))
    further = padded(drawn.tokens, 20, "post")
    for make in (
        lambda masked: readers.RecurrentReader("simple_rnn", 8, masked=masked),
        lambda masked: readers.PooledReader(20, 8, masked=masked),
    ):
        for masked in (True, False):
            model = make(masked)
            change = np.abs(np.asarray(model(drawn.tokens)) - np.asarray(model(further))).max()
            assert (change < 1e-6) == masked


def trainer_of(readers, layer, length):
    from attention_from_scratch.training import trainer

    settings = {"learning_rate": 3e-3, "clip_norm": 1.0, "xla": False}
    if layer == "attention":
        return trainer(readers.AttentionReader, {"length": length, "width": 4}, **settings)
    return trainer(readers.RecurrentReader, {"layer": layer, "width": 4}, **settings)


@pytest.mark.parametrize("layer", ["lstm", "attention"])
def test_training_gives_the_same_bytes_twice_and_another_seed_others(readers, layer):
    def weights(seed):
        generator = np.random.default_rng(seed)
        drawn, validation = draw(64, 5, generator), draw(32, 5, generator)
        reader = trainer_of(readers, layer, 5)
        reader.start(seed)
        trained = training.train_in_epochs(reader, drawn, validation, generator, **BUDGET)
        assert trained.steps.tolist() == [4, 8]
        assert not trained.solved
        return np.concatenate([w.ravel() for w in reader.model.get_weights()])

    first = weights(0).tobytes()
    assert first != weights(1).tobytes()
    assert first == weights(0).tobytes(), "a trainer that another seed has used starts anew"


def test_training_stops_once_solved(readers):
    generator = np.random.default_rng(0)
    drawn, reader = draw(64, 3, generator), trainer_of(readers, "simple_rnn", 3)
    trained = training.train_in_epochs(reader, drawn, drawn, generator, **{**BUDGET, "stop_at": 0.0})
    assert trained.solved
    assert trained.steps.tolist() == [4]


def test_a_loss_that_is_not_finite_is_told(readers):
    generator = np.random.default_rng(0)
    drawn, reader = draw(64, 3, generator), trainer_of(readers, "simple_rnn", 3)
    reader.start(7).logits.kernel.assign(np.full((4, 2), np.nan))
    with pytest.raises(training.Diverged, match="after 4 steps with seed 7"):
        training.train_in_epochs(reader, drawn, drawn, generator, **BUDGET)


def test_each_epoch_has_an_order_of_its_own_and_all_sequences_once():
    tokens, answers = np.arange(40).reshape(20, 2), np.arange(20)
    made = list(training.shuffled(tokens, answers, np.random.default_rng(0), batch=4, epochs=3))
    orders = [epoch.answers.ravel() for epoch in made]
    assert all(sorted(order) == list(range(20)) for order in orders)
    assert len({tuple(order) for order in (*orders, answers)}) == 4
    assert all((epoch.tokens[..., 0] == 2 * epoch.answers).all() for epoch in made), "answers go along"


def test_sequences_that_are_seen_once_come_in_order():
    tokens, answers = np.arange(28).reshape(14, 2), np.arange(14)
    made = list(training.in_order(tokens, answers, batch=2, steps_between=3))
    assert [stretch.answers.tolist() for stretch in made] == [
        [[0, 1], [2, 3], [4, 5]],
        [[6, 7], [8, 9], [10, 11]],
    ]
    assert made[1].tokens.shape == (3, 2, 2)


def test_whoever_looks_is_called_after_each_evaluation(readers):
    generator = np.random.default_rng(0)
    drawn, reader = draw(64, 3, generator), trainer_of(readers, "simple_rnn", 3)
    reader.start(0)
    batches = training.in_order(drawn.tokens, drawn.answers, batch=16, steps_between=2)
    seen = []
    trained = training.train(
        reader,
        batches,
        (drawn.tokens, drawn.answers),
        look=lambda: seen.append(reader.accuracy(drawn.tokens, drawn.answers)),
    )
    assert trained.accuracies.tolist() == seen
    assert len(seen) == 2
