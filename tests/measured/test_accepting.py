"""What accepting stores, what it keeps, and what it refuses; in one process, on a project in memory."""

from __future__ import annotations

import pytest

from gated import Gated, coins, dice, experiment
from measured.errors import MeasuredError
from measured.gate import accept, verdicts
from measured.gate.stored import read_all
from measured.making import workflow
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
