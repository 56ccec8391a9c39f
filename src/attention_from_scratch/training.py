"""Training that gives the same bytes each time, with many steps a call.

`keras.Model.fit` returns to Python after every step. Models as small as these spend more time on that
than on arithmetic, so here one compiled function makes all the steps between two evaluations. The
order of summation is fixed by op determinism, by seeds, and by one thread a process (the engine's
`measured.making.environment` sets the threads before TensorFlow is imported).

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

from attention_from_scratch import models

_PIECE = 1_000  # sequences whose logits are computed at a time


class Diverged(ArithmeticError):
    """The loss became NaN or infinite; the message says after how many steps, and with which seed."""


class Batches(NamedTuple):
    """What one compiled call trains on.

    Args:
        tokens: of each step's batch.
        answers: what each sequence's last position should say.
    """

    tokens: Int[np.ndarray, "steps batch length"]
    answers: Int[np.ndarray, "steps batch"]


class Trained(NamedTuple):
    """What a training leaves.

    Args:
        weights: float32 arrays by name (see `models.weights_by_name`).
        steps: after how many steps each evaluation took place.
        losses: mean training loss since the evaluation before.
        accuracies: on the validation sequences.
        logits: the model itself, tokens in and logits out; good until the next training starts.
    """

    weights: dict[str, np.ndarray]
    steps: Int[np.ndarray, " evaluations"]
    losses: Float[np.ndarray, " evaluations"]
    accuracies: Float[np.ndarray, " evaluations"]
    logits: Callable[[Int[np.ndarray, "sequences length"]], Float[np.ndarray, "sequences vocabulary"]]


def train(
    options: Mapping[str, Any],
    batches: Iterable[Batches],
    validation: tuple[np.ndarray, np.ndarray],
    *,
    seed: int,
    learning_rate: float,
    stop_at: float | None = None,
) -> Trained:
    """Train a block model with Adam (Kingma and Ba 2015; Keras' defaults but for the learning rate).

    Args:
        options: of `models.block_model`.
        batches: one item for each stretch between two evaluations.
        validation: tokens and answers to evaluate on.
        seed: of the initial weights.
        learning_rate: constant throughout.
        stop_at: end once the validation accuracy is at least this; None trains through all batches.

    Raises:
        Diverged: the loss is no longer finite.
    """
    compiled = trainer(options, learning_rate)
    compiled.start(seed)
    steps, losses, accuracies, done = [], [], [], 0
    for stretch in batches:
        loss = float(compiled.advance(*stretch))
        done += len(stretch.tokens)
        if not np.isfinite(loss):
            raise Diverged(f"the loss is {loss} after {done:,} steps with seed {seed}")
        steps.append(done)
        losses.append(loss)
        accuracies.append(compiled.accuracy(*validation))
        if stop_at is not None and accuracies[-1] >= stop_at:
            break
    return Trained(
        models.weights_by_name(compiled.model),
        np.array(steps),
        np.array(losses),
        np.array(accuracies),
        compiled.logits,
    )


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
        task: `tasks.match_then_read` or its variant.
        generator: the source of randomness.
        length: of the sequences.
        batch: sequences a step.
        steps: in total.
        steps_between: two evaluations; divides `steps`.
    """
    for _ in range(steps // steps_between):
        drawn = task(steps_between * batch, length, generator)
        yield Batches(
            drawn.tokens.reshape(steps_between, batch, length), drawn.answers.reshape(steps_between, batch)
        )


def epochs(
    tokens: np.ndarray, answers: np.ndarray, generator: np.random.Generator, *, batch: int, count: int
) -> Iterable[Batches]:
    """A fixed set in a new order each epoch, an evaluation after each; an incomplete batch is left out.

    Args:
        tokens: the training sequences.
        answers: theirs.
        generator: shuffles.
        batch: sequences a step.
        count: of epochs.
    """
    steps = len(tokens) // batch
    for _ in range(count):
        order = generator.permutation(len(tokens))[: steps * batch].reshape(steps, batch)
        yield Batches(tokens[order], answers[order])


def set_seed(seed: int) -> None:
    """Seed Python, NumPy and TensorFlow, and forbid operations whose order of summation may vary."""
    keras.utils.set_random_seed(seed)
    tf.config.experimental.enable_op_determinism()
    tf.get_logger().setLevel("ERROR")  # it takes one trace for each model for a mistake


class Trainer:
    """One model with its compiled steps; seeds share it, so that a process compiles each model once."""

    def __init__(self, options: Mapping[str, Any], learning_rate: float) -> None:
        set_seed(0)
        self.options = options
        self.model = models.block_model(**options)
        self.optimizer = keras.optimizers.Adam(learning_rate)
        self.optimizer.build(self.model.trainable_variables)
        self._fresh_optimizer = [v.numpy() for v in self.optimizer.variables]

    def start(self, seed: int) -> None:
        """Initial weights of that seed, and an optimizer that remembers nothing."""
        set_seed(seed)
        self.model.set_weights(models.block_model(**self.options).get_weights())
        for variable, fresh in zip(self.optimizer.variables, self._fresh_optimizer, strict=True):
            variable.assign(fresh)

    @tf.function(jit_compile=True)
    def advance(self, tokens, answers):
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

    def logits(self, tokens: np.ndarray) -> np.ndarray:
        """Logits, computed in pieces of one size, so that one compiled function serves them all."""
        pieces = -(-len(tokens) // _PIECE)
        padded = np.concatenate([tokens, np.repeat(tokens[:1], pieces * _PIECE - len(tokens), axis=0)])
        return np.concatenate([self._logits(piece).numpy() for piece in np.split(padded, pieces)])[
            : len(tokens)
        ]

    def accuracy(self, tokens: np.ndarray, answers: np.ndarray) -> float:
        """Share of sequences answered right."""
        return float(np.mean(self.logits(tokens).argmax(axis=-1) == answers))

    @tf.function(jit_compile=True)
    def _logits(self, tokens):
        return self.model(tokens, training=False)


def trainer(options: Mapping[str, Any], learning_rate: float) -> Trainer:
    """The trainer of such models: the same object for the same options, while it is remembered."""
    return _remembered(tuple(sorted(options.items())), learning_rate)


@lru_cache(maxsize=16)
def _remembered(options: tuple[tuple[str, Any], ...], learning_rate: float) -> Trainer:
    return Trainer(dict(options), learning_rate)
