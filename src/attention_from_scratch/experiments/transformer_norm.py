"""The question: where may LayerNorm stand, and does the rate have to rise slowly at first.

Drawn: causal transformers of three depths, LayerNorm before each layer or after each sum, at three rates,
with and without a warm-up; what is trained stands in `transformer_norm_plan`. Xiong et al. 2020
(arXiv:2002.04745) expect the norm after to need the warm-up, the more the deeper and the faster.

Refuted, if the norm after, without warm-up, did as well as the norm before in the deepest models at the
fastest rate.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from pathlib import Path
from typing import Any

from attention_from_scratch.experiments import transformer_norm_plan as plan
from attention_from_scratch.experiments.policies import ARITHMETIC
from attention_from_scratch.experiments.sequence_runs import train_and_test
from attention_from_scratch.tasks.sequences import SYMBOLS
from measured.terms.claims import Claim, Verdict, above, below, every
from measured.terms.experiment import Experiment, Findings, Table
from measured.terms.family import Family
from measured.terms.measurement import Spread
from measured.terms.null import one_seed, swapped
from measured.terms.scope import Scope
from measured.terms.trial import Confirmation, Study, Trial, read_outcomes

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


LOST = "transformer.norm.accuracy.after.none.d8.fast"
COSTS = "transformer.norm.accuracy.after.risen.d2.slow"
LEARNED = (
    "transformer.norm.accuracy.before.none.d8.fast",
    "transformer.norm.accuracy.before.risen.d8.fast",
    "transformer.norm.accuracy.after.risen.d8.fast",
    "transformer.norm.accuracy.after.none.d4.fast",
    "transformer.norm.accuracy.after.none.d8.usual",
)


def _needs_warm_up(found: Findings) -> Verdict:
    """Its neighbours on the map, one step away on each axis, and the norm before with warm-up, learn."""
    at = {"depth": 8, "rate": "fast"}
    return every(
        below(ACCURACY.samples(found, norm="after", warm_up="none", **at), 0.2),
        above(ACCURACY.samples(found, norm="before", **at), 0.8),
        above(ACCURACY.samples(found, norm="after", warm_up="risen", **at), 0.8),
        above(ACCURACY.samples(found, norm="after", warm_up="none", depth=4, rate="fast"), 0.8),
        above(ACCURACY.samples(found, norm="after", warm_up="none", depth=8, rate="usual"), 0.8),
    )


def _warm_up_costs(found: Findings) -> Verdict:
    """After a look, which chose the cell of the map where it shows most; of means."""
    mean = {w: ACCURACY.value(found, norm="after", depth=2, warm_up=w, rate="slow") for w in plan.WARM_UPS}
    return above({"cost": mean["none"] - mean["risen"]}, 0.02)


def ask(seed: int) -> dict[str, float]:
    """Train the cell that is lost, and those it is compared with, from this seed; their accuracies."""
    return _trained(seed, (LOST, *LEARNED))


def ask_for_cost(seed: int) -> dict[str, float]:
    """Train the cell in which a warm-up costs most, with it and without."""
    return _trained(seed, ("transformer.norm.accuracy.after.none.d2.slow", COSTS))


def _trained(seed: int, cells: Iterable[str]) -> dict[str, float]:
    kept = {}
    for cell in cells:
        norm, warm_up, depth, rate = cell.removeprefix("transformer.norm.accuracy.").split(".")
        differing = {"norm": norm, "blocks": int(depth.removeprefix("d"))}
        given = plan.settings(seed, differing, plan.RATES[rate], plan.WARM_UPS[warm_up])
        kept[f"{norm}_{warm_up}_{depth}_{rate}"] = train_and_test(**given)["accuracy"][0]
    return kept


FRESH = Trial(
    "norm_fresh_seeds",
    "Is the norm after, without warm-up, lost at eight blocks and the fastest rate, and what saves it?",
    ask,
    {},
    tolerance={
        "_".join(cell.removeprefix("transformer.norm.accuracy.").split(".")): 0.3 for cell in (LOST, *LEARNED)
    },
)
FRESH_COST = Trial(
    "warm_up_fresh_seeds",
    "Does a warm-up cost two blocks with the norm after part of a small budget, at the slowest rate?",
    ask_for_cost,
    {},
    tolerance={"after_none_d2_slow": 0.3, "after_risen_d2_slow": 0.3},
)
CLAIMS = (
    Claim(
        "transformer.norm_after_needs_warm_up",
        "at eight blocks and the fastest rate, every seed of the norm after without warm-up answers less "
        "than 0.2; every seed answers more than 0.8 with a warm-up, with the norm before (with and without "
        "warm-up), with four blocks, or at the rate one step slower",
        _needs_warm_up,
        nulls=(
            *(swapped(LOST, other) for other in LEARNED),
            one_seed(LOST, by=1.0),
            *(one_seed(other, by="transformer.norm.chance") for other in LEARNED),
        ),
        confirmed_by=Confirmation(
            FRESH,
            "after_none_d8_fast < 0.2 and min(before_none_d8_fast, before_risen_d8_fast, "
            "after_risen_d8_fast, after_none_d4_fast, after_none_d8_usual) > 0.8",
        ),
    ),
    Claim(
        "transformer.norm_warm_up_costs",
        "two blocks with the norm after, at the slowest rate, answer more than 0.02 less with a warm-up than "
        "without, on average over seeds",
        _warm_up_costs,
        nulls=(swapped("transformer.norm.accuracy.after.none.d2.slow", COSTS),),
        confirmed_by=Confirmation(
            FRESH_COST, "after_none_d2_slow - after_risen_d2_slow > 0.02", least="most"
        ),
    ),
)

EXPERIMENT = Experiment(
    name="transformer_norm",
    question="Where may LayerNorm stand, and does the rate have to rise slowly at first?",
    measure=measure,
    parameters=plan.NORM_PARAMETERS,
    prefixes=("transformer",),
    claims=CLAIMS,
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
            "updates of {batch} sequences of {length} tokens, gradients clipped at a norm of {clip_norm}, "
            "Adam at {rates}, warm-up over {warm_up} updates or none; seeds {seeds}."
        )
    },
)
