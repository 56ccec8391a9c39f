"""Cards: by mouse, keyboard and touch; nothing moves, and without scripts the link leads to the row."""

from __future__ import annotations

import re

import pytest
from built import SITE

import browser as browsing

CARD = ".provenance-card"


def _pages_with(pattern):
    found = [p for p in browsing.pages_of(SITE) if re.search(pattern, (SITE / p).read_text(encoding="utf-8"))]
    return [p for p in found if not p.startswith("measurements")]


@pytest.fixture
def with_numbers(site):
    pages = _pages_with(r'<a [^>]*class="measured"')
    assert pages, "no page shows a measured number"
    return pages[0]


def first(page, selector="article a.measured:not([data-ids]):visible", *, sources=True):
    page.wait_for_selector(":is(article, main)[data-mounted=ready]")
    if sources:
        page.get_by_role("switch", name="Show sources").check()
    link = page.locator(selector).first
    link.scroll_into_view_if_needed()
    settled(page, link)
    return link


def settled(page, link):
    """Wait until what is near has arrived: a sketch above may still take its place."""
    page.wait_for_load_state("networkidle")
    before = None
    while (box := link.bounding_box()) != before:
        before = box
        page.wait_for_timeout(300)


def test_hovering_opens_a_card_that_says_where_the_number_comes_from(visit, with_numbers):
    page = visit(with_numbers)
    link = first(page)
    before = link.bounding_box()
    link.hover()
    card = page.locator(CARD)
    card.wait_for()
    assert card.locator(".card-words").inner_text().endswith(".")
    assert not card.locator("dl").is_visible()
    names = card.locator("dt").all_text_contents()
    assert {"Value", "Stored", "Experiment", "Code", "Run"} <= set(names)
    assert link.bounding_box() == before
    box, view = card.bounding_box(), page.viewport_size
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= view["width"]
    card.hover()  # the pointer may move onto it
    page.wait_for_timeout(400)
    assert card.is_visible()
    page.mouse.move(1, 1)
    card.wait_for(state="detached")


def test_the_code_link_leads_to_a_line_that_exists(visit, with_numbers):
    page = visit(with_numbers)
    first(page).hover()
    page.locator(f"{CARD} summary").click()
    page.locator(f"{CARD} dd a").first.click()
    page.wait_for_url(re.compile(r"/code/.*#L\d+$"))
    line = page.locator(":target")
    line.wait_for()
    assert line.inner_text().strip()


def test_the_keyboard_opens_reads_and_closes_it(visit, with_numbers):
    page = visit(with_numbers)
    link = first(page)
    link.evaluate("e => e.focus({focusVisible: true})")
    page.locator(CARD).wait_for()
    described = link.get_attribute("aria-describedby")
    assert page.locator(f"#{described}").inner_text()
    assert page.locator(CARD).get_attribute("role") == "dialog"
    page.keyboard.press("Tab")
    assert page.evaluate(f"document.querySelector('{CARD}').contains(document.activeElement)")
    page.keyboard.press("Escape")
    page.locator(CARD).wait_for(state="detached")
    assert link.evaluate("e => e === document.activeElement")
    page.wait_for_timeout(300)
    assert page.locator(CARD).count() == 0


def test_a_tap_opens_it_and_another_place_closes_it(visit, with_numbers):
    page = visit(with_numbers, width=390, has_touch=True, is_mobile=True)
    link = first(page)
    link.tap()
    card = page.locator(CARD)
    card.wait_for()
    box = card.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    assert box["y"] + box["height"] <= 900.5
    page.locator("h1").first.tap()
    card.wait_for(state="detached")


def test_sources_are_hidden_until_they_are_asked_for_and_that_is_remembered(visit, with_numbers):
    page = visit(with_numbers)
    link = first(page, sources=False)
    line = "e => getComputedStyle(e).textDecorationLine"
    assert link.evaluate(line) == "none"
    assert page.locator("a.claim-mark").filter(visible=True).count() == 0
    assert link.evaluate("e => e.tabIndex") == -1
    link.hover()
    page.wait_for_timeout(400)
    assert page.locator(CARD).count() == 0
    link.click()  # a press asks
    page.locator(CARD).wait_for()
    page.locator(f"{CARD} .card-close").click()
    page.locator(CARD).wait_for(state="detached")
    page.get_by_role("switch", name="Show sources").press("Space")
    assert link.evaluate(line) == "underline"
    page.reload()
    page.wait_for_selector(":is(article, main)[data-mounted=ready]")
    assert page.locator("article a.measured:visible").first.evaluate(line) == "underline"
    assert page.get_by_role("switch", name="Show sources").is_checked()


def test_scrolling_under_a_still_pointer_opens_nothing(visit, with_numbers):
    page = visit(with_numbers)
    link = first(page)
    box = link.bounding_box()
    page.mouse.move(box["x"] + 3, box["y"] + box["height"] / 2 + 120)
    page.mouse.wheel(0, -120)
    page.wait_for_timeout(900)
    assert page.locator(CARD).count() == 0


def test_numbers_are_large_enough_to_touch(visit, with_numbers):
    page = visit(with_numbers, width=390, has_touch=True, is_mobile=True)
    link = first(page)
    box = link.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    hit = "([x, y]) => document.elementFromPoint(x, y)?.closest('a.measured') !== null"
    assert page.evaluate(hit, [x, y - 11.5])
    assert page.evaluate(hit, [x, y + 11.5])


def test_a_claims_mark_opens_the_predicate(visit, site):
    pages = _pages_with('class="claim-mark"')
    if not pages:
        pytest.skip("no page of this site makes a claim")
    page = visit(pages[0])
    first(page, "a.claim-mark").hover()
    page.locator(CARD).wait_for()
    assert "The build checks this" in page.locator(CARD).inner_text()


def test_a_computed_number_names_its_parts(visit, site):
    pages = _pages_with("<a [^>]*data-ids=")
    assert pages, "no page of this site computes a number"
    page = visit(pages[0])
    first(page, "article a.measured[data-ids]:visible").hover()
    page.locator(CARD).wait_for()
    assert page.locator(f"{CARD} li").count() >= 1


def test_the_data_is_fetched_once_and_only_when_asked(visit, with_numbers):
    page = visit(with_numbers)
    asked = []
    page.on("request", lambda r: asked.append(r.url) if "/data/cards/" in r.url else None)
    link = first(page)
    page.wait_for_timeout(200)
    assert asked == []
    for _ in range(2):
        link.hover()
        page.locator(CARD).wait_for()
        page.mouse.move(1, 1)
        page.locator(CARD).wait_for(state="detached")
    assert len(asked) == 1


def test_instant_navigation_takes_the_card_away(visit, with_numbers):
    page = visit(with_numbers)
    first(page).hover()
    page.locator(CARD).wait_for()
    page.locator(f"{CARD} summary").click()
    page.locator(f"{CARD} .card-row a").click()
    page.wait_for_url(re.compile("/measurements/"))
    page.wait_for_selector("table.ledger tr:target, table.ledger")
    assert page.locator(CARD).count() == 0


def test_without_scripts_the_link_leads_to_the_row(visit, with_numbers):
    page = visit(with_numbers, java_script_enabled=False)
    link = page.locator("article a.measured:visible").first
    name = link.get_attribute("href").split("#")[1]
    link.click()
    page.wait_for_url(re.compile("/measurements/"))
    assert page.locator(f'tr[id="{name}"]').is_visible()


def test_the_filter_keeps_the_rows_that_have_all_words(visit, site):
    page = visit("measurements/index.html")
    rows = page.locator("table.ledger tbody tr[id]")
    every = rows.count()
    name = rows.nth(every - 1).get_attribute("id").removeprefix("claim-")
    page.wait_for_selector(".ledger-filter input")
    page.locator(".ledger-filter input").fill(name)
    shown = rows.filter(visible=True).count()
    assert 1 <= shown < every
    assert "rows" in page.locator(".ledger-filter output").inner_text()
    hit = rows.filter(visible=True).first.locator("a").first.bounding_box()
    assert hit["y"] + hit["height"] < page.viewport_size["height"], "the hits stand below the filter"


def test_links_in_the_rows_of_a_list_are_as_high_as_a_finger_needs(visit):
    """On a phone a row is a paragraph, and its links stand on lines that follow one another."""
    page = visit("measurements/index.html", width=390, has_touch=True, is_mobile=True)
    links = "[...document.querySelectorAll('table.ledger a')].slice(0, 60)"
    heights = page.evaluate(f"{links}.map(a => a.getBoundingClientRect().height)")
    assert len(heights) == 60
    assert min(heights) >= 24


@pytest.mark.parametrize("width", [1440, 1000, 390])
def test_the_list_of_measurements_fits_and_keeps_its_header(visit, site, width):
    for path in ("measurements/index.html", "confirmations/index.html"):
        page = visit(path, width=width)
        tables = "[...document.querySelectorAll('table.ledger')]"
        assert page.evaluate(f"{tables}.every(t => t.getBoundingClientRect().right <= innerWidth)")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        if width < 960:
            continue
        body = page.locator("table.ledger tbody tr").nth(30)
        body.evaluate("e => e.scrollIntoView({block: 'center'})")
        page.wait_for_timeout(200)
        head = "table.ledger:has(tbody tr:nth-child(30)) thead th"
        assert 0 <= page.locator(head).first.bounding_box()["y"] < 120


def test_ids_are_broken_at_dots_and_underscores_alone(visit, site):
    page = visit("measurements/index.html", width=390)
    broken = page.evaluate(
        """() => {
          const cut = [];
          for (const a of [...document.querySelectorAll("table.ledger th a")].slice(0, 400)) {
            for (const node of a.childNodes) {
              if (node.nodeType !== 3) continue;
              const range = document.createRange();
              range.selectNodeContents(node);
              if (range.getClientRects().length > 1) cut.push(a.textContent);
            }
          }
          return cut;
        }"""
    )
    assert broken == []
