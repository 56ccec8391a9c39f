"""A tolerance wider than what separates a claim from its opposite is told; samples that decide are kept."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from measured.gate import compare, margins
from measured.gate.stored import Expectation, dump, read_expectations
from measured.terms.claims import Claim, Verdict, above, below, between, equal, every, judge, rises
from measured.terms.measurement import AtLeast, AtMost, Close, Exact, Measurement, Spread
from measured.terms.reading import findings_of, read_by
from weaving import record_of

WHY = "because"
SEEDS = {"seeds": (0, 1, 2), "samples": (0.92, 0.95, 0.99)}


def measured(value, tolerance, name="dice.mean", **more):
    form = "" if isinstance(value, int | str) else ".3f"
    return Measurement(name, value, "words", tolerance, form, **more)


def claim(predicate, name="dice.claim"):
    return Claim(name, "in words", predicate)


def drift(predicate, *measurements, stored=None):
    record = record_of(measurements)
    return list(margins.drift([claim(predicate)], record, stored or {}))


def high(f):
    return above({"mean": f["dice.mean"]}, 3)


@pytest.mark.parametrize(
    ("tolerance", "loose"),
    [
        (Close(WHY, atol=0.49), False),
        (Close(WHY, atol=0.5), True),
        (Close(WHY, atol=0.6), True),
        (Close(WHY, rtol=0.1), False),
        (Close(WHY, rtol=0.2), True),
        (Exact(WHY), False),
        (AtLeast(WHY, bound=3.01), False),
        (AtLeast(WHY, bound=3.0), True),
        (AtLeast(WHY, bound=2.0), True),
        (AtMost(WHY, bound=4.0), True),
    ],
)
def test_a_tolerance_that_reaches_past_the_margin_is_named(tolerance, loose):
    found = drift(high, measured(3.5, tolerance))
    one_sided = isinstance(tolerance, AtLeast | AtMost)
    assert [d.kind for d in found] == ["bound" if one_sided else "loose"] * loose
    if loose:
        assert found[0].id == "dice.claim"
        assert ("let nox -s accept narrow" in found[0].reason) is not one_sided
        assert "margin 0.5" in found[0].stored
        assert "dice.mean = " in found[0].measured
        assert "dice.mean: " in found[0].allowed


def test_a_spread_reaches_as_far_as_its_standard_errors():
    samples = {"seeds": (0, 1, 2), "samples": (3.4, 3.5, 3.6)}
    error = 0.1 / math.sqrt(3)
    assert drift(high, measured(3.5, Spread(WHY, k=0.4 / error), **samples)) == []
    assert drift(high, measured(3.5, Spread(WHY, k=0.6 / error), **samples))
    assert drift(high, measured(3.5, Spread(WHY, k=1, floor=0.6), **samples))


def test_either_end_counts():
    assert drift(lambda f: below({"mean": f["dice.mean"]}, 3), measured(2.5, Close(WHY, atol=0.6)))
    assert drift(lambda f: between({"mean": f["dice.mean"]}, 1, 3), measured(1.5, Close(WHY, atol=0.6)))
    assert not drift(lambda f: between({"mean": f["dice.mean"]}, 1, 3), measured(1.5, Close(WHY, atol=0.4)))


def test_several_values_that_drift_together_count():
    a, b = (measured(v, Close(WHY, atol=0.3), n) for v, n in ((1.0, "dice.a"), (1.5, "dice.b")))
    found = drift(lambda f: rises({"a": f["dice.a"], "b": f["dice.b"]}), a, b)
    assert [d.kind for d in found] == ["loose"]
    assert "1 more at their ends" in found[0].measured
    near, far = (replace(m, tolerance=Close(WHY, atol=0.2)) for m in (a, b))
    assert not drift(lambda f: rises({"a": f["dice.a"], "b": f["dice.b"]}), near, far)


def test_corners_that_no_single_step_points_to_are_tried():
    """Only both together make it false: a product, whose margin neither alone moves to nothing."""
    a, b = (measured(1.0, Close(WHY, atol=0.5), n) for n in ("dice.a", "dice.b"))
    assert drift(lambda f: above({"p": f["dice.a"] * f["dice.b"]}, 0.3), a, b)
    opposite = drift(lambda f: below({"d": abs(f["dice.a"] - f["dice.b"])}, 0.7), a, b)
    assert [d.kind for d in opposite] == ["loose"]


def test_many_values_drift_together_where_each_hurts_most():
    found = [measured(1.0, Close(WHY, atol=0.1), f"dice.v{i}") for i in range(6)]
    assert drift(lambda f: above({"s": sum(f[m.id] for m in found)}, 5.5), *found)
    assert not drift(lambda f: above({"s": sum(f[m.id] for m in found)}, 5.3), *found)
    alternating = [f"dice.v{i}" for i in range(6)]
    assert drift(
        lambda f: below({"s": sum((-1) ** i * f[n] for i, n in enumerate(alternating))}, 0.55), *found
    )


def test_counts_move_by_whole_steps():
    assert not drift(lambda f: above({"n": f["dice.n"]}, 5), measured(7, Close(WHY, atol=1.9), "dice.n"))
    assert drift(lambda f: above({"n": f["dice.n"]}, 5), measured(7, Close(WHY, atol=2), "dice.n"))


@pytest.mark.parametrize(
    ("value", "bound", "limit", "reached"),
    [(0.0, 0.0, 0.5, True), (1.0, 1.0, 1.5, False), (1.5, 1.0, 14.9, True), (1.5, 1.0, 15.1, False)],
)
def test_a_share_may_rise_to_one_and_a_size_to_ten_times_as_much(value, bound, limit, reached):
    found = drift(
        lambda f: below({"mean": f["dice.mean"]}, limit), measured(value, AtLeast(WHY, bound=bound))
    )
    assert [d.kind for d in found] == ["bound"] * reached


@pytest.mark.parametrize(
    ("value", "limit", "reached"), [(-1.5, -14.9, True), (-1.5, -15.1, False), (1.5, -0.1, False)]
)
def test_a_size_may_fall_to_nothing_and_a_negative_value_to_ten_times_as_much(value, limit, reached):
    found = drift(lambda f: above({"mean": f["dice.mean"]}, limit), measured(value, AtMost(WHY, bound=value)))
    assert [d.kind for d in found] == ["bound"] * reached


def test_what_becomes_undecidable_is_loose_too():
    found = drift(lambda f: above({"r": 1 / f["dice.mean"]}, 0.1), measured(0.5, AtMost(WHY, bound=1.0)))
    assert [d.kind for d in found] == ["bound"]
    assert "undecidable" in found[0].measured


def test_text_and_truth_values_do_not_drift():
    assert not drift(lambda f: equal({"n": f["dice.n"]}, "six"), measured("six", Exact(WHY), "dice.n"))
    assert not drift(lambda f: equal({"n": f["dice.n"]}, True), measured(True, Exact(WHY), "dice.n"))


def test_one_sided_tolerances_stand_where_they_were_measured():
    found = drift(lambda f: below({"mean": f["dice.mean"]}, 3), measured(1.0, AtMost(WHY, bound=3.5)))
    assert (found[0].stored, found[0].measured) == (
        "true, margin 2",
        "false (margin -0.5) at dice.mean = 3.5",
    )


def test_a_claim_that_does_not_hold_asks_for_nothing():
    assert not drift(high, measured(2.0, Close(WHY, atol=5)))


def test_a_measurement_that_no_claim_reads_may_be_as_wide_as_it_likes():
    assert not drift(
        high, measured(3.5, Close(WHY, atol=0.1)), measured(1.0, Close(WHY, atol=9), "dice.aside")
    )


def test_what_was_last_looked_at_is_where_drift_begins():
    """Measured 3.5; stored 3.2 ± 0.3 reaches down to 2.9, although 3.5 ± 0.3 would not."""
    now = measured(3.5, Close(WHY, atol=0.3))
    stored = {"dice.mean": Expectation("dice.mean", 3.2, now.tolerance)}
    assert not drift(high, now)
    assert [d.kind for d in drift(high, now, stored=stored)] == ["loose"]


def test_a_claim_that_was_false_of_what_was_looked_at_is_told():
    now = measured(3.1, Close(WHY, atol=0.2))
    stored = {"dice.mean": Expectation("dice.mean", 2.95, now.tolerance)}
    (found,) = drift(high, now, stored=stored)
    assert (found.kind, found.id) == ("loose", "dice.claim")
    assert found.stored.startswith("false")


def on_arrays(low=1.5):
    predicate = claim(lambda f: above({"a": float(f.arrays["a"].min())}, 0.5))
    record = replace(record_of((measured(1.0, Exact(WHY)),)), arrays={"a": np.full(2, low), "b": np.ones(2)})
    return predicate, replace(record, claims={"dice.claim": judge(predicate, findings_of(record))})


def test_a_claim_on_arrays_is_held_by_its_margin():
    predicate, record = on_arrays()
    found = list(margins.drift([predicate], record, {}))
    assert [(d.kind, d.id, d.measured) for d in found] == [("new", "dice.claim", "margin 1")]
    assert (found[0].stored, found[0].allowed) == ("nothing", "a stored margin")
    assert "it decides on a, which no tolerance binds" in found[0].reason
    stored = margins.margins_to_keep([predicate], record, {})
    assert {name: e.value for name, e in stored.items()} == {"dice.claim": 0.5}
    assert list(margins.drift([predicate], record, stored)) == []
    stored["dice.mean"] = Expectation.of(record.measurements["dice.mean"])
    assert compare.compare(record, stored) == []
    for low, drifts in ((1.01, False), (9.0, False), (0.99, True), (0.4, True)):
        _, moved = on_arrays(low)
        assert [d.id for d in compare.compare(moved, stored)] == ["dice.claim"] * drifts
        for told in compare.compare(moved, stored):
            assert told.stored == "margin 0.5"
            assert told.reason.startswith("the claim comes near its opposite: ")
        if low > 0.5:  # as it was last looked at, or, where it drifted, as it is
            kept = margins.margins_to_keep([predicate], moved, stored)["dice.claim"].value
            assert kept == (pytest.approx(0.24) if drifts else 0.5)


def test_an_undecidable_margin_is_drift():
    predicate, record = on_arrays(float("nan"))
    stored = {"dice.claim": Expectation("dice.claim", 0.5, AtLeast(WHY, bound=0.5))}
    assert margins.margins_to_keep([predicate], record, {}) == {}
    found = [d for d in compare.compare(record, stored) if d.id == "dice.claim"]
    assert [d.measured for d in found] == ["a value is not finite"]


# Narrowing


def narrowed(predicate, *measurements):
    record = record_of(measurements)
    values = margins.room_of([claim(predicate)], record, {}).values
    stored = {m.id: Expectation.of(m, values.get(m.id)) for m in measurements}
    assert list(margins.drift([claim(predicate)], record, stored)) == []
    return stored


def test_a_loose_tolerance_can_be_narrowed_to_half_of_what_the_claim_bears(tmp_path):
    stored = narrowed(high, measured(3.5, Close(WHY, atol=0.6)))["dice.mean"]
    assert stored.within == pytest.approx(0.25, rel=0.05)
    assert stored.width() == stored.within
    assert stored.ends() == (3.5 - stored.within, 3.5 + stored.within)
    assert stored.accepts(3.5 - 0.9 * stored.within)
    assert not stored.accepts(3.5 - 1.1 * stored.within)
    assert stored.allowed() == f"3.5 ± {stored.within:.3g}, half of what a claim on it bears"
    path = tmp_path / "dice.yml"
    path.write_text(dump({"dice.mean": stored}))
    assert read_expectations(path) == {"dice.mean": stored}
    assert Expectation.of(measured(3.5, Close(WHY, atol=0.6))).within is None


def test_the_edge_of_what_is_narrowed_is_inside():
    stored = Expectation.of(measured(2.0, Close(WHY, atol=0.6)), 0.25)
    assert stored.accepts(2.25)
    assert stored.accepts(1.75)
    assert not stored.accepts(2.26)
    exactly = Expectation.of(measured(2.0, Close(WHY, atol=0.6)), 0.0)
    assert exactly.accepts(2.0)
    assert not exactly.accepts(2.0000001)


def test_what_is_tight_enough_is_left_alone():
    assert narrowed(high, measured(3.5, Close(WHY, atol=0.4)))["dice.mean"].within is None


def test_a_narrowed_tolerance_never_widens():
    wide = Expectation.of(measured(3.5, Close(WHY, atol=0.1)), 5.0)
    assert not wide.accepts(3.7)


def test_all_that_a_claim_reads_is_narrowed_alike():
    a, b = (measured(v, Close(WHY, atol=w), n) for v, w, n in ((1.0, 0.3, "dice.a"), (1.5, 0.6, "dice.b")))
    stored = narrowed(lambda f: rises({"a": f["dice.a"], "b": f["dice.b"]}), a, b)
    assert stored["dice.a"].within == pytest.approx(0.5 * 0.5 / 3, rel=0.1)
    assert stored["dice.b"].within == pytest.approx(0.5 * 1.0 / 3, rel=0.1)


def test_the_tightest_claim_decides():
    record = record_of((measured(3.5, Close(WHY, atol=0.9)),))
    low = claim(lambda f: below({"mean": f["dice.mean"]}, 3.6), "dice.low")
    for claims in ([claim(high), low], [low, claim(high)]):
        assert margins.room_of(claims, record, {}).values == {"dice.mean": pytest.approx(0.05, rel=0.05)}


def test_a_claim_without_any_distance_holds_its_values_where_they_are():
    stored = narrowed(lambda f: equal({"n": f["dice.n"]}, 8), measured(8, Close(WHY, atol=3), "dice.n"))
    assert stored["dice.n"].accepts(8)
    assert not stored["dice.n"].accepts(7)
    assert not stored["dice.n"].accepts(9)


def test_what_turned_true_is_looked_at_again():
    now = measured(3.1, Close(WHY, atol=0.2))
    stored = {"dice.mean": Expectation("dice.mean", 2.95, now.tolerance)}
    assert margins.turned([claim(high)], record_of((now,)), stored) == {"dice.mean"}
    assert margins.turned([claim(high)], record_of((now,)), {}) == set()


# Samples


def samples(f):
    return next(m.samples for m in f.measurements if m.id == "dice.mean")


def every_seed(f):
    return above({f"seed {i}": s for i, s in enumerate(samples(f))}, 0.9)


def test_samples_that_decide_may_move_by_half_of_what_the_claim_bears():
    record = record_of((measured(0.95, Exact(WHY), **SEEDS),))
    assert margins.room_of([claim(every_seed)], record, {}).samples == {
        "dice.mean": pytest.approx(0.01, rel=0.1)
    }
    tighter = claim(lambda f: above({"low": min(samples(f))}, 0.91), "dice.tighter")
    both = margins.room_of([claim(every_seed), tighter], record, {}).samples
    assert both == {"dice.mean": pytest.approx(0.005, rel=0.1)}


def test_which_samples_decide_is_found_out_once(monkeypatch):
    asked, moves_with = [], margins.Slack._moves_with
    monkeypatch.setattr(
        margins.Slack, "_moves_with", lambda *given: asked.append(given[1:]) or moves_with(*given)
    )
    record = record_of((measured(0.95, Exact(WHY), **SEEDS),))
    assert [d.kind for d in margins.drift([claim(every_seed)], record, {})] == []
    assert len(asked) == 1


def test_samples_that_no_claim_decides_on_are_not_kept():
    others = (measured(0.95, Exact(WHY), **SEEDS), measured(0.5, Exact(WHY), "dice.aside", **SEEDS))
    passing_over = claim(
        lambda f: above({"a": {m.id: m.samples for m in f.measurements}["dice.mean"][0]}, 0.9)
    )
    assert list(margins.room_of([passing_over], record_of(others), {}).samples) == ["dice.mean"]
    assert (
        margins.room_of([claim(lambda f: above({"m": f["dice.mean"]}, 0.9))], record_of(others), {}).samples
        == {}
    )
    false = claim(lambda f: above({"low": min(samples(f))}, 0.99))
    assert margins.room_of([false], record_of(others), {}).samples == {}


def test_a_claim_over_samples_and_a_value_leaves_room_for_both():
    record = record_of(
        (measured(0.95, Exact(WHY), **SEEDS), measured(0.9, Close(WHY, atol=0.015), "dice.chance"))
    )
    predicate = claim(lambda f: above({"over": min(samples(f)) - f["dice.chance"]}, 0))
    assert margins.room_of([predicate], record, {}).samples == {"dice.mean": pytest.approx(0.0025, rel=0.1)}


def test_samples_that_move_together_and_one_alone_count():
    record = record_of((measured(0.95, Exact(WHY), **SEEDS),))
    mean = claim(lambda f: above({"mean": sum(samples(f)) / 3}, 0.9))
    assert margins.room_of([mean], record, {}).samples == {"dice.mean": pytest.approx(0.0267, rel=0.05)}
    spread = claim(lambda f: below({"spread": max(samples(f)) - min(samples(f))}, 0.1))
    assert margins.room_of([spread], record, {}).samples == {"dice.mean": pytest.approx(0.0075, rel=0.05)}


def test_a_value_and_its_own_samples_drift_together():
    record = record_of((measured(0.95, Close(WHY, atol=0.01), **SEEDS),))
    both = claim(lambda f: above({"both": min(samples(f)) + f["dice.mean"]}, 1.83))
    assert margins.room_of([both], record, {}).samples == {"dice.mean": pytest.approx(0.015, rel=0.1)}


def test_samples_have_room_beside_values_that_are_narrowed():
    record = record_of(
        (measured(0.95, Exact(WHY), **SEEDS), measured(0.9, Close(WHY, atol=0.05), "dice.chance"))
    )
    predicate = claim(lambda f: above({"over": min(samples(f)) - f["dice.chance"]}, 0))
    room = margins.room_of([predicate], record, {})
    assert room.values == {"dice.chance": pytest.approx(0.01, rel=0.1)}
    assert room.samples == {"dice.mean": pytest.approx(0.005, rel=0.15)}


def test_a_claim_that_bears_no_drift_keeps_its_samples_as_they_are():
    record = record_of((measured(0.95, Exact(WHY), **SEEDS),))
    same = claim(lambda f: equal(dict(enumerate(samples(f)[:1])), 0.92))
    assert margins.room_of([same], record, {}).samples["dice.mean"] == pytest.approx(0, abs=1e-4)


def test_samples_survive_the_disk_and_one_stray_seed_is_named(tmp_path):
    now = measured(0.95, Exact(WHY), **SEEDS)
    stored = {"dice.mean": Expectation.of(now, samples_within=0.01)}
    path = tmp_path / "dice.yml"
    path.write_text(dump(stored))
    assert read_expectations(path) == stored
    assert compare.compare(record_of((now,)), stored) == []
    inside = replace(now, samples=(0.925, 0.95, 0.985))
    assert compare.compare(record_of((inside,)), stored) == []
    stray = replace(now, samples=(0.92, 0.9, 0.99))
    (found,) = compare.compare(record_of((stray,)), stored)
    assert (found.id, found.kind) == ("dice.mean seed 1", "sample")
    assert (found.stored, found.measured) == ("0.95", "0.9")
    assert found.change == pytest.approx(-0.05)
    assert found.ratio == pytest.approx(5)
    assert "bears no more drift" in found.reason
    nowhere = {"dice.mean": replace(stored["dice.mean"], samples_within=0.0)}
    (found,) = compare.compare(record_of((stray,)), nowhere)
    assert (found.change, found.ratio) == (pytest.approx(-0.05), None)
    fewer = replace(now, samples=(0.92, 0.95), seeds=(0, 1))
    (found,) = compare.compare(record_of((fewer,)), stored)
    assert (found.kind, found.stored, found.measured) == ("sample", "3 samples", "2 samples")
    assert "more or fewer of them" in found.reason


def test_a_sample_may_move_as_far_as_it_may_and_no_farther():
    now = measured(0.5, Exact(WHY), seeds=(0, 1), samples=(0.25, 0.75))
    stored = {"dice.mean": Expectation.of(now, samples_within=0.25)}
    for sample, drifts in ((0.5, []), (0.0, []), (0.51, ["dice.mean seed 0"])):
        moved = replace(now, samples=(sample, 0.75))
        assert [d.id for d in compare.compare(record_of((moved,)), stored)] == drifts


def test_under_another_spread_the_stored_error_stays_and_under_none_the_measured_one_counts():
    spread = {"seeds": (0, 1, 2), "samples": (3.4, 3.5, 3.6)}
    now = measured(3.5, Spread(WHY, k=2), **spread)
    stored = replace(Expectation.of(now), standard_error=1.0)
    assert stored.under(replace(now, tolerance=Spread(WHY, k=3))).standard_error == 1.0
    close = replace(stored, tolerance=Close(WHY, atol=0.1), standard_error=None)
    assert close.under(now).standard_error == pytest.approx(now.standard_error)


def test_what_had_a_bound_alone_begins_where_it_is_measured_when_it_may_move_both_ways():
    now = measured(3.5, Close(WHY, atol=0.1))
    for before, centre in ((AtLeast(WHY, bound=1.0), 3.5), (Exact(WHY), 2.0)):
        assert Expectation("dice.mean", 2.0, before).under(now).value == centre


def test_samples_are_compared_only_where_a_claim_decides_on_them():
    now = measured(0.95, Exact(WHY), **SEEDS)
    stored = {"dice.mean": Expectation.of(now)}
    assert stored["dice.mean"].samples == ()
    moved = replace(now, samples=(0.1, 0.95, 0.99))
    assert compare.compare(record_of((moved,)), stored) == []


def test_the_size_of_samples_is_that_of_the_largest_finite_one():
    assert margins._size([0.5, -3.0, math.inf, math.nan]) == 3.0
    assert margins._size([math.inf]) == margins._size([]) == 0.0


def test_infinite_samples_stand_where_they_stood():
    never = measured(0.95, Exact(WHY), seeds=(0, 1), samples=(math.inf, 3.0), non_finite=True)
    stored = {"dice.mean": Expectation.of(never, samples_within=0.5)}
    assert compare.compare(record_of((never,)), stored) == []
    now = replace(never, samples=(9.0, 3.0))
    assert [d.id for d in compare.compare(record_of((now,)), stored)] == ["dice.mean seed 0"]


def test_samples_that_are_not_stored_or_may_move_too_far_are_told():
    now = measured(0.95, Exact(WHY), **SEEDS)
    assert drift(every_seed, now) == []  # nothing stored yet: that is told by comparing
    (found,) = drift(every_seed, now, stored={"dice.mean": Expectation.of(now)})
    assert (found.kind, found.id) == ("policy", "dice.mean")
    assert (found.stored, found.measured) == ("nothing stored of its samples", "3 samples")
    assert found.allowed.startswith("each ± 0.0")
    (found,) = drift(every_seed, now, stored={"dice.mean": Expectation.of(now, samples_within=0.05)})
    assert "each ± 0.05 stored" in found.stored
    assert drift(every_seed, now, stored={"dice.mean": Expectation.of(now, samples_within=0.009)}) == []


def test_stored_samples_are_the_centre_of_what_they_may_move():
    now = measured(0.95, Exact(WHY), **{**SEEDS, "samples": (0.915, 0.95, 0.99)})
    stored = {"dice.mean": replace(Expectation.of(now, samples_within=0.0095), samples=SEEDS["samples"])}
    assert compare.compare(record_of((now,)), stored) == []
    assert drift(every_seed, now, stored=stored) == []


# Reading


def test_findings_are_those_that_the_record_was_made_from():
    record = record_of((measured(0.95, Exact(WHY)),))
    found = findings_of(record)
    assert list(found.measurements) == list(record.measurements.values())
    assert (found.arrays, list(found.tables)) == (record.arrays, list(record.tables.values()))


def test_what_a_predicate_reads_is_seen():
    record = replace(
        record_of((measured(0.95, Exact(WHY), **SEEDS), measured(1.0, Exact(WHY), "dice.aside", **SEEDS))),
        arrays={"a": np.ones(1), "b": np.ones(1)},
    )
    found = read_by(claim(high), findings_of(record))
    assert (found.values, found.samples, found.arrays) == ({"dice.mean"}, set(), set())
    found = read_by(claim(every_seed), findings_of(record))
    assert (found.values, found.samples) == (set(), {"dice.mean"})
    both = read_by(
        claim(
            lambda f: every(high(f), above({"a": f.arrays["a"][0], "s": f.measurements[1].spread["sd"]}, 0))
        ),
        findings_of(record),
    )
    assert (both.values, both.samples, both.arrays) == ({"dice.mean"}, {"dice.aside"}, {"a"})
    assert both.measurements == {"dice.mean", "dice.aside"}
    raises = read_by(claim(lambda f: Verdict(f["dice.mean"] > f["dice.none"], 1, {})), findings_of(record))
    assert raises.values == {"dice.mean"}
