"""An encoder and a decoder that looks at it, in Keras: Vaswani et al. 2017, figure 1."""

from __future__ import annotations

import keras

from attention_from_scratch.models.blocks import AddPositions
from attention_from_scratch.tasks.recall import PADDING


def encoder_decoder(
    *,
    source_vocabulary: int,
    target_vocabulary: int,
    source_length: int,
    target_length: int,
    blocks: int = 2,
    width: int = 64,
    num_heads: int = 4,
    feed_forward: int = 128,
    norm_first: bool = True,
    dropout: float = 0.0,
) -> keras.Model:
    """Tokens of a source and the target so far in, logits of each next token of the target out.

    Token 0 is padding, behind. Self-attention of the encoder and cross-attention hide the source's padding;
    self-attention of the decoder is causal, so that what is real never sees the target's.

    Args:
        source_vocabulary: how many tokens there are, padding included.
        target_vocabulary: likewise; also the number of logits.
        source_length: of the padded source.
        target_length: of the padded target.
        blocks: of the encoder, and as many of the decoder.
        width: of embeddings and of everything between blocks (`d_model`); a multiple of `num_heads`.
        num_heads: key_dim is `width / num_heads`.
        feed_forward: width of the hidden layers.
        norm_first: normalise what a layer reads, and the end of each stack; otherwise each sum.
        dropout: of what each layer adds, in training.

    Raises:
        ValueError: a width that the heads do not divide.
    """
    if width % num_heads:
        raise ValueError(f"width {width} is no multiple of num_heads {num_heads}")
    source = keras.Input((source_length,), dtype="int32", name="source")
    target = keras.Input((target_length,), dtype="int32", name="target")
    seen = keras.ops.expand_dims(keras.ops.not_equal(source, PADDING), 1)

    def embedded(tokens, vocabulary, name):
        scaled = keras.layers.Embedding(vocabulary, width, name=f"{name}_embedding")(tokens)
        return AddPositions(name=f"{name}_positions")(scaled)

    def added(x, name, layer):
        norm = keras.layers.LayerNormalization(name=f"{name}_norm")
        change = layer(norm(x) if norm_first else x)
        if dropout:
            change = keras.layers.Dropout(dropout, name=f"{name}_dropout")(change)
        return x + change if norm_first else norm(x + change)

    def attention(name):
        return keras.layers.MultiHeadAttention(num_heads, width // num_heads, name=name)

    def fed_forward(x, name):
        hidden = keras.layers.Dense(feed_forward, activation="relu", name=f"{name}_hidden")
        output = keras.layers.Dense(width, name=f"{name}_output")
        return added(x, f"{name}_feed_forward", lambda read: output(hidden(read)))

    memory = embedded(source, source_vocabulary, "source")
    for index in range(1, blocks + 1):
        name = f"encoder{index}"
        layer = attention(f"{name}_attention")
        memory = added(memory, f"{name}_attention", lambda x, layer=layer: layer(x, x, attention_mask=seen))
        memory = fed_forward(memory, name)
    if norm_first:
        memory = keras.layers.LayerNormalization(name="encoder_norm")(memory)
    x = embedded(target, target_vocabulary, "target")
    for index in range(1, blocks + 1):
        name = f"decoder{index}"
        layer, cross = attention(f"{name}_attention"), attention(f"{name}_cross")
        x = added(x, f"{name}_attention", lambda x, layer=layer: layer(x, x, use_causal_mask=True))
        x = added(x, f"{name}_cross", lambda x, cross=cross: cross(x, memory, attention_mask=seen))
        x = fed_forward(x, name)
    if norm_first:
        x = keras.layers.LayerNormalization(name="decoder_norm")(x)
    logits = keras.layers.Dense(target_vocabulary, name="logits")(x)
    return keras.Model((source, target), logits, name="encoder_decoder")
