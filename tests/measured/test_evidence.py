"""What so many seeds can carry, against values that are known."""

from __future__ import annotations

import pytest

from measured.terms import evidence


def test_exact_bounds():
    assert evidence.at_least(5, 5) == pytest.approx(0.05 ** (1 / 5))
    assert evidence.at_least(0, 5) == 0
    assert evidence.at_least(19, 20) == pytest.approx(0.7839, abs=1e-4)
    assert evidence.in_words(5, 5).startswith("5 of 5 seeds: at least 0.55")
    with pytest.raises(ValueError, match="6 of 5"):
        evidence.at_least(6, 5)


def test_exact_tests():
    assert evidence.counts_differ((2, 3), (0, 3)) == pytest.approx(0.4)
    assert evidence.groups_differ([3.0, 4.0, 5.0], [0.0, 1.0, 2.0]) == pytest.approx(1 / 20)


def test_an_interval_is_that_of_the_statistic():
    samples = [1.0, 2.0, 3.0, 4.0, 5.0]
    mean, median = (evidence.interval(samples, s) for s in ("mean", "median"))
    assert (mean.low + mean.high) / 2 == pytest.approx(3)
    assert mean.high == pytest.approx(3 + 2.776 * 2.5**0.5 / 5**0.5, abs=1e-3)
    assert (median.low, median.high) == (1, 5)
    assert median.covers == pytest.approx(1 - 2 / 2**5)
    assert evidence.interval(samples, "smallest") is None
    assert evidence.interval(list(range(20)), "median").covers >= 0.95
