"""A die whose faces weigh what a data file says; it fails on demand, for whoever tries what follows."""

import csv
from pathlib import Path

import numpy as np

from measured.terms.claims import Claim, above
from measured.terms.experiment import Experiment, Findings
from measured.terms.measurement import Close, Measurement

DATA = Path(__file__).parents[2] / "data" / "loaded_die.csv"
BROKEN = False


def weights():
    """The weight of each face."""
    with DATA.open(encoding="utf-8", newline="") as rows:
        return np.array([float(row["weight"]) for row in csv.DictReader(rows)])


def measure():
    """The mean of the loaded die, and how often it shows its heaviest face."""
    if BROKEN:
        raise ArithmeticError("the die broke")
    chances = weights() / weights().sum()
    rounding = Close("sums may round", atol=1e-9)
    mean = float(chances @ np.arange(1, len(chances) + 1))
    return Findings(
        (
            Measurement("loaded.mean", mean, "mean of the loaded die", rounding, ".3f"),
            Measurement(
                "loaded.heaviest", float(chances.max()), "chance of the heaviest face", rounding, ".3f"
            ),
        )
    )


EXPERIMENT = Experiment(
    name="loaded",
    question="How far does a loaded die lean?",
    measure=measure,
    parameters={},
    claims=(
        Claim(
            "loaded.leans",
            "the mean of the loaded die lies above that of a fair one",
            lambda f: above({"loaded": f["loaded.mean"]}, 3.5),
        ),
    ),
)
