"""Figures of the light experiments: drawn from a record, with a description and their data."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from attention_from_scratch.experiments import registry
from attention_from_scratch.figures import heads, masks, scale
from measured.terms import drawing
from measured.terms.record import Record

PALETTE = Path(registry.__file__).parents[1] / "figures" / "palette.json"
SMALL = {
    "scale": {"draws": 300, "keras_seeds": [0], "keras_sequences": 4},
    "masks": {"sequences": 4, "keras_sequences": 2},
    "heads": {"fetches": 200, "online_length": 64, "online_block": 16},
}


@pytest.fixture(scope="module")
def records():
    made = {}
    for experiment in (e for e in registry.EXPERIMENTS if e.name in SMALL):
        settings = {**experiment.parameters, **SMALL[experiment.name]}
        curve = {"steps": np.arange(3), "scaled": np.ones(3), "unscaled": np.full(3, 0.4)}
        runs = {"runs": {run.name: curve for run in experiment.runs}} if experiment.runs else {}
        findings = experiment.measure(**settings, **runs)
        made[experiment.name] = Record(
            experiment.name,
            experiment.question,
            "",
            "full",
            settings,
            {},
            {},
            {m.id: m for m in findings.measurements},
            arrays=findings.arrays,
        )
    return made


@pytest.mark.parametrize(
    ("draw", "name", "quoted"),
    [
        (scale.max_weight, "scale", "scale.max_weight.unscaled.d256"),
        (scale.jacobian, "scale", "scale.jacobian.median.unscaled.d256"),
        (scale.training, "scale", "scale.training.accuracy.unscaled"),
        (masks.three, "masks", "masks.pairs.both"),
        (heads.cost, "heads", "heads.crossover_length"),
    ],
)
def test_a_figure_is_the_same_twice_is_small_and_says_its_number(records, draw, name, quoted):
    palette = drawing.Palette.load(PALETTE)
    record = records[name]
    first, second = (drawing.svg_of(draw(palette, record), "figure.test", palette) for _ in range(2))
    made = draw(palette, record)
    assert first == second
    assert len(first) < 60_000
    assert "<image" not in first
    assert record.display(quoted) in made.alt
    assert len({len(column) for column in made.data.values()}) == 1
