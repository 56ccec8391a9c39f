"""The lookup task of `scale`, trained with and without the division: one run a seed.

A sequence holds `length` pairs of a key symbol and a value symbol; no key occurs twice. A query symbol
asks for one of them, and the answer is the value beside it. It is the dictionary of the page, and one
attention head solves it as soon as each query matches its key.

Both models start from the same weights and see the same sequences in the same order, each once. The
only difference is the division of the scores by the square root of `key_dim`.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Int

Lookups = tuple[
    Int[np.ndarray, "sequences length"],
    Int[np.ndarray, "sequences length"],
    Int[np.ndarray, "sequences"],
    Int[np.ndarray, "sequences"],
]


def lookups(seed: int, sequences: int, length: int, symbols: int, values: int) -> Lookups:
    """Draw lookups: key symbols, value symbols, query symbol, answer.

    Raises:
        ValueError: fewer key symbols than positions, so that keys would repeat.
    """
    if symbols < length:
        raise ValueError(f"{length} different keys cannot be drawn from {symbols} symbols")
    generator = np.random.default_rng(seed)
    keys = generator.random((sequences, symbols)).argsort(axis=1)[:, :length]
    held = generator.integers(values, size=(sequences, length))
    asked = generator.integers(length, size=sequences)
    row = np.arange(sequences)
    drawn = keys, held, keys[row, asked], held[row, asked]
    return tuple(array.astype(np.int32) for array in drawn)


def train(
    seed: int,
    key_dim: int,
    length: int,
    symbols: int,
    values: int,
    steps: int,
    every: int,
    batch: int,
    test_sequences: int,
) -> dict[str, np.ndarray]:
    """Train the lookup with and without the scale; return both curves of test accuracy.

    Returns:
        `steps` (after how many updates), and `scaled`, `unscaled` (accuracy on the same held-out
        sequences at each of them).
    """
    drawn = lookups(seed, steps * batch, length, symbols, values)
    held_out = lookups(1_000_000 + seed, test_sequences, length, symbols, values)
    found = {"steps": np.arange(0, steps + 1, every)}
    for name, divisor in (("scaled", key_dim**0.5), ("unscaled", 1.0)):
        model = _model(seed, key_dim, symbols, values, divisor)
        found[name] = _curve(model, drawn, held_out, every, batch)
    return found


def _model(seed: int, key_dim: int, symbols: int, values: int, divisor: float):
    import keras
    import tensorflow as tf

    keras.utils.set_random_seed(seed)
    tf.config.experimental.enable_op_determinism()
    return _lookup_model()(key_dim, symbols, values, divisor)


def _lookup_model():
    import keras
    from keras import ops

    class Lookup(keras.Model):
        """One attention head over pairs; unit-variance embeddings, Keras' own projections."""

        def __init__(self, key_dim, symbols, values, divisor):
            super().__init__()
            self.divisor = divisor
            self.symbol = keras.layers.Embedding(
                symbols, key_dim, keras.initializers.RandomNormal(stddev=1.0)
            )
            self.held = keras.layers.Embedding(values, key_dim, keras.initializers.RandomNormal(stddev=1.0))
            self.query, self.key, self.value = (keras.layers.Dense(key_dim) for _ in range(3))
            self.logits = keras.layers.Dense(values)
            self.all_symbols, self.all_values = np.arange(symbols), np.arange(values)

        def call(self, inputs):
            keys, held, query = inputs
            # Each symbol is projected once, then looked up: the same as projecting every token, and cheaper.
            symbols = self.symbol(self.all_symbols)
            queries = ops.take(self.query(symbols), query, axis=0)
            keys = ops.take(self.key(symbols), keys, axis=0)
            held = ops.take(self.value(self.held(self.all_values)), held, axis=0)
            weights = ops.softmax(ops.einsum("bd,bkd->bk", queries, keys) / self.divisor)
            return self.logits(ops.einsum("bk,bkd->bd", weights, held))

    return Lookup


def _curve(model, drawn: Lookups, held_out: Lookups, every: int, batch: int) -> np.ndarray:
    """Accuracy on the held-out sequences before training and after each `every` updates."""
    import keras
    import tensorflow as tf

    optimizer = keras.optimizers.Adam()  # as Keras sets it up: what most people would use, chosen once
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    @tf.function
    def step(*arrays):
        with tf.GradientTape() as tape:
            error = loss(arrays[3], model(arrays[:3]))
        optimizer.apply(tape.gradient(error, model.trainable_variables), model.trainable_variables)

    def accuracy() -> float:
        return float((model(held_out[:3]).numpy().argmax(axis=-1) == held_out[3]).mean())

    curve = [accuracy()]
    optimizer.build(model.trainable_variables)
    steps = len(drawn[3]) // batch
    for i in range(steps):
        step(*(tf.constant(array[i * batch : (i + 1) * batch]) for array in drawn))
        if (i + 1) % every == 0:
            curve.append(accuracy())
    return np.array(curve)
