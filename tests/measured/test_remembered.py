"""Generated files are taken from the last build only while what they were made from is as it was."""

import importlib.util
import shutil

import pytest

from measured.site.remembered import Remembered
from samples import copy

HOOK = """
import os
from pathlib import Path

asked = []


def files():
    asked.append(1)
    text = (Path(__file__).parent / "data.txt").read_text(encoding="utf-8")
    yield "page.md", text + os.environ.get("SHOWN", "nothing")
    yield "data/x.bin", b"\\x00"
"""


@pytest.fixture
def hook(tmp_path, monkeypatch):
    """A project whose hook reads a file and a variable, and what is remembered of it."""
    monkeypatch.delenv("SHOWN", raising=False)
    (tmp_path / "data.txt").write_text("one ", encoding="utf-8")
    path = tmp_path / "hook.py"
    path.write_text(HOOK, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("remembered_hook", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def asks(hook, folder, state="measured", made_from="x"):
    """What is generated now, and how often the hook was asked for it; written where a build writes."""
    before = len(hook.asked)
    remembered = Remembered(folder, folder / "woven", folder / "kept.json", (), state)
    found = dict(remembered.files("hook", made_from, hook.files))
    remembered.keep()
    for place, content in found.items():
        path = folder / "woven" / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return found, len(hook.asked) - before


def test_nothing_is_generated_twice_from_the_same(hook, tmp_path):
    first, second = asks(hook, tmp_path), asks(hook, tmp_path)
    assert first == ({"page.md": "one nothing", "data/x.bin": b"\x00"}, 1)
    assert second == (first[0], 0)


@pytest.mark.parametrize("change", ["file", "variable", "state", "made from", "content", "kept", "absent"])
def test_whatever_it_was_made_from_changes_it_is_generated_again(hook, tmp_path, monkeypatch, change):
    asks(hook, tmp_path)
    more, expected = {}, "one nothing"
    if change == "file":
        (tmp_path / "data.txt").write_text("two ", encoding="utf-8")
        expected = "two nothing"
    elif change == "variable":
        monkeypatch.setenv("SHOWN", "something")
        expected = "one something"
    elif change == "state":
        more = {"state": "measured otherwise"}
    elif change == "made from":
        more = {"made_from": "y"}
    elif change == "content":
        (tmp_path / "woven" / "page.md").write_text("edited", encoding="utf-8")
    elif change == "kept":
        (tmp_path / "kept.json").write_text("half of", encoding="utf-8")
    else:
        (tmp_path / "woven" / "data" / "x.bin").unlink()
    found, times = asks(hook, tmp_path, **more)
    assert times == 1
    assert found["page.md"] == expected


def test_where_nobody_knows_what_was_measured_nothing_is_remembered(hook, tmp_path):
    assert [asks(hook, tmp_path, state="")[1] for _ in range(2)] == [1, 1]
    assert not (tmp_path / "kept.json").exists()


KEPT = ("generated.json", "private.json", "prose.json", "prose.passed", "weights.json", "kept_pages.json")
KEPT += ("receipt.json", "site.json")
EDITS = (
    {"docs/index.md": ("Its mean is {{ fair.mean }}", "Its mean is told elsewhere")},
    {
        "docs/index.md": ("# A die", "# One die"),
        "docs/more.md": ("", "# More\n\nIts mean: {{ fair.mean }}.\n"),
    },
)


def test_an_edited_site_is_the_site_that_is_made_from_nothing_kept(accepted, tmp_path):
    sample = copy(accepted.root, tmp_path / "dice")
    for edit in EDITS:
        for name, (old, new) in edit.items():
            path = sample.root / name
            text = path.read_text(encoding="utf-8") if path.exists() else ""
            assert old in text
            path.write_text(text.replace(old, new) if old else new, encoding="utf-8")
        assert (result := sample.build()).returncode == 0, result.stdout
    edited = sample.tree("site")
    for name in KEPT:
        (sample.root / "build" / name).unlink(missing_ok=True)
    for name in ("finished", "readings", "woven", "code"):
        shutil.rmtree(sample.root / "build" / name)
    assert (result := sample.build()).returncode == 0, result.stdout
    assert sample.tree("site") == edited
