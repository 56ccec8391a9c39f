"""The way back through attention, by hand: from the gradient at its output to those at its three inputs."""

from __future__ import annotations

import numpy as np
from jaxtyping import Bool, Float

from attention_from_scratch.attention import attention


def softmax_gradient(
    weights: Float[np.ndarray, "*batch keys"], gradient: Float[np.ndarray, "*batch keys"]
) -> Float[np.ndarray, "*batch keys"]:
    """From ∂L/∂weights to ∂L/∂scores: $ds = w \\odot (g - \\sum_j w_j g_j)$.

    A score gains where its weight's gradient lies above the row's average, which is taken by the weights
    themselves. The entries sum to 0: to raise every score alike changes nothing.

    Args:
        weights: what the softmax gave, $w$.
        gradient: the loss's derivative by each weight, $g$.
    """
    average = (weights * gradient).sum(axis=-1, keepdims=True)
    return weights * (gradient - average)


def attention_gradients(
    query: Float[np.ndarray, "*batch queries key_dim"],
    key: Float[np.ndarray, "*batch keys key_dim"],
    value: Float[np.ndarray, "*batch keys value_dim"],
    gradient: Float[np.ndarray, "*batch queries value_dim"],
    mask: Bool[np.ndarray, "*#batch #queries keys"] | None = None,
) -> tuple[
    Float[np.ndarray, "*batch queries key_dim"],
    Float[np.ndarray, "*batch keys key_dim"],
    Float[np.ndarray, "*batch keys value_dim"],
]:
    """The gradients of attention's three inputs, from that of its output.

    Args:
        query: as attention got them.
        key: likewise.
        value: likewise.
        gradient: ∂L/∂output.
        mask: True where the query may attend to the key. A blocked pair has no weight, so no gradient either.

    Returns:
        ∂L/∂query, ∂L/∂key, ∂L/∂value.
    """
    _, weights = attention(query, key, value, mask)
    by_value = np.swapaxes(weights, -1, -2) @ gradient
    by_weight = gradient @ np.swapaxes(value, -1, -2)
    by_score = softmax_gradient(weights, by_weight) / query.shape[-1] ** 0.5
    return by_score @ key, np.swapaxes(by_score, -1, -2) @ query, by_value


def finite_differences(function, x: Float[np.ndarray, "*shape"], step: float) -> Float[np.ndarray, "*shape"]:
    """The gradient of a function of an array, entry by entry: $(f(x + h) - f(x - h)) / 2h$.

    Args:
        function: an array in, one number out.
        x: where.
        step: $h$; around $10^{-5}$ in float64 truncation and rounding are about equally small.
    """
    gradient = np.zeros_like(x)
    for index in np.ndindex(x.shape):
        up, down = x.copy(), x.copy()
        up[index] += step
        down[index] -= step
        gradient[index] = (function(up) - function(down)) / (2 * step)
    return gradient
