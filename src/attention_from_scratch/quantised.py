"""Weights rounded to few levels, so that a browser has less to fetch.

Each column of a kernel (what feeds one number of its output) is rounded to whole multiples of a step of its
own, its largest weight divided by the number of levels. Vectors (biases, the scales of LayerNorm) stay as
they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int


class Quantised(NamedTuple):
    """A rounded array: `levels * steps`.

    Args:
        levels: whole numbers between -most and most.
        steps: one a column.
    """

    levels: Int[np.ndarray, "... columns"]
    steps: Float[np.ndarray, " columns"]

    @property
    def restored(self) -> Float[np.ndarray, "... columns"]:
        """The rounded numbers, as float32."""
        return self.levels.astype(np.float32) * self.steps


def quantise(array: Float[np.ndarray, "... columns"], most: int) -> Quantised:
    """Round an array of two or more axes; the columns are its last axis.

    Args:
        array: a kernel, or a table of embeddings.
        most: the level of each column's largest weight, at most 127.
    """
    largest = np.abs(array).reshape(-1, array.shape[-1]).max(axis=0)
    steps = (np.where(largest > 0, largest, 1) / most).astype(np.float32)
    return Quantised(np.rint(array / steps).astype(np.int8), steps)


def rounded(weights: Mapping[str, np.ndarray], most: int) -> dict[str, Float[np.ndarray, "..."]]:
    """All weights of a model as a browser gets them, by name.

    Args:
        weights: float32, by name.
        most: as in `quantise`.
    """
    return {
        name: array if array.ndim == 1 else quantise(array, most).restored for name, array in weights.items()
    }
