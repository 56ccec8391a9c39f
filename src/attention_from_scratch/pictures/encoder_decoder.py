"""Encoder, decoder and cross-attention on a word of the speller: what runs where, who looks at what."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Bool

from attention_from_scratch import masks
from attention_from_scratch.pictures.elements import Element, Picture, element, svg, text

WORD, SOUNDS = "knight", ("N", "AY", "T")
GIVEN, ASKED = ("start", *SOUNDS), (*SOUNDS, "end")
BOX, TILE, CELL = 142, 20, 5
ENCODER, DECODER = 8, 202  # left edges of the boxes
HEIGHT = {"letters": 410, "attention": 312, "encoder": 252, "memory": 178, "cross": 172, "decoder": 104}


def picture(blocks: int) -> Picture:
    """From below to above, on the left the letters, on the right the sounds.

    Args:
        blocks: of the encoder, and of the decoder.
    """
    letters, given = len(WORD), len(GIVEN)
    both_ways = np.ones((letters, letters), bool)
    cross = np.ones((given, letters), bool)
    words = (
        f"Left, the encoder: the letters {' '.join(WORD)} go up through {blocks} blocks, each of them "
        "self-attention both ways and a feed-forward layer; what comes out is the memory, a row for each "
        f"letter. Right, the decoder: {' '.join(GIVEN)} go up through {blocks} blocks of causal "
        "self-attention, cross-attention and a feed-forward layer; cross-attention takes its queries from "
        "the decoder's tokens, its keys and values from the memory. What comes out is the next sound of "
        f"each: {' '.join(ASKED)}"
    )
    return Picture(
        [
            svg(
                352,
                446,
                words,
                *_column("encoder", ENCODER, 230, blocks),
                *_column("decoder", DECODER, 82, blocks),
                *_tiles(WORD, ENCODER, HEIGHT["letters"]),
                text("letters", _middle(ENCODER), 444),
                *_tiles(GIVEN, DECODER, HEIGHT["letters"]),
                text("sounds so far", _middle(DECODER), 444),
                *_box(ENCODER, HEIGHT["attention"], "self-attention", both_ways),
                *_box(ENCODER, HEIGHT["encoder"], "feed-forward"),
                *_box(DECODER, HEIGHT["attention"], "self-attention", masks.causal(given)),
                *_box(DECODER, HEIGHT["cross"], "cross-attention", cross),
                *_box(DECODER, HEIGHT["decoder"], "feed-forward"),
                *_tiles([""] * letters, ENCODER, HEIGHT["memory"], "part-memory"),
                text("memory", _middle(ENCODER), HEIGHT["memory"] - 8, "part-name"),
                *_tiles(ASKED, DECODER, 24),
                text("next sounds", _middle(DECODER), 16),
                *_arrows(),
                class_="parts",
            )
        ]
    )


def _middle(left: float) -> float:
    return left + BOX / 2


def _column(words: str, left: float, top: float, blocks: int) -> list[Element]:
    """The frame of a stack of blocks, named."""
    frame = {"x": left - 6, "y": top, "width": BOX + 12, "height": 370 - top, "rx": 8}
    return [
        element("rect", class_="part-stack", **frame),
        text(words, left + 2, top + 16, "is-start part-name"),  # the arrow goes up between the two
        text(f"{blocks} blocks", left + BOX - 2, top + 16, "is-end part-name"),
    ]


def _tiles(words: Sequence[str], left: float, top: float, class_: str = "part-token") -> list[Element]:
    side = BOX / len(words)
    made = []
    for i, word in enumerate(words):
        x = left + i * side
        rect = {"x": f"{x + 1:g}", "y": top, "width": f"{side - 2:g}", "height": TILE, "rx": 3}
        made.append(element("rect", class_=class_, **rect))
        if word:
            made.append(text(word, x + side / 2, top + 15, "part-small"))
    return made


def _box(left: float, top: float, words: str, mask: Bool[np.ndarray, "n m"] | None = None) -> list[Element]:
    """A layer; beside the name of an attention, who may look at what: a row for each token that looks."""
    height = 44 if mask is not None else 28
    made = [element("rect", x=left, y=top, width=BOX, height=height, rx=5, class_="part-layer")]
    if mask is None:
        return [*made, text(words, _middle(left), top + 19)]
    kind, name = words.split("-")
    made += [
        text(f"{kind}-", left + 8, top + 19, "is-start"),
        text(name, left + 8, top + 36, "is-start"),
    ]
    x, y = left + BOX - 8 - CELL * mask.shape[1], top + 22 - CELL * mask.shape[0] / 2
    for allowed, class_ in ((True, "part-allowed"), (False, "part-blocked")):
        path = "".join(
            f"M{x + j * CELL:g} {y + i * CELL:g}h{CELL - 1}v{CELL - 1}h-{CELL - 1}z"
            for i, j in zip(*np.nonzero(mask == allowed), strict=True)
        )
        made += [element("path", d=path, class_=class_)] if path else []
    return made


def _arrow(path: str, head: str, role: str = "") -> list[Element]:
    """A line with a head; a role gives it the colour and the dashes of queries, keys or values."""
    kind = f"part-arrow part-{role}" if role else "part-arrow"
    return [
        element("path", d=path, class_=kind),
        element("path", d=head, class_=f"part-head part-{role}-head" if role else "part-head"),
    ]


def _up(left: float, low: float, high: float, role: str = "") -> list[Element]:
    x = _middle(left)
    return _arrow(f"M{x:g} {low:g}V{high + 8:g}", f"M{x:g} {high:g}l-5 9h10z", role)


def _across(y: float, role: str) -> list[Element]:
    start, end = ENCODER + BOX + 2, DECODER
    return _arrow(f"M{start} {y:g}H{end - 8}", f"M{end} {y:g}l-9 -5v10z", role)


def _arrows() -> list[Element]:
    """What flows: tokens upward, queries into cross-attention, keys and values across to it."""
    return [
        *_up(ENCODER, 408, 356),
        *_up(ENCODER, 310, 280),
        *_up(ENCODER, 250, 200),
        *_up(DECODER, 408, 356),
        *_up(DECODER, 310, 216, "query"),
        text("queries", _middle(DECODER) + 9, 270, "is-start part-query-name"),
        *_across(184, "key"),
        *_across(204, "value"),
        text("keys", 174, 177, "part-key-name"),
        text("values", 172, 221, "part-value-name"),
        *_up(DECODER, 170, 132),
        *_up(DECODER, 102, 46),
    ]
