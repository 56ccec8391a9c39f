"""Each page at three widths in both schemes, without scripts, and page after page."""

import pytest
from built import settle
from playwright.sync_api import expect

WIDTHS = (1440, 768, 390)
SCHEMES = ("light", "dark")
TOO_WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.mark.parametrize("scheme", SCHEMES)
def test_no_page_scrolls_sideways_and_the_console_is_silent(visit, text_path, scheme):
    page = visit(text_path, scheme=scheme)
    settle(page)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_timeout(60)
        assert page.evaluate(TOO_WIDE) <= 0, f"at {width} px"
    chosen = page.locator("body").get_attribute("data-md-color-scheme")
    assert chosen == {"light": "default", "dark": "slate"}[scheme]


HIDDEN = """() => [...document.querySelectorAll("article :is(h1, h2, h3, p, li, td, figure, pre, summary)")]
  .filter((e) => !e.closest("details:not([open]) > :not(summary), .tabbed-content, .footnote"))
  .filter((e) => e.textContent.trim() && !e.getClientRects().length)
  .map((e) => e.outerHTML.slice(0, 120))"""


def test_without_scripts_everything_is_there(visit, text_path):
    page = visit(text_path, java_script_enabled=False, width=390)
    assert page.evaluate(HIDDEN) == []
    assert page.evaluate(TOO_WIDE) <= 0
    expect(page.locator("article h1")).to_be_visible()


def go(page, path: str) -> None:
    """By a click on a link of the page, without loading it anew."""
    page.evaluate("window.stayed = true")
    page.locator(f'.md-nav a[href$="{path}"]').first.evaluate("link => link.click()")
    page.wait_for_url(f"**/{path}")
    page.wait_for_timeout(300)
    assert page.evaluate("window.stayed") is True, "the page was loaded anew"


def test_instant_navigation_keeps_components_alive(visit, text_path):
    page = visit("index.html")
    place = text_path.removesuffix("index.html")
    if not page.locator(f'.md-nav a[href$="{place}"]').count() or not place:
        pytest.skip("not in the navigation")
    go(page, place)
    settle(page)
    broken = 'math:not(:has(*)), [data-mounted="failed"], .arithmatex'
    expect(page.locator(broken)).to_have_count(0)


def test_there_and_back_again(visit):
    page = visit("index.html")
    settle(page)
    go(page, "glossary/")
    page.go_back()
    expect(page.locator("article h1")).to_contain_text("Attention from Scratch")
    settle(page)


def test_search_waits_and_then_finds_prose(visit):
    page = visit("index.html")
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.wait_for_timeout(500)
    assert not [url for url in asked if "search" in url]
    page.keyboard.press("/")
    page.keyboard.type("causal mask")
    first = page.locator(".md-search-result__item a").first
    expect(first).to_be_visible()
    assert any("search_index.json" in url for url in asked)
    first.click()
    page.wait_for_url("**/?h=*")
    expect(page.locator("article mark").first).to_be_attached()


def test_nothing_moves_while_faces_load(visit, text_path):
    page = visit("404.html", width=412)
    page.context.add_init_script(
        "window.shift = 0; new PerformanceObserver((list) => { for (const e of list.getEntries())"
        " window.shift += e.value; }).observe({ type: 'layout-shift', buffered: true });"
    )
    page.goto(page.url.replace("404.html", text_path.removesuffix("index.html")))
    page.wait_for_timeout(700)
    assert page.evaluate("window.shift") < 0.05
