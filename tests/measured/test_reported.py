"""Reported figures against ours: the verdict follows from the kind of sample."""

from __future__ import annotations

import math

import pytest

from measured.errors import MeasuredError
from measured.site.reported import Reported, compare
from measured.terms.measurement import Close, Measurement
from measured.weaving.references import Library
from weaving import record_of


def m(name, value, samples=()):
    return Measurement(
        name, value, "w", Close("why", atol=1e-9), ".4f", seeds=tuple(range(len(samples))), samples=samples
    )


LIBRARY = Library(
    {
        "dice": record_of(
            (
                m("dice.mean", 0.465),
                m("dice.few_error", 0.015),
                m("dice.error", 0.0005),
                m("dice.share", 0.32),
                m("dice.sure", 1.0),
                m("dice.seeds", 0.5, (0.4, 0.5, 0.6)),
            )
        )
    }
)


def verdict(*arguments, **options):
    [found] = compare([Reported(*arguments, **options)], LIBRARY)
    return found


def test_a_mean_of_draws_is_weighed_by_its_standard_error():
    errors = {"error": "dice.few_error", "own_error": "dice.error"}
    near = verdict("dice.mean", 0.4442, "mean", "draws", 200, **errors)
    assert near.error == pytest.approx(math.hypot(0.015, 0.0005))
    assert near.agrees
    assert "1.4 standard errors" in near.verdict
    far = verdict("dice.mean", 0.40, "mean", "draws", 200, **errors)
    assert not far.agrees
    assert "more than chance" in far.verdict


def test_a_share_is_weighed_by_the_number_of_cases():
    near = verdict("dice.share", 0.3120, "accuracy", "share", 1000)
    assert near.error == pytest.approx(math.sqrt(0.32 * 0.68 / 1000))
    assert near.agrees
    assert not verdict("dice.share", 0.5, "accuracy", "share", 1000).agrees
    assert verdict("dice.share", 0.5, "accuracy", "share", 10).agrees


def test_a_share_at_the_edge_still_has_an_error():
    assert verdict("dice.sure", 0.999, "accuracy", "share", 1000).agrees
    assert not verdict("dice.sure", 0.99, "accuracy", "share", 1000).agrees


def test_one_seed_of_theirs_strays_by_the_deviation_over_ours():
    found = verdict("dice.seeds", 0.7, "accuracy", "share", 1_000_000)
    assert found.error == pytest.approx(0.1 * math.sqrt(1 + 1 / 3), rel=1e-3)
    assert found.agrees


def test_exact_figures_agree_to_the_digits_shown():
    assert verdict("dice.share", 0.32, "a count").agrees
    assert verdict("dice.share", 0.3201, "a count").verdict == "not the same"


def test_a_bound_is_compared_by_its_size():
    assert verdict("dice.error", 0.0011, "error", "bound").agrees
    assert not verdict("dice.error", 0.1, "error", "bound").agrees


def test_a_figure_that_nothing_measures_is_told_unless_its_experiment_has_no_record():
    with pytest.raises(MeasuredError, match=r"no record has dice.meen[^$]*did you mean dice.mean"):
        compare([Reported("dice.meen", 1.0, "w")], LIBRARY)
    assert compare([Reported("other.thing", 1.0, "w")], LIBRARY) == []


@pytest.mark.parametrize("options", [{"kind": "guess"}, {"kind": "draws"}, {"kind": "share", "size": 0}])
def test_a_figure_without_its_sample_is_refused(options):
    with pytest.raises(MeasuredError, match=r"reported dice\.mean"):
        Reported("dice.mean", 1.0, "w", **options)
