"""The studies of the transformer's page: what they train, how rates are chosen, what is told meanwhile."""

import inspect
import json

import pytest

from attention_from_scratch.experiments import (
    speller_seeds,
    transformer_norm,
    transformer_norm_plan,
    transformer_positions,
    transformer_positions_plan,
    transformer_positions_trials,
    transformer_removal_trained,
    transformer_tasks,
    transformer_tasks_plan,
    transformer_tasks_trials,
)
from measured.terms.trial import read_outcomes


def store(path, names, monkeypatch, module, **more):
    """Let a module read these runs, all with one outcome."""
    outcome = {"accuracy": [0.5, 0.25], "steps": 100, "parameters": 7, "diverged": False, **more}
    runs = {name: {"parameters": {}, "outcome": outcome} for name in names}
    path.write_text(json.dumps({"runs": runs}), encoding="utf-8")
    monkeypatch.setattr(module, "STORED", path)


@pytest.mark.parametrize(
    "runs",
    [
        transformer_norm_plan.norm_runs,
        transformer_norm_plan.removal_runs,
        transformer_positions_plan.runs,
        transformer_tasks_plan.runs,
        speller_seeds.runs,
    ],
)
def test_each_training_can_be_called_and_has_a_name_of_its_own(runs):
    named = runs({})
    assert len({run.name for run in named}) == len(named)
    for run in named:
        inspect.signature(run.function).bind(**run.parameters)


def test_seeds_are_trained_at_the_best_rate_of_the_trials_and_not_before_these():
    plan = transformer_norm_plan
    stored = {
        plan.removal_trial("residual", 2, rate): {"validation": [0.9, accuracy], "diverged": False}
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
    trials = [plan.removal_trial("norm", 4, rate) for rate in (1e-4, 3e-4, *plan.RATES.values())]
    told = {"apart_trained": [0.9, 0.25], "validation": [0.5]}
    store(tmp_path / "b.json", [*trials, *names[:-1]], monkeypatch, module, **told)
    assert len(module.measure(**plan.REMOVAL_PARAMETERS).measurements) == 1
    store(tmp_path / "b.json", [*trials, *names], monkeypatch, module, **told)
    values = {m.id: m.value for m in module.measure(**plan.REMOVAL_PARAMETERS).measurements}
    assert values["transformer.removal.accuracy.norm.d4"] == 0.5
    assert values["transformer.removal.apart_trained.norm.d4"] == 0.25
    assert values["transformer.removal.rate.norm.d4"] == 1e-4  # of equals the lowest
    assert len(values) == 4


def test_who_solves_a_task_early_beats_who_ends_a_little_higher_and_who_diverged_is_last():
    plan = transformer_tasks_plan
    name = lambda rate: plan.trial_name("copy", "gru", rate)  # noqa: E731
    stored = {
        name(1e-3): {"diverged": False, "steps": 900, "validation": [0.999]},
        name(3e-3): {"diverged": False, "steps": 400, "validation": [0.995]},
        name(1e-2): {"diverged": True, "steps": 100, "validation": [0.999]},
    }
    assert plan.chosen_rate(stored, "copy", "gru") == 3e-3
    stored[name(3e-3)]["validation"] = [0.99]
    assert plan.chosen_rate(stored, "copy", "gru") is None  # the lowest is best: a lower one is to be tried
    reported = [run for run in plan.runs(stored) if run.name.startswith("copy.gru.seed")]
    assert not reported


def test_seeds_of_a_task_are_trained_at_the_chosen_rate():
    plan = transformer_tasks_plan
    stored = {
        plan.trial_name("recall", "lstm", rate): {"diverged": False, "steps": 1, "validation": [last]}
        for rate, last in ((1e-3, 0.1), (3e-3, 0.3), (1e-2, 0.2))
    }
    runs = [run for run in plan.runs(stored) if run.name.startswith("recall.lstm.seed")]
    assert [run.parameters["seed"] for run in runs] == plan.PARAMETERS["seeds"]
    assert {run.parameters["learning_rate"] for run in runs} == {3e-3}
    assert plan.PARAMETERS["rate_seed"] not in plan.PARAMETERS["seeds"]


def test_fresh_seeds_are_trained_at_the_rates_that_the_stored_trials_chose():
    tasks, positions = (read_outcomes(m.STORED) for m in (transformer_tasks, transformer_positions))
    for task, rates in transformer_tasks_trials.RATES.items():
        for model, rate in rates.items():
            assert transformer_tasks_plan.chosen_rate(tasks, task, model) == rate
    assert {*transformer_tasks_trials.RATES} == {*transformer_tasks_plan.LENGTHS}
    removal = read_outcomes(transformer_removal_trained.STORED)
    for variant, rates in transformer_removal_trained.RATES.items():
        for depth, rate in rates.items():
            assert transformer_norm_plan.chosen_rate(removal, variant, depth) == rate
    for kind, rate in transformer_positions_trials.RATES.items():
        assert transformer_positions_plan.chosen_rate(positions, kind) == rate


def test_each_kind_of_positions_makes_as_many_updates():
    plan = transformer_positions_plan
    stored = {
        plan.trial_name(kind, rate): {"diverged": False, "validation": [rate == 3e-3]}
        for kind in transformer_positions.KINDS
        for rate in plan.PARAMETERS["rates"]
    }
    runs = [run for run in plan.runs(stored) if ".seed" in run.name]
    assert len(runs) == len(transformer_positions.KINDS) * len(plan.PARAMETERS["seeds"])
    assert {(run.parameters["steps"], run.parameters["learning_rate"]) for run in runs} == {(1_000, 3e-3)}
    assert all(run.parameters["stop_at"] > 1 for run in runs)  # which no accuracy is


def test_the_table_of_tasks_leaves_out_what_no_model_has_been_trained_on(tmp_path, monkeypatch):
    plan = transformer_tasks_plan
    names = [plan.name_of("copy", "lstm", seed) for seed in plan.PARAMETERS["seeds"]]
    trials = [plan.trial_name("copy", "lstm", rate) for rate in (1e-4, 3e-4, *plan.PARAMETERS["rates"])]
    store(tmp_path / "c.json", names + trials, monkeypatch, transformer_tasks, validation=[0.5])
    table = transformer_tasks.measure(**plan.PARAMETERS).tables[0]
    assert table.columns == ("model", "copying, at the trained length", "copying, beyond it")
    assert [row[0] for row in table.rows] == ["LSTM", "guessing"]
    assert [cell.id for cell in table.rows[-1][1:]] == ["transformer.tasks.chance.copy"] * 2


def test_a_speller_is_told_once_two_of_its_seeds_are_taught(tmp_path, monkeypatch):
    kept = {"phoneme_error": 0.1, "word_error": 0.3, "phoneme_error_before": 0.2}
    store(
        tmp_path / "d.json", ["transformer.seed1", "lstm_attention.seed1"], monkeypatch, speller_seeds, **kept
    )
    counts = speller_seeds.measure(**speller_seeds.PARAMETERS).measurements
    assert [m.value for m in counts] == [1, 1]
    store(tmp_path / "d.json", ["transformer.seed1", "transformer.seed3"], monkeypatch, speller_seeds, **kept)
    found = speller_seeds.measure(**speller_seeds.PARAMETERS)
    values = {m.id.removeprefix("transformer.speller.seeds."): m.value for m in found.measurements}
    assert values["count.transformer"] == 2
    assert values["before_rounding.transformer"] == pytest.approx(0.2)
    assert [row[0] for row in found.tables[0].rows] == ["transformer"]
