"""A small vision transformer, in Keras: patches and a class token in, logits out (Dosovitskiy et al. 2021).

LayerNorm stands before each part of a block, as theirs does. The class token alone answers, so the last
block computes that query alone: the other rows of its output would reach nothing.
"""

from __future__ import annotations

import keras
from keras import ops

from attention_from_scratch.tasks.digits import CLASSES, PATCHES, PIXELS


class Tokens(keras.layers.Layer):
    """A class token in front of embedded patches, and learned positions; perhaps an empty token behind.

    Args:
        empty: add a token of zeros that has no position: a place with nothing in it.
    """

    def __init__(self, empty: bool, **options) -> None:
        super().__init__(**options)
        self.empty = empty

    def build(self, input_shape):
        """One row for the class token, one position for it and for each patch."""
        _, patches, width = input_shape
        small = keras.initializers.RandomNormal(stddev=0.02)
        self.class_token = self.add_weight(shape=(1, width), initializer=small, name="class_token")
        self.positions = self.add_weight(shape=(patches + 1, width), initializer=small, name="positions")

    def call(self, embedded):
        """(batch, patches, width) in, (batch, tokens, width) out."""
        first = ops.broadcast_to(self.class_token, (ops.shape(embedded)[0], 1, embedded.shape[-1]))
        tokens = ops.concatenate([first, embedded], axis=1) + self.positions
        return ops.concatenate([tokens, ops.zeros_like(first)], axis=1) if self.empty else tokens


class AttentionToNothing(keras.layers.MultiHeadAttention):
    """Multi-head attention whose softmax has one added to its denominator (Miller 2023).

    A query that finds nothing may so give its weight to nothing: weights sum to less than one.
    """

    def _masked_softmax(self, attention_scores, attention_mask=None):
        most = ops.maximum(ops.max(attention_scores, axis=-1, keepdims=True), 0.0)
        exponentials = ops.exp(attention_scores - most)
        return exponentials / (ops.exp(-most) + ops.sum(exponentials, axis=-1, keepdims=True))


def vision_model(
    *,
    blocks: int = 2,
    width: int = 32,
    num_heads: int = 4,
    feed_forward: int = 64,
    plus_one: bool = False,
    empty: bool = False,
) -> keras.Model:
    """Patches of an image in, one logit a class out.

    Args:
        blocks: how many.
        width: of all tokens (`d_model`); a multiple of `num_heads`.
        num_heads: key_dim is `width / num_heads`.
        feed_forward: width of the hidden layer.
        plus_one: add one to the softmax's denominator.
        empty: add a token with nothing in it.
    """
    kind = AttentionToNothing if plus_one else keras.layers.MultiHeadAttention
    patches = keras.Input((PATCHES, PIXELS), name="patches")
    x = Tokens(empty, name="tokens")(keras.layers.Dense(width, name="embedding")(patches))
    for index in range(1, blocks + 1):
        name, last = f"block{index}", index == blocks
        normed = keras.layers.LayerNormalization(name=f"{name}_norm1")(x)
        attention = kind(num_heads, width // num_heads, name=f"{name}_attention")
        query = normed[:, :1] if last else normed
        # The scores are asked for so that Keras takes the way through its softmax, which may be another one.
        attended, _ = attention(query, normed, return_attention_scores=True)
        x = (x[:, :1] if last else x) + attended
        normed = keras.layers.LayerNormalization(name=f"{name}_norm2")(x)
        hidden = keras.layers.Dense(feed_forward, activation="relu", name=f"{name}_hidden")(normed)
        x = x + keras.layers.Dense(width, name=f"{name}_output")(hidden)
    answer = keras.layers.LayerNormalization(name="norm")(x[:, 0])
    return keras.Model(patches, keras.layers.Dense(CLASSES, name="logits")(answer), name=f"vision{blocks}")
