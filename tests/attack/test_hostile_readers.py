"""Hostile addresses, storage and data, against the built site: `nox -s build` before."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from watching_browser import Watcher, hosted

ROOT = Path(__file__).resolve().parents[2]
SITE = Path(os.environ.get("SITE", ROOT / "site")).resolve()
sys.path.insert(0, str(ROOT / "scripts"))

RUN = "executed()"
TEXTS = (
    f"<script>{RUN}</script>",
    f'"><img src=x onerror={RUN}>',
    f"javascript:{RUN}",
    "//evil.example/x",
    "https://evil.example/x",
    "__proto__",
    "\\x00\u202e{{constructor}}",
    f"<svg onload={RUN}>",
)
ADDRESSES = (
    *(f"?q={quote(text)}" for text in TEXTS),
    *(f"?h={quote(text)}&q={quote(text)}" for text in TEXTS[:2]),
    *(f"#{quote(text)}" for text in TEXTS),
    *(f"#__search={quote(text)}" for text in TEXTS[:1]),
    "?q=%E0%A4%A",
    "#%E0%A4%A",
    f"?{'a' * 5000}",
    "?q=(a%2B)%2B%24%5B",
)
# What a reader's browser may hold: of another page of the same origin, or of an older version.
STORED = (
    *map(json.dumps, TEXTS),
    "{",
    "[" * 5000,
    json.dumps({"__proto__": {"html": TEXTS[0]}}),
    json.dumps(
        {
            "color": {"media": TEXTS[1], "scheme": TEXTS[1], "primary": TEXTS[0], "accent": TEXTS[0]},
            "index": 9,
        }
    ),
    json.dumps([TEXTS[0]] * 9),
    "null",
    "1e999",
)
SEARCH = "input[data-md-component='search-query']"


@pytest.fixture(scope="module")
def address():
    if not (SITE / "index.html").is_file():
        pytest.fail(f"no site at {SITE}; build it with: nox -s build", pytrace=False)
    with hosted(SITE) as found:
        yield found


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    import browser as browsing

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=browsing.chromium(), args=browsing.ARGUMENTS)
        yield started
        started.close()


@pytest.fixture(scope="module")
def pages():
    """Pages with the most that a script could take up: cards, sketches, questions, a ledger."""
    found = sorted(SITE.glob("*/index.html"), key=lambda path: path.stat().st_size, reverse=True)
    return ["", *(f"{path.parent.name}/" for path in found[:4])]


def hostile(value: Any, text: str) -> Any:
    """The same data with every text another."""
    if isinstance(value, str):
        return text
    if isinstance(value, list):
        return [hostile(one, text) for one in value]
    if isinstance(value, dict):
        return {key: hostile(one, text) for key, one in value.items()}
    return value


def report(kind: str, tried: int, watchers: list[Watcher]) -> None:
    noticed = [one for watcher in watchers for one in watcher.noticed]
    executed = sum(what == "executed" for what, _ in noticed)
    print(f"\n{kind}: {tried} tried, {executed} executed, {len(noticed) - executed} left the origin")
    for watcher in watchers:
        watcher.context.close()
    assert noticed == []
    assert tried > 0


def test_addresses_do_nothing_of_their_own(browser, address, pages):
    watcher = Watcher(browser, address)
    tried = 0
    for number, asked in enumerate(ADDRESSES):
        page = watcher.context.new_page()
        page.goto(f"{address}{pages[number % len(pages)]}{asked}")
        page.mouse.move(3, 3)
        page.wait_for_timeout(150)
        if page.locator(SEARCH).count():
            page.locator(SEARCH).first.fill(TEXTS[number % len(TEXTS)], force=True)
            page.wait_for_timeout(150)
        tried += 1
        page.close()
    report("addresses and searches", tried, [watcher])


def test_storage_of_others_does_nothing(browser, address, pages):
    watcher = Watcher(browser, address)
    page = watcher.context.new_page()
    keys = {"/.__palette", "/.__tabs", "/.__consent", "/.__cards"}
    for name in pages:
        page.goto(address + name)
        page.mouse.move(3, 3)
        page.evaluate(
            "() => { for (const e of document.querySelectorAll('article button, article input')) e.click(); }"
        )
        page.wait_for_timeout(200)
        keys |= set(page.evaluate("() => Object.keys(localStorage)"))
    page.close()
    for number, value in enumerate(STORED):
        page = watcher.context.new_page()
        page.goto(address + "404.html")
        page.evaluate(
            "([keys, v]) => { for (const k of keys) localStorage.setItem(k, v); }", [sorted(keys), value]
        )
        page.close()
        watcher.look(address + pages[number % len(pages)])
    report(f"storage, {len(keys)} keys", len(STORED), [watcher])


@pytest.mark.parametrize("text", TEXTS[:5])
def test_data_of_others_does_nothing(browser, address, pages, text):
    """Cards, measurements, models and the search's index, each text of them another."""
    watcher = Watcher(browser, address)
    replaced: list[str] = []

    def answer(route) -> None:
        path = SITE / route.request.url.removeprefix(address).split("?")[0]
        replaced.append(path.relative_to(SITE).as_posix())
        route.fulfill(json=hostile(json.loads(path.read_text("utf-8")), text))

    watcher.context.route(lambda url: url.startswith(address) and url.split("?")[0].endswith(".json"), answer)
    for name in pages:
        page = watcher.context.new_page()
        page.goto(address + name)
        page.mouse.move(3, 3)
        page.wait_for_timeout(100)
        sources = page.get_by_role("switch", name="Show sources")
        if sources.count():  # then numbers and claims lead to cards
            sources.check()
        for link in page.locator("a.measured:visible, [data-claim]:visible").all()[:3]:
            link.hover(force=True, timeout=2000)
            page.wait_for_timeout(150)
        page.evaluate(
            """() => {
              for (const sketch of document.querySelectorAll("[data-sketch]")) sketch.scrollIntoView();
              for (const card of document.querySelectorAll(".card a, [popover] a, dialog a")) card.click();
            }"""
        )
        page.wait_for_timeout(150)
        page.close()
    assert any(place.startswith("data/cards/") for place in replaced)
    assert any(place.startswith("models/") for place in replaced)
    report(f"data, {text[:30]}", len(replaced), [watcher])
