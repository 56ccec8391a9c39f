"""What becomes of a row of attention when its scores grow: one weight takes all, and the gradient stops.

Everything here is for one row of scores at a time, many rows at once.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from jaxtyping import Float

from attention_from_scratch.attention import softmax

Rows = Mapping[str, Float[np.ndarray, "*rows"]]


def row_statistics(
    scores: Float[np.ndarray, "rows keys"],
    keys: Float[np.ndarray, "rows keys width"],
    upstream: Float[np.ndarray, "rows keys"],
    factor: float,
) -> Rows:
    """What one row of scores, multiplied by `factor`, does.

    Args:
        scores: dot products of a query with its keys.
        keys: those keys, through which the gradient reaches the query.
        upstream: the loss's derivative by each weight.
        factor: 1, or one over the square root of the width.

    Returns:
        `max_weight`, the largest weight; `entropy` of the weights; `jacobian`, the Frobenius norm of the
        softmax's Jacobian; `query_gradient`, the norm of the gradient that reaches the query.
    """
    weights = softmax(factor * scores)
    jacobian = softmax_jacobian(weights)
    by_score = np.einsum("rij,rj->ri", jacobian, upstream)
    by_query = factor * np.einsum("ri,rid->rd", by_score, keys)
    return {
        "max_weight": weights.max(axis=-1),
        "entropy": -np.sum(weights * np.log(np.maximum(weights, 1e-300)), axis=-1),
        "jacobian": np.sqrt(np.square(jacobian).sum(axis=(-2, -1))),
        "query_gradient": np.sqrt(np.square(by_query).sum(axis=-1)),
    }


def softmax_jacobian(weights: Float[np.ndarray, "rows keys"]) -> Float[np.ndarray, "rows keys keys"]:
    """The derivative of each weight by each score: $J = \\mathrm{diag}(w) - w w^T$.

    The diagonal is $w_i \\sum_{j \\ne i} w_j$ rather than $w_i (1 - w_i)$: the same number, but it keeps its
    digits where a weight is nearly 1.
    """
    count = weights.shape[-1]
    others = weights @ (1 - np.eye(count))
    jacobian = -weights[:, :, np.newaxis] * weights[:, np.newaxis, :]
    jacobian[:, np.arange(count), np.arange(count)] = weights * others
    return jacobian
