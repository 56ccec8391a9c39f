"""Tasks that ask at many positions of a sequence: two that keep a state, two that look back, one in between.

Each draw gives tokens and an answer for each position; -1 where none is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
from jaxtyping import Int

UNASKED = -1
# The six permutations of three things, as a table: PRODUCT[a, b] is "first a, then b".
_PERMUTATIONS = ((0, 1, 2), (1, 2, 0), (2, 0, 1), (0, 2, 1), (2, 1, 0), (1, 0, 2))
PRODUCT = np.array(
    [[_PERMUTATIONS.index(tuple(b[i] for i in a)) for b in _PERMUTATIONS] for a in _PERMUTATIONS]
)
COPIED = 32  # symbols of what is copied; one more token says "now"
KEYS, VALUES = 32, 16
SYMBOLS = 8


class Asked(NamedTuple):
    """Sequences with questions.

    Args:
        tokens: what the model reads.
        answers: what it should say after each token; `UNASKED` where nothing is asked.
    """

    tokens: Int[np.ndarray, "sequences length"]
    answers: Int[np.ndarray, "sequences length"]


Draw = Callable[[int, int, np.random.Generator], Asked]


def parity(count: int, length: int, generator: np.random.Generator) -> Asked:
    """Coin flips; after each, whether the number of ones so far is odd.

    Args:
        count: of sequences.
        length: of each.
        generator: the source of randomness; pass a seeded one.
    """
    tokens = generator.integers(0, 2, size=(count, length), dtype=np.int32)
    return Asked(tokens, np.cumsum(tokens, axis=1, dtype=np.int32) % 2)


def state(count: int, length: int, generator: np.random.Generator) -> Asked:
    """Permutations of three things; after each, the product of all so far, in order (the group S₃).

    Args:
        count: of sequences.
        length: of each.
        generator: the source of randomness; pass a seeded one.
    """
    tokens = generator.integers(0, len(PRODUCT), size=(count, length), dtype=np.int32)
    answers = tokens.copy()
    for t in range(1, length):
        answers[:, t] = PRODUCT[answers[:, t - 1], tokens[:, t]]
    return Asked(tokens, answers)


def copy(count: int, length: int, generator: np.random.Generator) -> Asked:
    """Symbols that differ, a sign, and the same symbols again, each of which is asked for.

    Args:
        count: of sequences.
        length: symbols to copy, at most `COPIED`; the sequence has twice as many tokens.
        generator: the source of randomness; pass a seeded one.

    Raises:
        ValueError: more symbols than there are.
    """
    symbols = _different(count, length, COPIED, generator)
    sign = np.full((count, 1), COPIED, np.int32)
    tokens = np.concatenate([symbols, sign, symbols[:, :-1]], axis=1)
    answers = np.full(tokens.shape, UNASKED, np.int32)
    answers[:, length:] = symbols
    return Asked(tokens, answers)


def recall(count: int, length: int, generator: np.random.Generator) -> Asked:
    """Pairs of a key and a value, a key's value being the same each time; asked at each key seen before.

    Multi-query associative recall, after Arora et al. 2023 (arXiv:2312.04927). Some questions come when few
    pairs have been read: a model need not learn to hold all of them at once.

    Args:
        count: of sequences.
        length: keys a sequence draws from, at most `KEYS`; it has twice as many pairs.
        generator: the source of randomness; pass a seeded one.

    Raises:
        ValueError: more keys than there are.
    """
    keys, values = _dictionary(count, length, generator)
    return _asked_again(keys, values, generator.integers(0, length, size=(count, 2 * length)))


def recall_all(count: int, length: int, generator: np.random.Generator) -> Asked:
    """The test of `recall`: so many pairs, then each key once more, in another order.

    Args:
        count: of sequences.
        length: pairs, at most `KEYS`.
        generator: the source of randomness; pass a seeded one.

    Raises:
        ValueError: more pairs than there are keys.
    """
    keys, values = _dictionary(count, length, generator)
    once = np.tile(np.arange(length), (count, 1))
    order = np.concatenate([once, generator.permuted(once, axis=1)], axis=1)
    return _asked_again(keys, values, order)


def _dictionary(count: int, length: int, generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    keys = _different(count, length, KEYS, generator)
    return keys, generator.integers(0, VALUES, size=(count, length), dtype=np.int32)


def _different(count: int, length: int, of: int, generator: np.random.Generator) -> np.ndarray:
    """So many different symbols in each row, in random order."""
    if length > of:
        raise ValueError(f"{length} different symbols in a sequence; there are {of}")
    return generator.permuted(np.tile(np.arange(of, dtype=np.int32), (count, 1)), axis=1)[:, :length]


def _asked_again(keys: np.ndarray, values: np.ndarray, order: np.ndarray) -> Asked:
    """Pairs in that order; a key that stood there before asks for its value."""
    keys, values = np.take_along_axis(keys, order, axis=1), np.take_along_axis(values, order, axis=1)
    before = np.tril(np.ones((order.shape[1],) * 2, bool), k=-1)
    again = ((order[:, :, np.newaxis] == order[:, np.newaxis]) & before).any(axis=-1)
    tokens = np.stack([keys, values + KEYS], axis=-1).reshape(len(keys), -1)
    answers = np.stack([np.where(again, values, UNASKED), np.full(keys.shape, UNASKED)], axis=-1)
    return Asked(tokens, answers.reshape(tokens.shape).astype(np.int32))


def induction(count: int, length: int, generator: np.random.Generator) -> Asked:
    """Random symbols; after each that has occurred before, the symbol that followed it last time.

    Every beginning of a sequence is a shorter sequence that ends with a question.

    Args:
        count: of sequences.
        length: of each.
        generator: the source of randomness; pass a seeded one.
    """
    tokens = generator.integers(0, SYMBOLS, size=(count, length), dtype=np.int32)
    answers = np.full(tokens.shape, UNASKED, np.int32)
    for t in range(1, length):
        for before in range(t):
            same = tokens[:, before] == tokens[:, t]
            answers[same, t] = tokens[same, before + 1]
    return Asked(tokens, answers)


def induction_once(count: int, length: int, generator: np.random.Generator) -> Asked:
    """The question that reaches far: the last symbol occurred once before, anywhere, and what followed.

    Args:
        count: of sequences.
        length: of each, at least 3.
        generator: the source of randomness; pass a seeded one.
    """
    cues = generator.integers(0, SYMBOLS, size=count, dtype=np.int32)
    tokens = generator.integers(0, SYMBOLS - 1, size=(count, length), dtype=np.int32)
    tokens += tokens >= cues[:, np.newaxis]
    rows, places = np.arange(count), generator.integers(0, length - 2, size=count)
    tokens[rows, places] = tokens[:, -1] = cues
    answers = np.full(tokens.shape, UNASKED, np.int32)
    answers[:, -1] = tokens[rows, places + 1]
    return Asked(tokens, answers)


def at_the_end(draw: Draw) -> Draw:
    """The same sequences, asked for the last answer alone: those before it are easier."""

    def drawn(count: int, length: int, generator: np.random.Generator) -> Asked:
        tokens, answers = draw(count, length, generator)
        before = np.arange(answers.shape[1]) < answers.shape[1] - 1
        return Asked(tokens, np.where(before, UNASKED, answers))

    return drawn


class Task(NamedTuple):
    """What a model of a task has to know.

    Args:
        draw: so many sequences of that length, to be trained on.
        test: the same, to be tested on.
        vocabulary: tokens.
        answers: how many answers there are; guessing is worth one over this.
        asked: the last 1/asked of the positions answer.
    """

    draw: Draw
    test: Draw
    vocabulary: int
    answers: int
    asked: int


TASKS: Mapping[str, Task] = {
    "parity": Task(parity, at_the_end(parity), 2, 2, 1),
    "state": Task(state, at_the_end(state), len(PRODUCT), len(PRODUCT), 1),
    "copy": Task(copy, copy, COPIED + 1, COPIED, 2),
    "recall": Task(recall, recall_all, KEYS + VALUES, VALUES, 1),
    "induction": Task(induction, induction_once, SYMBOLS, SYMBOLS, 1),
}
