"""Draw a declared figure from its records and store it in every form that a page or a reader may ask for."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path

from measured import files
from measured.making import fingerprint
from measured.project import Project
from measured.terms.drawing import SCHEMES, Drawing, Palette, Plot, style, svg_of
from measured.terms.record import read_record


def plot_fingerprint(project: Project, plot: Plot) -> fingerprint.Fingerprint:
    """What can change a figure: its module and imports, the palette, the records that it draws."""
    also = [project.palette_file, *(project.records / f"{name}.json" for name in plot.records)]
    drawing = fingerprint.of_function(
        plot.draw, {}, packages=project.packages, lock=project.lock_file, also=also
    )
    return {**drawing, **{f"engine {n}": files.sha256_of_text(p) for n, p in _engine(project).items()}}


def perform_plot(project: Project, plot: Plot) -> None:
    """Draw once; write the SVG with CSS variables, a light one, a dark one, the data, and the alt text.

    Raises:
        MeasuredError: a record is missing, or the figure has no alt text.
    """
    import matplotlib as mpl

    palette = Palette.load(project.palette_file)
    records = [read_record(project.records / f"{name}.json") for name in plot.records]
    with mpl.rc_context(style(palette)):
        drawing = plot.draw(palette, *records)
    svg = svg_of(drawing, plot.name, palette)
    texts = {
        f"{plot.name}.{scheme}.svg": _described(palette.paint(svg, scheme), drawing) for scheme in SCHEMES
    }
    texts |= {f"{plot.name}.svg": palette.paint(svg, None), f"{plot.name}.csv": csv_of(drawing.data)}
    for name, text in texts.items():
        files.write_text(project.drawings / name, text)
    files.write_json(
        project.drawings / f"{plot.name}.json",
        {
            "name": plot.name,
            "alt": drawing.alt,
            "fingerprint": plot_fingerprint(project, plot),
            "files": {name: files.sha256(text.encode()) for name, text in texts.items()},
        },
    )


def csv_of(columns: Mapping[str, Sequence]) -> str:
    """Columns of equal length as CSV."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*(map(_plain, column) for column in columns.values()), strict=True))
    return stream.getvalue()


def _described(svg: str, drawing: Drawing) -> str:
    alt = drawing.alt.replace("&", "&amp;").replace("<", "&lt;")
    head, _, tail = svg.partition(">")
    return f'{head} role="img">' + f"<title>{alt}</title>" + tail


def _plain(value: object) -> object:
    return value.item() if hasattr(value, "item") else value


def _engine(project: Project) -> dict[str, Path]:
    return fingerprint.closure(__name__, project.packages)
