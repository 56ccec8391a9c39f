"""Causal models that answer at each position, in Keras: transformers, parts removed, and recurrent ones."""

from __future__ import annotations

from typing import Any

import keras
import numpy as np
import tensorflow as tf

from attention_from_scratch import masks
from attention_from_scratch.linear_attention import SMALLEST
from attention_from_scratch.position_kinds import KINDS, alibi
from attention_from_scratch.positions import sinusoidal


class CausalAttention(keras.layers.Layer):
    """Multi-head causal self-attention with the positions that act inside of it; softmax or linear.

    Kernels have the shapes and the start of `keras.layers.MultiHeadAttention`.

    Args:
        num_heads: key_dim is the width of the tokens over this.
        positions: one of `KINDS`.
        linear: no softmax: weights are products of positive features (Katharopoulos et al. 2020).
    """

    def __init__(self, num_heads: int, positions: str, *, linear: bool = False, **named: Any) -> None:
        super().__init__(**named)
        self.num_heads, self.positions, self.linear = num_heads, positions, linear

    def build(self, input_shape):
        """Kernels, by the width of the tokens."""
        width = input_shape[-1]
        inward = (width, self.num_heads, width // self.num_heads)
        self.projections = [
            (
                self.add_weight(shape=inward, initializer="glorot_uniform", name=f"{part}_kernel"),
                self.add_weight(shape=inward[1:], initializer="zeros", name=f"{part}_bias"),
            )
            for part in ("query", "key", "value")
        ]
        self.output_kernel = self.add_weight(
            shape=(*inward[1:], width), initializer="glorot_uniform", name="output_kernel"
        )
        self.output_bias = self.add_weight(shape=(width,), initializer="zeros", name="output_bias")

    def call(self, tokens):
        """(batch, length, width) in and out."""
        query, key, value = (
            tf.einsum("btd,dhw->bhtw", tokens, kernel) + bias[:, tf.newaxis]
            for kernel, bias in self.projections
        )
        weights = self.weigh(query, key)
        read = tf.einsum("bhqk,bhkv->bhqv", weights, value)
        return tf.einsum("bhqv,hvd->bqd", read, self.output_kernel) + self.output_bias

    def weigh(self, query, key):
        """The weights (batch, heads, queries, keys)."""
        length = query.shape[-2]
        allowed = tf.constant(masks.causal(length))
        if self.positions == "rope":
            query, key = turned(query), turned(key)
        if self.linear:
            products = tf.einsum("bhqw,bhkw->bhqk", tf.nn.elu(query) + 1, tf.nn.elu(key) + 1)
            products = tf.where(allowed, products, 0.0)
            return products / (tf.reduce_sum(products, axis=-1, keepdims=True) + SMALLEST)
        scores = tf.einsum("bhqw,bhkw->bhqk", query, key) / query.shape[-1] ** 0.5
        if self.positions == "alibi":
            scores += tf.constant(alibi(self.num_heads, length), scores.dtype)
        return tf.nn.softmax(tf.where(allowed, scores, -1e9))


def turned(vectors):
    """RoPE, written with complex numbers: each pair of components times $e^{i p \\theta}$."""
    length, width = vectors.shape[-2:]
    turns = sinusoidal(length, width)
    turns = tf.constant(turns[:, 1::2] + 1j * turns[:, ::2], tf.complex64)
    made = tf.complex(vectors[..., ::2], vectors[..., 1::2]) * turns
    return tf.reshape(tf.stack([tf.math.real(made), tf.math.imag(made)], axis=-1), tf.shape(vectors))


class SequenceTransformer(keras.Model):
    """Causal transformer blocks, logits at each position; any part can be left out.

    Args:
        vocabulary: how many tokens there are.
        answers: how many logits.
        blocks: how many.
        width: of the embedding and of everything between blocks.
        num_heads: of each block.
        feed_forward: width of the hidden layers; 0 leaves them out.
        positions: one of `KINDS`.
        longest: rows of the table of learned positions; the others need none.
        residual: whether each layer adds to what it was given, instead of replacing it.
        norm: LayerNorm `after` each sum, `before` each layer (and once at the end), or `none`.
        linear: attention without a softmax.
        asked: the last 1/asked of the positions answer.
        deviation: embeddings, and learned positions, start as normal numbers of this standard deviation.

    Raises:
        ValueError: positions or norms of an unknown kind, or a width that the heads do not divide.
    """

    def __init__(
        self,
        *,
        vocabulary: int,
        answers: int,
        blocks: int = 2,
        width: int = 32,
        num_heads: int = 4,
        feed_forward: int = 64,
        positions: str = "none",
        longest: int = 64,
        residual: bool = True,
        norm: str = "before",
        linear: bool = False,
        asked: int = 1,
        deviation: float = 1.0,
    ) -> None:
        super().__init__()
        if positions not in KINDS or norm not in ("after", "before", "none"):
            raise ValueError(f"positions {positions!r} and norm {norm!r}; one of them is unknown")
        if width % num_heads:
            raise ValueError(f"width {width} is no multiple of num_heads {num_heads}")
        self.positions, self.residual, self.norm, self.asked = positions, residual, norm, asked
        self.blocks = blocks
        start = keras.initializers.RandomNormal(stddev=deviation)
        self.embedding = keras.layers.Embedding(vocabulary, width, start)
        self.table = keras.layers.Embedding(longest, width, start) if positions == "learned" else None
        self.sublayers = []
        for _ in range(blocks):
            self.sublayers.append(CausalAttention(num_heads, positions, linear=linear))
            if feed_forward:
                self.sublayers.append(
                    keras.Sequential(
                        [keras.layers.Dense(feed_forward, activation="relu"), keras.layers.Dense(width)]
                    )
                )
        normed = len(self.sublayers) if norm != "none" else 0
        self.norms = [keras.layers.LayerNormalization() for _ in range(normed)]
        self.final_norm = keras.layers.LayerNormalization() if norm == "before" else None
        self.logits = keras.layers.Dense(answers)
        self(np.zeros((1, asked), np.int32))  # builds the weights

    def call(self, tokens):
        """(batch, length) tokens in, (batch, length / asked, answers) logits out."""
        x = self.streams(tokens)[-1]
        return self.answer(x[:, tokens.shape[1] - tokens.shape[1] // self.asked :])

    def answer(self, x):
        """From tokens after the last block to logits."""
        return self.logits(x if self.final_norm is None else self.final_norm(x))

    def streams(self, tokens):
        """The tokens as the blocks are given them, then after each layer (attention, feed-forward, …)."""
        length, width = tokens.shape[1], self.embedding.output_dim
        x = self.embedding(tokens)
        if self.positions == "sinusoidal":
            x += tf.constant(sinusoidal(length, width), x.dtype)
        if self.table is not None:
            x += self.table(np.arange(length))
        found = [x]
        for index, sublayer in enumerate(self.sublayers):
            norm = self.norms[index] if self.norms else None
            change = sublayer(norm(x) if self.norm == "before" else x)
            x = x + change if self.residual else change
            if self.norm == "after":
                x = norm(x)
            found.append(x)
        return found


class SequenceRecurrent(keras.Model):
    """Recurrent layers, logits at each position.

    Args:
        layer: `lstm`, `gru` or `simple_rnn`.
        vocabulary: how many tokens there are.
        answers: how many logits.
        layers: one above the other.
        width: of embedding and states.
        asked: the last 1/asked of the positions answer.
        deviation: embeddings start as normal numbers of this standard deviation.
    """

    def __init__(
        self,
        *,
        layer: str,
        vocabulary: int,
        answers: int,
        layers: int = 1,
        width: int = 32,
        asked: int = 1,
        deviation: float = 1.0,
    ) -> None:
        super().__init__()
        kinds = {
            "lstm": (keras.layers.LSTM, {"use_cudnn": False}),
            "gru": (keras.layers.GRU, {"use_cudnn": False}),
            "simple_rnn": (keras.layers.SimpleRNN, {}),
        }
        if layer not in kinds:
            raise ValueError(f"layer is {layer!r}; expected one of {', '.join(kinds)}")
        kind, options = kinds[layer]
        self.asked = asked
        start = keras.initializers.RandomNormal(stddev=deviation)
        self.embedding = keras.layers.Embedding(vocabulary, width, start)
        self.recurrent = [kind(width, return_sequences=True, **options) for _ in range(layers)]
        self.logits = keras.layers.Dense(answers)
        self(np.zeros((1, asked), np.int32))

    def call(self, tokens):
        """(batch, length) tokens in, (batch, length / asked, answers) logits out."""
        x = self.embedding(tokens)
        for layer in self.recurrent:
            x = layer(x)
        return self.logits(x[:, tokens.shape[1] - tokens.shape[1] // self.asked :])
