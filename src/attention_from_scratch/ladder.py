"""What answers are worth that do not find the cue: the ladder under the learning curves, exactly.

A match-then-read sequence holds `length − 2` ordinary symbols, drawn alike, and each of them is the
answer with the same probability. So whoever sees which symbols there are, but not in which order, can
do no better than name the most common one. It is right with probability E[largest count] / (length − 2).
"""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
from jaxtyping import Bool, Float, Int

from attention_from_scratch.tasks.match_then_read import SYMBOLS, VOCABULARY, Lookups


def ignoring_the_input() -> Fraction:
    """Always the same symbol, or any."""
    return Fraction(1, SYMBOLS)


def random_symbol(length: int) -> Fraction:
    """An ordinary symbol of the sequence, picked blindly: the answer, or one that happens to equal it."""
    ordinary = length - 2
    return Fraction(1, ordinary) + Fraction(ordinary - 1, ordinary) * Fraction(1, SYMBOLS)


def most_common_symbol(length: int) -> Fraction:
    """The ceiling of all strategies that do not see the order: E[largest count] / (length − 2)."""
    ordinary = length - 2
    expected = sum((1 - probability_none_above(most, ordinary) for most in range(ordinary)), Fraction(0))
    return expected / ordinary


def probability_none_above(most: int, draws: int, symbols: int = SYMBOLS) -> Fraction:
    """The probability that no symbol comes up more than `most` times in so many uniform draws.

    Counts sequences symbol by symbol: of n places, so many hold this one, and the others those before it.

    Args:
        most: the largest count allowed.
        draws: how many symbols are drawn.
        symbols: how many there are to draw from.
    """
    filled = [1] + [0] * draws  # in how many ways the symbols so far fill n given places
    for _ in range(symbols):
        filled = [
            sum(comb(n, count) * filled[n - count] for count in range(min(most, n) + 1))
            for n in range(draws + 1)
        ]
    return Fraction(filled[draws], symbols**draws)


def guess_most_common(
    drawn: Lookups, generator: np.random.Generator, first: int = 0
) -> Int[np.ndarray, " sequences"]:
    """Answer each sequence with its most common symbol other than its cue, ties broken at random.

    Args:
        drawn: the sequences.
        generator: breaks ties.
        first: leave out the positions before this one. The first position never holds the answer, so that
            who leaves it out knows a little about order, without having found the cue.
    """
    counts = _counts(drawn._replace(tokens=drawn.tokens[:, first:]))
    return (counts + generator.random(counts.shape) / 2).argmax(axis=1)


def is_most_common(drawn: Lookups, answers: Int[np.ndarray, " sequences"]) -> Bool[np.ndarray, " sequences"]:
    """Whether no symbol of the sequence, its cue aside, is more common than the answer."""
    counts = _counts(drawn)
    return counts[np.arange(len(answers)), answers] == counts.max(axis=1)


def _counts(drawn: Lookups) -> Float[np.ndarray, "sequences symbols"]:
    """How often each symbol occurs in each sequence; the cue counts as none."""
    rows = np.arange(len(drawn.tokens))
    counts = np.zeros((len(rows), max(drawn.tokens.max() + 1, VOCABULARY)))
    np.add.at(counts, (rows[:, np.newaxis], drawn.tokens), 1)
    counts[rows, drawn.tokens[:, -1]] = 0
    return counts
