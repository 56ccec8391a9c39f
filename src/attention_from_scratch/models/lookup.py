"""One attention head that looks values up: as Keras starts it, and from a start that one names."""

from __future__ import annotations

import math

import keras
import numpy as np
import tensorflow as tf
from keras import ops


class LookupModel(keras.Model):
    """One head over pairs of a key and a value (see `tasks.lookup`); Keras' own projections.

    Args:
        length: pairs in a sequence.
        key_dim: width of embeddings, queries, keys and values.
        symbols: how many keys there are.
        values: how many values.
        divisor: of the scores.
        deviation: the embeddings start as normal numbers of this standard deviation.
    """

    def __init__(
        self, length: int, key_dim: int, symbols: int, values: int, divisor: float, deviation: float = 1.0
    ) -> None:
        super().__init__()
        self.length, self.divisor = length, divisor
        start = keras.initializers.RandomNormal
        self.symbol = keras.layers.Embedding(symbols, key_dim, start(stddev=deviation))
        self.held = keras.layers.Embedding(values, key_dim, start(stddev=deviation))
        self.query, self.key, self.value = (keras.layers.Dense(key_dim) for _ in range(3))
        self.logits = keras.layers.Dense(values)
        self.all_symbols, self.all_values = np.arange(symbols), np.arange(values)
        self(np.zeros((1, 2 * length + 1), np.int32))  # builds the weights

    def call(self, tokens):
        """(batch, 2 length + 1) tokens in, (batch, values) logits out."""
        keys, held, query = tokens[:, : self.length], tokens[:, self.length : -1], tokens[:, -1]
        # Each symbol is projected once, then looked up: the same as projecting every token, and cheaper.
        symbols = self.symbol(self.all_symbols)
        queries = ops.take(self.query(symbols), query, axis=0)
        keys = ops.take(self.key(symbols), keys, axis=0)
        held = ops.take(self.value(self.held(self.all_values)), held, axis=0)
        weights = ops.softmax(ops.einsum("bd,bkd->bk", queries, keys) / self.divisor)
        return self.logits(ops.einsum("bk,bkd->bd", weights, held))


class TreatedLookup(keras.Model):
    """The same head, whose start is named and whose scores are treated before the softmax.

    Args:
        length: pairs in a sequence.
        key_dim: width of embeddings, queries, keys and values.
        symbols: how many keys there are.
        values: how many values.
        way: `none`; `divided` by the square root of `key_dim`; `temperature`, multiplied by one learned
            number that starts at 1; `qk_norm`, the product of queries and keys of length 1, multiplied by one
            learned number that starts at log2(n² − n) for n keys (Henry et al. 2020).
    """

    def __init__(self, length: int, key_dim: int, symbols: int, values: int, way: str) -> None:
        super().__init__()
        self.length, self.key_dim, self.way = length, key_dim, way
        self.symbol, self.held = (keras.layers.Embedding(n, key_dim) for n in (symbols, values))
        self.query, self.key, self.value = (keras.layers.Dense(key_dim) for _ in range(3))
        self.logits = keras.layers.Dense(values)
        self.factor = keras.Variable(1.0, trainable=way in ("temperature", "qk_norm"), name="factor")
        self.all_symbols, self.all_values = np.arange(symbols), np.arange(values)
        self(np.zeros((1, 2 * length + 1), np.int32))  # builds the weights

    def start(self, seed: int, start: str) -> None:
        """Weights of that seed; embeddings are N(0, 1) (`unit`) or Keras' own, uniform in ±0.05 (`keras`)."""
        for index, layer in enumerate((self.symbol, self.held)):
            drawn = (
                keras.initializers.RandomNormal(stddev=1.0, seed=seed + index)
                if start == "unit"
                else keras.initializers.RandomUniform(seed=seed + index)
            )
            layer.embeddings.assign(drawn(layer.embeddings.shape))
        for index, layer in enumerate((self.query, self.key, self.value, self.logits)):
            drawn = keras.initializers.GlorotUniform(seed=1_000 * seed + index)
            layer.kernel.assign(drawn(layer.kernel.shape))
            layer.bias.assign(np.zeros(layer.bias.shape, np.float32))
        self.factor.assign(math.log2(self.length**2 - self.length) if self.way == "qk_norm" else 1.0)

    def scores(self, tokens):
        """(batch, 2 length + 1) tokens in, (batch, length) scores out, as the softmax gets them."""
        symbols = self.symbol(self.all_symbols)
        queries, keys = self.query(symbols), self.key(symbols)
        if self.way == "qk_norm":
            queries, keys = (tf.math.l2_normalize(x, axis=-1) for x in (queries, keys))
        asked, seen = tf.gather(queries, tokens[:, -1]), tf.gather(keys, tokens[:, : self.length])
        scores = tf.einsum("bd,bkd->bk", asked, seen)
        if self.way == "divided":
            return scores / self.key_dim**0.5
        return scores * self.factor if self.way in ("temperature", "qk_norm") else scores

    def call(self, tokens):
        """(batch, 2 length + 1) tokens in, (batch, values) logits out."""
        read = tf.gather(self.value(self.held(self.all_values)), tokens[:, self.length : -1])
        return self.logits(tf.einsum("bk,bkd->bd", tf.nn.softmax(self.scores(tokens)), read))

    @tf.function(jit_compile=True)
    def look(self, tokens):
        """Mean of each row's largest score, either way from zero, and mean entropy of the weights."""
        scores = self.scores(tokens)
        log_weights = tf.nn.log_softmax(scores)
        entropy = -tf.reduce_sum(tf.exp(log_weights) * log_weights, axis=-1)
        return tf.reduce_mean(tf.reduce_max(tf.abs(scores), axis=-1)), tf.reduce_mean(entropy)
