"""The trials that chose a learning rate, as a table: rates tried, what each gave, which was taken."""

from __future__ import annotations

from collections.abc import Mapping

from attention_from_scratch.experiments.rates import LADDER
from measured.terms.experiment import Cell, Table


def place_of(rate: float) -> int:
    """Where a rate stands on the ladder, from 1: ids name it by that."""
    return 1 + LADDER.index(rate)


def trials_table(
    name: str, corner: str, tried: Mapping[str, Mapping[float, Cell]], chosen: Mapping[str, Cell]
) -> Table:
    """A row for each model, a column for each rate that any of them was tried with, and the rate chosen.

    Args:
        name: dotted name of the table.
        corner: heading of the labels.
        tried: by label, what the trial of each rate gave.
        chosen: by label, the rate.
    """
    rates = sorted({rate for cells in tried.values() for rate in cells})
    return Table(
        name,
        (corner, *(f"rate {rate:g}" for rate in rates), "chosen"),
        tuple(
            (label, *(cells.get(rate, "not tried") for rate in rates), chosen[label])
            for label, cells in tried.items()
        ),
    )
