"""Figures of match-then-read, drawn from a made-up record: every case of a figure can be looked at."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from attention_from_scratch.figures import induction
from measured.terms import drawing
from measured.terms.measurement import Exact, Measurement
from measured.terms.record import Record

PALETTE = drawing.Palette.load(Path(induction.__file__).parent / "palette.json")
LENGTHS, BUDGET = [8, 12], 10_000
MODELS = {"blocks1_w32": (0.3, BUDGET), "blocks1_w64": (0.99, 8_875), "blocks2_w32": (1.0, 250)}


def a_record(kinds=("answer", "cue"), partly=False) -> Record:
    values = {
        "chance": 1 / 7,
        "random_symbol.l12": 0.23,
        "plateau.waited.blocks2": 0.31,
        "jump_epoch.blocks2": 6,
        "test_accuracy.blocks1": 0.33,
        "test_accuracy.blocks2": 0.999,
        "four_heads.answer": sum(kind == "answer" for kind in kinds),
        "four_heads.cue": sum(kind == "cue" for kind in kinds),
        "parameters.blocks1": 9_129,
        "parameters.blocks2": 17_673,
        "long.half.blocks1": 4_500,
        "long.test_accuracy.blocks1": 0.926,
    }
    for length in LENGTHS:
        values[f"order_blind_ceiling.l{length}"] = 0.32
        values[f"map.rung.l{length}"] = 0.32
        for model, (accuracy, updates) in MODELS.items():
            values[f"map.parameters.{model}"] = 9_129
            values[f"map.reached.{model}.l{length}"] = accuracy
            values[f"map.updates.{model}.l{length}"] = updates
    for what in ("reached", "updates"):
        del values[f"map.{what}.blocks1_w64.l{LENGTHS[-1]}"]  # not trained yet
    if partly:
        values[f"map.seeds.blocks2_w32.l{LENGTHS[-1]}"] = 2
    measurements = {}
    for name, value in values.items():
        form = ".3f" if isinstance(value, float) else ",d"
        seeds = {"seeds": (0, 1), "samples": (0.31, 0.49)} if name == "test_accuracy.blocks1" else {}
        found = Measurement(f"induction.{name}", value, "made up", Exact("made up"), form, **seeds)
        measurements[found.id] = found
    rising = np.linspace(0.2, 0.95, 30)
    arrays = {
        "curves.blocks1": np.full((2, 30), 0.31),
        "curves.blocks2": np.array([rising, rising]),
        "offsets": np.arange(-4, 5),
        "four_heads.offsets": np.full((len(kinds), 9), 1 / 9),
        "four_heads.circuit": np.array(kinds),
        "long.steps": np.arange(500, 40_001, 500),
        "long.accuracies": np.tile(np.linspace(0.3, 0.9, 80), (3, 1)),
    }
    settings = {"lengths": LENGTHS, "steps": BUDGET, "solved": 0.99, "seeds": [0, 1, 2, 3, 4]}
    return Record("induction", "?", "", "full", settings, {}, {}, measurements, arrays=arrays)


@pytest.mark.parametrize(
    ("draw", "quoted"),
    [
        (induction.curves, ["induction.jump_epoch.blocks2", "induction.four_heads.answer"]),
        (induction.long_run, ["induction.long.half.blocks1", "induction.parameters.blocks1"]),
        (induction.solved_map, []),
    ],
)
def test_a_figure_is_the_same_twice_is_small_and_says_its_numbers(draw, quoted):
    record = a_record()
    made = draw(PALETTE, record)
    first, second = (drawing.svg_of(draw(PALETTE, record), "figure.test", PALETTE) for _ in range(2))
    assert first == second
    assert len(first) < 60_000
    assert "<image" not in first
    assert all(record.display(name) in made.alt for name in quoted)
    assert len({len(column) for column in made.data.values()}) == 1


def test_the_curves_name_the_furthest_seed_and_no_circuit_that_is_not_there():
    one = a_record(("answer", "answer"))
    made = induction.curves(PALETTE, one)
    assert "best seed ends at 0.490" in made.alt
    assert "cue circuit" not in drawing.svg_of(made, "figure.test", PALETTE)
    assert "cue circuit" in drawing.svg_of(induction.curves(PALETTE, a_record()), "figure.test", PALETTE)


def test_the_map_says_where_a_budget_was_not_enough():
    made = induction.solved_map(PALETTE, a_record())
    text = drawing.svg_of(made, "figure.test", PALETTE)
    assert text.count("budget ended") == len(LENGTHS), "the narrow block, at every length"
    assert "8,875 updates" in text
    assert made.data["model"] == ["blocks1_w32"] * 2 + ["blocks1_w64"] + ["blocks2_w32"] * 2
    assert "one block, 64 wide: 0.99 at length 8. two blocks" in made.alt, "an untrained cell is not said"


def test_the_map_says_from_how_many_seeds_a_cell_is_that_has_not_all():
    made = induction.solved_map(PALETTE, a_record(partly=True))
    assert drawing.svg_of(made, "figure.test", PALETTE).count("2 seeds") == 1
    assert f"at length {LENGTHS[-1]} (2 seeds)" in made.alt


def test_a_thinned_curve_is_drawn_and_all_of_it_is_data():
    made = induction.long_run(PALETTE, a_record())
    assert len(made.data["steps"]) == 80
    assert made.data["narrow, seed 2"][-1] == pytest.approx(0.9)
