"""What a claim's predicate may prove, and what it may not."""

from __future__ import annotations

import math

import numpy as np
import pytest

from measured.terms import claims
from measured.terms.claims import Claim, Verdict, judge
from measured.terms.experiment import Findings
from measured.terms.measurement import Exact, Measurement

FOUND = Findings((Measurement("dice.mean", 3.5, "m", Exact("why"), ".1f"),))


def judged(predicate):
    return judge(Claim("dice.claim", "in words", predicate), FOUND)


@pytest.mark.parametrize(
    "predicate",
    [
        lambda f: claims.equal({}, 1),
        lambda f: claims.below({}, 1),
        lambda f: claims.above({}, 1),
        lambda f: claims.between({}, 0, 1),
        lambda f: claims.rises({}),
        lambda f: claims.falls({"a": 1.0}),
        lambda f: claims.every(),
        lambda f: claims.every(claims.above({"a": 2}, 1), claims.equal({}, 1)),
        lambda f: Verdict(all(v > 1 for v in ()), 1.0, {}),
        lambda f: Verdict(True, math.inf, {"a": 1.0}),
        lambda f: Verdict(True, 1.0, {"a": math.nan}),
        lambda f: Verdict(True, 1.0, {"a": np.ones(2)}),
        lambda f: True,
        lambda f: None,
    ],
)
def test_nothing_seen_or_nothing_finite_is_undecidable_never_true(predicate):
    found = judged(predicate)
    assert (found.id, found.words, found.holds, found.margin) == ("dice.claim", "in words", False, None)
    assert found.undecidable


def test_it_is_said_how_many_values_there_were():
    for predicate, least in ((lambda f: claims.rises({"a": 1.0}), 2), (lambda f: claims.equal({}, 1), 1)):
        assert f"nothing follows from fewer than {least}" in judged(predicate).undecidable


def test_a_judgement_is_plain_data():
    found = claims.Judgement("a.b", "w", True, 0.5, {"a": 1}, seeds=(0, 1), reads=("a.c",))
    assert (found.as_dict()["seeds"], found.as_dict()["reads"]) == ([0, 1], ["a.c"])


@pytest.mark.parametrize(
    ("verdict", "holds", "margin"),
    [
        (lambda: claims.below({"a": 2.0}, 2), False, 0),
        (lambda: claims.below({"a": 1.5, "b": 1.0}, 2), True, 0.5),
        (lambda: claims.below({"a": 1.5, "b": 3.0}, 2), False, -1),
        (lambda: claims.above({"a": 2.0}, 2), False, 0),
        (lambda: claims.above({"a": 3.0, "b": 2.25}, 2), True, 0.25),
        (lambda: claims.between({"a": 3.0}, 3, 4), False, 0),
        (lambda: claims.between({"a": 4.0}, 3, 4), False, 0),
        (lambda: claims.between({"a": 3.25, "b": 3.5}, 3, 4), True, 0.25),
        (lambda: claims.between({"a": 3.5, "b": 3.875}, 3, 4), True, 0.125),
        (lambda: claims.equal({"a": 1, "b": 2}, 1), False, 0),
        (lambda: claims.rises({"a": 1.0, "b": 1.0}), False, 0),
        (lambda: claims.falls({"a": 1.0, "b": 1.0}), False, 0),
        (lambda: claims.falls({"a": 3.0, "b": 1.0, "c": 0.5}), True, 0.5),
        (lambda: claims.every(claims.above({"a": 3.0}, 2), claims.below({"b": 1.5}, 2)), True, 0.5),
    ],
)
def test_a_bound_is_outside_and_the_margin_is_that_of_the_nearest_value(verdict, holds, margin):
    found = verdict()  # made here, not while tests are collected
    assert found.holds is holds
    assert found.margin == pytest.approx(margin)


def test_a_verdict_keeps_all_that_it_saw():
    both = claims.every(claims.above({"a": 3.0}, 2), claims.between({"b": 3.5}, 3, 4))
    assert both.saw == {"a": 3.0, "bound": 2, "b": 3.5, "low": 3, "high": 4}
    assert claims.every(claims.above({"a": 3.0}, 2), claims.above({"a": 3.0}, 2)).saw == {
        "a": 3.0,
        "bound": 2,
    }
    bounds = claims.every(*(claims.above({"a": 3.0}, bound) for bound in (0, 1, 2)))
    assert bounds.saw == {"a": 3.0, "bound": 0, "bound 2": 1, "bound 3": 2}
    assert [leg.saw for leg in claims.every(bounds, claims.equal({"b": 1}, 1)).legs] == [
        *({"a": 3.0, "bound": bound} for bound in (0, 1, 2)),
        {"b": 1, "to": 1},
    ]
    assert claims.equal({"a": 1}, 1).saw == {"a": 1, "to": 1}
    assert claims.rises({"a": 1, "b": 2}).saw == {"a": 1, "b": 2}


def test_numpy_in_a_verdict_becomes_plain():
    found = judged(lambda f: Verdict(np.bool_(True), np.float32(0.5), {"a": np.int64(3)}))
    assert (found.holds, found.margin, found.saw) == (True, 0.5, {"a": 3})
    assert type(found.saw["a"]) is int
    assert type(found.holds) is bool
