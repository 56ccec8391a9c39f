"""The studies of the transformer's page: what they train, how rates are chosen, what is told meanwhile."""

import inspect
import json

import pytest

from attention_from_scratch.experiments import (
    transformer_norm,
    transformer_norm_plan,
    transformer_positions,
    transformer_removal_trained,
    transformer_tasks,
)
from attention_from_scratch.experiments.sequence_runs import train_and_test


def store(path, names, monkeypatch, module, **more):
    """Let a module read these runs, all with one outcome."""
    outcome = {"accuracy": [0.5, 0.25], "steps": 100, "parameters": 7, **more}
    runs = {name: {"parameters": {}, "outcome": outcome} for name in names}
    path.write_text(json.dumps({"runs": runs}), encoding="utf-8")
    monkeypatch.setattr(module, "STORED", path)


@pytest.mark.parametrize(
    "runs",
    [
        transformer_norm_plan.norm_runs,
        transformer_norm_plan.removal_runs,
        transformer_positions.runs,
        transformer_tasks.runs,
    ],
)
def test_each_training_can_be_called_and_has_a_name_of_its_own(runs):
    named = runs({})
    assert len({run.name for run in named}) == len(named)
    for run in named:
        inspect.signature(train_and_test).bind(**run.parameters)


def test_seeds_are_trained_at_the_best_rate_of_the_trials_and_not_before_these():
    plan = transformer_norm_plan
    stored = {
        plan.removal_trial("residual", 2, rate): {"validation": [0.9, accuracy]}
        for rate, accuracy in zip(plan.RATES.values(), (0.3, 0.6, 0.6), strict=True)
    }
    assert plan.chosen_rate(stored, "residual", 2) == plan.RATES["usual"]
    by_name = {run.name: run for run in plan.removal_runs(stored)}
    assert by_name[plan.removal_name("residual", 2, 0)].parameters["learning_rate"] == plan.RATES["usual"]
    assert plan.removal_name("whole", 2, 0) not in by_name


def test_a_cell_of_the_map_is_told_once_all_of_its_seeds_are_trained(tmp_path, monkeypatch):
    plan = transformer_norm_plan
    store(tmp_path / "a.json", [run.name for run in plan.norm_runs({})[:4]], monkeypatch, transformer_norm)
    found = transformer_norm.measure(**plan.NORM_PARAMETERS)
    assert [m.id for m in found.measurements[1:]] == ["transformer.norm.accuracy.before.none.d2.slow"]
    assert sum(cell == "not trained yet" for row in found.tables[0].rows for cell in row) == 35


def test_a_model_without_a_part_is_told_once_all_of_its_seeds_are_trained(tmp_path, monkeypatch):
    plan, module = transformer_norm_plan, transformer_removal_trained
    names = [plan.removal_name("norm", 4, seed) for seed in plan.REMOVAL_PARAMETERS["seeds"]]
    trials = [plan.removal_trial("norm", 4, rate) for rate in plan.RATES.values()]
    told = {"apart_trained": [0.9, 0.25], "validation": [0.5]}
    store(tmp_path / "b.json", [*trials, *names[:-1]], monkeypatch, module, **told)
    assert len(module.measure(**plan.REMOVAL_PARAMETERS).measurements) == 1
    store(tmp_path / "b.json", [*trials, *names], monkeypatch, module, **told)
    values = {m.id: m.value for m in module.measure(**plan.REMOVAL_PARAMETERS).measurements}
    assert values["transformer.removal.accuracy.norm.d4"] == 0.5
    assert values["transformer.removal.apart_trained.norm.d4"] == 0.25
    assert values["transformer.removal.rate.norm.d4"] == plan.RATES["slow"]
    assert len(values) == 4


def test_the_table_of_tasks_leaves_out_what_no_model_has_been_trained_on(tmp_path, monkeypatch):
    names = [run.name for run in transformer_tasks.runs({}) if run.name.startswith("copy.lstm")]
    store(tmp_path / "c.json", names, monkeypatch, transformer_tasks)
    table = transformer_tasks.measure(**transformer_tasks.PARAMETERS).tables[0]
    assert table.columns == ("model", "copying, at the trained length", "copying, beyond it")
    assert [row[0] for row in table.rows] == ["LSTM"]
