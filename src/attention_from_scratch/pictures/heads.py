"""Several heads on the sentence: where each of them looks, what they hand on, and how it is joined."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from attention_from_scratch import sentence
from attention_from_scratch.heads import multi_head_attention, split_heads
from attention_from_scratch.pictures.elements import (
    Element,
    Picture,
    element,
    grid,
    number,
    svg,
    text,
    word_class,
)

START = "it"
LINE, TOP, LEFT, RIGHT, WIDTH, BASE = 23, 34, 74, 160, 266, 17
NAMES = {0: "head 1: who?", 1: "head 2: how?"}


def picture() -> Picture:
    """A panel for each head, the heads' outputs side by side, and what the output kernel makes of them."""
    words = sentence.SENTENCE
    x = sentence.tokens(words)
    output, weights = multi_head_attention(x, x, x, sentence.HEADS)
    values = split_heads(x, sentence.HEADS.value_kernel, sentence.HEADS.value_bias)
    joined = np.concatenate(list(weights @ values), axis=1)
    telling = [words.index(word) for word in sentence.TELLING]
    panels = [_panel(head, w, telling) for head, w in enumerate(weights)]
    kernel = sentence.HEADS.output_kernel.reshape(-1, x.shape[1])
    rows = [_choice(word) for word in sentence.TELLING]
    grids = element(
        "div",
        grid(
            "concat",
            joined[telling],
            rows=sentence.TELLING,
            columns=("head 1", "head 1", "head 2", "head 2"),
            row_attributes=rows,
        ),
        element("span", "@", class_="grids-sign"),
        grid("W_O", kernel, columns=sentence.FEATURES),
        element("span", "=", class_="grids-sign"),
        grid("output", output[telling], role="value", columns=sentence.FEATURES, row_attributes=rows),
        class_="grids",
    )
    told = [
        _words(word, i, weights, joined, output) for word, i in zip(sentence.TELLING, telling, strict=True)
    ]
    return Picture([element("div", *panels, class_="heads-panels"), element("div", *told), grids])


def _choice(word: str) -> dict[str, object]:
    return {"data_choice": word, "class_": "is-current" if word == START else None}


def _panel(head: int, weights: Float[np.ndarray, "words words"], telling: list[int]) -> Element:
    words = sentence.SENTENCE
    middle = [TOP + LINE * i for i in range(len(words))]
    looking = [text(words[i], LEFT - 6, middle[i] + 5, f"is-end {word_class(words[i])}") for i in telling]
    seen = [
        text(word, RIGHT + 6, middle[i] + 5, f"is-start {word_class(word)}") for i, word in enumerate(words)
    ]
    ribbons = []
    for i in telling:
        drawn, used = [], middle[i] - BASE / 2
        for j, word in enumerate(words):
            width = float(weights[i, j]) * BASE
            start, end = used + width / 2, middle[j]
            used += width
            bend = (LEFT + RIGHT) / 2
            path = f"M{LEFT} {start:.1f}C{bend:g} {start:.1f} {bend:g} {end} {RIGHT} {end}"
            kind = f"heads-ribbon {word_class(word)}"
            drawn.append(element("path", d=path, class_=kind, stroke_width=f"{max(width, 0.7):.1f}"))
        best = int(weights[i].argmax())
        shown = text(number(weights[i, best]), WIDTH - 4, middle[best] + 5, "is-end heads-weight")
        ribbons.append(element("g", *drawn, shown, **_choice(words[i])))
    best_of = words[int(weights[words.index(START)].argmax())]
    return svg(
        WIDTH,
        TOP + LINE * len(words) - 6,
        f"{NAMES[head]} Ribbons from the word that looks to all words; “{START}” gives most to “{best_of}”",
        text(NAMES[head], 4, 12, "is-start heads-title"),
        *ribbons,
        *looking,
        *seen,
        class_="heads-panel",
    )


def _words(word: str, i: int, weights: np.ndarray, joined: np.ndarray, output: np.ndarray) -> Element:
    best = [int(w[i].argmax()) for w in weights]
    looks = "; ".join(
        f"head {h + 1} gives {number(weights[h, i, j])} to “{sentence.SENTENCE[j]}”"
        for h, j in enumerate(best)
    )
    numbers = ", ".join(number(x) for x in joined[i])
    mixed = ", ".join(number(x) for x in output[i])
    return element(
        "p",
        element("b", f"“{word}”", class_=word_class(word)),
        f": {looks}. Side by side, what they hand on is ({numbers}). W_O makes ({mixed}) of it.",
        **{**_choice(word), "class_": "picture-words" + (" is-current" if word == START else "")},
    )
