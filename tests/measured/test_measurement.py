from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from measured.errors import MeasuredError
from measured.terms.measurement import (
    AtLeast,
    AtMost,
    Close,
    Exact,
    Measurement,
    Spread,
    tolerance_from_dict,
)

WHY = "a reason"
finite = st.floats(-1e6, 1e6, allow_subnormal=False)


def measurement(value=0.5, **changes):
    fields = {"id": "dice.mean", "description": "a mean", "tolerance": Exact(WHY), "format": ".3f", **changes}
    return Measurement(value=value, **fields)


def test_numpy_scalars_become_plain_numbers():
    assert type(measurement(np.float32(0.5)).value) is float
    assert type(measurement(np.int64(3), format="d").value) is int
    assert measurement(np.float64(0.25)).display() == "0.250"


@pytest.mark.parametrize(
    "name", ["mean", "Dice.mean", "dice..mean", "dice.4", "dice.mean ", "dice-mean.x", ""]
)
def test_a_malformed_id_is_refused(name):
    with pytest.raises(MeasuredError, match="malformed"):
        measurement(id=name)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite_is_refused_unless_declared(value):
    with pytest.raises(MeasuredError, match="not finite"):
        measurement(value)
    declared = measurement(value, non_finite=True)
    again = Measurement.from_dict(declared.as_dict())
    assert again.display() == declared.display()


def test_a_sample_that_is_not_finite_is_refused():
    with pytest.raises(MeasuredError, match="not finite"):
        measurement(seeds=(0, 1), samples=(0.1, math.nan))


def test_a_format_that_does_not_fit_is_refused_by_name():
    with pytest.raises(MeasuredError, match=r"format 'd' does not fit dice\.mean"):
        measurement(format="d")
    with pytest.raises(MeasuredError, match="does not fit"):
        measurement(format="")


def test_a_tolerance_needs_a_reason_and_a_close_one_a_distance():
    with pytest.raises(MeasuredError, match="no reason"):
        Exact("  ")
    with pytest.raises(MeasuredError, match="no distance"):
        Close(WHY)


def test_a_spread_needs_samples_and_a_sample_a_seed():
    with pytest.raises(MeasuredError, match="samples of at least two seeds|0 samples"):
        measurement(tolerance=Spread(WHY))
    with pytest.raises(MeasuredError, match="one sample a seed|2 samples for 3 seeds"):
        measurement(seeds=(0, 1, 2), samples=(0.1, 0.2))


def test_the_spread_is_that_of_the_samples():
    found = measurement(0.2, seeds=(0, 1, 2), samples=(0.1, 0.2, 0.3)).spread
    assert found["n"] == 3
    assert (found["min"], found["max"]) == (0.1, 0.3)
    assert found["sd"] == pytest.approx(0.1)
    assert found["standard_error"] == pytest.approx(0.1 / math.sqrt(3))


@given(value=finite, rtol=st.floats(1e-12, 0.5), atol=st.floats(0, 10))
def test_close_ends_where_it_says(value, rtol, atol):
    policy = Close(WHY, rtol=rtol, atol=atol)
    width = policy.width(value)
    assert policy.allows(value, value)
    assert policy.allows(value + 0.99 * width, value)
    outside = value + 1.01 * width + abs(value) * 1e-9 + 1e-300
    assert not policy.allows(outside, value)


@given(stored=finite, error=st.floats(0, 10), k=st.floats(0.5, 5), floor=st.floats(0, 1))
def test_spread_ends_at_k_standard_errors_or_at_its_floor(stored, error, k, floor):
    policy = Spread(WHY, k=k, floor=floor)
    width = max(k * error, floor)
    assert policy.allows(stored + 0.99 * width, stored, error)
    assert not policy.allows(stored + 1.01 * width + abs(stored) * 1e-9 + 1e-300, stored, error)


def test_exact_knows_types_and_nan():
    policy = Exact(WHY)
    assert policy.allows(3, 3)
    assert not policy.allows(3.0, 3)
    assert not policy.allows(True, 1)
    assert policy.allows(math.nan, math.nan)


def test_one_sided_tolerances_look_at_their_bound_alone():
    assert AtMost(WHY, bound=1e-6).allows(9e-7, 5e-9)
    assert not AtMost(WHY, bound=1e-6).allows(2e-6, 5e-9)
    assert not AtMost(WHY, bound=1e-6).allows(math.nan, 5e-9)
    assert AtLeast(WHY, bound=0.9).allows(0.95, 0.99)
    assert not AtLeast(WHY, bound=0.9).allows(0.85, 0.99)


@pytest.mark.parametrize(
    "policy",
    [Exact(WHY), Close(WHY, rtol=0.1), AtMost(WHY, bound=1.0), AtLeast(WHY, bound=2.0), Spread(WHY, k=2.0)],
)
def test_a_policy_survives_being_stored(policy):
    assert tolerance_from_dict(policy.as_dict()) == policy


def test_an_unknown_policy_is_refused():
    with pytest.raises(MeasuredError, match="unreadable tolerance"):
        tolerance_from_dict({"kind": "roughly", "reason": WHY})


@given(value=st.one_of(finite, st.integers(-(10**9), 10**9), st.booleans(), st.text(max_size=20)))
def test_a_measurement_survives_being_recorded(value):
    chosen = ".6g" if isinstance(value, float) else ""
    made = measurement(value, format=chosen)
    assert Measurement.from_dict(made.as_dict()) == made


def test_what_can_be_shown_without_a_format():
    assert measurement(True, format="").display() == "yes"
    assert measurement(False, format="").display() == "no"
    assert measurement(3, format="").display() == "3"
    assert measurement(math.inf, format="", non_finite=True).display() == "inf"
    with pytest.raises(MeasuredError, match="format '' does not fit dice.mean, whose value is the float 0.5"):
        measurement(0.5, format="")


def test_two_samples_are_enough_for_a_spread_and_infinite_ones_have_none():
    two = measurement(seeds=(0, 1), samples=(0.1, 0.3), tolerance=Spread(WHY, floor=0.1))
    assert two.standard_error == pytest.approx(0.1)
    assert two.spread["sd"] == pytest.approx(math.sqrt(0.02))
    with pytest.raises(MeasuredError, match="has a Spread tolerance and 1 samples"):
        measurement(seeds=(0,), samples=(0.1,), tolerance=Spread(WHY))
    never = measurement(seeds=(0, 1), samples=(0.1, math.inf), non_finite=True)
    assert (never.standard_error, never.spread["sd"], never.spread["max"]) == (None, None, math.inf)
    assert measurement().spread is None
    assert measurement(seeds=(0,), samples=(0.1,)).standard_error is None


def test_what_is_no_number_truth_value_or_text_is_named():
    with pytest.raises(MeasuredError, match="a measurement's value is a list"):
        measurement([0.5])
    with pytest.raises(MeasuredError, match="a measurement's value is a ndarray"):
        measurement(np.ones(2))


def test_an_unknown_statistic_and_one_without_an_error_are_refused():
    with pytest.raises(MeasuredError, match="is the 'mode' of its samples"):
        measurement(statistic="mode")
    with pytest.raises(MeasuredError, match="has a Spread tolerance and is the largest of its samples"):
        measurement(seeds=(0, 1), samples=(0.1, 0.2), tolerance=Spread(WHY), statistic="largest")


def test_each_policy_says_what_it_allows_and_where_it_ends():
    for policy, allowed, ends, width in (
        (Exact(WHY), "exactly 2.0", (2.0, 2.0), 0.0),
        (Close(WHY, rtol=0.1, atol=0.3), "2.0 ± 0.5", (1.5, 2.5), 0.5),
        (Spread(WHY, k=2, floor=0.1), "2.0 ± 0.5", (1.5, 2.5), 0.5),
        (AtMost(WHY, bound=3.0), "at most 3.0", (-math.inf, 3.0), None),
        (AtLeast(WHY, bound=1.0), "at least 1.0", (1.0, math.inf), None),
    ):
        assert policy.allowed(2.0, 0.25) == allowed
        assert policy.ends(2.0, 0.25) == ends
        assert policy.width(2.0, 0.25) == width
    assert Spread(WHY, k=2, floor=0.1).width(2.0) == 0.1
    assert Exact(WHY).width("six") is None
    assert Exact(WHY).allowed("six") == "exactly 'six'"
    for edge in (1.5, 2.5):
        assert Close(WHY, rtol=0.1, atol=0.3).allows(edge, 2.0)
        assert Spread(WHY, k=2).allows(edge, 2.0, 0.25)
    assert AtMost(WHY, bound=3.0).allows(3.0, 0)
    assert AtLeast(WHY, bound=1.0).allows(1.0, 0)


@pytest.mark.parametrize(
    "data",
    [{}, {"kind": "close"}, {"kind": "exact", "reason": WHY, "bound": 1}, {"reason": WHY}, {"kind": 3}],
)
def test_a_policy_that_cannot_be_read_is_shown(data):
    with pytest.raises(MeasuredError, match="unreadable tolerance|reason|does not know"):
        tolerance_from_dict(data)


def test_what_json_has_no_word_for_is_recorded_as_text():
    assert measurement(math.inf, non_finite=True).as_dict()["value"] == "inf"
    assert measurement(0.5).as_dict()["value"] == 0.5
    incomplete = {k: v for k, v in measurement(0.5).as_dict().items() if k != "tolerance"}
    with pytest.raises(MeasuredError):
        Measurement.from_dict(incomplete)
