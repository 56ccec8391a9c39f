"""The gate: records against stored regressions. Whatever cannot be compared does not pass."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from measured.gate.stored import Expectation
from measured.terms.measurement import Value
from measured.terms.record import Record


@dataclass(frozen=True)
class Drift:
    """One measurement that does not stand where it stood.

    Args:
        id: the measurement's; an experiment's name where a whole file is missing.
        kind: `outside`, `new`, `missing`, `policy`, `quick`.
        stored: the accepted value, as text.
        measured: the measured one, as text.
        allowed: what would have passed.
        reason: why the tolerance is what it is, or why this is drift.
        change: measured − stored, where both are numbers.
        ratio: |change| ÷ the tolerance's width, where it has one.
    """

    id: str
    kind: str
    stored: str
    measured: str
    allowed: str
    reason: str
    change: float | None = None
    ratio: float | None = None

    def __str__(self) -> str:
        return (
            f"{self.id}: stored {self.stored}, measured {self.measured}, allowed {self.allowed}\n"
            f"    {self.reason}"
        )


def compare(record: Record, expected: Mapping[str, Expectation]) -> list[Drift]:
    """All drift of one record."""
    return list(_drift(record, expected))


def compare_all(
    records: Mapping[str, Record], stored: Mapping[str, Mapping[str, Expectation]]
) -> dict[str, list[Drift]]:
    """Drift by experiment, of all that was measured or is stored; only experiments with drift."""
    found = {}
    for name in sorted({*records, *stored}):
        if name not in records:
            found[name] = [_unmeasured(name, len(stored[name]))]
        elif drift := compare(records[name], stored.get(name, {})):
            found[name] = drift
    return found


def _drift(record: Record, expected: Mapping[str, Expectation]) -> Iterator[Drift]:
    if record.mode != "full":
        reason = "quick records hold fewer draws and seeds; they are never compared, nor published"
        yield Drift(record.experiment, "quick", "a full record", "a quick one", "a full record", reason)
        return
    for name, measurement in record.measurements.items():
        if name not in expected:
            reason = "nothing is stored for it: look at the value, then run nox -s accept"
            yield Drift(name, "new", "nothing", repr(measurement.value), "a stored value", reason)
        elif measurement.tolerance != expected[name].tolerance:
            yield Drift(
                name,
                "policy",
                str(expected[name].tolerance.as_dict()),
                str(measurement.tolerance.as_dict()),
                "the stored tolerance",
                "a tolerance that changes without being accepted could let anything pass",
            )
        elif not expected[name].accepts(measurement.value):
            yield _outside(name, measurement.value, expected[name])
    for name in expected:
        if name not in record.measurements:
            reason = (
                "a stored value that nothing measures any more: restore the measurement, or nox -s accept"
            )
            yield Drift(
                name, "missing", repr(expected[name].value), "nothing", expected[name].allowed(), reason
            )


def _outside(name: str, value: Value, expectation: Expectation) -> Drift:
    numbers = not isinstance(value, str) and not isinstance(expectation.value, str)
    change = float(value) - float(expectation.value) if numbers else None
    width = expectation.width()
    return Drift(
        name,
        "outside",
        repr(expectation.value),
        repr(value),
        expectation.allowed(),
        f"the tolerance: {expectation.tolerance.reason}",
        change,
        abs(change) / width if change is not None and width else None,
    )


def _unmeasured(name: str, count: int) -> Drift:
    return Drift(
        name,
        "missing",
        f"{count} values",
        "no record",
        "a record of that experiment",
        "the experiment is gone or has not run: run nox -s build, or drop its stored file with nox -s accept",
    )
