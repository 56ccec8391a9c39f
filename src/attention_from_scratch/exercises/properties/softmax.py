"""What every softmax over the last axis has in common."""

import numpy as np

from attention_from_scratch.exercises.checking import require


def it_keeps_the_shape(softmax):
    """There is one weight for each score: the shape stays, with any number of axes.

    Reduce with `keepdims=True`, so that a row's maximum and sum still line up with the row.
    """
    for shape in ((4,), (3, 4), (2, 3, 4)):
        found = np.shape(softmax(_scores(*shape)))
        require(found == shape, f"shape {found} for scores of shape {shape}")


def rows_sum_to_one(softmax):
    """The weights along the last axis sum to one.

    The keys are on the last axis: `axis=-1`. If columns or the whole array sum to one, the sum runs over
    the wrong axis.
    """
    for shape in ((4,), (3, 4), (2, 3, 4)):
        sums = _weights(softmax, _scores(*shape)).sum(axis=-1)
        require(np.allclose(sums, 1), f"scores of shape {shape} gave rows that sum to {_few(sums)}")


def no_weight_is_negative(softmax):
    """No weight is below zero.

    `exp` of anything is positive, whatever the sign of the score: apply it before you normalise.
    """
    weights = _weights(softmax, _scores(6, 5))
    require(weights.min() >= 0, f"a weight of {weights.min():.3g}")


def differences_of_scores_become_ratios_of_weights(softmax):
    """If one score is larger by x, its weight is larger by the factor exp(x).

    This and the sum of one leave no freedom: weights are exp(score), divided by their sum. No other base,
    no temperature, no rounding.
    """
    weights = _weights(softmax, np.array([[0.0, 1.0, -2.0, 0.5]]))[0]
    for which, difference in ((1, 1.0), (2, -2.0), (3, 0.5)):
        ratio = weights[which] / weights[0]
        require(
            np.isclose(ratio, np.exp(difference)),
            f"a difference of {difference} gave the ratio {ratio:.4g}, not {np.exp(difference):.4g}",
        )


def only_differences_matter(softmax):
    """Adding the same number to a whole row changes nothing.

    exp(s + c) is exp(s) times exp(c), and the factor cancels. That is what lets you subtract the maximum.
    """
    scores = _scores(3, 4)
    before = _weights(softmax, scores)
    after = _weights(softmax, scores + np.array([[3.0], [-2.0], [0.5]]))
    require(np.allclose(before, after), f"a weight moved by {np.abs(before - after).max():.3g}")


def large_scores_stay_finite(softmax):
    """Large scores give the same weights as small ones, without overflow.

    exp(1000) is infinite in float64, and infinity divided by infinity is not a number. Subtract each
    row's maximum before you exponentiate: the largest exponent is then zero.
    """
    for shift in (1e4, -1e4):
        weights = _weights(softmax, np.array([[0.0, 1.0, 2.0]]) + shift)
        require(np.isfinite(weights).all(), f"scores near {shift:g} gave {_few(weights)}")
        require(
            np.allclose(weights, _weights(softmax, np.array([[0.0, 1.0, 2.0]]))), f"scores near {shift:g}"
        )


def each_row_has_its_own_maximum(softmax):
    """A row of large scores does not spoil a row of small ones.

    Subtract the maximum of each row, `max(axis=-1, keepdims=True)`. With the maximum of the whole array,
    every exponential of the smaller row vanishes, and zero divided by zero is not a number.
    """
    weights = _weights(softmax, np.array([[5e3, 5e3 + 1], [-5e3, -5e3 + 1]]))
    require(np.isfinite(weights).all(), f"weights {_few(weights)}")
    require(np.allclose(weights[0], weights[1]), f"equal differences gave {_few(weights)}")


def a_score_of_minus_infinity_gets_no_weight(softmax):
    """A score of minus infinity gets exactly zero; the other weights still sum to one.

    exp(-inf) is zero. This is how a mask works, so nothing may turn the infinity into NaN on the way.
    """
    weights = _weights(softmax, np.array([[1.0, -np.inf, 2.0]]))[0]
    require(weights[1] == 0, f"it got {weights[1]}")
    require(np.isclose(weights.sum(), 1), f"the row sums to {weights.sum()}")


def _scores(*shape):
    return np.random.default_rng(0).normal(size=shape) * 2


def _weights(softmax, scores):
    weights = np.asarray(softmax(scores.copy()))
    require(weights.shape == scores.shape, f"shape {weights.shape} for scores of shape {scores.shape}")
    return weights


def _few(values):
    return np.array2string(np.ravel(values)[:4], precision=4, separator=", ")


PROPERTIES = (
    it_keeps_the_shape,
    rows_sum_to_one,
    no_weight_is_negative,
    differences_of_scores_become_ratios_of_weights,
    only_differences_matter,
    large_scores_stay_finite,
    each_row_has_its_own_maximum,
    a_score_of_minus_infinity_gets_no_weight,
)
