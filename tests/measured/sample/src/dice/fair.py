"""Whether the die is fair."""

import numpy as np

from dice.luck import run
from dice.throwing import SIDES, throw
from measured.terms.claims import Claim, between
from measured.terms.experiment import Cell, Experiment, Findings, Run, Table
from measured.terms.measurement import AtMost, Close, Exact, Measurement, Spread

SEEDS = (0, 1, 2)


def measure(draws, seed, runs):
    """Counts, the mean, and its spread over seeds."""
    faces = throw(draws, seed)
    means = [float(r["mean"]) for r in runs.values()]
    counts = np.bincount(faces, minlength=SIDES + 1)[1:]
    measurements = (
        Measurement("fair.sides", SIDES, "sides of the die", Exact("a count")),
        Measurement(
            "fair.mean", faces.mean(), "mean of the throws", Close("sums may round", atol=1e-9), ".4f"
        ),
        Measurement("fair.error", 1e-9, "rounding", AtMost("rounding only", bound=1e-6), ".2e"),
        Measurement(
            "fair.luck",
            float(np.mean(means)),
            "mean over seeds",
            Spread("seeds differ", k=3.0, floor=1e-9),
            ".3f",
            seeds=SEEDS[: len(means)],
            samples=means,
        ),
        Measurement("fair.name", "six <b>sides</b> & |pipes|", "a text", Exact("a name")),
    )
    table = Table(
        "fair.summary", ("what", "value"), (("mean", Cell("fair.mean")), ("sides", Cell("fair.sides")))
    )
    return Findings(measurements, {"counts": counts}, (table,))


EXPERIMENT = Experiment(
    name="fair",
    question="Is the die fair?",
    measure=measure,
    parameters={"draws": 600, "seed": 0},
    quick={"draws": 60},
    runs=tuple(Run(f"seed{s}", run, {"draws": 100, "seed": s}, in_quick=s < 2) for s in SEEDS),
    claims=(
        Claim(
            "fair.middling",
            "the mean lies between 3 and 4",
            lambda f: between({"mean": f["fair.mean"]}, 3, 4),
        ),
        Claim(
            "fair.loaded", "the mean lies between 5 and 6", lambda f: between({"mean": f["fair.mean"]}, 5, 6)
        ),
    ),
)
