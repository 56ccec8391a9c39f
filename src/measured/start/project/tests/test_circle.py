"""The ideas, without the site."""

from subject_package.circle import estimate_pi


def test_an_estimate_is_the_same_from_the_same_seed_and_lies_near_pi():
    assert estimate_pi(1_000, 0) == estimate_pi(1_000, 0) != estimate_pi(1_000, 1)
    assert abs(estimate_pi(100_000, 0) - 3.1416) < 0.05
