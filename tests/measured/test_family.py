"""Families: what they build, what they refuse; and the errors that statistics have."""

from __future__ import annotations

import itertools
import math
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from measured.errors import MeasuredError
from measured.terms.claims import above, below, every
from measured.terms.experiment import Cell, Findings
from measured.terms.family import Family, rows, table
from measured.terms.measurement import Exact, Measurement, Spread
from measured.terms.statistics import STATISTICS, error_of_mean, error_of_median

WHY = Exact("why")
WAYS = {"scaled": "with the scale", "unscaled": "without it"}
WEIGHT = Family("toy.weight.{way}.d{d}", "weight {way}, d_k = {d:,}", WHY, ".2f", labels={"way": WAYS})
LONE = Family("toy.lone", "of {draws} draws", WHY, "d")
MEDIAN = Family("toy.median", "a median", Spread("why", k=2), ".2f", statistic="median")


@pytest.fixture
def findings():
    values = np.array([[0.1, 0.2], [0.3, 0.4]])
    return Findings((*WEIGHT.each(values, way=WAYS, d=[4, 1024]), LONE.of(7, draws=3)))


def test_a_family_fills_its_id_and_its_words():
    made = WEIGHT.of(0.5, way="unscaled", d=1024)
    assert (made.id, made.description) == ("toy.weight.unscaled.d1024", "weight without it, d_k = 1,024")
    assert (made.value, made.format, made.family) == (0.5, ".2f", WEIGHT.id)
    assert Measurement.from_dict(made.as_dict()) == made
    assert WEIGHT.at(way="scaled").of(0.5, d=4).id == "toy.weight.scaled.d4"
    assert LONE.of(7, draws=3).description == "of 3 draws"
    assert WEIGHT.of(0.5, way="scaled", d=4, format=".3f").display() == "0.500"


def test_an_array_becomes_one_measurement_an_element(findings):
    assert findings["toy.weight.unscaled.d4"] == 0.3
    with pytest.raises(MeasuredError, match=r"shape \(3,\)"):
        list(WEIGHT.each(np.zeros(3), way="scaled", d=[4, 16]))


def test_a_claim_gets_values_in_the_order_measured_or_asked_for(findings):
    low, high = "toy.weight.{}.d4", "toy.weight.{}.d1024"
    assert list(WEIGHT.values(findings, way="unscaled").items()) == [
        (low.format("unscaled"), 0.3),
        (high.format("unscaled"), 0.4),
    ]
    assert list(WEIGHT.values(findings, d=4)) == [low.format("scaled"), low.format("unscaled")]
    asked = WEIGHT.values(findings, way="scaled", d=[1024, 4])
    assert list(asked) == [high.format("scaled"), low.format("scaled")]
    assert len(WEIGHT.at(d=4).values(findings)) == 2
    assert len(WEIGHT.values(findings)) == 4
    assert WEIGHT.value(findings, way="scaled", d=4) == 0.1
    assert LONE.values(findings) == {"toy.lone": 7}


def test_members_whose_holes_are_all_filled_are_those_that_a_search_finds():
    ambiguous = Family("toy.{one}_{other}", "{one} and {other}", WHY, "d")
    values = dict(one=["a", "b_c"], other=["c", "d"])
    found = Findings(
        tuple(ambiguous.of(n, one=o, other=t) for n, (o, t) in enumerate(itertools.product(*values.values())))
    )
    searched = {i: h for i in (m.id for m in found.measurements) if (h := ambiguous.holes_of(i))}
    for one, other in itertools.product(("a", "b", "b_c"), ("c", "d", "c_d")):
        expected = [i for i, holes in searched.items() if holes == {"one": one, "other": other}]
        try:
            assert list(ambiguous.members(found, one=one, other=other)) == expected
        except MeasuredError:
            assert not expected
    assert list(ambiguous.members(found, other=["d", "c"], one="a")) == ["toy.a_d", "toy.a_c"]


def test_findings_but_some_are_the_others_in_their_order(findings):
    moved = findings.but([WEIGHT.of(0.9, way="scaled", d=1024)])
    assert [m.id for m in moved.measurements] == [m.id for m in findings.measurements]
    assert (moved["toy.weight.scaled.d1024"], moved["toy.weight.scaled.d4"]) == (0.9, 0.1)
    assert findings["toy.weight.scaled.d1024"] == 0.2


def test_members_of_another_family_that_look_alike_are_left_out():
    other = Family("toy.weight.{way}.{rest}", "w", WHY, ".1f")
    found = Findings((WEIGHT.of(0.1, way="scaled", d=4), other.of(0.2, way="scaled", rest="d5")))
    assert WEIGHT.values(found) == {"toy.weight.scaled.d4": 0.1}
    assert other.values(found) == {"toy.weight.scaled.d5": 0.2}


def test_of_nothing_nothing_is_claimed(findings):
    """A claim over no values would hold whatever it says."""
    with pytest.raises(MeasuredError, match="nothing measured where way is slanted"):
        WEIGHT.values(findings, way=["scaled", "slanted"])
    with pytest.raises(MeasuredError, match="nothing measured"):
        MEDIAN.values(findings)
    with pytest.raises(MeasuredError, match="no samples"):
        WEIGHT.samples(findings)


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (lambda: WEIGHT.of(0.5, way="scaled"), "nothing fills d"),
        (lambda: WEIGHT.of(0.5, way="scaled", d=4, height=2), "neither its id nor its words name height"),
        (lambda: LONE.of(7), "its words name 'draws'"),
        (lambda: WEIGHT.at(width=4), "no hole width"),
        (lambda: Family("toy.{}", "w", WHY), "without a plain name"),
        (lambda: Family("toy.{a.b}", "w", WHY), "without a plain name"),
        (lambda: Family("toy.a", "w", WHY, statistic="best"), "statistic 'best'"),
    ],
)
def test_what_a_family_cannot_mean_is_refused(call, problem):
    with pytest.raises(MeasuredError, match=problem):
        call()


def test_a_table_is_rows_times_columns():
    made = table("toy.t", "d_k", rows("d", [4, 1024], ","), {"weight": WEIGHT.at(way="scaled"), "lone": LONE})
    assert made.columns == ("d_k", "weight", "lone")
    assert made.rows[1] == ("1,024", Cell("toy.weight.scaled.d1024"), Cell("toy.lone"))
    assert list(rows("way", WAYS)) == list(WAYS.values())


# -- over seeds --------------------------------------------------------------------------------------


def test_the_value_over_seeds_is_the_familys_statistic_of_the_samples():
    for name, value in {"mean": 2.0, "median": 1.0, "smallest": 0.0, "largest": 5.0}.items():
        made = Family("toy.s", "w", WHY, ".1f", statistic=name).over_seeds([5, 0, 1], seeds=(3, 4, 5))
        assert (made.value, made.samples, made.seeds) == (value, (5.0, 0.0, 1.0), (3, 4, 5))
        assert made.statistic == name


def test_samples_are_named_by_their_seed():
    found = Findings((MEDIAN.over_seeds([0.1, 0.5, 0.2], seeds=(7, 8, 9)),))
    assert MEDIAN.samples(found) == {
        f"toy.median.seed{seed}": v for seed, v in ((7, 0.1), (8, 0.5), (9, 0.2))
    }


def resampled_medians(samples):
    return [statistics.median(drawn) for drawn in itertools.product(samples, repeat=len(samples))]


@pytest.mark.parametrize(
    "samples", [(1.0, 4.0), (0.0, 1.0, 5.0), (3.0, 1.0, 1.0, 8.0), (1.0, 9.0, 4.0, 2.5, 0.0)]
)
def test_a_median_has_a_medians_error(samples):
    """Every resample with replacement, written out."""
    n = len(samples)
    expected = statistics.pstdev(resampled_medians(samples)) * math.sqrt(n / (n - 1))
    assert error_of_median(samples) == pytest.approx(expected, rel=1e-12)


def test_one_stray_seed_moves_a_mean_and_no_median():
    samples = [0.98, 0.99, 0.99, 0.99, 0.99, 0.99, 0.99, 0.99, 0.3]
    assert error_of_median(samples) < error_of_mean(samples) / 2


@given(st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=2), st.floats(0.1, 10))
def test_of_two_samples_median_and_mean_are_the_same_and_so_are_their_errors(samples, factor):
    assert error_of_median(samples) == pytest.approx(error_of_mean(samples), abs=1e-9)
    scaled = [factor * s for s in samples]
    assert error_of_median(scaled) == pytest.approx(factor * error_of_median(samples), abs=1e-9)


def test_of_many_normal_samples_the_median_is_a_quarter_less_certain_than_the_mean():
    """The asymptotic ratio is √(π/2) = 1.25."""
    draws = np.random.default_rng(0).normal(size=(40, 101))
    ratio = np.mean([error_of_median(d) for d in draws]) / np.mean([error_of_mean(list(d)) for d in draws])
    assert 1.1 < ratio < 1.4


def test_an_extreme_has_no_standard_error_and_takes_no_spread():
    assert {name for name, s in STATISTICS.items() if s.standard_error is None} == {"smallest", "largest"}
    made = Family("toy.s", "w", WHY, ".1f", statistic="largest").over_seeds([1, 2], seeds=(0, 1))
    assert made.spread["standard_error"] is None
    assert made.standard_error is None
    with pytest.raises(MeasuredError, match="an extreme has no standard error"):
        Family("toy.s", "w", Spread("why"), ".1f", statistic="largest").over_seeds([1, 2], seeds=(0, 1))
    with pytest.raises(MeasuredError, match="'best' of its samples"):
        Measurement("toy.s", 1, "w", WHY, statistic="best")


def test_values_of_the_same_name_are_all_seen_where_claims_join(findings):
    joined = every(above(WEIGHT.values(findings, way="unscaled"), 0.2), below(LONE.values(findings), 9))
    assert joined.saw["bound"] == 0.2
    assert joined.saw["bound 2"] == 9
    assert len(every(above({"a": 1}, 0), above({"b": 1}, 0)).saw) == 3, "the same bound is told once"
