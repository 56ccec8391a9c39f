"""Worked solutions, one an exercise. The pages show them, and run them, as they stand here."""

import numpy as np


def causal_mask(length):
    """Query i may attend to key j where j is not later than i."""
    queries = np.arange(length)[:, np.newaxis]
    keys = np.arange(length)[np.newaxis, :]
    return keys <= queries


def softmax(scores):
    """Exponentials of the scores less their row's maximum, divided by their row's sum."""
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def attention(query, key, value, mask=None):
    """Dot products over the root of d_k, mask, softmax over the keys, average of the values."""
    scores = query @ np.swapaxes(key, -1, -2) / query.shape[-1] ** 0.5
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exponentials / exponentials.sum(axis=-1, keepdims=True)
    return weights @ value, weights


def decoder_weights(logits, real):
    """Both masks joined by `and`, before the softmax; a row without any allowed key becomes zeros."""
    causal = np.tril(np.ones(logits.shape[-2:], dtype=bool))
    allowed = causal & real[:, np.newaxis, :]
    blocked = np.where(allowed, logits, -np.inf)
    largest = blocked.max(axis=-1, keepdims=True)
    largest = np.where(np.isfinite(largest), largest, 0)
    exponentials = np.exp(blocked - largest)
    total = exponentials.sum(axis=-1, keepdims=True)
    return exponentials / np.where(total > 0, total, 1)


def multi_head_attention(
    tokens,
    query_kernel,
    key_kernel,
    value_kernel,
    output_kernel,
    num_heads,
):
    """Split the columns into heads, attend in each, lay the heads side by side, mix them."""

    def split(columns):  # gives (heads, tokens, key_dim)
        return columns.reshape(len(tokens), num_heads, -1).swapaxes(0, 1)

    query, key = split(tokens @ query_kernel), split(tokens @ key_kernel)
    value = split(tokens @ value_kernel)
    scores = query @ key.swapaxes(-1, -2) / query.shape[-1] ** 0.5
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exponentials / exponentials.sum(axis=-1, keepdims=True)
    merged = (weights @ value).swapaxes(0, 1).reshape(tokens.shape)
    return merged @ output_kernel, weights


def online_attention(query, blocks):
    """Carry the largest score, the sum of exponentials and the weighted sum of values; divide at the end."""
    largest, total, output = -np.inf, 0.0, 0.0
    for key, value in blocks:
        scores = query @ key.T / query.shape[-1] ** 0.5
        new = np.maximum(largest, scores.max(axis=-1, keepdims=True))
        old_in_new = np.exp(largest - new)  # zero for the first block
        exponentials = np.exp(scores - new)
        total = total * old_in_new + exponentials.sum(axis=-1, keepdims=True)
        output = output * old_in_new + exponentials @ value
        largest = new
    return output / total


def find_shift(weights, places):
    """Mean weight from answer to cue, and from cue to answer; the largest of all heads wins."""
    rows = np.arange(len(weights))
    back = weights[rows, :, places + 1, places].mean(axis=0)  # a number a head
    on = weights[rows, :, places, places + 1].mean(axis=0)
    if back.max() > on.max():
        return back.argmax(), -1
    return on.argmax(), 1


def cached_attention(token, keys, values, query_kernel, key_kernel, value_kernel):
    """Join the new key and value behind the cache, then let the one new query look at all of them."""
    keys = np.concatenate([keys, [token @ key_kernel]])
    values = np.concatenate([values, [token @ value_kernel]])
    query = token @ query_kernel
    scores = keys @ query / query.shape[-1] ** 0.5
    exponentials = np.exp(scores - scores.max())
    return exponentials @ values / exponentials.sum(), keys, values


def cross_attention_mask(source, target):
    """Every query of the target may look at every real token of its own source; nothing is later."""
    real = (source != 0)[:, np.newaxis, :]
    return np.repeat(real, target.shape[1], axis=1)


def rollout(attention, falls):
    """Multiply the class token's row by each block, last block first; then look where the map is worst."""
    tokens = attention[0].shape[-1]
    row = np.eye(tokens)[0]  # the class token, before any step back
    for block in reversed(attention):
        step = (block.mean(axis=1) + np.eye(tokens)) / 2
        row = np.einsum("...t,...ts->...s", row, step)
    maps = row[:, 1:]
    first = maps.argmax(axis=1)
    of_first = falls[np.arange(len(falls)), first]
    places = (falls > of_first[:, np.newaxis]).sum(axis=1)  # patches that covering puts before it
    return maps, places.argmax()


def score_gradient(weights, gradient):
    """Each weight times what its gradient has over the row's average, which is taken by the weights."""
    average = (weights * gradient).sum(axis=-1, keepdims=True)
    return weights * (gradient - average)
