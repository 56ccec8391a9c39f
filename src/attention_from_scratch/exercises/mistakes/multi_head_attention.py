"""Multi-head attentions that are wrong."""

import numpy as np

from attention_from_scratch.exercises.exercise import Mistake


def _split(tokens, heads):
    return np.moveaxis(tokens.reshape(len(tokens), heads, -1), 1, 0)


def _merge(heads):
    return np.moveaxis(heads, 0, 1).reshape(heads.shape[1], -1)


def _multi_head(tokens, kernels, heads, split=_split, merge=_merge, scale=None, axis=-1):
    """Right, but for what the caller gets wrong."""
    query, key, value = (split(tokens @ kernel, heads) for kernel in kernels[:3])
    scores = query @ np.swapaxes(key, -1, -2) / np.sqrt(scale or query.shape[-1])
    weights = np.exp(scores - scores.max(axis=axis, keepdims=True))
    weights = weights / weights.sum(axis=axis, keepdims=True)
    return merge(weights @ value) @ kernels[3], weights


def scaled_by_d_model(tokens, *kernels_and_heads):
    """The scores are divided by the root of d_model, instead of the width of a head."""
    *kernels, heads = kernels_and_heads
    return _multi_head(tokens, kernels, heads, scale=tokens.shape[-1])


def unscaled(tokens, *kernels_and_heads):
    """The scores are not divided at all."""
    *kernels, heads = kernels_and_heads
    return _multi_head(tokens, kernels, heads, scale=1)


def tokens_cut_up(tokens, *kernels_and_heads):
    """A bare reshape to (heads, tokens, key_dim) puts pieces of different tokens into a head."""
    *kernels, heads = kernels_and_heads
    return _multi_head(tokens, kernels, heads, split=lambda x, h: x.reshape(h, len(x), -1))


def interleaved_columns(tokens, *kernels_and_heads):
    """The last axis is split into (key_dim, heads): each head gets every h-th column."""
    *kernels, heads = kernels_and_heads
    return _multi_head(tokens, kernels, heads, split=lambda x, h: np.moveaxis(x.reshape(len(x), -1, h), 2, 0))


def merged_without_moving_back(tokens, *kernels_and_heads):
    """The heads are merged by a bare reshape: tokens and heads change places."""
    *kernels, heads = kernels_and_heads
    return _multi_head(tokens, kernels, heads, merge=lambda x: x.reshape(x.shape[1], -1))


def heads_averaged(tokens, *kernels_and_heads):
    """The heads are averaged, instead of laid side by side."""
    *kernels, heads = kernels_and_heads
    return _multi_head(tokens, kernels, heads, merge=lambda x: np.tile(x.mean(axis=0), len(x)))


def output_kernel_forgotten(tokens, *kernels_and_heads):
    """The merged heads are returned as they are."""
    *kernels, heads = kernels_and_heads
    return _multi_head(tokens, [*kernels[:3], np.eye(tokens.shape[-1])], heads)


def softmax_over_heads(tokens, *kernels_and_heads):
    """The softmax runs over the heads, the first axis."""
    *kernels, heads = kernels_and_heads
    return _multi_head(tokens, kernels, heads, axis=0)


def every_head_sees_the_full_width(tokens, *kernels_and_heads):
    """Nothing is split: each head uses all columns, so all heads are the same."""
    *kernels, heads = kernels_and_heads
    outputs, weights = _multi_head(tokens, kernels, 1)
    return outputs, np.repeat(weights, heads, axis=0)


def one_head_for_all(tokens, *kernels_and_heads):
    """There is one head, whatever the number of heads says."""
    *kernels, _ = kernels_and_heads
    return _multi_head(tokens, kernels, 1)


def query_and_key_exchanged(tokens, *kernels_and_heads):
    """Queries and keys change places."""
    query, key, value, output, heads = kernels_and_heads
    return _multi_head(tokens, [key, query, value, output], heads)


MISTAKES = (
    Mistake(one_head_for_all, "the_same_kernels_serve_any_number_of_heads"),
    Mistake(scaled_by_d_model, "scores_are_divided_by_the_root_of_the_key_dim"),
    Mistake(unscaled, "scores_are_divided_by_the_root_of_the_key_dim"),
    Mistake(tokens_cut_up, "each_head_reads_its_own_columns"),
    Mistake(tokens_cut_up, "permuted_tokens_give_permuted_outputs"),
    Mistake(interleaved_columns, "each_head_reads_its_own_columns"),
    Mistake(merged_without_moving_back, "heads_are_laid_side_by_side"),
    Mistake(heads_averaged, "heads_are_laid_side_by_side"),
    Mistake(output_kernel_forgotten, "the_output_kernel_mixes_the_heads"),
    Mistake(softmax_over_heads, "each_query_spends_one_in_each_head"),
    Mistake(every_head_sees_the_full_width, "each_head_reads_its_own_columns"),
    Mistake(query_and_key_exchanged, "rows_belong_to_queries"),
)
