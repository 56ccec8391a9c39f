"""Traps in the file system: nothing is written outside of a project, nothing of anybody else's is deleted."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from file_traps import TRAPS
from samples import copy, make_accepted

# The engine's own folders, and what Python leaves beside sources: anything else must stay as it was laid.
OURS = ("build/", "site/", "out/")


@pytest.fixture(scope="module")
def accepted(tmp_path_factory):
    return make_accepted(tmp_path_factory.mktemp("accepted") / "dice")


def tree(folder):
    """Every file below a folder by its bytes, every link by where it leads; no link is followed."""
    found = {}
    for where, folders, names in os.walk(folder, followlinks=False):
        for name in [*folders, *names]:
            path = Path(where, name)
            shown = path.relative_to(folder).as_posix()
            if path.is_symlink():
                found[shown] = os.readlink(path)
            elif path.is_file():
                found[shown] = path.read_bytes()
    return found


def own(found):
    """What of a project is the author's."""
    return {n: data for n, data in found.items() if not n.startswith(OURS) and "__pycache__" not in n}


def test_nothing_is_written_outside_and_nothing_deleted(accepted, tmp_path):
    counts = dict.fromkeys(
        ("tried", "refused", "published harmless", "written outside", "deleted", "tracebacks"), 0
    )
    wrong = []
    for number, trap in enumerate(TRAPS):
        place = tmp_path / str(number)
        sample = copy(accepted.root, place / "dice")
        outside = place / "outside"
        (outside / "things").mkdir(parents=True)
        (outside / "things" / "thesis.tex").write_text("years of work")
        trap.lay(sample, outside)
        before, mine = tree(outside), own(tree(sample.root))
        try:
            result = sample.run(*trap.command, **trap.options)
        except subprocess.TimeoutExpired:
            wrong.append(f"{trap.name}: it never ended")
            continue
        now, mine_now = tree(outside), own(tree(sample.root))
        beside = {p.name for p in place.iterdir()} - {"dice", "outside"}
        counts["tried"] += 1
        counts["refused" if result.returncode else "published harmless"] += 1
        counts["written outside"] += len(set(now) - set(before)) + len(beside)
        counts["written outside"] += sum(now[n] != before[n] for n in set(now) & set(before))
        counts["deleted"] += len(set(before) - set(now)) + len(set(mine) - set(mine_now))
        counts["tracebacks"] += "Traceback (most recent call last)" in result.stdout
        if bool(trap.says) != bool(result.returncode) or trap.says not in result.stdout:
            wrong.append(f"{trap.name}: {result.returncode}, {result.stdout[-400:]}")
        try:
            trap.after(sample, outside)
        except AssertionError as error:
            wrong.append(f"{trap.name}: {error}")
        shutil.rmtree(place)
    print(f"\ntraps in the file system: {counts}")
    assert wrong == []
    assert counts["tried"] >= 15
    assert [counts[n] for n in ("written outside", "deleted", "tracebacks")] == [0, 0, 0]


def test_another_device_gets_a_whole_site(accepted):
    """The project on a disk whose temporary folder and build folder are another one's."""
    if not Path("/dev/shm").is_dir():
        pytest.skip("this machine has one device")
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        sample = copy(accepted.root, Path(folder) / "dice")
        result = sample.build(env={**sample.options({})["env"], "TMPDIR": "/tmp"})
        assert result.returncode == 0, result.stdout
        assert (sample.root / "site/index.html").exists()
