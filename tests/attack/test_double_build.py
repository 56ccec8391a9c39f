"""The project's own site, rendered twice in two folders from the same records: the same bytes."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RENDER = (
    "from pathlib import Path; from measured import build; from measured.project import Project;"
    "build.render(Project.load(Path('.')), Path('made').resolve())"
)


def test_two_folders_give_the_same_site(tmp_path):
    if not list((ROOT / "build" / "records").glob("*.json")):
        pytest.skip("no records; run: nox -s build")
    trees = []
    for name in ("one", "another"):
        folder = tmp_path / name
        ignored = shutil.ignore_patterns(
            "node_modules", "site", "site.*", ".git", "runs", "node", "tools", "lock"
        )
        shutil.copytree(ROOT, folder, ignore=ignored)
        vendor = ROOT / "build" / "vendor" / "site"
        if vendor.is_dir():
            shutil.copytree(vendor, folder / "build" / "vendor" / "site", dirs_exist_ok=True)
        result = subprocess.run(
            [sys.executable, "-c", RENDER],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
            env={"PATH": "", "PYTHONPATH": str(folder / "src"), "HOME": str(tmp_path)},
        )
        assert result.returncode == 0, result.stderr[-3000:]
        made = folder / "made"
        trees.append({p.relative_to(made).as_posix(): p.read_bytes() for p in made.rglob("*") if p.is_file()})
    different = [name for name in {**trees[0], **trees[1]} if trees[0].get(name) != trees[1].get(name)]
    print(f"\ndouble build: {len(trees[0])} files, {len(different)} differ")
    assert different == []
