"""Every command that writes takes the project's lock before it does; export looks at its folder before."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from measured import build, commands
from measured.errors import MeasuredError
from measured.project import Project
from measured.site import export
from samples import SAMPLE

READING = {"plan", "prose", "outcome", "view"}  # commands that write nothing
ELSEWHERE = {"init", "worker"}  # commands that begin a project, or work for others in a folder of their own


@pytest.fixture
def root(tmp_path):
    """A project that nothing was made of yet."""
    shutil.copytree(SAMPLE, tmp_path / "dice", ignore=shutil.ignore_patterns("__pycache__", "build", "site"))
    return tmp_path / "dice"


@pytest.mark.parametrize("name", sorted(set(commands.cli.commands) - READING - ELSEWHERE))
def test_a_command_that_writes_waits_for_the_lock(root, monkeypatch, name):
    monkeypatch.syspath_prepend(str(root / "src"))

    @contextmanager
    def taken(project, say):
        raise MeasuredError("the lock is somebody else's")
        yield

    monkeypatch.setattr(build, "alone", taken)
    monkeypatch.setattr(commands, "_fetcher", lambda project: lambda root: None)
    needed = {"export": ["out"], "measure": ["fair"], "draw": ["fair.counts"], "new": ["page", "more"]}
    arguments = needed.get(name, [])
    before = sorted(root.rglob("*"))
    result = CliRunner().invoke(commands.cli, ["--root", str(root), name, *arguments])
    assert isinstance(result.exception, MeasuredError), result
    assert "somebody else's" in str(result.exception)
    assert [p for p in sorted(root.rglob("*")) if p not in before and "__pycache__" not in p.parts] == []


def test_an_export_goes_to_no_folder_of_the_project_or_of_somebody_else(root, tmp_path):
    project = Project.load(root)
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "x.tex").write_text("years")
    (tmp_path / "link").symlink_to(root / "src")
    places = [root, tmp_path, Path("/"), root / "src", root / "docs" / "new", root / "site", root / "build"]
    for target in (
        *places,
        root / "tests/regressions",
        root / ".git",
        tmp_path / "thesis",
        tmp_path / "absent" / ".." / "thesis",
        tmp_path / "link",
    ):
        with pytest.raises(MeasuredError):
            export.refuse_target(project, target, root / "docs")
    for target in (tmp_path / "new", root / "out"):
        export.refuse_target(project, target, root / "docs")
    (tmp_path / "empty").mkdir()
    export.refuse_target(project, tmp_path / "empty", root / "docs")
