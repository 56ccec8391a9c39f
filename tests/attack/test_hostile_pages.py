"""Hostile inputs, built, and what was published of them looked at in Chromium with the policy on."""

from __future__ import annotations

import shutil
import sys
import traceback
from collections import Counter
from pathlib import Path

import pytest

import hostile_pages
from measured import private_words
from measured.errors import MeasuredError
from measured.project import Project
from measured.site import stages
from samples import copy, make_accepted
from watching_browser import Watcher, hosted

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

LOOKED_AT = {".html", ".htm", ".xhtml", ".svg", ".xml", ".txt", ".json", ".ipynb", ".csv", ".md", ".pdf"}


@pytest.fixture(scope="module")
def accepted(tmp_path_factory):
    return make_accepted(tmp_path_factory.mktemp("accepted") / "dice")


@pytest.fixture(scope="module")
def published(accepted, tmp_path_factory):
    """Each input tried: what became of it, and the folders of those that were published."""
    sys.path.insert(0, str(accepted.root / "src"))
    sites = tmp_path_factory.mktemp("sites")
    fates, wrong = {}, []
    for number, attack in enumerate(hostile_pages.attacks()):
        sample = copy(accepted.root, tmp_path_factory.mktemp(f"attack{number}") / "dice")
        for name, text in attack.files.items():
            path = sample.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        attack.change(sample.root)
        try:
            made = sites / str(number)
            stages.make(Project.load(sample.root), made, {})
            private_words.refuse(made, sample.root)
            fates[str(attack)] = "published"
        except MeasuredError as error:
            fates[str(attack)] = "refused"
            shutil.rmtree(sites / str(number), ignore_errors=True)
            if error.path is None and "docs/" not in str(error):
                wrong.append(f"{attack}: refused without a place: {error}")
        except BaseException:  # noqa: BLE001 - no input may end in a traceback, whatever its kind
            fates[str(attack)] = "tracebacks"
            wrong.append(f"{attack}: {traceback.format_exc()[-700:]}")
        shutil.rmtree(sample.root.parent)
    sys.path.remove(str(accepted.root / "src"))
    return sites, fates, wrong


@pytest.fixture(scope="module")
def address(published):
    """The published folders as a host without headers of its own serves them."""
    with hosted(published[0]) as address:
        yield address


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    import browser as browsing

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=browsing.chromium(), args=browsing.ARGUMENTS)
        yield started
        started.close()


def test_a_watcher_notices_what_it_must(browser, tmp_path):
    """A battery that could not fail would be worth nothing: each thing to be noticed is done once."""
    (tmp_path / "run.html").write_text("<article><script>executed()</script></article>")
    (tmp_path / "click.html").write_text('<article><a href="javascript:executed()">x</a></article>')
    (tmp_path / "hover.html").write_text('<article><p onmouseover="executed()">x</p></article>')
    (tmp_path / "fetch.html").write_text('<img src="//evil.example/x.png">')
    (tmp_path / "leave.html").write_text('<meta http-equiv="refresh" content="0;url=run.html">')
    (tmp_path / "alert.html").write_text("<script>alert(1)</script>")
    with hosted(tmp_path) as address:
        for name, what in (
            ("run", "executed"),
            ("click", "executed"),
            ("hover", "executed"),
            ("alert", "executed"),
            ("fetch", "left the origin"),
            ("leave", "left the origin"),
        ):
            watcher = Watcher(browser, address)
            watcher.look(f"{address}{name}.html", 400)
            assert what in [noticed for noticed, _ in watcher.noticed], name
            watcher.context.close()


def test_nothing_of_a_hostile_input_runs_leads_away_or_fetches(published, address, browser):
    sites, fates, wrong = published
    names = [str(attack) for attack in hostile_pages.attacks()]
    noticed = []
    for number, name in enumerate(names):
        site = sites / str(number)
        if fates[name] != "published":
            continue
        assert site.is_dir(), name
        watcher = Watcher(browser, address)
        for path in sorted(site.rglob("*")):
            if path.suffix.lower() in LOOKED_AT and marked(path):
                where = path.relative_to(sites).as_posix().removesuffix("index.html")
                watcher.look(address + where)
        noticed += [(name, *one) for one in watcher.noticed]
        watcher.context.close()
    what = Counter(one[1] for one in noticed)
    counts = Counter(fates.values())
    print(
        f"\nhostile inputs: {len(names)} tried, {counts['refused']} refused, "
        f"{counts['published'] - len({one[0] for one in noticed})} published harmless, "
        f"{what['executed']} executed, {what['left the origin']} left the origin, "
        f"{counts['tracebacks']} tracebacks"
    )
    by_kind = Counter((attack.kind, fates[str(attack)]) for attack in hostile_pages.attacks())
    for (kind, fate), count in sorted(by_kind.items()):
        print(f"  {kind}: {count} {fate}")
    assert wrong == []
    assert noticed == []
    assert len(names) >= 60
    assert min(counts["refused"], counts["published"]) >= 10


def marked(path: Path) -> bool:
    """Whether an input has left anything in a file."""
    data = path.read_bytes()
    return b"executed" in data or b"evil.example" in data or "evil" in path.parts[-2:]
