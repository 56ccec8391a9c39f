"""The gate decides in its own process, about everything that is declared, measured or stored."""

from __future__ import annotations

import pytest

from gated import Gated, coins, dice, experiment
from measured.errors import MeasuredError
from measured.gate import verdicts


@pytest.fixture
def gated(tmp_path, monkeypatch):
    return Gated(tmp_path, monkeypatch)


def refused(gated, *expected):
    with pytest.raises(MeasuredError) as caught:
        verdicts.pass_gate(gated.project)
    for text in expected:
        assert text in str(caught.value), str(caught.value)
    assert not verdicts.passed(gated.project)


def test_every_experiment_is_counted_and_every_value(gated):
    assert verdicts.pass_gate(gated.project) == "passed: 2 experiments, 3 values compared"
    found = {v.experiment: (v.compared, v.drift) for v in verdicts.verdicts(gated.project)}
    assert found == {"coins": (1, ()), "dice": (2, ())}


def test_what_has_passed_passes_again_until_a_record_or_a_stored_value_changes(gated):
    verdicts.pass_gate(gated.project)
    assert verdicts.passed(gated.project)
    assert verdicts.pass_gate(gated.project).startswith("passed before")
    gated.measure("dice", dice(3.51))
    assert not verdicts.passed(gated.project)
    assert verdicts.pass_gate(gated.project).startswith("passed: 2 experiments")
    path = gated.project.stored / "coins.yml"
    path.write_text(path.read_text() + "\n", encoding="utf-8")
    assert not verdicts.passed(gated.project)
    verdicts.pass_gate(gated.project)
    gated.module.EXPERIMENTS.append(experiment("cards"))
    assert not verdicts.passed(gated.project)


def test_drift_in_one_of_them_is_named_and_nothing_counts_as_passed(gated):
    verdicts.pass_gate(gated.project)
    gated.measure("dice", dice(3.7))
    refused(gated, "drift in 1 of 2 experiments", "dice.mean  3.7", "3.5 ± 0.1", "because of rounding")


def test_a_second_gate_in_one_process_reads_its_own_records(gated, tmp_path_factory, monkeypatch):
    verdicts.pass_gate(gated.project)
    other = Gated(tmp_path_factory.mktemp("other"), monkeypatch)
    other.measure("dice", dice(3.7))
    refused(other, "dice.mean")
    assert verdicts.pass_gate(gated.project).startswith("passed before")


def test_a_declared_experiment_that_never_ran_does_not_pass(gated):
    gated.module.EXPERIMENTS.append(experiment("cards"))
    refused(gated, "cards", "no record", "it is declared and has not run")


def test_a_declared_experiment_whose_record_is_gone_does_not_pass(gated):
    (gated.project.records / "coins.json").unlink()
    refused(gated, "coins", "no record", "it is declared and has not run")
    assert {v.experiment: v.compared for v in verdicts.verdicts(gated.project)} == {"coins": 0, "dice": 2}


def test_an_experiment_without_stored_values_does_not_pass(gated):
    (gated.project.stored / "coins.yml").unlink()
    refused(gated, "coins.heads  5", "nothing is stored for it")


def test_what_nothing_declares_any_more_does_not_pass(gated):
    del gated.module.EXPERIMENTS[1]
    refused(gated, "a record of an experiment that nothing declares")
    (gated.project.records / "coins.json").unlink()
    refused(gated, "coins", "no record", "nothing declares it any more")


def test_nothing_at_all_does_not_pass(gated):
    gated.module.EXPERIMENTS.clear()
    for path in (*gated.project.records.glob("*"), *gated.project.stored.glob("*")):
        path.unlink()
    refused(gated, "the gate compared nothing", "zero checks never pass")


def test_a_quick_record_does_not_pass(gated):
    gated.measure("coins", coins(), mode="quick")
    refused(gated, "quick records hold fewer draws and seeds")


@pytest.mark.parametrize(
    "options", ["--collect-only", "-k 'not dice'", "--regen-all", "--force-regen", "--deselect x", "-x --lf"]
)
def test_no_option_of_a_test_runner_is_heard(gated, options, monkeypatch):
    monkeypatch.setenv("PYTEST_ADDOPTS", options)
    (gated.root / "conftest.py").write_text("def pytest_collection_modifyitems(items): items.clear()\n")
    (gated.project.stored / "conftest.py").write_text("collect_ignore_glob = ['*']\n")
    stored = (gated.project.stored / "dice.yml").read_bytes()
    gated.measure("dice", dice(3.7))
    refused(gated, "dice.mean  3.7")
    assert (gated.project.stored / "dice.yml").read_bytes() == stored


def test_five_small_drifts_are_one_large_one(gated):
    """Without accepting, drift is measured from what was stored, not from what was measured last."""
    for mean in (3.54, 3.58):
        gated.measure("dice", dice(mean))
        verdicts.pass_gate(gated.project)
    gated.measure("dice", dice(3.62))
    refused(gated, "dice.mean  3.62")
