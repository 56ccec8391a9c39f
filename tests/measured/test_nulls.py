"""Null worlds: what each constructor makes, and what the audit says of claims that could not fail."""

from __future__ import annotations

import numpy as np
import pytest

from measured.errors import MeasuredError
from measured.terms import null
from measured.terms.audit import judged
from measured.terms.claims import Claim, above, below, every, rises
from measured.terms.experiment import Experiment, Findings
from measured.terms.measurement import Exact, Measurement
from measured.terms.scope import Scope, of_parameters
from measured.terms.trial import Confirmation, Trial

WHY = Exact("why")


def of_seeds(name, samples, statistic="mean"):
    from measured.terms.statistics import STATISTICS

    value = float(STATISTICS[statistic].of(samples))
    seeds = tuple(range(len(samples)))
    return Measurement(name, value, "w", WHY, ".3f", seeds=seeds, samples=samples, statistic=statistic)


def number(name, value):
    return Measurement(name, value, "w", WHY, ".3f")


GOOD, BAD = (0.99, 0.98, 1.0, 0.97, 0.99), (0.3, 0.4, 0.35, 0.2, 0.3)
FOUND = Findings(
    (
        *(number(f"a.one.d{d}", v) for d, v in ((4, 0.4), (16, 0.7), (64, 0.9))),
        *(number(f"a.two.d{d}", v) for d, v in ((4, 0.3), (16, 0.31), (64, 0.32))),
        of_seeds("a.good", GOOD),
        of_seeds("a.bad", BAD),
        of_seeds("a.lowest", GOOD, "smallest"),
        number("a.chance", 0.5),
    )
)


def values(found, name):
    return {m.id: m.value for m in found.measurements if m.id.startswith(name)}


def samples(found, name):
    return dict(enumerate(next(m for m in found.measurements if m.id == name).samples))


def audit(predicate, *nulls, exempt=""):
    claim = Claim("a.claim", "in words", predicate, nulls=nulls, exempt=exempt)
    experiment = Experiment("a", "?", lambda: FOUND, {}, claims=(claim,))
    return judged(experiment, FOUND, {})["a.claim"]


def test_a_claim_that_also_holds_of_the_other_way_is_vacuous():
    found = audit(
        lambda f: rises(values(f, "a.one")), null.instead("a.one.{d}", by="a.two.{d}", words="two for one")
    )
    assert "still holds in null 'two for one'" in found.vacuous[0]
    assert "ask for what is different" in found.vacuous[0]


def test_a_claim_with_neither_null_nor_exemption_is_refused():
    assert "it has no null" in audit(lambda f: above({"a": f["a.good"]}, 0.5)).vacuous[0]
    assert not audit(lambda f: above({"a": f["a.good"]}, 0.5), exempt="arithmetic: test_x").vacuous


def test_no_effect_and_every_other_order_make_a_rise_false():
    found = audit(
        lambda f: rises(values(f, "a.one")), null.flat("a.one.{d}", "d"), null.permuted("a.one.{d}", "d")
    )
    assert not found.vacuous
    assert [n["worlds"] for n in found.nulls] == [3, 5]
    assert [n["held"] for n in found.nulls] == [0, 0]
    assert found.nulls[1]["margin"] < 0


def test_one_seed_at_the_baseline_breaks_every_seed_and_not_a_mean():
    by_seed = audit(lambda f: above(samples(f, "a.good"), 0.9), null.one_seed("a.good", by="a.chance"))
    assert not by_seed.vacuous
    assert by_seed.nulls[0]["worlds"] == 5
    by_mean = audit(lambda f: above({"mean": f["a.good"]}, 0.8), null.one_seed("a.good", by="a.chance"))
    assert "and 4 more" in by_mean.vacuous[0]


def test_what_is_summed_up_from_the_same_samples_follows_them():
    found = audit(lambda f: above({"lowest": f["a.lowest"]}, 0.9), null.one_seed("a.good", by=0.1))
    assert not found.vacuous


def test_relabelled_seeds_report_shares_and_need_enough_of_them():
    found = audit(
        lambda f: above({"apart": f["a.good"] - f["a.bad"]}, 0.5), null.relabelled("a.good", "a.bad")
    )
    assert not found.vacuous
    (one,) = found.nulls
    assert one["worlds"] == 252
    assert one["held"] == one["as_far"] == pytest.approx(1 / 252)
    weak = audit(
        lambda f: above({"apart": f["a.good"] - f["a.bad"]}, 0.0), null.relabelled("a.good", "a.bad")
    )
    assert "of the relabellings" in weak.vacuous[0]


def test_too_few_relabellings_are_refused():
    few = Findings((of_seeds("a.x", (1.0, 2.0)), of_seeds("a.y", (0.0, 0.1))))
    claim = Claim(
        "a.c", "w", lambda f: above({"d": f["a.x"] - f["a.y"]}, 0.5), (null.relabelled("a.x", "a.y"),)
    )
    found = judged(Experiment("a", "?", lambda: few, {}, claims=(claim,)), few, {})["a.c"]
    assert "take more seeds" in " ".join(found.vacuous)


def test_a_null_that_touches_nothing_the_claim_reads_is_told():
    found = audit(lambda f: rises(values(f, "a.one")), null.flat("a.two.{d}", "d"))
    assert "changes nothing that the claim reads" in found.vacuous[0]


def test_a_world_that_breaks_the_predicate_is_cheap():
    found = audit(
        lambda f: rises(values(f, "a.one")),
        null.planted("nothing", lambda f: null.with_values(f, {"a.one.d4": float("nan")})),
    )
    assert "is cheap" in found.vacuous[0]


def test_each_part_of_a_predicate_fails_somewhere():
    found = audit(
        lambda f: every(rises(values(f, "a.one")), below({"chance": f["a.chance"]}, 9)),
        null.flat("a.one.{d}", "d"),
    )
    assert "part 2 of 2" in found.vacuous[0]
    assert "chance" in found.vacuous[0]


def test_a_null_over_what_was_not_measured_is_told_by_name():
    found = audit(lambda f: rises(values(f, "a.one")), null.flat("a.none.{d}", "d"))
    assert "a.none.{d}" in found.vacuous[0]


def test_swapping_changes_both():
    world = null.swapped("a.one.{d}", "a.two.{d}").worlds(FOUND)["swapped"]
    assert world["a.one.d4"] == FOUND["a.two.d4"]
    assert world["a.two.d64"] == FOUND["a.one.d64"]


def test_the_conditions_of_a_claim_are_those_of_what_it_reads():
    claim = Claim("a.c", "w", lambda f: above(samples(f, "a.good"), 0.9))
    experiment = Experiment(
        "a",
        "?",
        lambda: FOUND,
        {"rate": 3e-3, "steps": 20_000},
        claims=(claim,),
        scopes={"a.good": Scope("{steps} steps at a rate of {rate}.")},
    )
    found = judged(experiment, FOUND, experiment.settings(False))["a.c"]
    assert found.scope == "20,000 steps at a rate of 0.003."
    assert found.seeds == (0, 1, 2, 3, 4)
    assert found.reads == ("a.good",)
    assert found.carries == "5 of 5 seeds: at least 0.55 of all seeds, at 95%"


def formed_on(predicate, scope, confirmed_by=None):
    """The seeds of a claim that reads of `a.chance`, or of the array `curve`, under this scope."""
    claim = Claim("a.c", "w", predicate, confirmed_by=confirmed_by)
    found = Findings(FOUND.measurements, {"curve": np.array([0.7, 0.9])})
    settings = {"seeds": [3, 5], "other_seeds": [5, 8]}
    experiment = Experiment(
        "a",
        "?",
        lambda: found,
        settings,
        claims=(claim,),
        scopes={"a.chance": scope, "curve": scope, "a.g*": Scope("Trained.")},
    )
    return judged(experiment, found, settings)["a.c"].seeds


@pytest.mark.parametrize("reads", [lambda f: f["a.chance"], lambda f: float(f.arrays["curve"].min())])
def test_what_has_no_samples_was_formed_on_the_seeds_of_its_scope(reads):
    def predicate(found):
        return above({"x": reads(found)}, 0.4)

    assert formed_on(predicate, Scope("Trained.", seeds=("seeds", "other_seeds"))) == (3, 5, 8)
    assert formed_on(predicate, Scope("Trained.", seeds=("other_seeds.last",))) == (8,)
    assert formed_on(predicate, Scope("Counted.", trained=False)) == ()
    with pytest.raises(MeasuredError, match="nothing says from which seeds"):
        formed_on(predicate, Scope("Trained."))


def test_what_fresh_seeds_confirm_was_formed_on_some():
    trial = Trial("again", "?", lambda seed: {}, {})
    with pytest.raises(MeasuredError, match="nothing says from which seeds"):
        formed_on(
            lambda f: above({"x": f["a.chance"]}, 0.4),
            Scope("Drawn.", trained=False),
            Confirmation(trial, "x > 0.4"),
        )


def test_a_claim_that_cannot_be_decided_is_no_claim_without_seeds():
    assert formed_on(lambda f: f["a.not_measured"], Scope("Trained.")) == ()


def test_samples_name_their_seeds_themselves():
    seeds = formed_on(lambda f: above(samples(f, "a.good"), 0.9), Scope("Trained.", seeds=("seeds",)))
    assert seeds == (0, 1, 2, 3, 4)


def test_a_scope_takes_its_numbers_from_parameters_alone():
    with pytest.raises(MeasuredError, match="typed by hand"):
        Scope("12 keys")
    with pytest.raises(MeasuredError, match="no parameter of its experiment"):
        Scope("{kays} keys").text({"keys": 12})
    lists = {"seeds": [0, 1, 2, 3], "lengths": [8, 12, 24]}
    text = Scope("Seeds {seeds}, {lengths.count} lengths up to {lengths.last}, embeddings from N(0, 1).")
    assert text.text(lists) == "Seeds 0 to 3, 3 lengths up to 24, embeddings from N(0, 1)."
    assert of_parameters({"lengths": [8, 12]}) == "Computed with lengths 8 and 12."
