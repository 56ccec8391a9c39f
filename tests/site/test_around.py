"""Around the text: titles, footer, ways on, paper, files opened without a server, fingers, and what moves."""

from __future__ import annotations

import re
import threading

import pytest
from built import settle, until
from test_weight import SHIFT

import browser as browsing

WITH_SKETCHES = ("index.html", "attention/index.html", "steps/index.html", "circuits/index.html")


def texts(site) -> list[str]:
    return [page for page in browsing.pages_of(site) if not page.startswith("code/")]


def test_titles_are_said_once_and_no_two_pages_share_one(site):
    titles = {}
    for path in texts(site):
        title = re.search(r"<title>([^<]*)</title>", (site / path).read_text(encoding="utf-8"))[1]
        parts = [part.casefold() for part in title.split(" - ")]
        assert len(parts) == len(set(parts)), title
        titles.setdefault(title, []).append(path)
    assert [paths for paths in titles.values() if len(paths) > 1] == []


def test_no_words_are_true_in_one_scheme_alone(site):
    told = re.compile(r"\b(?:the )?(?:darker|lighter|darkest|lightest|dark cells?|light cells?)\b", re.I)
    found = {path: told.findall((site / path).read_text(encoding="utf-8")) for path in texts(site)}
    assert {path: words for path, words in found.items() if words} == {}


def test_the_footer_says_who_when_under_which_licence_and_how_to_cite(site, text_path):
    page = (site / text_path).read_text(encoding="utf-8")
    footer = page[page.rindex('class="md-copyright"') :]
    assert "The authors of Attention from Scratch" in footer
    assert "MIT licence" in footer
    assert re.search(r"version \d+\.\d+\.\d+, \d{4}-\d{2}-\d{2}", footer)
    way = "./" if text_path == "cite/index.html" else "cite/"
    assert re.search(f'href="[^"]*{way}">How to cite', footer)


def test_the_page_of_errors_and_the_listings_lead_on(site):
    lost = (site / "404.html").read_text(encoding="utf-8")
    assert lost[lost.index("<article") :].count("<li>") >= 5
    for listing in [page for page in browsing.pages_of(site) if page.startswith("code/")][:3]:
        page = (site / listing).read_text(encoding="utf-8")
        assert '<nav aria-label="Site">' in page
        assert "All code" in page


def test_a_page_opened_as_a_file_says_what_to_type_and_a_served_one_does_not(browser, site, visit):
    page = browser.new_page()
    page.goto((site / "index.html").as_uri())
    notice = page.locator(".file-notice")
    assert notice.is_visible()
    assert "nox -s view" in notice.inner_text()
    page.close()
    assert not visit("index.html").locator(".file-notice").is_visible()


@pytest.mark.parametrize("path", WITH_SKETCHES)
def test_a_finger_that_starts_on_a_sketch_scrolls_the_page(visit, path):
    page = visit(path, width=390, has_touch=True, is_mobile=True)
    settle(page)
    session = page.context.new_cdp_session(page)
    for sketch in page.locator(".sketch").all():
        if sketch.get_by_role("button", name="Play").count():  # with the drawing library in charge
            sketch.get_by_role("button", name="Play").first.tap()
            page.wait_for_timeout(1500)
        sketch.evaluate("e => e.scrollIntoView({block: 'center'})")
        page.wait_for_timeout(150)
        before = page.evaluate("scrollY")
        box = sketch.bounding_box()
        x, y = box["x"] + 0.3 * box["width"], min(max(box["y"] + 0.4 * box["height"], 300), 700)
        swipe(session, page, x, y)
        assert page.evaluate("scrollY") > before + 50, sketch.get_attribute("data-sketch")


def swipe(session, page, x: float, y: float) -> None:
    """A finger that moves up by 200 px."""
    touch = "Input.dispatchTouchEvent"
    session.send(touch, {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    for step in range(1, 11):
        session.send(touch, {"type": "touchMove", "touchPoints": [{"x": x, "y": y - 20 * step}]})
        page.wait_for_timeout(16)
    session.send(touch, {"type": "touchEnd", "touchPoints": []})
    page.wait_for_timeout(200)


@pytest.mark.parametrize("width", [1440, 390])
def test_nothing_moves_while_a_page_is_scrolled_to_its_end(visit, text_path, width):
    page = visit("404.html", width=width)
    page.context.add_init_script(SHIFT)
    page.goto(page.url.replace("404.html", text_path.removesuffix("index.html")), wait_until="networkidle")
    settle(page)
    assert page.evaluate("window.shift") <= 0.02


@pytest.mark.parametrize(("path", "width"), [("transformer/", 390), ("attention/", 1440)])
def test_late_faces_move_nothing_and_the_next_page_has_them(browser, site, path, width):
    may_come = threading.Event()
    with browsing.served(site, may_come) as address:
        context = browser.new_context(viewport={"width": width, "height": 900}, reduced_motion="reduce")
        page = context.new_page()
        page.add_init_script(SHIFT)
        page.goto(address + path, wait_until="commit")
        until(page, "performance.getEntriesByName('first-contentful-paint').length > 0")
        page.wait_for_timeout(500)
        may_come.set()
        page.evaluate("document.fonts.ready")
        page.wait_for_timeout(200)
        assert page.evaluate("window.shift") <= 0.02
        assert "Source Serif" not in faces_of(page, "h1"), "nothing was late"
        page.mouse.move(1, 1)
        until(page, "Boolean(window.document$)")
        page.evaluate("window.isSameDocument = true")
        page.locator(".md-footer__link--next").click()
        until(page, f"!location.pathname.includes('/{path}')")
        page.wait_for_timeout(300)
        assert page.evaluate("window.isSameDocument")
        assert faces_of(page, "h1").startswith("Source Serif 4")
        context.close()


def faces_of(page, selector: str) -> str:
    """The typefaces that an element's text is really drawn with."""
    session = page.context.new_cdp_session(page)
    for domain in ("DOM", "CSS"):
        session.send(f"{domain}.enable")
    root = session.send("DOM.getDocument")["root"]["nodeId"]
    node = session.send("DOM.querySelector", {"nodeId": root, "selector": selector})["nodeId"]
    drawn = session.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"]
    return ", ".join(sorted(font["familyName"] for font in drawn))


@pytest.mark.parametrize("path", WITH_SKETCHES)
def test_on_paper_a_sketch_nobody_came_near_is_its_text_and_diagrams_are_drawings(visit, path):
    page = visit(path, touched=False)
    page.emulate_media(media="print")
    tall = page.evaluate(
        """[...document.querySelectorAll('.sketch:not([data-mounted=ready])')]
        .map(e => [e.getBoundingClientRect().height, e.scrollHeight, e.textContent.trim().length])"""
    )
    for height, content, length in tall:
        assert height <= content + 4, "an empty box"
        assert length > 40
    assert page.locator("pre.diagram").count() == 0


def test_back_to_top_lies_on_no_title(visit):
    page = visit("attention/index.html", width=390)
    for y in (4000, 3600):
        page.evaluate(f"scrollTo(0, {y})")
        page.wait_for_timeout(300)
    box = page.locator(".md-top").bounding_box()
    assert box["y"] > 600
    assert box["x"] > 195
