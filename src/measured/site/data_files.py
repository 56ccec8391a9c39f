"""What a site publishes besides pages: every measurement, record, table, figure and notebook as a file."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from measured.archives import read_sealed
from measured.errors import MeasuredError
from measured.files import csv_cell
from measured.gate.stored import Expectation
from measured.making.running import place_of
from measured.project import Project
from measured.site import claim_rows, own_files, schemas
from measured.site.code_pages import Place, page_of
from measured.site.finish_page import address_of
from measured.site.provenance import CARDS, Provenance, plain
from measured.terms.drawing import Plot
from measured.terms.experiment import Cell, Table
from measured.terms.measurement import Measurement
from measured.weaving.references import Library
from measured.weaving.weave import Picture

DATA = "data"


def pictures(project: Project) -> dict[str, Picture]:
    """The finished figures, each with the line of the function that draws it."""
    found = {}
    for name, plot in project.declared_figures.items():
        voucher = project.drawings / f"{name}.json"
        if voucher.exists():
            found[name] = Picture(_alt(voucher), page_of(drawn_at(project, plot)))
    return found


def _alt(voucher: Path) -> str:
    """What a drawn figure says to those who do not see it."""
    try:
        alt = read_sealed(voucher).get("alt")
    except MeasuredError as error:
        raise MeasuredError(
            f"the figure's voucher {error.problem}", path=voucher, mend="nox -s build"
        ) from error
    if not isinstance(alt, str):
        raise MeasuredError("the figure's voucher has no alt text", path=voucher, mend="nox -s build")
    return alt


def drawn_at(project: Project, plot: Plot) -> Place:
    """The line of a figure's function."""
    return Place.read(place_of(project.root, plot.draw))


def files_of(
    project: Project,
    provenance: Provenance,
    pages: Mapping[str, list[str]],
    sentences: Mapping[str, Mapping[str, str]],
) -> Iterator[tuple[str, str | bytes]]:
    """Path in the site, and content, of everything that is not a page.

    Args:
        project: whose build folder holds records and figures.
        provenance: the records, and where each number comes from.
        pages: for each measurement, the pages that show it.
        sentences: for each page, the sentences of its claims.
    """
    library = provenance.library
    published = {
        "measurements.json": measurement_rows(provenance, pages),
        "claims.json": claim_rows.rows(provenance, sentences, provenance.confirmed),
    }
    for name, rows in published.items():
        yield name, _json(schemas.checked(name, json.loads(_json(rows))))
    yield from schemas.files()
    for page in sorted(set().union(*pages.values(), *provenance.claimed.values())):
        cards = provenance.cards(page)
        yield cards_of(page), json.dumps(cards, ensure_ascii=False, allow_nan=False)
    for name in library.records:
        yield f"records/{name}.json", (project.records / f"{name}.json").read_bytes()
        yield f"records/{name}.npz", (project.records / f"{name}.npz").read_bytes()
    for table in library.tables.values():
        yield f"{DATA}/tables/{table.name}.csv", table_csv(table, library)
    for name in sorted(project.declared_figures):
        for path in (
            project.drawings / f"{name}{end}" for end in (".csv", ".dark.svg", ".light.svg", ".svg")
        ):
            if path.is_file():
                yield f"{DATA}/figures/{path.name}", path.read_bytes()
    yield from own_files.files(project)


def cards_of(page: str) -> str:
    """The file of a page's cards; `cards.js` finds it by the page's address."""
    return f"{CARDS}/{address_of(page).strip('/') or 'index'}.json"


def measurement_rows(provenance: Provenance, pages: Mapping[str, list[str]]) -> list[dict[str, Any]]:
    """The public list: one object a measurement."""
    return [
        {**_row(m, provenance.stored.get(m.id), pages.get(m.id, [])), **_origin(m, provenance)}
        for m in provenance.library.measurements.values()
    ]


def _origin(m: Measurement, provenance: Provenance) -> dict[str, Any]:
    record = provenance.library.owner[m.id]
    scope = record.scopes.get(m.id, "")
    return {
        "experiment": record.experiment,
        "scope": scope,
        "source": str(provenance.places[m.id]),
        "mode": record.mode,
    }


def _row(m: Measurement, expectation: Expectation | None, pages: list[str]) -> dict[str, Any]:
    spread = None if m.spread is None else {**m.spread, "values": [plain(v) for v in m.samples]}
    return {
        "id": m.id,
        "value": m.as_dict()["value"],
        "display": m.display(),
        "unit": m.unit,
        "description": m.description,
        "stored": plain(expectation.value) if expectation else None,
        "tolerance": {**m.tolerance.as_dict(), "allowed": expectation.allowed() if expectation else None},
        "seeds": list(m.seeds),
        "spread": spread and {key: plain(v) for key, v in spread.items()},
        "pages": pages,
    }


def table_csv(table: Table, library: Library) -> str:
    """A table with its values in full, not as displayed."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([_text(column) for column in table.columns])
    for row in table.rows:
        writer.writerow(
            [
                csv_cell(library.measurements[c.id].as_dict()["value"]) if isinstance(c, Cell) else _text(c)
                for c in row
            ]
        )
    return stream.getvalue()


def stored_values(project: Project) -> dict[str, Expectation]:
    """The stored expectations by measurement."""
    from measured.gate.stored import read_all

    return {name: e for file in read_all(project.stored).values() for name, e in file.items()}


def _text(cell: str) -> object:
    """A label without its Markdown."""
    return csv_cell(re.sub(r"[*`$]", "", cell))


def _json(data: Any) -> str:
    return json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def vendored(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Third-party files that were installed for the site: path below `assets/vendor/`, and content."""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield f"assets/vendor/{path.relative_to(folder).as_posix()}", path.read_bytes()
