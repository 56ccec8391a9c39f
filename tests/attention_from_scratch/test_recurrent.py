import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_from_scratch import recurrent


def orthogonal(generator, units):
    return np.linalg.qr(generator.normal(size=(units, units)))[0]


def run(generator, matrix, steps=12):
    units = len(matrix)
    kernel, bias = generator.normal(size=(3, units)), generator.normal(size=units) / 4
    inputs = generator.normal(size=(steps, 3))
    return inputs, kernel, bias, recurrent.simple_rnn_states(inputs, kernel, matrix, bias)


def test_the_gradient_is_what_a_small_push_of_a_state_does_to_the_last_one():
    generator = np.random.default_rng(0)
    matrix = generator.normal(size=(4, 4)) / 2
    inputs, kernel, bias, states = run(generator, matrix)
    towards = generator.normal(size=4)
    gradients = recurrent.state_gradients(states, matrix, towards)
    push = generator.normal(size=4) * 1e-6
    for step in (2, 7, 10):

        def last_from(state, step=step):
            for x in inputs[step + 1 :]:
                state = np.tanh(x @ kernel + state @ matrix + bias)
            return state

        moved = (last_from(states[step] + push) - last_from(states[step] - push)) @ towards / 2
        assert moved == pytest.approx(gradients[step] @ push, rel=1e-5)


@given(st.floats(0.2, 1.6), st.integers(0, 2**32))
def test_the_bound_is_never_exceeded(gain, seed):
    generator = np.random.default_rng(seed)
    matrix = gain * orthogonal(generator, 5)
    *_, states = run(generator, matrix)
    norms = np.linalg.norm(recurrent.state_gradients(states, matrix, generator.normal(size=5)), axis=1)
    largest = recurrent.largest_singular_value(matrix)
    assert largest == pytest.approx(gain)
    for distance, norm in enumerate(norms[::-1]):
        assert norm <= norms[-1] * recurrent.gradient_bound(largest, distance) * (1 + 1e-9)


def test_a_gentler_slope_lowers_the_bound():
    assert recurrent.gradient_bound(2.0, 3, slope=0.25) == pytest.approx(0.125)


def test_without_input_a_forget_gate_is_its_bias():
    units, steps = 3, 5
    bias = np.concatenate([np.zeros(units), np.full(units, 5.0), np.zeros(2 * units)])
    gates = recurrent.lstm_forget_gates(
        np.zeros((steps, 2)), np.zeros((2, 4 * units)), np.zeros((units, 4 * units)), bias
    )
    assert gates.shape == (steps, units)
    assert gates == pytest.approx(1 / (1 + np.exp(-5)))
