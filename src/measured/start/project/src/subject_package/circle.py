"""The ratio of a circle to the square around it, from points that fall anywhere."""

import numpy as np


def estimate_pi(points: int, seed: int) -> float:
    """Four times the share of random points of the unit square that lie within a quarter of a circle.

    Args:
        points: how many of them.
        seed: of their places.
    """
    x, y = np.random.default_rng(seed).random((2, points))
    return float(4 * np.mean(x**2 + y**2 < 1))
