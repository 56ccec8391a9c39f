"""What a drift looks like to people: a table an experiment, and a summary fit for a pull request.

The summary is Markdown, `build/drift.md`. Figures are compared with the ones that were last published; both
versions of a changed one lie beside it, in `build/drift/`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from measured import files, folders
from measured.gate.compare import Drift
from measured.mkdocs_yml import SiteSettings
from measured.project import Project
from measured.terms.reading import findings_of, read_by
from measured.terms.record import Record
from measured.weaving import numerals
from measured.weaving.page import scan
from measured.weaving.page_text import read_text
from measured.weaving.references import Library
from measured.weaving.renderer import Renderer

SUMMARY = "drift.md"
KEPT_SHOWN = 5  # values that moved inside their tolerance, beside those that drifted
HEADINGS = ("id", "stored", "measured", "change", "÷ tolerance", "why", "pages", "claims")


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

    def rows(self, experiment: str) -> list[tuple[str, ...]]:
        """One row a drift, in the order of `HEADINGS`."""
        return [self._row(d) for d in self.found[experiment]]

    def _row(self, d: Drift) -> tuple[str, ...]:
        change = "" if d.change is None else f"{d.change:+.4g}"
        ratio = "" if d.ratio is None else f"{d.ratio:.1f}"
        measurement = d.id.partition(" ")[0]
        pages, claims = (", ".join(of.get(measurement, [])) for of in (self.pages, self.claims))
        return (d.id, d.stored, d.measured, change, ratio, f"{d.kind}: {d.reason}", pages, claims)


def show(drifted: Drifted) -> None:
    """Print drift as one table an experiment, and the figures that changed."""
    from rich.console import Console
    from rich.table import Table

    console = Console(width=170)
    for experiment in drifted.found:
        table = Table(title=experiment, title_justify="left", show_lines=False)
        rows = drifted.rows(experiment)
        filled = [index for index in range(len(HEADINGS)) if any(row[index] for row in rows)]
        for heading in (HEADINGS[index] for index in filled):
            words = heading in ("id", "why", "pages", "claims")
            table.add_column(heading, overflow="fold", justify="left" if words else "right")
        for row in rows:
            table.add_row(*(_plain(row[index]) for index in filled))
        console.print(table)
    for name, before, after in drifted.figures:
        console.print(f"figure {name}: {_moved(before, after)}", markup=False)
    for line in _told_of_kept(drifted, KEPT_SHOWN if drifted.found else None):
        console.print(line, markup=False)
    if not drifted.found:
        console.print("nothing to accept: every record stands where it stood")


def leave(project: Project, drifted: Drifted, taken: bool) -> Path:
    """Write the summary, with copies of the figures that changed; say where it is."""
    folder = project.build / "drift"
    folders.fresh(folder)
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


def pages_showing(project: Project, records: Mapping[str, Record]) -> dict[str, list[str]]:
    """For each measurement, the pages that refer to it."""
    library, found = Library(records), {}
    settings = SiteSettings.load(project.root)
    renderer = Renderer.of(settings, project.build / "readings")
    for _, path in settings.pages():
        page = scan(read_text(path, path), path, renderer)
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


def _told_of_kept(drifted: Drifted, most: int | None = None) -> Iterator[str]:
    """What moved inside its tolerance; on a terminal a few of it, since what drifted is to be looked at."""
    if drifted.kept:
        yield f"{len(drifted.kept)} values moved inside their tolerance and stay as they were last looked at:"
        for name, (old, new) in list(drifted.kept.items())[:most]:
            yield f"  {name}: stored {old}, measured {new}"
        if most is not None and len(drifted.kept) > most:
            yield f"  and {len(drifted.kept) - most} more, which build/{SUMMARY} lists"


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
