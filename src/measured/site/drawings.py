"""SVG files that a site publishes: each can be opened by itself, and is then a page with the site's rights.

So a file holds drawing alone: elements and attributes of the same list as drawings in pages, styles that
fetch nothing, no document type, no script, nothing from elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from lxml import etree

from measured import keeping
from measured.errors import MeasuredError
from measured.site import allowlist

_SVG = "http://www.w3.org/2000/svg"
_XLINK = "http://www.w3.org/1999/xlink"
_XML = "http://www.w3.org/XML/1998/namespace"
_FETCHING = re.compile(r"@import|url\(\s*['\"]?\s*(?!#|['\"]?#)", re.I)
LARGEST = 8_000_000  # bytes


def refuse(site: Path, answers: keeping.Answers | None = None) -> int:
    """Look at every SVG file of a site.

    Args:
        site: the built folder.
        answers: of earlier looks.

    Raises:
        MeasuredError: one that is more than a drawing.
    """
    found = sorted(path for path in site.rglob("*") if path.suffix.lower() in (".svg", ".svgz"))
    answers = answers or keeping.Answers()
    for path in found:
        data = path.read_bytes()
        problem = answers.of(data, "drawing", partial(_first_problem, data))
        if problem:
            raise MeasuredError(
                f"the drawing holds {problem}",
                path=path.relative_to(site),
                expected="a drawing that stands alone: no scripts, nothing from elsewhere",
                mend="export it as plain SVG",
            )
    return len(found)


def _first_problem(data: bytes) -> str:
    return next(problems(data), "")


def problems(data: bytes) -> Iterator[str]:
    """What an SVG file holds besides a drawing."""
    if len(data) > LARGEST:
        yield f"{len(data):,} bytes, more than {LARGEST:,}"
        return
    if b"<!DOCTYPE" in data or b"<!ENTITY" in data:
        yield "a document type, which can define anything"
        return
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        yield f"what XML does not allow: {error}"
        return
    if root.tag != f"{{{_SVG}}}svg":
        yield f"another root than <svg>: {root.tag}"
        return
    for node in (*root.itersiblings(preceding=True), *root.itersiblings(), *root.iter()):
        yield from _node_problems(node)


def _node_problems(node: etree._Element) -> Iterator[str]:
    if node.tag is etree.Comment:
        return
    if not isinstance(node.tag, str):
        yield "a processing instruction or an entity"
        return
    name = etree.QName(node)
    if name.namespace != _SVG:
        yield f"the foreign element <{name.localname}>"
        return
    if name.localname == "style":
        if _FETCHING.search("".join(node.itertext())):
            yield "a style that fetches"
        return
    for attribute, value in node.attrib.items():
        key = etree.QName(attribute)
        prefix = {_XLINK: "xlink:", _XML: "xml:", None: ""}.get(key.namespace)
        if prefix is None:
            yield f"the foreign attribute {key.localname}"
        elif prefix + key.localname == "style":
            if _FETCHING.search(value):
                yield "a style that fetches"
        elif (prefix, key.localname) not in (("xlink:", "type"), ("xlink:", "title"), ("xml:", "lang")):
            yield from allowlist.drawing_problems(name.localname, prefix + key.localname, value)
    if name.localname.lower() not in allowlist.DRAWING:
        yield f"<{name.localname}>"
