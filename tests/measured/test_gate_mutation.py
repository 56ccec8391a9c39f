"""The gate against values just inside and just outside each kind of tolerance (all: nox -s attack)."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from measured.gate.stored import Expectation
from measured.terms.measurement import AtLeast, AtMost, Close, Exact, Measurement, Spread
from mutations import mutated
from weaving import record_of

numbers = st.floats(-1e12, 1e12, allow_nan=False).map(lambda x: x + 0.0)
widths = st.floats(1e-12, 1e3)
seeds = {"seeds": (0, 1, 2)}


def measured(value, tolerance, **more):
    return Measurement("d.a", value, "w", tolerance, ".3g" if isinstance(value, float) else "", **more)


MEASUREMENTS = st.one_of(
    st.builds(lambda v, a, r: measured(v, Close("y", rtol=r, atol=a)), numbers, widths, widths),
    st.builds(lambda v: measured(v, Exact("y")), st.one_of(numbers, st.integers(), st.booleans(), st.text())),
    st.builds(lambda v, b: measured(v, AtMost("y", bound=b)), numbers, numbers),
    st.builds(lambda v, b: measured(v, AtLeast("y", bound=b)), numbers, numbers),
    st.builds(
        lambda v, k, f, s: measured(v, Spread("y", k=k, floor=f), samples=s, **seeds),
        numbers,
        st.floats(0.5, 5),
        widths,
        st.tuples(numbers, numbers, numbers),
    ),
)


@settings(max_examples=200, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(MEASUREMENTS)
def test_inside_passes_and_outside_is_named(measurement):
    record = record_of((measurement,))
    stored = {measurement.id: Expectation.of(measurement)}
    for _, value, may_pass, drift in mutated(record, stored):
        assert [d.id for d in drift] == ([] if may_pass else ["d.a"]), value


@pytest.mark.parametrize("kept", [0, 1])
def test_a_tolerance_that_changes_without_being_accepted_is_named(kept):
    old = Measurement("d.a", 1.0, "w", Close("y", atol=0.1), ".1f")
    new = Measurement("d.a", 1.0, "w", Close("y" if kept else "z", atol=0.2), ".1f")
    found = [drift for *_, drift in mutated(record_of((new,)), {"d.a": Expectation.of(old)})]
    assert found
    assert all([d.kind for d in drift][:1] == ["policy"] for drift in found)
