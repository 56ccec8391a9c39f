"""Positions: attention alone sees a set, so the order has to be written into the tokens."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float


def sinusoidal(length: int, width: int) -> Float[np.ndarray, "length width"]:
    """One fixed vector a position: pairs of sine and cosine, each pair slower than the one before.

    $PE(p, 2i) = \\sin(p / 10000^{2i/d})$ and $PE(p, 2i+1) = \\cos(p / 10000^{2i/d})$.

    Source: Vaswani et al. 2017, section 3.5. Sine and cosine alternate, as in the formula; some code
    puts all sines first, which is the same up to the order of the channels.

    Args:
        length: number of positions, from 0.
        width: of a token; even.

    Raises:
        ValueError: an odd or non-positive width.
    """
    angles = np.outer(np.arange(length), _frequencies(width))
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(length, width)


def shift(offset: int, width: int) -> Float[np.ndarray, "width width"]:
    """The matrix that moves every position by `offset`: $PE(p + k) = R_k\\, PE(p)$.

    It rotates each pair by its own angle and does not depend on $p$: this is how one linear projection
    can ask for "the token before me" wherever it stands.

    Args:
        offset: how far, either way.
        width: as in `sinusoidal`.
    """
    angles = offset * _frequencies(width)
    matrix = np.zeros((width, width))
    even, odd = np.arange(0, width, 2), np.arange(1, width, 2)
    matrix[even, even] = matrix[odd, odd] = np.cos(angles)
    matrix[even, odd], matrix[odd, even] = np.sin(angles), -np.sin(angles)
    return matrix


def _frequencies(width: int) -> Float[np.ndarray, "pairs"]:
    if width < 2 or width % 2:
        raise ValueError(f"sinusoidal positions come in pairs; expected an even width, got {width}")
    return 10000.0 ** (-np.arange(0, width, 2) / width)
