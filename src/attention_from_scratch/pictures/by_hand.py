"""Attention by hand: each step of the six lines as a grid of numbers, with one cell told in words."""

from __future__ import annotations

import re

import numpy as np
from jaxtyping import Float

from attention_from_scratch.pictures.elements import Element, Picture, element, grid, number


def picture(
    query: Float[np.ndarray, "queries key_dim"],
    key: Float[np.ndarray, "keys key_dim"],
    value: Float[np.ndarray, "keys value_dim"],
) -> Picture:
    """Six steps, from three matrices to the output; the cell that is told is the first of its grid."""
    d_k = query.shape[1]
    products = query @ key.T
    scores = products / d_k**0.5
    exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
    sums = exponentials.sum(axis=1, keepdims=True)
    weights = exponentials / sums
    output = weights @ value
    first = {"data_made": None}

    def lit(matrix: np.ndarray, *, row: int | None = None, column: int | None = None, at: int) -> dict:
        cells = [(i, j) for i, j in np.ndindex(matrix.shape) if i == row or j == column]
        return {cell: {"data_source": at} for cell in cells}

    def made(at: int, sources: dict | None = None) -> dict:
        return {**(sources or {}), (0, 0): {**(sources or {}).get((0, 0), first), "data_made": at}}

    largest = number(scores[0].max())
    return Picture(
        [
            element(
                "ol",
                _step(
                    1,
                    "Three matrices",
                    f"Rows are queries, keys, values. d_k = {d_k}: the width of a query and of a key.",
                    grid("query", query, role="query", cell_attributes=lit(query, row=0, at=2)),
                    grid("key.T", key.T, role="key", cell_attributes=lit(key.T, column=0, at=2)),
                    grid("value", value, role="value", cell_attributes=lit(value, column=0, at=6)),
                ),
                _step(
                    2,
                    "query @ key.T",
                    "Every query with every key. The first with the first: "
                    f"{_sum(query[0], key[0])} = {number(products[0, 0])}.",
                    grid("products", products, cell_attributes=made(2, lit(products[:1, :1], row=0, at=3))),
                ),
                _step(
                    3,
                    "/ d_k ** 0.5",
                    f"Divided by √{d_k}: {number(products[0, 0])} / √{d_k} ≈ {number(scores[0, 0])}.",
                    grid("scores", scores, cell_attributes=made(3, lit(scores, row=0, at=4))),
                ),
                _step(
                    4,
                    "np.exp(scores - largest)",
                    f"Minus the largest of the row, then exp: "
                    f"exp({number(scores[0, 0])} − {largest}) = {number(exponentials[0, 0])}.",
                    grid(
                        "exponentials",
                        exponentials,
                        digits=3,
                        cell_attributes=made(4, lit(exponentials, row=0, at=5)),
                    ),
                    grid("sums", sums, digits=3, cell_attributes=lit(sums, row=0, at=5)),
                ),
                _step(
                    5,
                    "exponentials / sums",
                    "Each row over its sum, so that it sums to one. The first weight: "
                    f"{number(exponentials[0, 0])} / {number(sums[0, 0], 3)} ≈ {number(weights[0, 0], 3)}.",
                    grid("weights", weights, digits=3, cell_attributes=made(5, lit(weights, row=0, at=6))),
                ),
                _step(
                    6,
                    "weights @ value",
                    "The average of the values by these weights: "
                    f"{_sum(weights[0], value[:, 0], 3)} ≈ {number(output[0, 0])}.",
                    grid("output", output, role="value", cell_attributes=made(6)),
                ),
                class_="walk-steps",
            )
        ]
    )


def _step(at: int, code: str, words: str, *grids: Element) -> Element:
    name = element("code", *_marked(code)) if at > 1 else element("b", code)
    return element(
        "li",
        element("p", name, class_="walk-name"),
        element("div", *grids, class_="grids"),
        element("p", words, class_="walk-words"),
        data_at=at,
    )


def _marked(code: str) -> list[Element | str]:
    """A line of code whose query, key and value have their colour and their line."""
    parts = re.split(r"\b(query|key|value)\b", code)
    return [element("span", part, class_=f"role-{part}") if i % 2 else part for i, part in enumerate(parts)]


def _sum(a: np.ndarray, b: np.ndarray, digits: int = 2) -> str:
    return " + ".join(f"{number(x, digits)} · {number(y)}" for x, y in zip(a, b, strict=True))
