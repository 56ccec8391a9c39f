"""Builds that find nothing changed say so at once; nothing that could matter is ever called unchanged."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock

from measured import unchanged, vouched_json
from measured.project import Project
from measured.recording import Recording
from samples import copy


@pytest.fixture(scope="module")
def built(accepted, tmp_path_factory):
    """A sample that was built where it stands, with a receipt."""
    sample = copy(accepted.root, tmp_path_factory.mktemp("unchanged") / "dice")
    (sample.root / "docs" / "included.txt").write_text("A line.\n", encoding="utf-8")
    assert sample.build().returncode == 0
    assert (sample.root / "build" / unchanged.NAME).exists()
    return sample


@pytest.fixture
def asks(built, monkeypatch):
    """Whether a build in that folder would be told that nothing has changed."""
    monkeypatch.chdir(built.root)
    monkeypatch.syspath_prepend(str(built.root / "src"))
    monkeypatch.delitem(sys.modules, "dice", raising=False)
    return lambda *arguments: unchanged.is_told(("build", *arguments))


def test_nothing_changed_is_told_as_the_whole_way_tells_it(built, asks, capsys):
    assert asks()
    said = capsys.readouterr().out
    assert "plan: 0 of 6 to make, everything is fresh" in said
    assert "nothing that goes into site/ has changed" in said
    assert asks("--workers", "7")  # how many work decides over nothing
    again = built.build()
    assert again.returncode == 0
    assert again.stdout == said


def test_nothing_heavy_is_imported_to_find_that_out(built, tmp_path):
    script = tmp_path / "ask.py"
    heavy = ("numpy", "click", "yaml", "jinja2", "markdown", "measured.project", "measured.errors")
    script.write_text(
        "import sys\nsys.argv = ['measured', 'build']\nimport measured.cli\nmeasured.cli.main()\n"
        f"print(sorted(set(sys.modules) & set({heavy})))\n",
        encoding="utf-8",
    )
    command = [sys.executable, str(script)]
    done = subprocess.run(command, **built.options({}), timeout=60, check=True)
    assert done.stdout.splitlines()[-1] == "[]", done.stdout


CHANGED = (
    "src/dice/fair.py",
    "src/dice/throwing.py",
    "data/loaded_die.csv",
    "docs/index.md",
    "docs/included.txt",
    "mkdocs.yml",
    "palette.json",
    "pyproject.toml",
    "requirements.lock",
    "tests/regressions/scale.yml",
    "build/records/fair.json",
    "build/records/fair.npz",
    "build/gate.passed",
    "build/prose.passed",
    "build/site.json",
    "site/index.html",
    "site/measurements.json",
)


@pytest.mark.parametrize("name", CHANGED)
def test_a_changed_or_a_missing_file_is_seen(built, asks, name):
    path = built.root / name
    if not path.exists():
        (path,) = sorted(path.parent.glob("*.yml"))[:1]
    was, state = path.read_bytes(), path.stat()
    try:
        # As long as before, and as old: an edit that ages and sizes would not show.
        path.write_bytes(was[:-2] + bytes([was[-2] ^ 1]) + was[-1:])
        os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
        assert not asks()
        path.unlink()
        assert not asks()
    finally:
        path.write_bytes(was)
    assert asks()


@pytest.mark.parametrize(
    "name",
    [
        "src/dice/new.py",
        "docs/new.md",
        "build/runs/fair/x.npz",
        "build/records/new.json",
        "site/new.html",
        "tests/confirmations/new.json",
        "scripts/vendor.py",
    ],
)
def test_a_new_file_is_seen(built, asks, name):
    path = built.root / name
    folder_was_there = path.parent.exists()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("", encoding="utf-8")
    try:
        assert not asks()
    finally:
        path.unlink()
        if not folder_was_there:
            path.parent.rmdir()
    assert asks()


def test_a_link_in_a_file_s_place_is_seen(built, asks, tmp_path):
    path, aside = built.root / "site" / "index.html", tmp_path / "index.html"
    path.rename(aside)
    path.symlink_to(aside)
    try:
        assert not asks()
    finally:
        path.unlink()
        aside.rename(path)
    assert asks()


@pytest.mark.parametrize("arguments", [("--renderer", "zensical"), ("--quick",), ("--all",), ("--from", "x")])
def test_other_options_are_another_question(asks, arguments):
    assert not asks(*arguments)


def test_other_commands_and_folders_are_not_answered(built, asks):
    assert not unchanged.is_told(["plan"])
    assert not unchanged.is_told(["--root", str(built.root), "build"])
    assert not unchanged.is_told([])


def test_where_results_come_from_is_part_of_the_question(asks, monkeypatch):
    monkeypatch.setenv("MEASURED_FROM", "elsewhere")
    assert not asks()


def test_another_python_or_another_package_is_seen(asks, monkeypatch):
    for kind in ("python", "installed", "package", "commit"):
        with monkeypatch.context() as changed:
            changed.setitem(unchanged._KINDS, kind, lambda name: "another")
            assert not asks(), kind
    assert asks()


def test_a_receipt_that_somebody_edited_counts_as_none(built, asks):
    path = built.root / "build" / unchanged.NAME
    was = path.read_bytes()
    receipt = unchanged.read(str(path))
    odd = [
        was.replace(b"fair", b"foul", 1),
        was[: len(was) // 2],
        b"",
        b"[]",
        vouched_json.as_bytes({**receipt, "made": {"nothing known": "x"}}),
        vouched_json.as_bytes({**receipt, "said_of_made": ["\x1b[2J"]}),
        vouched_json.as_bytes({**receipt, "made": {}}),
        vouched_json.as_bytes({**receipt, "said_of_made": None}),
        vouched_json.as_bytes({"asked": receipt["asked"]}),
    ]
    try:
        for data in odd:
            path.write_bytes(data)
            assert not asks()
    finally:
        path.write_bytes(was)
    assert asks()


def test_while_another_build_is_under_way_nothing_is_told(built, asks):
    with FileLock(built.root / "build" / "lock"):
        assert not asks()
    assert asks()


def test_what_changed_while_it_was_looked_at_leaves_no_receipt(built, asks):
    project = Project.load(built.root)
    page = built.root / "src" / "dice" / "fair.py"
    was = page.read_bytes()
    try:
        with Recording(project, ["build"]) as recording:
            recording.before_plan()
            page.write_bytes(was + b"\n# edited meanwhile\n")
            recording.after_measuring([], [])
            assert recording._measured is None
        with Recording(project, ["build"]) as recording:
            recording.before_plan()
            assert Path(built.root / "data" / "loaded_die.csv").read_text(encoding="utf-8")
            recording.after_measuring([], [])
            assert any(part == "file data/loaded_die.csv" for part in recording._measured)
    finally:
        page.write_bytes(was)


def test_a_build_that_fails_leaves_no_receipt(sample):
    assert sample.build().returncode == 0
    receipt = sample.root / "build" / unchanged.NAME
    assert receipt.exists()
    sample.edit("docs/index.md", "# ", "{{ no.such.thing }}\n\n# ")
    assert sample.build().returncode == 1
    assert not receipt.exists()


def test_a_page_edited_alone_asks_neither_plan_nor_gate_again(sample):
    assert sample.build().returncode == 0
    before = json.dumps(unchanged.read(str(sample.root / "build" / unchanged.NAME))["measured"])
    path = sample.root / "docs" / "index.md"
    path.write_text(path.read_text(encoding="utf-8") + "\nMore words.\n", encoding="utf-8")
    result = sample.build()
    assert result.returncode == 0, result.stdout
    assert "to be made anew" in result.stdout
    assert json.dumps(unchanged.read(str(sample.root / "build" / unchanged.NAME))["measured"]) == before
    assert "More words." in sample.read("site/index.html")


def test_no_receipt_is_kept_where_the_process_was_in_use_before(built, asks):
    with Recording(Project.load(built.root), None) as recording:
        recording.before_plan()
        recording.after_measuring([], [])
        assert recording._measured is None
