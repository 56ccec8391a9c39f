"""The scale: one query against twelve keys, with and without the division, at each width of a slider."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from attention_from_scratch.attention import softmax
from attention_from_scratch.pictures.elements import Element, Picture, element, number, svg, text

WIDTHS = (2, 4, 8, 16, 32, 64, 128, 256)
KEYS = 12
SEED = 0
START = 4
WAYS = ("without", "with")
DRAWS = 20_000

LEFT, TOP, HEIGHT, BAR, GAP, MARGIN = 30, 44, 150, 18, 4, 44


def products() -> Float[np.ndarray, "widths keys"]:
    """Dot products of one standard normal query with twelve keys, drawn once: of the first d_k components."""
    generator = np.random.default_rng(SEED)
    query, keys = generator.normal(size=WIDTHS[-1]), generator.normal(size=(KEYS, WIDTHS[-1]))
    return np.cumsum(keys * query, axis=1)[:, np.array(WIDTHS) - 1].T


def means() -> dict[str, list[float]]:
    """The largest weight at each width, mean over many draws, for each way.

    Given a query, its products with standard normal keys are independent and normal, spread by its length. So
    its length is drawn, in place of its components.
    """
    generator = np.random.default_rng(SEED)
    found: dict[str, list[float]] = {way: [] for way in WAYS}
    for width in WIDTHS:
        lengths = generator.chisquare(width, size=(DRAWS, 1)) ** 0.5
        rows = lengths * generator.normal(size=(DRAWS, KEYS))
        for way in WAYS:
            found[way].append(float(weights_of(rows, width, way).max(axis=1).mean()))
    return found


def picture() -> Picture:
    """Two panels of bars at one width; of each width dot products as a table, and means of many draws."""
    rows = products()
    at = WIDTHS.index(START)
    average = means()
    panels = [_panel(way, weights_of(rows[at], WIDTHS[at], way), average[way][at]) for way in WAYS]
    words = {"without": "undivided, largest", "with": "divided, largest"}
    table = element(
        "table",
        element(
            "caption",
            "Dot products of the query with each key, by d_k; below, the largest weight, "
            f"mean over {DRAWS:,} draws",
        ),
        element("thead", element("tr", *(element("th", str(t), scope="col") for t in ("key", *WIDTHS)))),
        element(
            "tbody",
            *(
                element(
                    "tr",
                    element("th", name, scope="row"),
                    *(element("td", number(x, 1)) for x in of_key),
                )
                for name, of_key in zip(_names(), rows.T, strict=True)
            ),
        ),
        element(
            "tfoot",
            *(
                element(
                    "tr",
                    element("th", words[way], scope="row"),
                    *(element("td", number(x)) for x in average[way]),
                )
                for way in WAYS
            ),
        ),
        class_="sketch-table dimensions-table",
        data_draws=DRAWS,
    )
    return Picture(
        [
            element("div", *panels, class_="dimensions-panels"),
            element(
                "details",
                element("summary", "The dot products"),
                table,
            ),
        ]
    )


def weights_of(row: Float[np.ndarray, "*rows keys"], width: int, way: str) -> Float[np.ndarray, "*rows keys"]:
    """The softmax of rows of dot products, divided by √d_k or not."""
    return softmax(row / width**0.5 if way == "with" else row)


def _names() -> list[str]:
    return [str(i + 1) for i in range(KEYS)]


def _panel(way: str, weights: Float[np.ndarray, " keys"], mean: float) -> Element:
    floor = TOP + HEIGHT
    right = LEFT + KEYS * (BAR + GAP)
    grid = [
        element("path", class_="curve-grid", d=f"M{LEFT} {floor - s * HEIGHT:g}H{right}") for s in (0, 0.5, 1)
    ]
    ticks = [text(number(s, 1), LEFT - 5, floor - s * HEIGHT + 5, "is-end") for s in (0, 0.5, 1)]
    even = element("path", class_="dimensions-even", d=f"M{LEFT} {floor - HEIGHT / KEYS:.1f}H{right}")
    bars = [
        element(
            "rect",
            class_="dimensions-bar",
            x=f"{LEFT + GAP / 2 + i * (BAR + GAP):g}",
            y=f"{floor - w * HEIGHT:.1f}",
            width=BAR,
            height=f"{w * HEIGHT:.1f}",
        )
        for i, w in enumerate(weights)
    ]
    names = [text(name, LEFT + (BAR + GAP) * (i + 0.5), floor + 17) for i, name in enumerate(_names())]
    best = int(weights.argmax())
    largest = text(
        number(weights[best]),
        LEFT + (BAR + GAP) * (best + 0.5),
        floor - weights[best] * HEIGHT - 6,
        "dimensions-largest",
    )
    height = floor - mean * HEIGHT
    average = [
        element("path", class_="dimensions-mean", d=f"M{LEFT} {height:.1f}H{right + 4}"),
        text("mean", right + 8, height - 3, "is-start"),
        text(number(mean), right + 8, height + 13, "is-start dimensions-mean-number"),
    ]
    title = {"without": "Without the division", "with": "Divided by √d_k"}[way]
    head = text(title, LEFT, 12, "is-start dimensions-title")
    return svg(
        right + MARGIN,
        floor + 24,
        f"{title}: twelve bars, one a key; the largest is {number(weights[best])} at d_k = {START}, "
        f"{number(mean)} on average over many draws",
        head,
        *grid,
        *ticks,
        even,
        *bars,
        largest,
        element("g", *average),
        *names,
        class_=f"dimensions-panel is-{way}",
    )
