"""Attention without a softmax: a memory of fixed size, read and written token by token."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

SMALLEST = 1e-6  # added to the normaliser, which is positive anyway


def positive_features(x: Float[np.ndarray, "*shape"]) -> Float[np.ndarray, "*shape"]:
    """$\\phi(x) = \\mathrm{elu}(x) + 1$: positive, so that weights are.

    Source: Katharopoulos et al. 2020 (arXiv:2006.16236), section 3.4.
    """
    return np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))


def linear_attention(
    query: Float[np.ndarray, "*batch length key_dim"],
    key: Float[np.ndarray, "*batch length key_dim"],
    value: Float[np.ndarray, "*batch length value_dim"],
) -> Float[np.ndarray, "*batch length value_dim"]:
    """Causal linear attention, as a recurrence: $S_t = S_{t-1} + \\phi(k_t)\\, v_t^T$.

    Output $t$ is $\\phi(q_t)^T S_t$ over $\\phi(q_t)^T z_t$, $z$ the sum of the $\\phi(k)$ so far. The state
    is a matrix of key_dim × value_dim numbers, however long the sequence.

    Source: Katharopoulos et al. 2020 (arXiv:2006.16236), section 3.3.

    Args:
        query: of each token.
        key: likewise.
        value: likewise.
    """
    query, key = positive_features(query), positive_features(key)
    memory = np.zeros((*key.shape[:-2], key.shape[-1], value.shape[-1]), value.dtype)
    normaliser = np.zeros((*key.shape[:-2], key.shape[-1]), value.dtype)
    outputs = []
    for t in range(query.shape[-2]):
        memory = memory + key[..., t, :, np.newaxis] * value[..., t, np.newaxis, :]
        normaliser = normaliser + key[..., t, :]
        read = np.einsum("...k,...kv->...v", query[..., t, :], memory)
        outputs.append(read / ((query[..., t, :] * normaliser).sum(axis=-1, keepdims=True) + SMALLEST))
    return np.stack(outputs, axis=-2)
