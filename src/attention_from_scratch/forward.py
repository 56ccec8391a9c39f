"""The block model's forward pass in NumPy: what the trained models compute, without a framework.

It returns every attention weight, and lets one cut edges of attention or replace what a head hands on,
so that a mechanism can be tested by removing it. The site's live model is written after this module.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int

from attention_from_scratch import masks
from attention_from_scratch.attention import attention
from attention_from_scratch.positions import sinusoidal

Weights = Mapping[str, np.ndarray]
Edit = Callable[[int, Float[np.ndarray, "sequences heads queries key_dim"]], np.ndarray]

EPSILON = 1e-3  # Keras' LayerNormalization adds this to the variance


class Trace(NamedTuple):
    """What a forward pass leaves.

    Args:
        logits: one row a sequence, from its last position.
        attention: for each block its weights, (sequences, heads, queries, keys). The last block has
            one query, the last position: nothing else reaches the logits.
        heads: for each block what its heads hand on before the output projection, (sequences, heads,
            queries, key_dim).
        inputs: for each block what it is given, (sequences, length, width).
    """

    logits: Float[np.ndarray, "sequences vocabulary"]
    attention: list[Float[np.ndarray, "sequences heads queries keys"]]
    heads: list[Float[np.ndarray, "sequences heads queries key_dim"]]
    inputs: list[Float[np.ndarray, "sequences length width"]]


def forward(
    weights: Weights,
    tokens: Int[np.ndarray, "sequences length"],
    *,
    causal: bool = False,
    allowed: Mapping[int, Bool[np.ndarray, "*#sequences #heads queries keys"]] | None = None,
    edit: Edit | None = None,
) -> Trace:
    """Compute the logits of `block_model` from its weights, in their own dtype.

    Args:
        weights: by name, as `weights_by_name` gives them; heads and blocks are read off them.
        tokens: the sequences.
        causal: hide later positions in all blocks but the last, as the model did in training.
        allowed: for a block (from 1) the edges of attention that stay: True where a query may look at a
            key, one mask for all sequences and heads or one for each. Removed edges get no weight, and the
            others share it as softmax has it.
        edit: called with the block's number and its heads' outputs; returns what is used instead.

    Raises:
        ValueError: the weights are not those of a block model.
    """
    if "embedding.embeddings" not in weights:
        raise ValueError(f"no embedding among the weights {sorted(weights)}; expected those of a block model")
    x = weights["embedding.embeddings"][tokens]
    length, width = x.shape[-2:]
    x = x + sinusoidal(length, width).astype(x.dtype)
    trace = Trace(np.empty(0), [], [], [])
    count = blocks_of(weights)
    for block in range(1, count + 1):
        last = block == count
        mask = masks.causal(length) if causal and not last else np.ones((1 if last else length, length), bool)
        if allowed and block in allowed:
            mask = mask & allowed[block]
        trace.inputs.append(x)
        x = _block(weights, block, x[:, -1:] if last else x, x, mask, edit, trace)
    logits = x[:, -1] @ weights["logits.kernel"] + weights["logits.bias"]
    return trace._replace(logits=logits)


def answers(trace: Trace) -> Int[np.ndarray, " sequences"]:
    """The most likely answers."""
    return trace.logits.argmax(axis=-1)


def weights_of(arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The weights among a training run's arrays (`weights.…`), by the names that `forward` knows."""
    return {name.removeprefix("weights."): a for name, a in arrays.items() if name.startswith("weights.")}


def blocks_of(weights: Weights) -> int:
    """How many blocks the weights are of."""
    return sum(name.endswith("_attention.query.kernel") for name in weights)


def _block(weights: Weights, block: int, query, x, mask, edit: Edit | None, trace: Trace):
    """Attention, residual, LayerNorm; feed-forward, residual, LayerNorm."""
    name = f"block{block}_attention"
    q, k, v = (
        np.einsum("...td,dhk->...htk", source, weights[f"{name}.{part}.kernel"])
        + weights[f"{name}.{part}.bias"][:, np.newaxis]
        for part, source in (("query", query), ("key", x), ("value", x))
    )
    handed_on, attended = attention(q, k, v, mask)
    if edit is not None:
        handed_on = edit(block, handed_on)
    trace.attention.append(attended)
    trace.heads.append(handed_on)
    output = np.einsum("...htk,hkd->...td", handed_on, weights[f"{name}.attention_output.kernel"])
    x = _normalise(weights, f"block{block}_norm1", query + output + weights[f"{name}.attention_output.bias"])
    hidden = x @ weights[f"block{block}_hidden.kernel"] + weights[f"block{block}_hidden.bias"]
    output = (
        np.maximum(hidden, 0) @ weights[f"block{block}_output.kernel"] + weights[f"block{block}_output.bias"]
    )
    return _normalise(weights, f"block{block}_norm2", x + output)


def _normalise(weights: Weights, name: str, x):
    """LayerNorm over the last axis."""
    centred = x - x.mean(axis=-1, keepdims=True)
    deviation = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + EPSILON)
    return centred / deviation * weights[f"{name}.gamma"] + weights[f"{name}.beta"]
