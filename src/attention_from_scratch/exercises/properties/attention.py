"""What every scaled dot-product attention has in common: Vaswani et al. 2017, §3.2.1."""

import numpy as np

from attention_from_scratch.exercises.checking import require


def shapes_follow_queries_keys_and_values(attention):
    """Outputs have a row for each query and a column for each value column; weights are queries by keys.

    Nothing ties the number of queries to the number of keys, or the width of a value to the width of a key.
    """
    query, key, value = _inputs(queries=3, keys=5, key_dim=4, value_dim=2)
    outputs, weights = _call(attention, query, key, value)
    require(outputs.shape == (3, 2), f"outputs of shape {outputs.shape}, not (3, 2)")
    require(weights.shape == (3, 5), f"weights of shape {weights.shape}, not (3, 5)")


def each_query_spends_one(attention):
    """The weights of each query sum to one, and none is negative.

    The softmax runs over the keys, the last axis of the scores.
    """
    _, weights = _call(attention, *_inputs())
    sums = weights.sum(axis=-1)
    require(np.allclose(sums, 1), f"rows that sum to {_few(sums)}")
    require(weights.min() >= 0, f"a weight of {weights.min():.3g}")


def scores_are_divided_by_the_root_of_the_key_dim(attention):
    """Scores are dot products divided by the square root of d_k, the width of a query and of a key.

    The width is `query.shape[-1]`. It is not the width of a value, not the number of keys, and not the width
    of the model; and it stands under a root.
    """
    for key_dim in (1, 4, 9):
        query = np.full((1, key_dim), 0.5)
        key = np.stack([np.zeros(key_dim), np.ones(key_dim)])
        _, weights = _call(attention, query, key, np.ones((2, 5)))
        found = np.log(weights[0, 1] / weights[0, 0])
        wanted = 0.5 * key_dim / np.sqrt(key_dim)
        require(
            np.isclose(found, wanted),
            f"with d_k = {key_dim}, the score {0.5 * key_dim} became {found:.4g}, not {wanted:.4g}",
        )


def outputs_are_averages_of_values(attention):
    """Each output is the average of the values by the weights.

    `weights @ value`. With a value that is one-hot for its key, the output is the row of weights itself.
    """
    query, key, value = _inputs()
    outputs, weights = _call(attention, query, key, value)
    gap = np.abs(outputs - weights @ value).max()
    require(gap < 1e-6, f"an output is {gap:.3g} away from the average of the values")


def blocked_keys_get_exactly_zero(attention):
    """Where the mask is False, the weight is exactly zero.

    True means "may attend". Set the scores of blocked pairs to minus infinity, or a very negative number,
    before the softmax.
    """
    mask = _mask()
    _, weights = _call(attention, *_inputs(), mask)
    worst = np.abs(weights[~mask]).max()
    require(worst == 0, f"a blocked key has the weight {worst:.3g}")


def masked_rows_still_sum_to_one(attention):
    """With a mask, the weights of each query still sum to one.

    If rows sum to less, the mask came after the softmax: the blocked keys had taken their share already.
    """
    _, weights = _call(attention, *_inputs(), _mask())
    sums = weights.sum(axis=-1)
    require(np.allclose(sums, 1), f"rows that sum to {_few(sums)}")


def blocked_keys_could_as_well_be_absent(attention):
    """Blocking a key gives what you get when the key is not there at all.

    This fails when the mask is inverted, transposed, or applied after the softmax.
    """
    query, key, value = _inputs()
    mask = np.array([True, False, True, True, False])
    outputs, weights = _call(attention, query, key, value, np.tile(mask, (len(query), 1)))
    without, fewer = _call(attention, query, key[mask], value[mask])
    require(np.allclose(outputs, without), f"an output differs by {np.abs(outputs - without).max():.3g}")
    require(np.allclose(weights[:, mask], fewer), "the weights of the other keys differ")


def a_blocked_token_leaks_nothing(attention):
    """Changing a blocked key and its value changes no output.

    The softmax of a row sees only scores that are allowed. If a blocked score still enters the sum, its token
    leaks through the other weights.
    """
    query, key, value = _inputs()
    mask = np.tril(np.ones((len(query), len(key)), dtype=bool))
    before, _ = _call(attention, query, key, value, mask)
    key[-1] *= -3
    value[-1] += 10
    after, _ = _call(attention, query, key, value, mask)
    moved = np.abs(before - after)[:-1].max()
    require(moved < 1e-9, f"an earlier output moved by {moved:.3g} when a token that it may not see changed")


def large_scores_stay_finite(attention):
    """Large dot products do not overflow.

    Subtract each row's maximum before you exponentiate, as in the exercise on the softmax.
    """
    query, key, value = _inputs()
    outputs, weights = _call(attention, query * 1e4, key, value)
    require(np.isfinite(weights).all(), f"weights {_few(weights)}")
    require(np.isfinite(outputs).all(), f"outputs {_few(outputs)}")


def a_batch_is_each_of_its_sequences(attention):
    """With leading axes, each sequence gives what it gives alone.

    `key.T` turns all axes round, the batch as well. Swap the last two only: `np.swapaxes(key, -1, -2)`.
    """
    rng = np.random.default_rng(3)
    query, key = rng.normal(size=(2, 3, 5, 4)), rng.normal(size=(2, 3, 5, 4))
    value = rng.normal(size=(2, 3, 5, 6))
    mask = _mask()
    for given in ((), (mask,)):
        outputs, weights = _call(attention, query, key, value, *given)
        require(outputs.shape == (2, 3, 5, 6), f"outputs of shape {outputs.shape} for a batch of (2, 3)")
        require(weights.shape == (2, 3, 5, 5), f"weights of shape {weights.shape} for a batch of (2, 3)")
        for place in np.ndindex(2, 3):
            alone, _ = _call(attention, query[place], key[place], value[place], *given)
            require(np.allclose(outputs[place], alone), f"the sequence at {place} differs from itself alone")


def _inputs(queries=5, keys=5, key_dim=4, value_dim=3):
    rng = np.random.default_rng(2)
    return tuple(rng.normal(size=s) for s in ((queries, key_dim), (keys, key_dim), (keys, value_dim)))


def _mask():
    """Neither symmetric nor causal, and no row is empty."""
    pattern = ["10011", "01010", "11100", "00001", "10110"]
    return np.array([[character == "1" for character in row] for row in pattern])


def _call(attention, *arrays):
    result = attention(*(array.copy() for array in arrays))
    require(isinstance(result, tuple | list) and len(result) == 2, "it does not return outputs and weights")
    return np.asarray(result[0]), np.asarray(result[1])


def _few(values):
    return np.array2string(np.ravel(values)[:4], precision=4, separator=", ")


PROPERTIES = (
    shapes_follow_queries_keys_and_values,
    each_query_spends_one,
    scores_are_divided_by_the_root_of_the_key_dim,
    outputs_are_averages_of_values,
    blocked_keys_get_exactly_zero,
    masked_rows_still_sum_to_one,
    blocked_keys_could_as_well_be_absent,
    a_blocked_token_leaks_nothing,
    large_scores_stay_finite,
    a_batch_is_each_of_its_sequences,
)
