"""The question: where may LayerNorm stand, and does the rate have to rise slowly at first.

Drawn: causal transformers of three depths, LayerNorm before each layer or after each sum, at three rates,
with and without a warm-up; what is trained stands in `transformer_norm_plan`. Xiong et al. 2020
(arXiv:2002.04745) expect the norm after to need the warm-up, the more the deeper and the faster.

Refuted, if the norm after, without warm-up, did as well as the norm before in the deepest models at the
fastest rate.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

from attention_from_scratch.experiments import transformer_norm_plan as plan
from attention_from_scratch.experiments.policies import ARITHMETIC
from attention_from_scratch.tasks.sequences import SYMBOLS
from measured.terms.experiment import Experiment, Findings, Table
from measured.terms.family import Family
from measured.terms.measurement import Spread
from measured.terms.scope import Scope
from measured.terms.trial import Study, read_outcomes

STORED = Path(__file__).resolve().parents[3] / "tests" / "confirmations" / "transformer_norm.json"
NORM_WORDS = {"before": "LayerNorm before", "after": "LayerNorm after"}
WARM_UP_WORDS = {"none": "no warm-up", "risen": "warm-up"}
RATE_WORDS = {name: f"rate {rate:g}" for name, rate in plan.RATES.items()}
LABELS = {"norm": NORM_WORDS, "warm_up": WARM_UP_WORDS, "rate": RATE_WORDS}

ACCURACY = Family(
    "transformer.norm.accuracy.{norm}.{warm_up}.d{depth}.{rate}",
    "test accuracy of {depth} blocks, {norm}, {warm_up}, {rate}, mean over seeds",
    Spread("stored outcomes of a study: they move when it is run again", k=4, floor=0.05),
    ".2f",
    labels=LABELS,
)
GUESSED = Family("transformer.norm.chance", "accuracy of guessing one of the symbols", ARITHMETIC, ".3f")


def measure(seeds: list[int], depths: list[int], **_: Any) -> Findings:
    """Sum up each cell of the map once all of its seeds have been trained."""
    stored = read_outcomes(STORED)
    found = [GUESSED.of(1 / SYMBOLS)]
    done = set()
    for cell in product(plan.NORMS, plan.WARM_UPS, depths, plan.RATES):
        names = [plan.norm_name(*cell, seed) for seed in seeds]
        if all(name in stored for name in names):
            at = dict(zip(("norm", "warm_up", "depth", "rate"), cell, strict=True))
            found.append(ACCURACY.over_seeds([stored[name]["accuracy"][0] for name in names], seeds, **at))
            done.add(cell)
    return Findings(tuple(found), tables=(_table(depths, done),))


def _table(depths: list[int], done: set[tuple[str, str, int, str]]) -> Table:
    """The map; what the study has not trained yet is said."""
    return Table(
        "transformer.norm",
        ("blocks", "LayerNorm", "warm-up", *RATE_WORDS.values()),
        tuple(
            (
                str(depth),
                norm,
                words,
                *(
                    ACCURACY.cell(norm=norm, warm_up=warm_up, depth=depth, rate=rate)
                    if (norm, warm_up, depth, rate) in done
                    else "not trained yet"
                    for rate in plan.RATES
                ),
            )
            for depth in depths
            for norm in plan.NORMS
            for warm_up, words in (("none", "none"), ("risen", "yes"))
        ),
    )


EXPERIMENT = Experiment(
    name="transformer_norm",
    question="Where may LayerNorm stand, and does the rate have to rise slowly at first?",
    measure=measure,
    parameters=plan.NORM_PARAMETERS,
    prefixes=("transformer",),
    studies=(
        Study(
            "transformer_norm",
            "LayerNorm before and after, with and without warm-up, at three depths and three rates.",
            plan.norm_runs,
            tolerance={"accuracy": 0.3, "validation": 0.3},
        ),
    ),
    scopes={
        "transformer.norm.*": Scope(
            "Causal blocks of width {width} with {num_heads} heads and {positions} positions, {steps} "
            "updates of {batch} sequences of {length} tokens, Adam at {rates}, warm-up over {warm_up} "
            "updates or none; seeds {seeds}."
        )
    },
)
