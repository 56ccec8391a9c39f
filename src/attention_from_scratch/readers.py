"""Four layers that read a sequence and answer at its end, in Keras, and their deterministic training.

All four stand between the same embedding and the same two logits, and all are equally wide. What
differs is the way from the first token to the answer. Importing this imports TensorFlow; import it
inside functions.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import keras
import numpy as np
import tensorflow as tf
from jaxtyping import Float

from attention_from_scratch.positions import sinusoidal
from attention_from_scratch.recall import PADDING, SYMBOLS, VOCABULARY


class Diverged(ArithmeticError):
    """The loss became NaN or infinite; the message says after how many steps."""


# Gradients 200 steps back lie below what float32 can hold. Scaling the loss by a power of two rounds
# nothing and moves them into its range.
LOSS_SCALE = 2.0**100

# Every reader is compiled anew, and many are made in one process: no news for a log.
tf.get_logger().setLevel("ERROR")


class Reader(keras.Model):
    """What all readers share: logits without Python between the layers."""

    @tf.function
    def answer(self, tokens):
        """(batch, length) tokens in, (batch, classes) logits out."""
        return self(tokens, training=False)


class RecurrentReader(Reader):
    """Embedding, one recurrent layer, logits from its last state.

    Everything that is not said is Keras' default: small uniform embeddings, Glorot kernels, an orthogonal
    recurrent kernel, and 1 as the bias of an LSTM's forget gate.

    Args:
        layer: `simple_rnn`, `gru` or `lstm`.
        width: of embedding and state.
        recurrent_initializer: Keras' name of one.
        forget_bias: of an LSTM's forget gate at the start; the other layers have none.
        masked: hand the padding mask to the layer, which then skips padded steps.
    """

    def __init__(
        self,
        layer: str,
        width: int,
        *,
        recurrent_initializer: str = "orthogonal",
        forget_bias: float = 1.0,
        masked: bool = False,
    ) -> None:
        super().__init__()
        self.embedding = keras.layers.Embedding(VOCABULARY, width, mask_zero=masked)
        options: dict[str, Any] = {"recurrent_initializer": recurrent_initializer}
        if layer == "simple_rnn":
            self.layer = keras.layers.SimpleRNN(width, **options)
        elif layer == "gru":
            self.layer = keras.layers.GRU(width, use_cudnn=False, **options)
        elif layer == "lstm":
            self.layer = keras.layers.LSTM(width, use_cudnn=False, **options)
        else:
            raise ValueError(f"layer is {layer!r}; expected simple_rnn, gru or lstm")
        self.logits = keras.layers.Dense(len(SYMBOLS))
        self(np.ones((1, 1), np.int32))  # builds the weights
        if layer == "lstm":
            bias = self.layer.cell.bias.numpy()
            bias[width : 2 * width] = forget_bias
            self.layer.cell.bias.assign(bias)

    def call(self, tokens):
        """(batch, length) tokens in, (batch, classes) logits out."""
        return self.logits(self.layer(self.embedding(tokens)))

    def gradient_norms(self, recall: Any) -> Float[np.ndarray, "length sequences"]:
        """For each sequence the norm of ∂L/∂state after each token, L being its own cross-entropy.

        The state is all that the layer hands on: h, and for an LSTM h and c together.
        """
        embedded = self.embedding(recall.tokens)
        state = self.layer.cell.get_initial_state(batch_size=len(recall.tokens))
        handed_on = []
        with tf.GradientTape() as tape:
            for step in range(embedded.shape[1]):
                _, state = self.layer.cell(embedded[:, step], state)
                # A copy that only the next step reads: h does not count twice where c is made from it.
                state = [tf.identity(part) for part in state]
                handed_on.append(state)
            loss = _summed_loss(self.logits(state[0]), recall.answers) * LOSS_SCALE
        gradients = tape.gradient(loss, handed_on, unconnected_gradients="zero")
        return np.array([_norms(np.concatenate(parts, axis=1)) for parts in gradients])


class AttentionReader(Reader):
    """Embedding and fixed positions, one attention layer whose last position answers.

    Only the last position's query is computed: the rows of the others would reach nothing.

    Args:
        length: of the sequences.
        width: of embedding and attention.
        num_heads: key_dim is `width / num_heads`.
    """

    def __init__(self, length: int, width: int, *, num_heads: int = 1) -> None:
        super().__init__()
        self.embedding = keras.layers.Embedding(VOCABULARY, width)
        self.positions = tf.constant(sinusoidal(length, width), tf.float32)
        self.layer = keras.layers.MultiHeadAttention(num_heads, width // num_heads)
        self.logits = keras.layers.Dense(len(SYMBOLS))
        self(np.ones((1, length), np.int32))

    def call(self, tokens):
        """(batch, length) tokens in, (batch, classes) logits out."""
        return self.read(self.embedding(tokens) + self.positions)

    def read(self, placed):
        """From embedded tokens with positions to logits."""
        last = placed[:, -1:]
        return self.logits((last + self.layer(last, placed))[:, 0])

    def gradient_norms(self, recall: Any) -> Float[np.ndarray, "length sequences"]:
        """For each sequence the norm of ∂L/∂x at each position, x being what attention reads there."""
        placed = self.embedding(recall.tokens) + self.positions
        with tf.GradientTape() as tape:
            tape.watch(placed)
            loss = _summed_loss(self.read(placed), recall.answers) * LOSS_SCALE
        return _norms(tape.gradient(loss, placed)).T

    def weights_of_last(self, tokens: np.ndarray) -> Float[np.ndarray, "sequences length"]:
        """What the last position attends to, averaged over heads."""
        placed = self.embedding(tokens) + self.positions
        _, scores = self.layer(placed[:, -1:], placed, return_attention_scores=True)
        return np.mean(scores, axis=1)[:, 0]


class PooledReader(Reader):
    """An encoder whose answer is a mean: self-attention over all positions, then the mean over them.

    Args:
        length: the longest sequence that it can read.
        width: of embedding and attention.
        masked: keep padding out of the attention and out of the mean.
    """

    def __init__(self, length: int, width: int, *, masked: bool) -> None:
        super().__init__()
        self.masked = masked
        self.embedding = keras.layers.Embedding(VOCABULARY, width)
        self.positions = tf.constant(sinusoidal(length, width), tf.float32)
        self.layer = keras.layers.MultiHeadAttention(1, width)
        self.logits = keras.layers.Dense(len(SYMBOLS))
        self(np.ones((1, length), np.int32))

    def call(self, tokens):
        """(batch, length) tokens in, (batch, classes) logits out."""
        return self.logits(self.read(tokens)[0])

    def read(self, tokens):
        """The mean over positions, and the attention weights (batch, 1, queries, keys)."""
        placed = self.embedding(tokens) + self.positions[: tokens.shape[1]]
        real = tf.not_equal(tokens, PADDING) if self.masked else tf.ones_like(tokens, tf.bool)
        attended, weights = self.layer(
            placed, placed, attention_mask=real[:, tf.newaxis, :], return_attention_scores=True
        )
        counted = tf.cast(real, tf.float32)[:, :, tf.newaxis]
        pooled = tf.reduce_sum((placed + attended) * counted, axis=1) / tf.reduce_sum(counted, axis=1)
        return pooled, weights


class Trained(NamedTuple):
    """What a training leaves beside the model's weights.

    Args:
        steps: made when it ended.
        solved: whether it ended because the validation accuracy reached `stop_at`.
        losses: mean training loss of each epoch.
        accuracies: on the validation sequences after each epoch.
    """

    steps: int
    solved: bool
    losses: Float[np.ndarray, " epochs"]
    accuracies: Float[np.ndarray, " epochs"]


def set_seed(seed: int) -> None:
    """Seed Python, NumPy and TensorFlow, and forbid operations whose order of summation may vary."""
    keras.utils.set_random_seed(seed)
    tf.config.experimental.enable_op_determinism()


def train(
    model: Reader,
    training: Any,
    validation: Any,
    generator: np.random.Generator,
    *,
    batch: int,
    epochs: int,
    learning_rate: float,
    clip_norm: float,
    stop_at: float,
) -> Trained:
    """Train with Adam on a fixed set, in a new order each epoch, until solved or out of budget.

    Args:
        model: trained in place.
        training: tokens and answers; their number is a multiple of `batch`.
        validation: tokens and answers on which to decide whether to stop.
        generator: shuffles.
        batch: sequences a step.
        epochs: the budget.
        learning_rate: of Adam, constant.
        clip_norm: longest gradient let through (Pascanu, Mikolov and Bengio 2013, section 3.2).
        stop_at: validation accuracy at which the task counts as solved.

    Raises:
        Diverged: the loss is no longer finite.
    """
    optimizer = keras.optimizers.Adam(learning_rate, global_clipnorm=clip_norm)
    optimizer.build(model.trainable_variables)
    epoch = _compiled_epoch(model, optimizer, training, batch)
    steps_an_epoch = len(training.tokens) // batch
    losses, accuracies = [], []
    for done in range(1, epochs + 1):
        order = generator.permutation(len(training.tokens))[: steps_an_epoch * batch]
        losses.append(float(epoch(tf.constant(order.reshape(steps_an_epoch, batch)))))
        if not np.isfinite(losses[-1]):
            raise Diverged(f"the loss is {losses[-1]} after {done * steps_an_epoch:,} steps")
        accuracies.append(accuracy(model, validation))
        if accuracies[-1] >= stop_at:
            break
    return Trained(
        len(losses) * steps_an_epoch, accuracies[-1] >= stop_at, np.array(losses), np.array(accuracies)
    )


def accuracy(model: Reader, recall: Any) -> float:
    """Share of sequences answered right."""
    answered = np.argmax(model.answer(tf.constant(recall.tokens)), axis=1)
    return float(np.mean(answered == recall.answers))


def _compiled_epoch(model: Reader, optimizer: Any, training: Any, batch: int) -> Any:
    tokens, answers = tf.constant(training.tokens), tf.constant(training.answers)
    variables = model.trainable_variables

    @tf.function
    def epoch(order):
        total = tf.constant(0.0)
        for step in tf.range(tf.shape(order)[0]):
            # The loop of a recurrent layer needs to know its number of steps when it is compiled.
            shown = tf.ensure_shape(tf.gather(tokens, order[step]), (batch, tokens.shape[1]))
            with tf.GradientTape() as tape:
                loss = _summed_loss(model(shown, training=True), tf.gather(answers, order[step])) / batch
            optimizer.apply(tape.gradient(loss, variables), variables)
            total += loss
        return total / tf.cast(tf.shape(order)[0], tf.float32)

    return epoch


def _norms(scaled: Any) -> Float[np.ndarray, "..."]:
    return np.linalg.norm(np.float64(scaled) / LOSS_SCALE, axis=-1)


def _summed_loss(logits: Any, answers: Any) -> Any:
    return tf.reduce_sum(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=answers, logits=logits))
