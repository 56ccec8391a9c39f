"""Training of models that answer at each position: the loss of the asked ones, a warm-up, several lengths.

Importing this imports TensorFlow; import it inside functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from attention_from_scratch.tasks.sequences import Asked
from attention_from_scratch.training import Batches, Trainer


class WarmUp(keras.optimizers.schedules.LearningRateSchedule):
    """A rate that rises in a straight line over the first steps, and stays; both can be set anew.

    Variables, so that one compiled function serves all rates.
    """

    def __init__(self) -> None:
        self.learning_rate = tf.Variable(0.0, trainable=False)
        self.steps = tf.Variable(0.0, trainable=False)

    def __call__(self, step):
        """The rate of a step, counted from 0."""
        risen = (tf.cast(step, tf.float32) + 1) / tf.maximum(self.steps, 1.0)
        return self.learning_rate * tf.minimum(risen, 1.0)


class SequenceTrainer(Trainer):
    """A `Trainer` whose answers stand at positions; -1 is not asked, and the model answers the last ones.

    Args:
        model_of: as of `Trainer`.
        options: likewise.
        clip_norm: likewise.
    """

    def __init__(
        self, model_of: Callable[..., keras.Model], options: Mapping[str, Any], clip_norm: float
    ) -> None:
        self.schedule = WarmUp()
        super().__init__(model_of, options, learning_rate=self.schedule, clip_norm=clip_norm)

    def at_rate(self, learning_rate: float, warm_up: int) -> SequenceTrainer:
        """Train at this rate from now on, after so many steps over which it rises; 0 for none."""
        self.schedule.learning_rate.assign(learning_rate)
        self.schedule.steps.assign(warm_up)
        return self

    def logits(self, tokens: np.ndarray) -> np.ndarray:
        """Logits, uncompiled: sequences of several lengths are tested, few times each."""
        return self.model(tokens, training=False).numpy()

    def accuracy(self, tokens: np.ndarray, answers: np.ndarray) -> float:
        """Share of the questions answered right."""
        said = self.logits(tokens).argmax(axis=-1)
        answers = answers[:, -said.shape[1] :]
        return float(np.mean((said == answers)[answers >= 0]))

    def _advance(self, tokens, answers):
        total = tf.constant(0.0)
        for step in tf.range(tokens.shape[0]):
            read, wanted = tokens[step], answers[step]
            with tf.GradientTape() as tape:
                logits = self.model(read, training=True)
                wanted = wanted[:, wanted.shape[1] - logits.shape[1] :]
                losses = tf.nn.sparse_softmax_cross_entropy_with_logits(
                    labels=tf.maximum(wanted, 0), logits=logits
                )
                asked = tf.cast(wanted >= 0, tf.float32)
                loss = tf.reduce_sum(losses * asked) / tf.reduce_sum(asked)
            gradients = tape.gradient(loss, self.model.trainable_variables)
            self.optimizer.apply(gradients, self.model.trainable_variables)
            total += loss
        return total / tokens.shape[0]


def sequence_trainer(
    model_of: Callable[..., keras.Model], options: Mapping[str, Any], clip_norm: float
) -> SequenceTrainer:
    """The trainer of such models: the same object for the same options, while it is remembered."""
    return _remembered(model_of, tuple(sorted(options.items())), clip_norm)


@lru_cache(maxsize=8)
def _remembered(
    model_of: Callable[..., keras.Model], options: tuple[tuple[str, Any], ...], clip_norm: float
) -> SequenceTrainer:
    return SequenceTrainer(model_of, dict(options), clip_norm)


def batches(
    draw: Callable[..., Asked],
    generator: np.random.Generator,
    *,
    length: int,
    batch: int,
    steps: int,
    steps_between: int,
) -> Iterator[Batches]:
    """Batches of fresh sequences, an evaluation every so many steps.

    Args:
        draw: of the task.
        generator: the source of randomness.
        length: of the sequences, as the task counts it.
        batch: sequences a step.
        steps: in total.
        steps_between: two evaluations; divides `steps`.
    """
    for _ in range(steps // steps_between):
        drawn = draw(steps_between * batch, length, generator)
        yield Batches(*(part.reshape(steps_between, batch, -1) for part in drawn))
