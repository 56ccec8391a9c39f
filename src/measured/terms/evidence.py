"""What so many seeds can carry: exact bounds and tests, and an interval for each statistic.

"Every seed" of five says little: a model that succeeds from two starts in three would do as well one time in
eight. These functions say how little, without assuming a shape of what the seeds gave.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, islice

import numpy as np

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Interval:
    """Where a statistic lies.

    Args:
        low: its lower end.
        high: its upper end.
        of: the statistic, in words.
        covers: the probability with which such an interval holds the true value.
    """

    low: float
    high: float
    of: str
    covers: float

    def in_words(self) -> str:
        """`mean from 0.91 to 0.97 at 95%`."""
        return f"{self.of} from {self.low:.3g} to {self.high:.3g} at {self.covers:.0%}"


def at_least(held: int, of: int, confidence: float = CONFIDENCE) -> float:
    """The smallest share of all seeds that is still likely, given that `held` of `of` seeds did.

    The exact binomial (Clopper and Pearson 1934), one-sided: 5 of 5 is at least 0.55 at 95%.

    Raises:
        ValueError: no seed, or more that held than there are.
    """
    from scipy.special import betaincinv  # scipy.stats takes seconds to import

    if not 0 <= held <= of or of < 1:
        raise ValueError(f"{held} of {of} seeds")
    return 0.0 if held == 0 else float(betaincinv(held, of - held + 1, 1 - confidence))


def in_words(held: int, of: int) -> str:
    """`5 of 5 seeds: at least 0.55 of all seeds, at 95%`, rounded down."""
    bound = math.floor(100 * at_least(held, of) + 0.5) / 100
    return f"{held} of {of} seeds: at least {bound:.2f} of all seeds, at {CONFIDENCE:.0%}"


def interval(samples: Sequence[float], statistic: str, confidence: float = CONFIDENCE) -> Interval | None:
    """The interval of the statistic that was reported, and of no other.

    A mean gets Student's, a median the narrowest pair of ordered samples around it that covers it often
    enough (with few seeds all of them: then `covers` says how often that is), an extreme has none.
    """
    from scipy.special import bdtr, stdtrit

    n = len(samples)
    if n < 2 or statistic not in ("mean", "median"):
        return None
    ordered = sorted(samples)
    if statistic == "mean":
        half = stdtrit(n - 1, (1 + confidence) / 2) * np.std(ordered, ddof=1) / math.sqrt(n)
        middle = float(np.mean(ordered))
        return Interval(middle - half, middle + half, "mean", confidence)
    cut = max((k for k in range(n // 2) if 1 - 2 * bdtr(k, n, 0.5) >= confidence), default=0)
    return Interval(ordered[cut], ordered[n - 1 - cut], "median", float(1 - 2 * bdtr(cut, n, 0.5)))


def counts_differ(one: tuple[int, int], other: tuple[int, int]) -> float:
    """Fisher's exact test: how likely counts as far apart are, if the two ways were the same.

    Args:
        one: how many seeds of one way did, and how many there are.
        other: the same of the other way.
    """
    from scipy.stats import fisher_exact

    return float(fisher_exact([[h, n - h] for h, n in (one, other)]).pvalue)


def groups_differ(larger: Sequence[float], smaller: Sequence[float]) -> float:
    """The exact permutation test, one-sided: how many relabellings have means as far apart."""
    pool, count = [*larger, *smaller], len(larger)
    total, truth = sum(pool), np.mean(larger) - np.mean(smaller)
    drawn = islice(combinations(range(len(pool)), count), 100_000)
    sums = np.array([sum(pool[i] for i in chosen) for chosen in drawn])
    differences = sums / count - (total - sums) / len(smaller)
    return float(np.mean(differences >= truth - 1e-12))
