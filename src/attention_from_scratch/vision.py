"""The vision transformer's forward pass in NumPy, after `models.vision`, with hands to intervene.

It returns each attention weight and the vectors that the weights multiply, hides tokens, and puts other
weights in the place of a block's own. The page's sketch is written after this module.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float

Weights = Mapping[str, np.ndarray]

EPSILON = 1e-3  # Keras' LayerNormalization adds this to the variance


class Look(NamedTuple):
    """What a forward pass leaves.

    Args:
        logits: one row an image.
        attention: for each block its weights; the last block has one query, the class token. Tokens are the
            class token, the patches row by row, and the empty token where there is one.
        values: for each block each head's values, which the weights average.
    """

    logits: Float[np.ndarray, "images classes"]
    attention: list[Float[np.ndarray, "images heads queries tokens"]]
    values: list[Float[np.ndarray, "images heads tokens key_dim"]]


def forward(
    weights: Weights,
    patches: Float[np.ndarray, "images patches pixels"],
    *,
    plus_one: bool = False,
    empty: bool = False,
    visible: Bool[np.ndarray, "images tokens"] | None = None,
    replaced: Mapping[int, Float[np.ndarray, "#images #heads #queries tokens"]] | None = None,
) -> Look:
    """Compute the logits of `vision_model` from its weights, in their own dtype.

    Args:
        weights: by name, as `weights_by_name` gives them.
        patches: of the images.
        plus_one: the softmax has one added to its denominator.
        empty: there is a token with nothing in it, the last one.
        visible: False hides a token from each query of each block: it gets no weight, the others share it.
        replaced: for a block (from 1) weights that stand in the place of its own.
    """
    x = _tokens(weights, patches, empty)
    look = Look(np.empty(0), [], [])
    blocks = blocks_of(weights)
    for block in range(1, blocks + 1):
        name, last = f"block{block}", block == blocks
        normed = normalise(weights, f"{name}_norm1", x)
        query = normed[:, :1] if last else normed
        attention, values = _attend(weights, f"{name}_attention", query, normed, visible, plus_one)
        if replaced and block in replaced:
            attention = np.broadcast_to(replaced[block], attention.shape)
        look.attention.append(attention)
        look.values.append(values)
        output = projected(weights, block, attention @ values).sum(axis=1)
        output = output + weights[f"{name}_attention.attention_output.bias"]
        x = _feed_forward(weights, name, (x[:, :1] if last else x) + output)
    return look._replace(logits=dense(weights, "logits", normalise(weights, "norm", x[:, 0])))


def probabilities(logits: Float[np.ndarray, "*any classes"]) -> Float[np.ndarray, "*any classes"]:
    """The softmax of the logits."""
    exponentials = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def lead(logits: Float[np.ndarray, "*any classes"], classes: np.ndarray) -> Float[np.ndarray, "*any"]:
    """The logit of a class less the mean of all: what the maps of the page explain."""
    chosen = np.take_along_axis(logits, np.asarray(classes)[..., np.newaxis], axis=-1)[..., 0]
    return chosen - logits.mean(axis=-1)


def projected(
    weights: Weights, block: int, vectors: Float[np.ndarray, "images heads any key_dim"]
) -> Float[np.ndarray, "images heads any width"]:
    """Each head's vectors through its part of the block's output projection, without the bias."""
    return vectors @ weights[f"block{block}_attention.attention_output.kernel"]


def blocks_of(weights: Weights) -> int:
    """How many blocks the weights are of."""
    return sum(name.endswith("_attention.query.kernel") for name in weights)


def dense(weights: Weights, name: str, x: np.ndarray) -> np.ndarray:
    """A dense layer."""
    return x @ weights[f"{name}.kernel"] + weights[f"{name}.bias"]


def normalise(weights: Weights, name: str, x: np.ndarray) -> np.ndarray:
    """LayerNorm over the last axis."""
    centred = x - x.mean(axis=-1, keepdims=True)
    deviation = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + EPSILON)
    return centred / deviation * weights[f"{name}.gamma"] + weights[f"{name}.beta"]


def _tokens(weights: Weights, patches: np.ndarray, empty: bool) -> np.ndarray:
    embedded = dense(weights, "embedding", patches)
    first = np.broadcast_to(weights["tokens.class_token"], (len(patches), 1, embedded.shape[-1]))
    tokens = np.concatenate([first, embedded], axis=1) + weights["tokens.positions"]
    return np.concatenate([tokens, np.zeros_like(first)], axis=1) if empty else tokens


def _attend(weights: Weights, name: str, query, x, visible, plus_one: bool) -> tuple[np.ndarray, np.ndarray]:
    """The weights, and each head's values."""
    q, k, v = (
        np.tensordot(source, weights[f"{name}.{part}.kernel"], 1).swapaxes(1, 2)
        + weights[f"{name}.{part}.bias"][:, np.newaxis]
        for part, source in (("query", query), ("key", x), ("value", x))
    )
    scores = q @ k.swapaxes(2, 3) / np.sqrt(q.shape[-1]).astype(q.dtype)
    if visible is not None:
        scores = np.where(visible[:, np.newaxis, np.newaxis], scores, -np.inf)
    most = scores.max(axis=-1, keepdims=True)
    if plus_one:
        most = np.maximum(most, 0)
    exponentials = np.exp(scores - most)
    total = exponentials.sum(axis=-1, keepdims=True)
    attention = exponentials / (total + np.exp(-most) if plus_one else total)
    return attention, v


def _feed_forward(weights: Weights, name: str, x: np.ndarray) -> np.ndarray:
    hidden = np.maximum(dense(weights, f"{name}_hidden", normalise(weights, f"{name}_norm2", x)), 0)
    return x + dense(weights, f"{name}_output", hidden)
