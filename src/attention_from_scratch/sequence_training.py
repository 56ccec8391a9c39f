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
    """A rate that rises in a straight line over the first steps, and stays.

    Args:
        learning_rate: at the end of the rise.
        steps: of the rise; 0 for none.
    """

    def __init__(self, learning_rate: float, steps: int) -> None:
        self.learning_rate, self.steps = learning_rate, steps

    def __call__(self, step):
        """The rate of a step, counted from 0."""
        risen = (tf.cast(step, tf.float32) + 1) / max(self.steps, 1)
        return self.learning_rate * tf.minimum(risen, 1.0)


class SequenceTrainer(Trainer):
    """A `Trainer` whose answers stand at positions; -1 is not asked, and the model answers the last ones.

    Args:
        warm_up: steps over which the rate rises.
        others: of `Trainer`.
    """

    def __init__(self, *others: Any, learning_rate: float, warm_up: int = 0, **named: Any) -> None:
        super().__init__(*others, learning_rate=WarmUp(learning_rate, warm_up), **named)

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
                # What was sliced from the model's own output, not with `step`: see the test of later tokens.
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
    model_of: Callable[..., keras.Model], options: Mapping[str, Any], **settings: Any
) -> SequenceTrainer:
    """The trainer of such models: the same object for the same options, while it is remembered."""
    return _remembered(model_of, tuple(sorted(options.items())), tuple(sorted(settings.items())))


@lru_cache(maxsize=4)
def _remembered(
    model_of: Callable[..., keras.Model],
    options: tuple[tuple[str, Any], ...],
    settings: tuple[tuple[str, Any], ...],
) -> SequenceTrainer:
    return SequenceTrainer(model_of, dict(options), **dict(settings))


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
