"""Attention functions that are wrong."""

import numpy as np

from attention_from_scratch.exercises.exercise import Mistake


def _attention(query, key, value, mask=None, scale=None, axis=-1):
    """Right, but for what the caller gets wrong."""
    scores = query @ np.swapaxes(key, -1, -2) / (np.sqrt(query.shape[-1]) if scale is None else scale)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=axis, keepdims=True))
    weights = weights / weights.sum(axis=axis, keepdims=True)
    return weights @ value, weights


def unscaled(query, key, value, mask=None):
    """The scores are not divided at all."""
    return _attention(query, key, value, mask, scale=1)


def scaled_by_key_dim(query, key, value, mask=None):
    """The scores are divided by d_k, without the root."""
    return _attention(query, key, value, mask, scale=query.shape[-1])


def scaled_by_value_dim(query, key, value, mask=None):
    """The scores are divided by the root of d_v, the width of a value."""
    return _attention(query, key, value, mask, scale=np.sqrt(value.shape[-1]))


def scaled_by_number_of_keys(query, key, value, mask=None):
    """The scores are divided by the root of the number of keys."""
    return _attention(query, key, value, mask, scale=np.sqrt(key.shape[-2]))


def multiplied_by_the_root(query, key, value, mask=None):
    """The scores are multiplied by the root of d_k, instead of divided."""
    return _attention(query, key, value, mask, scale=1 / np.sqrt(query.shape[-1]))


def wrong_axis(query, key, value, mask=None):
    """The softmax runs over the queries: each key's column sums to one."""
    return _attention(query, key, value, mask, axis=-2)


def mask_after_softmax(query, key, value, mask=None):
    """The mask comes after the softmax: blocked keys have taken their share, and leak through the sum."""
    _, weights = _attention(query, key, value)
    if mask is not None:
        weights = weights * mask
    return weights @ value, weights


def scores_multiplied_by_mask(query, key, value, mask=None):
    """Blocked scores become zero, which is a score like any other."""
    scores = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores * mask
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = weights / weights.sum(axis=-1, keepdims=True)
    return weights @ value, weights


def inverted_polarity(query, key, value, mask=None):
    """True is read as blocked."""
    return _attention(query, key, value, None if mask is None else ~mask)


def transposed_mask(query, key, value, mask=None):
    """The mask is read with keys in rows and queries in columns."""
    return _attention(query, key, value, None if mask is None else np.swapaxes(mask, -1, -2))


def mask_ignored(query, key, value, mask=None):
    """The mask is never used."""
    return _attention(query, key, value)


def no_maximum_subtracted(query, key, value, mask=None):
    """The maximum is not subtracted: large scores overflow."""
    scores = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = np.exp(scores)
    weights = weights / weights.sum(axis=-1, keepdims=True)
    return weights @ value, weights


def all_axes_transposed(query, key, value, mask=None):
    """`key.T` turns the axes of a batch round as well."""
    scores = query @ key.T / np.sqrt(query.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = weights / weights.sum(axis=-1, keepdims=True)
    return weights @ value, weights


def key_instead_of_value(query, key, value, mask=None):
    """The keys are averaged, instead of the values."""
    _, weights = _attention(query, key, value, mask)
    return weights @ key, weights


def scores_returned(query, key, value, mask=None):
    """The scores are returned in place of the weights."""
    outputs, _ = _attention(query, key, value, mask)
    return outputs, query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])


def hardly_negative(query, key, value, mask=None):
    """Ten is subtracted from blocked scores, which leaves them some weight."""
    scores = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, scores - 10)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = weights / weights.sum(axis=-1, keepdims=True)
    return weights @ value, weights


MISTAKES = (
    Mistake(unscaled, "scores_are_divided_by_the_root_of_the_key_dim"),
    Mistake(scaled_by_key_dim, "scores_are_divided_by_the_root_of_the_key_dim"),
    Mistake(scaled_by_value_dim, "scores_are_divided_by_the_root_of_the_key_dim"),
    Mistake(scaled_by_number_of_keys, "scores_are_divided_by_the_root_of_the_key_dim"),
    Mistake(multiplied_by_the_root, "scores_are_divided_by_the_root_of_the_key_dim"),
    Mistake(wrong_axis, "each_query_spends_one"),
    Mistake(mask_after_softmax, "masked_rows_still_sum_to_one"),
    Mistake(mask_after_softmax, "a_blocked_token_leaks_nothing"),
    Mistake(scores_multiplied_by_mask, "blocked_keys_get_exactly_zero"),
    Mistake(inverted_polarity, "blocked_keys_could_as_well_be_absent"),
    Mistake(transposed_mask, "blocked_keys_get_exactly_zero"),
    Mistake(mask_ignored, "a_blocked_token_leaks_nothing"),
    Mistake(no_maximum_subtracted, "large_scores_stay_finite"),
    Mistake(all_axes_transposed, "a_batch_is_each_of_its_sequences"),
    Mistake(key_instead_of_value, "shapes_follow_queries_keys_and_values"),
    Mistake(key_instead_of_value, "outputs_are_averages_of_values"),
    Mistake(scores_returned, "each_query_spends_one"),
    Mistake(hardly_negative, "blocked_keys_get_exactly_zero"),
)
