"""What a diagram says to those who do not see it: its author's words, or who is joined to whom."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from typing import NamedTuple

_SVG = "{http://www.w3.org/2000/svg}"
_TITLE = re.compile(r"\A\s*---[ \t]*\n(?:.*\n)*?title:[ \t]*(.+)|^[ \t]*(?:pie[ \t]+)?title[ \t]+(.+)", re.M)
_ALIAS = re.compile(
    r"^[ \t]*(?:participant|actor|state)[ \t]+(?P<name>\w+)[ \t]+as[ \t]+(?P<shown>.+)$", re.M
)
_JOINING = re.compile(
    r"^[ \t]*(?P<start>\w+|\[\*\])[ \t]*(?P<arrow>[-.<>|o}{*()x+]{2,})[ \t]*(?P<end>\w+|\[\*\])[ \t]*"
    r"(?::(?P<said>.*))?$",
    re.M,
)


class Said(NamedTuple):
    """A title and a description."""

    title: str
    description: str


def described(root: ET.Element, source: str) -> Said:
    """Title and description: the author's, or what the drawing shows, in words."""
    title = (root.findtext(f"{_SVG}title") or "").strip()
    description = (root.findtext(f"{_SVG}desc") or "").strip()
    above = _TITLE.search(source)
    shown = [*_relations(root)] or [*_lines(source)] or [*dict.fromkeys(_texts(root))]
    return Said(
        title or ((above[1] or above[2]).strip() if above else _kind(root)), description or "; ".join(shown)
    )


def _kind(root: ET.Element) -> str:
    name = re.sub(r"-?v2$|Diagram$", "", root.get("aria-roledescription", "")) or "diagram"
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()
    if words in ("flowchart", "timeline", "mindmap", "pie"):
        return "Pie chart" if words == "pie" else words.capitalize()
    return f"{words.capitalize()} diagram" if words != "diagram" else "Diagram"


def _relations(root: ET.Element) -> Iterator[str]:
    names: dict[str, str] = {}
    for group in root.iter(f"{_SVG}g"):
        match = re.match(r".*?-flowchart-(.+)-\d+$", group.get("id", ""))
        if match and "node" in group.get("class", "").split():
            names[match[1]] = _words(group)
    labels = {g.get("data-id"): _words(g) for g in root.iter(f"{_SVG}g") if g.get("data-id")}
    joined = set()
    for edge in root.iter(f"{_SVG}path"):
        identifier = edge.get("data-id", "")
        pair = next(
            (
                (start, end)
                for start in names
                for end in names
                if re.fullmatch(rf"L_{re.escape(start)}_{re.escape(end)}_\d+", identifier)
            ),
            None,
        )
        if pair:
            joined.update(pair)
            label = labels.get(identifier)
            yield f"{names[pair[0]]} → {names[pair[1]]}" + (f" ({label})" if label else "")
    yield from (names[name] for name in names if name not in joined)


def _lines(source: str) -> Iterator[str]:
    """What joins two things by name, line by line: messages, transitions, inheritance, relations."""
    known = {m["name"]: m["shown"].strip().strip('"') for m in _ALIAS.finditer(source)}
    for match in _JOINING.finditer(source):
        start, end = (known.get(name, name) for name in (match["start"], match["end"]))
        start, end = ("start" if start == "[*]" else start), ("end" if end == "[*]" else end)
        forth, back = ">" in match["arrow"], "<" in match["arrow"]
        start, end = (end, start) if back and not forth else (start, end)
        said = (match["said"] or "").strip()
        yield f"{start} {'→' if forth != back else '–'} {end}" + (f": {said}" if said else "")


def _texts(root: ET.Element) -> Iterator[str]:
    yield from filter(None, (_words(text) for text in root.iter(f"{_SVG}text")))


def _words(element: ET.Element) -> str:
    lines = [line for text in element.iter(f"{_SVG}text") for line in ([*text] or [text])]
    return " ".join(" ".join(" ".join("".join(line.itertext()).split()) for line in lines).split())
