"""A release says what changed, hands out the same bytes twice, and has one version."""

from __future__ import annotations

import sys
import tarfile
from io import BytesIO
from pathlib import Path

import pytest

from measured.errors import MeasuredError

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import release  # noqa: E402
import upgrade  # noqa: E402


def test_engine_subject_citation_and_changelog_have_one_version():
    version = release.version_of(ROOT)
    assert release.notes_of((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), version)


def test_two_versions_are_told(tmp_path):
    (tmp_path / "src" / "measured").mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "1.0"\n')
    (tmp_path / "src" / "measured" / "pyproject.toml").write_text('[project]\nversion = "1.1"\n')
    (tmp_path / "CITATION.cff").write_text("version: 1.0\n")
    with pytest.raises(MeasuredError, match="the versions differ"):
        release.version_of(tmp_path)


def test_notes_are_those_of_the_version_and_none_is_refused():
    text = "# Changes\n\n## Unreleased\n\n## 1.1\n\n- new\n\n## 1.0\n\n- old\n"
    assert release.notes_of(text, "1.1") == "- new\n"
    for missing in ("Unreleased", "1.2", "1"):
        with pytest.raises(MeasuredError, match="nothing is said"):
            release.notes_of(text, missing)


def test_an_archive_is_the_same_whenever_it_is_made(tmp_path):
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "page.html").write_text("x")
    (tmp_path / "a.txt").write_text("y")
    first = release.archive_of(tmp_path)
    (tmp_path / "a.txt").touch()
    assert release.archive_of(tmp_path) == first
    with tarfile.open(fileobj=BytesIO(first)) as archive:
        assert archive.getnames() == ["site/a.txt", "site/b/page.html"]


def test_what_newer_versions_move_is_listed_old_and_new():
    old, new = {"a": "1", "b": "1", "gone": "2"}, {"a": "1", "b": "1.1", "here": "3"}
    assert upgrade.changes(old, new) == ["  b 1 → 1.1", "  gone 2 → none", "  here none → 3"]
    assert set(upgrade.LOCKS) <= {path.stem for path in ROOT.glob("requirements*.in")}
    assert upgrade.pins(ROOT)["numpy"]
