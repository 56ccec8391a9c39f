"""The files of the site, read without a browser: links, anchors, validity, the characters of the faces."""

import re
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

import html5lib
import pytest
from built import ROOT, SITE
from fontTools.ttLib import TTFont

import browser as browsing

CONFIGURATION = Path(__file__).parent / "html-validate.json"
pytestmark = pytest.mark.usefixtures("site")
HTML = "{http://www.w3.org/1999/xhtml}"


@cache
def tree(page: str):
    return html5lib.parse((SITE / page).read_bytes(), namespaceHTMLElements=True)


@cache
def anchors(page: str) -> frozenset[str]:
    return frozenset(filter(None, (e.get("id") or e.get("name") for e in tree(page).iter())))


def test_links_and_anchors_resolve(site, page_path):
    dead = []
    for element in tree(page_path).iter():
        for attribute in ("href", "src", "data-src"):
            target = element.get(attribute)
            if target is None or element.tag == f"{HTML}base":
                continue
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            place = (site / page_path).parent / unquote(parts.path) if parts.path else site / page_path
            place = place.resolve()
            place = place / "index.html" if place.is_dir() else place
            if not place.is_file() or not place.is_relative_to(site):
                dead.append(target)
                continue
            known = anchors(place.relative_to(site).as_posix()) if place.suffix == ".html" else ()
            if parts.fragment and unquote(parts.fragment) not in known:
                dead.append(target)
    assert dead == []


def test_html_is_valid(site):
    assert browsing.validate(ROOT, site, CONFIGURATION) == []


@pytest.fixture(scope="module")
def shown() -> set[str]:
    faces = (SITE / "assets" / "vendor").glob("*.woff2")
    return {chr(code) for face in faces for code in TTFont(face).getBestCmap()}


def test_the_vendored_faces_have_every_character_of_the_pages(text_path, shown):
    parsed = html5lib.parse((SITE / text_path).read_bytes(), namespaceHTMLElements=True)
    article = next(e for tag in ("article", "body") for e in parsed.iter(HTML + tag))
    drawn = [
        e for e in article.iter() if e.tag.endswith("}svg")
    ]  # what Matplotlib measured, the system can draw
    for figure in drawn:
        figure.clear()
    text = set("".join(article.itertext())) - set(" \n\t\u200b\u00ad\u2061\u2062\u2063\u2064\ufe0e")
    assert sorted(text - shown) == []


def test_no_page_asks_anything_of_others(page_path):
    loading = [
        e
        for e in tree(page_path).iter()
        if e.tag in {f"{HTML}{t}" for t in ("script", "img", "link", "iframe")}
    ]
    addresses = [e.get("src") or e.get("href") or "" for e in loading if e.get("rel") != "canonical"]
    assert [a for a in addresses if re.match(r"(https?:)?//", a)] == []
