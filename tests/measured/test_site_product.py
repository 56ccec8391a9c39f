"""The site as something that is made: stale when anything changes that it is made from."""

from __future__ import annotations

import os

import pytest

from measured.errors import MeasuredError
from measured.making.made import Fresh, Stale, made
from measured.making.watching import watching, watching_environment
from measured.project import Project
from measured.site.product import SiteProduct
from samples import SAMPLE, copy


@pytest.fixture
def site(tmp_path):
    """The sample's site, before it was ever made."""
    root = copy(SAMPLE, tmp_path / "dice").root
    return SiteProduct(Project.load(root), root / "site")


def test_a_site_is_fresh_until_somebody_touches_it(sample):
    product = SiteProduct(Project.load(sample.root), sample.root / "site")
    assert made(product, sample.root) == Fresh()
    (sample.root / "site/index.html").write_text("<p>else</p>")
    assert made(product, sample.root) == Stale("changed by hand")


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ("docs_dir: pages\n", "pages/index.md"),
        ("theme:\n  name: material\n  custom_dir: skin\n", "skin/partials/logo.html"),
        ("hooks:\n  - tools/hook.py\n", "tools/hook.py"),
        ("plugins:\n  - measured:\n      vendor: parts\n", "parts/a.js"),
        ("INHERIT: base/parent.yml\nhooks: []\n", "base/parent.yml"),
    ],
)
def test_what_the_settings_name_counts_wherever_it_is(site, settings, name):
    path = site.project.root / name
    (site.project.root / "pages").mkdir()
    (site.project.root / "pages/a.md").write_text("# A\n")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("# One\n" if path.suffix == ".md" else "site_name: One\n")
    (site.project.root / "mkdocs.yml").write_text(settings)
    before = site.inputs()
    with watching(site.project.root) as watch:
        site.inputs()
    path.write_text("# Two\n" if path.suffix == ".md" else "site_name: Two\n")
    after = site.inputs()
    assert before != after or f"file {name}" in watch.read


def test_variables_that_settings_and_hooks_ask_for_count(site, monkeypatch):
    hook = site.project.root / "hook.py"
    hook.write_text("import os\nwho = os.environ.get('AUTHOR'), os.getenv('EDITOR_OF'), dict(os.environ)\n")
    monkeypatch.setenv("AUTHOR", "one")
    with watching(site.project.root) as watch, watching_environment(watch):
        exec(compile(hook.read_text(), str(hook), "exec"), {"__name__": "hook"})
        _ = os.environ.get("HOME")  # asked for by nobody's hook
    variables = {part for part in watch.read if part.startswith("variable ")}
    assert variables == {"variable AUTHOR", "variable EDITOR_OF"}
    monkeypatch.setenv("AUTHOR", "two")
    with pytest.raises(MeasuredError, match="variable AUTHOR changed"):
        watch.refuse_changes()


def test_a_page_edited_while_the_site_is_made_is_an_error(site):
    with pytest.raises(MeasuredError, match="changed while"), site.being_made():
        (site.project.root / "docs/index.md").write_text("# Another\n")


def test_what_a_hook_of_the_renderer_reads_counts(sample):
    (sample.root / "notes.txt").write_text("one\n")
    (sample.root / "hook.py").write_text(
        "import os\nfrom pathlib import Path\n\n\ndef on_page_content(html, **_):\n"
        "    return html + Path('notes.txt').read_text() + os.environ.get('WHO', 'nobody')\n"
    )
    sample.edit("mkdocs.yml", "plugins:", "hooks:\n  - hook.py\nplugins:")
    built = sample.build()
    assert built.returncode == 0, built.stdout
    assert "nothing that goes into site/ has changed" in sample.build().stdout
    (sample.root / "notes.txt").write_text("two\n")
    environment = {**sample.options({})["env"], "WHO": "somebody"}
    product = SiteProduct(Project.load(sample.root), sample.root / "site")
    assert made(product, sample.root) == Stale("file notes.txt changed")
    built = sample.build(env=environment)
    assert "site: to be made anew, file notes.txt changed, variable WHO changed" in built.stdout
    assert "two\nsomebody" in sample.read("site/index.html")
