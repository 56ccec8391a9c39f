"""The site's settings, read as renderers read them and without one."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from measured import mkdocs_yml
from measured.errors import MeasuredError
from measured.mkdocs_yml import SiteSettings


def settings(root: Path, text: str) -> SiteSettings:
    (root / "mkdocs.yml").write_text(text, encoding="utf-8")
    return SiteSettings.load(root)


def test_the_environment_and_a_parent_are_read_and_foreign_tags_stay(tmp_path, monkeypatch):
    monkeypatch.setenv("SITE_URL", "https://example.org/book/")
    (tmp_path / "base.yml").write_text("theme:\n  name: material\n  font: false\n", encoding="utf-8")
    found = settings(
        tmp_path,
        "INHERIT: base.yml\nsite_name: x\nsite_url: !ENV [NOWHERE, SITE_URL, '']\ntheme:\n  language: de\n"
        "repo_url: !ENV [NOWHERE, '']\nplugins:\n  - search:\n      lang: de\n  - measured\n"
        "hooks: [!relative a.py]\nformat: !!python/name:json.dumps\n",
    )
    assert found.root_path == "/book/"
    assert found.repository == ""
    assert dict(found.theme) == {"name": "material", "font": False, "language": "de"}
    assert found.plugins == {"search": {"lang": "de"}, "measured": {}}
    written = mkdocs_yml.dump(found.raw)
    assert "!!python/name:json.dumps" in written
    assert "!relative 'a.py'" in written or "!relative a.py" in written


def test_the_same_pages_as_mkdocs_reads(tmp_path, monkeypatch):
    from mkdocs.config import load_config
    from mkdocs.structure.files import get_files

    found = settings(
        tmp_path,
        "site_name: x\ndocs_dir: pages\ndraft_docs: later.md\n"
        "exclude_docs: |\n  notes/\n  !notes/kept.md\n  *.tmp\n",
    )
    names = "index.md README.md .hidden.md a.markdown b.MD c.txt notes/x.md notes/kept.md later.md "
    for name in (names + "d/README.md d/e.md templates/t.md f.tmp").split():
        path = tmp_path / "pages" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x", encoding="utf-8")
    config = load_config(str(tmp_path / "mkdocs.yml"))
    theirs = [f for f in get_files(config) if f.inclusion.is_included()]
    assert sorted(place for place, _ in found.files()) == sorted(f.src_uri for f in theirs)
    pages = {f.src_uri for f in theirs if f.is_documentation_page()}
    assert {place for place, _ in found.pages()} == pages
    assert {place for place, _ in found.pages(drafts=True)} == pages | {"later.md"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("site_name: [", r"mkdocs\.yml:\d+: no YAML"),
        ("- x", "no mapping"),
        ("INHERIT: mkdocs.yml", "round in a circle"),
        ("INHERIT: none.yml", r"none\.yml: cannot read"),
    ],
)
def test_settings_that_cannot_be_read_are_told(tmp_path, text, expected):
    with pytest.raises(MeasuredError, match=expected):
        settings(tmp_path, text)


def test_a_dumped_file_says_the_same_to_yaml(tmp_path):
    found = settings(tmp_path, "site_name: ä\nx: {a: [1, 2.5, null, true, '07']}\n")
    assert yaml.safe_load(mkdocs_yml.dump(found.raw)) == dict(found.raw)
