"""Accept a drift: show old, new, change, why it was outside, and what rests on it; store it when told to.

What is stored is what was shown. A value that moved inside its tolerance is mentioned and keeps the stored
one, which somebody last looked at: drift is measured from there, so that five small steps are one large one.

What was shown stays behind as Markdown, `build/drift.md`, fit for a pull request. Figures are compared with
the ones that the site last published; both versions of a changed one lie beside it, in `build/drift/`.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from measured import files
from measured.errors import MeasuredError
from measured.gate.compare import Drift
from measured.gate.reading import findings_of, read_by
from measured.gate.stored import Expectation, dump, read_all
from measured.gate.verdicts import verdicts
from measured.making import workflow
from measured.mkdocs_yml import SiteSettings
from measured.project import Project
from measured.terms.experiment import Experiment
from measured.terms.record import Record
from measured.weaving import numerals
from measured.weaving.page import scan
from measured.weaving.references import Library
from measured.weaving.renderer import Renderer

SUMMARY = "drift.md"
HEADINGS = ("id", "stored", "measured", "change", "÷ tolerance", "why", "pages", "claims")
UNMENDED = ("loose", "unbound", "undeclared", "unmeasured", "quick")  # no accepting mends these

Say = Callable[[str], None]


@dataclass(frozen=True)
class Drifted:
    """Everything that moved, and what rests on it.

    Args:
        found: drift by experiment.
        refused: experiments whose drift is not to be stored, and why.
        kept: measurements that moved inside their tolerance: stored, measured.
        pages: for each measurement, the pages that show it.
        claims: for each measurement, the claims that read it, with their verdict now.
        figures: changed, new and vanished figures: name, file before, file after.
    """

    found: Mapping[str, Sequence[Drift]]
    refused: Mapping[str, str]
    kept: Mapping[str, tuple[str, str]]
    pages: Mapping[str, list[str]]
    claims: Mapping[str, list[str]]
    figures: Sequence[tuple[str, Path | None, Path | None]]

    @property
    def acceptable(self) -> list[str]:
        """The experiments with something to store."""
        return [n for n, drift in self.found.items() if n not in self.refused and _storable(drift)]

    def rows(self, experiment: str) -> list[tuple[str, ...]]:
        """One row a drift, in the order of `HEADINGS`."""
        return [self._row(d) for d in self.found[experiment]]

    def _row(self, d: Drift) -> tuple[str, ...]:
        change = "" if d.change is None else f"{d.change:+.4g}"
        ratio = "" if d.ratio is None else f"{d.ratio:.1f}"
        measurement = d.id.partition(" ")[0]
        pages, claims = (", ".join(of.get(measurement, [])) for of in (self.pages, self.claims))
        return (d.id, d.stored, d.measured, change, ratio, f"{d.kind}: {d.reason}", pages, claims)


def accept(project: Project, say: Say, confirm: Callable[[], bool]) -> list[Path]:
    """Show every drift and, if `confirm` says so, store what was shown.

    Returns:
        The files that were written or removed.

    Raises:
        MeasuredError: there is no record, or some drift cannot be stored: an experiment is stale or has not
            run, a record is a quick one, or a tolerance is too wide for a claim. What could be stored was.
    """
    records, stored = project.read_records(), read_all(project.stored)
    if not records:
        raise MeasuredError("there is no record to accept", mend="run: nox -s build")
    found = {v.experiment: v.drift for v in verdicts(project) if v.drift}
    drifted = Drifted(
        found,
        _refused(project, found),
        _moved_inside(records, stored),
        pages_showing(project, records),
        claims_reading(project, records),
        figures(project),
    )
    show(drifted)
    written: list[Path] = []
    if drifted.acceptable:
        taken = confirm()
        summary = leave(project, drifted, taken)
        if taken:
            written = store(project, records, stored, drifted.acceptable)
        for path in written:
            say(f"{'stored' if path.exists() else 'removed'}: {path.relative_to(project.root)}")
        if not taken:
            say("nothing was stored")
        say(f"a summary for a pull request: {summary.relative_to(project.root)}")
    _refuse_the_rest(drifted)
    return written


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
    for line in _told_of_kept(drifted):
        console.print(line, markup=False)
    if not drifted.found:
        console.print("nothing to accept: every record stands where it stood")


def leave(project: Project, drifted: Drifted, taken: bool) -> Path:
    """Write the summary, with copies of the figures that changed; say where it is."""
    folder = project.build / "drift"
    shutil.rmtree(folder, ignore_errors=True)
    lines = [f"# Drift, {'accepted' if taken else 'not accepted'}", ""]
    for experiment in drifted.found:
        refused = f" (not stored: {drifted.refused[experiment]})" if experiment in drifted.refused else ""
        lines += [f"## {experiment}{refused}", "", _line(HEADINGS), _line(["---"] * len(HEADINGS))]
        lines += [_line([_cell(c) for c in row]) for row in drifted.rows(experiment)]
        lines.append("")
    lines += [f"{line}\n" for line in _told_of_kept(drifted)]
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


def store(
    project: Project,
    records: Mapping[str, Record],
    stored: Mapping[str, Mapping[str, Expectation]],
    names: Sequence[str],
) -> list[Path]:
    """Write the stored file of each of these experiments; remove those of what nothing declares."""
    written = []
    for name in names:
        path = project.stored / f"{name}.yml"
        if name in project.declared:
            accepted = expectations(project.declared[name], records[name], stored.get(name, {}))
            files.write_text(path, dump(accepted))
        else:
            path.unlink()
        written.append(path)
    return written


def expectations(
    experiment: Experiment, record: Record, stored: Mapping[str, Expectation]
) -> dict[str, Expectation]:
    """What to expect from now on: what drifted as it was measured, the rest as it was last looked at."""
    room: dict[str, float] = {}
    accepted = {}
    for name, measurement in record.measurements.items():
        within = room.get(name)
        fresh = Expectation.of(measurement, within)
        old = stored.get(name)
        if old is None or not old.keeps(measurement):
            accepted[name] = fresh
            continue
        kept = old.keeps_samples(measurement)
        accepted[name] = replace(
            old.under(measurement),
            samples=old.samples if kept and within is not None else fresh.samples,
            samples_within=within,
        )
    return accepted


def _storable(drift: Sequence[Drift]) -> list[Drift]:
    return [d for d in drift if d.kind not in UNMENDED]


def _refused(project: Project, found: Mapping[str, Sequence[Drift]]) -> dict[str, str]:
    """The experiments among them whose record is not what their code measures, and why."""
    stale = workflow.stale(project)
    told = {name: f"its record is stale: {stale[name]}" for name in found if name in stale}
    for name, drift in found.items():
        whole = next((d for d in drift if d.kind in ("unmeasured", "quick", "undeclared")), None)
        if whole is not None:
            told.setdefault(name, whole.reason)
    return told


def _refuse_the_rest(drifted: Drifted) -> None:
    """Say what was not stored although it drifted.

    Raises:
        MeasuredError: there is such drift.
    """
    reasons = [f"{name}: {why}" for name, why in drifted.refused.items()]
    if reasons:
        raise MeasuredError(
            "nothing was stored for " + "; nor for ".join(reasons),
            expected="records that their code, as it stands, measured",
            mend="run: nox -s build, look at the drift that it finds, then: nox -s accept",
        )
    loose = [d for drift in drifted.found.values() for d in drift if d.kind in UNMENDED]
    if loose:
        raise MeasuredError(
            "; ".join(f"{d.id}: {d.measured}; {d.reason}" for d in loose),
            expected="tolerances narrower than what separates a sentence from its opposite",
            mend="change the experiment's tolerances or its claim; accepting cannot mend this",
        )


def _moved_inside(
    records: Mapping[str, Record], stored: Mapping[str, Mapping[str, Expectation]]
) -> dict[str, tuple[str, str]]:
    """Measurements that are not what is stored, and pass."""
    return {
        name: (repr(old.value), repr(record[name]))
        for experiment, record in records.items()
        for name, old in stored.get(experiment, {}).items()
        if name in record.measurements
        and old.width()
        and record[name] != old.value
        and old.under(record.measurements[name]).accepts(record[name])
    }


def _told_of_kept(drifted: Drifted) -> Iterator[str]:
    if drifted.kept:
        yield f"{len(drifted.kept)} values moved inside their tolerance and stay as they were last looked at:"
        for name, (old, new) in drifted.kept.items():
            yield f"  {name}: stored {old}, measured {new}"


def pages_showing(project: Project, records: Mapping[str, Record]) -> dict[str, list[str]]:
    """For each measurement, the pages that refer to it."""
    library, found = Library(records), {}
    settings = SiteSettings.load(project.root)
    renderer = Renderer.of(settings, project.build / "readings")
    for _, path in settings.pages():
        page = scan(path.read_text(encoding="utf-8-sig"), path, renderer)
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
            for read in sorted(read_by(claim, findings_of(records[name])).measurements):
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
