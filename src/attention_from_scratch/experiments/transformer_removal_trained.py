"""The question: what does a model learn without one of its parts, at one to eight blocks.

Drawn: the models of `transformer_removal` that lack one part, trained, each at the best of the rates tried;
what is trained, and how the rate is chosen, stands in `transformer_norm_plan`. After the training: the
accuracy, and by how much the tokens of a sequence differ after the last block.

Refuted, if models without residual sums learned the task like the whole ones at every depth.

After the look: the claims, whose words follow what these seeds showed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import pairwise, product
from pathlib import Path
from statistics import median
from typing import Any

from attention_from_scratch.experiments import transformer_norm_plan as plan
from attention_from_scratch.experiments.policies import ARITHMETIC, COUNT
from attention_from_scratch.experiments.sequence_runs import train_and_test
from attention_from_scratch.tasks.sequences import SYMBOLS
from measured.terms.claims import Claim, Verdict, above, below, every, falls
from measured.terms.experiment import Experiment, Findings, Table
from measured.terms.family import Family
from measured.terms.measurement import Spread
from measured.terms.null import Null, becomes, flat, instead, one_seed, relabelled, swapped
from measured.terms.scope import Scope
from measured.terms.trial import Confirmation, Study, Trial, read_outcomes

STORED = Path(__file__).resolve().parents[3] / "tests" / "confirmations" / "transformer_removal.json"
WORDS = {name: words for name, (words, _) in plan.VARIANTS.items()}
LABELS = {"variant": WORDS}
STORED_VALUE = Spread("stored outcomes of a study: they move when it is run again", k=4, floor=0.05)

# fmt: off
ACCURACY = Family("transformer.removal.accuracy.{variant}.d{depth}",
    "test accuracy of {depth} blocks after training, {variant}, mean over seeds", STORED_VALUE, ".2f",
    labels=LABELS)
APART = Family("transformer.removal.apart_trained.{variant}.d{depth}",
    "share of the tokens' norm that is not common to a sequence, after the last of {depth} trained blocks, "
    "{variant}, mean over seeds", STORED_VALUE, ".2f", labels=LABELS)
RATE = Family("transformer.removal.rate.{variant}.d{depth}",
    "rate that the trials chose for {depth} blocks, {variant}", COUNT, "g", labels=LABELS)
GUESSED = Family("transformer.removal.chance", "accuracy of guessing one of the symbols", ARITHMETIC, ".3f")
# fmt: on


def measure(depths: list[int], seeds: list[int], **_: Any) -> Findings:
    """Sum up each model once all of its seeds have been trained."""
    stored = read_outcomes(STORED)
    found = [GUESSED.of(1 / SYMBOLS)]
    done = set()
    for variant, depth in product(plan.VARIANTS, depths):
        names = [plan.removal_name(variant, depth, seed) for seed in seeds]
        if all(name in stored for name in names):
            at = {"variant": variant, "depth": depth}
            made = [stored[name] for name in names]
            found += [
                ACCURACY.over_seeds([run["accuracy"][0] for run in made], seeds, **at),
                APART.over_seeds([run["apart_trained"][-1] for run in made], seeds, **at),
                RATE.of(plan.chosen_rate(stored, variant, depth), **at),
            ]
            done.add((variant, depth))
    return Findings(tuple(found), tables=tuple(_tables(depths, done)))


def _tables(depths: list[int], done: set[tuple[str, int]]) -> Iterator[Table]:
    """Parts by depths; what the study has not trained yet is said."""
    columns = tuple("1 block" if depth == 1 else f"{depth} blocks" for depth in depths)
    for name, what, family in (
        ("accuracy", "accuracy", ACCURACY),
        ("apart_trained", "share not common, trained", APART),
        ("rates", "rate chosen", RATE),
    ):
        yield Table(
            f"transformer.removal_{name}",
            (what, *columns),
            tuple(
                (
                    words,
                    *(
                        family.cell(variant=variant, depth=depth)
                        if (variant, depth) in done
                        else "not trained yet"
                        for depth in depths
                    ),
                )
                for variant, words in WORDS.items()
            ),
        )


DEEP = [depth for depth in plan.REMOVAL_DEPTHS if depth > 1]
OTHERS = [variant for variant in plan.VARIANTS if variant != "residual"]
DISPENSABLE = ["norm", "feed_forward"]
LEAD = 0.02
AT = "transformer.removal.accuracy.{variant}.d{depth}"


def _leads(
    found: Findings, depth: int, of_seeds: Callable[[Iterable[float]], float] = min
) -> dict[str, float]:
    """By how much each other model beats the one without residual sums from the same seed; the smallest."""
    without = ACCURACY.samples(found, variant="residual", depth=depth).values()
    return {
        f"{variant} over residual, {depth} blocks": of_seeds(
            other - one
            for other, one in zip(
                ACCURACY.samples(found, variant=variant, depth=depth).values(), without, strict=True
            )
        )
        for variant in OTHERS
    }


def _residual_behind(found: Findings, of_seeds: Callable[[Iterable[float]], float] = min) -> Verdict:
    leads = (_leads(found, depth, of_seeds).items() for depth in DEEP)
    return every(*(above({name: lead}, LEAD) for by_model in leads for name, lead in by_model))


def _residual_mostly_behind(found: Findings) -> Verdict:
    """After a fresh seed whose two blocks without sums came near the others: what most seeds do."""
    return _residual_behind(found, median)


def _nowhere_behind(level: Callable[..., Null], mixed: Callable[..., Null]) -> tuple[Null, ...]:
    """Worlds in which, at one depth, the model without residual sums answers as much as another.

    Args:
        level: puts a model's accuracy elsewhere, of one seed or of all.
        mixed: makes two models one another's.
    """
    return tuple(
        null
        for depth in DEEP
        for null in (
            level(AT.format(variant="residual", depth=depth), by=1.0),
            *(
                level(AT.format(variant=variant, depth=depth), by="transformer.removal.chance")
                for variant in OTHERS
            ),
            mixed(AT.format(variant="residual", depth=depth), AT.format(variant="positions", depth=depth)),
        )
    )


def _residual_worsens(found: Findings) -> Verdict:
    return falls(ACCURACY.values(found, variant="residual", depth=DEEP))


def _dispensable(found: Findings) -> Verdict:
    return above(ACCURACY.samples(found, variant=DISPENSABLE, depth=DEEP), 0.8)


def _fails_apart(found: Findings) -> Verdict:
    """After a look: at four blocks the tokens are not alike, and it answers little all the same."""
    at = {"variant": "residual", "depth": 4}
    return every(above(APART.samples(found, **at), 0.3), below(ACCURACY.samples(found, **at), 0.31))


def _one_block_short(found: Findings) -> Verdict:
    return below(ACCURACY.samples(found, variant=list(plan.VARIANTS), depth=1), 0.4)


# What the trials of the study chose, by model and number of blocks; a test compares them.
RATES: Mapping[str, Mapping[int, float]] = {
    "whole": {1: 1e-2, 2: 1e-2, 4: 1e-2, 8: 1e-2},
    "after": {1: 3e-3, 2: 1e-2, 4: 1e-2, 8: 3e-3},
    "residual": {1: 3e-3, 2: 3e-3, 4: 1e-3, 8: 1e-4},
    "norm": {1: 1e-2, 2: 1e-2, 4: 1e-2, 8: 1e-2},
    "feed_forward": {1: 1e-2, 2: 3e-2, 4: 1e-2, 8: 1e-2},
    "positions": {1: 1e-2, 2: 3e-2, 4: 1e-2, 8: 1e-2},
}


def ask(seed: int, rates: Mapping[str, float]) -> dict[str, float]:
    """Train models without residual sums from this seed; accuracies, and what is left of the differences.

    Args:
        seed: of the weights and of the sequences.
        rates: by the number of blocks.
    """
    kept = {}
    for depth, rate in rates.items():
        made = _trained(seed, "residual", int(depth), rate, look_at=plan.REMOVAL_PARAMETERS["look_at"])
        kept |= {f"accuracy_{depth}": made["accuracy"][0], f"apart_{depth}": made["apart_trained"][-1]}
    return kept


def ask_each(seed: int, rates: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Train every model at every depth from this seed; the accuracy of each.

    Args:
        seed: of the weights and of the sequences.
        rates: by model, and by the number of blocks.
    """
    return {
        f"{variant}_{depth}": _trained(seed, variant, int(depth), rate)["accuracy"][0]
        for variant, by_depth in rates.items()
        for depth, rate in by_depth.items()
    }


def _trained(seed: int, variant: str, depth: int, rate: float, look_at: int = 0) -> dict[str, Any]:
    differing = {**plan.VARIANTS[variant][1], "blocks": depth}
    given = plan.settings(seed, differing, rate, plan.REMOVAL_PARAMETERS["warm_up"])
    return train_and_test(**given, look_at=look_at)


FRESH = Trial(
    "residual_fresh_seeds",
    "Without residual sums, do more blocks make it worse, and is it because tokens become alike?",
    ask,
    {"rates": {str(depth): RATES["residual"][depth] for depth in DEEP}},
    tolerance={f"{what}_{depth}": 0.3 for what in ("accuracy", "apart") for depth in DEEP},
)
EACH = Trial(
    "removal_fresh_seeds",
    "Trained from a fresh seed, which of the models with one part taken away stays behind?",
    ask_each,
    {
        "rates": {
            variant: {str(depth): rate for depth, rate in rates.items()} for variant, rates in RATES.items()
        }
    },
    tolerance={f"{variant}_{depth}": 0.3 for variant, rates in RATES.items() for depth in rates},
)
# One fresh seed failed the claim that spoke of each; what is said in its place is put to others.
MOSTLY = Trial(
    "removal_mostly_behind",
    "Trained from most fresh seeds, does the model without residual sums stay behind?",
    ask_each,
    {"rates": {variant: {str(depth): rates[depth] for depth in DEEP} for variant, rates in RATES.items()}},
    tolerance={f"{variant}_{depth}": 0.3 for variant in RATES for depth in DEEP},
)
LEAST_LEAD = " and ".join(
    f"min({', '.join(f'{variant}_{depth}' for variant in OTHERS)}) - residual_{depth} > 0.02"
    for depth in DEEP
)
LEAST_WITHOUT = f"min({', '.join(f'{variant}_{depth}' for variant in DISPENSABLE for depth in DEEP)}) > 0.8"
MOST_OF_ONE = f"max({', '.join(f'{variant}_1' for variant in plan.VARIANTS)}) < 0.4"
CLAIMS = (
    Claim(
        "transformer.removal_residual_behind",
        "with two, four and eight blocks the model without residual sums answers more than 0.02 less than "
        "each other model of that depth, from every seed",
        _residual_behind,
        nulls=_nowhere_behind(one_seed, relabelled),
        confirmed_by=Confirmation(EACH, LEAST_LEAD),
    ),
    Claim(
        "transformer.removal_residual_mostly_behind",
        "with two, four and eight blocks the model without residual sums answers more than 0.02 less than "
        "each other model of that depth, from most seeds",
        _residual_mostly_behind,
        nulls=_nowhere_behind(becomes, swapped),
        confirmed_by=Confirmation(MOSTLY, LEAST_LEAD, least="most"),
    ),
    Claim(
        "transformer.removal_residual_worsens",
        "without residual sums the mean over seeds falls from two blocks to four and from four to eight",
        _residual_worsens,
        nulls=(
            flat(AT.format(variant="residual", depth="{depth}"), "depth"),
            *(
                swapped(AT.format(variant="residual", depth=one), AT.format(variant="residual", depth=other))
                for one, other in pairwise(DEEP)
            ),
        ),
        confirmed_by=Confirmation(FRESH, "accuracy_2 > accuracy_4 > accuracy_8", least="most"),
    ),
    Claim(
        "transformer.removal_fails_apart",
        "four blocks without residual sums, every seed: more than 0.3 of the tokens' norm is not common to "
        "them, and less than 0.31 of the questions are answered",
        _fails_apart,
        nulls=(
            instead(
                "transformer.removal.apart_trained.residual.d4",
                by="transformer.removal.apart_trained.residual.d8",
            ),
            one_seed("transformer.removal.apart_trained.residual.d4", by=0.0),
            instead(AT.format(variant="residual", depth=4), by=AT.format(variant="whole", depth=4)),
            one_seed(AT.format(variant="residual", depth=4), by=1.0),
        ),
        confirmed_by=Confirmation(FRESH, "apart_4 > 0.3 and accuracy_4 < 0.31"),
    ),
    Claim(
        "transformer.removal_dispensable",
        "with two, four and eight blocks every seed without LayerNorm or without feed-forward layers answers "
        "more than 0.8",
        _dispensable,
        nulls=tuple(
            one_seed(AT.format(variant=variant, depth=depth), by="transformer.removal.chance")
            for variant in DISPENSABLE
            for depth in DEEP
        ),
        confirmed_by=Confirmation(EACH, LEAST_WITHOUT),
    ),
    Claim(
        "transformer.removal_one_block_short",
        "one block answers less than 0.4 from every seed, whole or without any of the parts",
        _one_block_short,
        nulls=tuple(one_seed(AT.format(variant=variant, depth=1), by=1.0) for variant in plan.VARIANTS),
        confirmed_by=Confirmation(EACH, MOST_OF_ONE),
    ),
)

EXPERIMENT = Experiment(
    name="transformer_removal_trained",
    question="What does a model learn without one of its parts, at one to eight blocks?",
    measure=measure,
    parameters=plan.REMOVAL_PARAMETERS,
    prefixes=("transformer",),
    studies=(
        Study(
            "transformer_removal",
            "Models of one to eight blocks with one part taken away, each at the best of the rates tried.",
            plan.removal_runs,
            tolerance={
                "accuracy": 0.3,
                "validation": 0.3,
                "apart_start": 0.02,
                "apart_trained": 0.3,
                "gradients_start": 10.0,
                "gradients_trained": 10.0,
            },
        ),
    ),
    claims=CLAIMS,
    scopes={
        "transformer.removal.*": Scope(
            "Causal models of width {width} with {num_heads} heads, {steps} updates of {batch} sequences of "
            "{length} tokens, gradients clipped at a norm of {clip_norm}, Adam with a warm-up over {warm_up} "
            "updates to the best of the rates {rates} and their neighbours where the best is at an end, "
            "chosen with seed {rate_seed} in {rate_steps} updates; seeds {seeds}.",
            seeds=("seeds",),
        )
    },
)
