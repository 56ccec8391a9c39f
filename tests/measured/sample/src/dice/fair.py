"""Whether the die is fair."""

import numpy as np

from dice.luck import mean_of_throws, run
from dice.throwing import SIDES, throw
from measured.terms.claims import Claim, between
from measured.terms.experiment import Cell, Experiment, Findings, Run, Table
from measured.terms.family import Family
from measured.terms.measurement import AtMost, Close, Exact, Measurement, Spread
from measured.terms.null import becomes, one_seed
from measured.terms.scope import Scope
from measured.terms.trial import Confirmation, Trial

SEEDS = (0, 1, 2)
LUCK = Family("fair.luck", "mean over seeds", Spread("seeds differ", k=3.0, floor=1e-9), ".3f")
THROWS = Trial("throws", "What do a hundred throws show on average?", mean_of_throws, {"draws": 100})


def measure(draws, seed, thrown, runs):
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
        LUCK.over_seeds(means, SEEDS[: len(means)]),
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
    parameters={"draws": 600, "seed": 0, "thrown": 100},
    quick={"draws": 60},
    runs=tuple(Run(f"seed{s}", run, {"draws": 100, "seed": s}, in_quick=s < 2) for s in SEEDS),
    claims=(
        Claim(
            "fair.middling",
            "the mean lies between 3 and 4",
            lambda f: between({"mean": f["fair.mean"]}, 3, 4),
            nulls=(becomes("fair.mean", by="fair.sides", words="each throw shows the highest face"),),
        ),
        Claim(
            "fair.loaded",
            "the mean lies between 5 and 6",
            lambda f: between({"mean": f["fair.mean"]}, 5, 6),
            nulls=(becomes("fair.mean", by=3.5, words="a fair die"),),
        ),
        Claim(
            "fair.every_seed",
            "the mean over each seed's throws lies between 3 and 4",
            lambda f: between(LUCK.samples(f), 3, 4),
            nulls=(one_seed("fair.luck", by="fair.sides"),),
            confirmed_by=Confirmation(THROWS, "3 < mean < 4"),
        ),
    ),
    scopes={"fair.luck": Scope("{thrown} throws of one die a seed.")},
)
