"""Masks: True means "may attend", and what does not fit says so."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_from_scratch import masks


@given(st.integers(1, 30))
def test_a_causal_mask_allows_the_past_and_the_present(length):
    mask = masks.causal(length)
    assert all(mask[i, j] == (j <= i) for i in range(length) for j in range(length))
    assert masks.share_allowed(mask, length) == pytest.approx((length + 1) / (2 * length))


def test_a_padding_mask_removes_keys_and_no_query():
    mask = masks.padding(np.array([[True, True, False], [True, False, False]]))
    assert mask.shape == (2, 1, 3)
    assert masks.share_allowed(mask[0], 3) == pytest.approx(2 / 3)


@given(st.lists(st.lists(st.booleans(), min_size=4, max_size=4), min_size=1, max_size=4))
def test_combined_masks_allow_what_each_of_them_allows(rows):
    given_masks = [np.array(row)[np.newaxis] for row in rows]
    combined = masks.combine(*given_masks, masks.causal(4))
    expected = masks.causal(4).copy()
    for row in rows:
        expected &= np.array(row)
    assert np.array_equal(combined, expected)


def test_left_padding_under_a_causal_mask_leaves_empty_rows():
    left = masks.combine(masks.causal(5), masks.padding(np.array([False, False, True, True, True])))
    right = masks.combine(masks.causal(5), masks.padding(np.array([True, True, True, False, False])))
    assert (masks.empty_rows(left), masks.empty_rows(right)) == (2, 0)


def test_masks_that_do_not_fit_each_other_name_both_shapes():
    with pytest.raises(ValueError, match=r"\(4, 4\).*\(1, 5\)"):
        masks.combine(masks.causal(4), masks.padding(np.ones(5, bool)))


def test_numbers_are_no_mask():
    with pytest.raises(TypeError, match="int"):
        masks.combine(np.ones((2, 2), int))
    with pytest.raises(TypeError, match="int"):
        masks.padding(np.array([1, 1, 0]))


def test_nothing_to_combine_and_no_length_are_refused():
    with pytest.raises(ValueError, match="at least one"):
        masks.combine()
    with pytest.raises(ValueError, match="got 0"):
        masks.causal(0)
