"""Ways back through a softmax that lead elsewhere."""

from attention_from_scratch.exercises.exercise import Mistake


def passed_through(weights, gradient):
    """The gradient is handed on as it came, as if the softmax were not there."""
    return gradient.copy()


def no_average(weights, gradient):
    """Nothing is taken away: as if the other weights did not move along."""
    return weights * gradient


def diagonal_only(weights, gradient):
    """Each score's own weight alone is followed back: w (1 - w) g, the diagonal of the Jacobian."""
    return weights * (1 - weights) * gradient


def plain_average(weights, gradient):
    """The average is the plain mean of the gradient, and not the one by the weights."""
    return weights * (gradient - gradient.mean(axis=-1, keepdims=True))


def no_weight_in_front(weights, gradient):
    """The weight in front is missing: a key with no weight would learn as much as the winner."""
    return gradient - (weights * gradient).sum(axis=-1, keepdims=True)


def turned(weights, gradient):
    """The bracket is turned round: each step would climb."""
    return weights * ((weights * gradient).sum(axis=-1, keepdims=True) - gradient)


def one_average_for_all(weights, gradient):
    """One sum runs over the whole array: rows are mixed."""
    return weights * (gradient - (weights * gradient).sum())


def dimensions_dropped(weights, gradient):
    """The sum loses its axis, and lines up with the wrong one."""
    return weights * (gradient - (weights * gradient).sum(axis=-1))


def divided_back(weights, gradient):
    """The average is divided by the weight again: where that is zero, zero by zero is no number."""
    average = (weights * gradient).sum(axis=-1, keepdims=True)
    return weights * (gradient - average * weights / weights)


def in_place(weights, gradient):
    """The average is taken away in place: the caller's gradient is another one afterwards."""
    gradient -= (weights * gradient).sum(axis=-1, keepdims=True)
    return weights * gradient


MISTAKES = (
    Mistake(passed_through, "it_is_the_slope"),
    Mistake(no_average, "equal_gradients_move_nothing"),
    Mistake(diagonal_only, "equal_gradients_move_nothing"),
    Mistake(plain_average, "a_row_sums_to_zero"),
    Mistake(no_weight_in_front, "a_weight_of_zero_gets_nothing"),
    Mistake(turned, "it_is_the_slope"),
    Mistake(one_average_for_all, "rows_stay_apart"),
    Mistake(dimensions_dropped, "it_keeps_the_shape"),
    Mistake(divided_back, "a_weight_of_zero_gets_nothing"),
    Mistake(in_place, "it_leaves_its_inputs_alone"),
)
