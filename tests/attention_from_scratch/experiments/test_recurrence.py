"""The analyses of `recurrence` and `padding`, on runs made up for the purpose: no training here."""

import numpy as np
import pytest

from attention_from_scratch.experiments import padding, padding_runs, recurrence, recurrence_runs
from measured.terms.claims import judge
from measured.terms.experiment import Findings

SEEDS = recurrence.PARAMETERS["seeds"]


def settings(experiment):
    return {**experiment.EXPERIMENT.settings(quick=False), "dilution_draws": 40}


def made_up_run(run, accuracy=1.0):
    """What a training returns, without the training: a gradient that loses a decade a step."""
    length = run.parameters["length"]
    curve = -np.arange(length, dtype=float)[::-1]
    found = {"accuracy": accuracy, "parameters": 5, "steps": 64, "solved": accuracy > 0.9}
    for stage in ("start", "trained"):
        found[f"log10_gradients_{stage}"] = curve
        found[f"largest_singular_value_{stage}"] = 1.0
        found[f"log10_kept_{stage}"] = curve
        found[f"weights_{stage}"] = np.full(length, 1 / length)
    return found


@pytest.fixture(scope="module")
def runs():
    return {run.name: made_up_run(run) for run in recurrence.EXPERIMENT.runs}


@pytest.fixture(scope="module")
def findings(runs):
    found = recurrence.measure(runs=runs, **settings(recurrence))
    recurrence.EXPERIMENT.check(found)
    return found


def test_each_layer_length_and_seed_is_one_run():
    names = {run.name for run in recurrence.EXPERIMENT.runs}
    assert {
        f"{layer}.t{n}.seed{seed}"
        for layer in ("simple_rnn", "gru", "lstm", "attention", "simple_rnn_glorot", "lstm_larger_bias")
        for n in (10, 20, 40, 100, 200)
        for seed in SEEDS
    } < names
    assert len(SEEDS) >= 3


def test_layers_are_matched_in_all_but_what_their_row_says():
    def common(run):
        own = ("seed", "layer", "length", "recurrent_initializer", "forget_bias", "lengths_before")
        return {k: v for k, v in run.parameters.items() if k not in (*own, "gradient_sequences")}

    first, *others = recurrence.EXPERIMENT.runs
    assert all(common(run) == common(first) for run in others)


def test_accuracies_keep_their_samples_by_seed(runs):
    changed = {**runs, "lstm.t200.seed1": {**runs["lstm.t200.seed1"], "accuracy": 0.4, "solved": False}}
    found = recurrence.measure(runs=changed, **settings(recurrence))
    (measurement,) = (m for m in found.measurements if m.id == "recurrence.accuracy.lstm.t200")
    assert measurement.seeds == tuple(SEEDS)
    assert measurement.samples == (1.0, 0.4, 1.0)
    assert measurement.value == pytest.approx(0.8)
    assert found["recurrence.solved.lstm.t200"] == 2


def test_decades_are_those_between_the_first_state_and_the_last(findings):
    assert findings["recurrence.gradient_decades.lstm.start"] == pytest.approx(-199)


@pytest.mark.parametrize("start", recurrence.STARTS)
def test_a_gradient_above_its_bound_refutes_the_claim_from_either_start(findings, runs, start):
    claim = next(c for c in recurrence.CLAIMS if c.id == "recurrence.bound_holds")
    assert judge(claim, findings).holds
    growing = {
        name: {**run, "log10_gradients_start": run["log10_gradients_start"] * -1}
        for name, run in runs.items()
        if name.startswith(f"{start}.")
    }
    assert not judge(claim, recurrence.measure(runs={**runs, **growing}, **settings(recurrence))).holds


def test_a_gradient_above_its_bound_for_one_seed_alone_refutes_the_claim(runs):
    claim = next(c for c in recurrence.CLAIMS if c.id == "recurrence.bound_holds")
    name = f"simple_rnn.t200.seed{SEEDS[-1]}"
    growing = {name: {**runs[name], "log10_gradients_start": runs[name]["log10_gradients_start"] * -1}}
    assert not judge(claim, recurrence.measure(runs={**runs, **growing}, **settings(recurrence))).holds


def test_an_attention_whose_gradient_falls_with_distance_is_noticed(findings):
    claim = next(c for c in recurrence.CLAIMS if c.id == "recurrence.attention_flat")
    assert not judge(claim, findings).holds


def test_the_claims_fail_where_every_layer_solves_everything(findings):
    """The order of the layers would be no surprise then, and the page must not print it."""
    failing = {c.id for c in recurrence.CLAIMS if not judge(c, findings).holds}
    assert {"recurrence.gated_guess", "recurrence.larger_bias_reaches"} <= failing


def test_every_claim_can_be_decided(findings):
    assert not [j.undecidable for c in recurrence.CLAIMS if (j := judge(c, findings)).undecidable]


def test_quick_mode_measures_the_same_ids(findings):
    quick = recurrence.EXPERIMENT.settings(quick=True)
    runs = {run.name: made_up_run(run) for run in recurrence.EXPERIMENT.runs_in(quick=True)}
    found = recurrence.measure(runs=runs, **quick)
    assert [m.id for m in found.measurements] == [m.id for m in findings.measurements]


def test_noise_is_diluted_more_slowly_than_equal_scores(findings):
    claim = next(c for c in recurrence.CLAIMS if c.id == "recurrence.dilutes")
    assert judge(claim, findings).holds


TINY = {"training": 32, "validation": 16, "test": 16, "batch": 16, "epochs": 1}


@pytest.mark.parametrize("layer", ["lstm", "attention"])
def test_a_run_returns_what_the_analysis_reads(layer):
    run = next(r for r in recurrence.EXPERIMENT.runs if r.name == f"{layer}.t10.seed0")
    before = [3] if layer == "lstm" else []
    made = run.function(**{**run.parameters, **TINY, "gradient_sequences": 2, "lengths_before": before})
    read = {"accuracy", "parameters", "steps", "solved", "log10_gradients_start", "log10_gradients_trained"}
    assert read <= set(made)
    assert made["log10_gradients_start"].shape == (10,)
    if layer == "lstm":
        assert made["log10_kept_start"].shape == (10,)
        assert made["log10_kept_start"][-1] == 0


def test_padding_sums_up_and_its_claims_can_fail():
    runs = {
        run.name: {
            "accuracy": 1.0,
            "accuracy_trained": 1.0,
            "accuracy_further": 1.0,
            "weight_on_padding": 0.0,
            "logit_change": 0.0,
        }
        for run in padding.EXPERIMENT.runs
    }
    found = padding.measure(runs=runs, **padding.EXPERIMENT.settings(quick=False))
    assert isinstance(found, Findings)
    padding.EXPERIMENT.check(found)
    failing = {c.id for c in padding.CLAIMS if not judge(c, found).holds}
    assert {"padding.behind_overwrites", "padding.no_side_is_safe", "padding.pooled_breaks"} == failing


def test_padding_runs_return_what_the_analysis_reads():
    shared = {**padding.TRAINING, **TINY, "total": 24, "seed": 0}
    plain = padding_runs.train_simple_rnn(asked="last", side="pre", masked=True, **shared)
    pooled = padding_runs.train_pooled(masked=True, **shared)
    assert 0 <= plain["accuracy"] <= 1
    assert pooled["weight_on_padding"] == 0
    assert pooled["accuracy_further"] == pooled["accuracy_trained"]


def test_a_gradient_that_is_zero_still_has_a_logarithm():
    assert np.isfinite(np.log10(recurrence_runs.SMALLEST))
