"""What search finds: the prose of each page by its sections, read from finished pages.

Renderers write an index of their own, from pages that are not finished, each in its own form. Its settings
stay; what it lists is replaced.
"""

from __future__ import annotations

import html
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from selectolax.lexbor import LexborNode

from measured import files
from measured.weaving import formulas

_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_BLOCKS = frozenset(
    ("p", "li", "dd", "dt", "td", "th", "figcaption", "summary", "blockquote", "caption", "div", "section")
    + ("details", "table", "tr", "thead", "tbody", "ul", "ol", "dl", "figure")
)
# Code, outputs, drawings, measured tables and settings are looked at; nobody searches for a digit in them.
_UNSEARCHED_CLASSES = frozenset(("headerlink", "measured-table", "conditions", "md-content__button"))
_UNSEARCHED = frozenset(("pre", "svg", "script", "button", "form", "nav", "img", "audio", "video"))


@dataclass(frozen=True)
class Section:
    """A heading with the prose below it, up to the next heading.

    Args:
        anchor: of the heading; empty for the page's beginning.
        level: of the heading.
        title: in plain text.
        paragraphs: in plain text.
    """

    anchor: str
    level: int
    title: str
    paragraphs: tuple[str, ...]


def sections(article: LexborNode) -> Iterator[Section]:
    """The sections of a page."""
    anchor, level, title = "", 1, ""
    paragraphs: list[str] = []
    for kind, text, where in _pieces(article):
        if kind == "text":
            paragraphs.append(text)
            continue
        if title or paragraphs:
            yield Section(anchor, level, title, tuple(paragraphs))
        anchor, level, title, paragraphs = where, int(kind[1]), text, []
    if title or paragraphs:
        yield Section(anchor, level, title, tuple(paragraphs))


def _pieces(node: LexborNode) -> Iterator[tuple[str, str, str]]:
    """Headings and paragraphs in order: `(kind, text, anchor)`."""
    line: list[str] = []
    child = node.child
    while child is not None:
        tag = child.tag or ""
        if tag in _HEADINGS and not _excluded(child):
            yield from _ended(line)
            yield tag, _joined(_words(child)), child.attributes.get("id") or ""
        elif tag in _BLOCKS and not _excluded(child):
            yield from _ended(line)
            yield from _pieces(child)
        else:
            line.extend(_words_of(child))
        child = child.next
    yield from _ended(line)


def _ended(line: list[str]) -> Iterator[tuple[str, str, str]]:
    text = _joined(line)
    line.clear()
    if any(map(str.isalpha, text)):  # a cell that holds a number alone is found by nobody
        yield "text", text, ""


def _joined(words: Sequence[str] | Iterator[str]) -> str:
    return " ".join("".join(words).split())


def _words(node: LexborNode) -> Iterator[str]:
    child = node.child
    while child is not None:
        yield from _words_of(child)
        child = child.next


def _words_of(node: LexborNode) -> Iterator[str]:
    if node.tag == "-text":
        yield node.text_content or ""
    elif node.tag == "math":
        apart = " " if node.attributes.get("display") == "block" else ""
        markup = (node.html or "").replace("&nbsp;", "\u00a0")  # HTML's one entity that XML lacks
        yield apart + formulas.as_text(markup) + apart
    elif node.tag not in _UNSEARCHED and not _excluded(node):
        yield from _words(node)
        if node.tag == "br":
            yield " "


def _excluded(node: LexborNode) -> bool:
    attributes = node.attributes
    classes = (attributes.get("class") or "").split()
    return (
        "data-search-exclude" in attributes
        or not _UNSEARCHED_CLASSES.isdisjoint(classes)
        or node.tag in _UNSEARCHED
    )


def write(site: Path, pages: Mapping[str, Sequence[Section]], boosts: Mapping[str, float]) -> int:
    """Replace what the renderer's index lists, in the form that its script reads.

    Args:
        site: the built folder.
        pages: sections by the page's address.
        boosts: how much more than others' a page's hits weigh, by its address.

    Returns:
        How many sections search can find; 0 where the site has no search.
    """
    count = 0
    for name, key, entry in (
        ("search/search_index.json", "docs", _for_material),
        ("search.json", "items", _for_zensical),
    ):
        path = site / name
        if not path.is_file():
            continue
        index = json.loads(path.read_text(encoding="utf-8"))
        index[key] = [
            entry(address, section, pages[address][0].title, boosts.get(address, 1))
            for address in sorted(pages)
            for section in pages[address]
        ]
        count = len(index[key])
        files.write_text(path, json.dumps(index, ensure_ascii=False, separators=(",", ":")))
    return count


def _for_material(address: str, section: Section, title: str, boost: float) -> dict[str, Any]:
    weighs = {} if boost == 1 else {"boost": boost}
    return {"location": _location(address, section), "title": html.escape(section.title, quote=False),
            "text": _paragraphs(section), **weighs}  # fmt: skip


def _for_zensical(address: str, section: Section, title: str, boost: float) -> dict[str, Any]:
    path = [title] if section.level > 1 else []
    return {"location": _location(address, section), "level": section.level, "title": section.title,
            "text": _paragraphs(section), "path": path, "tags": []}  # fmt: skip


def _location(address: str, section: Section) -> str:
    return f"{address}#{section.anchor}" if section.anchor and section.level > 1 else address


def _paragraphs(section: Section) -> str:
    return " ".join(f"<p>{html.escape(text, quote=False)}</p>" for text in section.paragraphs)
