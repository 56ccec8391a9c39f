"""One training of the lookup of `scale`, from one start, with one treatment of the scores, at one rate.

The task and its sequences are those of `scale_runs`. What may differ is how the embeddings start and what is
done to the scores before the softmax:

- `none`: nothing.
- `divided`: they are divided by the square root of `key_dim`.
- `temperature`: they are multiplied by one learned number that starts at 1.
- `qk_norm`: queries and keys are brought to length 1, and their product is multiplied by one learned number
  that starts at log2(n² − n) for n keys (Henry et al. 2020).

Importing this imports TensorFlow only inside functions.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from attention_from_scratch.tasks import lookup

STARTS = ("unit", "keras")
WAYS = ("none", "divided", "temperature", "qk_norm")


def train_one(
    seed: int,
    start: str,
    way: str,
    learning_rate: float,
    key_dim: int,
    length: int,
    symbols: int,
    values: int,
    steps: int,
    every: int,
    batch: int,
    test_sequences: int,
) -> dict[str, Any]:
    """Train from one seed; the curves of accuracy, largest score and entropy on held-out sequences.

    Args:
        seed: of weights and sequences.
        start: `unit`, embeddings drawn from N(0, 1); or `keras`, from Keras' own uniform start.
        way: what is done to the scores, one of `WAYS`.
        learning_rate: of Adam.
        key_dim: width of queries, keys and embeddings.
        length: pairs in a sequence.
        symbols: to draw keys from.
        values: to draw values from.
        steps: updates, a fresh batch each.
        every: so many updates the model is looked at.
        batch: sequences in an update.
        test_sequences: held out, to look on.
    """
    trainer = _trainer(way, key_dim, length, symbols, values)
    trainer.start(seed, start, learning_rate)
    drawn = lookup.draw(seed, steps * batch, length, symbols, values)
    held_out = lookup.draw(1_000_000 + seed, test_sequences, length, symbols, values)
    looked = [trainer.look(held_out)]
    for stretch in range(steps // every):
        rows = slice(stretch * every * batch, (stretch + 1) * every * batch)
        trainer.advance(*(a[rows].reshape(every, batch, *a.shape[1:]) for a in drawn))
        looked.append(trainer.look(held_out))
    accuracy, largest, entropy = (list(map(float, curve)) for curve in zip(*looked, strict=True))
    return {
        "accuracy": accuracy[-1],
        "accuracies": [round(a, 4) for a in accuracy],
        "largest_scores": [round(s, 3) for s in largest],
        "entropies": [round(e, 4) for e in entropy],
    }


@lru_cache(maxsize=8)
def _trainer(way: str, key_dim: int, length: int, symbols: int, values: int) -> Any:
    """One model with its compiled steps; seeds, starts and rates share it."""
    import keras
    import tensorflow as tf

    class Trainer:
        """A lookup model, from fresh weights as often as one likes."""

        def __init__(self) -> None:
            self.symbol, self.held = (keras.layers.Embedding(n, key_dim) for n in (symbols, values))
            self.query, self.key, self.value = (keras.layers.Dense(key_dim) for _ in range(3))
            self.logits = keras.layers.Dense(values)
            self.factor = keras.Variable(1.0, name="factor")
            for layer in (self.symbol, self.held):
                layer.build(None)
            for layer in (self.query, self.key, self.value, self.logits):
                layer.build((None, key_dim))
            self.layers = (self.symbol, self.held, self.query, self.key, self.value, self.logits)
            learned = [self.factor] if way in ("temperature", "qk_norm") else []
            self.variables = [v for layer in self.layers for v in layer.trainable_variables] + learned
            self.optimizer = keras.optimizers.Adam()
            self.optimizer.build(self.variables)
            self.fresh = [v.numpy() for v in self.optimizer.variables]

        def start(self, seed: int, start: str, learning_rate: float) -> None:
            keras.utils.set_random_seed(seed)
            tf.config.experimental.enable_op_determinism()
            for variable, fresh in zip(self.optimizer.variables, self.fresh, strict=True):
                variable.assign(fresh)
            self.optimizer.learning_rate = learning_rate
            embedding = (
                keras.initializers.RandomNormal(stddev=1.0, seed=seed)
                if start == "unit"
                else keras.initializers.RandomUniform(seed=seed)
            )
            held = (
                keras.initializers.RandomNormal(stddev=1.0, seed=seed + 1)
                if start == "unit"
                else keras.initializers.RandomUniform(seed=seed + 1)
            )
            self.symbol.embeddings.assign(embedding((symbols, key_dim)))
            self.held.embeddings.assign(held((values, key_dim)))
            for index, layer in enumerate((self.query, self.key, self.value, self.logits)):
                kernel = keras.initializers.GlorotUniform(seed=1_000 * seed + index)
                layer.kernel.assign(kernel(layer.kernel.shape))
                layer.bias.assign(np.zeros(layer.bias.shape, np.float32))
            first = math.log2(length**2 - length) if way == "qk_norm" else 1.0
            self.factor.assign(first)

        def scores_and_logits(self, keys, held, query):
            every_symbol = self.symbol(np.arange(symbols))
            queries, all_keys = self.query(every_symbol), self.key(every_symbol)
            if way == "qk_norm":
                queries, all_keys = (tf.math.l2_normalize(x, axis=-1) for x in (queries, all_keys))
            asked, seen = tf.gather(queries, query), tf.gather(all_keys, keys)
            read = tf.gather(self.value(self.held(np.arange(values))), held)
            scores = tf.einsum("bd,bkd->bk", asked, seen)
            if way == "divided":
                scores = scores / key_dim**0.5
            elif way in ("temperature", "qk_norm"):
                scores = scores * self.factor
            return scores, self.logits(tf.einsum("bk,bkd->bd", tf.nn.softmax(scores), read))

        @tf.function(jit_compile=True)
        def advance(self, keys, held, query, answers):
            for step in tf.range(tf.shape(keys)[0]):
                with tf.GradientTape() as tape:
                    _, logits = self.scores_and_logits(keys[step], held[step], query[step])
                    loss = tf.reduce_mean(
                        tf.nn.sparse_softmax_cross_entropy_with_logits(answers[step], logits)
                    )
                self.optimizer.apply(tape.gradient(loss, self.variables), self.variables)

        @tf.function(jit_compile=True)
        def look(self, held_out):
            keys, held, query, answers = held_out
            scores, logits = self.scores_and_logits(keys, held, query)
            right = tf.cast(tf.equal(tf.argmax(logits, -1, tf.int32), answers), tf.float32)
            log_weights = tf.nn.log_softmax(scores)
            entropy = -tf.reduce_sum(tf.exp(log_weights) * log_weights, axis=-1)
            largest = tf.reduce_max(tf.abs(scores), axis=-1)
            return tf.reduce_mean(right), tf.reduce_mean(largest), tf.reduce_mean(entropy)

    return Trainer()
