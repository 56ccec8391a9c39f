"""The tolerances that several experiments share, each with its reason."""

from __future__ import annotations

from collections.abc import Sequence

from measured.terms.measurement import AtMost, Close, Exact, Spread

COUNT = Exact("a count: the same on every machine")
EXACT_ZERO = Exact("zero to the last bit is what is claimed")
ARITHMETIC = Close("arithmetic in double precision: only the last digits depend on the machine", rtol=1e-9)
SAMPLED = Close(
    "the seed fixes the draws; the order of summation depends on the CPU, far below the digits shown",
    rtol=1e-4,
)
FLOAT32_ROUNDING = AtMost(
    "float32 rounding, at most eight units in the last place of one: its size is the claim, its digits "
    "depend on the machine",
    bound=2.0**-20,
)
FLOAT64_ROUNDING = AtMost(
    "float64 rounding, at most 32 units in the last place of one: its size is the claim, its digits depend "
    "on the machine",
    bound=2.0**-47,
)


def trained_to_solve(seeds: Sequence[int]) -> Spread:
    """For accuracies of a task with two answers that a training either solves or does not."""
    return Spread(
        "three standard errors over seeds, and never less than one seed that flips between chance and "
        "solved: near its horizon a training tips over on rounding",
        k=3,
        floor=1.02 * 0.5 / len(seeds),
    )
