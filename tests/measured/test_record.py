from __future__ import annotations

import json
import os

import numpy as np
import pytest

from measured import archives, files
from measured.errors import MeasuredError
from measured.terms import record
from measured.terms.claims import Judgement
from measured.terms.experiment import Cell, Table
from measured.terms.measurement import Exact, Measurement


def made(name="dice", **changes):
    mean = Measurement(f"{name}.mean", 0.5, "a mean", Exact("why"), ".2f")
    fields = {
        "experiment": name,
        "question": "Fair?",
        "source": "src/dice.py:measure",
        "mode": "full",
        "parameters": {"draws": 10},
        "fingerprint": {"lock": "abc"},
        "environment": {"python": "3"},
        "measurements": {mean.id: mean},
        "tables": {f"{name}.t": Table(f"{name}.t", ("a", "b"), (("x", Cell(mean.id, ".1f")),))},
        "claims": {f"{name}.c": Judgement(f"{name}.c", "words", True, 0.5, {"mean": 0.5})},
        "arrays": {"faces": np.arange(6)},
        **changes,
    }
    return record.Record(**fields)


def test_a_record_survives_the_disk(tmp_path):
    one = made()
    record.write_record(tmp_path, one)
    again = record.read_record(tmp_path / "dice.json")
    assert again.measurements == one.measurements
    assert again.tables == one.tables
    assert again.claims == one.claims
    assert np.array_equal(again.arrays["faces"], np.arange(6))


def test_what_is_read_is_what_is_there_whatever_age_and_size_say(tmp_path, monkeypatch):
    path = tmp_path / "dice.json"
    record.write_record(tmp_path, made(parameters={"draws": 10}))
    state = path.stat()
    monkeypatch.setattr(type(path), "stat", lambda *_, **__: state)  # of each file, whatever becomes of it
    assert record.read_record(path).parameters == {"draws": 10}
    assert files.sha256_of_text(path) == files.sha256(path.read_bytes())
    data = files.json_bytes(archives.sealed({**json.loads(path.read_bytes()), "parameters": {"draws": 99}}))
    assert len(data) == state.st_size
    path.write_bytes(data)
    assert record.read_record(path).parameters == {"draws": 99}
    assert files.sha256_of_text(path) == files.sha256(data)


def test_the_same_record_is_the_same_bytes(tmp_path):
    for folder in ("a", "b"):
        record.write_record(tmp_path / folder, made())
    for name in ("dice.json", "dice.npz"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.99])
def test_a_record_cut_short_is_told(tmp_path, share):
    record.write_record(tmp_path, made())
    path = tmp_path / "dice.json"
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * share)])
    with pytest.raises(MeasuredError, match=r"cut short or is no JSON[^$]*delete dice\.json"):
        record.read_record(path)


def test_arrays_of_another_run_are_told(tmp_path):
    record.write_record(tmp_path, made())
    (tmp_path / "dice.npz").write_bytes(record.pack_arrays({"faces": np.arange(7)}))
    with pytest.raises(MeasuredError, match="not the file that its JSON vouches for"):
        record.read_record(tmp_path / "dice.json").arrays["faces"]


@pytest.mark.parametrize(
    "text", ["[]", "{}", '"x"', '{"schema": 99}', '{"schema": 1}', '{"schema": 1, "experiment": 3}']
)
def test_a_foreign_file_is_told(tmp_path, text):
    path = tmp_path / "dice.json"
    path.write_text(text)
    with pytest.raises(MeasuredError, match="the record "):
        record.read_record(path)


def test_a_record_with_a_spoiled_measurement_is_told(tmp_path):
    record.write_record(tmp_path, made())
    path = tmp_path / "dice.json"
    data = json.loads(path.read_text())
    data["measurements"][0]["tolerance"]["kind"] = "roughly"
    path.write_text(json.dumps(archives.sealed(data)))
    with pytest.raises(MeasuredError, match="unreadable tolerance"):
        record.read_record(path)


def test_a_record_changed_by_hand_is_told(tmp_path):
    record.write_record(tmp_path, made())
    path = tmp_path / "dice.json"
    path.write_text(path.read_text().replace('"Fair?"', '"Unfair?"'))
    with pytest.raises(MeasuredError, match="was changed since it was written"):
        record.read_record(path)


def test_a_record_under_another_name_is_told(tmp_path):
    record.write_record(tmp_path, made())
    assert list(record.read_records(tmp_path)) == ["dice"]
    os.rename(tmp_path / "dice.json", tmp_path / "coins.json")
    with pytest.raises(MeasuredError, match="under another name"):
        record.read_records(tmp_path)


def test_a_write_that_fails_leaves_what_stood(tmp_path, monkeypatch):
    path = tmp_path / "x.json"
    files.write_text(path, "old")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(MeasuredError, match="No space left on device"):
        files.write_text(path, "new")
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["x.json"]


def test_an_unwritable_folder_is_told(tmp_path):
    (tmp_path / "taken").write_text("a file where a folder should be")
    with pytest.raises(MeasuredError, match="cannot write"):
        files.write_text(tmp_path / "taken" / "x.json", "new")


def test_an_unknown_measurement_names_the_known_ones():
    with pytest.raises(MeasuredError, match=r"no measurement dice\.median[^$]*dice\.mean"):
        made()["dice.median"]
