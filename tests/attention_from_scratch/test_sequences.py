"""Tasks that ask at many positions, and their training: answers by brute force, a loss of the asked ones."""

import numpy as np
import pytest

from attention_from_scratch.experiments.sequence_runs import apart, looked_at, train_and_test
from attention_from_scratch.tasks import order_blind, sequences
from when_used import WhenUsed

models = WhenUsed("attention_from_scratch.models.sequences")
sequence_training = WhenUsed("attention_from_scratch.sequence_training")

BUDGET = {
    "steps": 4,
    "steps_between": 2,
    "batch": 8,
    "learning_rate": 1e-2,
    "warm_up": 0,
    "clip_norm": 1.0,
    "stop_at": 1.1,
    "validation": 16,
    "test": 16,
}


def drawn(draw, length=6, count=40):
    return draw(count, length, np.random.default_rng(0))


def test_parity_counts_ones():
    tokens, answers = drawn(sequences.parity)
    for row, asked in zip(tokens, answers, strict=True):
        assert asked.tolist() == [sum(row[: t + 1]) % 2 for t in range(len(row))]


def test_the_product_is_that_of_a_group_that_does_not_commute():
    product = sequences.PRODUCT
    assert all(sorted(row) == list(range(6)) for row in product)
    assert (product[0] == range(6)).all()
    assert (product != product.T).any()
    assert all(
        product[product[a, b], c] == product[a, product[b, c]]
        for a in range(6)
        for b in range(6)
        for c in range(6)
    )
    tokens, answers = drawn(sequences.state)
    for row, asked in zip(tokens, answers, strict=True):
        state = row[0]
        for token, answer in zip(row[1:], asked[1:], strict=True):
            state = product[state, token]
            assert answer == state


def test_what_is_copied_is_asked_after_the_sign():
    tokens, answers = drawn(sequences.copy)
    assert tokens.shape == (40, 12)
    assert (tokens[:, 6] == sequences.COPIED).all()
    assert (answers[:, :6] == sequences.UNASKED).all()
    assert (answers[:, 6:] == tokens[:, :6]).all()
    assert (tokens[:, 7:] == answers[:, 6:-1]).all()
    assert all(len(set(row[:6])) == 6 for row in tokens)


@pytest.mark.parametrize("draw", [sequences.recall, sequences.recall_all])
def test_a_key_asks_for_the_value_that_it_had(draw):
    tokens, answers = drawn(draw, 5)
    assert tokens.shape == (40, 20)
    for row, asked in zip(tokens, answers, strict=True):
        held = {}
        for key, value, answer, nothing in zip(row[::2], row[1::2], asked[::2], asked[1::2], strict=True):
            assert nothing == sequences.UNASKED
            assert answer == held.get(key, sequences.UNASKED)
            held[key] = value - sequences.KEYS
    if draw is sequences.recall_all:
        assert ((answers >= 0).sum(axis=1) == 5).all()


def test_induction_asks_for_what_followed_last_time():
    tokens, answers = drawn(sequences.induction, 9)
    for row, asked in zip(tokens, answers, strict=True):
        for t, answer in enumerate(asked):
            before = [s for s in range(t) if row[s] == row[t]]
            assert answer == (row[before[-1] + 1] if before else sequences.UNASKED)
    tokens, answers = drawn(sequences.induction_once, 9)
    for row, asked in zip(tokens, answers, strict=True):
        (place,) = np.flatnonzero(row[:-1] == row[-1])
        assert asked.tolist() == [sequences.UNASKED] * 8 + [row[place + 1]]


def test_more_than_there_is_cannot_be_drawn():
    with pytest.raises(ValueError, match="33 different symbols in a sequence; there are 32"):
        drawn(sequences.copy, 33, 2)


def test_a_test_of_the_end_asks_at_the_end():
    tokens, answers = drawn(sequences.TASKS["parity"].test)
    assert (answers[:, :-1] == sequences.UNASKED).all()
    assert (answers[:, -1] == tokens.sum(axis=1) % 2).all()


def test_a_rate_rises_and_stays():
    schedule = sequence_training.WarmUp()
    schedule.learning_rate.assign(0.5)
    assert float(schedule(0)) == 0.5
    schedule.steps.assign(4)
    assert [float(schedule(step)) for step in (0, 1, 3, 100)] == [0.125, 0.25, 0.5, 0.5]


def test_what_is_not_asked_moves_no_weight():
    """The loss is that of the asked positions: other answers at the others change nothing."""
    trained = []
    options = {"vocabulary": 8, "answers": 8, "blocks": 1, "width": 8, "num_heads": 1, "feed_forward": 8}
    for instead in (sequences.UNASKED, -5):
        trainer = sequence_training.sequence_trainer(models.SequenceTransformer, options, 1.0).at_rate(
            1e-2, 0
        )
        trainer.start(0)
        (stretch,) = sequence_training.batches(
            sequences.induction, np.random.default_rng(0), length=6, batch=8, steps=2, steps_between=2
        )
        answers = np.where(stretch.answers < 0, instead, stretch.answers)
        trainer.forget()
        trainer.advance(stretch.tokens, answers)
        trained.append(trainer.model.get_weights())
    assert all((a == b).all() for a, b in zip(*trained, strict=True))


def test_one_training_leaves_what_is_asked_of_it():
    options = {"blocks": 1, "width": 8, "num_heads": 1, "feed_forward": 8}
    made = train_and_test(
        0, "recall", "transformer", options, length=2, test_lengths=[2, 4], **BUDGET, look_at=4
    )
    assert len(made["accuracy"]) == 2
    assert made["steps"] == 4
    assert len(made["validation"]) == 2
    assert not made["diverged"]
    assert len(made["apart_start"]) == len(made["gradients_trained"]) == 2
    again = train_and_test(0, "recall", "transformer", options, length=2, test_lengths=[2, 4], **BUDGET)
    assert again["validation"] == made["validation"]


def test_tokens_that_are_alike_are_not_apart():
    assert apart(np.ones((2, 3, 4))) == 0
    assert apart(np.array([[[1.0, 0.0], [-1.0, 0.0]]])) == 1


def test_every_stream_gets_its_gradient():
    model = models.SequenceTransformer(
        vocabulary=8, answers=8, blocks=3, width=8, num_heads=1, feed_forward=8
    )
    seen = looked_at(model, drawn(sequences.induction))
    assert len(seen["apart"]) == len(seen["gradients"]) == 4
    assert min(seen["gradients"]) > 0


def test_the_commonest_symbol_is_named_without_knowing_the_order():
    tokens = np.array([[1, 1, 2, 0], [1, 2, 3, 0], [0, 2, 2, 0]], np.int32)
    answers = np.full(tokens.shape, sequences.UNASKED, np.int32)
    answers[:, -1] = [1, 2, 3]
    assert order_blind.commonest_other(sequences.Asked(tokens, answers)) == pytest.approx((1 + 1 / 3 + 0) / 3)


def test_the_commonest_value_is_named_without_knowing_its_key():
    tokens = np.array([[0, 4, 1, 4, 0, 4, 1, 4], [0, 4, 1, 5, 0, 4, 1, 5]], np.int32)
    answers = np.full(tokens.shape, sequences.UNASKED, np.int32)
    answers[:, 4:8:2] = [[0, 0], [0, 1]]
    assert order_blind.commonest_value(sequences.Asked(tokens, answers), keys=4) == pytest.approx(
        (1 + 0.5) / 2
    )
