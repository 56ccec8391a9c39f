"""One block in a dozen lines: attention and a feed-forward layer, each added to the stream it reads from.

No biases and no learned gains; the models' block, with both, is in `forward`.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from attention_from_scratch.heads import Projections, multi_head_attention

EPSILON = 1e-3  # Keras' LayerNormalization adds this to the variance


def block(
    x: Float[np.ndarray, "tokens d_model"],
    heads: Projections,
    up: Float[np.ndarray, "d_model hidden"],
    down: Float[np.ndarray, "hidden d_model"],
) -> Float[np.ndarray, "tokens d_model"]:
    """Attention, sum, LayerNorm; feed-forward, sum, LayerNorm.

    Source: Vaswani et al. 2017, section 3.1.

    Args:
        x: the tokens.
        heads: of the attention.
        up: the feed-forward layer's first kernel.
        down: its second.
    """
    looked, _ = multi_head_attention(x, x, x, heads)
    x = normalised(x + looked)
    hidden = np.maximum(x @ up, 0)
    return normalised(x + hidden @ down)


def normalised(x: Float[np.ndarray, "tokens d_model"]) -> Float[np.ndarray, "tokens d_model"]:
    """LayerNorm: each token by itself gets mean 0 and variance 1 over its components."""
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + EPSILON)
