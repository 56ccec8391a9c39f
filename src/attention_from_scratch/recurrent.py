"""What a recurrent layer does to a gradient on its way back in time, in NumPy."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float


def simple_rnn_states(
    inputs: Float[np.ndarray, "steps features"],
    kernel: Float[np.ndarray, "features units"],
    recurrent_kernel: Float[np.ndarray, "units units"],
    bias: Float[np.ndarray, " units"],
) -> Float[np.ndarray, "steps units"]:
    """Run the recurrence $h_t = \\tanh(x_t U + h_{t-1} W + b)$ from $h_0 = 0$.

    Kernels as `keras.layers.SimpleRNN` keeps them: vectors are rows and are multiplied from the left.

    Returns:
        The state after each step.
    """
    state, states = np.zeros(len(bias)), []
    for x in inputs:
        state = np.tanh(x @ kernel + state @ recurrent_kernel + bias)
        states.append(state)
    return np.array(states)


def state_gradients(
    states: Float[np.ndarray, "steps units"],
    recurrent_kernel: Float[np.ndarray, "units units"],
    last_gradient: Float[np.ndarray, " units"],
) -> Float[np.ndarray, "steps units"]:
    """Carry the gradient of a loss at the last state back to every state before it.

    One step back multiplies by the transposed Jacobian $W\\,\\mathrm{diag}(1 - h_t^2)$: the slope of the
    tanh, then the recurrent matrix. From a distance $T$, that is a product of $T$ such factors.

    Args:
        states: after each step, from `simple_rnn_states`.
        recurrent_kernel: $W$.
        last_gradient: ∂L/∂h at the last step.

    Returns:
        ∂L/∂h after each step, in the order of `states`.

    Source: Pascanu, Mikolov and Bengio 2013, section 2.1, with rows for columns.
    """
    gradients = [last_gradient]
    for state in states[:0:-1]:  # from the last state down to the second
        gradients.append(recurrent_kernel @ ((1 - state**2) * gradients[-1]))
    return np.array(gradients[::-1])


def largest_singular_value(matrix: Float[np.ndarray, "rows columns"]) -> float:
    """The most by which a matrix stretches any vector, $\\sigma_{\\max}$."""
    return float(np.linalg.svd(matrix, compute_uv=False)[0])


def gradient_bound(largest: float, distance: int, slope: float = 1.0) -> float:
    """The most that `distance` steps back can leave of a gradient's norm: $(\\gamma\\,\\sigma_{\\max})^T$.

    A bound from above: below 1 it proves that the gradient vanishes; above 1 it proves nothing.

    Args:
        largest: the recurrent matrix' largest singular value.
        distance: steps back.
        slope: the steepest slope $\\gamma$ of the nonlinearity, 1 for tanh, 1/4 for the logistic function.

    Source: Pascanu, Mikolov and Bengio 2013, section 2.1.
    """
    return (slope * largest) ** distance


def sigmoid(z: Float[np.ndarray, "*shape"]) -> Float[np.ndarray, "*shape"]:
    """The logistic function $1 / (1 + e^{-z})$ of gates."""
    return 1 / (1 + np.exp(-z))


def lstm_forget_gates(
    inputs: Float[np.ndarray, "steps features"],
    kernel: Float[np.ndarray, "features four_units"],
    recurrent_kernel: Float[np.ndarray, "units four_units"],
    bias: Float[np.ndarray, " four_units"],
) -> Float[np.ndarray, "steps units"]:
    """Run an LSTM and return its forget gates, the factor by which each step keeps each cell.

    $c_t = f_t \\odot c_{t-1} + i_t \\odot g_t$: along the cells, the gradient from a distance $T$ is the
    product of $T$ forget gates (and of what comes back through the gates, which this leaves out).

    Kernels as `keras.layers.LSTM` keeps them: input gate, forget gate, candidate, output gate.

    Source: Gers, Schmidhuber and Cummins 2000 for the forget gate; Hochreiter and Schmidhuber 1997.
    """
    units = len(recurrent_kernel)
    state, cell, gates = np.zeros(units), np.zeros(units), []
    for x in inputs:
        z = np.split(x @ kernel + state @ recurrent_kernel + bias, 4)
        enter, forget, leave = sigmoid(z[0]), sigmoid(z[1]), sigmoid(z[3])
        cell = forget * cell + enter * np.tanh(z[2])
        state = leave * np.tanh(cell)
        gates.append(forget)
    return np.array(gates)
