"""Softmaxes that are wrong."""

import numpy as np

from attention_from_scratch.exercises.exercise import Mistake


def wrong_axis(scores):
    """The softmax runs over the first axis: each column sums to one, instead of each row."""
    exponentials = np.exp(scores - scores.max(axis=0, keepdims=True))
    return exponentials / exponentials.sum(axis=0, keepdims=True)


def whole_array(scores):
    """One sum over the whole array: all rows together sum to one."""
    exponentials = np.exp(scores - scores.max())
    return exponentials / exponentials.sum()


def no_maximum_subtracted(scores):
    """The maximum is not subtracted: large scores overflow."""
    exponentials = np.exp(scores)
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def global_maximum(scores):
    """The maximum of the whole array is subtracted: rows of small scores underflow."""
    exponentials = np.exp(scores - scores.max())
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def clipped(scores):
    """Scores are clipped so that nothing overflows: differences between large scores are lost."""
    exponentials = np.exp(np.clip(scores, -500, 500))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def no_exponential(scores):
    """Scores are divided by their sum, without the exponential: weights turn negative."""
    return scores / scores.sum(axis=-1, keepdims=True)


def divided_by_the_maximum(scores):
    """Scores are divided by the maximum, instead of having it subtracted."""
    exponentials = np.exp(scores / np.abs(scores).max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def base_two(scores):
    """Powers of two in the place of powers of e: weights are flatter than they should be."""
    powers = np.exp2(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def dimensions_dropped(scores):
    """The sum loses its axis, so it lines up with the wrong axis of the exponentials."""
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1)


def small_constant_in_the_sum(scores):
    """A small number is added to each weight against division by zero: blocked scores get weight."""
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True)) + 1e-9
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


MISTAKES = (
    Mistake(wrong_axis, "rows_sum_to_one"),
    Mistake(whole_array, "rows_sum_to_one"),
    Mistake(no_maximum_subtracted, "large_scores_stay_finite"),
    Mistake(global_maximum, "each_row_has_its_own_maximum"),
    Mistake(clipped, "large_scores_stay_finite"),
    Mistake(no_exponential, "no_weight_is_negative"),
    Mistake(divided_by_the_maximum, "only_differences_matter"),
    Mistake(base_two, "differences_of_scores_become_ratios_of_weights"),
    Mistake(dimensions_dropped, "it_keeps_the_shape"),
    Mistake(small_constant_in_the_sum, "a_score_of_minus_infinity_gets_no_weight"),
)
