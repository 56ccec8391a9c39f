"""Decoder weights that are wrong."""

import numpy as np

from attention_from_scratch.exercises.exercise import Mistake


def _weights(logits, allowed, empty_to_zero=True):
    """Right, but for what the caller allows."""
    blocked = np.where(allowed, logits, -np.inf)
    largest = blocked.max(axis=-1, keepdims=True)
    if empty_to_zero:
        largest = np.where(np.isfinite(largest), largest, 0)
    exponentials = np.exp(blocked - largest)
    total = exponentials.sum(axis=-1, keepdims=True)
    return exponentials / (np.where(total == 0, 1, total) if empty_to_zero else total)


def _causal(logits):
    return np.tril(np.ones(logits.shape[-2:], dtype=bool))


def either_mask(logits, real):
    """The masks are joined with "or": one of them is enough to allow a pair."""
    return _weights(logits, _causal(logits) | real[:, np.newaxis, :])


def causal_only(logits, real):
    """The padding mask is forgotten."""
    return _weights(logits, np.broadcast_to(_causal(logits), logits.shape))


def padding_only(logits, real):
    """The causal mask is forgotten."""
    return _weights(logits, np.broadcast_to(real[:, np.newaxis, :], logits.shape))


def padding_on_queries(logits, real):
    """The padding mask blocks rows, which are queries, instead of columns."""
    return _weights(logits, _causal(logits) & real[:, :, np.newaxis])


def inverted_padding(logits, real):
    """True is read as padding."""
    return _weights(logits, _causal(logits) & ~real[:, np.newaxis, :])


def transposed_causal(logits, real):
    """The causal mask is transposed: each token sees itself and the future, and not the past."""
    return _weights(logits, _causal(logits).T & real[:, np.newaxis, :])


def minus_infinity(logits, real):
    """An empty row is NaN: minus infinity less minus infinity."""
    return _weights(logits, _causal(logits) & real[:, np.newaxis, :], empty_to_zero=False)


def large_negative_number(logits, real):
    """An empty row is uniform over keys that are all blocked."""
    blocked = np.where(_causal(logits) & real[:, np.newaxis, :], logits, -1e9)
    exponentials = np.exp(blocked - blocked.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def added_number(logits, real):
    """A very negative number is added to blocked logits: a larger logit outweighs it."""
    allowed = _causal(logits) & real[:, np.newaxis, :]
    blocked = logits + np.where(allowed, 0, -1e9)
    exponentials = np.exp(blocked - blocked.max(axis=-1, keepdims=True))
    weights = exponentials / exponentials.sum(axis=-1, keepdims=True)
    return np.where(allowed.any(axis=-1, keepdims=True), weights, 0)


def mask_after_softmax(logits, real):
    """The mask comes after the softmax."""
    everything = np.ones(logits.shape, dtype=bool)
    return _weights(logits, everything) * (_causal(logits) & real[:, np.newaxis, :])


def nan_to_equal_shares(logits, real):
    """NaN in an empty row is replaced by equal shares."""
    weights = minus_infinity(logits, real)
    return np.where(np.isnan(weights), 1 / logits.shape[-1], weights)


def no_axis_for_queries(logits, real):
    """The padding mask has no axis for the queries, so sequences line up with queries."""
    return _weights(logits, _causal(logits) & real)


MISTAKES = (
    Mistake(no_axis_for_queries, "it_keeps_the_shape"),
    Mistake(either_mask, "the_future_gets_nothing"),
    Mistake(causal_only, "padding_gets_nothing"),
    Mistake(padding_only, "the_future_gets_nothing"),
    Mistake(padding_on_queries, "padding_gets_nothing"),
    Mistake(inverted_padding, "padding_gets_nothing"),
    Mistake(transposed_causal, "the_future_gets_nothing"),
    Mistake(minus_infinity, "an_empty_row_is_all_zeros"),
    Mistake(large_negative_number, "an_empty_row_is_all_zeros"),
    Mistake(added_number, "large_logits_stay_finite"),
    Mistake(mask_after_softmax, "real_queries_spend_one"),
    Mistake(nan_to_equal_shares, "an_empty_row_is_all_zeros"),
)
