"""Every stored measurement of the project, one at a time, just inside and just outside its tolerance."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from measured.gate.stored import Expectation, read_all
from measured.project import Project
from measured.terms.measurement import Measurement
from mutations import mutated

ROOT = Path(__file__).resolve().parents[2]


def test_every_measurement_just_outside_is_caught_and_named_and_inside_passes():
    project = Project.load(ROOT)
    records = project.read_records()
    if not records:
        pytest.skip("no records; run: nox -s build")
    stored = read_all(project.stored)
    counts: Counter[str] = Counter()
    for name, record in records.items():
        # An experiment that is new has nothing stored yet; what would be stored is tried instead.
        expected = stored.get(name) or {m.id: Expectation.of(m) for m in record.measurements.values()}
        expected = {i: e for i, e in expected.items() if i in record.measurements}
        standing = {i: _as_stored(record.measurements[i], e) for i, e in expected.items()}
        record = type(record)(**{**record.__dict__, "measurements": standing})
        for measurement, value, may_pass, drift in mutated(record, expected):
            named = [d.id for d in drift]
            assert named == ([] if may_pass else [measurement]), f"{measurement} at {value!r}: {drift}"
            counts["inside, passed" if may_pass else "outside, caught and named"] += 1
        counts["measurements"] += len(expected)
    print(f"\ngate: {dict(counts)}")
    assert counts["measurements"] > 0


def _as_stored(measurement: Measurement, expectation: Expectation) -> Measurement:
    """The measurement where nothing has moved: on another class of CPU trainings do."""
    if expectation.tolerance.kind not in ("at_most", "at_least"):
        form = ".17g" if isinstance(expectation.value, float) else ""
        measurement = replace(measurement, value=expectation.value, format=form)
    if expectation.samples_within is None:
        return measurement
    seeds = measurement.seeds if len(measurement.seeds) == len(expectation.samples) else ()
    seeds = seeds or tuple(range(len(expectation.samples)))
    return replace(measurement, seeds=seeds, samples=expectation.samples)
