"""The built site in a real browser. `nox -s browser` runs these checks; they need a site: `nox -s build`."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).resolve().parents[2] / "scripts")]

from built import SITE, is_text  # noqa: E402

import browser as browsing  # noqa: E402


def pytest_generate_tests(metafunc):
    """A test that asks for `page_path` runs on every page; for `text_path`, on every page that is no list."""
    for fixture, wanted in (("page_path", lambda page: True), ("text_path", is_text)):
        if fixture in metafunc.fixturenames:
            pages = [page for page in browsing.pages_of(SITE) if wanted(page)] if SITE.is_dir() else []
            metafunc.parametrize(fixture, pages or ["index.html"])


@pytest.fixture(scope="session")
def site() -> Path:
    if not (SITE / "index.html").is_file():
        pytest.fail(f"no site at {SITE}; build it with: nox -s build", pytrace=False)
    return SITE


@pytest.fixture(scope="session")
def address(site):
    with browsing.served(site) as url:
        yield url


@pytest.fixture(scope="module")
def browser():
    """Of the module: two of Playwright's drivers cannot run in one thread at the same time."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=browsing.chromium(), args=browsing.ARGUMENTS)
        yield started
        started.close()


@pytest.fixture
def visit(browser, address):
    """Opens pages; at the end, the console was silent and every request stayed on the site."""
    contexts, complaints, strangers = [], [], []

    def opened(path: str, *, width: int = 1440, scheme: str = "light", **options):
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
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []
    assert strangers == []
