"""Accept a drift: show old, new, change and why it was outside; write the stored files when told to."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rich.console import Console
from rich.table import Table

from measured import files, gate
from measured.errors import MeasuredError
from measured.project import Project
from measured.record import Record
from measured.stored import Expectation, dump, read_all


def accept(project: Project, confirm: Callable[[], bool]) -> int:
    """Show every drift and, if `confirm` says so, store what was measured.

    Returns:
        How many drifts there were; nothing is written where it is 0 or where `confirm` declines.

    Raises:
        MeasuredError: there is no record, or a record is a quick one.
    """
    records = project.read_records()
    if not records:
        raise MeasuredError("there is no record to accept", mend="run: nox -s build")
    found = gate.compare_all(records, read_all(project.stored))
    if any(drift.kind == "quick" for drifts in found.values() for drift in drifts):
        raise MeasuredError("a quick record cannot be accepted", mend="run: nox -s build, without --quick")
    show(found)
    if found and confirm():
        store(project, records, found)
    return sum(map(len, found.values()))


def show(found: Mapping[str, list[gate.Drift]]) -> None:
    """Print drift as one table an experiment."""
    console = Console(width=140)
    for experiment, drifts in found.items():
        table = Table(title=experiment, title_justify="left", show_lines=False)
        for heading in ("id", "stored", "measured", "change", "÷ tolerance", "why"):
            table.add_column(
                heading, overflow="fold", justify="left" if heading in ("id", "why") else "right"
            )
        for d in drifts:
            change = "" if d.change is None else f"{d.change:+.4g}"
            ratio = "" if d.ratio is None else f"{d.ratio:.1f}"
            table.add_row(d.id, d.stored, d.measured, change, ratio, f"{d.kind}: {d.reason}")
        console.print(table)
    if not found:
        console.print("nothing to accept: every record stands where it stood")


def store(project: Project, records: Mapping[str, Record], found: Mapping[str, list[gate.Drift]]) -> None:
    """Write the stored file of each experiment that drifted; remove those that nothing measures."""
    for name in found:
        path = project.stored / f"{name}.yml"
        if name in records:
            measured = records[name].measurements.values()
            files.write_text(path, dump({m.id: Expectation.of(m) for m in measured}))
        else:
            path.unlink()
