"""What an earlier build has left is taken as it was written, or not at all."""

from __future__ import annotations

import json

import pytest

from measured import keeping


@pytest.mark.parametrize("data", [{"outputs": ["\x1b[1m", "é", 'a "b"\n']}, [], "<b>x</b>", 0])
def test_what_was_kept_is_read(tmp_path, data):
    keeping.write(tmp_path / "x.json", data)
    assert keeping.read(tmp_path / "x.json") == data
    assert json.loads((tmp_path / "x.json").read_text("utf-8"))["kept"] == data


def test_what_is_edited_or_damaged_counts_as_nothing(tmp_path):
    path = tmp_path / "x.json"
    keeping.write(path, {"html": "<p>3.5</p>"})
    whole = path.read_bytes()
    for spoiled in (
        whole.replace(b"3.5", b"5.9"),
        whole[:-10],
        b"",
        b"[" * 200_000,
        whole + b" ",
        b"\xff" + whole,
        b'{"kept": 1}',
    ):
        path.write_bytes(spoiled)
        assert keeping.read(path) is None
    path.unlink()
    assert keeping.read(path) is None


def test_an_edited_output_of_a_cell_is_never_published(sample):
    for folder, name in (("build/cells", "*.json"), ("build/finished", "*.json")):
        for path in (sample.root / folder).rglob(name):
            path.write_bytes(path.read_bytes().replace(b"throw", b"throe").replace(b"A die", b"A fly"))
    sample.edit("docs/index.md", "The mean is middling.", "The mean is quite middling.")
    before = sample.tree("site")
    result = sample.build()
    assert result.returncode == 0, result.stdout
    after = sample.tree("site")
    assert b"quite middling" in after["index.html"]
    assert b"A die" in after["index.html"]
    assert after["measurements/index.html"] == before["measurements/index.html"]
    assert after["index.ipynb"].replace(b"quite ", b"") == before["index.ipynb"]
