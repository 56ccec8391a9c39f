"""The tutorial, executed as it is written, with the engine's wheel alone; then its site, in a browser.

Every block of the page `docs/own/index.md` is followed in order: `sh` is run, a block with a title is
written to that file, and `text` is what the command before it must have said while it failed. It takes the
network once.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts")]

import browser as browsing  # noqa: E402
from measured.start import wheel  # noqa: E402

PAGE = ROOT / "docs" / "own" / "index.md"
_FENCE = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.M | re.S)


@dataclass(frozen=True)
class Block:
    language: str
    title: str
    body: str


def blocks(text: str) -> list[Block]:
    return [Block(*(part or "" for part in found)) for found in _FENCE.findall(text)]


class Reader:
    """Somebody who does what the page says, in a home of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        tools = folder / ".tools"
        subprocess.run([sys.executable, "-m", "venv", str(tools)], check=True)
        bare = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "NOX"))}
        self.environment = {**bare, "PATH": f"{tools / 'bin'}{os.pathsep}{os.environ['PATH']}"}

    def run(self, script: str, *, fails: bool = False) -> str:
        followed = f"set -e\n{script}\npwd > {self.folder}/.where"
        done = subprocess.run(
            ["bash", "-c", followed],
            cwd=self.where,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=1200,
        )
        assert (done.returncode != 0) is fails, f"{script}\n{done.stdout}"
        assert "Traceback (most recent call last)" not in done.stdout, done.stdout
        return done.stdout

    @property
    def where(self) -> Path:
        note = self.folder / ".where"
        return Path(note.read_text().strip()) if note.exists() else self.folder


@pytest.fixture(scope="module")
def reader(tmp_path_factory) -> Reader:
    """Somebody who has followed the page to its end."""
    folder = tmp_path_factory.mktemp("reader")
    engine = wheel.engine()
    (folder / engine.name).write_bytes(engine.data)
    assert engine.name in PAGE.read_text(encoding="utf-8"), "the page names another version of the engine"
    reader, steps = Reader(folder), blocks(PAGE.read_text(encoding="utf-8"))
    for number, step in enumerate(steps):
        after = steps[number + 1] if number + 1 < len(steps) else Block("", "", "")
        if step.title:
            path = reader.where / step.title
            assert path.exists(), f"{step.title}: the page replaces what no command has begun"
            path.write_text(step.body, encoding="utf-8")
        elif step.language == "sh":
            said = reader.run(step.body, fails=after.language == "text")
            for line in after.body.splitlines() if after.language == "text" else ():
                assert line in said, f"{step.body}\nsaid nothing of {line!r}:\n{said}"
    return reader


@pytest.fixture(scope="module")
def site(reader, tmp_path_factory) -> Path:
    """The site, as it was at that end."""
    return shutil.copytree(reader.where / "site", tmp_path_factory.mktemp("plain") / "site")


@pytest.fixture(scope="module")
def flat_site(reader, site) -> Path:
    """The same with an address that it knows, below a path of its host, and a file for each page."""
    settings = reader.where / "mkdocs.yml"
    settings.write_text(f"use_directory_urls: false\n{settings.read_text('utf-8')}", encoding="utf-8")
    reader.run("SITE_URL=https://example.org/below/it/ nox -s build")
    return reader.where / "site"


def test_the_tutorial_ends_with_a_site_that_has_its_two_pages(reader, site):
    assert {"index.html", "birthdays/index.html", "measurements/index.html"} <= set(browsing.pages_of(site))
    assert "97.0" not in (site / "birthdays" / "index.html").read_text(encoding="utf-8")
    mended = (reader.where / "src/birthdays/experiments/birthdays.py").read_text(encoding="utf-8")
    assert "people - 1" not in mended


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_site_works_in_a_browser(site, scheme):
    look_at(site, "", "birthdays/", "measurements/", scheme)


def test_it_works_below_a_path_with_a_file_for_each_page(flat_site, tmp_path):
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "it").symlink_to(flat_site)
    look_at(tmp_path, "below/it/", "birthdays.html", "measurements.html", "dark")


def look_at(host: Path, below: str, page_path: str, list_path: str, scheme: str) -> None:
    """Switch, cards, marks, filter, figures in either scheme; a silent console means that the policy held."""
    complaints, strangers = [], []
    with browsing.served(host) as address, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browsing.chromium(), args=browsing.ARGUMENTS)
        page = chromium.new_page(
            color_scheme=scheme, reduced_motion="reduce", viewport={"width": 1440, "height": 900}
        )
        page.on("console", lambda m: complaints.append(m.text) if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "request", lambda r: None if r.url.startswith((address, "data:")) else strangers.append(r.url)
        )
        page.goto(f"{address}{below}{page_path}")
        page.wait_for_selector("article[data-mounted=ready]")
        card = page.locator(".provenance-card")
        page.get_by_role("switch", name="Show sources").check()
        page.locator("article a.measured:not([data-ids])").first.hover()
        card.wait_for()
        words = card.locator(".card-words").inner_text()
        assert "groups" in words, words
        assert "birthdays.py" in card.inner_html()
        page.keyboard.press("Escape")
        card.wait_for(state="detached")
        page.locator("a.claim-mark").focus()
        page.keyboard.press("Shift+Tab")
        page.keyboard.press("Tab")
        card.wait_for()
        words = card.locator(".card-words").inner_text()
        assert "crosses a half" in words, words
        assert page.locator(".measured-figure svg.wide").is_visible(), (
            "a wide window shows the narrow drawing"
        )
        assert page.locator(".measured-figure svg.wide").bounding_box()["width"] > 675
        ink = page.locator(".measured-figure svg text").first.evaluate("e => getComputedStyle(e).fill")
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (_brightness(ink) < _brightness(ground)) is (scheme == "light"), (ink, ground)
        page.goto(f"{address}{below}{list_path}")
        page.wait_for_selector(".ledger-filter[data-mounted=ready] input")
        page.locator(".ledger-filter input").fill("n23")
        assert page.locator("table.ledger tbody tr:visible").count() == 1
        chromium.close()
    assert complaints == []
    assert strangers == []


def _brightness(colour: str) -> float:
    return sum(float(part) for part in re.findall(r"[\d.]+", colour)[:3])
