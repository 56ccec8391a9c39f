"""Causal masks that are wrong."""

import numpy as np

from attention_from_scratch.exercises.exercise import Mistake


def transposed(length):
    """The mask is transposed: keys in rows, queries in columns."""
    return np.tril(np.ones((length, length), dtype=bool)).T


def inverted(length):
    """The polarity is inverted: True means blocked."""
    return ~np.tril(np.ones((length, length), dtype=bool))


def strict(length):
    """The diagonal is blocked: a position may not see itself."""
    return np.tril(np.ones((length, length), dtype=bool), k=-1)


def one_too_many(length):
    """Off by one: each position sees the next one as well."""
    return np.tril(np.ones((length, length), dtype=bool), k=1)


def additive(length):
    """Numbers to add to the scores instead of truth values."""
    return np.where(np.tril(np.ones((length, length), dtype=bool)), 0.0, -1e9)


def one_row(length):
    """One row for all queries: no query has a limit of its own."""
    return np.arange(length) <= length - 1


def unfinished(length):
    """Everything is allowed."""
    return np.ones((length, length), dtype=bool)


MISTAKES = (
    Mistake(transposed, "the_future_is_closed"),
    Mistake(inverted, "the_past_is_open"),
    Mistake(strict, "a_position_sees_itself"),
    Mistake(one_too_many, "the_future_is_closed"),
    Mistake(additive, "it_holds_true_and_false"),
    Mistake(one_row, "it_has_a_row_for_each_query_and_a_column_for_each_key"),
    Mistake(unfinished, "the_future_is_closed"),
)
