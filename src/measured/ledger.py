"""The page that lists every measurement: one row each, whose anchor is the id."""

from __future__ import annotations

from collections.abc import Mapping

from measured.record import Record
from measured.reference import Library
from measured.stored import Expectation
from measured.weave import escape

PAGE = "measurements.md"


def page(library: Library, stored: Mapping[str, Expectation], pages: Mapping[str, list[str]]) -> str:
    """The whole page as Markdown, grouped by experiment."""
    parts = [
        "---\ntitle: Measurements\n---\n\n# Measurements\n",
        "Every number on this site, where it comes from, and how far it may move. "
        "[The same as JSON](measurements.json).\n",
    ]
    for record in library.records.values():
        parts.append(_section(record, stored))
    return "\n".join(parts)


def _section(record: Record, stored: Mapping[str, Expectation]) -> str:
    lines = [
        f"## {record.experiment}\n",
        f"{record.question} Measured by `{record.source}`. "
        f"[Record (JSON)](records/{record.experiment}.json), [arrays (npz)](records/{record.experiment}.npz).\n",
        '<table class="ledger">',
        "<thead><tr><th>Measurement</th><th>Value</th><th>Stored</th><th>Allowed</th></tr></thead>",
        "<tbody>",
    ]
    for m in record.measurements.values():
        expectation = stored.get(m.id)
        lines.append(
            f'<tr id="{m.id}"><td><code>{m.id}</code><br>{escape(m.description)}</td>'
            f"<td>{escape(m.display())} {escape(m.unit)}</td>"
            f"<td>{escape(str(expectation.value)) if expectation else '—'}</td>"
            f"<td>{escape(expectation.allowed()) if expectation else '—'}<br>{escape(m.tolerance.reason)}</td></tr>"
        )
    return "\n".join([*lines, "</tbody></table>\n"])
