"""Several attentions side by side, with their projections spelt out, and what they cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from attention_from_scratch.attention import attention


@dataclass(frozen=True)
class Projections:
    """The weights of a multi-head attention layer, in Keras' shapes and in Keras' order.

    Args:
        query_kernel: turns a token into `num_heads` queries.
        query_bias: added to them.
        key_kernel: turns a token into `num_heads` keys.
        key_bias: added to them.
        value_kernel: turns a token into `num_heads` values.
        value_bias: added to them.
        output_kernel: mixes the heads' outputs into one vector.
        output_bias: added to it.
    """

    query_kernel: Float[np.ndarray, "d_model num_heads key_dim"]
    query_bias: Float[np.ndarray, "num_heads key_dim"]
    key_kernel: Float[np.ndarray, "d_model num_heads key_dim"]
    key_bias: Float[np.ndarray, "num_heads key_dim"]
    value_kernel: Float[np.ndarray, "d_model num_heads value_dim"]
    value_bias: Float[np.ndarray, "num_heads value_dim"]
    output_kernel: Float[np.ndarray, "num_heads value_dim d_model"]
    output_bias: Float[np.ndarray, "d_model"]

    def __post_init__(self) -> None:
        for name in ("query", "key", "value", "output"):
            kernel, bias = getattr(self, f"{name}_kernel"), getattr(self, f"{name}_bias")
            fed = kernel.shape[2:] if name == "output" else kernel.shape[1:]
            if kernel.ndim != 3 or bias.shape != fed:
                raise ValueError(
                    f"the {name} kernel has shape {kernel.shape} and its bias {bias.shape}; expected "
                    "(d_model, num_heads, width) with (num_heads, width), the output's (num_heads, width, "
                    "d_model) with (d_model,)"
                )

    @classmethod
    def of(cls, weights: Sequence[np.ndarray]) -> Projections:
        """The projections of a Keras layer, from `layer.get_weights()`."""
        if len(weights) != 8:
            raise ValueError(
                f"got {len(weights)} arrays; expected 8: four kernels, each followed by its bias"
            )
        return cls(*weights)

    @classmethod
    def random(
        cls, generator: np.random.Generator, d_model: int, num_heads: int, key_dim: int
    ) -> Projections:
        """Kernels that keep unit variance (entries of variance 1 / width that is summed over), no bias."""
        inward = (d_model, num_heads, key_dim)
        kernels = [generator.normal(size=inward) / d_model**0.5 for _ in range(3)]
        outward = generator.normal(size=(num_heads, key_dim, d_model)) / (num_heads * key_dim) ** 0.5
        bias = np.zeros(inward[1:])
        return cls(kernels[0], bias, kernels[1], bias, kernels[2], bias, outward, np.zeros(d_model))


def multi_head_attention(
    query: Float[np.ndarray, "*batch queries d_model"],
    key: Float[np.ndarray, "*batch keys d_model"],
    value: Float[np.ndarray, "*batch keys d_model"],
    weights: Projections,
    mask: Bool[np.ndarray, "*#batch #queries #keys"] | None = None,
) -> tuple[
    Float[np.ndarray, "*batch queries d_model"],
    Float[np.ndarray, "*batch num_heads queries keys"],
]:
    """Project, attend in every head at once, mix the heads.

    $\\mathrm{head}_i = \\mathrm{Attention}(Q W_i^Q, K W_i^K, V W_i^V)$, and the output is
    $\\mathrm{Concat}(\\mathrm{head}_1, \\dots, \\mathrm{head}_h)\\, W^O$, with biases.

    Source: Vaswani et al. 2017, section 3.2.2; kernel shapes as `keras.layers.MultiHeadAttention` has them.

    Args:
        query: the sequence that looks. For self-attention give the same array three times.
        key: the sequence that is looked at.
        value: what it hands over; as long as `key`.
        weights: the projections.
        mask: True where the query may attend to the key; the same for every head.

    Returns:
        The output, and the attention scores after the softmax, one matrix a head (Keras' words).

    Raises:
        ValueError: the mask does not fit the scores.
    """
    queries = split_heads(query, weights.query_kernel, weights.query_bias)
    keys = split_heads(key, weights.key_kernel, weights.key_bias)
    values = split_heads(value, weights.value_kernel, weights.value_bias)
    per_head = None if mask is None else mask[..., np.newaxis, :, :]
    read, attention_scores = attention(queries, keys, values, per_head)
    mixed = np.einsum("...hqv,hvd->...qd", read, weights.output_kernel)
    return mixed + weights.output_bias, attention_scores


def split_heads(
    tokens: Float[np.ndarray, "*batch length d_model"],
    kernel: Float[np.ndarray, "d_model num_heads width"],
    bias: Float[np.ndarray, "num_heads width"],
) -> Float[np.ndarray, "*batch num_heads length width"]:
    """Project every token for every head, and put the heads in front of the positions.

    Args:
        tokens: the sequence.
        kernel: one projection, Keras' shape.
        bias: added to it.
    """
    return np.einsum("...td,dhw->...htw", tokens, kernel) + bias[:, np.newaxis, :]


def parameters(d_model: int, num_heads: int, key_dim: int, *, biases: bool = True) -> int:
    """How many parameters `MultiHeadAttention(num_heads, key_dim)` has on tokens of width `d_model`.

    Three projections inward and one outward, each of `d_model × num_heads × key_dim` weights; values are
    as wide as keys. With `num_heads × key_dim = d_model` that is $4d^2 + 4d$, whatever the number of heads.
    """
    inner = num_heads * key_dim
    return 4 * d_model * inner + (3 * inner + d_model if biases else 0)


@dataclass(frozen=True)
class Cost:
    """What one self-attention costs, counted, not timed.

    Args:
        projection_multiply_adds: of the four projections; grows with the length.
        pair_multiply_adds: of scores and weighted means; grows with the length squared.
        score_bytes: of the score matrices of all heads, held at once.
    """

    projection_multiply_adds: int
    pair_multiply_adds: int
    score_bytes: int


def cost(length: int, d_model: int, num_heads: int, key_dim: int, *, itemsize: int = 4) -> Cost:
    """Count the multiply-adds and the bytes of scores of one unmasked self-attention.

    Args:
        length: tokens; each is a query and a key.
        d_model: width of a token.
        num_heads: number of heads.
        key_dim: width of a head's query, key and value.
        itemsize: bytes a number, 4 for float32.
    """
    inner = num_heads * key_dim
    return Cost(
        projection_multiply_adds=4 * length * d_model * inner,
        pair_multiply_adds=2 * length * length * inner,
        score_bytes=length * length * num_heads * itemsize,
    )
