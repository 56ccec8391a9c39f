"""The diagrams of pages: found where the renderer left their text, and drawn there.

`check` reads a page before anything is rendered, and says the line; `render` works on the HTML of any
renderer that leaves a diagram as `<pre class="diagram"><code>`.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path

from measured.errors import MeasuredError
from measured.weaving.drawn_svg import OWN
from measured.weaving.mermaid import draw, is_sideways, turned_downward

LANGUAGE = "mermaid"
STYLE = "assets/diagrams.css"
"""Where the site keeps the rules that diagrams need."""

NARROW = 560
"""Pixels of a column in which a diagram that runs to the right runs downward instead."""

_SOURCE = re.compile(r'<pre\b[^>]*\bclass="diagram"[^>]*>\s*<code[^>]*>(?P<source>.*?)</code>\s*</pre>', re.S)


def style_sheet() -> str:
    """The rules that diagrams need."""
    return (files(__package__) / "diagrams.css").read_text(encoding="utf-8")


def check(path: Path, found: Iterable[tuple[int, str]]) -> None:
    """Draw every diagram of a page before anything is rendered.

    Args:
        path: of the page.
        found: line of the fence, and text, of each diagram.

    Raises:
        MeasuredError: a diagram that cannot be drawn; with path and line.
    """
    for line, text in found:
        try:
            draw(text)
        except MeasuredError as error:
            raise MeasuredError(
                error.problem,
                path=path,
                line=line + (error.line or 0),
                expected=error.expected,
                mend=error.mend,
            ) from error


def render(page_html: str) -> str:
    """Replace every diagram of a page, as the renderer left it, by its drawing.

    Raises:
        MeasuredError: a diagram that cannot be drawn.
    """
    number = 0

    def drawing(match: re.Match[str]) -> str:
        nonlocal number
        number += 1
        source = html.unescape(match["source"])
        wide = draw(source)
        shapes = [wide]
        if is_sideways(source) and _width(wide) > NARROW:
            shapes.append(draw(turned_downward(source)))
        classes = [""] if len(shapes) == 1 else [" wide", " narrow"]
        drawn = [
            _placed(shape, f"diagram-{number}{name.strip()[:1]}", name)
            for shape, name in zip(shapes, classes, strict=True)
        ]
        return f'<div class="diagram">{"".join(drawn)}</div>'

    return _SOURCE.sub(drawing, page_html)


def _placed(svg: str, identifier: str, name: str) -> str:
    svg = svg.replace(OWN, identifier).replace('class="diagram-drawing"', f'class="diagram-drawing{name}"')
    # One of the two is shown; search reads the first.
    return svg.replace("<svg", "<svg data-search-exclude", 1) if name == " narrow" else svg


def _width(svg: str) -> float:
    return float(re.search(r' width="(\d+)"', svg)[1])
