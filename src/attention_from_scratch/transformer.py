"""The transformer in NumPy: the block, the encoder, the decoder that looks at it, as the page shows them.

Weights come from a Keras model by name (`encoder1_attention.query.kernel`), as
`models.blocks.weights_by_name` gives them; see `models.encoder_decoder` for the model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from attention_from_scratch import masks
from attention_from_scratch.heads import Projections, multi_head_attention

EPSILON = 1e-3  # Keras' LayerNormalization adds this to the variance


@dataclass(frozen=True)
class Norm:
    """The weights of a LayerNorm.

    Args:
        gamma: multiplies what is normalised.
        beta: added to it.
    """

    gamma: Float[np.ndarray, " d_model"]
    beta: Float[np.ndarray, " d_model"]


@dataclass(frozen=True)
class FeedForward:
    """The weights of a feed-forward layer: up to the hidden width, ReLU, and down again.

    Args:
        hidden_kernel: up.
        hidden_bias: added before the ReLU.
        output_kernel: down.
        output_bias: added after it.
    """

    hidden_kernel: Float[np.ndarray, "d_model hidden"]
    hidden_bias: Float[np.ndarray, " hidden"]
    output_kernel: Float[np.ndarray, "hidden d_model"]
    output_bias: Float[np.ndarray, " d_model"]


@dataclass(frozen=True)
class Block:
    """The weights of one block; a decoder's has two more parts.

    Args:
        attention: self-attention.
        attention_norm: beside it.
        feed_forward: the feed-forward layer.
        feed_forward_norm: beside it.
        cross: of a decoder, attention to the encoder's output; None in an encoder.
        cross_norm: beside it.
    """

    attention: Projections
    attention_norm: Norm
    feed_forward: FeedForward
    feed_forward_norm: Norm
    cross: Projections | None = None
    cross_norm: Norm | None = None


def layer_norm(
    x: Float[np.ndarray, "*batch length d_model"], norm: Norm
) -> Float[np.ndarray, "*batch length d_model"]:
    """Give each token mean 0 and variance 1 over its own components, then scale and shift them.

    Source: Ba, Kiros and Hinton 2016 (arXiv:1607.06450).
    """
    centred = x - x.mean(axis=-1, keepdims=True)
    variance = (centred**2).mean(axis=-1, keepdims=True)
    return centred / np.sqrt(variance + EPSILON) * norm.gamma + norm.beta


def feed_forward(
    x: Float[np.ndarray, "*batch length d_model"], weights: FeedForward
) -> Float[np.ndarray, "*batch length d_model"]:
    """Each token by itself through two dense layers with a ReLU between them.

    Source: Vaswani et al. 2017, section 3.3.
    """
    hidden = np.maximum(x @ weights.hidden_kernel + weights.hidden_bias, 0)
    return hidden @ weights.output_kernel + weights.output_bias


def encoder_block(
    x: Float[np.ndarray, "*batch length d_model"],
    block: Block,
    mask: Bool[np.ndarray, "*#batch #length length"] | None = None,
    *,
    norm_first: bool = False,
) -> tuple[Float[np.ndarray, "*batch length d_model"], Float[np.ndarray, "*batch num_heads length length"]]:
    """Attention, then the feed-forward layer; each adds to what it was given.

    Args:
        x: the tokens.
        block: its weights.
        mask: True where a token may look at another.
        norm_first: normalise what a layer reads (Xiong et al. 2020) instead of each sum (Vaswani et al.
            2017). The stream of sums is then normalised nowhere; the stack does it once at its end.

    Returns:
        The tokens after the block, and the weights of its attention.
    """
    read = layer_norm(x, block.attention_norm) if norm_first else x
    attended, weights = multi_head_attention(read, read, read, block.attention, mask)
    x = x + attended
    if not norm_first:
        x = layer_norm(x, block.attention_norm)
    return _fed_forward(x, block, norm_first), weights


def decoder_block(
    x: Float[np.ndarray, "*batch length d_model"],
    memory: Float[np.ndarray, "*batch memory_length d_model"],
    block: Block,
    mask: Bool[np.ndarray, "*#batch #length length"],
    memory_mask: Bool[np.ndarray, "*#batch #length memory_length"] | None = None,
    *,
    norm_first: bool = False,
) -> tuple[
    Float[np.ndarray, "*batch length d_model"],
    Float[np.ndarray, "*batch num_heads length length"],
    Float[np.ndarray, "*batch num_heads length memory_length"],
]:
    """The encoder's block with a layer between its two: queries from here, keys and values from the memory.

    Args:
        x: the tokens written so far.
        memory: the encoder's output.
        block: its weights, with `cross`.
        mask: True where a token may look at another; causal.
        memory_mask: True where a token may look at the memory: not at its padding.
        norm_first: as in `encoder_block`.

    Returns:
        The tokens after the block, the weights of its self-attention, and of its cross-attention.
    """
    read = layer_norm(x, block.attention_norm) if norm_first else x
    attended, weights = multi_head_attention(read, read, read, block.attention, mask)
    x = x + attended
    if not norm_first:
        x = layer_norm(x, block.attention_norm)
    read = layer_norm(x, block.cross_norm) if norm_first else x
    attended, cross_weights = multi_head_attention(read, memory, memory, block.cross, memory_mask)
    x = x + attended
    if not norm_first:
        x = layer_norm(x, block.cross_norm)
    return _fed_forward(x, block, norm_first), weights, cross_weights


def _fed_forward(x: np.ndarray, block: Block, norm_first: bool) -> np.ndarray:
    read = layer_norm(x, block.feed_forward_norm) if norm_first else x
    x = x + feed_forward(read, block.feed_forward)
    return x if norm_first else layer_norm(x, block.feed_forward_norm)


def encoder(
    x: Float[np.ndarray, "*batch length d_model"],
    blocks: list[Block],
    real: Bool[np.ndarray, "*#batch length"],
    final_norm: Norm | None = None,
) -> tuple[Float[np.ndarray, "*batch length d_model"], list[np.ndarray]]:
    """One block after the other; each token sees all real ones.

    Args:
        x: embedded tokens, positions added.
        blocks: in order.
        real: True where a token is no padding.
        final_norm: of a stack that normalises first; its blocks then do, too.

    Returns:
        The memory that a decoder looks at, and each block's weights.
    """
    mask, weights = masks.padding(real), []
    for block in blocks:
        x, attended = encoder_block(x, block, mask, norm_first=final_norm is not None)
        weights.append(attended)
    return (x if final_norm is None else layer_norm(x, final_norm)), weights


def decoder(
    x: Float[np.ndarray, "*batch length d_model"],
    memory: Float[np.ndarray, "*batch memory_length d_model"],
    blocks: list[Block],
    memory_real: Bool[np.ndarray, "*#batch memory_length"],
    final_norm: Norm | None = None,
) -> tuple[Float[np.ndarray, "*batch length d_model"], list[np.ndarray], list[np.ndarray]]:
    """One block after the other; each token sees itself, those before it, and the real part of the memory.

    Args:
        x: embedded tokens, positions added. Padding stands behind: what is real never sees it.
        memory: the encoder's output.
        blocks: in order.
        memory_real: True where the memory is no padding.
        final_norm: as in `encoder`.

    Returns:
        The tokens after the last block, each block's weights of self-attention, and of cross-attention.
    """
    causal, seen = masks.causal(x.shape[-2]), masks.padding(memory_real)
    weights, cross_weights = [], []
    for block in blocks:
        x, attended, crossed = decoder_block(
            x, memory, block, causal, seen, norm_first=final_norm is not None
        )
        weights.append(attended)
        cross_weights.append(crossed)
    return (x if final_norm is None else layer_norm(x, final_norm)), weights, cross_weights


def blocks_of(weights: Mapping[str, np.ndarray], stack: str) -> list[Block]:
    """The blocks of a stack, from a Keras model's weights by name.

    Args:
        weights: by name.
        stack: `encoder` or `decoder`.

    Raises:
        ValueError: there is no such stack among them.
    """
    count = sum(name.startswith(stack) and name.endswith("_attention.query.kernel") for name in weights)
    if not count:
        raise ValueError(f"no {stack} among the weights {', '.join(sorted(weights)[:5])} …")
    return [_block(weights, f"{stack}{index}") for index in range(1, count + 1)]


def norm_of(weights: Mapping[str, np.ndarray], name: str) -> Norm | None:
    """The LayerNorm of that name, or None where the model has none."""
    if f"{name}.gamma" not in weights:
        return None
    return Norm(weights[f"{name}.gamma"], weights[f"{name}.beta"])


def projections_of(weights: Mapping[str, np.ndarray], name: str) -> Projections:
    """The projections of the attention layer of that name."""
    parts = ("query", "key", "value", "attention_output")
    return Projections.of([weights[f"{name}.{part}.{of}"] for part in parts for of in ("kernel", "bias")])


def _block(weights: Mapping[str, np.ndarray], name: str) -> Block:
    crossing = f"{name}_cross.query.kernel" in weights
    return Block(
        projections_of(weights, f"{name}_attention"),
        norm_of(weights, f"{name}_attention_norm"),
        FeedForward(
            *(weights[f"{name}_{part}.{of}"] for part in ("hidden", "output") for of in ("kernel", "bias"))
        ),
        norm_of(weights, f"{name}_feed_forward_norm"),
        projections_of(weights, f"{name}_cross") if crossing else None,
        norm_of(weights, f"{name}_cross_norm"),
    )
