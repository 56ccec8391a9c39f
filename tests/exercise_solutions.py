"""Correct solutions, written in ways that the worked ones are not. The checks must accept every one."""

import numpy as np


def causal_mask_by_tril(length):
    return np.tril(np.ones((length, length), dtype=bool))


def causal_mask_by_loop(length):
    return np.array([[key <= query for key in range(length)] for query in range(length)])


def causal_mask_by_blocking(length):
    return ~np.triu(np.ones((length, length)), k=1).astype(bool)


def causal_mask_as_list(length):
    return [[key <= query for key in range(length)] for query in range(length)]


def softmax_by_logarithm(scores):
    largest = np.max(scores, axis=-1, keepdims=True)
    return np.exp(scores - largest - np.log(np.sum(np.exp(scores - largest), axis=-1, keepdims=True)))


def softmax_in_place(scores, axis=-1):
    scores -= scores.max(axis=axis, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=axis, keepdims=True)
    return scores


def softmax_row_by_row(scores):
    def one(row):
        powers = np.exp(row - row.max())
        return powers / powers.sum()

    return np.apply_along_axis(one, -1, scores)


def softmax_by_differences(scores):
    with np.errstate(over="ignore", invalid="ignore"):
        differences = scores[..., np.newaxis, :] - scores[..., :, np.newaxis]
        weights = 1 / np.exp(differences).sum(axis=-1)
    return np.where(np.isneginf(scores), 0, weights)


def attention_by_einsum(query, key, value, mask=None):
    logits = np.einsum("...qd,...kd->...qk", query / np.sqrt(key.shape[-1]), key)
    if mask is not None:
        logits = np.where(mask, logits, -1e9)
    logits = logits - logits.max(-1, keepdims=True)
    weights = np.exp(logits)
    weights /= weights.sum(-1, keepdims=True)
    return np.einsum("...qk,...kv->...qv", weights, value), weights


def attention_with_added_mask(query, key, value, mask=None):
    bias = 0 if mask is None else np.where(mask, 0, -1e9)
    logits = query @ key.swapaxes(-2, -1) * key.shape[-1] ** -0.5 + bias
    logits -= logits.max(axis=-1, keepdims=True)
    weights = np.exp(logits) / np.exp(logits).sum(axis=-1, keepdims=True)
    return [weights @ value, weights]


def attention_renormalised(query, key, value, mask=None):
    """Unmasked softmax, then mask, then a second division: the algebra is the same."""
    logits = query @ key.swapaxes(-2, -1) / np.sqrt(key.shape[-1])
    weights = np.exp(logits - logits.max(axis=-1, keepdims=True))
    if mask is not None:
        weights = weights * mask
    weights = weights / weights.sum(axis=-1, keepdims=True)
    return weights @ value, weights


def attention_both_sides_scaled(query, key, value, mask=None):
    root = query.shape[-1] ** 0.25
    logits = (query / root) @ np.moveaxis(key / root, -1, -2)
    if mask is not None:
        logits[~np.broadcast_to(mask, logits.shape)] = -np.inf
    logits = logits - np.max(logits, axis=-1)[..., None]
    weights = np.exp(logits) / np.sum(np.exp(logits), axis=-1)[..., None]
    return np.matmul(weights, value), weights


def attention_in_float32(query, key, value, mask=None):
    query, key, value = (array.astype(np.float32) for array in (query, key, value))
    return attention_by_einsum(query, key, value, mask)


def decoder_weights_by_loop(logits, real):
    weights = np.zeros_like(logits)
    for sequence, query in np.ndindex(logits.shape[:2]):
        keys = [key for key in range(query + 1) if real[sequence, key]]
        if keys:
            row = np.exp(logits[sequence, query, keys] - logits[sequence, query, keys].max())
            weights[sequence, query, keys] = row / row.sum()
    return weights


def decoder_weights_zeroed_afterwards(logits, real):
    length = real.shape[1]
    allowed = np.logical_and(np.tri(length, dtype=bool), np.repeat(real[:, None, :], length, axis=1))
    blocked = np.where(allowed, logits, np.finfo(logits.dtype).min)
    powers = np.exp(blocked - blocked.max(axis=-1, keepdims=True))
    return np.where(allowed, powers / powers.sum(axis=-1, keepdims=True), 0.0)


def decoder_weights_nan_to_zero(logits, real):
    allowed = np.tri(real.shape[1], dtype=bool) * real[:, None]
    blocked = np.where(allowed, logits, -np.inf)
    with np.errstate(invalid="ignore"):
        powers = np.exp(blocked - blocked.max(axis=-1, keepdims=True))
        return np.nan_to_num(powers / powers.sum(axis=-1, keepdims=True))


def decoder_weights_padded_queries_too(logits, real):
    """Rows of padding are set to zero as well: nobody reads them."""
    return decoder_weights_by_loop(logits, real) * real[:, :, None]


def multi_head_attention_by_loop(tokens, wq, wk, wv, wo, num_heads):
    width = tokens.shape[1] // num_heads
    read, seen = [], []
    for head in range(num_heads):
        part = slice(head * width, (head + 1) * width)
        output, weights = attention_by_einsum(
            tokens @ wq[:, part], tokens @ wk[:, part], tokens @ wv[:, part]
        )
        read.append(output)
        seen.append(weights)
    return np.concatenate(read, axis=-1) @ wo, np.stack(seen)


def multi_head_attention_by_einsum(tokens, wq, wk, wv, wo, num_heads):
    query, key, value = (
        np.einsum("td,dhk->htk", tokens, w.reshape(len(w), num_heads, -1)) for w in (wq, wk, wv)
    )
    output, weights = attention_by_einsum(query, key, value)
    return np.einsum("htk,hkd->td", output, wo.reshape(num_heads, -1, wo.shape[1])), weights


def multi_head_attention_by_sum(tokens, wq, wk, wv, wo, num_heads):
    """Each head writes through its own rows of the output kernel; the sum is the concatenation."""
    total, seen = 0, []
    for q, k, v, o in zip(
        *(np.split(w, num_heads, axis=1) for w in (wq, wk, wv)), np.split(wo, num_heads), strict=True
    ):
        output, weights = attention_renormalised(tokens @ q, tokens @ k, tokens @ v)
        total = total + output @ o
        seen.append(weights)
    return total, np.array(seen)


def online_attention_key_by_key(query, blocks):
    largest, total, output = np.full(len(query), -np.inf), np.zeros(len(query)), None
    for keys, values in blocks:
        output = np.zeros((len(query), values.shape[1])) if output is None else output
        for key, value in zip(keys, values, strict=True):
            score = query @ key / np.sqrt(len(key))
            new = np.maximum(largest, score)
            old, fresh = np.exp(largest - new), np.exp(score - new)
            total, output = total * old + fresh, output * old[:, None] + fresh[:, None] * value
            largest = new
    return output / total[:, None]


def online_attention_by_merging(query, blocks):
    """Finished averages and log-sum-exps are merged, two at a time."""
    mean, weight = None, None
    for key, value in blocks:
        score = query @ key.T / np.sqrt(query.shape[1])
        top = score.max(axis=1, keepdims=True)
        power = np.exp(score - top)
        block_weight = top + np.log(power.sum(axis=1, keepdims=True))
        block_mean = power @ value / power.sum(axis=1, keepdims=True)
        if mean is None:
            mean, weight = block_mean, block_weight
        else:
            both = np.logaddexp(weight, block_weight)
            mean = mean * np.exp(weight - both) + block_mean * np.exp(block_weight - both)
            weight = both
    return mean


def online_attention_with_copies(query, blocks):
    """Wasteful, and right."""
    kept = [(key.copy(), value.copy()) for key, value in blocks]
    return attention_by_einsum(query, *(np.concatenate(part) for part in zip(*kept, strict=True)))[0]


def find_shift_by_most_looked_at(weights, places):
    """Where does the position look hardest? Count how often it is the neighbour."""
    hardest = weights.argmax(axis=-1)
    counts = {}
    for offset, asking in ((-1, places + 1), (1, places)):
        looked = np.take_along_axis(hardest, asking[:, None, None], axis=2)[..., 0]
        counts[offset] = (looked == asking[:, None] + offset).mean(axis=0)
    offset = 1 if counts[1].max() > counts[-1].max() else -1
    return int(np.argmax(counts[offset])), offset


def find_shift_by_loops(weights, places):
    best = (-1.0, None)
    for head in range(weights.shape[1]):
        for offset, start in ((-1, 1), (1, 0)):
            total = 0.0
            for sequence, place in enumerate(places):
                total += weights[sequence, head, place + start, place + start + offset]
            best = max(best, (total, (head, offset)))
    return list(best[1])


def find_shift_by_one_hot(weights, places):
    cue = np.eye(weights.shape[-1])[places]
    answer = np.roll(cue, 1, axis=1)
    back = np.einsum("shqk,sq,sk->h", weights, answer, cue)
    on = np.einsum("shqk,sq,sk->h", weights, cue, answer)
    offset, head = np.unravel_index(np.argmax([back, on]), (2, len(on)))
    return np.array([head, 2 * offset - 1])


def find_shift_by_median(weights, places):
    rows = np.arange(len(places))[:, None]
    heads = np.arange(weights.shape[1])[None]
    cue = places[:, None]
    back = np.median(weights[rows, heads, cue + 1, cue], axis=0)
    on = np.median(weights[rows, heads, cue, cue + 1], axis=0)
    return max((back.max(), back.argmax(), -1), (on.max(), on.argmax(), 1))[1:]


def cached_attention_by_loops(token, keys, values, query_kernel, key_kernel, value_kernel):
    query, key, value = (
        np.array([sum(token[i] * kernel[i, j] for i in range(len(token))) for j in range(kernel.shape[1])])
        for kernel in (query_kernel, key_kernel, value_kernel)
    )
    grown = [*keys, key], [*values, value]
    scores = np.array([query @ each for each in grown[0]]) / len(query) ** 0.5
    weights = np.exp(scores) / np.exp(scores).sum()
    return sum(w * each for w, each in zip(weights, grown[1], strict=True)), *grown


def cached_attention_in_a_list(token, keys, values, query_kernel, key_kernel, value_kernel):
    """A list in the place of a tuple, and rows stacked."""
    keys = np.vstack([keys, token[np.newaxis] @ key_kernel])
    values = np.vstack([values, token[np.newaxis] @ value_kernel])
    output, _ = attention_by_einsum((token @ query_kernel)[np.newaxis], keys, values)
    return [output[0], keys, values]


def cached_attention_online(token, keys, values, query_kernel, key_kernel, value_kernel):
    """The new token apart from the cache: its share is joined to theirs."""
    query, key, value = token @ query_kernel, token @ key_kernel, token @ value_kernel
    own, scores = key @ query / len(query) ** 0.5, keys @ query / len(query) ** 0.5
    top = max([own, *scores])
    old = np.exp(scores - top)
    output = (old @ values + np.exp(own - top) * value) / (old.sum() + np.exp(own - top))
    return output, np.append(keys, [key], axis=0), np.append(values, [value], axis=0)


def cross_attention_mask_by_outer_product(source, target):
    return np.ones_like(target, dtype=bool)[:, :, None] & (source > 0)[:, None, :]


def cross_attention_mask_by_loops(source, target):
    return [[[bool(token) for token in row] for _ in target[0]] for row in source]


def cross_attention_mask_by_einsum(source, target):
    return np.einsum("sq,sk->sqk", np.ones(target.shape), source != 0).astype(bool)


def rollout_by_whole_matrices(attention, falls):
    rolled = np.eye(attention[0].shape[-1])
    for block in attention:
        step = block.mean(axis=1) + np.eye(block.shape[-1])
        rolled = (step / step.sum(axis=-1, keepdims=True)) @ rolled
    maps = rolled[:, 0, 1:]
    order = np.argsort(-falls, axis=1)
    places = [list(row).index(first) for row, first in zip(order, maps.argmax(axis=1), strict=True)]
    return maps, int(np.argmax(places))


def rollout_by_paths(attention, falls):
    """Every token of every block either stays or looks; the shares of all ways are added up."""
    images, tokens = len(falls), falls.shape[1] + 1

    def shares(image, block, token):
        if block < 0:
            return np.eye(tokens)[token]
        looked = attention[block][image, :, token].mean(axis=0)
        onward = sum(looked[t] * shares(image, block - 1, t) for t in range(tokens))
        return (shares(image, block - 1, token) + onward) / 2

    maps = np.array([shares(image, len(attention) - 1, 0)[1:] for image in range(images)])
    worst = [np.sum(f > f[m.argmax()]) for f, m in zip(falls, maps, strict=True)]
    return maps.tolist(), np.array(worst).argmax()


def rollout_with_einsum(attention, falls):
    steps = [0.5 * np.einsum("ihqk->iqk", a) / a.shape[1] + 0.5 * np.eye(a.shape[-1]) for a in attention]
    row = steps[-1][:, 0]
    for step in steps[-2::-1]:
        row = np.einsum("iq,iqk->ik", row, step)
    maps = row[:, 1:]
    named = np.take_along_axis(falls, maps.argmax(axis=1)[:, None], axis=1)
    return maps, np.argmax(np.count_nonzero(falls > named, axis=1))


def score_gradient_by_jacobian(weights, gradient):
    eye = np.eye(weights.shape[-1])
    jacobian = weights[..., np.newaxis] * (eye - weights[..., np.newaxis, :])
    return np.einsum("...ij,...j->...i", jacobian, gradient)


def score_gradient_by_loops(weights, gradient):
    found = np.zeros_like(weights)
    for row in np.ndindex(weights.shape[:-1]):
        w, g = weights[row], gradient[row]
        for i in range(len(w)):
            found[row][i] = sum(w[i] * w[j] * (g[i] - g[j]) for j in range(len(w)))
    return found


def score_gradient_in_two_parts(weights, gradient):
    scaled = weights * gradient
    return scaled - weights * scaled.sum(axis=-1, keepdims=True)
