"""Attention blocks that answer from their last position, in Keras."""

from __future__ import annotations

import keras
import numpy as np

from attention_from_scratch.positions import sinusoidal
from attention_from_scratch.tasks.match_then_read import VOCABULARY


class AddPositions(keras.layers.Layer):
    """Adds fixed sinusoidal positions to embedded tokens; no parameters."""

    def build(self, input_shape):
        """Compute the table once."""
        self.table = keras.ops.convert_to_tensor(sinusoidal(*input_shape[-2:]), "float32")

    def call(self, embedded):
        """(batch, length, width) in and out."""
        return embedded + self.table


def block_model(
    *,
    length: int,
    blocks: int,
    width: int = 32,
    num_heads: int = 4,
    feed_forward: int = 64,
    causal: bool = False,
    vocabulary: int = VOCABULARY,
) -> keras.Model:
    """Transformer blocks over whole sequences, one answer from the last position.

    Embedding and fixed positions; in each block multi-head self-attention and a feed-forward layer with
    ReLU, a residual sum and LayerNorm after each (Vaswani et al. 2017, §3.1); a dense layer of logits.

    Only the last position answers, so the last block computes only that position: the other rows of
    its output would reach nothing. Parameters, function and gradients are those of the full block, and
    its causal mask has nothing to hide, since the last position may look at all the others.

    Args:
        length: of the sequences.
        blocks: how many, at least 1.
        width: of the embedding and of everything between blocks (`d_model`); a multiple of `num_heads`.
        num_heads: key_dim is `width / num_heads`.
        feed_forward: width of the hidden layer.
        causal: hide later positions in all blocks but the last, where it makes no difference.
        vocabulary: how many tokens there are, padding included; also the number of logits.

    Raises:
        ValueError: no block, or a width that the heads do not divide.
    """
    if blocks < 1:
        raise ValueError(f"blocks is {blocks}; a model has at least 1")
    if width % num_heads:
        raise ValueError(f"width {width} is no multiple of num_heads {num_heads}")
    tokens = keras.Input((length,), dtype="int32", name="tokens")
    x = keras.layers.Embedding(vocabulary, width, name="embedding")(tokens)
    x = AddPositions(name="positions")(x)
    for index in range(1, blocks + 1):
        last = index == blocks
        attention = keras.layers.MultiHeadAttention(
            num_heads, width // num_heads, name=f"block{index}_attention"
        )
        query = x[:, -1:] if last else x
        attended = attention(query, x, use_causal_mask=causal and not last)
        x = keras.layers.LayerNormalization(name=f"block{index}_norm1")(query + attended)
        hidden = keras.layers.Dense(feed_forward, activation="relu", name=f"block{index}_hidden")(x)
        hidden = keras.layers.Dense(width, name=f"block{index}_output")(hidden)
        x = keras.layers.LayerNormalization(name=f"block{index}_norm2")(x + hidden)
    logits = keras.layers.Dense(vocabulary, name="logits")(x[:, -1])
    return keras.Model(tokens, logits, name=f"blocks{blocks}")


def weights_by_name(model: keras.Model) -> dict[str, np.ndarray]:
    """The model's weights as float32 arrays: `block1_attention.query.kernel` and so on."""
    return {v.path.replace("/", "."): keras.ops.convert_to_numpy(v) for v in model.trainable_variables}
