"""One attention head that looks values up, with the scores divided by whatever one says."""

from __future__ import annotations

import keras
import numpy as np
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
