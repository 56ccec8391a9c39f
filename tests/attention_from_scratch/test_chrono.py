"""Chrono initialisation: gates start at time scales between one step and the longest distance."""

import numpy as np
import pytest

from when_used import WhenUsed

chrono = WhenUsed("attention_from_scratch.models.chrono")
training = WhenUsed("attention_from_scratch.training")

LONGEST = 100


def gates(layer):
    """The biases, and how much of the state each unit keeps a step before it has seen anything."""
    training.set_seed(0)
    bias = chrono.ChronoReader(layer, 16, longest=LONGEST).layer.cell.bias.numpy()
    kept = bias[0, :16] if layer == "gru" else bias[16:32]
    return bias, kept, 1 / (1 + np.exp(-kept))


@pytest.mark.parametrize("layer", ["gru", "lstm"])
def test_each_unit_forgets_over_a_time_between_one_step_and_the_longest(layer):
    _, _, keeps = gates(layer)
    times = 1 / (1 - keeps)
    assert (times >= 2).all()
    assert (times <= LONGEST).all()
    assert times.max() > LONGEST / 2


def test_an_lstm_lets_in_what_it_does_not_keep():
    bias, kept, _ = gates("lstm")
    assert np.array_equal(bias[:16], -kept)
    assert not bias[32:].any()


def test_a_gru_that_keeps_carries_its_state_over():
    training.set_seed(0)
    cell = chrono.ChronoReader("gru", 4, longest=10**6).layer.cell
    state = np.full((1, 4), 0.5, np.float32)
    after, _ = cell(np.zeros((1, 4), np.float32), [state])
    assert np.abs(after - state).max() < 0.05


def test_layers_without_gates_are_refused():
    with pytest.raises(ValueError, match="expected gru or lstm"):
        chrono.ChronoReader("simple_rnn", 4, longest=10)
