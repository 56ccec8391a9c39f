"""The task of two steps as tiles, with “match” and “read” drawn."""

from __future__ import annotations

import numpy as np

from attention_from_scratch.pictures.elements import Element, Picture, element, svg, text
from attention_from_scratch.tasks import match_then_read

SIDE, GAP, TOP, LEFT = 30, 4, 92, 3


def letter_of(token: int) -> str:
    """A token as every page writes it: letters, and ★ for the cue."""
    return "★" if token == match_then_read.CUE else chr(ord("A") + int(token) - 1)


def picture(sequences: match_then_read.Lookups) -> Picture:
    """One drawing a sequence: its tokens, the arc that matches, the arrow that reads."""
    drawn = [
        _drawing(i, tokens, int(place), int(answer))
        for i, (tokens, answer, place) in enumerate(zip(*sequences, strict=True))
    ]
    return Picture([element("div", *drawn, class_="tiles-all")])


def _drawing(i: int, tokens: np.ndarray, place: int, answer: int) -> Element:
    count = len(tokens)
    middle = [LEFT + SIDE / 2 + j * (SIDE + GAP) for j in range(count)]
    tiles = []
    for j, token in enumerate(tokens):
        cue = token == match_then_read.CUE
        kind = "tile is-cue" if cue else "tile"
        tiles.append(
            element(
                "g",
                element("rect", x=f"{middle[j] - SIDE / 2:g}", y=TOP, width=SIDE, height=SIDE, rx=4),
                text(letter_of(token), middle[j], TOP + 21),
                text(str(j + 1), middle[j], TOP + SIDE + 17, "tile-place"),
                class_=kind,
            )
        )
    start, end = middle[-1], middle[place]
    span = (start - end) / (middle[-1] - middle[0])
    top = TOP - 20 - 62 * span
    match = element(
        "g",
        element(
            "path",
            class_="tiles-match",
            d=f"M{start:g} {TOP - 3}C{start:g} {top:.0f} {end:g} {top:.0f} {end:g} {TOP - 12}",
        ),
        element("path", class_="tiles-match-head", d=f"M{end:g} {TOP - 3}l-5 -10h10z"),
        text("1 match", (start + end) / 2, max(14, TOP - 22 - 46 * span), "tiles-match-word"),
        data_at=2,
    )
    low = TOP + SIDE + 24
    near = middle[place + 1]
    # The word stands where there is room.
    side, word_at = ("is-end", end - 12) if place > count / 2 else ("is-start", near + 12)
    read = element(
        "g",
        element("path", class_="tiles-read", d=f"M{end:g} {low}v12H{near:g}v-4"),
        element(
            "rect", x=f"{near - SIDE / 2:g}", y=TOP, width=SIDE, height=SIDE, rx=4, class_="tiles-answer"
        ),
        element("path", class_="tiles-read-head", d=f"M{near:g} {low - 2}l-5 10h10z"),
        text(f"2 read: {letter_of(answer)}", word_at, low + 17, f"{side} tiles-read-word"),
        data_at=3,
    )
    words = " ".join(letter_of(token) for token in tokens)
    return svg(
        LEFT * 2 + count * (SIDE + GAP) - GAP,
        low + 24,
        f"{words}. The last token is the cue: match the first one, at place {place + 1}, and read what "
        f"follows it: {letter_of(answer)}.",
        *tiles,
        match,
        read,
        class_=f"tiles tiles-{i + 1}",
    )
