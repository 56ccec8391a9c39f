"""Sinusoidal positions: the formula, and the rotation that moves them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_from_scratch.positions import shift, sinusoidal


def test_the_formula_entry_by_entry():
    table = sinusoidal(7, 6)
    for p in range(7):
        for i in range(3):
            angle = p / 10000 ** (2 * i / 6)
            assert table[p, 2 * i] == pytest.approx(math.sin(angle))
            assert table[p, 2 * i + 1] == pytest.approx(math.cos(angle))


@given(st.integers(-20, 20), st.sampled_from([2, 8, 32]))
def test_one_matrix_moves_every_position_by_the_same_offset(offset, width):
    table = sinusoidal(60, width)
    moved = table[20:40] @ shift(offset, width).T
    np.testing.assert_allclose(moved, table[20 + offset : 40 + offset], atol=1e-12)


@pytest.mark.parametrize("width", [0, -2, 5])
def test_a_width_without_pairs_is_refused(width):
    with pytest.raises(ValueError, match=f"got {width}"):
        sinusoidal(3, width)
