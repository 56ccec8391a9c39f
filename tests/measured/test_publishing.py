"""The site as something that is made and published: stale when what is read changes, whole or not there."""

from __future__ import annotations

import os
import stat
from types import SimpleNamespace

import pytest

from measured.errors import MeasuredError
from measured.making.made import Fresh, Stale, made
from measured.making.watching import watching, watching_environment
from measured.project import Project
from measured.site import publishing
from measured.site.product import SiteProduct
from samples import SAMPLE, copy


def sites(folder):
    made, target = folder / "made", folder / "site"
    for where, text in ((made, "new"), (target, "old")):
        (where / "sub").mkdir(parents=True)
        (where / "sub" / "page.html").write_text(text)
    return made, target


def text_of(target):
    return (target / "sub" / "page.html").read_text()


def on_another_disk(monkeypatch, made):
    """As if `made` were on a disk of its own."""
    numbers = os.stat
    replace = os.replace

    def pretended(path, *args, **options):
        found = numbers(path, *args, **options)
        if str(path).startswith(str(made)):
            return SimpleNamespace(st_dev=-1, st_mode=found.st_mode)
        return found

    def refusing(one, other):
        if str(one).startswith(str(made)) != str(other).startswith(str(made)):
            raise OSError(18, "Invalid cross-device link")
        return replace(one, other)

    monkeypatch.setattr(
        publishing, "os", SimpleNamespace(**{**vars(os), "stat": pretended, "replace": refusing})
    )


@pytest.mark.parametrize("swaps", [True, False])
@pytest.mark.parametrize("another_disk", [True, False])
def test_a_site_is_published_whole(tmp_path, monkeypatch, swaps, another_disk):
    made, target = sites(tmp_path)
    if another_disk:
        on_another_disk(monkeypatch, made)
    if not swaps:
        monkeypatch.setattr(publishing, "_exchange", lambda one, other: False)
    publishing.publish(made, target, tmp_path / "aside")
    assert text_of(target) == "new"
    assert [p.name for p in tmp_path.iterdir()] == ["site"]


def test_a_disk_that_fills_on_the_way_leaves_the_old_site(tmp_path, monkeypatch):
    made, target = sites(tmp_path)
    on_another_disk(monkeypatch, made)

    def full(source, near):
        (near / "sub").mkdir(parents=True)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(publishing.shutil, "copytree", full)
    with pytest.raises(MeasuredError, match="No space left on device"):
        publishing.publish(made, target, tmp_path / "aside")
    assert text_of(target) == "old"
    assert not (tmp_path / ".site.new").exists()


def test_a_folder_that_cannot_be_replaced_is_told(tmp_path, monkeypatch):
    made, target = sites(tmp_path)
    monkeypatch.setattr(publishing, "_exchange", lambda one, other: False)
    real = os.replace

    def busy(one, other):
        if str(one) == str(made):
            raise OSError(16, "Device or resource busy")
        return real(one, other)

    monkeypatch.setattr(publishing.os, "replace", busy)
    with pytest.raises(MeasuredError, match="Device or resource busy"):
        publishing.publish(made, target, tmp_path / "aside")
    assert text_of(target) == "old"


def test_a_link_to_a_folder_is_followed(tmp_path):
    made, target = sites(tmp_path)
    os.rename(target, tmp_path / "elsewhere")
    target.symlink_to(tmp_path / "elsewhere")
    publishing.publish(made, target, tmp_path / "aside")
    assert target.is_symlink()
    assert text_of(target) == "new"


def test_a_build_killed_between_two_renames_is_made_good(tmp_path):
    for aside in ("aside", ".site.old"):
        made, target = sites(tmp_path)
        os.rename(target, tmp_path / aside)
        publishing.recover(target, tmp_path / "aside")
        assert text_of(target) == "old"
        for path in (made, target):
            publishing.shutil.rmtree(path)


def test_everybody_may_read_what_is_published_whatever_the_umask(tmp_path):
    before = os.umask(0o077)
    try:
        made, target = sites(tmp_path)
        publishing.publish(made, target, tmp_path / "aside")
    finally:
        os.umask(before)
    assert stat.S_IMODE((target / "sub").stat().st_mode) == 0o755
    assert stat.S_IMODE((target / "sub" / "page.html").stat().st_mode) == 0o644


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
