"""Online softmax: the six lines, block by block."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_from_scratch import masks
from attention_from_scratch.attention import attention
from attention_from_scratch.online import online_attention


def drawn(queries, keys, seed, scale=1.0):
    generator = np.random.default_rng(seed)
    return tuple(scale * generator.standard_normal(s) for s in ((queries, 4), (keys, 4), (keys, 3)))


@given(
    st.integers(1, 6), st.integers(1, 12), st.integers(1, 14), st.integers(0, 99), st.sampled_from([1, 30])
)
def test_any_block_size_gives_the_same_output(queries, keys, block, seed, scale):
    query, key, value = drawn(queries, keys, seed, scale)
    mask = np.random.default_rng(seed).random((queries, keys)) < 0.6
    mask[np.arange(queries), np.random.default_rng(seed).integers(keys, size=queries)] = True
    expected, _ = attention(query, key, value, mask)
    np.testing.assert_allclose(online_attention(query, key, value, mask, block=block), expected, atol=1e-10)


def test_blocks_that_are_wholly_blocked_do_no_harm():
    query, key, value = drawn(8, 8, 0)
    expected, _ = attention(query, key, value, masks.causal(8))
    np.testing.assert_allclose(online_attention(query, key, value, masks.causal(8), block=2), expected)


def test_an_empty_row_gives_zeros_and_no_nan():
    query, key, value = drawn(2, 6, 0)
    mask = np.array([[False], [True]]) & np.ones((2, 6), bool)
    output = online_attention(query, key, value, mask, block=4)
    assert not output[0].any()
    np.testing.assert_allclose(output[1], attention(query, key, value)[0][1])


def test_float32_stays_float32():
    query, key, value = (array.astype(np.float32) for array in drawn(3, 5, 0))
    assert online_attention(query, key, value, block=2).dtype == np.float32


def test_what_does_not_fit_is_refused():
    query, key, value = drawn(3, 5, 0)
    with pytest.raises(ValueError, match=r"\(5, 3\).*\(3, 5\)"):
        online_attention(query, key, value, np.ones((5, 3), bool))
    with pytest.raises(ValueError, match="got 0"):
        online_attention(query, key, value, block=0)
