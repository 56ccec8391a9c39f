"""The six lines: what they compute, what they keep, what they refuse."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from attention_from_scratch import masks
from attention_from_scratch.attention import attention, softmax

ROWS = arrays.arrays(
    np.float64,
    arrays.array_shapes(min_dims=1, max_dims=3, max_side=6),
    elements=st.floats(-700, 700, allow_nan=False),
)


def drawn(seed=0, batch=(), queries=3, keys=5, key_dim=4, value_dim=2, dtype=np.float64):
    generator = np.random.default_rng(seed)
    shapes = ((queries, key_dim), (keys, key_dim), (keys, value_dim))
    return tuple(generator.standard_normal((*batch, *shape)).astype(dtype) for shape in shapes)


@given(ROWS)
def test_a_row_of_weights_is_positive_and_sums_to_one(scores):
    weights = softmax(scores)
    assert (weights >= 0).all()
    np.testing.assert_allclose(weights.sum(axis=-1), 1, rtol=1e-12)


@given(ROWS, st.floats(-1e6, 1e6))
def test_adding_the_same_number_to_every_score_changes_no_weight(scores, shift):
    np.testing.assert_allclose(softmax(scores + shift), softmax(scores), rtol=1e-6, atol=1e-9)


def test_scores_of_a_thousand_do_not_overflow():
    assert softmax(np.array([1000.0, 1000.0])).tolist() == [0.5, 0.5]


@pytest.mark.parametrize("batch", [(), (2,), (2, 3)])
def test_attention_is_the_formula_row_by_row_whatever_the_batch(batch):
    query, key, value = drawn(batch=batch)
    output, weights = attention(query, key, value)
    for at in np.ndindex(*batch, 3):
        item = at[:-1]
        exponentials = np.exp([query[at] @ k / 2.0 for k in key[item]])  # key_dim 4: divide by 2
        expected = exponentials / exponentials.sum()
        np.testing.assert_allclose(weights[at], expected, rtol=1e-12)
        np.testing.assert_allclose(output[at], sum(w * v for w, v in zip(expected, value[item], strict=True)))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_the_dtype_is_kept(dtype):
    output, weights = attention(*drawn(dtype=dtype))
    assert output.dtype == weights.dtype == dtype


@given(st.integers(0, 2**32 - 1))
def test_blocked_keys_get_exactly_nothing(seed):
    query, key, value = drawn(seed)
    mask = np.random.default_rng(seed).random((3, 5)) < 0.5
    mask[:, 0] = True
    output, weights = attention(query, key, value, mask)
    assert (weights[~mask] == 0).all()
    for row in range(3):  # the same as if the blocked keys were not there
        alone, _ = attention(query[row : row + 1], key[mask[row]], value[mask[row]])
        np.testing.assert_allclose(output[row], alone[0], rtol=1e-9)


@given(st.integers(0, 2**32 - 1), st.integers(1, 5))
def test_a_future_token_changes_no_earlier_output_by_one_bit(seed, changed):
    generator = np.random.default_rng(seed)
    tokens = generator.standard_normal((6, 4))
    other = tokens.copy()
    other[changed:] = generator.standard_normal((6 - changed, 4))
    before, after = (attention(t, t, t, masks.causal(6))[0] for t in (tokens, other))
    assert np.array_equal(before[:changed], after[:changed])
    assert not np.array_equal(before[changed:], after[changed:])


def test_a_mask_that_does_not_fit_is_refused_and_both_shapes_are_named():
    with pytest.raises(ValueError, match=r"\(5, 3\).*\(3, 5\)"):
        attention(*drawn(), mask=np.ones((5, 3), bool))


def test_a_mask_larger_than_the_scores_is_refused():
    with pytest.raises(ValueError, match=r"\(2, 3, 5\).*\(3, 5\)"):
        attention(*drawn(), mask=np.ones((2, 3, 5), bool))


def test_an_additive_mask_is_refused_rather_than_read_the_wrong_way_round():
    with pytest.raises(TypeError, match="float64.*bool"):
        attention(*drawn(), mask=np.where(np.ones((3, 5), bool), 0.0, -1e9))


def test_one_mask_serves_a_whole_batch():
    query, key, value = drawn(batch=(2,))
    mask = masks.padding(np.array([True, True, True, False, False]))
    assert (attention(query, key, value, mask)[1][..., 3:] == 0).all()
