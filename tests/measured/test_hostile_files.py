"""Damaged and hostile records, runs and archives: one sentence each, never a traceback."""

from __future__ import annotations

import json

import numpy as np
import pytest

import hostile_files
from measured import archives, files, names
from measured.errors import MeasuredError
from measured.terms import record
from measured.terms.drawing import Plot
from measured.terms.experiment import Experiment, Run, Table

ARCHIVES = dict(hostile_files.hostile_archives())


@pytest.fixture
def good(tmp_path):
    return hostile_files.good_files(tmp_path)


@pytest.mark.parametrize("what", ARCHIVES)
def test_a_hostile_archive_is_refused(what):
    with pytest.raises(MeasuredError, match=r"^is no \.npz file"):
        archives.unpack_arrays(ARCHIVES[what])


@pytest.mark.parametrize("what", hostile_files.CHANGES)
def test_a_hostile_record_is_refused(good, tmp_path, what):
    path = tmp_path / "dice.json"
    hostile_files.write_sealed(path, hostile_files.CHANGES[what](good[0]))
    with pytest.raises(MeasuredError, match=r"dice\.json: the record ") as refused:
        record.read_record(path)
    assert len(str(refused.value)) < 1000


def test_an_edit_of_a_record_shows(good, tmp_path):
    path = tmp_path / "dice.json"
    data = good[0]
    data["measurements"][0].update(value=0.75, display="0.75")
    path.write_text(json.dumps(data), "utf-8")
    with pytest.raises(MeasuredError, match="was changed since it was written"):
        record.read_record(path)
    path.write_text(json.dumps({k: v for k, v in data.items() if k != archives.SEAL}), "utf-8")
    with pytest.raises(MeasuredError, match="the record "):
        record.read_record(path)


def test_hostile_json_is_refused(good, tmp_path):
    path = tmp_path / "dice.json"
    for what, data in hostile_files.hostile_texts(path.read_text("utf-8")):
        path.write_bytes(data)
        with pytest.raises(MeasuredError) as refused:
            record.read_record(path)
        assert "the record " in str(refused.value), what
        assert len(str(refused.value)) < 1000, what


def test_what_is_written_is_read_again():
    arrays = {
        "zeros": np.zeros((1000, 1000)),
        "truth": np.array([True, False]),
        "scalar": np.float32(3),
        "texts": np.array(["a", "bcd"]),
        "columns": np.asfortranarray(np.arange(6).reshape(2, 3)),
        "none": np.zeros((0, 4), np.int8),
        "complex": np.array([1j]),
    }
    again = archives.unpack_arrays(archives.pack_arrays(arrays))
    assert sorted(again) == sorted(arrays)
    for name, array in arrays.items():
        assert again[name].dtype == np.asarray(array).dtype
        assert np.array_equal(again[name], array)
        again[name].flags.writeable = True


@pytest.mark.parametrize(
    ("arrays", "expected"),
    [
        ({"a": np.array([{}])}, "array a holds values of type object"),
        ({"../a": np.zeros(1)}, "an array has the name"),
        ({"file": np.zeros(1)}, "an array has the name"),
        ({"a": np.zeros(40 << 20)}, "its arrays would need more than 256 MiB"),
        ({"a": np.zeros(8 << 20)}, "its arrays would need more than 100 times its size"),
    ],
)
def test_what_could_not_be_read_again_is_not_written(arrays, expected):
    with pytest.raises(MeasuredError, match=expected):
        archives.pack_arrays(arrays)


@pytest.mark.parametrize("name", ["scale.max_weight", "blocks1.seed0", "a", "t.4_heads"])
def test_a_name_is_a_name(name):
    assert names.checked(name, "a table") == name


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".",
        "..",
        "../x",
        "a/b",
        "a\\b",
        "a b",
        "A",
        "a.",
        ".a",
        "a..b",
        "nul",
        "com1.x",
        "é",
        "x" * 101,
        "a\n",
        3,
        None,
    ],
)
def test_another_name_is_refused(name):
    with pytest.raises(MeasuredError, match="a table has the name"):
        names.checked(name, "a table")


def test_a_pipe_is_not_waited_for(tmp_path):
    import os

    os.mkfifo(tmp_path / "dice.json")
    with pytest.raises(MeasuredError, match="no plain file"):
        record.read_record(tmp_path / "dice.json")


def test_arrays_that_are_not_vouched_for_are_refused(good, tmp_path):
    packed = archives.pack_arrays({"faces": np.arange(7)})
    (tmp_path / "dice.npz").write_bytes(packed)
    with pytest.raises(MeasuredError, match="not the file that its JSON vouches for"):
        len(record.read_record(tmp_path / "dice.json").arrays)
    assert files.sha256(packed) != good[0]["arrays_sha256"]


@pytest.mark.parametrize("name", ["../x", "a/b", "", "nul"])
def test_what_is_declared_under_such_a_name_is_refused(name):
    for declare in (
        lambda: Experiment(name, "Why?", print, {}),
        lambda: Experiment("dice", "Why?", print, {}, runs=(Run(name, print, {}),)),
        lambda: Table(name, (), ()),
        lambda: Plot(name, print, ()),
    ):
        with pytest.raises(MeasuredError, match="has the name"):
            declare()
