"""What the weights of a decoder with padding have in common, empty rows included."""

import numpy as np

from attention_from_scratch.exercises.checking import require

RIGHT = np.array([[True, True, True, False, False], [True, True, True, True, True]])
LEFT = np.array([[False, False, True, True, True], [True, True, True, True, True]])


def it_keeps_the_shape(decoder_weights):
    """Weights have the shape of the logits: sequences, queries, keys.

    `real` has one row a sequence and one column a token. Give it an axis for the queries, so that it lines
    up with the keys: `real[:, np.newaxis, :]`.
    """
    weights = np.asarray(decoder_weights(_logits(), RIGHT.copy()))
    require(weights.shape == (2, 5, 5), f"shape {weights.shape}, not (2, 5, 5)")


def the_future_gets_nothing(decoder_weights):
    """No query gives weight to a later key.

    Combine both conditions with `&`. With `|`, a real key in the future is allowed because it is real.
    """
    for real in (RIGHT, LEFT):
        weights = _weights(decoder_weights, real)
        later = np.triu(np.ones((5, 5), dtype=bool), k=1)
        worst = np.abs(weights * later)[_has_a_key(real)].max()
        require(worst == 0, f"a later key has the weight {worst:.3g}")


def padding_gets_nothing(decoder_weights):
    """No query gives weight to a padded key.

    `real` is True where a token is real. It blocks columns, which are keys; if it blocks rows, it is on the
    axis of the queries.
    """
    for real in (RIGHT, LEFT):
        weights = _weights(decoder_weights, real)
        worst = np.abs(weights * ~real[:, np.newaxis])[_has_a_key(real)].max()
        require(worst == 0, f"a padded key has the weight {worst:.3g}")


def real_queries_spend_one(decoder_weights):
    """The weights of every real query sum to one.

    Block before the softmax. A real token may always attend to itself, so its row is never empty. Was a row
    blocked that should not be? Then causal mask or padding mask is inverted or transposed.
    """
    for real in (RIGHT, LEFT):
        sums = _weights(decoder_weights, real).sum(axis=-1)[real]
        require(np.allclose(sums, 1), f"rows of real tokens sum to {np.round(sums, 4).tolist()}")


def allowed_keys_share_by_their_logits(decoder_weights):
    """Among allowed keys, a logit that is larger by x means a weight that is larger by the factor exp(x).

    Blocking changes nothing between allowed keys. Did you use the logits as they are, without another scale?
    """
    logits = _logits()
    for real in (RIGHT, LEFT):
        weights = _weights(decoder_weights, real)
        first, last = weights[0, 2, real[0].argmax()], weights[0, 2, 2]
        wanted = np.exp(logits[0, 2, real[0].argmax()] - logits[0, 2, 2])
        require(last > 0, "the third token gives itself no weight")
        require(np.isclose(first / last, wanted), f"a ratio of {first / last:.4g}, not {wanted:.4g}")


def an_empty_row_is_all_zeros(decoder_weights):
    """A query with nothing to attend to has weights of exactly zero.

    With padding on the left, the first queries have no key at all. Minus infinity in a whole row gives NaN,
    and a very negative number gives equal weights to keys that are all blocked. Set such rows to zero.
    """
    weights = _weights(decoder_weights, LEFT)[0, :2]
    require(not np.isnan(weights).any(), "an empty row holds NaN")
    require((weights == 0).all(), f"an empty row holds {np.round(weights[0], 4).tolist()}")


def large_logits_stay_finite(decoder_weights):
    """Large logits do not overflow, and do not outweigh the mask.

    Subtract the maximum of the allowed logits in each row. Replace blocked logits; a number added to them
    can be too small.
    """
    logits = _logits()
    logits[:, :, -1] += 1e12
    weights = np.asarray(decoder_weights(logits, RIGHT.copy()))
    require(np.isfinite(weights).all(), "a weight is not finite")
    require((weights[0, :, -1] == 0).all(), "a padded key with a large logit has weight")
    require(np.allclose(weights.sum(axis=-1)[RIGHT], 1), "a row of a real token does not sum to one")


def _has_a_key(real):
    """Whether a real key stands at the query or before it; empty rows have a property of their own."""
    return np.cumsum(real, axis=-1) > 0


def _logits():
    return np.random.default_rng(4).normal(size=(2, 5, 5))


def _weights(decoder_weights, real):
    weights = np.asarray(decoder_weights(_logits(), real.copy()))
    require(weights.shape == (2, 5, 5), f"shape {weights.shape}, not (2, 5, 5)")
    return weights


PROPERTIES = (
    it_keeps_the_shape,
    the_future_gets_nothing,
    padding_gets_nothing,
    real_queries_spend_one,
    allowed_keys_share_by_their_logits,
    an_empty_row_is_all_zeros,
    large_logits_stay_finite,
)
