"""What accepting stores, what it keeps, and what it refuses; in one process, on a project in memory."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from gated import Gated, coins, dice, experiment
from measured.errors import MeasuredError
from measured.gate import accept, compare, showing, verdicts
from measured.gate.stored import read_all
from measured.making import workflow
from measured.terms.claims import Claim, above, below
from measured.terms.measurement import AtMost, Close, Exact, Measurement, Spread


@pytest.fixture
def gated(tmp_path, monkeypatch):
    project = Gated(tmp_path, monkeypatch)
    project.stale = {}
    monkeypatch.setattr(workflow, "stale", lambda _: project.stale)
    return project


def accepted(gated, answer=True):
    said = []
    try:
        written = accept.accept(gated.project, said.append, lambda: answer)
    except MeasuredError as error:
        return error, "\n".join(said)
    return [path.name for path in written], "\n".join(said)


def stored(gated, name="dice"):
    return {e.id: e.value for e in read_all(gated.project.stored)[name].values()}


def test_what_drifted_is_stored_and_the_file_is_named(gated, capsys):
    gated.measure("dice", dice(3.7))
    written, said = accepted(gated)
    assert written == ["dice.yml"]
    assert "stored: tests/regressions/dice.yml" in said
    assert stored(gated)["dice.mean"] == 3.7
    assert "dice.mean" in capsys.readouterr().out
    assert verdicts.pass_gate(gated.project).startswith("passed: 2 experiments")


def test_no_stores_nothing_and_says_so(gated):
    gated.measure("dice", dice(3.7))
    before = (gated.project.stored / "dice.yml").read_bytes()
    written, said = accepted(gated, answer=False)
    assert written == []
    assert "nothing was stored" in said
    assert (gated.project.stored / "dice.yml").read_bytes() == before
    assert "not accepted" in (gated.project.build / "drift.md").read_text()


def test_five_accepts_do_not_carry_a_value_away(gated, capsys):
    """A value that moved inside its tolerance keeps the one last looked at, whatever else is accepted."""
    for step in range(1, 6):
        mean = 3.5 + 0.09 * step
        gated.measure("dice", (*dice(mean)[:1], Measurement("dice.sides", 6 + step, "s", Exact("a count"))))
        if mean <= 3.6:
            accepted(gated)
            assert stored(gated) == {"dice.mean": 3.5, "dice.sides": 6 + step}
            shown = capsys.readouterr().out
            assert "dice.mean: stored 3.5, measured 3.59" in shown
            assert "stay as they were last looked at" in shown
        else:
            with pytest.raises(MeasuredError, match=r"dice\.mean +3\."):
                verdicts.pass_gate(gated.project)


def test_beside_what_drifted_a_few_of_those_that_did_not_are_shown_and_all_in_the_summary(capsys, tmp_path):
    kept = {f"dice.m{n}": ("1", f"1.{n}") for n in range(9)}
    drift = compare.Drift("dice.sides", "new", "nothing", "6", "a stored value", "look at it")
    drifted = showing.Drifted({"dice": [drift]}, {}, kept, {}, {}, [])
    showing.show(drifted)
    shown = capsys.readouterr().out
    assert "9 values moved inside" in shown
    assert shown.count("stored 1, measured") == showing.KEPT_SHOWN
    assert "and 4 more, which build/drift.md lists" in shown
    summary = showing.leave(SimpleNamespace(build=tmp_path), drifted, taken=True)
    assert summary.read_text().count("stored 1, measured") == 9
    showing.show(showing.Drifted({}, {}, kept, {}, {}, []))
    assert capsys.readouterr().out.count("stored 1, measured") == 9


def test_a_changed_policy_keeps_the_value_that_was_looked_at(gated):
    gated.measure("dice", dice(3.58, atol=0.09))
    accepted(gated)
    found = read_all(gated.project.stored)["dice"]["dice.mean"]
    assert (found.value, found.tolerance.atol) == (3.5, 0.09)


def test_a_policy_under_which_the_stored_value_fails_takes_the_new_one(gated):
    gated.measure("dice", dice(3.58, atol=0.01))
    assert {d.kind for v in verdicts.verdicts(gated.project) for d in v.drift} == {"policy", "outside"}
    accepted(gated)
    assert stored(gated)["dice.mean"] == 3.58


@pytest.mark.parametrize(
    ("old", "new", "value", "error"),
    [
        (AtMost("w", bound=4.0), Close("w", atol=0.1), 3.5, None),
        (Close("w", atol=0.1), AtMost("w", bound=4.0), 4.0, None),
        (AtMost("w", bound=4.0), AtMost("w", bound=5.0), 5.0, None),
        (Close("w", atol=0.3), Spread("w", k=2), 3.5, 0.1),
    ],
)
def test_another_kind_of_policy_takes_what_it_needs(gated, old, new, value, error):
    samples = {"seeds": (0, 1, 2), "samples": (3.3267949192431123, 3.5, 3.6732050807568877)}
    for tolerance in (old, new):
        gated.measure("dice", (Measurement("dice.mean", 3.5, "m", tolerance, ".1f", **samples),))
        accepted(gated)
    found = read_all(gated.project.stored)["dice"]["dice.mean"]
    assert (found.tolerance, found.value) == (new, value)
    if error:
        assert found.standard_error == pytest.approx(error)


def test_a_stale_experiment_is_refused_and_the_others_are_stored(gated):
    gated.measure("dice", dice(3.7))
    gated.measure("coins", coins(6))
    gated.stale = {"dice": "module dice changed", "figure x": "never made"}
    before = (gated.project.stored / "dice.yml").read_bytes()
    error, said = accepted(gated)
    assert "nothing was stored for dice: its record is stale: module dice changed" in str(error)
    assert "nox -s build" in str(error)
    assert "stored: tests/regressions/coins.yml" in said
    assert (gated.project.stored / "dice.yml").read_bytes() == before
    assert stored(gated, "coins") == {"coins.heads": 6}


def test_an_experiment_that_did_not_run_keeps_its_stored_values(gated):
    (gated.project.records / "coins.json").unlink()
    error, said = accepted(gated)
    assert "nothing was stored for coins: it is declared and has not run" in str(error)
    assert said == ""
    assert stored(gated, "coins") == {"coins.heads": 5}


def test_what_nothing_declares_is_dropped_and_named(gated):
    del gated.module.EXPERIMENTS[1]
    for suffix in ("json", "npz"):
        (gated.project.records / f"coins.{suffix}").unlink()
    written, said = accepted(gated)
    assert written == ["coins.yml"]
    assert "removed: tests/regressions/coins.yml" in said
    assert not (gated.project.stored / "coins.yml").exists()


def test_a_stored_value_that_a_fresh_record_does_not_measure_is_dropped(gated):
    gated.measure("dice", dice()[:1])
    accepted(gated)
    assert stored(gated) == {"dice.mean": 3.5}


def test_a_record_that_nothing_declares_is_not_stored(gated):
    del gated.module.EXPERIMENTS[1]
    (gated.project.stored / "coins.yml").unlink()
    error, _ = accepted(gated)
    assert "coins: a record of an experiment that nothing declares" in str(error)
    assert not (gated.project.stored / "coins.yml").exists()


def test_a_quick_record_is_not_stored(gated):
    gated.measure("coins", coins(6), mode="quick")
    error, _ = accepted(gated)
    assert "coins: quick records hold fewer draws" in str(error)
    assert stored(gated, "coins") == {"coins.heads": 5}


def test_a_project_without_records_has_nothing_to_accept(gated):
    for path in gated.project.records.glob("*"):
        path.unlink()
    error, _ = accepted(gated)
    assert "there is no record to accept" in str(error)


def test_a_new_experiment_is_shown_and_stored(gated, capsys):
    gated.module.EXPERIMENTS.append(experiment("cards"))
    gated.measure("cards", (Measurement("cards.suits", 4, "suits", Exact("a count")),))
    assert accepted(gated)[0] == ["cards.yml"]
    assert "cards.suits" in capsys.readouterr().out


# What claims need of tolerances and samples


def seeds(*samples, value=0.95, atol=0.1):
    tolerance = Close("w", atol=atol)
    return (
        Measurement("dice.mean", value, "m", tolerance, ".2f", seeds=range(len(samples)), samples=samples),
        Measurement("dice.sides", 6, "s", Exact("a count")),
    )


def deciding(gated, predicate):
    gated.module.EXPERIMENTS[0] = experiment("dice", claims=(Claim("dice.high", "words", predicate),))


def over(f):
    return above({str(i): s for i, s in enumerate(f.measurements[0].samples)}, 0.9)


def expected(gated):
    return read_all(gated.project.stored)["dice"]["dice.mean"]


def test_samples_that_decide_are_stored_and_stay_as_they_were_looked_at(gated):
    deciding(gated, over)
    gated.measure("dice", seeds(0.92, 0.95, 0.99))
    accepted(gated)
    assert expected(gated).samples == (0.92, 0.95, 0.99)
    assert expected(gated).samples_within == pytest.approx(0.01, rel=0.1)
    assert verdicts.pass_gate(gated.project).startswith("passed")
    gated.measure("dice", (seeds(0.925, 0.95, 0.99)[0], Measurement("dice.sides", 7, "s", Exact("a count"))))
    accepted(gated)
    assert expected(gated).samples == (0.92, 0.95, 0.99)
    gated.measure("dice", seeds(0.92, 0.91, 0.99))
    with pytest.raises(MeasuredError, match="dice.mean seed 1 "):
        verdicts.pass_gate(gated.project)
    accepted(gated)
    assert expected(gated).samples == (0.92, 0.91, 0.99)
    assert expected(gated).samples_within == pytest.approx(0.005, rel=0.1)


def test_samples_are_forgotten_where_no_claim_decides_on_them_any_more(gated):
    deciding(gated, over)
    gated.measure("dice", seeds(0.92, 0.95, 0.99))
    accepted(gated)
    deciding(gated, lambda f: above({"mean": f["dice.mean"]}, 0.5))
    gated.measure("dice", (seeds(0.92, 0.95, 0.99)[0], Measurement("dice.sides", 7, "s", Exact("a count"))))
    accepted(gated)
    assert (expected(gated).samples, expected(gated).samples_within) == ((), None)


def test_a_loose_tolerance_stops_the_gate_and_accepting_narrows_it(gated):
    deciding(gated, lambda f: above({"mean": f["dice.mean"]}, 0.9))
    gated.measure("dice", seeds(0.92, 0.95, 0.99))
    accepted(gated)
    found = expected(gated)
    (gated.project.stored / "dice.yml").write_text(
        (gated.project.stored / "dice.yml").read_text().replace(f"  within: {found.within}\n", "")
    )
    with pytest.raises(MeasuredError) as caught:
        verdicts.pass_gate(gated.project)
    for part in ("dice.high", "margin 0.05", "dice.mean = 0.85", "0.95 ± 0.1", "narrow them"):
        assert part in str(caught.value), str(caught.value)
    assert accepted(gated)[0] == ["dice.yml"]
    assert expected(gated).within == pytest.approx(0.025, rel=0.05)
    assert verdicts.pass_gate(gated.project).startswith("passed")


def test_a_bound_that_no_accepting_mends_is_refused(gated):
    deciding(gated, lambda f: below({"mean": f["dice.mean"]}, 4))
    gated.measure("dice", (Measurement("dice.mean", 3.5, "m", AtMost("w", bound=4.5), ".2f"), *dice()[1:]))
    error, said = accepted(gated)
    assert "dice.high: false (margin -0.5) at dice.mean = 4.5" in str(error)
    assert "stored: tests/regressions/dice.yml" in said  # what else drifted was stored
    with pytest.raises(MeasuredError, match="its own bound has to lie beyond theirs"):
        verdicts.pass_gate(gated.project)
    error, said = accepted(gated)
    assert said == ""
    assert "dice.high" in str(error)


def test_what_a_claim_that_turned_true_reads_is_stored_as_it_is_now(gated):
    deciding(gated, lambda f: above({"mean": f["dice.mean"]}, 0.9))
    gated.measure("dice", seeds(0.85, 0.86, 0.87, value=0.86))
    accepted(gated)
    gated.measure("dice", seeds(0.92, 0.93, 0.94, value=0.93))
    with pytest.raises(MeasuredError, match="at the stored values"):
        verdicts.pass_gate(gated.project)
    accepted(gated)
    assert expected(gated).value == 0.93
    assert verdicts.pass_gate(gated.project).startswith("passed")
