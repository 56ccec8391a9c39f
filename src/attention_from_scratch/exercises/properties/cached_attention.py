"""What every attention with a cache has in common: one token a step, as if all were there."""

import numpy as np

from attention_from_scratch.exercises.checking import require


def the_first_token_reads_itself(cached_attention):
    """The first token can look at nothing but itself: its output is its own value.

    The cache comes in empty. Put the token's key and value into it *before* the query looks.
    """
    tokens, kernels = _inputs()
    output, _, _ = _call(cached_attention, tokens[0], *_empty(kernels), kernels)
    require(np.allclose(output, tokens[0] @ kernels[2]), "the first output is not the first token's value")


def steps_give_what_all_at_once_gives(cached_attention):
    """Token after token gives the outputs of causal attention over the whole sequence.

    Each query looks at every key in the cache, its own included, with scores divided by the root of d_k.
    Nothing has to be masked: what is not there yet cannot be seen.
    """
    tokens, kernels = _inputs()
    gap = np.abs(_steps(cached_attention, tokens, kernels) - _causal(tokens, kernels)).max()
    require(gap < 1e-6, f"an output is {gap:.3g} away from causal attention over all tokens")


def one_key_and_one_value_are_added(cached_attention):
    """Each step makes the cache longer by one key and one value, and leaves those before as they were.

    Compute the key and the value of the new token alone, and join them behind the cache.
    """
    tokens, kernels = _inputs()
    keys, values = _empty(kernels)
    for count, token in enumerate(tokens, 1):
        _, longer_keys, longer_values = _call(cached_attention, token, keys, values, kernels)
        seen = f"after {count} tokens the cache holds {len(longer_keys)} keys and {len(longer_values)} values"
        require(len(longer_keys) == len(longer_values) == count, seen)
        same = np.array_equal(longer_keys[:-1], keys) and np.array_equal(longer_values[:-1], values)
        require(same, "what was in the cache has changed")
        keys, values = longer_keys, longer_values


def what_was_kept_is_used(cached_attention):
    """The query reads what the cache holds, whatever that is.

    If another cache is handed in, the output follows it. Only the new token's key and value are computed.
    """
    tokens, kernels = _inputs()
    rng = np.random.default_rng(9)
    keys, values = rng.normal(size=(3, kernels[1].shape[1])), rng.normal(size=(3, kernels[2].shape[1]))
    output, _, _ = _call(cached_attention, tokens[0], keys, values, kernels)
    all_keys = np.vstack([keys, tokens[0] @ kernels[1]])
    all_values = np.vstack([values, tokens[0] @ kernels[2]])
    wanted = _attend(tokens[0] @ kernels[0], all_keys, all_values)
    require(np.allclose(output, wanted), "with a cache of other keys and values the output is another one")


def the_cache_that_came_in_stays(cached_attention):
    """The arrays that were handed in are not written to.

    Two ways to go on share what came before them: with beams, both begin from the same cache.
    """
    tokens, kernels = _inputs()
    keys, values = _empty(kernels)
    for token in tokens[:3]:
        _, keys, values = _call(cached_attention, token, keys, values, kernels)
    before = keys.copy(), values.copy()
    one, _, _ = _call(cached_attention, tokens[3], keys, values, kernels)
    other, _, _ = _call(cached_attention, tokens[4], keys, values, kernels)
    unchanged = np.array_equal(keys, before[0]) and np.array_equal(values, before[1])
    require(unchanged, "the cache that was handed in has changed")
    again, _, _ = _call(cached_attention, tokens[3], keys, values, kernels)
    require(np.allclose(one, again), "the same step from the same cache gave two results")
    require(not np.allclose(one, other), "two tokens gave the same result")


def _inputs():
    rng = np.random.default_rng(8)
    return rng.normal(size=(6, 5)), tuple(rng.normal(size=(5, width)) for width in (4, 4, 3))


def _empty(kernels):
    return np.empty((0, kernels[1].shape[1])), np.empty((0, kernels[2].shape[1]))


def _attend(query, keys, values):
    scores = keys @ query / np.sqrt(len(query))
    weights = np.exp(scores - scores.max())
    return weights @ values / weights.sum()


def _causal(tokens, kernels):
    query, key, value = (tokens @ kernel for kernel in kernels)
    return np.array([_attend(query[t], key[: t + 1], value[: t + 1]) for t in range(len(tokens))])


def _call(cached_attention, token, keys, values, kernels):
    made = cached_attention(token, keys, values, *kernels)
    count = len(made) if isinstance(made, tuple | list) else None
    require(count == 3, "the result is not an output, the keys and the values")
    output, longer_keys, longer_values = (np.asarray(part) for part in made)
    wanted = values.shape[1:]
    require(output.shape == wanted, f"an output of shape {output.shape}, not {wanted}")
    return output, longer_keys, longer_values


def _steps(cached_attention, tokens, kernels):
    keys, values = _empty(kernels)
    outputs = []
    for token in tokens:
        output, keys, values = _call(cached_attention, token, keys, values, kernels)
        outputs.append(output)
    return np.array(outputs)


PROPERTIES = (
    the_first_token_reads_itself,
    steps_give_what_all_at_once_gives,
    one_key_and_one_value_are_added,
    what_was_kept_is_used,
    the_cache_that_came_in_stays,
)
