"""From page to page without loading anew, search that waits, and lines that stay where they are."""

import re

import pytest
from built import settle, until
from playwright.sync_api import expect


def go(page, address: str) -> None:
    """By a click on a link of the page, without loading it anew."""
    page.evaluate("window.stayed = true")
    page.evaluate(
        "to => [...document.querySelectorAll('.md-nav a')].find((a) => a.href === to).click()", address
    )
    page.wait_for_url(address)
    page.wait_for_timeout(300)
    assert page.evaluate("window.stayed") is True, "the page was loaded anew"


def test_instant_navigation_keeps_components_alive(visit):
    """One walk through everything in the navigation: maths, diagrams, sketches stand on each page."""
    page = visit("index.html")
    places = page.eval_on_selector_all(
        ".md-nav a[href]", "links => links.map((link) => link.href.split('#')[0])"
    )
    for place in dict.fromkeys(places):
        if place == page.url:
            continue
        go(page, place)
        settle(page)
        broken = 'math:not(:has(*)), [data-mounted="failed"], .arithmatex'
        expect(page.locator(broken)).to_have_count(0)
        expect(page.locator("article h1")).to_be_visible()


def test_there_and_back_again(visit):
    page = visit("index.html")
    settle(page)
    go(page, page.url + "glossary/")
    page.go_back()
    expect(page.locator("article h1")).to_contain_text("Attention from Scratch")
    settle(page)


def test_who_comes_back_by_keyboard_stands_on_the_link_that_led_away(visit):
    page = visit("steps/index.html")
    link = page.locator("article a[href*='circuits/']").last
    link.focus()
    page.keyboard.press("Enter")
    until(page, "location.pathname.endsWith('/circuits/')")
    page.wait_for_timeout(500)
    page.go_back()
    until(page, "location.pathname.endsWith('/steps/') && document.activeElement !== document.body")
    assert link.evaluate("e => e === document.activeElement")


@pytest.mark.parametrize(
    ("chapter", "place"),
    [
        ("attention", "masks"),
        ("steps", "figure-induction-long"),
        ("attention", "pitfalls"),
        ("attention", "recap"),
        ("attention", "how-two-blocks-do-it"),  # where it stood before the chapter became three pages
    ],
)
def test_an_address_leads_to_its_place_although_what_is_above_was_never_laid_out(visit, chapter, place):
    page = visit(f"{chapter}/#{place}", width=390)
    page.wait_for_load_state("networkidle")
    until(page, f"Math.abs(document.getElementById('{place}').getBoundingClientRect().top) < 200")
    page.wait_for_timeout(700)
    assert -10 < page.locator(f"#{place}").bounding_box()["y"] < 200


def test_a_page_prints_whole(visit):
    page = visit("attention/", width=794)
    page.emulate_media(media="print")
    hidden = (  # of a figure's two drawings one is shown
        "[...document.querySelectorAll('article figure > p, article pre')]"
        ".map((e) => (e.matches('p') ? [...e.querySelectorAll('svg')] : [e]))"
        ".filter((shapes) => shapes.length)"
        ".filter((shapes) => !shapes.some((e) => e.checkVisibility({ contentVisibilityAuto: true })))"
        ".filter(([e]) => !e.closest('details:not([open])')).length"
    )
    until(page, f"{hidden} === 0")


@pytest.mark.parametrize("scripts", [True, False])
def test_the_menu_opens_where_a_finger_falls(visit, scripts):
    page = visit("attention/", width=390, java_script_enabled=scripts)
    page.mouse.click(28, 24)
    expect(page.locator("[data-md-toggle=drawer]")).to_be_checked()


PARTS = """(kept) => {
  const block = document.getElementById("the-transformers-block");
  const before = (e) => e.compareDocumentPosition(block) & Node.DOCUMENT_POSITION_FOLLOWING;
  for (const e of [...block.parentElement.children])
    if (e.id !== "cheat-sheet" && (kept === "first" ? !before(e) : before(e))) e.remove();
}"""


@pytest.mark.parametrize("paper", ["A4", "Letter"])
def test_the_cheat_sheet_prints_attention_on_one_page_and_the_block_on_another(visit, paper):
    def printed(kept: str = "both") -> int:
        page = visit("cheatsheet/")
        if kept != "both":
            page.evaluate(PARTS, kept)
        sheets = page.pdf(format=paper, margin=dict.fromkeys(("top", "bottom", "left", "right"), "10mm"))
        return len(re.findall(rb"/Type\s*/Page\b(?!s)", sheets))

    assert printed("first") == 1
    assert printed("second") == 2, "with the title alone before it, the block still begins a page"
    assert printed() == 2


def test_search_waits_for_a_reader_and_then_finds_prose(visit):
    page = visit("index.html", touched=False)
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


@pytest.mark.parametrize(
    ("typed", "place"),
    [
        ("causal mask", "attention/#masks"),
        ("d_k", "attention/#scale"),
        ("sqrt(d_k)", "attention/#scale"),
        ("sqrt", "attention/"),
        ("softmax", "exercises/02-softmax/"),
    ],
)
def test_search_leads_to_what_a_reader_types(visit, address, typed, place):
    page = visit("index.html")
    page.locator("input[name=query]").click()
    page.keyboard.type(typed)
    # Hits of what was typed so far come and go until the last letter's stand.
    first = ".md-search-result__item:first-child a"
    leads = f"""[...document.querySelectorAll("{first}")].slice(0, 2)
        .some((a) => a.href.replace(/\\?h=[^#]*/, "") === "{address}{place}")"""
    until(page, leads)


def test_punctuation_stands_at_its_formula(visit):
    page = visit("attention/index.html")
    page.evaluate("document.fonts.ready")
    apart = page.evaluate(
        """() => [...document.querySelectorAll("article p math")].flatMap((formula) => {
          const next = formula.nextSibling;
          if (next?.nodeType !== Node.TEXT_NODE || !/^[.,;:]/.test(next.data)) return [];
          if (!formula.getClientRects().length) return []; // in a closed fold
          const range = document.createRange();
          range.setStart(next, 0);
          range.setEnd(next, 1);
          const last = [...formula.querySelectorAll("mi, mn, mo")].at(-1).getBoundingClientRect();
          const gap = range.getBoundingClientRect().left - last.right;
          return gap < -1 || gap > 4 ? [[formula.getAttribute("alttext"), next.data.slice(0, 9), gap]] : [];
        })"""
    )
    assert apart == []
