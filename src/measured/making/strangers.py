"""Whether the outcome of a repeated run could be one of the outcomes that other seeds gave."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

# Trainings amplify rounding: on another class of CPU a seed is another seed. One number of many may then well
# lie outside of what ten seeds gave. When half of them do, it is no longer the same code.
_MOST = 0.5
_ENOUGH = 3  # seeds that say something of how far apart seeds lie
_ALIKE = 0.1  # of a number's size: where all seeds gave the same one, one near it is no stranger


def strangers(
    outcome: Mapping[str, Any], known: Sequence[Mapping[str, Any]], tolerance: Mapping[str, float]
) -> list[str]:
    """Why an outcome is none of the same kind as the known ones, in words; empty where it may be one.

    Args:
        outcome: the one.
        known: outcomes of the same run from several seeds, at least one.
        tolerance: by how much a number may differ from one that is known, by name.

    Returns:
        Names that only one side has; else, where there are enough seeds and more than half of the numbers lie
        further outside of what is known than that is wide, each of those.
    """
    names = {name for one in known for name in one}
    if names != set(outcome):
        return [f"{name} is on one side alone" for name in sorted(names ^ set(outcome))]
    if len(known) < _ENOUGH:
        return []
    compared = 0
    outside = []
    for name in sorted(names):
        for at, number in _numbers(outcome[name]):
            others = [other for one in known for place, other in _numbers(one[name]) if place == at]
            if not others:
                continue
            compared += 1
            low, high = min(others), max(others)
            beyond = (high - low) + tolerance.get(name, 0.0) + _ALIKE * max(abs(low), abs(high))
            if not low - beyond <= number <= high + beyond:
                outside.append(f"{name} is {number:.6g}, and was {low:.6g} to {high:.6g}")
    return outside if len(outside) > _MOST * compared else []


def _numbers(value: Any, at: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], float]]:
    """The numbers of a value, each with its place; truth values and words are none."""
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _numbers(item, (*at, index))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield at, float(value)
