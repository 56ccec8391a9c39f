"""The files of the site, read without a browser: links, anchors, validity, the characters of the faces."""

import re
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from built import ROOT, SITE
from fontTools.ttLib import TTFont
from selectolax.lexbor import LexborHTMLParser

import browser as browsing

CONFIGURATION = Path(__file__).parent / "html-validate.json"
pytestmark = pytest.mark.usefixtures("site")


@cache
def tree(page: str) -> LexborHTMLParser:
    return LexborHTMLParser((SITE / page).read_text(encoding="utf-8"))


@cache
def anchors(page: str) -> frozenset[str]:
    named = tree(page).css("[id], [name]")
    return frozenset(filter(None, (e.attributes.get("id") or e.attributes.get("name") for e in named)))


def test_links_and_anchors_resolve(site, page_path):
    dead = []
    found = tree(page_path).css(":is([href], [src], [data-src]):not(base)")
    assert found
    for element in found:
        for attribute in ("href", "src", "data-src"):
            target = element.attributes.get(attribute)
            if target is None:
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
    parsed = LexborHTMLParser((SITE / text_path).read_text(encoding="utf-8"))
    article = parsed.css_first("article") or parsed.body
    for figure in article.css("svg"):  # what Matplotlib measured, the system can draw
        figure.decompose()
    text = set(article.text(deep=True)) - set(" \n\t\u200b\u00ad\u2061\u2062\u2063\u2064\ufe0e")
    assert sorted(text - shown) == []


def test_no_page_asks_anything_of_others(page_path):
    loading = [e.attributes for e in tree(page_path).css("script, img, link, iframe")]
    assert loading
    addresses = [a.get("src") or a.get("href") or "" for a in loading if a.get("rel") != "canonical"]
    assert [a for a in addresses if re.match(r"(https?:)?//", a)] == []
