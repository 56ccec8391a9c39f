"""The page of pictures for the browser, drawn by the same functions as the book's."""

from pathlib import Path

import numpy as np

from attention_from_scratch.pictures import by_hand, dimensions, encoder_decoder, heads, order, stream, tiles
from attention_from_scratch.tasks import match_then_read

QUERY = np.array([[4.0, 0.0], [3.0, 3.0]])
KEY = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]])
VALUE = np.array([[10.0, 0.0, 1.0], [0.0, 10.0, 1.0], [5.0, 5.0, -1.0]])


def sequences() -> match_then_read.Lookups:
    return match_then_read.draw(3, 12, np.random.default_rng(0))


def fill(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for name, made in (
        ("hand", by_hand.picture(QUERY, KEY, VALUE)),
        ("dimensions", dimensions.picture()),
        ("heads", heads.picture()),
        ("positions", order.positions()),
        ("shift", order.shifts()),
        ("block", stream.picture()),
        ("parts", encoder_decoder.picture(2)),
        ("tiles", tiles.picture(sequences())),
    ):
        text = text.replace(f"{{{name}}}", made._repr_html_())
    page.write_text(text, encoding="utf-8")
