"""What newer versions would move is told in a few lines, by package and by reason."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import upgrade  # noqa: E402

LOCK = """numpy==2.4.6 ; python_full_version < '3.12' \\
    --hash=sha256:0
    # via keras
numpy==2.5.1 ; python_full_version >= '3.12' \\
    --hash=sha256:1
ruff==0.15.0
"""


@pytest.fixture
def root(tmp_path):
    for name in upgrade.LOCKS:
        (tmp_path / f"{name}.lock").write_text(LOCK if name == "requirements" else "", "utf-8")
    return tmp_path


def test_a_package_with_a_version_for_each_python_counts_once_with_all_of_them(root):
    assert upgrade.pins(root) == {"numpy": "2.4.6 and 2.5.1", "ruff": "0.15.0"}


def test_what_differs_is_told_and_what_was_asked_for_and_stays():
    old, new = (
        {"numpy": "2.4.6", "keras": "3.0", "gone": "1"},
        {"numpy": "2.5.0", "keras": "3.0", "come": "2"},
    )
    assert upgrade.changes(old, new) == ["  come none → 2", "  gone 1 → none", "  numpy 2.4.6 → 2.5.0"]
    (line,) = upgrade.staying(["numpy", "keras"], old, new)
    assert line.startswith("  keras stays at 3.0:")


def test_a_package_that_no_lock_pins_is_refused_with_what_may_be_meant():
    upgrade.refuse_unknown(["numpy"], {"numpy": "2"})
    with pytest.raises(SystemExit, match=r"called nunpy; did you mean numpy\?"):
        upgrade.refuse_unknown(["nunpy"], {"numpy": "2"})
    with pytest.raises(SystemExit, match="called xyz: the .in files"):
        upgrade.refuse_unknown(["xyz"], {"numpy": "2"})


def test_it_says_whether_what_moves_computes():
    settings = ROOT / "pyproject.toml"
    assert "numpy computes, so each training" in upgrade.what_computes(["numpy", "ruff"], settings)
    assert "nothing is measured anew" in upgrade.what_computes(["ruff"], settings)


def test_a_plan_has_a_line_for_each_reason():
    plan = "plan: 3 of 9 to make:\n  a/seed0: moved\n  a/seed1: moved\n  figure a.b: never made\n"
    assert upgrade.in_short(plan).splitlines() == [
        "  plan: 3 of 9 to make:",
        "  a/seed0 and 1 more: moved",
        "  figure a.b: never made",
    ]
    assert upgrade.in_short("plan: 0 of 9 to make, everything is fresh\n") == (
        "  plan: 0 of 9 to make, everything is fresh"
    )


def test_the_copy_has_what_is_edited_and_what_was_measured_and_nothing_else(tmp_path, monkeypatch):
    root, copy = tmp_path / "root", tmp_path / "copy"
    for name in ("page.md", "untracked", "build/runs/a/seed0.npz", "build/site/index.html"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name, "utf-8")
    monkeypatch.setattr(upgrade, "ROOT", root)
    monkeypatch.setattr(upgrade, "_said", lambda *command, at: "page.md\0deleted.md\0")
    upgrade._copy(copy)
    found = {p.relative_to(copy).as_posix() for p in copy.rglob("*") if p.is_file()}
    assert found == {"page.md", "build/runs/a/seed0.npz"}
