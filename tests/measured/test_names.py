"""A name is one thing's alone: within an experiment, across experiments, whatever its capitals."""

from __future__ import annotations

from dataclasses import replace

import pytest

from measured.errors import MeasuredError
from measured.project import Project
from measured.terms.claims import Claim, Judgement, above
from measured.terms.experiment import Experiment, Findings, Run, Table
from measured.terms.measurement import Exact, Measurement
from measured.terms.names import refuse_shared
from measured.terms.record import read_records, write_record
from weaving import record_of

CLAIM = Claim("dice.high", "the mean is above 3", lambda f: above({"mean": f["dice.mean"]}, 3))


def experiment(name="dice", **more):
    return Experiment(name, "Fair?", lambda: None, {}, **more)


def test_names_that_differ_are_let_pass():
    refuse_shared([("a", "x"), ("b", "x"), ("a.b", "y")], "measurement")


@pytest.mark.parametrize(("one", "other"), [("seed0", "seed0"), ("seed0", "Seed0")])
def test_both_owners_are_named(one, other):
    with pytest.raises(MeasuredError, match=r"two runs are called .*seed0.*: in dice and coins"):
        refuse_shared([(one, "dice"), (other, "coins")], "run")


@pytest.mark.parametrize(
    "declared",
    [
        lambda: experiment(claims=(CLAIM, replace(CLAIM, words="another"))),
        lambda: experiment(runs=(Run("seed0", dict, {}), Run("seed0", dict, {"seed": 1}))),
        lambda: experiment().check(
            Findings(
                (Measurement("dice.a", 1, "a", Exact("w")),),
                tables=(Table("dice.t", ("a",), ()), Table("dice.t", ("b",), ())),
            )
        ),
    ],
)
def test_one_experiment_declares_no_name_twice(declared):
    with pytest.raises(MeasuredError, match="two (claims|runs|tables) are called"):
        declared()


@pytest.mark.parametrize(
    "listed",
    [
        {"EXPERIMENTS": [experiment("dice"), experiment("dice")]},
        {"EXPERIMENTS": [experiment("dice", claims=(CLAIM,)), experiment("coins", claims=(CLAIM,))]},
    ],
)
def test_two_experiments_share_no_name_and_no_claim(listed, tmp_path, monkeypatch):
    import sys
    from types import ModuleType

    module = ModuleType("listing")
    module.__dict__.update(listed)
    monkeypatch.setitem(sys.modules, "listing", module)
    with pytest.raises(MeasuredError, match="two (experiments|claims) are called"):
        _ = Project(tmp_path, (), "listing").declared


def test_records_of_two_experiments_share_no_id(tmp_path):
    mean = Measurement("dice.mean", 3.5, "m", Exact("why"), ".1f")
    one = replace(record_of((mean,)), tables={}, claims={})
    other = replace(one, experiment="coins")
    write_record(tmp_path, one)
    write_record(tmp_path, replace(other, measurements={}))
    assert list(read_records(tmp_path)) == ["coins", "dice"]
    write_record(tmp_path, other)
    with pytest.raises(MeasuredError, match=r"two measurements are called 'dice\.mean'"):
        read_records(tmp_path)
    judgement = Judgement("dice.high", "w", True, 0.5, {"a": 1})
    write_record(tmp_path, replace(one, claims={"dice.high": judgement}))
    write_record(tmp_path, replace(other, measurements={}, claims={"dice.high": judgement}))
    with pytest.raises(MeasuredError, match="two claims are called"):
        read_records(tmp_path)
