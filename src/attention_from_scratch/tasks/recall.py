"""Recall: one end of a sequence is the answer, mostly its first token; each set comes from a seed.

The plainest test of distance. Nothing has to be found and nothing computed: a model reads the sequence
from left to right and says at its end what stood at its beginning. Only the way there grows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Int

PADDING = 0
SYMBOLS = (1, 2)  # two classes, so that guessing is worth one half
VOCABULARY = 1 + len(SYMBOLS)
CHANCE = 1 / len(SYMBOLS)


class Recall(NamedTuple):
    """Sequences that each ask for their first token.

    Args:
        tokens: symbols 1 and 2; 0 where a sequence is padded.
        answers: the class of the first symbol, counted from 0.
    """

    tokens: Int[np.ndarray, "sequences length"]
    answers: Int[np.ndarray, " sequences"]


def draw(count: int, length: int, generator: np.random.Generator) -> Recall:
    """Sequences of fair coin flips; the first flip is the answer.

    Args:
        count: of sequences.
        length: tokens in each, at least 1.
        generator: the source of randomness; pass a seeded one.

    Raises:
        ValueError: `length` is below 1.
    """
    if length < 1:
        raise ValueError(f"length is {length}; a sequence needs a first token")
    tokens = generator.integers(SYMBOLS[0], SYMBOLS[-1] + 1, size=(count, length), dtype=np.int32)
    return Recall(tokens, tokens[:, 0] - SYMBOLS[0])


def draw_ragged(
    count: int, shortest: int, longest: int, generator: np.random.Generator, asked: str = "first"
) -> tuple[Recall, Int[np.ndarray, " sequences"]]:
    """Sequences of different lengths, padded behind to the longest, that ask for one of their ends.

    Args:
        count: of sequences.
        shortest: tokens in the shortest, at least 1.
        longest: tokens in the longest; lengths are uniform in between.
        generator: the source of randomness; pass a seeded one.
        asked: the answer is the `first` or the `last` real token.

    Returns:
        The sequences, and how many real tokens each has.

    Raises:
        ValueError: `shortest` is above `longest` or below 1, or another token is asked for.
    """
    if asked not in ("first", "last"):
        raise ValueError(f"asked is {asked!r}; expected 'first' or 'last'")
    if not 1 <= shortest <= longest:
        raise ValueError(f"lengths from {shortest} to {longest}; expected 1 <= shortest <= longest")
    drawn = draw(count, longest, generator)
    lengths = generator.integers(shortest, longest + 1, size=count)
    real = np.arange(longest) < lengths[:, np.newaxis]
    answers = drawn.answers if asked == "first" else _ends(drawn.tokens, lengths) - SYMBOLS[0]
    return Recall(np.where(real, drawn.tokens, PADDING).astype(np.int32), answers), lengths


def _ends(
    tokens: Int[np.ndarray, "sequences longest"], lengths: Int[np.ndarray, " sequences"]
) -> Int[np.ndarray, " sequences"]:
    return tokens[np.arange(len(tokens)), lengths - 1]


def padded(
    tokens: Int[np.ndarray, "sequences longest"], total: int, side: str
) -> Int[np.ndarray, "sequences total"]:
    """Right-padded sequences, padded on to `total` tokens on the side asked for.

    Args:
        tokens: sequences whose padding, if any, stands behind.
        total: tokens in each, padding included.
        side: `post` leaves the padding behind; `pre` moves all of it to the front.

    Raises:
        ValueError: `total` would cut tokens off, or the side is another one.
    """
    if total < tokens.shape[1]:
        raise ValueError(f"total is {total}, but the sequences have {tokens.shape[1]} tokens")
    if side not in ("pre", "post"):
        raise ValueError(f"side is {side!r}; expected 'pre' or 'post'")
    wide = np.pad(tokens, ((0, 0), (0, total - tokens.shape[1])), constant_values=PADDING)
    if side == "post":
        return wide
    order = np.argsort(is_real(wide), axis=1, kind="stable")  # padding first, tokens in their order
    return np.take_along_axis(wide, order, axis=1)


def is_real(tokens: Int[np.ndarray, "sequences length"]) -> Bool[np.ndarray, "sequences length"]:
    """True where a token is not padding."""
    return tokens != PADDING
