"""Multi-head attention: one head is attention, heads do not see each other, counts are exact."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_from_scratch.attention import attention
from attention_from_scratch.heads import Projections, cost, multi_head_attention, parameters


def layer(heads=2, key_dim=3, d_model=6, seed=0):
    return Projections.random(np.random.default_rng(seed), d_model, heads, key_dim)


def tokens(length=5, d_model=6, seed=1, batch=()):
    return np.random.default_rng(seed).standard_normal((*batch, length, d_model))


def test_one_head_with_identity_projections_is_the_six_lines():
    eye, none = np.eye(6)[:, np.newaxis, :], np.zeros((1, 6))
    same = Projections(eye, none, eye, none, eye, none, np.eye(6)[np.newaxis], np.zeros(6))
    x = tokens()
    output, scores = multi_head_attention(x, x, x, same)
    expected, weights = attention(x, x, x)
    np.testing.assert_allclose(output, expected)
    np.testing.assert_allclose(scores[0], weights)


def test_heads_are_independent_and_their_outputs_add_up():
    weights, x = layer(), tokens(batch=(2,))
    silenced = [weights.output_kernel * (np.arange(2) == head)[:, np.newaxis, np.newaxis] for head in (0, 1)]
    parts = [multi_head_attention(x, x, x, replace(weights, output_kernel=kernel))[0] for kernel in silenced]
    np.testing.assert_allclose(multi_head_attention(x, x, x, weights)[0], sum(parts))


def test_cross_attention_has_scores_of_queries_by_keys_for_each_head():
    output, scores = multi_head_attention(tokens(4), tokens(7), tokens(7), layer())
    assert output.shape == (4, 6)
    assert scores.shape == (2, 4, 7)


def test_biases_reach_the_output():
    weights, x = layer(), tokens()
    moved = replace(weights, output_bias=np.ones(6))
    difference = multi_head_attention(x, x, x, moved)[0] - multi_head_attention(x, x, x, weights)[0]
    np.testing.assert_allclose(difference, 1)


def test_the_mask_is_the_same_for_every_head_and_each_item_has_its_own():
    x = tokens(batch=(2,))
    mask = np.ones((2, 1, 5), bool)
    mask[0, :, 3:] = False
    scores = multi_head_attention(x, x, x, layer(), mask)[1]
    assert (scores[0, :, :, 3:] == 0).all()
    assert (scores[1] > 0).all()


def test_shuffled_tokens_give_shuffled_outputs():
    x, order = tokens(), np.array([3, 0, 4, 1, 2])
    plain, shuffled = (multi_head_attention(t, t, t, layer())[0] for t in (x, x[order]))
    np.testing.assert_allclose(shuffled, plain[order], rtol=1e-12)


def test_a_kernel_that_is_no_kernel_is_refused_with_its_shape():
    with pytest.raises(ValueError, match=r"query kernel has shape \(6, 6\)"):
        replace(layer(), query_kernel=np.eye(6))
    with pytest.raises(ValueError, match="got 4 arrays"):
        Projections.of([np.zeros(1)] * 4)


@given(st.integers(1, 8), st.integers(1, 8), st.integers(1, 16))
def test_parameters_are_the_number_of_weights_there_are(heads, key_dim, d_model):
    weights = Projections.random(np.random.default_rng(0), d_model, heads, key_dim)
    assert parameters(d_model, heads, key_dim) == sum(array.size for array in vars(weights).values())


def test_parameters_do_not_depend_on_a_split_that_keeps_the_width():
    assert {parameters(64, h, 64 // h) for h in (1, 2, 4, 8, 16)} == {16_640}
    assert parameters(64, 4, 64) == 66_368


def test_costs_are_counted():
    counted = cost(length=2, d_model=3, num_heads=5, key_dim=7, itemsize=4)
    assert counted.projection_multiply_adds == 4 * 2 * 3 * 35
    assert counted.pair_multiply_adds == 2 * 2 * 2 * 35
    assert counted.score_bytes == 2 * 2 * 5 * 4


@pytest.mark.parametrize("share", [0.0, 0.1, 0.37, 0.5, 0.8, 1.0])
def test_one_head_loses_half_whatever_its_share(share):
    from attention_from_scratch.experiments.heads import unexplained

    generator = np.random.default_rng(0)
    first, second = generator.standard_normal((2, 100_000, 2))
    wanted = np.stack([first[:, 0], second[:, 1]], axis=-1)
    explained = (share**2 + (1 - share) ** 2) / (share**2 + (1 - share) ** 2) / 2
    assert unexplained(share * first + (1 - share) * second, wanted) == pytest.approx(
        1 - explained, abs=0.005
    )


def test_two_channels_are_enough_for_as_many_sharp_lookups_as_wanted():
    from attention_from_scratch.experiments.heads import on_a_circle

    assert on_a_circle(64, 1) < 0.05
    assert on_a_circle(64, 1_000) > 0.98


def test_the_token_before_needs_large_scores():
    from attention_from_scratch.experiments.heads import weight_before

    assert weight_before(12, 32, 1) < 0.2
    assert weight_before(12, 32, 100) > 0.99
