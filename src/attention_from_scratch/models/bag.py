"""A bag of patches: each is read alone, and fixed or learned weights average what was read. In Keras."""

from __future__ import annotations

import keras
from keras import ops

from attention_from_scratch.tasks.digits import CLASSES, PATCHES, PIXELS


class ReadAlone(keras.layers.Layer):
    """Each patch alone through a dense layer with ReLU, with what its place adds; none sees another."""

    def __init__(self, width: int, **options) -> None:
        super().__init__(**options)
        self.width = width

    def build(self, input_shape):
        """A kernel for pixels, a row for each position."""
        self.kernel = self.add_weight(shape=(PIXELS, self.width), name="kernel")
        self.positions = self.add_weight(shape=(PATCHES, self.width), name="positions")

    def call(self, pixels):
        """(batch, patches, pixels) in, (batch, patches, width) out."""
        return ops.relu(ops.matmul(pixels, self.kernel) + self.positions)


def bag_model(*, width: int = 32, learned: bool = False) -> keras.Model:
    """Patches with given weights in, logits out (after Wiegreffe and Pinter 2019, §3.4).

    Args:
        width: of what is read from a patch.
        learned: ignore the given weights, and learn a score from each patch alone.
    """
    given = keras.Input((PATCHES, PIXELS + 1), name="patches_and_weights")
    read = ReadAlone(width, name="read")(given[:, :, :PIXELS])
    weights = given[:, :, PIXELS:]
    if learned:
        scores = keras.layers.Dense(1, name="score")(read)
        weights = keras.layers.Softmax(axis=1, name="weights")(scores)
    average = ops.sum(weights * read, axis=1)
    return keras.Model(given, keras.layers.Dense(CLASSES, name="logits")(average), name="bag")
