"""What every block-by-block attention has in common: Milakov and Gimelshein 2018; Rabe and Staats 2021."""

import numpy as np

from attention_from_scratch.exercises.checking import require


def one_block_is_plain_attention(online_attention):
    """With all keys in one block, the result is that of plain attention.

    Scores divided by the root of d_k, softmax over the keys, average of the values. Start here, then let
    the second block come.
    """
    query, key, value = _inputs()
    _compare(online_attention, query, key, value, cuts=(), words="one block")


def any_cut_gives_the_same_result(online_attention):
    """However the keys are cut into blocks, the result is the same.

    Keep three running things for each query: the largest score so far, the sum of exponentials, and the
    sum of exponentials times values. Divide once, at the end. Blocks of unequal size weigh unequally, so an
    average of averages is wrong.
    """
    query, key, value = _inputs()
    for cuts in ((6,), (1, 2), (3, 6, 9), tuple(range(1, 12))):
        _compare(online_attention, query, key, value, cuts, f"blocks cut at {cuts}")


def a_larger_score_may_come_late(online_attention):
    """The result is right when the largest score comes in the last block, or in the first.

    When the maximum grows from m to m', everything summed so far was counted in the old measure. Multiply the
    running sum and the running output by exp(m - m').
    """
    query, key, value = _inputs()
    query, key = np.abs(query), np.abs(key)
    rising = key * np.linspace(0.1, 3, len(key))[:, np.newaxis]
    _compare(online_attention, query, rising, value, (3, 6, 9), "scores that grow from block to block")
    _compare(
        online_attention, query, rising[::-1], value, (3, 6, 9), "scores that shrink from block to block"
    )


def equal_values_come_back(online_attention):
    """If every value is the same, every output is that value.

    The weights of a query sum to one over all blocks together. A block that is normalised by itself
    brings another one.
    """
    query, key, value = _inputs()
    outputs = _call(online_attention, query, _cut(key, np.ones_like(value), (3, 6, 9)))
    require(
        np.allclose(outputs, 1), f"values of one came back as {np.round(outputs.ravel()[:3], 4).tolist()}"
    )


def large_scores_stay_finite(online_attention):
    """Large scores do not overflow, in whichever block they come.

    Subtract the largest score so far, and move to the new maximum before you exponentiate the new block.
    """
    query, key, value = _inputs()
    for order in (slice(None), slice(None, None, -1)):
        rising = np.abs(key)[order] * np.linspace(1, 100, len(key))[order, np.newaxis] * 1e3
        outputs = _call(online_attention, np.abs(query), _cut(rising, value, (3, 6, 9)))
        require(np.isfinite(outputs).all(), "an output is not finite")


def a_block_is_gone_when_the_next_one_comes(online_attention):
    """Each block is read once and may be overwritten afterwards.

    That is the point: memory for one block, however many keys there are. Use a block while you hold it.
    Keeping the blocks, or collecting them with `list(blocks)` or `zip(*blocks)`, finds them overwritten.
    """
    query, key, value = _inputs()

    def stream():
        key_buffer, value_buffer = np.empty((3, key.shape[1])), np.empty((3, value.shape[1]))
        for start in range(0, len(key), 3):
            key_buffer[:], value_buffer[:] = key[start : start + 3], value[start : start + 3]
            yield key_buffer, value_buffer
        key_buffer[:], value_buffer[:] = np.nan, np.nan

    outputs = np.asarray(online_attention(query.copy(), stream()))
    wanted = _plain(query, key, value)
    require(outputs.shape == wanted.shape, f"outputs of shape {outputs.shape}, not {wanted.shape}")
    require(np.allclose(outputs, wanted), "the result differs when blocks share one piece of memory")


def _inputs():
    rng = np.random.default_rng(6)
    return rng.normal(size=(4, 8)), rng.normal(size=(12, 8)), rng.normal(size=(12, 3))


def _cut(key, value, cuts):
    return [
        (k.copy(), v.copy())
        for k, v in zip(np.split(key, cuts), np.split(value, cuts), strict=True)
        if len(k)
    ]


def _plain(query, key, value):
    scores = query @ key.T / np.sqrt(query.shape[-1])
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights @ value / weights.sum(axis=-1, keepdims=True)


def _call(online_attention, query, blocks):
    wanted = (len(query), blocks[0][1].shape[1])
    outputs = np.asarray(online_attention(query.copy(), iter(blocks)))
    require(outputs.shape == wanted, f"outputs of shape {outputs.shape}, not {wanted}")
    return outputs


def _compare(online_attention, query, key, value, cuts, words):
    outputs = _call(online_attention, query, _cut(key, value, cuts))
    gap = np.abs(outputs - _plain(query, key, value)).max()
    require(gap < 1e-6, f"with {words}, an output is {gap:.3g} away from plain attention")


PROPERTIES = (
    one_block_is_plain_attention,
    any_cut_gives_the_same_result,
    a_larger_score_may_come_late,
    equal_values_come_back,
    large_scores_stay_finite,
    a_block_is_gone_when_the_next_one_comes,
)
