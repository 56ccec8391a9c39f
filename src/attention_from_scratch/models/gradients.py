"""Gradients of a vision model's lead by its pixels, through Keras."""

from __future__ import annotations

from functools import lru_cache

import keras
import numpy as np
import tensorflow as tf
from jaxtyping import Float, Int


class LeadGradients:
    """The gradient of the lead (the logit of a class less the mean of all) by each pixel.

    Args:
        model: patches in, logits out.
        batch: images a call, so that one compiled function serves all.
    """

    def __init__(self, model: keras.Model, batch: int) -> None:
        self.model, self.batch = model, batch
        self._compiled = tf.function(self._gradient, jit_compile=True)

    def at(
        self, patches: Float[np.ndarray, "images patches pixels"], classes: Int[np.ndarray, " images"]
    ) -> Float[np.ndarray, "images patches pixels"]:
        """At these images.

        Raises:
            ValueError: more images than a batch.
        """
        missing = self.batch - len(patches)
        if missing < 0:
            raise ValueError(f"{len(patches)} images; this was made for at most {self.batch}")
        padded = np.concatenate([patches, np.zeros((missing, *patches.shape[1:]), patches.dtype)])
        asked = np.concatenate([classes, np.zeros(missing, classes.dtype)])
        return self._compiled(padded, asked).numpy()[: len(patches)]

    def along(
        self, patches: np.ndarray, classes: np.ndarray, baseline: np.ndarray, steps: int
    ) -> Float[np.ndarray, "images patches pixels"]:
        """Averaged over the straight way from the baseline to these images, at the middle of each step.

        Times the way itself these are integrated gradients (Sundararajan, Taly and Yan 2017).
        """
        shares = (np.arange(steps, dtype=patches.dtype) + 0.5) / steps
        return sum(self.at(baseline + s * (patches - baseline), classes) for s in shares) / steps

    def _gradient(self, patches, classes):
        with tf.GradientTape() as tape:
            tape.watch(patches)
            logits = self.model(patches, training=False)
            lead = tf.gather(logits, classes, batch_dims=1) - tf.reduce_mean(logits, axis=1)
        return tape.gradient(lead, patches)


@lru_cache(maxsize=16)
def lead_gradients(model: keras.Model, batch: int) -> LeadGradients:
    """The gradients of such a model: the same object for the same model, so that it is compiled once."""
    return LeadGradients(model, batch)
