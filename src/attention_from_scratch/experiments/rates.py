"""How a learning rate is chosen, in the same way for each model that is compared.

A few rates are tried from a seed that is not reported. Where the best is the highest or the lowest of them,
the next one on the ladder is tried, too, as long as it is better: a best rate at the edge of what was tried
says nothing about how good the model can be.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

LADDER = (1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1)
FIRST = LADDER[2:5]

Merit = Callable[[float], Any]


def rates_tried(merit: Merit, first: Sequence[float] = FIRST) -> list[float]:
    """The rates that a model is tried with, as far as they can be named; in rising order.

    Args:
        merit: of a rate whose trial has been made, the larger the better; None of one that has not.
        first: those that any model is tried with, neighbours on the ladder.
    """
    rates = list(first)
    while all(merit(rate) is not None for rate in rates):
        best = LADDER.index(best_rate(merit, rates))
        beside = best + {rates[0]: -1, rates[-1]: +1}.get(LADDER[best], 0)
        if beside == best or not 0 <= beside < len(LADDER):
            break
        rates = sorted([*rates, LADDER[beside]])
    return rates


def best_rate(merit: Merit, rates: Sequence[float]) -> float:
    """The best of the rates tried; of equals the lowest."""
    return max(rates, key=lambda rate: (merit(rate), -rate))


def chosen_rate(merit: Merit, first: Sequence[float] = FIRST) -> float | None:
    """The best rate once every trial that the rule asks for has been made, and None before."""
    rates = rates_tried(merit, first)
    return best_rate(merit, rates) if all(merit(rate) is not None for rate in rates) else None
