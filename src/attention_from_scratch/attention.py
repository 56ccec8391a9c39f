"""Attention in six statements, and the softmax that they need. The page prints this module as it stands."""

from __future__ import annotations

import numpy as np
from jaxtyping import Bool, Float


def softmax(
    scores: Float[np.ndarray, "*batch keys"],
) -> Float[np.ndarray, "*batch keys"]:
    """Turn each row of scores into positive weights that sum to 1.

    $w_i = e^{s_i - m} / \\sum_j e^{s_j - m}$ with $m = \\max_j s_j$. Subtracting the same number from
    every score changes no weight; subtracting the largest keeps `exp` from overflowing.

    Args:
        scores: any real numbers; the last axis is normalised.

    Returns:
        The weights, in the dtype of the scores. A row of nothing but `-inf` has no weights: it gives NaN.
    """
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def attention(
    query: Float[np.ndarray, "*batch queries key_dim"],
    key: Float[np.ndarray, "*batch keys key_dim"],
    value: Float[np.ndarray, "*batch keys value_dim"],
    mask: Bool[np.ndarray, "*#batch #queries keys"] | None = None,
) -> tuple[
    Float[np.ndarray, "*batch queries value_dim"],
    Float[np.ndarray, "*batch queries keys"],
]:
    """Scaled dot-product attention: $\\mathrm{softmax}(Q K^T / \\sqrt{d_k})\\, V$.

    Source: Vaswani et al. 2017, "Attention Is All You Need", section 3.2.1, equation 1.

    Args:
        query: what each position looks for.
        key: what each position offers to be found by; as wide as the query.
        value: what each position hands over once found; its width is free.
        mask: True where the query may attend to the key. Give each row at least one True: a row
            without any gets uniform weights over the blocked keys, which is never what one wants.

    Returns:
        The output, one weighted mean of values for each query, and the weights that made it.

    Raises:
        ValueError: the mask does not fit the scores; the message names both shapes.
        TypeError: the mask is not boolean.
    """
    scores = query @ np.swapaxes(key, -1, -2)
    scores = scores / query.shape[-1] ** 0.5  # float32 stays float32
    if mask is not None:
        scores = np.where(checked(mask, scores), scores, -1e9)
    weights = softmax(scores)
    return weights @ value, weights


def checked(
    mask: Bool[np.ndarray, "*#batch #queries #keys"], scores: Float[np.ndarray, "*batch queries keys"]
) -> Bool[np.ndarray, "*#batch #queries #keys"]:
    """Return the mask, if it is one for these scores.

    Raises:
        ValueError: it does not broadcast to the scores' shape.
        TypeError: it is not boolean. Numbers are refused because an additive mask (0 where allowed)
            would be read the wrong way round, without a word.
    """
    if mask.dtype != np.bool_:
        raise TypeError(
            f"the mask is {mask.dtype}; expected bool, True where the query may attend to the key"
        )
    try:
        fits = np.broadcast_shapes(mask.shape, scores.shape) == scores.shape
    except ValueError:
        fits = False
    if not fits:
        raise ValueError(
            f"the mask has shape {mask.shape}, the scores have shape {scores.shape}; "
            "expected a mask of shape (…, queries, keys) that broadcasts to the scores"
        )
    return mask
