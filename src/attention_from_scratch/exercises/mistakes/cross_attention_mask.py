"""Masks of cross-attention that are wrong."""

import numpy as np

from attention_from_scratch.exercises.exercise import Mistake


def _source(source, target):
    return np.repeat((source != 0)[:, np.newaxis, :], target.shape[1], axis=1)


def swapped(source, target):
    """Queries and keys are swapped: sources in rows, targets in columns."""
    return np.swapaxes(_source(source, target), 1, 2)


def targets_padding(source, target):
    """The target's padding is hidden instead of the source's."""
    return np.repeat((target != 0)[:, :, np.newaxis], source.shape[1], axis=2)


def both_paddings(source, target):
    """Queries at the target's padding are blocked as well: their rows are empty."""
    return (target != 0)[:, :, np.newaxis] & (source != 0)[:, np.newaxis, :]


def causal_too(source, target):
    """A causal mask on top: the source is treated as if it were written along with the target."""
    queries, keys = np.arange(target.shape[1])[:, np.newaxis], np.arange(source.shape[1])
    return _source(source, target) & (keys <= queries)


def inverted(source, target):
    """True is read as padding."""
    return ~_source(source, target)


def nothing_hidden(source, target):
    """The source's padding is forgotten."""
    return np.ones((len(source), target.shape[1], source.shape[1]), dtype=bool)


def left_to_broadcast(source, target):
    """One row for all queries: it fits one sequence at a time, and not where a row a query is asked for."""
    return (source != 0)[:, np.newaxis, :]


def token_ids(source, target):
    """Token ids instead of truth values: a mask of numbers is read in other ways than one thinks."""
    return np.repeat(source[:, np.newaxis, :], target.shape[1], axis=1)


def in_place(source, target):
    """The ids are overwritten by the comparison."""
    mask = _source(source, target)
    source[:] = source != 0
    return mask


MISTAKES = (
    Mistake(swapped, "it_has_a_row_for_each_target_and_a_column_for_each_source"),
    Mistake(targets_padding, "the_sources_padding_is_closed"),
    Mistake(both_paddings, "no_row_is_empty"),
    Mistake(causal_too, "a_real_query_sees_the_whole_source"),
    Mistake(inverted, "the_sources_padding_is_closed"),
    Mistake(nothing_hidden, "the_sources_padding_is_closed"),
    Mistake(left_to_broadcast, "it_has_a_row_for_each_target_and_a_column_for_each_source"),
    Mistake(token_ids, "it_holds_true_and_false"),
    Mistake(in_place, "it_leaves_its_inputs_alone"),
)
