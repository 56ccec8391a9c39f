"""Which letters a sound looks at, which it needs, and how well the one tells the other.

Weights of cross-attention say where a decoder looks. What it needs is found by taking something away: a
letter of the memory is hidden from every head, or the letter is struck from the word before it is read.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int

from attention_from_scratch import decoding
from attention_from_scratch.decoding import EncoderDecoder


class Looked(NamedTuple):
    """What a decoder did with words whose sounds were given to it.

    Args:
        weights: of each block's cross-attention.
        asked: True where a step stands for a sound of the word, or for its end.
    """

    weights: Float[np.ndarray, "blocks words num_heads steps letters"]
    asked: Bool[np.ndarray, "words steps"]


def look(
    model: EncoderDecoder,
    letters: Int[np.ndarray, "words letters"],
    previous: Int[np.ndarray, "words steps"],
    targets: Int[np.ndarray, "words steps"],
) -> Looked:
    """The weights of all steps, the sounds before each given.

    Args:
        model: the weights.
        letters: of the words, padded behind.
        previous: what the decoder is given.
        targets: what it is asked for; 0 where nothing is.
    """
    _, crossed = decoding.whole(model, decoding.encode(model, letters), previous)
    return Looked(np.stack(crossed), targets != 0)


def lost_when_hidden(
    model: EncoderDecoder,
    letters: Int[np.ndarray, "words letters"],
    previous: Int[np.ndarray, "words steps"],
    targets: Int[np.ndarray, "words steps"],
) -> Float[np.ndarray, "words steps letters"]:
    """How far the log probability of each sound falls when one letter of the memory is hidden.

    The encoder has read the whole word by then: what it has carried from one letter to another stays.

    Args:
        model: the weights.
        letters: as in `look`; each word has two letters or more.
        previous: as in `look`.
        targets: as in `look`.
    """
    memory = decoding.encode(model, letters)
    before = _log_probability(model, memory, previous, targets)
    lost = np.full((*targets.shape, letters.shape[1]), -np.inf, before.dtype)
    for place in range(letters.shape[1]):
        real = memory.real & (np.arange(letters.shape[1]) != place)
        after = _log_probability(model, memory._replace(real=real), previous, targets)
        lost[..., place] = np.where(memory.real[:, place, np.newaxis], before - after, -np.inf)
    return lost


def _log_probability(
    model: EncoderDecoder, memory: decoding.Memory, previous: np.ndarray, targets: np.ndarray
) -> Float[np.ndarray, "words steps"]:
    logits, _ = decoding.whole(model, memory, previous)
    further = decoding.log_softmax(logits)
    return np.take_along_axis(further, targets[..., np.newaxis], axis=-1)[..., 0]
