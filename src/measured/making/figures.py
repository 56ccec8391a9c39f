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
from measured.terms.record import read_record


def make_figure(project: Project, plot: Plot) -> tuple[Drawing, str, Palette]:
    """Draw once, with Matplotlib's own settings and the palette's, whatever an author has set.

    Raises:
        MeasuredError: a record is missing, the drawing function raised, or the figure has no alt text.
    """
    import matplotlib as mpl

    palette = project.read_palette()
    records = [read_record(project.records / f"{name}.json") for name in plot.records]
    with naming(f"figure {plot.name}", {}), mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(style(palette))
        drawing = plot.draw(palette, *records)
        return drawing, svg_of(drawing, plot.name, palette), palette


def files_of(name: str, made: tuple[Drawing, str, Palette], fingerprint: Fingerprint) -> dict[str, bytes]:
    """A figure's files: SVG with CSS variables, light, dark, the data; and the one that vouches for them."""
    drawing, svg, palette = made
    texts = {f"{name}.{scheme}.svg": _described(palette.paint(svg, scheme), drawing) for scheme in SCHEMES}
    texts |= {f"{name}.svg": palette.paint(svg, None), f"{name}.csv": csv_of(drawing.data)}
    written = {name: text.encode() for name, text in texts.items()}
    voucher = {
        "name": name,
        "alt": drawing.alt,
        "fingerprint": fingerprint,
        "files": {path: files.sha256(data) for path, data in written.items()},
    }
    return {**written, f"{name}.json": files.json_bytes(archives.sealed(voucher))}


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
