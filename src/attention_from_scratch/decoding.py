"""Writing one token after the other: keys and values that are kept, the likeliest token, several beams.

A decoder is asked for one token at a time. What it computed for the tokens before does not change, since
they cannot see what comes later; so their keys and values are kept, and each step computes one token.
Weights come from a speller (`models.spellers`), by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int

from attention_from_scratch import transformer
from attention_from_scratch.attention import attention
from attention_from_scratch.heads import Projections, split_heads
from attention_from_scratch.transformer import Block, Norm, feed_forward, layer_norm


@dataclass(frozen=True)
class EncoderDecoder:
    """The weights of a transformer that writes while it looks at what it has read; the norm comes first.

    Args:
        source_embedding: one row a token of the source.
        source_positions: one row a position.
        target_embedding: one row a token of the target.
        target_positions: one row a position.
        encoder: its blocks.
        encoder_norm: after them.
        decoder: its blocks.
        decoder_norm: after them.
        logits_kernel: from a token to logits.
        logits_bias: added to them.
    """

    source_embedding: Float[np.ndarray, "source_tokens d_model"]
    source_positions: Float[np.ndarray, "source_length d_model"]
    target_embedding: Float[np.ndarray, "target_tokens d_model"]
    target_positions: Float[np.ndarray, "target_length d_model"]
    encoder: list[Block]
    encoder_norm: Norm
    decoder: list[Block]
    decoder_norm: Norm
    logits_kernel: Float[np.ndarray, "d_model target_tokens"]
    logits_bias: Float[np.ndarray, " target_tokens"]

    @classmethod
    def of(cls, weights: Mapping[str, np.ndarray]) -> EncoderDecoder:
        """From weights by name, as `models.spellers.weights_of` gives them.

        Raises:
            ValueError: they hold no encoder, or no decoder.
        """
        return cls(
            *(
                weights[f"{side}_{what}.embeddings"]
                for side in ("source", "target")
                for what in ("embedding", "positions")
            ),
            transformer.blocks_of(weights, "encoder"),
            transformer.norm_of(weights, "encoder_norm"),
            transformer.blocks_of(weights, "decoder"),
            transformer.norm_of(weights, "decoder_norm"),
            weights["logits.kernel"],
            weights["logits.bias"],
        )


class Memory(NamedTuple):
    """What an encoder has read.

    Args:
        tokens: its output.
        real: True where the source is no padding.
    """

    tokens: Float[np.ndarray, "sequences source_length d_model"]
    real: Bool[np.ndarray, "sequences source_length"]


class Cache(NamedTuple):
    """Keys and values of a decoder, one pair of arrays a block.

    Args:
        keys: of the tokens so far; grows by one position a step.
        values: theirs.
        memory_keys: of the memory; computed once.
        memory_values: theirs.
        real: True where the memory is no padding.
    """

    keys: list[Float[np.ndarray, "sequences num_heads steps key_dim"]]
    values: list[Float[np.ndarray, "sequences num_heads steps key_dim"]]
    memory_keys: list[Float[np.ndarray, "sequences num_heads source_length key_dim"]]
    memory_values: list[Float[np.ndarray, "sequences num_heads source_length key_dim"]]
    real: Bool[np.ndarray, "sequences source_length"]


class Beam(NamedTuple):
    """One way to go on, and how likely it is.

    Args:
        tokens: so far, without the start.
        log_probability: of all of them together.
        ended: whether the last of them is the end.
    """

    tokens: tuple[int, ...]
    log_probability: float
    ended: bool


def encode(model: EncoderDecoder, source: Int[np.ndarray, "sequences source_length"]) -> Memory:
    """Read the source, once.

    Args:
        model: the weights.
        source: tokens; 0 is padding, behind.
    """
    real = source != 0
    embedded = model.source_embedding[source] + model.source_positions[: source.shape[1]]
    return Memory(transformer.encoder(embedded, model.encoder, real, model.encoder_norm)[0], real)


def whole(
    model: EncoderDecoder, memory: Memory, previous: Int[np.ndarray, "sequences steps"]
) -> tuple[Float[np.ndarray, "sequences steps target_tokens"], list[np.ndarray]]:
    """All steps at once, as in training: the logits, and each block's cross-attention weights.

    Args:
        model: the weights.
        memory: what was read.
        previous: the start token, and what was written so far.
    """
    embedded = model.target_embedding[previous] + model.target_positions[: previous.shape[1]]
    x, _, crossed = transformer.decoder(
        embedded, memory.tokens, model.decoder, memory.real, model.decoder_norm
    )
    return x @ model.logits_kernel + model.logits_bias, crossed


def empty_cache(model: EncoderDecoder, memory: Memory) -> Cache:
    """A cache before the first step: the memory's keys and values, and none of the target's."""
    sequences = len(memory.tokens)
    heads, width = model.decoder[0].attention.key_kernel.shape[1:]
    nothing = np.empty((sequences, heads, 0, width), memory.tokens.dtype)
    crossing = [block.cross for block in model.decoder]
    return Cache(
        [nothing for _ in model.decoder],
        [nothing for _ in model.decoder],
        [split_heads(memory.tokens, cross.key_kernel, cross.key_bias) for cross in crossing],
        [split_heads(memory.tokens, cross.value_kernel, cross.value_bias) for cross in crossing],
        memory.real,
    )


def step(
    model: EncoderDecoder, cache: Cache, tokens: Int[np.ndarray, " sequences"]
) -> tuple[Float[np.ndarray, "sequences target_tokens"], Cache]:
    """One more token a sequence: the logits of the next one, and the cache with this one in it.

    Args:
        model: the weights.
        cache: of the tokens before; it is left as it was.
        tokens: the last ones written, or the start.
    """
    position = cache.keys[0].shape[2]
    x = (model.target_embedding[tokens] + model.target_positions[position])[:, np.newaxis]
    keys, values = [], []
    for index, block in enumerate(model.decoder):
        own = block.attention
        read = layer_norm(x, block.attention_norm)
        key = split_heads(read, own.key_kernel, own.key_bias)
        value = split_heads(read, own.value_kernel, own.value_bias)
        keys.append(np.concatenate([cache.keys[index], key], axis=2))
        values.append(np.concatenate([cache.values[index], value], axis=2))
        x = x + _attend(read, own, keys[index], values[index])
        read = layer_norm(x, block.cross_norm)
        seen = cache.real[:, np.newaxis, np.newaxis]
        x = x + _attend(read, block.cross, cache.memory_keys[index], cache.memory_values[index], seen)
        x = x + feed_forward(layer_norm(x, block.feed_forward_norm), block.feed_forward)
    logits = layer_norm(x, model.decoder_norm)[:, 0] @ model.logits_kernel + model.logits_bias
    return logits, cache._replace(keys=keys, values=values)


def greedy(
    model: EncoderDecoder, source: Int[np.ndarray, "sequences source_length"], start: int, end: int
) -> Int[np.ndarray, "sequences steps"]:
    """The likeliest token at each step; what follows an end is the end.

    Args:
        model: the weights.
        source: tokens; 0 is padding, behind.
        start: the token that the decoder is given first.
        end: the token that ends a sequence.
    """
    cache = empty_cache(model, encode(model, source))
    tokens, written = np.full(len(source), start), []
    for _ in range(len(model.target_positions)):
        logits, cache = step(model, cache, tokens)
        tokens = np.where(tokens == end, end, logits.argmax(axis=-1))
        written.append(tokens)
    return np.stack(written, axis=1)


def beam_search(
    model: EncoderDecoder, source: Int[np.ndarray, " source_length"], start: int, end: int, beams: int
) -> list[Beam]:
    """The most likely sequences that were found, the likeliest first.

    At each step every open beam goes on with every token; the likeliest of all these, and of the beams that
    have ended, are kept. A longer sequence has more factors below one; nothing makes up for that here.

    Args:
        model: the weights.
        source: one sequence.
        start: the token that the decoder is given first.
        end: the token that ends a sequence.
        beams: how many are kept, at least 1; with 1 it is greedy decoding.

    Raises:
        ValueError: no beam.
    """
    if beams < 1:
        raise ValueError(f"beams is {beams}; at least 1 is kept")
    memory = encode(model, source[np.newaxis])
    cache, kept = empty_cache(model, memory), [Beam((), 0.0, False)]
    for _ in range(len(model.target_positions)):
        opened = [beam for beam in kept if not beam.ended]
        if not opened:
            break
        last = np.array([beam.tokens[-1] if beam.tokens else start for beam in opened])
        logits, cache = step(model, cache, last)
        further = log_softmax(logits)
        ended = [(beam, None) for beam in kept if beam.ended]
        grown = [
            (
                Beam((*beam.tokens, token), beam.log_probability + float(further[row, token]), token == end),
                row,
            )
            for row, beam in enumerate(opened)
            for token in np.argsort(-further[row], kind="stable")[:beams].tolist()
        ]
        best = sorted([*ended, *grown], key=lambda found: -found[0].log_probability)[:beams]
        kept = [beam for beam, _ in best]
        cache = _rows(cache, [row for beam, row in best if row is not None and not beam.ended])
    return kept


def with_pooled_keys(model: EncoderDecoder, heads: int) -> EncoderDecoder:
    """The same decoder with fewer heads of keys and values in its self-attention: the means of neighbours.

    Source: Ainslie et al. 2023, section 2.1, where training goes on after it.

    Args:
        model: the weights.
        heads: of keys and values that stay; divides those of queries.

    Raises:
        ValueError: it does not.
    """
    count = model.decoder[0].attention.key_kernel.shape[1]
    if heads < 1 or count % heads:
        raise ValueError(f"{count} heads cannot be pooled into {heads}")

    def pooled(part: np.ndarray) -> np.ndarray:
        return part.reshape(*part.shape[:-2], heads, count // heads, part.shape[-1]).mean(axis=-2)

    shared = ("key_kernel", "key_bias", "value_kernel", "value_bias")
    blocks = [
        replace(block, attention=replace(own, **{name: pooled(getattr(own, name)) for name in shared}))
        for block in model.decoder
        for own in (block.attention,)
    ]
    return replace(model, decoder=blocks)


def log_softmax(logits: Float[np.ndarray, "*batch tokens"]) -> Float[np.ndarray, "*batch tokens"]:
    """The logarithms of the probabilities, without forming these."""
    shifted = logits - logits.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))


@dataclass(frozen=True)
class StepCost:
    """What writing a whole sequence costs, counted.

    Args:
        multiply_adds: of all matrix products, over all steps.
        bytes_kept: keys and values at the last step; 0 without a cache.
    """

    multiply_adds: int
    bytes_kept: int


def cost(
    steps: int,
    source: int,
    *,
    d_model: int,
    num_heads: int,
    feed_forward: int,
    blocks: int,
    target_tokens: int,
    key_value_heads: int | None = None,
    cached: bool = True,
    itemsize: int = 4,
) -> StepCost:
    """Count what a decoder needs to write `steps` tokens after the source was read.

    Without a cache each step computes all tokens so far anew, and the memory's keys and values, too; logits
    are asked for of the last token alone. Each pair of a query and a key costs a product for the score and
    one for the mean, in all heads together `2 * d_model` multiply-adds; norms, biases and the softmax are
    left out.

    Args:
        steps: tokens written.
        source: tokens of the memory.
        d_model: width of a token; `num_heads * key_dim` is as wide.
        num_heads: of queries.
        feed_forward: width of the hidden layer.
        blocks: of the decoder.
        target_tokens: how many logits there are.
        key_value_heads: of keys and values in self-attention; None for as many as of queries.
        cached: whether keys and values are kept.
        itemsize: bytes a number, 4 for float32.
    """
    own = key_value_heads or num_heads
    narrow = d_model * own // num_heads  # width of all keys, or values, of one token
    one_token = 2 * d_model * d_model + 2 * d_model * narrow  # self-attention's four projections
    one_token += 2 * d_model * d_model + 2 * d_model * feed_forward  # cross-attention's query and output
    reading = 2 * source * d_model * d_model  # the memory's keys and values
    total = 0
    for so_far in range(1, steps + 1):
        computed = 1 if cached else so_far
        pairs = so_far if cached else so_far * so_far
        block = computed * one_token + 2 * d_model * (pairs + computed * source)
        block += reading if not cached or so_far == 1 else 0
        total += blocks * block + d_model * target_tokens
    kept = blocks * 2 * (steps * narrow + source * d_model) * itemsize
    return StepCost(total, kept if cached else 0)


def _attend(
    read: Float[np.ndarray, "sequences 1 d_model"],
    weights: Projections,
    keys: Float[np.ndarray, "sequences key_heads length key_dim"],
    values: Float[np.ndarray, "sequences key_heads length key_dim"],
    mask: Bool[np.ndarray, "*#batch 1 length"] | None = None,
) -> Float[np.ndarray, "sequences 1 d_model"]:
    """One query a sequence over keys and values that are there; heads of queries may share them."""
    query = split_heads(read, weights.query_kernel, weights.query_bias)
    shared = query.shape[1] // keys.shape[1]
    if shared > 1:
        keys, values = np.repeat(keys, shared, axis=1), np.repeat(values, shared, axis=1)
    attended, _ = attention(query, keys, values, mask)
    return np.einsum("...hqv,hvd->...qd", attended, weights.output_kernel) + weights.output_bias


def _longer(beam: Beam, token: int, log_probability: float, ended: bool) -> Beam:
    return Beam((*beam.tokens, token), beam.log_probability + log_probability, ended)


def _rows(cache: Cache, rows: list[int]) -> Cache:
    """The cache of beams that go on from these rows."""
    chosen = {
        name: [array[rows] for array in getattr(cache, name)]
        for name in ("keys", "values", "memory_keys", "memory_values")
    }
    return Cache(**chosen, real=cache.real[rows])
