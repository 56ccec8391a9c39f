"""Five models that spell words out as sounds, in Keras, and how they are taught.

All read the letters in both directions, and say one sound after another; what differs is the way from the
letters to a sound. Each is called with the letters and with the sounds so far, and gives logits for the
sound that follows each of them.

Importing this imports TensorFlow; import it inside functions.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import keras
import numpy as np
import tensorflow as tf
from jaxtyping import Float, Int

from attention_from_scratch.tasks.spelling import (
    END,
    LETTER_TOKENS,
    LONGEST,
    PADDING,
    SOUND_TOKENS,
    START,
    STEPS,
)
from attention_from_scratch.training import Trainer

_CELLS = {"lstm": keras.layers.LSTMCell, "gru": keras.layers.GRUCell}
_LAYERS = {"lstm": keras.layers.LSTM, "gru": keras.layers.GRU}
_PIECE = 500  # words decoded at a time


class TransformerSpeller(keras.Model):
    """Encoder and decoder of `blocks` blocks each, the norm before each sublayer, learned positions.

    Source: Vaswani et al. 2017, section 3.1; the norm's place as in Xiong et al. 2020.

    Args:
        width: of tokens everywhere (`d_model`).
        num_heads: of every attention; `key_dim` is `width / num_heads`.
        feed_forward: width of the hidden layers.
        blocks: in the encoder, and in the decoder.
        key_value_heads: of the decoder's self-attention: as many as `num_heads`, fewer (grouped queries), or
            one (multi-query). None for as many.
    """

    def __init__(
        self,
        width: int = 64,
        num_heads: int = 4,
        feed_forward: int = 128,
        blocks: int = 2,
        key_value_heads: int | None = None,
    ) -> None:
        super().__init__(name="speller")
        self.blocks = blocks
        self.letters = keras.layers.Embedding(LETTER_TOKENS, width, name="source_embedding")
        self.letter_positions = keras.layers.Embedding(LONGEST, width, name="source_positions")
        self.sounds = keras.layers.Embedding(SOUND_TOKENS, width, name="target_embedding")
        self.sound_positions = keras.layers.Embedding(STEPS, width, name="target_positions")
        heads, own = (num_heads, width // num_heads), key_value_heads or num_heads
        self.parts: dict[str, keras.layers.Layer] = {}
        for side, attentions in (("encoder", ("attention",)), ("decoder", ("attention", "cross"))):
            for index in range(1, blocks + 1):
                name = f"{side}{index}"
                for kind in attentions:
                    grouped = side == "decoder" and kind == "attention" and own != num_heads
                    self._add(f"{name}_{kind}_norm", keras.layers.LayerNormalization)
                    if grouped:
                        self._add(f"{name}_{kind}", keras.layers.GroupQueryAttention, heads[1], heads[0], own)
                    else:
                        self._add(f"{name}_{kind}", keras.layers.MultiHeadAttention, *heads)
                self._add(f"{name}_feed_forward_norm", keras.layers.LayerNormalization)
                self._add(f"{name}_hidden", keras.layers.Dense, feed_forward, activation="relu")
                self._add(f"{name}_output", keras.layers.Dense, width)
            self._add(f"{side}_norm", keras.layers.LayerNormalization)
        self.logits = keras.layers.Dense(SOUND_TOKENS, name="logits")
        _build(self)

    def _add(self, name: str, kind: Any, *sizes: int, **options: Any) -> None:
        self.parts[name] = kind(*sizes, name=name, **options)

    def call(self, letters, previous):
        """(batch, letters) and (batch, steps) tokens in, (batch, steps, sounds) logits out."""
        return self.look(letters, previous)[0]

    def look(self, letters, previous):
        """The logits, and the last block's cross-attention weights (batch, heads, steps, letters)."""
        real = tf.not_equal(letters, PADDING)
        memory = self._encode(letters, real)
        x = self.sounds(previous) + self.sound_positions(tf.range(previous.shape[1]))
        weights = None
        for index in range(1, self.blocks + 1):
            name = f"decoder{index}"
            normed = self.parts[f"{name}_attention_norm"](x)
            x = x + self.parts[f"{name}_attention"](normed, normed, use_causal_mask=True)
            attended, weights = self.parts[f"{name}_cross"](
                self.parts[f"{name}_cross_norm"](x),
                memory,
                attention_mask=real[:, tf.newaxis, :],
                return_attention_scores=True,
            )
            x = self._feed_forward(name, x + attended)
        return self.logits(self.parts["decoder_norm"](x)), weights

    def _encode(self, letters, real):
        x = self.letters(letters) + self.letter_positions(tf.range(letters.shape[1]))
        for index in range(1, self.blocks + 1):
            name = f"encoder{index}"
            normed = self.parts[f"{name}_attention_norm"](x)
            x = x + self.parts[f"{name}_attention"](normed, normed, attention_mask=real[:, tf.newaxis, :])
            x = self._feed_forward(name, x)
        return self.parts["encoder_norm"](x)

    def _feed_forward(self, name: str, x):
        hidden = self.parts[f"{name}_hidden"](self.parts[f"{name}_feed_forward_norm"](x))
        return x + self.parts[f"{name}_output"](hidden)


class RecurrentSpeller(keras.Model):
    """A recurrent encoder in both directions and a recurrent decoder that starts from its last states.

    With attention, each state of the decoder asks all states of the encoder (Luong, Pham and Manning 2015,
    sections 3.1 and 3.3): scores `s W h`, the weighted mean joined to the state, one tanh layer, whose output
    gives the logits and is fed into the next step.

    Args:
        cell: `lstm` or `gru`.
        units: of the encoder in each direction; the decoder has twice as many.
        attention: whether the decoder looks back at the letters.
        width: of the embeddings.
    """

    def __init__(self, cell: str, units: int, attention: bool, width: int = 64) -> None:
        super().__init__(name=f"speller_{cell}")
        self.attention = attention
        self.letters = keras.layers.Embedding(LETTER_TOKENS, width, mask_zero=True, name="letters")
        self.sounds = keras.layers.Embedding(SOUND_TOKENS, width, name="sounds")
        options: dict[str, Any] = {"return_sequences": True, "return_state": True, "use_cudnn": False}
        self.forwards = _LAYERS[cell](units, name="forwards", unroll=True, **options)
        self.backwards = _LAYERS[cell](units, name="backwards", unroll=True, go_backwards=True, **options)
        self.decoder = _CELLS[cell](2 * units, name="decoder")
        if attention:
            self.query = keras.layers.Dense(2 * units, use_bias=False, name="query")
            self.joined = keras.layers.Dense(2 * units, activation="tanh", name="joined")
        self.logits = keras.layers.Dense(SOUND_TOKENS, name="logits")
        _build(self)

    def call(self, letters, previous):
        """(batch, letters) and (batch, steps) tokens in, (batch, steps, sounds) logits out."""
        return self.look(letters, previous)[0]

    def look(self, letters, previous):
        """The logits, and the attention weights (batch, 1, steps, letters), or None without attention."""
        memory, states = self._encode(letters)
        blocked = -1e9 * tf.cast(tf.equal(letters, PADDING), tf.float32)
        spoken = self.sounds(previous)
        fed = tf.zeros_like(states[0])
        outputs, weights = [], []
        for step in range(previous.shape[1]):
            given = tf.concat([spoken[:, step], fed], axis=-1) if self.attention else spoken[:, step]
            output, states = self.decoder(given, states)
            if self.attention:
                scores = tf.einsum("bd,bld->bl", self.query(output), memory) + blocked
                weights.append(tf.nn.softmax(scores))
                context = tf.einsum("bl,bld->bd", weights[-1], memory)
                output = fed = self.joined(tf.concat([output, context], axis=-1))
            outputs.append(output)
        logits = self.logits(tf.stack(outputs, axis=1))
        return logits, tf.stack(weights, axis=1)[:, tf.newaxis] if self.attention else None

    def _encode(self, letters):
        """The states after each letter, both directions joined, and the last ones."""
        embedded, real = self.letters(letters), tf.not_equal(letters, PADDING)
        there, *last = self.forwards(embedded, mask=real)
        back, *first = self.backwards(embedded, mask=real)
        memory = tf.concat([there, tf.reverse(back, axis=[1])], axis=-1)
        return memory, [tf.concat(both, axis=-1) for both in zip(last, first, strict=True)]


class SpellerTrainer(Trainer):
    """Teaches a speller with the sounds so far given, padding left out of the loss.

    Adam; the rate falls to zero along half a cosine (Loshchilov and Hutter 2017). Gradients longer than 1
    are shortened to 1, for all models alike. The rate is handed to the compiled steps, so that a model is
    compiled once for all rates.

    Args:
        model_of: builds the model.
        options: of `model_of`.
        xla: as in `Trainer`.
    """

    def __init__(self, model_of: Any, options: Mapping[str, Any], xla: bool) -> None:
        super().__init__(model_of, options, learning_rate=1.0, clip_norm=1.0, xla=xla)
        self._compiled, self.advance = self.advance, self._stretch
        self.rate, self.updates, self.seconds, self._done = 0.0, 0, [], 0

    def begin(self, seed: int, rate: float, updates: int) -> keras.Model:
        """Give the model the initial weights of that seed, and the rate its way down.

        Args:
            seed: of the weights.
            rate: of the first update.
            updates: after which it has fallen to zero.
        """
        self.rate, self.updates, self.seconds, self._done = rate, updates, [], 0
        return self.start(seed)

    def accuracy(self, tokens, answers) -> float:
        """Share of sounds that follow rightly on the right sounds before them."""
        letters, previous = tokens[:, :LONGEST], tokens[:, LONGEST:]
        right = [
            self._logits((_filled(letters[part]), _filled(previous[part]))).numpy()[: part.stop - part.start]
            for part in _parts(len(tokens))
        ]
        said = np.concatenate(right).argmax(axis=-1)
        return float((said == answers)[answers != PADDING].mean())

    def _stretch(self, tokens, answers):
        """All the steps of a stretch at the rates that are due; its seconds of this process are kept."""
        done = self._done + np.arange(len(tokens))
        rates = self.rate * (1 + np.cos(np.pi * done / self.updates)) / 2
        # What the decoder is given and asked for are parted here, not by slices inside the compiled loop.
        began = time.process_time()
        loss = self._compiled(tokens[:, :, :LONGEST], tokens[:, :, LONGEST:], answers, np.float32(rates))
        self.seconds.append(time.process_time() - began)
        self._done += len(tokens)
        return loss

    def _advance(self, letters, previous, targets, rates):
        total = tf.constant(0.0)
        for step in tf.range(letters.shape[0]):
            with tf.GradientTape() as tape:
                logits = self.model(letters[step], previous[step])
                losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=targets[step], logits=logits)
                asked = tf.cast(tf.not_equal(targets[step], PADDING), tf.float32)
                loss = tf.reduce_sum(losses * asked) / tf.reduce_sum(asked)
            gradients = tape.gradient(loss, self.model.trainable_variables)
            self.optimizer.learning_rate.assign(rates[step])
            self.optimizer.apply(gradients, self.model.trainable_variables)
            total += loss
        return total / letters.shape[0]

    def _answer(self, given):
        return self.model(*given)


@lru_cache(maxsize=8)
def speller_trainer(name: str, **sizes: Any) -> SpellerTrainer:
    """The trainer of a kind of speller: the same object for the same sizes.

    Args:
        name: `transformer`, `lstm`, `lstm_attention`, `gru` or `gru_attention`.
        sizes: of its class, where they are not the class's own.
    """
    if name == "transformer":
        return SpellerTrainer(TransformerSpeller, sizes, xla=True)
    cell, _, attention = name.partition("_")
    return SpellerTrainer(
        RecurrentSpeller, {"cell": cell, "attention": attention == "attention", **sizes}, xla=False
    )


def greedy(model: keras.Model, letters: Int[np.ndarray, "words longest"]) -> Int[np.ndarray, "words steps"]:
    """The likeliest sound at each step, given those said before; the whole decoder anew for each."""
    answer = tf.function(lambda letters, previous: tf.argmax(model(letters, previous), -1, tf.int32))
    said = np.zeros((len(letters), STEPS), np.int32)
    for part in _parts(len(letters)):
        previous = np.full((_PIECE, STEPS), START, np.int32)
        padded = _filled(letters[part])
        for step in range(STEPS):
            following = answer(padded, previous).numpy()[:, step]
            said[part, step] = following[: part.stop - part.start]
            if step + 1 < STEPS:
                previous[:, step + 1] = following
    ended = np.cumsum(said == END, axis=1) > 0
    return np.where(ended, END, said)


def weights_of(model: keras.Model) -> dict[str, Float[np.ndarray, "..."]]:
    """The model's weights as float32 arrays by name: `decoder1_cross.query.kernel` and so on."""
    return {
        "/".join(v.path.split("/")[1:]).replace("/", "."): keras.ops.convert_to_numpy(v)
        for v in model.trainable_variables
    }


def _build(model: Any) -> None:
    model(np.ones((1, LONGEST), np.int32), np.full((1, STEPS), START, np.int32))


def _parts(count: int) -> list[slice]:
    return [slice(start, min(start + _PIECE, count)) for start in range(0, count, _PIECE)]


def _filled(rows: np.ndarray) -> np.ndarray:
    return np.concatenate([rows, np.repeat(rows[:1], _PIECE - len(rows), axis=0)])
