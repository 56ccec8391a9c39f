"""How a mask becomes numbers, and what becomes of a row that may attend to nothing.

A mask blocks a key by a score so low that its weight is zero. Which number is that low, whether it replaces
the score or is added to it, and in which precision: rows with an allowed key never tell, empty ones do.
"""

from __future__ import annotations

import warnings

import numpy as np
from jaxtyping import Bool, Float

# For each way its words, the constant (None: the dtype's lowest), and whether it replaces the blocked score
# or is added to it.
CONSTANTS = {
    "replace_1e9": ("replace by -1e9", -1e9, True),
    "replace_1e30": ("replace by -1e30", -1e30, True),
    "replace_3e4": ("replace by -3e4", -3e4, True),
    "replace_lowest": ("replace by the dtype's lowest", None, True),
    "replace_inf": ("replace by -inf", -np.inf, True),
    "add_1e9": ("add -1e9", -1e9, False),
    "add_lowest": ("add the dtype's lowest", None, False),
    "add_lowest_twice": ("add two such masks", None, False),
}


def masked_scores(
    scores: Float[np.ndarray, "keys"], allowed: Bool[np.ndarray, "keys"], way: str
) -> Float[np.ndarray, "keys"]:
    """One row of scores after a mask in the given way, in the scores' own dtype; overflow is let happen."""
    _, constant, replaces = CONSTANTS[way]
    dtype = scores.dtype
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)
        number = np.finfo(dtype).min if constant is None else np.float64(constant).astype(dtype)
        if way == "add_lowest_twice":
            number = number + number
        return np.where(allowed, scores, number if replaces else scores + number)


def outcome(weights: np.ndarray, allowed: np.ndarray, unmasked: np.ndarray) -> str:
    """What a row of weights is, in a word or two.

    Args:
        weights: after masking and softmax.
        allowed: the mask's row.
        unmasked: the weights that the same scores give without a mask.
    """
    if np.isnan(weights).any():
        return "NaN"
    if allowed.any():
        return "blocked 0" if not weights[~allowed].any() else "leaks"
    if not weights.any():
        return "zeros"
    tolerance = 4 * float(np.finfo(weights.dtype).eps)
    if np.allclose(weights, 1 / len(weights), rtol=tolerance, atol=0):
        return "uniform"
    return "as unmasked" if np.allclose(weights, unmasked, rtol=1e-2, atol=1e-3) else "something else"
