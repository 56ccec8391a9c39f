"""Positions: what is added to a token for its place, and the one matrix that moves each place."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from attention_from_scratch import sentence
from attention_from_scratch.attention import attention
from attention_from_scratch.pictures.elements import (
    Picture,
    element,
    number,
    squares,
    svg,
    text,
    word_class,
)
from attention_from_scratch.positions import shift, sinusoidal

CHANNELS = 16
ASKED = "it"
SEED = 0
SHUFFLES = 3
IN_ORDER = "In order"
OFFSETS = (-1, 1, 3)
FROM = 4  # the place that the drawing moves
CELL, LEFT, TOP, LINE = 15, 118, 34, 21


class Order(NamedTuple):
    """An order of the words.

    Args:
        name: what it is called.
        words: in this order.
        plain: what the asked word takes home where no positions are added.
        placed: the same with positions added.
    """

    name: str
    words: tuple[str, ...]
    plain: Float[np.ndarray, "2"]
    placed: Float[np.ndarray, "2"]


def orders() -> list[Order]:
    """The sentence as it is, and shuffled a few times."""
    generator = np.random.default_rng(SEED)
    count = len(sentence.SENTENCE)
    drawn = [(IN_ORDER, np.arange(count))]
    drawn += [(f"Shuffled {i + 1}", generator.permutation(count)) for i in range(SHUFFLES)]
    found = []
    for name, permutation in drawn:
        words = tuple(sentence.SENTENCE[i] for i in permutation)
        found.append(Order(name, words, taken_home(words, placed=False), taken_home(words, placed=True)))
    return found


def taken_home(words: tuple[str, ...], *, placed: bool) -> Float[np.ndarray, "2"]:
    """What the asked word takes home. A fourth feature, which no kernel reads, makes the width even."""
    x = np.pad(sentence.tokens(words), ((0, 0), (0, 1)))
    if placed:
        x = x + sinusoidal(len(words), x.shape[1])
    kernels = (sentence.QUERY_KERNEL, sentence.KEY_KERNEL, sentence.VALUE_KERNEL)
    query, key, value = (x @ np.pad(kernel, ((0, 1), (0, 0))) for kernel in kernels)
    output, _ = attention(query, key, value)
    return output[words.index(ASKED)]


def positions() -> Picture:
    """A row for each place, sixteen channels wide; the words that stand there change, the rows do not."""
    found = orders()
    count = len(sentence.SENTENCE)
    matrix = sinusoidal(count, CHANNELS)
    height = TOP + count * LINE
    rows = [squares(matrix[i : i + 1], LEFT, TOP + i * LINE + (LINE - CELL) / 2, CELL) for i in range(count)]
    places = [text(str(i), LEFT - 8, TOP + (i + 0.5) * LINE + 5, "is-end") for i in range(count)]
    names = [
        element(
            "g",
            *(
                text(w, 66, TOP + (i + 0.5) * LINE + 5, f"is-end {word_class(w)}")
                for i, w in enumerate(order.words)
            ),
            **_choice(order.name),
        )
        for order in found
    ]
    frame = element("rect", class_="square-frame", x=LEFT, y=TOP, width=CHANNELS * CELL, height=count * LINE)
    drawing = svg(
        LEFT + CHANNELS * CELL + 4,
        height + 4,
        f"Positions as squares: {count} places down, {CHANNELS} channels across; on the left fast waves, "
        "on the right slow ones. The words beside them change places, the rows do not.",
        text("word", 66, 14, "is-end"),
        text("place", LEFT - 8, 14, "is-end"),
        text(f"what is added: {CHANNELS} channels", LEFT, 14, "is-start"),
        frame,
        *[path for row in rows for path in row],
        *places,
        *names,
        class_="positions-map",
    )
    heads = ("The words", "no positions", "positions")
    table = element(
        "table",
        element("caption", f"What “{ASKED}” takes home"),
        element("thead", element("tr", *(element("th", head, scope="col") for head in heads))),
        element(
            "tbody",
            *(
                element(
                    "tr",
                    element("th", order.name, scope="row"),
                    element("td", _pair(order.plain)),
                    element("td", _pair(order.placed)),
                    **_choice(order.name),
                )
                for order in found
            ),
        ),
        class_="sketch-table",
    )
    return Picture([element("div", drawing, table, class_="picture-beside")])


def shifts() -> Picture:
    """One place's row, the matrix of an offset, and the row that comes out: the one of the place moved to."""
    rows = sinusoidal(FROM + max(OFFSETS) + 1, CHANNELS)
    side = CHANNELS * CELL
    column = 3 * CELL
    groups, told = [], []
    for offset in OFFSETS:
        matrix = shift(offset, CHANNELS)
        name = _offset(offset)
        groups.append(
            element(
                "g",
                *squares(matrix, 0, 26, CELL),
                *squares(rows[FROM + offset][:, np.newaxis], side + 2 * column, 26, CELL),
                text(f"R for {name}", side / 2, 14),
                text(f"place {FROM + offset}", side + 2 * column + CELL / 2, 14),
                **_choice(name, start=_offset(-1)),
            )
        )
        told.append(
            element(
                "p",
                f"R for {name} turns each pair of channels by an angle of its own, and takes place {FROM} to "
                f"place {FROM + offset}. The same matrix moves any other place by {name}, too.",
                **{
                    **_choice(name),
                    "class_": "picture-words" + (" is-current" if offset == -1 else ""),
                },
            )
        )
    frames = [
        element("rect", class_="square-frame", x=x, y=26, width=w, height=side)
        for x, w in ((0, side), (side + column - CELL, CELL), (side + 2 * column, CELL))
    ]
    drawing = svg(
        side + 2 * column + 3 * CELL,
        side + 30,
        "A matrix of small rotations times the row of one place gives the row of another",
        *frames,
        *squares(rows[FROM][:, np.newaxis], side + column - CELL, 26, CELL),
        text(f"place {FROM}", side + column - CELL / 2, 14),
        text("=", side + 1.5 * column + 2, 26 + side / 2),
        *groups,
        class_="shift-map",
    )
    return Picture([drawing, element("div", *told)])


def _choice(name: str, start: str = IN_ORDER) -> dict[str, object]:
    return {"data_choice": name, "class_": "is-current" if name == start else None}


def _offset(offset: int) -> str:
    return f"{number(offset)}" if offset < 0 else f"+{offset}"


def _pair(vector: Float[np.ndarray, "2"]) -> str:
    return f"({', '.join(number(x) for x in vector)})"
