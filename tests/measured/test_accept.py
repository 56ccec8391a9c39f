"""Accepting a drift: what is shown, what is stored, what is left behind."""

from __future__ import annotations

import re

import pytest

from samples import copy


@pytest.fixture(scope="module")
def drifted_once(accepted, tmp_path_factory):
    sample = copy(accepted.root, tmp_path_factory.mktemp("drifted") / "dice")
    sample.edit("src/dice/fair.py", '"draws": 600', '"draws": 601')
    result = sample.build()
    assert result.returncode == 1, result.stdout
    return sample


@pytest.fixture
def drifted(drifted_once, tmp_path):
    return copy(drifted_once.root, tmp_path / "dice")


def test_declining_stores_nothing_and_shows_everything(drifted):
    stored = drifted.tree("tests/regressions")
    result = drifted.run("accept", stdin=None, input="n\n")
    assert result.returncode == 0, result.stdout
    for expected in ("fair.mean", "3.618333", "3.618968", "sums may", "docs/index.md", "fair.middling"):
        assert expected in result.stdout, result.stdout
    assert drifted.tree("tests/regressions") == stored
    assert "# Drift, not accepted" in drifted.read("build/drift.md")


def test_accepting_stores_what_was_measured_and_leaves_a_summary(drifted):
    assert drifted.run("accept", "--yes").returncode == 0
    summary = drifted.read("build/drift.md")
    [row] = re.findall(r"^\| fair\.mean \|.*$", summary, re.M)
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    name, stored, measured, change, ratio, why, pages, claims = cells
    assert float(measured) - float(stored) == pytest.approx(float(change), rel=1e-3)
    assert float(ratio) == pytest.approx(float(change) / 1e-9, rel=1e-3)
    assert why == "outside: the tolerance: sums may round"
    assert pages == "docs/index.md"
    assert claims == "fair.middling (holds), fair.loaded (does not hold)"
    assert "`fair.counts`: changed" in summary
    before, after = (drifted.read(f"build/drift/fair.counts.{when}.svg") for when in ("before", "after"))
    assert before == drifted.read("site/data/figures/fair.counts.light.svg")
    assert after == drifted.read("build/figures/fair.counts.light.svg")
    assert before != after
    assert drifted.build().returncode == 0


def test_only_claims_that_read_a_measurement_are_named(drifted):
    drifted.edit("src/dice/fair.py", '"fair.sides", SIDES', '"fair.sides", SIDES + 0')
    drifted.edit("tests/regressions/fair.yml", "value: 6\n", "value: 7\n")
    drifted.run("make", "--workers", "1")
    drifted.run("accept", "--yes")
    [row] = re.findall(r"^\| fair\.sides \|.*$", drifted.read("build/drift.md"), re.M)
    assert row.endswith("| docs/index.md |  |")


def test_nothing_to_accept_is_said(sample):
    result = sample.run("accept", "--yes")
    assert result.returncode == 0
    assert "nothing to accept" in result.stdout


def test_what_nothing_measures_any_more_is_removed(sample):
    (sample.root / "tests/regressions/gone.yml").write_text(
        sample.read("tests/regressions/fair.yml"), "utf-8"
    )
    assert sample.run("accept", "--yes").returncode == 0
    assert not (sample.root / "tests/regressions/gone.yml").exists()
    assert "| gone | 5 values | no record |" in sample.read("build/drift.md")
