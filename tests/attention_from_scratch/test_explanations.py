"""Maps of what mattered: against a second implementation, or where the answer is known exactly."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from attention_from_scratch import explanations
from attention_from_scratch.experiments.explanation_weights import least_weight

GENERATOR = np.random.default_rng(0)
IMAGES, PATCHES, PIXELS, CLASSES = 5, 6, 4, 3
PATCHES_SHOWN = GENERATOR.normal(size=(IMAGES, PATCHES, PIXELS))
SLOPES = GENERATOR.normal(size=(PATCHES, PIXELS, CLASSES))
MEAN = GENERATOR.normal(size=(PATCHES, PIXELS))
ASKED = np.array([0, 1, 2, 1, 0])


def linear_lead(patches, classes):
    scores = np.einsum("npi,pic->nc", patches, SLOPES)
    return scores[np.arange(len(classes)), classes] - scores.mean(axis=1)


def slopes_of(classes):
    return np.moveaxis(SLOPES[..., classes] - SLOPES.mean(axis=2, keepdims=True), -1, 0)


def rows(generator, *shape):
    weights = generator.random(shape)
    return weights / weights.sum(axis=-1, keepdims=True)


def test_gradient_times_input_is_what_covering_finds_in_a_linear_model():
    covered = explanations.covering(linear_lead, PATCHES_SHOWN, ASKED, MEAN)
    product = explanations.gradient_times_input(slopes_of(ASKED), PATCHES_SHOWN, MEAN)
    np.testing.assert_allclose(product, covered, atol=1e-12)


def test_integrated_gradients_of_a_square_sum_to_what_the_lead_gained():
    """The gradient of x² averaged over the middles of steps is exact: it is linear on the way."""
    steps = (np.arange(4) + 0.5) / 4
    gradients = np.mean([2 * (MEAN + s * (PATCHES_SHOWN - MEAN)) for s in steps], axis=0)
    maps = explanations.gradient_times_input(gradients, PATCHES_SHOWN, MEAN)
    gained = (PATCHES_SHOWN**2 - MEAN**2).sum(axis=2)
    np.testing.assert_allclose(maps, gained, atol=1e-12)
    at_the_end = explanations.gradient_times_input(2 * PATCHES_SHOWN, PATCHES_SHOWN, MEAN)
    assert np.abs(at_the_end - gained).max() > 0.1


def test_covering_names_a_planted_cause():
    places = np.array([3, 0, 5, 1, 2])
    shown = np.zeros((IMAGES, PATCHES, PIXELS))
    shown[np.arange(IMAGES), places] = 1
    found = explanations.covering(
        lambda patches, _: (patches.sum(axis=2) == PIXELS).any(axis=1).astype(float),
        shown,
        ASKED,
        np.zeros((PATCHES, PIXELS)),
    )
    np.testing.assert_array_equal(found.argmax(axis=1), places)
    np.testing.assert_array_equal(np.sort(found, axis=1)[:, :-1], 0)


def test_rollout_agrees_with_whole_matrices_multiplied_one_by_one():
    generator = np.random.default_rng(1)
    tokens, heads = PATCHES + 1, 3
    first, second = (
        rows(generator, IMAGES, heads, tokens, tokens),
        rows(generator, IMAGES, heads, tokens, tokens),
    )
    found = explanations.rollout([first, second[:, :, :1]], PATCHES)
    for image in range(IMAGES):
        rolled = np.eye(tokens)
        for block in (first, second):
            mixed = np.zeros((tokens, tokens))
            for head in range(heads):
                mixed += block[image, head] / heads
            mixed += np.eye(tokens)
            rolled = (mixed / mixed.sum(axis=1, keepdims=True)) @ rolled
        np.testing.assert_allclose(found[image], rolled[0, 1:], atol=1e-12)


def test_rollout_of_attention_to_oneself_names_no_patch():
    itself = np.broadcast_to(np.eye(PATCHES + 1), (1, 2, PATCHES + 1, PATCHES + 1))
    np.testing.assert_array_equal(explanations.rollout([itself, itself[:, :, :1]], PATCHES), 0)


def test_a_patch_with_all_the_weight_and_no_value_adds_nothing():
    attention = np.full((1, 1, 1, PATCHES + 1), 0.1)
    attention[..., 2] = 0.9
    projected = np.ones((1, 1, PATCHES + 1, 4))
    projected[:, :, 2] = 0
    raw = explanations.raw_weights([attention], PATCHES)
    by_length = explanations.norm_weighted([attention], projected, PATCHES)
    assert raw.argmax() == 1
    assert by_length[0, 1] == 0
    np.testing.assert_allclose(np.delete(by_length[0], 1), 0.1 * 2)


@pytest.mark.parametrize("ties", [False, True])
def test_the_rank_correlation_is_that_of_scipy(ties):
    generator = np.random.default_rng(2)
    one, other = generator.random((2, 20, PATCHES))
    if ties:
        one, other = np.round(3 * one), np.round(3 * other)
    expected = [spearmanr(a, b).statistic for a, b in zip(one, other, strict=True)]
    np.testing.assert_allclose(explanations.rank_correlation(one, other), np.nan_to_num(expected), atol=1e-12)


def test_a_map_without_order_correlates_with_nothing():
    assert explanations.rank_correlation(np.ones((1, PATCHES)), GENERATOR.random((1, PATCHES))) == 0


def test_curves_cover_the_largest_first_and_end_covered():
    seen = []

    def probability_of(shown, classes):
        seen.append(shown)
        return (shown == 0).all(axis=2).mean(axis=1)  # the share that is covered

    maps = np.array([[1.0, 3.0, 2.0, 3.0, 0.0, -1.0]])
    shown = np.ones((1, PATCHES, PIXELS))
    cover = np.zeros((PATCHES, PIXELS))
    curve = explanations.curves(probability_of, shown, np.array([0]), cover, maps, insert=False)
    np.testing.assert_allclose(curve[0], np.arange(PATCHES + 1) / PATCHES)
    order = [1, 3, 2, 0, 4, 5]  # of equal ones the earlier first
    for step in range(PATCHES + 1):
        covered = (seen[0][step] == 0).all(axis=1)
        assert sorted(np.flatnonzero(covered)) == sorted(order[:step])
    uncovered = explanations.curves(probability_of, shown, np.array([0]), cover, maps, insert=True)
    np.testing.assert_allclose(uncovered[0], 1 - np.arange(PATCHES + 1) / PATCHES)


def test_the_area_of_a_falling_line_is_one_half():
    assert explanations.area(np.linspace(1, 0, 9)) == pytest.approx(0.5)


def test_other_weights_leave_the_output_as_it_was_and_take_what_they_can():
    generator = np.random.default_rng(3)
    own, values = rows(generator, 2, 9), generator.normal(size=(2, 9, 4))
    found = least_weight(own, values, token=4)
    assert found.min() >= 0
    np.testing.assert_allclose(found.sum(axis=1), own.sum(axis=1), atol=1e-9)
    np.testing.assert_allclose(
        np.einsum("ht,htw->w", found, values), np.einsum("ht,htw->w", own, values), atol=1e-9
    )
    assert found[:, 4].sum() < 0.5 * own[:, 4].sum()


def test_weights_that_are_determined_have_no_others():
    own = np.array([[0.2, 0.5, 0.3]])
    found = least_weight(own, np.eye(3)[np.newaxis], token=1)
    np.testing.assert_allclose(found, own, atol=1e-9)
