"""Attentions with a cache that are wrong."""

import numpy as np

from attention_from_scratch.exercises.exercise import Mistake


def _attend(query, keys, values, scaled=True):
    scores = keys @ query / (np.sqrt(len(query)) if scaled else 1)
    weights = np.exp(scores - scores.max())
    return weights @ values / weights.sum()


def _grown(token, keys, values, key_kernel, value_kernel):
    return np.vstack([keys, token @ key_kernel]), np.vstack([values, token @ value_kernel])


def cache_read_before_it_grows(token, keys, values, query_kernel, key_kernel, value_kernel):
    """The query looks before its own key and value are in the cache: a token cannot see itself."""
    query = token @ query_kernel
    output = _attend(query, keys, values) if len(keys) else np.zeros(value_kernel.shape[1])
    return output, *_grown(token, keys, values, key_kernel, value_kernel)


def nothing_kept(token, keys, values, query_kernel, key_kernel, value_kernel):
    """The new key and value are used and then forgotten: the cache stays as it was."""
    grown = _grown(token, keys, values, key_kernel, value_kernel)
    return _attend(token @ query_kernel, *grown), keys, values


def tokens_kept_for_keys(token, keys, values, query_kernel, key_kernel, value_kernel):
    """The new value is kept, and its key is the last one again: keys and values no longer belong together."""
    key = keys[-1] if len(keys) else token @ key_kernel
    grown = np.vstack([keys, key]), np.vstack([values, token @ value_kernel])
    return _attend(token @ query_kernel, *grown), *grown


def newest_only(token, keys, values, query_kernel, key_kernel, value_kernel):
    """The cache holds the newest token alone: whatever came before is lost."""
    grown = (token @ key_kernel)[np.newaxis], (token @ value_kernel)[np.newaxis]
    return _attend(token @ query_kernel, *grown), *grown


def put_in_front(token, keys, values, query_kernel, key_kernel, value_kernel):
    """The new key and value are put in front of those before: every place in the cache changes."""
    grown = np.vstack([token @ key_kernel, keys]), np.vstack([token @ value_kernel, values])
    return _attend(token @ query_kernel, *grown), *grown


def unscaled(token, keys, values, query_kernel, key_kernel, value_kernel):
    """The scores are not divided by the root of d_k."""
    grown = _grown(token, keys, values, key_kernel, value_kernel)
    return _attend(token @ query_kernel, *grown, scaled=False), *grown


def written_into_the_cache(token, keys, values, query_kernel, key_kernel, value_kernel):
    """The oldest key is overwritten in place: another way to go on from the same cache finds it changed."""
    grown = _grown(token, keys, values, key_kernel, value_kernel)
    output = _attend(token @ query_kernel, *grown)
    keys[:1] += 1e-3
    return output, *grown


def mean_of_the_values(token, keys, values, query_kernel, key_kernel, value_kernel):
    """Every value counts the same: the cache grows, but the query chooses nothing."""
    grown = _grown(token, keys, values, key_kernel, value_kernel)
    return grown[1].mean(axis=0), *grown


MISTAKES = (
    Mistake(cache_read_before_it_grows, "the_first_token_reads_itself"),
    Mistake(nothing_kept, "one_key_and_one_value_are_added"),
    Mistake(tokens_kept_for_keys, "what_was_kept_is_used"),
    Mistake(newest_only, "one_key_and_one_value_are_added"),
    Mistake(put_in_front, "one_key_and_one_value_are_added"),
    Mistake(unscaled, "steps_give_what_all_at_once_gives"),
    Mistake(written_into_the_cache, "the_cache_that_came_in_stays"),
    Mistake(mean_of_the_values, "what_was_kept_is_used"),
)
