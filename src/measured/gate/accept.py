"""Accept a drift: show old, new, change, why it was outside, and what rests on it; store it when told to.

What was shown stays behind as Markdown, `build/drift.md`, fit for a pull request. Figures are compared with
the ones that the site last published; both versions of a changed one lie beside it, in `build/drift/`.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from measured import files
from measured.errors import MeasuredError
from measured.gate import compare
from measured.gate.stored import Expectation, dump, read_all
from measured.project import Project
from measured.terms.experiment import Findings
from measured.terms.measurement import Measurement
from measured.terms.record import Record
from measured.weaving import numerals
from measured.weaving.page import scan
from measured.weaving.references import Library

SUMMARY = "drift.md"
HEADINGS = ("id", "stored", "measured", "change", "÷ tolerance", "why", "pages", "claims")


@dataclass(frozen=True)
class Drifted:
    """Everything that moved, and what rests on it.

    Args:
        found: drift by experiment.
        pages: for each measurement, the pages that show it.
        claims: for each measurement, the claims that read it, with their verdict now.
        figures: changed, new and vanished figures: name, file before, file after.
    """

    found: Mapping[str, list[compare.Drift]]
    pages: Mapping[str, list[str]]
    claims: Mapping[str, list[str]]
    figures: Sequence[tuple[str, Path | None, Path | None]]

    def rows(self, experiment: str) -> list[tuple[str, ...]]:
        """One row a drift, in the order of `HEADINGS`."""
        return [self._row(d) for d in self.found[experiment]]

    def _row(self, d: compare.Drift) -> tuple[str, ...]:
        change = "" if d.change is None else f"{d.change:+.4g}"
        ratio = "" if d.ratio is None else f"{d.ratio:.1f}"
        pages, claims = ", ".join(self.pages.get(d.id, [])), ", ".join(self.claims.get(d.id, []))
        return (d.id, d.stored, d.measured, change, ratio, f"{d.kind}: {d.reason}", pages, claims)


def accept(project: Project, confirm: Callable[[], bool]) -> int:
    """Show every drift and, if `confirm` says so, store what was measured.

    Returns:
        How many drifts there were; nothing is stored where it is 0 or where `confirm` declines.

    Raises:
        MeasuredError: there is no record, or a record is a quick one.
    """
    records = project.read_records()
    if not records:
        raise MeasuredError("there is no record to accept", mend="run: nox -s build")
    found = compare.compare_all(records, read_all(project.stored))
    if any(drift.kind == "quick" for drifts in found.values() for drift in drifts):
        raise MeasuredError("a quick record cannot be accepted", mend="run: nox -s build, without --quick")
    drifted = Drifted(
        found, pages_showing(project, records), claims_reading(project, records), figures(project)
    )
    show(drifted)
    if found:
        taken = confirm()
        summary = leave(project, drifted, taken)
        if taken:
            store(project, records, found)
        print(f"a summary for a pull request: {summary.relative_to(project.root)}")
    return sum(map(len, found.values()))


def show(drifted: Drifted) -> None:
    """Print drift as one table an experiment, and the figures that changed."""
    from rich.console import Console
    from rich.table import Table

    console = Console(width=170)
    for experiment in drifted.found:
        table = Table(title=experiment, title_justify="left", show_lines=False)
        for heading in HEADINGS:
            words = heading in ("id", "why", "pages", "claims")
            table.add_column(heading, overflow="fold", justify="left" if words else "right")
        for row in drifted.rows(experiment):
            table.add_row(*(_plain(cell) for cell in row))
        console.print(table)
    for name, before, after in drifted.figures:
        console.print(f"figure {name}: {_moved(before, after)}", markup=False)
    if not drifted.found:
        console.print("nothing to accept: every record stands where it stood")


def leave(project: Project, drifted: Drifted, taken: bool) -> Path:
    """Write the summary, with copies of the figures that changed; say where it is."""
    folder = project.build / "drift"
    shutil.rmtree(folder, ignore_errors=True)
    lines = [f"# Drift, {'accepted' if taken else 'not accepted'}", ""]
    for experiment in drifted.found:
        lines += [f"## {experiment}", "", _line(HEADINGS), _line(["---"] * len(HEADINGS))]
        lines += [_line([_cell(c) for c in row]) for row in drifted.rows(experiment)]
        lines.append("")
    if drifted.figures:
        lines += ["## Figures", "", "Compared with the site that was last published.", ""]
    for name, before, after in drifted.figures:
        lines.append(f"- `{name}`: {_moved(before, after)}")
        for what, path in (("before", before), ("after", after)):
            if path is not None:
                files.write_bytes(folder / f"{name}.{what}.svg", path.read_bytes())
                lines.append(f"  - {what}: ![{name}, {what}](drift/{name}.{what}.svg)")
    summary = project.build / SUMMARY
    files.write_text(summary, "\n".join(lines).rstrip() + "\n")
    return summary


def store(project: Project, records: Mapping[str, Record], found: Mapping[str, list[compare.Drift]]) -> None:
    """Write the stored file of each experiment that drifted; remove those that nothing measures."""
    for name in found:
        path = project.stored / f"{name}.yml"
        if name in records:
            measured = records[name].measurements.values()
            files.write_text(path, dump({m.id: Expectation.of(m) for m in measured}))
        else:
            path.unlink()


def pages_showing(project: Project, records: Mapping[str, Record]) -> dict[str, list[str]]:
    """For each measurement, the pages that refer to it."""
    library, found = Library(records), {}
    for path in sorted((project.root / "docs").rglob("*.md")):
        page = scan(path.read_text(encoding="utf-8"), path)
        for name in sorted(numerals.uses(page, library)[0]):
            found.setdefault(name, []).append(path.relative_to(project.root).as_posix())
    return found


def claims_reading(project: Project, records: Mapping[str, Record]) -> dict[str, list[str]]:
    """For each measurement, the claims whose predicate reads it, and what they say now."""
    found: dict[str, list[str]] = {}
    for name, experiment in project.declared.items():
        if name not in records:
            continue
        for claim in experiment.claims:
            judged = records[name].claims.get(claim.id)
            state = "" if judged is None else " (holds)" if judged.holds else " (does not hold)"
            for read in sorted(_read_by(claim.predicate, records[name])):
                found.setdefault(read, []).append(claim.id + state)
    return found


def figures(project: Project) -> list[tuple[str, Path | None, Path | None]]:
    """The figures that differ from the published ones, with both files where there are both."""
    published = project.site / "data" / "figures"
    if not published.is_dir():
        return []
    names = {path.name for folder in (published, project.drawings) for path in folder.glob("*.light.svg")}
    found = []
    for name in sorted(names):
        before, after = published / name, project.drawings / name
        old = before.read_bytes() if before.exists() else None
        new = after.read_bytes() if after.exists() else None
        if old != new:
            found.append((name.removesuffix(".light.svg"), before if old else None, after if new else None))
    return found


def _read_by(predicate: Callable[[Any], Any], record: Record) -> set[str]:
    """The measurements that a predicate looks at, found by letting it look."""
    seen: set[str] = set()
    watched = tuple(_Watched(m, seen) for m in record.measurements.values())
    try:
        predicate(_WatchedFindings(watched, record.arrays))
    except Exception:  # noqa: BLE001 - an undecidable claim is told by its verdict
        return seen
    return seen


class _Watched:
    """A measurement that notes when its value is looked at."""

    def __init__(self, measurement: Measurement, seen: set[str]) -> None:
        self._measurement, self._seen = measurement, seen

    @property
    def id(self) -> str:
        return self._measurement.id

    def __getattr__(self, name: str) -> Any:
        self._seen.add(self._measurement.id)
        return getattr(self._measurement, name)


class _WatchedFindings(Findings):
    """Findings whose look-up by id looks at one measurement only."""

    def __getitem__(self, name: str) -> Any:
        found = {m.id: m for m in self.measurements}
        return found[name].value


def _moved(before: Path | None, after: Path | None) -> str:
    return "new" if before is None else "gone" if after is None else "changed"


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _cell(text: str) -> str:
    """Text inert in a Markdown table."""
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")


def _plain(text: str) -> str:
    """Text that the console must not take for markup."""
    from rich.markup import escape

    return escape(text)
