"""How the samples of several seeds become one value, and the standard error that such a value has."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import stdev

import numpy as np


@dataclass(frozen=True)
class Statistic:
    """One way to sum samples up.

    Args:
        of: samples in, one value out.
        standard_error: of that value, from at least two samples; None where it has none.
    """

    of: Callable[[Sequence[float]], float]
    standard_error: Callable[[Sequence[float]], float] | None = None


def error_of_mean(samples: Sequence[float]) -> float:
    """The standard deviation of the samples over the root of their number."""
    return stdev(samples) / math.sqrt(len(samples))


def error_of_median(samples: Sequence[float]) -> float:
    """The bootstrap's standard error of the median, exactly: over all resamples with replacement.

    Counted rather than drawn (Hutson and Ernst 2000), so that it is the same each time. Multiplied by
    √(n / (n − 1)), as the standard deviation of a sample is, so that with two samples, where median and
    mean are the same, their errors are the same too.

    Args:
        samples: at least two.
    """
    ordered, n = np.sort(np.asarray(samples, float)), len(samples)
    rank = (n + 1) // 2  # of the sample in the middle, or of the lower of the two in the middle
    share = np.arange(n + 1) / n
    reached = sum(
        math.comb(n, count) * share**count * (1 - share) ** (n - count) for count in range(rank, n + 1)
    )
    middle = np.diff(reached)  # the probability that the sample of that rank is the i-th of the ordered ones
    joint = np.diag(middle)
    if n % 2 == 0:  # the i-th is the lower one of the middle, the j-th the upper one
        half = np.diff(share**rank)
        apart = np.triu(math.comb(n, rank) * np.outer(half, half[::-1]), k=1)
        joint = apart + np.diag(middle - apart.sum(axis=1))
    medians = (ordered[:, np.newaxis] + ordered) / 2
    mean = (joint * medians).sum()
    variance = (joint * (medians - mean) ** 2).sum()
    return math.sqrt(variance * n / (n - 1))


STATISTICS: Mapping[str, Statistic] = {
    "mean": Statistic(np.mean, error_of_mean),
    "median": Statistic(np.median, error_of_median),
    "smallest": Statistic(np.min),
    "largest": Statistic(np.max),
}
