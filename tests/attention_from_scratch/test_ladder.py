from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from attention_from_scratch import ladder
from attention_from_scratch.tasks import match_then_read


@pytest.mark.parametrize("length", [3, 4, 5, 6, 7])
def test_the_exact_ceiling_is_what_enumeration_gives(length):
    ordinary = length - 2
    total = sum(
        max(Counter(draw).values()) for draw in product(range(match_then_read.SYMBOLS), repeat=ordinary)
    )
    assert ladder.most_common_symbol(length) == Fraction(total, ordinary * match_then_read.SYMBOLS**ordinary)


def test_the_rungs_stand_in_order_and_the_ceiling_falls_with_length():
    ceilings = [ladder.most_common_symbol(n) for n in (8, 12, 16, 24, 48)]
    assert ceilings == sorted(ceilings, reverse=True)
    for length, ceiling in zip((8, 12, 16, 24, 48), ceilings, strict=True):
        assert ladder.ignoring_the_input() < ladder.random_symbol(length) < ceiling
    assert round(float(ladder.most_common_symbol(12)), 4) == 0.3207


@pytest.mark.parametrize("draw", [match_then_read.draw, match_then_read.draw_any_cue])
def test_guessing_is_worth_what_was_computed(draw):
    generator = np.random.default_rng(0)
    drawn = draw(40_000, 12, generator)
    right = ladder.guess_most_common(drawn, generator) == drawn.answers
    assert abs(right.mean() - float(ladder.most_common_symbol(12))) < 4 * right.std() / len(right) ** 0.5


def test_a_guess_is_a_most_common_symbol_and_never_the_cue():
    generator = np.random.default_rng(0)
    drawn = match_then_read.draw(500, 12, generator)
    given = ladder.guess_most_common(drawn, generator)
    assert (given != match_then_read.CUE).all()
    for tokens, guess in zip(drawn.tokens, given, strict=True):
        counts = Counter(t for t in tokens.tolist() if t != match_then_read.CUE)
        assert counts[guess] == max(counts.values())


def lookups_of(tokens, count):
    rows = np.tile(np.array(tokens, np.int32), (count, 1))
    return match_then_read.Lookups(rows, rows[:, 1], np.zeros(count, np.int32))


def test_the_cue_is_no_answer_however_often_it_stands_there():
    drawn = lookups_of([match_then_read.CUE, 3, 5, match_then_read.CUE], 50)
    assert set(ladder.guess_most_common(drawn, np.random.default_rng(0))) == {3, 5}


def test_among_equally_common_symbols_each_is_named_as_often():
    drawn = lookups_of([match_then_read.CUE, 6, 2, 4, match_then_read.CUE], 3_000)
    symbols, times = np.unique(ladder.guess_most_common(drawn, np.random.default_rng(0)), return_counts=True)
    assert symbols.tolist() == [2, 4, 6]
    assert times.min() > 900, times


def test_an_answer_is_most_common_among_ordinary_symbols_alone():
    """The cue stands there twice, each symbol once: it is still no answer, and takes no symbol's place."""
    drawn = lookups_of([match_then_read.CUE, 3, 5, match_then_read.CUE], 4)
    answers = np.array([3, 5, match_then_read.CUE, 1])
    assert ladder.is_most_common(drawn, answers).tolist() == [True, True, False, False]
