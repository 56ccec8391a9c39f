"""What no reader should see in a finished page: marks of templates, of Markdown, of Python, of the theme."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

_LEFTOVERS = {
    "{{": "an unresolved reference",
    "{%": "an unresolved tag",
    "{ .measured": "an attribute list that no extension read",
    "{ .claim-mark": "an attribute list that no extension read",
    "{ .data-link": "an attribute list that no extension read",
    "{ data-figure": "an attribute list that no extension read",
    "Traceback (most recent call last)": "a traceback",
    "np.float64": "NumPy's repr",
    "np.float32": "NumPy's repr",
    "$$": "an unrendered formula",
    r"\(": "an unrendered formula",
    r"\[": "an unrendered formula",
    "site:/": "an unresolved address",
}
# A file may be called i18n.json; a theme's key is.
_KEY = re.compile(r"\b(?:pch|i18n)\.(?!(?:js|json|md|mjs|po|py|toml|ts|txt|ya?ml)\b)[a-z]\w+\b")
_PRIVATE = re.compile("[\ue000-\uf8ff]")
# Code is shown as written, and a formula keeps its LaTeX, braces and all.
_CODE = frozenset(("pre", "code", "kbd", "samp", "script", "style", "math"))
_WORDS = ("title", "alt", "aria-label", "content", "placeholder", "href", "src")


def problems(tree: LexborHTMLParser, rendered: str) -> Iterator[str]:
    """What is left in a page, each with a few words of where.

    Args:
        tree: of the finished page.
        rendered: the page as the renderer wrote it. A measured text may hold any of these marks; it was
            escaped sign by sign, so what stands there letter by letter is no measured text.
    """
    for text in _texts(tree.root):
        if (
            not any(mark in text for mark in _LEFTOVERS)
            and not _KEY.search(text)
            and not _PRIVATE.search(text)
        ):
            continue
        for leftover, what in _LEFTOVERS.items():
            place = text.find(leftover)
            if place >= 0 and _as_written(text[place : place + 12], rendered):
                yield f"{what} is left in the page: {_around(text, place)}"
        if key := _KEY.search(text):
            yield f"an untranslated key is left in the page: {key[0]}"
        if sign := _PRIVATE.search(text):
            yield f"the private-use character U+{ord(sign[0]):04X} is left in the page"


def _as_written(text: str, rendered: str) -> bool:
    return any(form in rendered for form in (text, html.escape(text, quote=False), html.escape(text)))


def _texts(node: LexborNode) -> Iterator[str]:
    """Every text, and every attribute that is read or followed, outside what is shown as written."""
    child = node.child
    while child is not None:
        if child.tag == "-text":
            yield child.text_content or ""
        elif child.tag not in _CODE:
            attributes = child.attributes
            yield from (attributes[name] for name in _WORDS if attributes.get(name))
            yield from _texts(child)
        child = child.next


def _around(text: str, place: int) -> str:
    return repr(" ".join(text[max(0, place - 20) : place + 40].split()))
