"""How well a number tells right answers from wrong ones, and how sure one can be of that."""

from __future__ import annotations

import numpy as np
from jaxtyping import Bool, Float


def auc(scores: Float[np.ndarray, " answers"], right: Bool[np.ndarray, " answers"]) -> float:
    """The area under the ROC curve: how often a right answer has the larger number, ties counting half.

    0.5 is what a coin gets, 1 a number that tells all.

    Raises:
        ValueError: there are no right answers, or no wrong ones.
    """
    return float(weighted_auc(scores, right, np.ones((1, len(scores))))[0])


def weighted_auc(
    scores: Float[np.ndarray, " answers"],
    right: Bool[np.ndarray, " answers"],
    counts: Float[np.ndarray, "draws answers"],
) -> Float[np.ndarray, " draws"]:
    """The same, where each answer occurs so many times: one area for each row of counts.

    Raises:
        ValueError: there are no right answers, or no wrong ones.
    """
    if right.all() or not right.any():
        raise ValueError(f"{right.sum()} of {len(right)} answers are right; an area needs both kinds")
    order = np.argsort(scores, kind="stable")
    _, groups = np.unique(scores[order], return_inverse=True)
    starts = np.flatnonzero(np.diff(groups, prepend=-1))
    of = [np.add.reduceat(counts[:, order] * kind[order], starts, axis=1) for kind in (right, ~right)]
    below = np.cumsum(of[1], axis=1) - of[1] / 2
    with np.errstate(invalid="ignore"):
        return (of[0] * below).sum(axis=1) / (of[0].sum(axis=1) * of[1].sum(axis=1))


def resampled(count: int, draws: int, generator: np.random.Generator) -> Float[np.ndarray, "draws count"]:
    """How often each of so many occurs in samples drawn with replacement (Efron 1979)."""
    return generator.multinomial(count, np.full(count, 1 / count), size=draws).astype(float)


def interval(values: np.ndarray, level: float) -> tuple[float, float]:
    """The middle part of resampled values that holds `level` of them."""
    low, high = np.nanquantile(values, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


class RidgeRule:
    """A linear rule that tells right from wrong, by least squares with a penalty.

    Both kinds weigh alike, however many there are of each.

    Args:
        features: of the answers to learn from.
        right: which of them are right.
        penalty: on the squared slopes of standardised features, for each answer.
    """

    def __init__(
        self,
        features: Float[np.ndarray, "answers features"],
        right: Bool[np.ndarray, " answers"],
        penalty: float,
    ) -> None:
        weight = np.where(right, 0.5 / right.sum(), 0.5 / (~right).sum())[:, np.newaxis]
        self.mean = (weight * features).sum(axis=0)
        self.scale = np.sqrt((weight * (features - self.mean) ** 2).sum(axis=0)) + 1e-9
        x = (features - self.mean) / self.scale
        target = np.where(right, 1.0, -1.0)
        self.slopes = np.linalg.solve(
            (weight * x).T @ x + penalty * np.eye(x.shape[1]), (weight * x).T @ target
        )

    def __call__(self, features: Float[np.ndarray, "answers features"]) -> Float[np.ndarray, " answers"]:
        """The larger, the more likely right."""
        return (features - self.mean) / self.scale @ self.slopes
