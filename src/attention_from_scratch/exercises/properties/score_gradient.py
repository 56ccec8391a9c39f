"""What the gradient at a softmax's scores has to be, whichever way it is computed."""

import numpy as np

from attention_from_scratch.exercises.checking import require

STEP = 1e-5


def it_keeps_the_shape(score_gradient):
    """There is one number for each score: the shape stays, with any number of axes.

    Sum with `keepdims=True`, so that a row's average still lines up with the row.
    """
    for shape in ((4,), (3, 4), (2, 3, 4)):
        weights, gradient = _drawn(*shape)
        found = np.shape(score_gradient(weights, gradient))
        require(found == shape, f"shape {found} for weights of shape {shape}")


def it_is_the_slope(score_gradient):
    """It is by what the loss changes when a score is nudged: (L(s + h) - L(s - h)) / 2h.

    Nudge one score and all weights of its row move, for they share a sum. So each weight's gradient has a
    part in each score's.
    """
    scores, gradient = _numbers(0, 3, 4), _numbers(1, 3, 4)
    slopes = np.empty_like(scores)
    for place in np.ndindex(scores.shape):
        nudge = np.zeros_like(scores)
        nudge[place] = STEP
        slopes[place] = (gradient * (_softmax(scores + nudge) - _softmax(scores - nudge))).sum() / (2 * STEP)
    found = _found(score_gradient, _softmax(scores), gradient)
    worst = np.abs(found - slopes).max()
    require(worst < 1e-7, f"a slope is missed by {worst:.3g}")


def a_row_sums_to_zero(score_gradient):
    """The entries of a row sum to zero.

    To raise all scores of a row alike changes no weight, so that the loss cannot want it. What is taken away
    from each entry is the average by the weights, not the plain one.
    """
    sums = _found(score_gradient, *_drawn(5, 6)).sum(axis=-1)
    require(np.allclose(sums, 0, atol=1e-12), f"a row sums to {sums[np.abs(sums).argmax()]:.3g}")


def equal_gradients_move_nothing(score_gradient):
    """If the gradient is the same at each weight of a row, it is zero at each score.

    The weights sum to one whatever the scores are: to ask each weight for the same is to ask for nothing.
    """
    weights, _ = _drawn(3, 4)
    found = _found(score_gradient, weights, np.full((3, 4), 2.5))
    require(np.allclose(found, 0, atol=1e-12), f"an entry of {np.abs(found).max():.3g}")


def rows_stay_apart(score_gradient):
    """Each row has its own average: what another row is asked for changes nothing.

    The keys are on the last axis: sum along `axis=-1`.
    """
    weights, gradient = _drawn(3, 4)
    other = gradient.copy()
    other[1:] += 7
    one, two = (_found(score_gradient, weights, each)[0] for each in (gradient, other))
    require(np.allclose(one, two), f"an entry moved by {np.abs(one - two).max():.3g}")


def a_weight_of_zero_gets_nothing(score_gradient):
    """Where a weight is zero, such as at a blocked key, the gradient is zero, and nothing is divided by it.

    The weight stands in front as a factor.
    """
    weights, gradient = np.array([[0.25, 0.0, 0.75], [1.0, 0.0, 0.0]]), _numbers(2, 2, 3)
    found = _found(score_gradient, weights, gradient)
    require(np.isfinite(found).all(), "an entry is not finite")
    require((found[weights == 0] == 0).all(), f"a weight of zero got {np.abs(found[weights == 0]).max():.3g}")


def it_leaves_its_inputs_alone(score_gradient):
    """The arrays that came in are as they were.

    `gradient -= …` writes into the caller's array; `gradient - …` makes a new one.
    """
    weights, gradient = _drawn(3, 4)
    before = weights.copy(), gradient.copy()
    shape = np.shape(score_gradient(weights, gradient))
    require(shape == weights.shape, f"shape {shape} for weights of shape {weights.shape}")
    require((weights == before[0]).all() and (gradient == before[1]).all(), "an input was changed")


def _numbers(seed, *shape):
    return np.random.default_rng(seed).normal(size=shape)


def _softmax(scores):
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def _drawn(*shape):
    return _softmax(_numbers(3, *shape)), _numbers(4, *shape)


def _found(score_gradient, weights, gradient):
    found = np.asarray(score_gradient(weights.copy(), gradient.copy()))
    require(found.shape == weights.shape, f"shape {found.shape} for weights of shape {weights.shape}")
    return found


PROPERTIES = (
    it_keeps_the_shape,
    it_is_the_slope,
    a_row_sums_to_zero,
    equal_gradients_move_nothing,
    rows_stay_apart,
    a_weight_of_zero_gets_nothing,
    it_leaves_its_inputs_alone,
)
