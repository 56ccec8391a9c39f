"""The one training loop, for all models: the same bytes each time, with many steps a call.

`keras.Model.fit` returns to Python after every step. Models as small as these spend more time on that
than on arithmetic, so here one compiled function makes all the steps between two evaluations. The
order of summation is fixed by op determinism, by seeds, and by one thread a process (the engine sets the
threads before TensorFlow is imported).

Importing this imports TensorFlow; import it inside functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import keras
import numpy as np
import tensorflow as tf
from jaxtyping import Float, Int

_PIECE = 1_000  # sequences whose logits are computed at a time where each shape is compiled anew


class Diverged(ArithmeticError):
    """The loss became NaN or infinite; the message says after how many steps, and with which seed."""


class Batches(NamedTuple):
    """What one compiled call trains on.

    Args:
        tokens: of each step's batch.
        answers: what the model should say to each sequence.
    """

    tokens: Int[np.ndarray, "steps batch length"]
    answers: Int[np.ndarray, "steps batch"]


class Trained(NamedTuple):
    """What a training leaves beside the model's weights.

    Args:
        steps: after how many steps each evaluation took place.
        losses: mean training loss since the evaluation before.
        accuracies: on the validation sequences.
        solved: whether it ended because the accuracy was good enough.
    """

    steps: Int[np.ndarray, " evaluations"]
    losses: Float[np.ndarray, " evaluations"]
    accuracies: Float[np.ndarray, " evaluations"]
    solved: bool


def set_seed(seed: int) -> None:
    """Seed Python, NumPy and TensorFlow, and forbid operations whose order of summation may vary."""
    keras.utils.set_random_seed(seed)
    tf.config.experimental.enable_op_determinism()
    tf.get_logger().setLevel("ERROR")  # it takes one trace for each model for a mistake


def train(
    trainer: Trainer,
    batches: Iterable[Batches],
    validation: tuple[np.ndarray, np.ndarray],
    *,
    stop_at: float | None = None,
    look: Callable[[], None] | None = None,
) -> Trained:
    """Train a model on from where it is, with an optimizer that remembers nothing.

    Args:
        trainer: of the model, whose weights some seed has started.
        batches: one item for each stretch between two evaluations.
        validation: tokens and answers to evaluate on.
        stop_at: end once the validation accuracy is at least this; None trains through all batches.
        look: called after each evaluation, to look at the model in further ways.

    Raises:
        Diverged: the loss is no longer finite.
    """
    trainer.forget()
    steps, losses, accuracies, done = [], [], [], 0
    for stretch in batches:
        loss = float(trainer.advance(*stretch))
        done += len(stretch.tokens)
        if not np.isfinite(loss):
            raise Diverged(f"the loss is {loss} after {done:,} steps with seed {trainer.seed}")
        steps.append(done)
        losses.append(loss)
        accuracies.append(trainer.accuracy(*validation))
        if look is not None:
            look()
        if stop_at is not None and accuracies[-1] >= stop_at:
            break
    solved = stop_at is not None and accuracies[-1] >= stop_at
    return Trained(np.array(steps), np.array(losses), np.array(accuracies), solved)


def train_in_epochs(
    trainer: Trainer,
    drawn: Any,
    validation: Any,
    generator: np.random.Generator,
    *,
    batch: int,
    epochs: int,
    stop_at: float | None = None,
) -> Trained:
    """Train on one set of sequences, in a new order each epoch, until solved or out of epochs.

    Args:
        trainer: of the model.
        drawn: what to train on, with `tokens` and `answers`.
        validation: the same, to decide when to stop.
        generator: shuffles.
        batch: sequences a step.
        epochs: the budget.
        stop_at: validation accuracy at which the task counts as solved.
    """
    batches = shuffled(drawn.tokens, drawn.answers, generator, batch=batch, epochs=epochs)
    return train(trainer, batches, (validation.tokens, validation.answers), stop_at=stop_at)


def fresh_batches(
    task: Callable[..., Any],
    generator: np.random.Generator,
    *,
    length: int,
    batch: int,
    steps: int,
    steps_between: int,
) -> Iterable[Batches]:
    """Batches of sequences that are never seen twice: `steps` of them, an evaluation every so many.

    Args:
        task: draws so many sequences of that length, such as `match_then_read.draw`.
        generator: the source of randomness.
        length: of the sequences.
        batch: sequences a step.
        steps: in total.
        steps_between: two evaluations; divides `steps`.
    """
    for _ in range(steps // steps_between):
        drawn = task(steps_between * batch, length, generator)
        yield from in_order(drawn.tokens, drawn.answers, batch=batch, steps_between=steps_between)


def in_order(tokens: np.ndarray, answers: np.ndarray, *, batch: int, steps_between: int) -> Iterable[Batches]:
    """Sequences each seen once, as they come, an evaluation every so many steps; a rest is left out."""
    size = steps_between * batch
    for start in range(0, len(answers) - size + 1, size):
        part = slice(start, start + size)
        yield Batches(
            tokens[part].reshape(steps_between, batch, -1), answers[part].reshape(steps_between, batch)
        )


def shuffled(
    tokens: np.ndarray, answers: np.ndarray, generator: np.random.Generator, *, batch: int, epochs: int
) -> Iterable[Batches]:
    """A fixed set in a new order each epoch, an evaluation after each; an incomplete batch is left out.

    Args:
        tokens: the training sequences.
        answers: theirs.
        generator: shuffles.
        batch: sequences a step.
        epochs: how many.
    """
    steps = len(tokens) // batch
    for _ in range(epochs):
        order = generator.permutation(len(tokens))[: steps * batch].reshape(steps, batch)
        yield Batches(tokens[order], answers[order])


class Trainer:
    """One model with its compiled steps; seeds share it, so that a process compiles each model once.

    Adam with Keras' defaults (Kingma and Ba 2015), but for the learning rate and the clipping.

    Args:
        model_of: builds the model: tokens in, logits out, no dropout.
        options: of `model_of`.
        learning_rate: constant throughout; None for Keras' own.
        clip_norm: longest gradient let through (Pascanu, Mikolov and Bengio 2013, section 3.2).
        xla: compile with XLA; long loops over time steps are faster without it.
    """

    def __init__(
        self,
        model_of: Callable[..., keras.Model],
        options: Mapping[str, Any],
        learning_rate: float | None = None,
        clip_norm: float | None = None,
        xla: bool = True,
    ) -> None:
        set_seed(0)
        self.model_of, self.options, self.xla, self.seed = model_of, options, xla, 0
        self.model = model_of(**options)
        rate = {} if learning_rate is None else {"learning_rate": learning_rate}
        self.optimizer = keras.optimizers.Adam(**rate, global_clipnorm=clip_norm)
        self.optimizer.build(self.model.trainable_variables)
        self._fresh_optimizer = [v.numpy() for v in self.optimizer.variables]
        self.advance = tf.function(self._advance, jit_compile=xla or None)
        self._logits = tf.function(self._answer, jit_compile=xla or None)

    def start(self, seed: int) -> keras.Model:
        """Give the model the initial weights of that seed."""
        set_seed(seed)
        self.seed = seed
        self.model.set_weights(self.model_of(**self.options).get_weights())
        return self.model

    def forget(self) -> None:
        """Give the optimizer back the state of a new one."""
        for variable, fresh in zip(self.optimizer.variables, self._fresh_optimizer, strict=True):
            variable.assign(fresh)

    def logits(self, tokens: np.ndarray) -> Float[np.ndarray, "sequences vocabulary"]:
        """Logits; XLA gets pieces of one size, so that one compiled function serves them all."""
        if not self.xla:
            return self._logits(tokens).numpy()
        pieces = -(-len(tokens) // _PIECE)
        padded = np.concatenate([tokens, np.repeat(tokens[:1], pieces * _PIECE - len(tokens), axis=0)])
        return np.concatenate([self._logits(piece).numpy() for piece in np.split(padded, pieces)])[
            : len(tokens)
        ]

    def accuracy(self, tokens: np.ndarray, answers: np.ndarray) -> float:
        """Share of sequences answered right."""
        return float(np.mean(self.logits(tokens).argmax(axis=-1) == answers))

    def _advance(self, tokens, answers):
        """All the steps of a stretch; returns their mean loss."""
        total = tf.constant(0.0)
        for step in tf.range(tokens.shape[0]):
            with tf.GradientTape() as tape:
                logits = self.model(tokens[step], training=True)
                loss = tf.reduce_mean(
                    tf.nn.sparse_softmax_cross_entropy_with_logits(labels=answers[step], logits=logits)
                )
            gradients = tape.gradient(loss, self.model.trainable_variables)
            self.optimizer.apply(gradients, self.model.trainable_variables)
            total += loss
        return total / tokens.shape[0]

    def _answer(self, tokens):
        return self.model(tokens, training=False)


def trainer(model_of: Callable[..., keras.Model], options: Mapping[str, Any], **settings: Any) -> Trainer:
    """The trainer of such models: the same object for the same options, while it is remembered."""
    return _remembered(model_of, tuple(sorted(options.items())), tuple(sorted(settings.items())))


@lru_cache(maxsize=16)
def _remembered(
    model_of: Callable[..., keras.Model],
    options: tuple[tuple[str, Any], ...],
    settings: tuple[tuple[str, Any], ...],
) -> Trainer:
    return Trainer(model_of, dict(options), **dict(settings))
