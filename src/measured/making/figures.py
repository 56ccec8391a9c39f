"""Draw a declared figure from its records and store it in every form that a page or a reader may ask for."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence

from measured import archives, files
from measured.making.fingerprint import Fingerprint
from measured.making.running import naming
from measured.project import Project
from measured.terms.drawing import SCHEMES, Drawing, Palette, Plot, style, svg_of
from measured.terms.record import Record, read_record

Made = tuple[Drawing, str, str, Palette]
"""A figure, as SVG at full width and narrow, and the palette that paints both."""


def make_figure(project: Project, plot: Plot) -> Made:
    """Draw wide and narrow, with Matplotlib's own settings and the palette's, whatever an author has set.

    Raises:
        MeasuredError: a record is missing, the drawing function raised, or the figure has no alt text.
    """
    palette = project.read_palette()
    records = [read_record(project.records / f"{name}.json") for name in plot.records]
    with naming(f"figure {plot.name}", {}):
        narrow, _ = _drawn(plot, palette.narrowed(), records)
        wide, drawing = _drawn(plot, palette, records)
        return drawing, wide, narrow, palette


def _drawn(plot: Plot, palette: Palette, records: Sequence[Record]) -> tuple[str, Drawing]:
    import matplotlib as mpl

    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(style(palette))
        drawing = plot.draw(palette, *records)
        return svg_of(drawing, plot.name, palette), drawing


def files_of(name: str, made: Made, fingerprint: Fingerprint) -> dict[str, bytes]:
    """A figure's files: SVG with CSS variables, light, dark, the data; and the one that vouches for them.

    A drawing that is narrow already has an empty narrow form.
    """
    drawing, svg, narrow, palette = made
    narrow = "" if _size(narrow) == _size(svg) else palette.paint(narrow, None)
    texts = {f"{name}.{scheme}.svg": _described(palette.paint(svg, scheme), drawing) for scheme in SCHEMES}
    texts |= {f"{name}.svg": palette.paint(svg, None), f"{name}.narrow.svg": narrow}
    texts |= {f"{name}.csv": csv_of(drawing.data)}
    written = {name: text.encode() for name, text in texts.items()}
    voucher = {
        "name": name,
        "alt": drawing.alt,
        "fingerprint": fingerprint,
        "files": {path: files.sha256(data) for path, data in written.items()},
    }
    return {**written, f"{name}.json": files.json_bytes(archives.sealed(voucher))}


def _size(svg: str) -> str:
    return svg.partition('viewBox="')[2].partition('"')[0]


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
    return files.csv_cell(value.item() if hasattr(value, "item") else value)
