"""A die."""

import numpy as np

SIDES = 6


def throw(draws, seed):
    """So many throws."""
    return np.random.default_rng(seed).integers(1, SIDES + 1, draws)
