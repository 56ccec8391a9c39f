"""Traps laid in the file system: links, names that climb, folders of somebody else's, files that wait."""

from __future__ import annotations

import json
import os
import shutil
import stat
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from samples import Sample


@dataclass(frozen=True)
class Trap:
    """One trap.

    Args:
        name: in words.
        lay: lays it, given the sample and a folder of precious things outside of it.
        command: what the author then calls.
        says: part of the message; empty where the command must succeed.
        options: for the process.
        after: what must be true afterwards, beside what always must.
    """

    name: str
    lay: Callable[[Sample, Path], None]
    command: tuple[str, ...] = ("build", "--workers", "1")
    says: str = ""
    options: dict = field(default_factory=dict)
    after: Callable[[Sample, Path], None] = lambda sample, outside: None


def _nothing(sample: Sample, outside: Path) -> None:
    pass


def _link(inside: str, target: str = "things") -> Callable[[Sample, Path], None]:
    """What a build uses, replaced by a link that leads outside."""

    def lay(sample: Sample, outside: Path) -> None:
        path = sample.root / inside
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        path.unlink(missing_ok=True)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(outside / target)

    return lay


def _moved_and_linked(inside: str) -> Callable[[Sample, Path], None]:
    """A work folder moved to another place, and a link left in its place."""

    def lay(sample: Sample, outside: Path) -> None:
        shutil.move(sample.root / inside, outside / "moved")
        (sample.root / inside).symlink_to(outside / "moved")

    return lay


def _put(name: str, text: str = "years of work") -> Callable[[Sample, Path], None]:
    def lay(sample: Sample, outside: Path) -> None:
        (sample.root / name).parent.mkdir(parents=True, exist_ok=True)
        (sample.root / name).write_text(text, encoding="utf-8")

    return lay


def _still_there(*names: str) -> Callable[[Sample, Path], None]:
    def look(sample: Sample, outside: Path) -> None:
        for name in names:
            assert (sample.root / name).exists(), f"{name} is gone"

    return look


def _edited_record(change: Callable[[dict], None]) -> Callable[[Sample, Path], None]:
    def lay(sample: Sample, outside: Path) -> None:
        path = sample.root / "build/records/fair.json"
        data = json.loads(path.read_text("utf-8"))
        change(data)
        path.write_text(json.dumps(data), "utf-8")

    return lay


def _touch_a_page(sample: Sample) -> None:
    page = sample.root / "docs/index.md"
    page.write_text(page.read_text("utf-8") + "\nOne word more.\n", "utf-8")


def _and_a_page(lay: Callable[[Sample, Path], None]) -> Callable[[Sample, Path], None]:
    """With a page edited, so that a site has to be made and published."""

    def both(sample: Sample, outside: Path) -> None:
        lay(sample, outside)
        _touch_a_page(sample)

    return both


def _modes_are_normal(sample: Sample, outside: Path) -> None:
    for path in (sample.root / "site").rglob("*"):
        wanted = 0o755 if path.is_dir() else 0o644
        assert stat.S_IMODE(path.stat().st_mode) == wanted, path


def _fifo(sample: Sample, outside: Path) -> None:
    os.mkfifo(sample.root / "docs" / "pipe.md")


def _fifo_as_record(sample: Sample, outside: Path) -> None:
    path = sample.root / "build/records/fair.json"
    path.unlink()
    os.mkfifo(path)


def _names(change: str) -> Callable[[dict], None]:
    def rename(data: dict) -> None:
        data["tables"][0]["name"] = change

    return rename


TRAPS = [
    Trap("export over the project", _nothing, ("export", "."), "cannot be written over the project"),
    Trap("export over the folder above", _nothing, ("export", ".."), "cannot be written over the project"),
    Trap("export over the root of the disk", _nothing, ("export", "/"), "cannot be written over the project"),
    Trap("export into the sources", _nothing, ("export", "src"), "nor into its sources"),
    Trap("export into the pages", _nothing, ("export", "docs/new"), "nor into its sources"),
    Trap("export over the site", _nothing, ("export", "site"), "nor into its sources"),
    Trap("export into the build folder", _nothing, ("export", "build/records"), "nor into its sources"),
    Trap("export over stored values", _nothing, ("export", "tests/regressions"), "nor into its sources"),
    Trap(
        "export over somebody's folder",
        _put("thesis/x.tex"),
        ("export", "thesis"),
        "not put by us: x.tex",
        after=_still_there("thesis/x.tex"),
    ),
    Trap(
        "export over somebody's file",
        _put("thesis"),
        ("export", "thesis"),
        "which is a file",
        after=_still_there("thesis"),
    ),
    Trap(
        "export over somebody's folder, through what is absent",
        _put("thesis/chapter.tex"),
        ("export", "absent/../thesis"),
        "not put by us",
        after=_still_there("thesis/chapter.tex"),
    ),
    Trap(
        "a new site in somebody's folder, through what is absent",
        _put("thesis/chapter.tex"),
        ("init", "absent/../thesis"),
        "holds chapter.tex",
        after=_still_there("thesis/chapter.tex"),
    ),
    Trap("export through a link", _link("out"), ("export", "out"), "this folder is a link"),
    Trap(
        "export through a link to the sources",
        lambda s, o: (s.root / "out").symlink_to(s.root / "src"),
        ("export", "out"),
        "nor into its sources",
    ),
    Trap("the build folder is a link", _moved_and_linked("build"), says="this folder is a link"),
    Trap("the records are a link", _moved_and_linked("build/records"), says="this folder is a link"),
    Trap("the records are a link to precious things", _link("build/records"), says="this folder is a link"),
    Trap("the runs of an experiment are a link", _link("build/runs/fair"), says="this folder is a link"),
    Trap("the figures are a link", _link("build/figures"), says="this folder is a link"),
    Trap("the folder for new sites is a link", _and_a_page(_link("build/site.new")), says="is a link"),
    Trap("the site is a link", _and_a_page(_link("site")), says="this folder is a link"),
    Trap("the site is a link to nowhere", _and_a_page(_link("site", "nothing")), says="a link"),
    Trap(
        "stored values are a link",
        _moved_and_linked("tests/regressions"),
        ("accept", "--yes"),
        "this folder is a link",
    ),
    Trap(
        "the lock is a link",
        lambda s, o: (s.root / "build/lock").symlink_to(o / "things/thesis.tex"),
        says="symbolic links",
    ),
    Trap("a record is a link", _link("build/records/fair.json", "things/thesis.tex")),
    Trap(
        "a page leads out", _link("docs/page.md", "things/thesis.tex"), says="a link that leaves the project"
    ),
    Trap("a folder of pages leads out", _link("docs/more"), says="a link that leaves the project"),
    Trap(
        "a page leads to the disk's root",
        lambda s, o: (s.root / "docs/all").symlink_to("/"),
        says="a link that leaves the project",
    ),
    Trap(
        "a page leads to what is hidden",
        lambda s, o: (
            _put(".git/config", "token")(s, o),
            (s.root / "docs/x.txt").symlink_to("../.git/config"),
        ),
        says="a link that leaves the project",
    ),
    Trap("a page is a pipe", _fifo, says="no plain file"),
    Trap("a record is a pipe", _fifo_as_record, says="no plain file"),
    Trap(
        "somebody's file in the site",
        _and_a_page(_put("site/CNAME")),
        says="not put by us: CNAME",
        after=_still_there("site/CNAME"),
    ),
    Trap(
        "somebody's repository in the site",
        _and_a_page(_put("site/.git/HEAD")),
        says="not put by us",
        after=_still_there("site/.git/HEAD"),
    ),
    Trap(
        "somebody's files among records and figures",
        lambda s, o: [_put(f"build/{name}")(s, o) for name in ("records/x.tex", "figures/mine.svg")],
        after=_still_there("build/records/x.tex", "build/figures/mine.svg"),
    ),
    Trap(
        "the site is a file",
        _and_a_page(lambda s, o: (shutil.rmtree(s.root / "site"), _put("site")(s, o))),
        says="which is a file",
        after=_still_there("site"),
    ),
    Trap(
        "a table that climbs", _edited_record(_names("../../../climbed")), ("export", "out"), "has the name"
    ),
    Trap(
        "a table with an absolute name",
        _edited_record(_names("/tmp/climbed")),
        ("export", "out"),
        "has the name",
    ),
    Trap("a table that climbs, built", _edited_record(_names("../../../climbed"))),
    Trap(
        "a source that climbs",
        _edited_record(lambda d: d.update(source="../../outside/things/thesis.tex:1")),
        ("export", "out"),
        "of the source as",
    ),
    Trap(
        "an umask that hides",
        lambda s, o: _touch_a_page(s),
        options={"umask": 0o077},
        after=_modes_are_normal,
    ),
]
