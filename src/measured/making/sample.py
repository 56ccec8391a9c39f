"""A few of many things that a build makes once more: which, their names decide, and how long they take."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from measured import files

Thing = TypeVar("Thing")


def sample(
    things: Iterable[Thing],
    name: Callable[[Thing], str],
    seconds: Callable[[Thing], float],
    count: int,
    together: float,
) -> list[Thing]:
    """Draw things by the hashes of their names; what takes too long beside those before it is passed over.

    Args:
        things: to draw from, in any order.
        name: of one, with all that is to decide whether it is drawn.
        seconds: that one takes.
        count: of those that are drawn, at most.
        together: seconds that they may take in all.
    """
    chosen: list[Thing] = []
    for thing in sorted(things, key=lambda one: files.sha256(name(one).encode())):
        if len(chosen) < count and seconds(thing) <= together:
            chosen.append(thing)
            together -= seconds(thing)
    return chosen
