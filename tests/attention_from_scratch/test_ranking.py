"""Areas under the curve: counted pair by pair, and resampled."""

import numpy as np
import pytest

from attention_from_scratch import ranking


def counted(scores, right):
    pairs = [(r > w) + (r == w) / 2 for r in scores[right] for w in scores[~right]]
    return np.mean(pairs)


@pytest.mark.parametrize("ties", [False, True])
def test_the_area_is_the_share_of_pairs_in_order(ties):
    generator = np.random.default_rng(0)
    scores, right = generator.normal(size=60), generator.random(60) < 0.7
    scores = np.round(2 * scores) if ties else scores + right
    assert ranking.auc(scores, right) == pytest.approx(counted(scores, right))
    assert ranking.auc(-scores, right) == pytest.approx(1 - counted(scores, right))


def test_counts_stand_for_copies():
    generator = np.random.default_rng(1)
    scores, right = generator.integers(0, 9, 40), generator.random(40) < 0.5
    counts = ranking.resampled(40, 3, generator)
    np.testing.assert_array_equal(counts.sum(axis=1), 40)
    copied = [ranking.auc(np.repeat(scores, n), np.repeat(right, n)) for n in counts.astype(int)]
    np.testing.assert_allclose(ranking.weighted_auc(scores, right, counts), copied)


@pytest.mark.parametrize("right", [np.ones(3, bool), np.zeros(3, bool)])
def test_an_area_needs_right_and_wrong_answers(right):
    with pytest.raises(ValueError, match="needs both kinds"):
        ranking.auc(np.arange(3), right)


def test_an_interval_holds_the_middle():
    assert ranking.interval(np.arange(101), 0.9) == pytest.approx((5, 95))


def test_the_ridge_rule_finds_a_planted_feature_and_nothing_in_noise():
    generator = np.random.default_rng(2)
    features, right = generator.normal(size=(600, 20)), generator.random(600) < 0.9
    features[:, 7] += 2 * right
    seen = np.arange(600) < 300
    learned = ranking.RidgeRule(features[seen], right[seen], penalty=0.1)
    assert ranking.auc(learned(features[~seen]), right[~seen]) > 0.85
    noise = np.delete(features, 7, axis=1)
    nothing = ranking.RidgeRule(noise[seen], right[seen], penalty=0.1)
    assert ranking.auc(nothing(noise[~seen]), right[~seen]) < 0.65
