"""What a page costs to open, counted in bytes on the wire, compressed as hosts compress."""

import gzip
import json
import re

import pytest
from built import ROOT, settle
from selectolax.lexbor import LexborHTMLParser

from measured.project import Project
from measured.site import checks

PAGE, FIRST_LOAD, INDEX, CHAPTER = 60_000, 200_000, 80_000, 700_000
SHIFT = """window.shift = 0; new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) window.shift += entry.value;
}).observe({ type: "layout-shift", buffered: true });"""
LATE = ("p5.min.js", "workers/search", "search_index.json")


def test_the_first_load_is_light_and_leaves_for_later_what_can_wait(visit, text_path):
    page = visit("404.html", width=412)
    page.context.add_init_script(SHIFT)
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    got, names = {}, {}
    session.on("Network.responseReceived", lambda e: names.update({e["requestId"]: e["response"]["url"]}))
    session.on("Network.loadingFinished", lambda e: got.update({e["requestId"]: e["encodedDataLength"]}))
    page.goto(page.url.replace("404.html", text_path.removesuffix("index.html")), wait_until="networkidle")
    total = sum(got.values())
    parts = sorted(((size, names.get(key, "")) for key, size in got.items()), reverse=True)
    print(f"\n{text_path}: {total:,} bytes in {len(got)} answers")
    assert total <= FIRST_LOAD, parts
    assert not [name for name in names.values() if any(late in name for late in LATE)]
    assert page.evaluate("window.shift") < 0.1, "lines moved while faces loaded"


def test_a_page_is_light(site, page_path):
    name = page_path.removesuffix("/index.html") + ".md"
    allowed = Project.load(ROOT).list_bytes if name in checks.LISTS else PAGE
    assert len(gzip.compress((site / page_path).read_bytes())) <= allowed


@pytest.fixture(scope="module")
def index(site) -> list[dict]:
    path = site / "search" / "search_index.json"
    assert len(gzip.compress(path.read_bytes())) <= INDEX
    return json.loads(path.read_text(encoding="utf-8"))["docs"]


def test_search_finds_captions_and_prose_and_no_outputs(site, index):
    text = " ".join(re.sub(r"<[^>]+>", "", f"{d['title']} {d['text']}") for d in index)
    for page in site.rglob("index.html"):
        tree = LexborHTMLParser(page.read_text(encoding="utf-8"))
        for left_out in tree.css("[data-search-exclude]"):
            left_out.decompose()
        captions = re.findall(r"<figcaption>\s*<p><strong>[^<]*</strong>([^<]{20,})", tree.html)
        for caption in captions:
            assert " ".join(caption.split())[:60] in " ".join(text.split()), page
    assert "Show what was measured" not in text, "an answer would stand in the hits, before it is guessed"
    assert "array([" not in text
    assert "def attention(" not in text
    assert not [d for d in index if d["location"].startswith("measurements/")]


def test_a_page_asks_early_for_the_face_of_the_formulas_that_it_shows(site):
    page = (site / "attention" / "index.html").read_text(encoding="utf-8")
    assert "stix-two-math-400-normal" in re.search(r'data-faces="([^"]*)"', page)[1].split()


@pytest.mark.parametrize("width", [1440, 390])
def test_who_reads_the_chapter_to_its_end_has_fetched_little_and_nothing_that_waits(visit, width):
    page = visit("404.html", width=width, touched=False)
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})  # the page of errors has fetched some
    fetched = {}
    page.on("response", lambda response: fetched.update({response.url: len(response.body())}))
    page.goto(page.url.replace("404.html", "attention/"))
    page.mouse.move(1, 1)
    settle(page)
    page.wait_for_load_state("networkidle")
    parts = sorted(((size, url) for url, size in fetched.items()), reverse=True)
    total = sum(fetched.values())
    print(f"\n{width} px: {total:,} bytes, uncompressed, in {len(fetched)} answers")
    late = ("p5.min.js", "/data/cards/", "/card.js", "-rare-", *LATE)
    assert [url for url in fetched if any(name in url for name in late)] == []
    assert total <= CHAPTER, parts
