"""The studies of the transformer's page: what they train, and what is told before all of it is trained."""

import inspect
import json

import pytest

from attention_from_scratch.experiments import transformer_positions, transformer_tasks
from attention_from_scratch.experiments.sequence_runs import train_and_test


@pytest.mark.parametrize("runs", [transformer_positions.runs, transformer_tasks.runs])
def test_each_training_can_be_called_and_has_a_name_of_its_own(runs):
    named = runs({})
    assert len({run.name for run in named}) == len(named)
    for run in named:
        inspect.signature(train_and_test).bind(**run.parameters)


def test_the_table_of_tasks_leaves_out_what_no_model_has_been_trained_on(tmp_path, monkeypatch):
    outcome = {"accuracy": [0.5, 0.25], "steps": 100, "parameters": 7}
    named = [run.name for run in transformer_tasks.runs({}) if run.name.startswith("copy.lstm")]
    kept = {"runs": {name: {"parameters": {}, "outcome": outcome} for name in named}}
    path = tmp_path / "stored.json"
    path.write_text(json.dumps(kept), encoding="utf-8")
    monkeypatch.setattr(transformer_tasks, "STORED", path)
    table = transformer_tasks.measure(**transformer_tasks.PARAMETERS).tables[0]
    assert table.columns == ("model", "copying, at the trained length", "copying, beyond it")
    assert [row[0] for row in table.rows] == ["LSTM"]
