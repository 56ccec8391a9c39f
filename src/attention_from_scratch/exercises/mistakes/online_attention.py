"""Block-by-block attentions that are wrong."""

import numpy as np

from attention_from_scratch.exercises.exercise import Mistake


def _plain(query, key, value):
    scores = query @ key.T / np.sqrt(query.shape[-1])
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights @ value / weights.sum(axis=-1, keepdims=True)


def _online(query, blocks, rescale_total=True, rescale_output=True, scaled=True):
    """Right, but for what the caller leaves out."""
    largest, total, output = -np.inf, 0.0, 0.0
    for key, value in blocks:
        scores = query @ key.T / (np.sqrt(query.shape[-1]) if scaled else 1)
        new = np.maximum(largest, scores.max(axis=-1, keepdims=True))
        factor = np.exp(largest - new)
        exponentials = np.exp(scores - new)
        total = total * (factor if rescale_total else 1) + exponentials.sum(axis=-1, keepdims=True)
        output = output * (factor if rescale_output else 1) + exponentials @ value
        largest = new
    return output / total


def never_rescaled(query, blocks):
    """Nothing is rescaled when the maximum grows."""
    return _online(query, blocks, rescale_total=False, rescale_output=False)


def only_the_sum_rescaled(query, blocks):
    """The running sum is rescaled, the running output is not."""
    return _online(query, blocks, rescale_output=False)


def only_the_output_rescaled(query, blocks):
    """The running output is rescaled, the running sum is not."""
    return _online(query, blocks, rescale_total=False)


def average_of_blocks(query, blocks):
    """Each block is normalised by itself, and the results are averaged."""
    return np.mean([_plain(query, key, value) for key, value in blocks], axis=0)


def sum_of_blocks(query, blocks):
    """Each block is normalised by itself, and the results are added."""
    return sum(_plain(query, key, value) for key, value in blocks)


def no_maximum_subtracted(query, blocks):
    """No maximum is kept: large scores overflow."""
    total, output = 0.0, 0.0
    for key, value in blocks:
        exponentials = np.exp(query @ key.T / np.sqrt(query.shape[-1]))
        total = total + exponentials.sum(axis=-1, keepdims=True)
        output = output + exponentials @ value
    return output / total


def maximum_of_the_first_block(query, blocks):
    """The first block's maximum is kept for good: a later, larger score overflows."""
    largest, total, output = None, 0.0, 0.0
    for key, value in blocks:
        scores = query @ key.T / np.sqrt(query.shape[-1])
        largest = scores.max(axis=-1, keepdims=True) if largest is None else largest
        exponentials = np.exp(scores - largest)
        total = total + exponentials.sum(axis=-1, keepdims=True)
        output = output + exponentials @ value
    return output / total


def blocks_collected(query, blocks):
    """All blocks are kept until the end, by which time they have been overwritten."""
    keys, values = zip(*blocks, strict=True)
    return _plain(query, np.concatenate(keys), np.concatenate(values))


def unscaled(query, blocks):
    """The scores are not divided by the root of d_k."""
    return _online(query, blocks, scaled=False)


def last_block_only(query, blocks):
    """Each block overwrites what the earlier ones gave."""
    output = None
    for key, value in blocks:
        output = _plain(query, key, value)
    return output


MISTAKES = (
    Mistake(never_rescaled, "a_larger_score_may_come_late"),
    Mistake(only_the_sum_rescaled, "a_larger_score_may_come_late"),
    Mistake(only_the_output_rescaled, "equal_values_come_back"),
    Mistake(average_of_blocks, "any_cut_gives_the_same_result"),
    Mistake(sum_of_blocks, "equal_values_come_back"),
    Mistake(no_maximum_subtracted, "large_scores_stay_finite"),
    Mistake(maximum_of_the_first_block, "large_scores_stay_finite"),
    Mistake(blocks_collected, "a_block_is_gone_when_the_next_one_comes"),
    Mistake(unscaled, "one_block_is_plain_attention"),
    Mistake(last_block_only, "any_cut_gives_the_same_result"),
)
