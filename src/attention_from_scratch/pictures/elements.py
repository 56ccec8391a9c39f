"""What every picture is made of: elements, numbers as text, grids of numbers, squares as large as numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import lxml.html
import numpy as np
from jaxtyping import Float
from lxml.builder import E
from lxml.etree import _Element as Element

WORD_CLASSES = {"animal": "word-1", "street": "word-2", "it": "word-3", "tired": "word-4"}
"""Four words have a colour of their own on every picture; the others are grey."""


@dataclass(frozen=True, repr=False)
class Picture:
    """Elements that a cell shows as its result."""

    elements: Sequence[Element]

    def __repr__(self) -> str:
        """The same in each run: where only text can be shown."""
        return f"a picture of {len(self.elements)} elements"

    def _repr_html_(self) -> str:
        """The elements as HTML."""
        return "".join(lxml.html.tostring(element, encoding="unicode") for element in self.elements)


def element(tag: str, *children: Element | str, **attributes: object) -> Element:
    """An element; `class_` is its class, and an underscore elsewhere is a dash (`data_at`)."""
    named = {
        name.rstrip("_").replace("_", "-"): str(value)
        for name, value in attributes.items()
        if value is not None
    }
    return E(tag, *children, **named)


def svg(width: float, height: float, title: str, *children: Element, class_: str = "") -> Element:
    """A drawing with words for those who do not see it."""
    box = {"viewBox": f"0 0 {width:g} {height:g}", "role": "img", "aria-label": title, "class": class_}
    return E("svg", *children, **box)


def text(words: str, x: float, y: float, class_: str = "") -> Element:
    """Words at a place of a drawing."""
    return E("text", words, x=f"{x:g}", y=f"{y:g}", **({"class": class_} if class_ else {}))


def number(x: float, digits: int = 2) -> str:
    """A number as people write it: whole ones without decimals, a real minus sign, no negative zero."""
    x = float(x)
    shown = f"{x:.0f}" if abs(x - round(x)) < 1e-9 else f"{x:.{digits}f}"
    if float(shown) == 0:
        shown = shown.lstrip("-")
    return shown.replace("-", "−")


def word_class(word: str) -> str:
    """The class that colours a word."""
    return WORD_CLASSES.get(word, "word-plain")


def grid(
    name: str,
    matrix: Float[np.ndarray, "rows columns"],
    *,
    role: str = "",
    rows: Sequence[str] = (),
    columns: Sequence[str] = (),
    digits: int = 2,
    cell_attributes: dict[tuple[int, int], dict[str, object]] | None = None,
    row_attributes: Iterable[dict[str, object]] = (),
) -> Element:
    """A matrix as a table with its name and its shape.

    Args:
        name: what it is called in the code.
        matrix: its numbers.
        role: `query`, `key` or `value`, if it is one of them.
        rows: the rows' names, if they have any.
        columns: the columns' names, if they have any.
        digits: decimals of numbers that are not whole.
        cell_attributes: attributes of single cells, by row and column.
        row_attributes: attributes of each row.
    """
    given = cell_attributes or {}
    of_rows = list(row_attributes) or [{}] * len(matrix)
    label = element("span", name, class_=f"role-{role}") if role else element("span", name)
    shape = f" ({matrix.shape[0]}, {matrix.shape[1]})"
    table = element(
        "table", element("caption", label, element("small", shape)), class_=f"grid is-{role or 'plain'}"
    )
    if columns:
        corner = [element("td")] if rows else []
        heads = [element("th", c, scope="col", class_=word_class(c)) for c in columns]
        table.append(element("thead", element("tr", *corner, *heads)))
    body = element("tbody")
    for i, row in enumerate(matrix):
        head = [element("th", rows[i], scope="row", class_=word_class(rows[i]))] if rows else []
        cells = [
            element("td", element("span", number(x, digits)), **given.get((i, j), {}))
            for j, x in enumerate(row)
        ]
        body.append(element("tr", *head, *cells, **of_rows[i]))
    table.append(body)
    return table


def squares(
    matrix: Float[np.ndarray, "rows columns"], x: float, y: float, cell: float, largest: float = 1.0
) -> list[Element]:
    """A square for each number: its side as large as the number, filled if positive, hollow if negative.

    Args:
        matrix: the numbers.
        x: the left edge.
        y: the upper edge.
        cell: the side of a cell, and of a square for the largest number.
        largest: the number that fills its cell.
    """
    paths = {"square-positive": "", "square-negative": ""}
    for (i, j), value in np.ndenumerate(matrix):
        side = (cell - 1.5) * min(1.0, (abs(value) / largest) ** 0.5)
        if side < 0.4:
            continue
        kind = "square-positive" if value > 0 else "square-negative"
        side -= 1.0 if value < 0 else 0.0  # the outline is drawn around it
        side = max(side, 0.3)
        left, top = x + (j + 0.5) * cell - side / 2, y + (i + 0.5) * cell - side / 2
        paths[kind] += f"M{left:.1f} {top:.1f}h{side:.1f}v{side:.1f}h-{side:.1f}z"
    return [element("path", d=d, class_=kind) for kind, d in paths.items() if d]
