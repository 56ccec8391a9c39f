"""Layers that read a sequence and answer at its end, in Keras.

All stand between the same embedding and the same two logits, and all are equally wide. What differs is
the way from the first token to the answer.
"""

from __future__ import annotations

from typing import Any

import keras
import numpy as np
import tensorflow as tf
from jaxtyping import Float

from attention_from_scratch.positions import sinusoidal
from attention_from_scratch.tasks.recall import PADDING, SYMBOLS, VOCABULARY

# Gradients 200 steps back lie below what float32 can hold. Scaling the loss by a power of two rounds
# nothing and moves them into its range.
LOSS_SCALE = 2.0**100


class RecurrentReader(keras.Model):
    """Embedding, one recurrent layer, logits from its last state.

    Everything that is not said is Keras' default: small uniform embeddings, Glorot kernels, an orthogonal
    recurrent kernel, and 1 as the bias of an LSTM's forget gate.

    Args:
        layer: `simple_rnn`, `gru` or `lstm`.
        width: of embedding and state.
        recurrent_initializer: Keras' name of one.
        forget_bias: of an LSTM's forget gate at the start; the other layers have none.
        masked: hand the padding mask to the layer, which then skips padded steps.
    """

    def __init__(
        self,
        layer: str,
        width: int,
        *,
        recurrent_initializer: str = "orthogonal",
        forget_bias: float = 1.0,
        masked: bool = False,
    ) -> None:
        super().__init__()
        self.embedding = keras.layers.Embedding(VOCABULARY, width, mask_zero=masked)
        options: dict[str, Any] = {"recurrent_initializer": recurrent_initializer}
        if layer == "simple_rnn":
            self.layer = keras.layers.SimpleRNN(width, **options)
        elif layer == "gru":
            self.layer = keras.layers.GRU(width, use_cudnn=False, **options)
        elif layer == "lstm":
            self.layer = keras.layers.LSTM(width, use_cudnn=False, **options)
        else:
            raise ValueError(f"layer is {layer!r}; expected simple_rnn, gru or lstm")
        self.logits = keras.layers.Dense(len(SYMBOLS))
        self(np.ones((1, 1), np.int32))  # builds the weights
        if layer == "lstm":
            bias = self.layer.cell.bias.numpy()
            bias[width : 2 * width] = forget_bias
            self.layer.cell.bias.assign(bias)

    def call(self, tokens):
        """(batch, length) tokens in, (batch, classes) logits out."""
        return self.logits(self.layer(self.embedding(tokens)))

    def gradient_norms(self, recall: Any) -> Float[np.ndarray, "length sequences"]:
        """For each sequence the norm of ∂L/∂state after each token, L being its own cross-entropy.

        The state is all that the layer hands on: h, and for an LSTM h and c together.
        """
        embedded = self.embedding(recall.tokens)
        state = self.layer.cell.get_initial_state(batch_size=len(recall.tokens))
        handed_on = []
        with tf.GradientTape() as tape:
            for step in range(embedded.shape[1]):
                _, state = self.layer.cell(embedded[:, step], state)
                # A copy that only the next step reads: h does not count twice where c is made from it.
                state = [tf.identity(part) for part in state]
                handed_on.append(state)
            loss = _summed_loss(self.logits(state[0]), recall.answers) * LOSS_SCALE
        gradients = tape.gradient(loss, handed_on, unconnected_gradients="zero")
        return np.array([_norms(np.concatenate(parts, axis=1)) for parts in gradients])


class AttentionReader(keras.Model):
    """Embedding and fixed positions, one attention layer whose last position answers.

    Only the last position's query is computed: the rows of the others would reach nothing.

    Args:
        length: of the sequences.
        width: of embedding and attention.
        num_heads: key_dim is `width / num_heads`.
    """

    def __init__(self, length: int, width: int, *, num_heads: int = 1) -> None:
        super().__init__()
        self.embedding = keras.layers.Embedding(VOCABULARY, width)
        self.positions = tf.constant(sinusoidal(length, width), tf.float32)
        self.layer = keras.layers.MultiHeadAttention(num_heads, width // num_heads)
        self.logits = keras.layers.Dense(len(SYMBOLS))
        self(np.ones((1, length), np.int32))

    def call(self, tokens):
        """(batch, length) tokens in, (batch, classes) logits out."""
        return self.read(self.embedding(tokens) + self.positions)

    def read(self, placed):
        """From embedded tokens with positions to logits."""
        last = placed[:, -1:]
        return self.logits((last + self.layer(last, placed))[:, 0])

    def gradient_norms(self, recall: Any) -> Float[np.ndarray, "length sequences"]:
        """For each sequence the norm of ∂L/∂x at each position, x being what attention reads there."""
        placed = self.embedding(recall.tokens) + self.positions
        with tf.GradientTape() as tape:
            tape.watch(placed)
            loss = _summed_loss(self.read(placed), recall.answers) * LOSS_SCALE
        return _norms(tape.gradient(loss, placed)).T

    def weights_of_last(self, tokens: np.ndarray) -> Float[np.ndarray, "sequences length"]:
        """What the last position attends to, averaged over heads."""
        placed = self.embedding(tokens) + self.positions
        _, scores = self.layer(placed[:, -1:], placed, return_attention_scores=True)
        return np.mean(scores, axis=1)[:, 0]


class PooledReader(keras.Model):
    """An encoder whose answer is a mean: self-attention over all positions, then the mean over them.

    Args:
        length: the longest sequence that it can read.
        width: of embedding and attention.
        masked: keep padding out of the attention and out of the mean.
    """

    def __init__(self, length: int, width: int, *, masked: bool) -> None:
        super().__init__()
        self.masked = masked
        self.embedding = keras.layers.Embedding(VOCABULARY, width)
        self.positions = tf.constant(sinusoidal(length, width), tf.float32)
        self.layer = keras.layers.MultiHeadAttention(1, width)
        self.logits = keras.layers.Dense(len(SYMBOLS))
        self(np.ones((1, length), np.int32))

    def call(self, tokens):
        """(batch, length) tokens in, (batch, classes) logits out."""
        return self.logits(self.read(tokens)[0])

    def read(self, tokens):
        """The mean over positions, and the attention weights (batch, 1, queries, keys)."""
        placed = self.embedding(tokens) + self.positions[: tokens.shape[1]]
        real = tf.not_equal(tokens, PADDING) if self.masked else tf.ones_like(tokens, tf.bool)
        attended, weights = self.layer(
            placed, placed, attention_mask=real[:, tf.newaxis, :], return_attention_scores=True
        )
        counted = tf.cast(real, tf.float32)[:, :, tf.newaxis]
        pooled = tf.reduce_sum((placed + attended) * counted, axis=1) / tf.reduce_sum(counted, axis=1)
        return pooled, weights


def _norms(scaled: Any) -> Float[np.ndarray, "..."]:
    return np.linalg.norm(np.float64(scaled) / LOSS_SCALE, axis=-1)


def _summed_loss(logits: Any, answers: Any) -> Any:
    return tf.reduce_sum(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=answers, logits=logits))
