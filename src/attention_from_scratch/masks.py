"""Masks: who may attend to whom. True means "may attend", in every function of this project."""

from __future__ import annotations

import numpy as np
from jaxtyping import Bool


def causal(length: int) -> Bool[np.ndarray, "queries keys"]:
    """Each position may attend to itself and to what came before it.

    Source: Vaswani et al. 2017, section 3.2.3.

    Args:
        length: of the sequence; queries and keys are the same positions.

    Raises:
        ValueError: the length is not positive.
    """
    if length < 1:
        raise ValueError(f"a causal mask needs a length of at least 1, got {length}")
    return np.tril(np.ones((length, length), dtype=bool))


def padding(
    real: Bool[np.ndarray, "*batch keys"],
) -> Bool[np.ndarray, "*batch 1 keys"]:
    """Every position may attend to the real tokens, and to no padding.

    Only keys are masked. Padded *queries* still produce an output, which the loss or the pooling that
    follows has to leave out.

    Args:
        real: True where there is a token, False where there is padding. Derive it from token ids, not
            from embeddings: once positions are added, padding is no longer zero.

    Raises:
        TypeError: `real` is not boolean.
    """
    real = np.asarray(real)
    if real.dtype != np.bool_:
        raise TypeError(f"`real` is {real.dtype}; expected bool, such as `ids != 0`")
    return real[..., np.newaxis, :]


def combine(*masks: Bool[np.ndarray, "*#batch #queries #keys"]) -> Bool[np.ndarray, "*batch queries keys"]:
    """Allow what every mask allows.

    Masks are combined as booleans, before any of them becomes a large negative number: two such
    numbers added can overflow to -inf, and a row of those gives NaN.

    Raises:
        ValueError: no masks, or two whose shapes do not broadcast; the message names both shapes.
        TypeError: a mask that is not boolean.
    """
    if not masks:
        raise ValueError("combine needs at least one mask")
    allowed = np.True_
    for mask in masks:
        if mask.dtype != np.bool_:
            raise TypeError(
                f"a mask is {mask.dtype}; expected bool, True where the query may attend to the key"
            )
        try:
            allowed = np.logical_and(allowed, mask)
        except ValueError:
            raise ValueError(
                f"masks of shapes {np.shape(allowed)} and {mask.shape} do not broadcast to one another"
            ) from None
    return allowed


def empty_rows(mask: Bool[np.ndarray, "*batch queries keys"]) -> int:
    """Count the queries that may attend to nothing."""
    return int((~mask.any(axis=-1)).sum())


def share_allowed(mask: Bool[np.ndarray, "#queries #keys"], length: int) -> float:
    """The share of the length × length pairs that a mask allows."""
    return float(np.broadcast_to(mask, (length, length)).mean())
