"""One block as a drawing of the residual stream, with what one word's row holds at each stage."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from attention_from_scratch import sentence
from attention_from_scratch.block import normalised
from attention_from_scratch.heads import multi_head_attention
from attention_from_scratch.pictures.elements import Element, Picture, element, number, svg, text

WORD = "it"


class Stage(NamedTuple):
    """A stage of the stream.

    Args:
        code: the line that makes it.
        words: what happens.
        row: what the word's row holds, or what is added to it.
        added: whether it is only a part that is added next.
    """

    code: str
    words: str
    row: Float[np.ndarray, " d_model"]
    added: bool = False


def stages() -> list[Stage]:
    """What `block.block` computes, stage by stage, for the word that looks."""
    x = sentence.tokens(sentence.SENTENCE)
    i = sentence.SENTENCE.index(WORD)
    found = [Stage("x", "the token comes in", x[i])]
    looked, _ = multi_head_attention(x, x, x, sentence.HEADS)
    found.append(
        Stage(
            "looked, _ = multi_head_attention(x, x, x, heads)", "attention reads all tokens", looked[i], True
        )
    )
    x = normalised(x + looked)
    found.append(Stage("x = normalised(x + looked)", "what it found is added, the sum normalised", x[i]))
    hidden = np.maximum(x @ sentence.HIDDEN_KERNEL, 0)
    written = hidden @ sentence.OUTPUT_KERNEL
    found.append(
        Stage("hidden = np.maximum(x @ up, 0)", "each token by itself; hidden @ down is", written[i], True)
    )
    x = normalised(x + written)
    found.append(Stage("return normalised(x + hidden @ down)", "added, normalised: the token goes out", x[i]))
    return found


def picture() -> Picture:
    """The stream runs upward; two layers read from it and add to it. Beside it, one word's row."""
    found = stages()
    rows = [
        element(
            "li",
            element("p", element("code", stage.code), class_="walk-name"),
            element("p", stage.words, class_="walk-words"),
            element("p", _row(stage), class_="stream-row"),
            data_at=at,
        )
        for at, stage in enumerate(found, 1)
    ]
    return Picture(
        [
            element(
                "div",
                _drawing(),
                element("ol", *rows, class_="walk-steps stream-steps"),
                class_="picture-beside",
            )
        ]
    )


def _row(stage: Stage) -> Element:
    cells = [element("span", number(x)) for x in stage.row]
    return element("span", "+ " if stage.added else "", *cells, class_="stream-cells")


def _drawing() -> Element:
    """Boxes and arrows, from below to above; each part belongs to a step."""

    def box(at: int, y: float, words: str, class_: str = "stream-box") -> Element:
        return element(
            "g",
            element("rect", x=132, y=y, width=148, height=40, rx=5, class_=class_),
            text(words, 206, y + 25),
            data_at=at,
        )

    def trunk(at: int, start: float, end: float) -> Element:
        return element("path", class_="stream-trunk", d=f"M60 {start:g}V{end:g}", data_at=at)

    def branch(at: int, low: float, high: float) -> Element:
        path = f"M60 {low:g}H206V{low - 16:g}M206 {high + 16:g}V{high:g}H74"
        head = f"M72 {high:g}l9 -5v10z"
        return element(
            "g",
            element("path", class_="stream-branch", d=path),
            element("path", class_="stream-head", d=head),
            data_at=at,
        )

    def plus(at: int, y: float) -> Element:
        return element(
            "g",
            element("circle", class_="stream-plus", cx=60, cy=y, r=12),
            element("path", class_="stream-sign", d=f"M54 {y:g}h12M60 {y - 6:g}v12"),
            data_at=at,
        )

    def norm(at: int, y: float) -> Element:
        return element(
            "g",
            element("rect", x=20, y=y, width=80, height=28, rx=5, class_="stream-norm"),
            text("normalise", 60, y + 19),
            data_at=at,
        )

    return svg(
        290,
        430,
        "From below to above: tokens enter the stream; attention reads it and adds to it; the sum is "
        "normalised; a feed-forward layer reads it and adds to it; the sum is normalised and goes out",
        trunk(1, 404, 372),
        trunk(2, 372, 284),
        branch(2, 372, 280),
        box(2, 306, "attention, heads"),
        trunk(3, 284, 200),
        plus(3, 280),
        norm(3, 232),
        trunk(4, 200, 112),
        branch(4, 200, 108),
        box(4, 134, "feed-forward"),
        trunk(5, 112, 26),
        plus(5, 108),
        norm(5, 60),
        element("path", class_="stream-head", d="M60 18l-6 11h12z", data_at=5),
        text("tokens", 60, 422),
        text("to the next block", 72, 26, "is-start"),
        class_="stream",
    )
