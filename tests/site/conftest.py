"""The built site in a real browser. `nox -s browser` runs these checks; they need a site: `nox -s build`."""

from __future__ import annotations

import os
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Timer

import pytest

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).resolve().parents[2] / "scripts")]

from built import ROOT, SITE, is_listing, until  # noqa: E402
from playwright.sync_api import expect  # noqa: E402

import browser as browsing  # noqa: E402

# A busy machine draws fewer frames; it is no failure that a transition ends later.
expect.set_options(timeout=30_000)


def pytest_generate_tests(metafunc):
    """`page_path`: every page; `text_path`: those that list no code; `listing_path`: two that do."""
    pages = browsing.pages_of(SITE) if SITE.is_dir() else ["index.html"]
    listings = [page for page in pages if is_listing(page)]
    by_length = sorted(listings, key=lambda page: (SITE / page).stat().st_size)
    texts = [page for page in pages if page not in listings]
    for fixture, some in (
        ("page_path", pages),
        ("text_path", texts),
        ("listing_path", by_length[:1] + by_length[1:][-1:]),
    ):
        if fixture in metafunc.fixturenames:
            metafunc.parametrize(fixture, some)


@pytest.fixture(scope="session")
def site() -> Path:
    if not (SITE / "index.html").is_file():
        pytest.fail(f"no site at {SITE}; build it with: nox -s build", pytrace=False)
    return SITE


@pytest.fixture(scope="session")
def address(site):
    with browsing.served(site) as url:
        yield url


@pytest.fixture(scope="session")
def browser():
    """One for all: two of Playwright's drivers cannot run in one thread, and to start one takes a second."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=browsing.chromium(), args=browsing.ARGUMENTS)
        session = started.new_browser_cdp_session()
        processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
        number = next(process["id"] for process in processes if process["type"] == "browser")
        yield started
        # Now and then Chromium does not end when it is asked to, and closing would wait for ever.
        patience = Timer(30, os.kill, (number, signal.SIGKILL))
        patience.start()
        started.close()
        patience.cancel()


@pytest.fixture
def visit(browser, address):
    """Opens pages, and moves the mouse on them, for which the theme's script waits (`touched`).

    At the end, the console was silent and every request stayed on the site.
    """
    contexts, complaints, strangers = [], [], []

    def opened(path: str, *, width: int = 1440, scheme: str = "light", touched: bool = True, **options):
        options = {"reduced_motion": "reduce", "viewport": {"width": width, "height": 900}, **options}
        context = browser.new_context(color_scheme=scheme, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.on("console", lambda m: complaints.append(m.text) if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "request",
            lambda r: None if r.url.startswith((address, "data:", "blob:")) else strangers.append(r.url),
        )
        page.goto(address + path.removesuffix("index.html"))
        if touched and options.get("java_script_enabled", True) and page.locator("[data-bundle]").count():
            page.mouse.move(1, 1)
            until(page, "Boolean(window.document$)")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []
    assert strangers == []


@pytest.fixture(scope="session", autouse=True)
def lighthouse_reports(request, tmp_path_factory):
    """Lighthouse's runs, started at once and gathered at the end: they take as long as everything else."""
    asked = [item for item in request.session.items if "test_lighthouse" in item.nodeid]
    if not asked:
        yield {}
        return
    address, folder = request.getfixturevalue("address"), tmp_path_factory.mktemp("lighthouse")
    with ThreadPoolExecutor(max_workers=1) as pool:
        runs = {}
        for path in (item.callspec.params["text_path"] for item in asked):
            url, output = address + path.removesuffix("index.html"), folder / f"{len(runs)}.json"
            runs[path] = pool.submit(browsing.lighthouse, ROOT, url, output)
        yield runs
        pool.shutdown(cancel_futures=True)
