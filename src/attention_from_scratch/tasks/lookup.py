"""The lookup: a dictionary of pairs, and a query that asks for one of its values.

A sequence holds `length` pairs of a key symbol and a value symbol; no key occurs twice. A query symbol
asks for one of them, and the answer is the value beside it. One attention head solves it as soon as each
query matches its key.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Int


class Lookups(NamedTuple):
    """Sequences that each ask for one value.

    Args:
        keys: symbols, all different within a sequence.
        values: the symbol that each key holds.
        queries: the key that is asked for.
        answers: the value that it holds.
    """

    keys: Int[np.ndarray, "sequences length"]
    values: Int[np.ndarray, "sequences length"]
    queries: Int[np.ndarray, " sequences"]
    answers: Int[np.ndarray, " sequences"]

    @property
    def tokens(self) -> Int[np.ndarray, "sequences tokens"]:
        """What a model reads: all keys, all values, the query."""
        return np.concatenate([self.keys, self.values, self.queries[:, np.newaxis]], axis=1)


def draw(seed: int, sequences: int, length: int, symbols: int, values: int) -> Lookups:
    """Draw lookups, keys and values uniformly.

    Args:
        seed: of the draws.
        sequences: how many.
        length: pairs in each.
        symbols: how many keys there are to choose from.
        values: how many values.

    Raises:
        ValueError: fewer key symbols than positions, so that keys would repeat.
    """
    if symbols < length:
        raise ValueError(f"{length} different keys cannot be drawn from {symbols} symbols")
    generator = np.random.default_rng(seed)
    keys = generator.random((sequences, symbols)).argsort(axis=1)[:, :length]
    held = generator.integers(values, size=(sequences, length))
    asked = generator.integers(length, size=sequences)
    row = np.arange(sequences)
    drawn = keys, held, keys[row, asked], held[row, asked]
    return Lookups(*(array.astype(np.int32) for array in drawn))
