"""Files that a browser opens as pages although nothing has made pages of them.

Pages are read and given a policy; a file of another kind that runs scripts when it is opened by itself has
none. XML is data as long as it holds nothing of XHTML or SVG and names no style sheet.
"""

from __future__ import annotations

from pathlib import Path

from lxml import etree

from measured.errors import MeasuredError

_PAGES = {
    ".htm",
    ".xhtml",
    ".xht",
    ".shtml",
    ".stm",
    ".mht",
    ".mhtml",
    ".hta",
    ".xsl",
    ".xslt",
    ".svgz",
    ".swf",
}
_XML = {".xml", ".rss", ".atom", ".rdf"}
_RUNNING = (
    "http://www.w3.org/1999/xhtml",
    "http://www.w3.org/2000/svg",
    "http://www.w3.org/1999/XSL/Transform",
)


def refuse(site: Path) -> None:
    """Look at every file of a site that is no page.

    Raises:
        MeasuredError: one that a browser would run.
    """
    for path in sorted(site.rglob("*")):
        suffix = path.suffix.lower()
        if suffix in _PAGES or (suffix == ".html" and path.suffix != suffix):
            raise _runs(
                path.relative_to(site), f"a browser opens {path.suffix} as a page, and no policy covers it"
            )
        if suffix in _XML:
            problem = xml_problem(path.read_bytes())
            if problem:
                raise _runs(path.relative_to(site), problem)


def xml_problem(data: bytes) -> str:
    """Why XML is more than data; empty where it is not."""
    if b"<!DOCTYPE" in data or b"<!ENTITY" in data:
        return "it holds a document type, which can define anything"
    try:
        root = etree.fromstring(
            data, etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
        )
    except (etree.XMLSyntaxError, ValueError):
        return "it is no XML, and a browser would guess what it is"
    for node in (*root.itersiblings(preceding=True), *root.itersiblings(), *root.iter()):
        if isinstance(node.tag, str) and etree.QName(node).namespace in _RUNNING:
            return f"it holds <{etree.QName(node).localname}>, which a browser runs or draws"
        if not isinstance(node.tag, str) and node.tag is not etree.Comment:
            return "it holds an instruction"
    return ""


def _runs(path: Path, problem: str) -> MeasuredError:
    return MeasuredError(
        f"the file would be published, and {problem}",
        path=path,
        expected="pages as Markdown or .html, drawings as .svg, data as .json, .csv or plain .xml",
        mend="make a page of it, or publish it as an archive to be downloaded",
    )
