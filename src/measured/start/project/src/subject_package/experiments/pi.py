"""How near do random points come to pi? One estimate a seed, for ten times as many points at each step."""

import math

import numpy as np

from measured.terms.claims import Claim, falls
from measured.terms.experiment import Experiment, Findings
from measured.terms.family import Family, rows, table
from measured.terms.measurement import Close
from measured.terms.null import flat, permuted
from measured.terms.scope import Scope
from subject_package.circle import estimate_pi

# Fixed before anything was looked at.
POINTS = (100, 1_000, 10_000)
SEEDS = tuple(range(20))

# What is measured: an id with holes, what it is in words, how far it may move and why, how it is shown.
ROUNDING = Close("sums may be added in another order elsewhere", rtol=1e-9)
ERROR = Family("pi.error.n{n}", "mean distance of an estimate from pi, {n} points", ROUNDING, ".4f")
NEAREST = Family("pi.nearest", "distance of the nearest estimate from pi", ROUNDING, ".1e")


def measure(points: tuple[int, ...], seeds: tuple[int, ...]) -> Findings:
    """Distances from pi, shape (points, seeds), and what each row of them shows."""
    distances = np.array([[abs(estimate_pi(n, seed) - math.pi) for seed in seeds] for n in points])
    errors = [ERROR.over_seeds(row, seeds, n=n) for n, row in zip(points, distances, strict=True)]
    shown = table("pi.errors", "points", rows("n", points, ",d"), {"mean distance from pi": ERROR})
    return Findings(
        (*errors, NEAREST.of(distances.min())),
        {"points": np.array(points), "distances": distances},
        (shown,),
    )


EXPERIMENT = Experiment(
    name="pi",
    question="How near do random points come to pi?",
    measure=measure,
    parameters={"points": POINTS, "seeds": SEEDS},
    quick={"seeds": SEEDS[:5]},
    claims=(
        Claim(
            "pi.error_falls",
            "the mean distance from pi falls with every step of points",
            lambda findings: falls(ERROR.values(findings, n=POINTS)),
            # Two worlds in which the sentence is false; the build sees that the claim fails in both.
            nulls=(flat("pi.error.n{n}", "n"), permuted("pi.error.n{n}", "n")),
        ),
    ),
    scopes={"pi.*": Scope("{seeds.count} estimates for each number of points.", trained=False)},
)
