"""Values just inside and just outside a stored expectation, computed apart from the gate, exactly."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from measured.gate import compare
from measured.gate.stored import Expectation
from measured.terms.record import Record


def around(expectation: Expectation) -> tuple[list[object], list[object]]:
    """Values that must pass, and values that must not."""
    value, tolerance = expectation.value, expectation.tolerance.as_dict()
    if tolerance["kind"] == "exact":
        return [value], list(_others(value))
    if tolerance["kind"] in ("at_most", "at_least"):
        bound, away = tolerance["bound"], math.inf if tolerance["kind"] == "at_most" else -math.inf
        far = bound + math.copysign(max(abs(bound), 1.0), away)
        return [bound, math.nextafter(bound, -away)], [math.nextafter(bound, away), far]
    if tolerance["kind"] == "close":
        width = Fraction(tolerance["atol"]) + Fraction(tolerance["rtol"]) * abs(Fraction(value))
    else:
        spread = Fraction(tolerance["k"]) * Fraction(expectation.standard_error or 0.0)
        width = max(spread, Fraction(tolerance["floor"]))
    if expectation.within is not None:
        width = min(width, Fraction(expectation.within))
    inside, outside = [value], []
    for sign in (1, -1):
        inside.append(_beside(value, sign, width, Fraction(99, 100), within=True))
        outside.append(_beside(value, sign, width, Fraction(101, 100), within=False))
    return inside, outside


Mutation = tuple[str, object, bool, list[compare.Drift]]


def mutated(record: Record, stored: dict[str, Expectation]) -> Iterator[Mutation]:
    """Every measurement of a record moved, one at a time: id, value, whether it may pass, the gate's word."""
    for name, expectation in stored.items():
        measurement = record.measurements[name]
        for values, may_pass in zip(around(expectation), (True, False), strict=True):
            for value in values:
                form = ".17g" if isinstance(value, float) else ""
                moved = replace(measurement, value=value, format=form, non_finite=True)
                changed = replace(record, measurements={**record.measurements, name: moved})
                yield name, value, may_pass, compare.compare(changed, stored)


def _beside(value: float, sign: int, width: Fraction, share: Fraction, *, within: bool) -> float:
    """A float about `share` of the width away, on the right side of the edge even where floats are coarse."""
    found = float(Fraction(value) + sign * width * share)
    while (abs(Fraction(found) - Fraction(value)) <= width) != within:
        found = math.nextafter(found, value if within else sign * math.inf)
    return found


def _others(value: object) -> Iterator[object]:
    if isinstance(value, bool):
        yield not value
        yield int(value)
    elif isinstance(value, int):
        yield from (value + 1, value - 1, float(value))
    elif isinstance(value, float):
        yield from (math.nextafter(value, math.inf), math.nextafter(value, -math.inf))
    else:
        yield from (f"{value} ", f"x{value}")
