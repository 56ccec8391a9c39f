"""What was made is bound to what it was made from: edits of records, runs and figures are found."""

from __future__ import annotations

import json

import numpy as np
import pytest

from measured import archives, files
from measured.making import workflow
from measured.project import Project


@pytest.fixture
def why(sample, monkeypatch):
    """Why each job has to be made again, by name, as the next build sees it."""
    monkeypatch.syspath_prepend(str(sample.root / "src"))

    def found():
        jobs = workflow.jobs(Project.load(sample.root))
        return {job.name: job.why for job in jobs if job.why}

    assert found() == {}
    return found


def edit(path, change):
    data = json.loads(path.read_text("utf-8"))
    change(data)
    path.write_text(json.dumps(data), "utf-8")


def test_an_edited_value_is_measured_again(sample, why):
    def larger(data):
        mean = next(m for m in data["measurements"] if m["id"] == "fair.mean")
        mean.update(value=5.9, display="5.9000")

    edit(sample.root / "build/records/fair.json", larger)
    assert "changed since it was written" in why()["fair"]


def test_arrays_replaced_under_the_right_key_are_run_again(sample, why):
    npz = sample.root / "build/runs/fair/seed0.npz"
    packed = archives.pack_arrays({"mean": np.float64(5.9)})
    npz.write_bytes(packed)
    edit(npz.with_suffix(".json"), lambda data: data.update(arrays_sha256=files.sha256(packed)))
    assert "changed since it was written" in why()["fair/seed0"]
    assert why()["fair"]


def test_a_run_without_a_seal_is_no_run(sample, why):
    edit(sample.root / "build/runs/fair/seed0.json", lambda data: data.pop(archives.SEAL))
    assert "changed since it was written" in why()["fair/seed0"]


def test_an_edited_key_is_found_whatever_it_says(sample, why):
    def older(data):
        data["fingerprint"] = {**data["fingerprint"], "parameters": "0" * 64}

    for name in ("records/fair", "runs/fair/seed1", "figures/fair.counts"):
        edit(sample.root / f"build/{name}.json", older)
    assert {"fair", "fair/seed1", "figure fair.counts"} <= set(why())


def test_a_figures_words_are_bound_to_it(sample, why):
    edit(sample.root / "build/figures/fair.counts.json", lambda data: data.update(alt="another"))
    assert "changed since it was written" in why()["figure fair.counts"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("runs/fair/seed0.json", b"[" * 100_000),
        ("runs/fair/seed0.json", b'{"fingerprint": {}, "arrays_sha256": ' + b"9" * 5000 + b"}"),
        ("runs/fair/seed0.json", b"\xff\xfe"),
        ("runs/fair/seed0.npz", b"PK\x03\x04"),
        ("figures/fair.counts.json", b"[]"),
        ("figures/fair.counts.json", b"{"),
        ("figures/fair.counts.svg", b"\xff"),
        ("records/fair.json", b'{"schema": ' + b"[" * 100_000),
    ],
)
def test_what_is_damaged_is_made_again(sample, why, name, content):
    (sample.root / "build" / name).write_bytes(content)
    assert why()


def test_an_edited_record_is_mended_by_the_next_build(sample):
    path = sample.root / "build/records/fair.json"
    whole = path.read_bytes()
    edit(path, lambda data: data.update(question="Another?"))
    result = sample.build()
    assert result.returncode == 0, result.stdout
    assert "the record was changed since it was written" in result.stdout
    assert path.read_bytes() == whole
