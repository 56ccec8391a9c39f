"""Five ways to tell attention about order, and an attention layer that takes any of them.

`none` tells it nothing; a causal mask then is all there is. `learned` and `sinusoidal` add a vector to each
token. `rope` turns queries and keys by an angle that grows with their position, `alibi` lowers the score of a
pair by its distance; both leave the tokens alone.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Bool, Float

from attention_from_scratch.attention import checked, softmax
from attention_from_scratch.heads import Projections, split_heads
from attention_from_scratch.positions import sinusoidal

KINDS = {
    "none": "none",
    "learned": "learned",
    "sinusoidal": "sinusoidal",
    "rope": "RoPE",
    "alibi": "ALiBi",
}


def add_positions(
    tokens: Float[np.ndarray, "*batch length width"],
    kind: str,
    table: Float[np.ndarray, "longest width"] | None = None,
) -> Float[np.ndarray, "*batch length width"]:
    """Tokens with a vector for each position, for the kinds that add one; the same tokens for the others.

    Args:
        tokens: embedded.
        kind: one of `KINDS`.
        table: of `learned`, one row a position.

    Raises:
        ValueError: an unknown kind, or more tokens than the table has rows.
    """
    length, width = tokens.shape[-2:]
    if kind not in KINDS:
        raise ValueError(f"positions are {kind!r}; expected one of {', '.join(KINDS)}")
    if kind == "sinusoidal":
        return tokens + sinusoidal(length, width).astype(tokens.dtype)
    if kind == "learned":
        if table is None or len(table) < length:
            rows = "no table" if table is None else f"a table of {len(table)} rows"
            raise ValueError(f"{length} tokens and {rows}; expected one learned row for each position")
        return tokens + table[:length]
    return tokens


def rotate(
    vectors: Float[np.ndarray, "*batch length width"],
) -> Float[np.ndarray, "*batch length width"]:
    """Turn each pair of components by position × frequency (RoPE, rotary position embedding).

    The pair $(x_{2i}, x_{2i+1})$ at position $p$ is turned by the angle $p / 10000^{2i/d}$. A query and a key
    that are both turned have a dot product that depends on how far apart they are, and not on where.

    Source: Su et al. 2021 (arXiv:2104.09864), section 3.2.2.

    Args:
        vectors: queries or keys; of even width.

    Raises:
        ValueError: an odd width.
    """
    length, width = vectors.shape[-2:]
    turns = sinusoidal(length, width).astype(vectors.dtype)  # sine and cosine of each angle, alternating
    sin, cos = turns[:, ::2], turns[:, 1::2]
    even, odd = vectors[..., ::2], vectors[..., 1::2]
    turned = np.stack([even * cos - odd * sin, even * sin + odd * cos], axis=-1)
    return turned.reshape(vectors.shape)


def alibi(num_heads: int, length: int) -> Float[np.ndarray, "heads queries keys"]:
    """What ALiBi adds to the scores: minus the distance, times a slope of the head's own.

    Head $h$ of $H$ has the slope $2^{-8h/H}$, counted from 1: steep ones look near, flat ones far.

    Source: Press, Smith and Lewis 2021 (arXiv:2108.12409), section 3. It is defined there for causal
    attention; ahead, the distance counts likewise.

    Args:
        num_heads: of the layer. For powers of two the slopes are the paper's.
        length: of the sequence.
    """
    slopes = 2.0 ** (-8 * np.arange(1, num_heads + 1) / num_heads)
    places = np.arange(length)
    return -slopes[:, np.newaxis, np.newaxis] * np.abs(places[:, np.newaxis] - places)


def self_attention(
    tokens: Float[np.ndarray, "*batch length d_model"],
    weights: Projections,
    kind: str = "none",
    mask: Bool[np.ndarray, "*#batch #length length"] | None = None,
) -> tuple[Float[np.ndarray, "*batch length d_model"], Float[np.ndarray, "*batch num_heads length length"]]:
    """Multi-head self-attention, with the positions that act inside of it.

    Args:
        tokens: of the sequence; `add_positions` was there before.
        weights: the projections.
        kind: one of `KINDS`; all but `rope` and `alibi` change nothing here.
        mask: True where the query may attend to the key.

    Returns:
        The output, and the weights of each head.

    Raises:
        ValueError: a mask that does not fit.
    """
    query = split_heads(tokens, weights.query_kernel, weights.query_bias)
    key = split_heads(tokens, weights.key_kernel, weights.key_bias)
    value = split_heads(tokens, weights.value_kernel, weights.value_bias)
    if kind == "rope":
        query, key = rotate(query), rotate(key)
    scores = query @ np.swapaxes(key, -1, -2) / query.shape[-1] ** 0.5
    if kind == "alibi":
        scores = scores + alibi(*scores.shape[-3:-1]).astype(scores.dtype)
    if mask is not None:
        scores = np.where(checked(mask[..., np.newaxis, :, :], scores), scores, -1e9)
    attended = softmax(scores)
    mixed = np.einsum("...hqv,hvd->...qd", attended @ value, weights.output_kernel)
    return mixed + weights.output_bias, attended
