"""Reading learning curves: when one gets off the ground, and how suddenly."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float


def first_epoch(curves: Float[np.ndarray, "seeds epochs"], threshold: float) -> list[int]:
    """The first epoch, from 1, that reaches the threshold; one past the last where none does."""
    reached = curves >= threshold
    return [int(r.argmax()) + 1 if r.any() else len(r) + 1 for r in reached]


def first_look(curve: Float[np.ndarray, " looks"], threshold: float) -> int:
    """The first look, from 0, at which a curve is good enough; the last one where it never is."""
    return min(first_epoch(curve[np.newaxis], threshold)[0], len(curve)) - 1


def jumps(
    curves: Float[np.ndarray, "seeds epochs"], jump_from: float, jump_to: float
) -> list[tuple[int, int]]:
    """Of each curve the last place on the plateau and the first at the top (the last one where none is)."""
    tops = [min(epoch, curves.shape[1]) - 1 for epoch in first_epoch(curves, jump_to)]
    return [
        (int(np.flatnonzero(curve[:top] < jump_from)[-1]), top)
        for curve, top in zip(curves, tops, strict=True)
    ]


def as_long(curves: Sequence[np.ndarray]) -> Float[np.ndarray, "curves longest"]:
    """Curves of one length: one that stopped early stays where it was."""
    longest = max(map(len, curves))
    return np.array([np.pad(c, (0, longest - len(c)), mode="edge") for c in curves])
