"""A die whose faces weigh what a data file says; it fails on demand, for whoever tries what follows."""

import csv
from pathlib import Path

import numpy as np

from measured.terms.claims import Claim, above
from measured.terms.experiment import Experiment, Findings
from measured.terms.family import Family
from measured.terms.measurement import Close
from measured.terms.null import becomes

DATA = Path(__file__).parents[2] / "data" / "loaded_die.csv"
BROKEN = False

ROUNDING = Close("sums may round", atol=1e-9)
MEAN = Family("loaded.mean", "mean of the loaded die", ROUNDING, ".3f")
HEAVIEST = Family("loaded.heaviest", "chance of the heaviest face", ROUNDING, ".3f")


def weights():
    """The weight of each face."""
    with DATA.open(encoding="utf-8", newline="") as rows:
        return np.array([float(row["weight"]) for row in csv.DictReader(rows)])


def measure():
    """The mean of the loaded die, and how often it shows its heaviest face."""
    if BROKEN:
        raise ArithmeticError("the die broke")
    chances = weights() / weights().sum()
    mean = chances @ np.arange(1, len(chances) + 1)
    return Findings((MEAN.of(mean), HEAVIEST.of(chances.max())))


EXPERIMENT = Experiment(
    name="loaded",
    question="How far does a loaded die lean?",
    measure=measure,
    parameters={},
    claims=(
        Claim(
            "loaded.leans",
            "the mean of the loaded die lies above that of a fair one",
            lambda f: above(MEAN.values(f), 3.5),
            nulls=(becomes("loaded.mean", by=3.5, words="a fair die"),),
        ),
    ),
)
