"""Where the reader begins. Every starter runs, and returns something of the right kind that is wrong."""

import numpy as np


def causal_mask(length):
    """The causal mask of `length` tokens: an array (queries, keys), True where attention is allowed."""
    queries = np.arange(length)[:, np.newaxis]  # one row a query
    keys = np.arange(length)[np.newaxis, :]  # one column a key
    return (queries >= 0) & (keys >= 0)  # which pairs are allowed?


def softmax(scores):
    """Weights along the last axis of `scores`: positive, with a sum of one."""
    exponentials = np.exp(scores)  # and if a score is a thousand?
    return exponentials / exponentials.sum()  # one sum for everything?


def attention(query, key, value, mask=None):
    """Scaled dot-product attention: returns the outputs and the weights.

    query: (..., queries, d_k); key: (..., keys, d_k); value: (..., keys, d_v).
    mask: (queries, keys), True where attention is allowed; None allows everything.
    """
    scores = np.zeros((len(query), len(key)))  # 1. dot products, divided by …
    # 2. where a mask is given, no weight for blocked pairs
    weights = scores + 1 / len(key)  # 3. softmax over the keys
    return weights @ value, weights


def decoder_weights(logits, real):
    """Attention weights of a decoder, with padding: an array like `logits`.

    logits: (sequences, queries, keys), with as many queries as keys.
    real: (sequences, tokens), True where a token is real, False where it is padding.
    """
    allowed = np.ones(logits.shape, dtype=bool)  # causal, and no padding
    blocked = np.where(allowed, logits, -np.inf)
    # What happens here in a row that allows nothing?
    exponentials = np.exp(blocked - blocked.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def multi_head_attention(
    tokens,
    query_kernel,
    key_kernel,
    value_kernel,
    output_kernel,
    num_heads,
):
    """Multi-head self-attention: returns outputs (tokens, d_model) and weights (heads, queries, keys).

    tokens: (tokens, d_model); the four kernels: (d_model, d_model).
    Head h has the h-th run of d_model / num_heads neighbouring columns.
    """
    query, key = tokens @ query_kernel, tokens @ key_kernel
    value = tokens @ value_kernel
    # Split each into heads, attend in every head, merge.
    # This starter has one head, whatever num_heads says.
    scores = query @ key.T / query.shape[-1] ** 0.5
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exponentials / exponentials.sum(axis=-1, keepdims=True)
    return weights @ value @ output_kernel, weights[np.newaxis]


def online_attention(query, blocks):
    """Attention over keys that come block by block: returns the outputs (queries, d_v).

    query: (queries, d_k).
    blocks: yields pairs (key, value) of shapes (b, d_k) and (b, d_v). A block may be overwritten when the
    next one comes.
    """
    output = 0.0
    for key, value in blocks:
        scores = query @ key.T / query.shape[-1] ** 0.5
        exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
        # Each block overwrites the one before. What do you have to carry on?
        output = exponentials @ value / exponentials.sum(axis=-1, keepdims=True)
    return output


def find_shift(weights, places):
    """The head that links the cue and its answer, and how: returns (head, offset).

    weights: of the first block, (sequences, heads, queries, keys).
    places: where the cue stands in each sequence; the answer stands one place after it.
    offset: -1 if the answer looks one back, at the cue; +1 if the cue looks one on, at the answer.
    """
    # One number a head. Is sharpness the question?
    sharpness = weights.max(axis=-1).mean(axis=(0, -1))
    return sharpness.argmax(), -1


def cached_attention(token, keys, values, query_kernel, key_kernel, value_kernel):
    """One step of causal attention with a cache: returns the output (d_v,), the keys, and the values.

    token: the new one, (d_model,). keys: (steps, d_k) and values: (steps, d_v), of the tokens before it.
    The kernels: (d_model, d_k), (d_model, d_k) and (d_model, d_v).
    The keys and values that you return hold one more step; those that came in stay as they are.
    """
    query = token @ query_kernel
    # What does the new token add, and when?
    if len(keys) == 0:
        return np.zeros(value_kernel.shape[1]), keys, values
    scores = keys @ query / query.shape[-1] ** 0.5
    exponentials = np.exp(scores - scores.max())
    return exponentials @ values / exponentials.sum(), keys, values


def cross_attention_mask(source, target):
    """The mask of cross-attention: an array (sequences, queries, keys), True where attention is allowed.

    source: (sequences, source tokens), ids of what the encoder read; 0 is padding.
    target: (sequences, target tokens), ids of what the decoder has written so far; 0 is padding.
    """
    length = source.shape[1]
    # Which is the query, which the key? Is anything in the source "later"?
    return np.tril(np.ones((len(source), length, length), dtype=bool))


def rollout(attention, falls):
    """Attention rollout of the class token, and the image on which it misleads: returns (maps, image).

    attention: one array a block, (images, heads, queries, keys); token 0 is the class token, then the
    patches.
    falls: (images, patches), how far the answer's lead falls when a patch is covered.
    maps: (images, patches). image: the one whose patch with the largest number has the worst place by
    covering.
    """
    maps = attention[-1][:, :, 0, 1:].mean(axis=1)  # the last block alone: what of the others?
    return maps, falls.sum(axis=1).argmin()  # is this the image on which the map misleads?


def score_gradient(weights, gradient):
    """The loss's gradient at the scores of a softmax: an array like `weights`.

    weights: (..., keys), what the softmax gave; each row sums to one.
    gradient: (..., keys), the loss's gradient at each weight.
    """
    return weights * gradient  # a score moves its own weight; and the others of its row?
