"""What is written stays inside, and nothing is deleted that this engine did not make."""

from __future__ import annotations

import os
import stat

import pytest

from measured import folders
from measured.errors import MeasuredError


@pytest.fixture
def made(tmp_path):
    """A finished folder, as a build leaves it."""
    (tmp_path / "build").mkdir()
    folder = tmp_path / "build" / "site.new"
    folders.fresh(folder)
    (folder / "page").mkdir()
    (folder / "page" / "index.html").write_text("new")
    return folder


def test_names_stay_inside_their_folder(tmp_path):
    assert folders.inside(tmp_path, "a/b.txt") == tmp_path / "a" / "b.txt"
    (tmp_path / "out").symlink_to("/etc")
    for name in ("../x", "a/../../x", "/etc/x", "", ".", "a//b", "a\\b", "out/x", "a\0"):
        with pytest.raises(MeasuredError):
            folders.inside(tmp_path, name)


def test_a_site_is_published_and_published_again(made, tmp_path):
    site = tmp_path / "site"
    folders.publish(made, site)
    assert (site / "page/index.html").read_text() == "new"
    assert not made.exists()
    folders.fresh(made)
    (made / "other.html").write_text("newer")
    folders.publish(made, site)
    assert sorted(p.name for p in site.iterdir()) == [folders.LIST, "other.html"]
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == []


def test_somebodys_folder_is_never_replaced(made, tmp_path):
    site = tmp_path / "site"
    site.mkdir()
    (site / "thesis.tex").write_text("years")
    with pytest.raises(MeasuredError, match=r"not put by us: thesis\.tex"):
        folders.publish(made, site)
    assert (site / "thesis.tex").read_text() == "years"
    with pytest.raises(MeasuredError, match="not made by this engine"):
        folders.fresh(site)
    with pytest.raises(MeasuredError, match=r"not put by us: thesis\.tex"):
        folders.remove(site)
    assert (site / "thesis.tex").read_text() == "years"


def test_a_file_put_into_our_folder_is_never_lost(made, tmp_path):
    site = tmp_path / "site"
    folders.publish(made, site)
    (site / "CNAME").write_text("example.org")
    folders.fresh(made)
    with pytest.raises(MeasuredError, match=r"not put by us: CNAME"):
        folders.publish(made, site)
    assert (site / "CNAME").exists()
    (site / "CNAME").rename(tmp_path / "CNAME")
    (site / ".DS_Store").write_text("litter of a file manager")
    folders.publish(made, site)


def test_links_in_the_place_of_folders_are_refused(made, tmp_path):
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "x").write_text("x")
    for folder in (tmp_path / "site", tmp_path / "work"):
        folder.symlink_to(precious)
        for act in (lambda f: folders.publish(made, f), folders.fresh, folders.remove):
            with pytest.raises(MeasuredError):
                act(folder)
    (tmp_path / "build" / "records").symlink_to(precious)
    with pytest.raises(MeasuredError, match="this folder is a link"):
        folders.refuse_odd_folders(tmp_path, tmp_path / "build")
    with pytest.raises(MeasuredError, match="this folder is a link"):
        folders.refuse_odd_folders(tmp_path, tmp_path / "work" / "deeper")
    assert (precious / "x").read_text() == "x"


def test_a_pipe_among_records_is_not_waited_for(tmp_path):
    (tmp_path / "build" / "records").mkdir(parents=True)
    (tmp_path / "build" / "records" / "linked.json").symlink_to("nowhere")
    folders.refuse_odd_folders(tmp_path, tmp_path / "build")
    os.mkfifo(tmp_path / "build" / "records" / "x.json")
    with pytest.raises(MeasuredError, match="no plain file"):
        folders.refuse_odd_folders(tmp_path, tmp_path / "build")


@pytest.mark.parametrize("way", ["absent/../theirs", "absent/more/../../theirs", "theirs/.."])
def test_a_way_through_what_is_absent_leads_into_no_folder_of_somebody_else(made, tmp_path, way):
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "thesis.tex").write_text("years")
    for act in (
        lambda: folders.refuse_strangers(tmp_path / way),
        lambda: folders.publish(made, tmp_path / way),
    ):
        with pytest.raises(MeasuredError, match="not put by us"):
            act()
    assert (tmp_path / "theirs" / "thesis.tex").read_text() == "years"
    assert not (tmp_path / "absent").exists()


def test_published_files_are_readable_whatever_the_umask(made, tmp_path):
    before = os.umask(0o077)
    try:
        (made / "page" / "more").mkdir()
        (made / "page" / "more" / "x.txt").write_text("x")
        folders.publish(made, tmp_path / "deep" / "site")
    finally:
        os.umask(before)
    for path in (tmp_path / "deep" / "site").rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) == (0o755 if path.is_dir() else 0o644), path


@pytest.fixture
def elsewhere(tmp_path):
    """A folder on another device than the tests' own."""
    import tempfile
    from pathlib import Path

    shared = Path("/dev/shm")
    if not shared.is_dir() or shared.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("this machine has one device")
    with tempfile.TemporaryDirectory(dir=shared) as folder:
        yield Path(folder)


def test_publishing_across_devices_is_whole(made, elsewhere):
    folders.publish(made, elsewhere / "site")
    assert (elsewhere / "site/page/index.html").read_text() == "new"
    assert not made.exists()
    folders.fresh(made)
    (made / "second.html").write_text("2")
    folders.publish(made, elsewhere / "site")
    assert sorted(p.name for p in elsewhere.rglob("*")) == [folders.LIST, "second.html", "site"]


def test_publishing_across_devices_that_fails_leaves_what_stood(made, elsewhere, monkeypatch):
    folders.publish(made, elsewhere / "site")
    folders.fresh(made)
    (made / "second.html").write_text("2")

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(folders.shutil, "copytree", full)
    with pytest.raises(MeasuredError, match="No space left on device; it is as it was"):
        folders.publish(made, elsewhere / "site")
    assert (elsewhere / "site/page/index.html").read_text() == "new"
    assert [p.name for p in elsewhere.iterdir()] == ["site"]


def test_without_an_exchange_two_renames_do_and_a_kill_between_them_is_mended(made, tmp_path, monkeypatch):
    site = tmp_path / "site"
    monkeypatch.setattr(folders, "_exchange", lambda *_: False)
    folders.publish(made, site)
    folders.fresh(made)
    (made / "second.html").write_text("2")
    real = os.replace

    def killed(old, new):
        if old == made and new == site:
            raise KeyboardInterrupt
        real(old, new)

    monkeypatch.setattr(folders.os, "replace", killed)
    with pytest.raises(KeyboardInterrupt):
        folders.publish(made, site)
    assert not site.exists()
    monkeypatch.setattr(folders.os, "replace", real)
    folders.recover(site)
    assert (site / "page/index.html").read_text() == "new"
    folders.publish(made, site)
    assert (site / "second.html").exists()
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == []


def test_links_out_of_the_project_are_not_published(tmp_path):
    docs = tmp_path / "docs"
    docs.mkdir()
    (tmp_path / "note.md").write_text("x")
    (docs / "inside.md").symlink_to(tmp_path / "note.md")
    folders.refuse_links_out(docs, tmp_path)
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "config").write_text("token")
    for target in ("/etc/passwd", "/etc", tmp_path / ".git" / "config", tmp_path.parent):
        (docs / "link").symlink_to(target)
        with pytest.raises(MeasuredError, match="a link that leaves the project"):
            folders.refuse_links_out(docs, tmp_path)
        (docs / "link").unlink()
    os.mkfifo(docs / "pipe.md")
    with pytest.raises(MeasuredError, match="no plain file"):
        folders.refuse_links_out(docs, tmp_path)
