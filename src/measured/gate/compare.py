"""Records against stored values: whatever cannot be compared does not pass."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from measured.gate.stored import Expectation
from measured.terms.claims import Judgement
from measured.terms.measurement import Measurement, Tolerance, Value
from measured.terms.record import Record


@dataclass(frozen=True)
class Drift:
    """One thing that does not stand where it stood.

    Args:
        id: the measurement's; a claim's where tolerances are too wide for it; an experiment's name where
            a whole file is missing.
        kind: `outside`, `sample`, `new`, `missing`, `policy`, `loose`; what no accepting mends is `quick`,
            `unmeasured`, `undeclared` or `bound`.
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


def compare(record: Record, expected: Mapping[str, Expectation], *, another_cpu: bool = False) -> list[Drift]:
    """All drift of one record.

    Args:
        record: what was measured.
        expected: what is stored.
        another_cpu: whether the stored values were looked at on another class of CPU. Trainings end elsewhere
            there, as if from other seeds: each value is held to the tolerance that is declared for it, and
            not to how little drift the claims bear that read it. They are judged by what was measured.
    """
    return list(_drift(record, expected, another_cpu))


def table(drift: Iterable[Drift]) -> str:
    """Two lines a drift, as pytest-regressions shows what differs: the numbers, and the reason below them."""
    drift = list(drift)
    head = ("", "obtained", "expected", "diff", "allowed")
    rows = [(d.id, d.measured, d.stored, _signed(d.change), d.allowed) for d in drift]
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]
    lines = ["  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)) for row in (head, *rows)]
    told = [lines[0], *(f"{line.rstrip()}\n    {d.reason}" for line, d in zip(lines[1:], drift, strict=True))]
    return "\n".join(line.rstrip() for line in told)


def _drift(record: Record, expected: Mapping[str, Expectation], another_cpu: bool) -> Iterator[Drift]:
    if record.mode != "full":
        reason = "quick records hold fewer draws and seeds; they are never compared, nor published"
        yield Drift(record.experiment, "quick", "a full record", "a quick one", "a full record", reason)
        return
    for name, measurement in record.measurements.items():
        if name not in expected:
            reason = "nothing is stored for it yet: look at the value"
            yield Drift(name, "new", "nothing", repr(measurement.value), "a stored value", reason)
            continue
        if measurement.tolerance != expected[name].tolerance:
            yield _policy(measurement, expected[name])
        expectation = expected[name].under(measurement)
        if another_cpu:
            expectation = replace(expectation, within=None)
        if not expectation.accepts(measurement.value):
            yield _outside(name, measurement.value, expectation)
        if not another_cpu:
            yield from _samples(measurement, expected[name])
    for name in expected:
        if name in record.claims and name not in record.measurements:
            if not another_cpu:
                yield from _margin(record.claims[name], expected[name])
        elif name not in record.measurements:
            reason = (
                "a stored value that nothing measures any more: restore the measurement, or nox -s accept"
            )
            stored = repr(expected[name].value)
            yield Drift(name, "missing", stored, "nothing", expected[name].allowed(), reason)


def _policy(measurement: Measurement, expectation: Expectation) -> Drift:
    old, new = expectation.tolerance, measurement.tolerance
    reworded = _numbers(old) == _numbers(new)
    return Drift(
        measurement.id,
        "policy",
        repr(old.reason) if reworded else _numbers(old),
        repr(new.reason) if reworded else _numbers(new),
        "the stored tolerance",
        "a tolerance that changes without being accepted could let anything pass",
    )


def _numbers(tolerance: Tolerance) -> str:
    """A policy in short: its kind and its numbers."""
    fields = {k: v for k, v in tolerance.as_dict().items() if k not in ("kind", "reason")}
    return " ".join([tolerance.kind, *(f"{name}={value!r}" for name, value in fields.items())])


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


def _margin(claim: Judgement, expectation: Expectation) -> Iterator[Drift]:
    """That of a claim on arrays: what it decides on has no tolerance of its own."""
    if claim.margin is None or not claim.holds or not expectation.accepts(claim.margin):
        margin = claim.undecidable or f"margin {claim.margin!r}"
        reason = f"the claim comes near its opposite: {expectation.tolerance.reason}"
        yield Drift(
            claim.id, "outside", f"margin {expectation.value!r}", margin, expectation.allowed(), reason
        )


def _samples(measurement: Measurement, expectation: Expectation) -> Iterator[Drift]:
    """Each seed's value, where a claim decides on it."""
    if expectation.samples_within is None:
        return
    if len(measurement.samples) != len(expectation.samples):
        stored, measured = (f"{len(s)} samples" for s in (expectation.samples, measurement.samples))
        reason = "a claim decides on the samples, and there are more or fewer of them: look at them"
        yield Drift(measurement.id, "sample", stored, measured, stored, reason)
        return
    for seed, sample, stored in zip(measurement.seeds, measurement.samples, expectation.samples, strict=True):
        if not expectation.accepts_sample(sample, stored):
            within = expectation.samples_within
            yield Drift(
                f"{measurement.id} seed {seed}",
                "sample",
                repr(stored),
                repr(sample),
                f"{stored!r} ± {within:.3g}",
                "a claim decides on what each seed gave, and bears no more drift than this",
                sample - stored,
                abs(sample - stored) / within if within else None,
            )


def _signed(change: float | None) -> str:
    return "" if change is None else f"{change:+.4g}"
