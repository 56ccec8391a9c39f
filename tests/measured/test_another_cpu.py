"""Trainings on another class of CPU than the stored values: what is held against what, and what is told."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from gated import WHY, Gated, experiment
from measured.errors import MeasuredError
from measured.gate import accept, compare, verdicts
from measured.gate.stored import Expectation, read_all, read_classes
from measured.making import workflow
from measured.making.strangers import strangers
from measured.terms.claims import Claim, above
from measured.terms.cpu import class_of, is_another, widest_vectors
from measured.terms.experiment import Run
from measured.terms.measurement import Close, Exact, Measurement
from weaving import record_of

WIDE = {"machine": "x86_64", "cpu_features": ["SSE2", "AVX2", "AVX512F"], "versions": {}, "settings": {}}
NARROW = {**WIDE, "cpu_features": ["SSE2", "AVX2"]}
HERE, THERE = "x86_64 AVX2", "x86_64 AVX512"


def each_seed(f):
    samples = next(m.samples for m in f.measurements if m.id == "dice.mean")
    return above({f"seed {at}": sample for at, sample in enumerate(samples)}, 3.2)


EACH_SEED = Claim("dice.each", "each seed is above 3.2", each_seed)


def trained(mean=3.5, samples=(3.4, 3.5, 3.6)):
    return (
        Measurement("dice.mean", mean, "m", Close(WHY, atol=0.5), ".2f", seeds=(0, 1, 2), samples=samples),
    )


def train(seed):
    return {}


@pytest.fixture
def gated(tmp_path, monkeypatch):
    """Dice that are trained, stored on the CPU with the wide vectors."""
    project = Gated(tmp_path, monkeypatch)
    runs = Run.over_seeds("dice", train, {}, (0, 1, 2), quick_seeds=(0,))
    project.module.EXPERIMENTS = [experiment("dice", claims=(EACH_SEED,), runs=runs), experiment("coins")]
    project.measure("dice", trained(), environment=WIDE)
    monkeypatch.setattr(workflow, "stale", lambda _: {})
    (project.project.stored / "dice.yml").unlink()
    accept.accept(project.project, lambda _: None, lambda: True)
    return project


def drift(gated):
    return [(d.id, d.kind) for v in verdicts.verdicts(gated.project) for d in v.drift]


# Classes


@pytest.mark.parametrize(
    ("features", "widest"),
    [
        (["SSE2", "AVX2", "AVX512_SKX"], "AVX512"),
        (["AVX", "AVX2", "FMA3"], "AVX2"),
        (["ASIMD", "SVE"], "SVE"),
        (["NEON", "ASIMD"], "ASIMD"),
        (["SSE2"], ""),
    ],
)
def test_the_widest_vectors_name_the_class(features, widest):
    assert widest_vectors(features) == widest
    assert class_of({"machine": "any", "cpu_features": features}) == f"any {widest}".strip()


def test_what_is_not_known_is_no_other_class():
    assert class_of({}) == ""
    assert not is_another("", NARROW)
    assert not is_another(THERE, {})
    assert not is_another(HERE, NARROW)
    assert is_another(THERE, NARROW)


# The gate


def test_accepting_stores_the_class_of_what_trains_alone(gated):
    assert read_classes(gated.project.stored) == {"dice": THERE}
    assert drift(gated) == []
    assert verdicts.pass_gate(gated.project) == "passed: 2 experiments, 2 values compared"


def test_on_the_same_class_each_seed_may_move_as_far_as_the_claim_bears(gated):
    gated.measure("dice", trained(samples=(3.4, 3.5, 3.75)), environment=WIDE)
    assert drift(gated) == [("dice.mean seed 2", "sample")]


def test_on_another_class_seeds_are_others_and_the_declared_tolerance_counts(gated):
    gated.measure("dice", trained(3.9, samples=(3.25, 3.5, 4.95)), environment=NARROW)
    assert drift(gated) == []
    told = verdicts.pass_gate(gated.project)
    assert told.endswith(
        f"; 1 experiment by declared tolerances alone, stored on {THERE}, measured on {HERE}"
    )


def test_on_another_class_the_declared_tolerance_is_a_bound(gated):
    gated.measure("dice", trained(4.1, samples=(3.3, 4, 5)), environment=NARROW)
    assert drift(gated) == [("dice.mean", "outside")]
    with pytest.raises(MeasuredError) as error:
        verdicts.pass_gate(gated.project)
    assert f"drift in dice (stored on {THERE}, measured on {HERE})" in error.value.problem
    assert "3.5 ± 0.5" in error.value.problem


def test_what_a_claim_bears_narrows_values_on_the_same_class_alone():
    now = Measurement("dice.mean", 3.7, "m", Close(WHY, atol=0.5), ".2f")
    stored = {"dice.mean": Expectation("dice.mean", 3.5, now.tolerance, within=0.1)}
    assert [d.kind for d in compare.compare(record_of((now,)), stored)] == ["outside"]
    assert compare.compare(record_of((now,)), stored, another_cpu=True) == []


@pytest.mark.parametrize("what", ["new", "missing", "policy"])
def test_what_depends_on_no_rounding_is_drift_on_each_class(gated, what):
    (mean,) = trained()
    new = Measurement("dice.sides", 6, "s", Exact("a count"))
    measured = {
        "new": (mean, new),
        "missing": (),
        "policy": (replace(mean, tolerance=Close(WHY, atol=9)),),
    }[what]
    gated.measure("dice", measured, environment=NARROW)
    assert [kind for _, kind in drift(gated)] == [what]


def test_what_trains_nothing_is_compared_alike_whatever_its_class(gated):
    path = gated.project.stored / "cpu.json"
    path.write_text(json.dumps({**read_classes(gated.project.stored), "coins": THERE}))
    heads = Measurement("coins.heads", 6, "h", Exact("a count"))
    gated.measure("coins", (heads,), environment=NARROW)
    assert drift(gated) == [("coins.heads", "outside")]


def test_a_file_of_classes_that_is_none_is_told_and_a_changed_one_asks_the_gate_again(gated):
    path = gated.project.stored / "cpu.json"
    verdicts.pass_gate(gated.project)
    assert verdicts.passed(gated.project)
    path.write_text(json.dumps({"dice": HERE}))
    assert not verdicts.passed(gated.project)
    for wrong in ("[]", '{"dice": 3}', "{"):
        path.write_text(wrong)
        with pytest.raises(MeasuredError) as error:
            verdicts.verdicts(gated.project)
        assert "cpu.json" in str(error.value.path)


def test_accepting_on_another_class_replaces_all_that_was_measured_together(gated):
    gated.measure("dice", trained(4.1, samples=(3.3, 4.0, 5.0)), environment=NARROW)
    said = []
    written = accept.accept(gated.project, said.append, lambda: True)
    assert [path.name for path in written] == ["dice.yml", "cpu.json"]
    assert f"dice: stored on {THERE}, measured on {HERE}: all of its values are replaced" in said
    assert read_classes(gated.project.stored) == {"dice": HERE}
    kept = read_all(gated.project.stored)["dice"]["dice.mean"]
    assert (kept.value, kept.samples) == (4.1, (3.3, 4.0, 5.0))
    assert drift(gated) == []


def test_what_nothing_declares_any_more_leaves_the_file_of_classes(gated):
    gated.module.EXPERIMENTS = gated.module.EXPERIMENTS[1:]
    (gated.project.records / "dice.json").unlink()
    written = accept.accept(gated.project, lambda _: None, lambda: True)
    assert [path.name for path in written] == ["dice.yml", "cpu.json"]
    assert read_classes(gated.project.stored) == {}


# Runs that are repeated

KNOWN = [
    {"accuracy": 0.2, "steps": 60, "curve": [0.1, 0.2], "solved": False},
    {"accuracy": 0.3, "steps": 60, "curve": [0.1, 0.3], "solved": True},
    {"accuracy": 0.4, "steps": 60, "curve": [0.1, 0.4, 0.5], "solved": True},
]


@pytest.mark.parametrize(
    "outcome",
    [
        {"accuracy": 0.3, "steps": 60, "curve": [0.1, 0.3], "solved": True},
        {"accuracy": 0.62, "steps": 65, "curve": [0.1, 0.5], "solved": True},  # as far outside as it is wide
        {"accuracy": 0.3, "steps": 60, "curve": [9.0, 0.2], "solved": True},  # one of four
        {"accuracy": 0.3, "steps": 60, "curve": [0.1, 0.2, 0.5, 99.0], "solved": True},  # nobody got so far
    ],
)
def test_another_seed_is_no_stranger(outcome):
    assert strangers(outcome, KNOWN, {}) == []


@pytest.mark.parametrize(
    ("outcome", "told"),
    [
        ({"accuracy": 0.3}, ["curve is on one side alone", "solved is on one side alone"]),
        (
            {"accuracy": 7.0, "steps": 600, "curve": [9.0], "solved": True},
            ["accuracy is 7, and was 0.2 to 0.4"],
        ),
        ({"accuracy": float("nan"), "steps": float("nan"), "curve": [], "solved": True}, ["accuracy is nan"]),
    ],
)
def test_what_lies_outside_of_all_seeds_in_most_of_its_numbers_is_one(outcome, told):
    found = strangers(outcome, KNOWN, {})
    assert all(any(line.startswith(start) for line in found) for start in told), found


def test_half_of_the_numbers_may_lie_outside_and_a_tolerance_widens():
    known = [{"a": 1.0, "b": 1.0}, {"a": 1.5, "b": 1.5}, {"a": 2.0, "b": 2.0}]
    assert strangers({"a": 9.0, "b": 1.5}, known, {}) == []
    assert strangers({"a": 9.0, "b": 9.0}, known, {}) == ["a is 9, and was 1 to 2", "b is 9, and was 1 to 2"]
    assert strangers({"a": 9.0, "b": 9.0}, known, {"b": 6.0}) == []
    assert strangers({"a": 9.0, "b": 9.0}, known[:2], {}) == []  # two seeds say nothing of how far seeds lie
    assert strangers({"a": 9.0}, known[:2], {}) == ["b is on one side alone"]
