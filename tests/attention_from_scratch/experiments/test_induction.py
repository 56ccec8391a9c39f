"""The analysis of `induction` without its trainings: how circuits are named, how curves are summed up."""

import inspect

import numpy as np
import pytest

from attention_from_scratch.circuits import Moved
from attention_from_scratch.experiments import (
    induction,
    induction_circuits,
    induction_pictures,
    induction_plan,
    induction_training,
)
from attention_from_scratch.figures.induction import _thinned
from attention_from_scratch.learning_curves import as_long, first_epoch, jumps

WHOLE = {"cue_to_answer": 1.0, "answer_to_cue": 1.0}
STAYS = Moved(as_answer_circuit=0.1, as_cue_circuit=0.0, unmoved=0.9)
FOLLOWS = Moved(as_answer_circuit=0.6, as_cue_circuit=0.0, unmoved=0.2)


@pytest.mark.parametrize(
    ("read", "broken_by", "pointed", "circuit"),
    [
        ("cue", "cue_to_answer", STAYS, "cue"),
        ("cue", "answer_to_cue", STAYS, "neither"),
        ("answer", "answer_to_cue", STAYS, "answer"),
        ("answer", "cue_to_answer", STAYS, "neither"),
        ("answer", "cue_to_answer", FOLLOWS, "pointer"),
        ("neither", "answer_to_cue", FOLLOWS, "neither"),
    ],
)
def test_a_model_is_named_by_what_breaks_it_and_not_by_where_it_looks(read, broken_by, pointed, circuit):
    assert induction_circuits.named(read, {**WHOLE, broken_by: 0.2}, pointed, 0.5) == circuit


def test_every_declared_run_takes_its_parameters_and_has_a_budget():
    from attention_from_scratch.models.blocks import block_model

    runs = induction_plan.runs()
    for run in runs:
        for quick in (False, True):
            taken = inspect.signature(run.function).bind(**run.settings(quick)).arguments
            inspect.signature(block_model).bind(length=12, **taken["model"])
        assert 0 < run.seconds <= 600
    assert {run.parameters["seed"] for run in runs if run.name.startswith("reported.")} == {0, 1, 2, 3, 4}


def test_quick_mode_makes_every_run_that_its_analysis_reads():
    p = {**induction_plan.PARAMETERS, **induction_plan.QUICK}
    made = {run.name for run in induction_plan.runs() if run.in_quick}
    needed = {f"reported.{m}.seed{s}" for m in ("blocks1", "blocks2", "matched") for s in p["seeds"]}
    needed |= {f"long.blocks1.seed{s}" for s in p["long_seeds"]}
    needed |= {
        f"circuit.{k}.seed{s}"
        for k in ("bidirectional", "slow", "causal", "any_cue")
        for s in p[f"{k}_seeds"]
    }
    assert needed <= made


def test_the_first_epoch_above_a_threshold_or_one_past_the_last():
    curves = np.array([[0.1, 0.6, 0.4], [0.1, 0.2, 0.3]])
    assert first_epoch(curves, 0.5) == [2, 4]


def test_a_jump_reaches_from_the_last_place_on_the_plateau_to_the_first_at_the_top():
    p = {"jump_from": 0.4, "jump_to": 0.9}
    curves = np.array([[0.1, 0.3, 0.39, 0.95, 1.0], [0.3, 0.5, 0.2, 0.6, 0.8]])
    assert jumps(curves, **p) == [(2, 3), (2, 4)], "the second never arrives"


def test_a_curve_that_stopped_early_stays_where_it_was():
    padded = as_long([np.array([0.1, 0.2, 0.3]), np.array([0.9])])
    assert padded.tolist() == [[0.1, 0.2, 0.3], [0.9, 0.9, 0.9]]


def test_a_thinned_curve_keeps_its_ends_in_order():
    steps = np.arange(500, 40_001, 500)
    shown = _thinned(steps)
    assert (shown[0], shown[-1]) == (0, len(steps) - 1)
    assert (np.diff(shown) > 0).all()
    assert len(shown) <= 60


def test_the_exact_ladder_is_measured_and_its_simulation_agrees():
    p = {**induction_plan.PARAMETERS, "simulated": 20_000}
    found = induction_training.rungs(p)
    assert induction._simulation_agrees(found).holds
    assert found["induction.order_blind_ceiling.l12"] == pytest.approx(0.3207, abs=5e-5)


def test_where_no_model_solved_anything_no_map_is_told():
    p = induction.EXPERIMENT.settings(quick=True)
    runs = {f"circuit.bidirectional.seed{seed}": {"solved_at": np.inf} for seed in p["bidirectional_seeds"]}
    assert induction_pictures.both_causes(runs, p).measurements == ()
