"""Files that a browser would run as pages are pages, or are not published."""

from __future__ import annotations

import pytest

from measured.errors import MeasuredError
from measured.site import documents

XHTML = b'<x xmlns:h="http://www.w3.org/1999/xhtml"><h:script>go()</h:script></x>'


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("x.htm", b""),
        ("x.xhtml", b""),
        ("x.HTML", b""),
        ("deep/x.svgz", b""),
        ("x.xml", XHTML),
        ("x.XML", XHTML),
        ("feed.rss", b'<rss><svg xmlns="http://www.w3.org/2000/svg" onload="go()"/></rss>'),
        ("x.xml", b'<?xml version="1.0"?><?xml-stylesheet href="x.xsl" type="text/xsl"?><x/>'),
        ("x.xml", b"<!DOCTYPE x [<!ENTITY a 'b'>]><x>&a;</x>"),
        ("x.xml", b"<html><script>go()</script>"),
    ],
)
def test_what_a_browser_would_run_is_refused(tmp_path, name, data):
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    with pytest.raises(MeasuredError, match="the file would be published"):
        documents.refuse(tmp_path)


def test_pages_and_data_are_published(tmp_path):
    (tmp_path / "index.html").write_text("<!doctype html>")
    (tmp_path / "sitemap.xml").write_text(
        '<?xml version="1.0"?><!-- x --><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"/>'
    )
    (tmp_path / "x.csv").write_text("<script>")
    documents.refuse(tmp_path)
