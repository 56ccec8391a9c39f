"""The same attention, block by block: the score matrix is never held whole."""

from __future__ import annotations

import numpy as np
from jaxtyping import Bool, Float

from attention_from_scratch.attention import checked


def online_attention(
    query: Float[np.ndarray, "queries key_dim"],
    key: Float[np.ndarray, "keys key_dim"],
    value: Float[np.ndarray, "keys value_dim"],
    mask: Bool[np.ndarray, "#queries #keys"] | None = None,
    *,
    block: int = 128,
) -> Float[np.ndarray, "queries value_dim"]:
    """Scaled dot-product attention that reads the keys in blocks and keeps three running values a query.

    The largest score so far $m$, the sum of exponentials $z$, and the sum of weighted values $o$. When a
    block raises $m$ to $m'$, the old sums shrink by $e^{m - m'}$; the division by $z$ comes last.

    Source: Milakov and Gimelshein 2018 (arXiv:1805.02867); Rabe and Staats 2021 (arXiv:2112.05682);
    the idea inside FlashAttention, Dao et al. 2022 (arXiv:2205.14135).

    Args:
        query: as in `attention`, without batch axes.
        key: likewise.
        value: likewise.
        mask: True where the query may attend to the key. A query that may attend to nothing gets zeros.
        block: keys read at a time; the scores held at once are queries × block.

    Raises:
        ValueError: a block smaller than 1, or a mask that does not fit.
    """
    if block < 1:
        raise ValueError(f"expected a block of at least 1 key, got {block}")
    queries, keys = len(query), len(key)
    if mask is not None:
        whole = np.broadcast_to(np.zeros((), query.dtype), (queries, keys))  # a shape, no memory
        mask = np.broadcast_to(checked(mask, whole), (queries, keys))
    largest = np.full((queries, 1), -np.inf, query.dtype)
    normaliser = np.zeros((queries, 1), query.dtype)
    output = np.zeros((queries, value.shape[-1]), query.dtype)
    for start in range(0, keys, block):
        part = slice(start, start + block)
        scores = query @ key[part].T / query.shape[-1] ** 0.5
        if mask is not None:
            scores = np.where(mask[:, part], scores, -np.inf)
        new_largest = np.maximum(largest, scores.max(axis=-1, keepdims=True))
        # A query that has seen no allowed key has -inf as its largest; 0 in its place avoids -inf - -inf.
        reference = np.where(np.isneginf(new_largest), 0, new_largest)
        exponentials = np.exp(scores - reference)
        shrink = np.exp(largest - reference)
        normaliser = normaliser * shrink + exponentials.sum(axis=-1, keepdims=True)
        output = output * shrink + exponentials @ value[part]
        largest = new_largest
    return output / np.where(normaliser == 0, 1, normaliser)
