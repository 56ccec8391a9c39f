"""Hostile inputs, built, and what was published of them looked at in Chromium with the policy on."""

from __future__ import annotations

import re
import shutil
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

import hostile_pages
from measured import private_words
from measured.errors import MeasuredError
from measured.mkdocs_yml import SiteSettings
from measured.project import Project
from measured.site import finish, render, stages
from measured.site.finish_page import finish_page
from measured.site.weave_site import WovenSite, weave_site
from samples import copy, make_accepted
from watching_browser import Watcher, hosted

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

LOOKED_AT = {".html", ".htm", ".xhtml", ".svg", ".xml", ".txt", ".json", ".ipynb", ".csv", ".md", ".pdf"}


@pytest.fixture(scope="module")
def accepted(tmp_path_factory):
    return make_accepted(tmp_path_factory.mktemp("accepted") / "dice")


@dataclass
class Battery:
    """All inputs in one project, each in files of its own, and what becomes of them.

    An input that a stage refuses, by the name of its file, is taken out, and the stage is tried again: what
    is left is published together.
    """

    project: Project
    fates: dict[int, str]
    reasons: dict[int, str]
    others: dict[str, int]

    def taken_out(self, error: MeasuredError) -> int:
        """Take out the input that an error names; which one it was."""
        told = str(error)
        named = re.findall(r"evil(\d+)", f"{error.path} {told}")
        named += [number for name, number in self.others.items() if name in told]
        assert named, f"refused without a place: {told}"
        number = int(named[0])
        assert self.fates[number] != "refused", f"refused, and still there: {told}"
        for name in [name for name, one in self.others.items() if one == number]:
            (self.project.root / name).unlink()
        self.fates[number], self.reasons[number] = "refused", told
        for path in (self.project.root / "docs").rglob(f"evil{number}.*"):
            path.unlink()
        assert "Traceback" not in told
        return number

    def woven(self) -> WovenSite:
        """All that can be woven."""
        while True:
            try:
                return weave_site(self.project, SiteSettings.load(self.project.root))
            except MeasuredError as error:
                self.taken_out(error)

    def try_each(self, attacks: list[hostile_pages.Attack], innocent: WovenSite) -> None:
        """Weave each page by itself, in the site of an innocent one: most are refused here."""
        for number, attack in enumerate(attacks):
            for name in attack.files:
                path = self.project.root / hostile_pages.numbered(name, number)
                if path.suffix == ".md":
                    try:
                        innocent.weave_page(path.relative_to(self.project.root / "docs").as_posix(), path)
                    except MeasuredError as error:
                        self.taken_out(error)

    def publish(self, target: Path) -> None:
        """All that is published."""
        rendered = self.project.build / "rendered"
        while True:
            try:
                site = self.woven()
                woven = self.project.build / "woven"
                site.write(woven)
                chosen = render.renderer_named(self.project.renderer)
                render.render(site.settings, chosen, woven, rendered, environment={})
                break
            except MeasuredError as error:
                self.taken_out(error)
        setting = stages.setting_of(self.project, site)
        innocent = (rendered / "innocent" / "index.html").read_text("utf-8")
        for path in sorted(rendered.rglob("*.html")):
            where = path.relative_to(rendered).as_posix()
            try:
                finish_page(path.read_text("utf-8"), where, setting)
            except MeasuredError as error:
                self.taken_out(error)
                if "/" in where:
                    path.write_text(innocent, "utf-8")  # others lead there
                else:
                    path.unlink()
        while True:
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(rendered, target)
            try:
                finish.finish(target, setting, self.project.build / "finished")
                private_words.refuse(target, self.project.root)
                return
            except MeasuredError as error:
                number = self.taken_out(error)
                for path in [p for p in rendered.rglob("evil*") if p.name.split(".")[0] == f"evil{number}"]:
                    if path.is_file():
                        path.unlink()
                    else:
                        (path / "index.html").write_text(innocent, "utf-8")


@pytest.fixture(scope="module")
def published(accepted, tmp_path_factory):
    """The folders of sites, the page or files that each input has there, and what became of each."""
    sites = tmp_path_factory.mktemp("sites")
    attacks = list(hostile_pages.attacks())
    fates, reasons = dict.fromkeys(range(len(attacks)), "published"), {}
    others: dict[str, int] = {}
    sample = copy(accepted.root, tmp_path_factory.mktemp("all") / "dice")
    sys.path.insert(0, str(sample.root / "src"))
    (sample.root / "docs/innocent.md").write_text("# Innocent\n\nA page.\n", "utf-8")
    battery = Battery(Project.load(sample.root), fates, reasons, others)
    innocent = battery.woven()
    for number, attack in enumerate(attacks):
        for name, text in attack.files.items():
            path = sample.root / hostile_pages.numbered(name, number)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            if hostile_pages.numbered(name, number) == name:
                others[name] = number
    battery.try_each(attacks, innocent)
    battery.publish(sites / "all")
    shutil.rmtree(sample.root / "docs")
    shutil.copytree(accepted.root / "docs", sample.root / "docs")
    for number, attack in enumerate(attacks):
        if attack.files:
            continue
        attack.change(sample.root)
        try:
            stages.make(Project.load(sample.root), sites / str(number), {})
        except MeasuredError as error:
            fates[number], reasons[number] = "refused", str(error)
            shutil.rmtree(sites / str(number), ignore_errors=True)
        for folder in ("records", "figures"):
            shutil.copytree(
                accepted.root / "build" / folder, sample.root / "build" / folder, dirs_exist_ok=True
            )
    sys.path.remove(str(sample.root / "src"))
    return sites, attacks, fates, reasons


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
    sites, attacks, fates, reasons = published
    noticed = []
    for number, attack in enumerate(attacks):
        if fates[number] != "published":
            continue
        watcher = Watcher(browser, address)
        for path in left_by(sites, number, bool(attack.files)):
            where = path.relative_to(sites).as_posix()
            watcher.look(address + where.removesuffix("index.html"))
        noticed += [(str(attack), *one) for one in watcher.noticed]
        watcher.context.close()
    what, counts = Counter(one[1] for one in noticed), Counter(fates.values())
    print(
        f"\nhostile inputs: {len(attacks)} tried, {counts['refused']} refused, "
        f"{counts['published'] - len({one[0] for one in noticed})} published harmless, "
        f"{what['executed']} executed, {what['left the origin']} left the origin, 0 tracebacks"
    )
    by_kind = Counter((attack.kind, fates[number]) for number, attack in enumerate(attacks))
    for (kind, fate), count in sorted(by_kind.items()):
        print(f"  {kind}: {count} {fate}")
    for number, reason in sorted(reasons.items()):
        print(f"  refused, {attacks[number]}: {reason.splitlines()[0][:160]}")
    assert noticed == []
    assert len(attacks) >= 60
    assert min(counts["refused"], counts["published"]) >= 20
    assert all(len(reason) < 4000 for reason in reasons.values())
    assert not any("innocent" in reason for reason in reasons.values())


def left_by(sites: Path, number: int, among_others: bool) -> list[Path]:
    """The files of a published site that an input has left something in."""
    site = sites / ("all" if among_others else str(number))
    found = sorted(path for path in site.rglob("*") if path.suffix.lower() in LOOKED_AT)
    if among_others:
        return [
            path for path in found if f"evil{number}" in re.split(r"[/.]", path.relative_to(site).as_posix())
        ]
    return [p for p in found if b"executed" in p.read_bytes() or b"evil.example" in p.read_bytes()]
