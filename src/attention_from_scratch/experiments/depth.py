"""What depth buys and what width buys, over four lengths: a map of trained models, kept as a study.

Budgets, the rule that chooses rates, and the models are in `depth_plan`. What the study has not trained
yet is left out, and said so in the table.

Refuted, if two blocks failed at a length that single blocks of the same budget solve.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from attention_from_scratch import ladder
from attention_from_scratch.experiments import depth_plan as plan
from attention_from_scratch.experiments import depth_trials as trials
from attention_from_scratch.experiments.policies import ARITHMETIC, COUNT
from attention_from_scratch.tasks.match_then_read import VOCABULARY
from measured.terms.claims import Claim, Verdict, above, below, between
from measured.terms.experiment import Experiment, Findings, Table
from measured.terms.family import Family
from measured.terms.measurement import Close, Measurement, Spread
from measured.terms.null import becomes, flat, instead, one_seed, swapped
from measured.terms.scope import Scope
from measured.terms.trial import Confirmation, Study, read_outcomes

CONFIRMATIONS = Path(__file__).resolve().parents[3] / "tests" / "confirmations"
STORED = CONFIRMATIONS / "depth.json"
STORED_AT_THE_SMALLEST_RATE = CONFIRMATIONS / "depth_at_the_smallest_rate.json"
TOLERANCE = {"accuracy": 0.1, "test_accuracy": 0.1, "steps": 1_000}

WORDS = {
    model: f"{'one block' if size['blocks'] == 1 else 'two blocks'}, {size['width']} wide"
    for model, size in plan.MODELS.items()
}
LABELS = {"model": WORDS}
STORED_VALUE = "stored outcomes of a study: they move when it is run again"

REACHED = Family(
    "induction.map.reached.{model}.l{length}",
    "test accuracy of {model}, length {length}, median over seeds",
    Spread(STORED_VALUE, k=4, floor=0.02),
    ".2f",
    statistic="median",
    labels=LABELS,
)
UPDATES = Family(
    "induction.map.updates.{model}.l{length}",
    "updates until solved, or until the budget ends: {model}, length {length}, median over seeds",
    Spread(STORED_VALUE, k=4, floor=500),
    ",.0f",
    statistic="median",
    labels=LABELS,
)
RATE = Family(
    "induction.map.rate.{model}.l{length}",
    "rate that the seed which is not reported chose: {model}, length {length}",
    COUNT,
    "g",
    labels=LABELS,
)
PARAMETER_COUNT = Family(
    "induction.map.parameters.{model}", "parameters of {model}", COUNT, ",d", labels=LABELS
)
TIMES = Family(
    "induction.map.times.{part}.{model}",
    "how many times the {part} of one block 32 wide {model} has",
    COUNT,
    ".0f",
    labels={**LABELS, "part": {"heads": "heads", "feed_forward": "feed-forward layer"}},
)
TRAINED = Family(
    "induction.map.seeds.{model}.l{length}",
    "seeds from which {model} has been trained so far, length {length}",
    COUNT,
    labels=LABELS,
)
UNFINISHED = Family(
    "induction.map.unfinished.{model}.l{length}",
    "seeds of {model}, length {length}, that the budget ended",
    COUNT,
    labels=LABELS,
)
SMALLEST_RATE = Family(
    "induction.map.smallest_rate.{model}.l{length}",
    "test accuracy of {model}, length {length}, at a rate of {rate:g} for the whole budget, median over "
    "seeds",
    Spread(STORED_VALUE, k=4, floor=0.02),
    ".2f",
    statistic="median",
    labels=LABELS,
)
SMALLEST_RATE_BEST = Family(
    "induction.map.smallest_rate_best.{model}.l{length}",
    "test accuracy of {model}, length {length}, at a rate of {rate:g} for the whole budget, best seed",
    Close(STORED_VALUE, atol=0.1),
    ".2f",
    labels=LABELS,
)
MULTIPLY_ADDS = Family(
    "induction.map.multiply_adds.{model}.l{length}",
    "multiply-adds of an answer of {model}, length {length}, counted",
    COUNT,
    ",d",
    labels=LABELS,
)
RUNG = Family(
    "induction.map.rung.l{length}",
    "accuracy of naming the most common symbol, length {length}, exactly",
    ARITHMETIC,
    ".2f",
)


def measure(lengths: list[int], seeds: list[int], **settings: Any) -> Findings:
    """Sum up each cell of the map from which at least two seeds have been trained, and how many have."""
    stored = read_outcomes(STORED)
    found = [RUNG.of(float(ladder.most_common_symbol(length)), length=length) for length in lengths]
    cells: dict[tuple[str, int], bool] = {}
    for model in plan.MODELS:
        names = {length: [f"map.{model}.l{length}.seed{seed}" for seed in seeds] for length in lengths}
        found.append(PARAMETER_COUNT.of(int(stored[names[lengths[0]][0]]["parameters"]), model=model))
        found += _times(model)
        for length in lengths:
            found.append(MULTIPLY_ADDS.of(multiply_adds(model, length), model=model, length=length))
            trained = {s: stored[n] for s, n in zip(seeds, names[length], strict=True) if n in stored}
            made, at = trained.values(), {"model": model, "length": length}
            cells[model, length] = len(trained) > 1
            if cells[model, length]:
                found += [
                    REACHED.over_seeds([run["test_accuracy"] for run in made], trained, **at),
                    UPDATES.over_seeds([run["steps"] for run in made], trained, **at),
                    RATE.of(plan.chosen_rate(stored, model, length), **at),
                    TRAINED.of(len(trained), **at),
                    UNFINISHED.of(sum(not run["solved"] for run in made), **at),
                ]
    found += _at_the_smallest_rate(seeds, min(settings["rates"]))
    return Findings(tuple(found), tables=tuple(_tables(lengths, cells)))


def _times(model: str) -> Iterator[Measurement]:
    """How its heads and its feed-forward layer grow beside its width."""
    for part, name in (("heads", "num_heads"), ("feed_forward", "feed_forward")):
        yield TIMES.of(plan.MODELS[model][name] / plan.MODELS["blocks1_w32"][name], part=part, model=model)


def _at_the_smallest_rate(seeds: list[int], rate: float) -> Iterator[Measurement]:
    """The cells whose rate was chosen among trials on the plateau, trained at another one."""
    stored, model = read_outcomes(STORED_AT_THE_SMALLEST_RATE), plan.STUCK["model"]
    for length in plan.STUCK["lengths"]:
        named = {seed: f"{model}.l{length}.seed{seed}" for seed in seeds}
        reached = {seed: stored[name]["test_accuracy"] for seed, name in named.items() if name in stored}
        at = {"model": model, "length": length, "rate": rate}
        if len(reached) > 1:
            yield SMALLEST_RATE.over_seeds(reached.values(), reached, **at)
            yield SMALLEST_RATE_BEST.of(max(reached.values()), **at)


def multiply_adds(model: str, length: int) -> int:
    """Of one answer: every position in all blocks but the last, there the last position's query alone."""
    size = plan.MODELS[model]
    width, hidden = size["width"], size["feed_forward"]
    one_position = 2 * width**2 + 2 * width * hidden  # query and output projection, feed-forward
    keys_and_values = 2 * length * width**2
    pairs = 2 * length * width  # scores and averages of one query
    whole = length * (one_position + pairs) + keys_and_values
    return (size["blocks"] - 1) * whole + one_position + pairs + keys_and_values + width * VOCABULARY


def _tables(lengths: list[int], cells: dict[tuple[str, int], bool]):
    heads = tuple(f"length {length}" for length in lengths)
    for name, family in (("accuracy", REACHED), ("updates", UPDATES)):
        yield Table(
            f"induction.depth_{name}",
            ("model", "parameters", *heads),
            tuple(
                (
                    words,
                    PARAMETER_COUNT.cell(model=model),
                    *(
                        family.cell(model=model, length=n) if cells[model, n] else "not trained yet"
                        for n in lengths
                    ),
                )
                for model, words in WORDS.items()
            ),
        )
    yield Table(
        "induction.depth_multiply_adds",
        ("model", *heads),
        tuple(
            (words, *(MULTIPLY_ADDS.cell(model=model, length=n) for n in lengths))
            for model, words in WORDS.items()
        ),
    )


TWO = [model for model, size in plan.MODELS.items() if size["blocks"] == 2]
ONE = [model for model in plan.MODELS if model not in TWO]


def _at(length: int, *models: str) -> str:
    """Cells of the trials, listed for Python."""
    return ", ".join(f"{model}_l{length}" for model in models)


def _rung(length: int) -> float:
    return float(ladder.most_common_symbol(length))


def _above_the_rung(found: Findings, models: list[str], lengths: tuple[int, ...]) -> dict[str, float]:
    return {
        f"{name} above the rung": value - RUNG.value(found, length=length)
        for length in lengths
        for name, value in REACHED.samples(found, model=models, length=length).items()
    }


def _costlier_at_12(found: Findings) -> Verdict:
    at_8, at_12 = (UPDATES.samples(found, model="blocks1_w64", length=n).values() for n in (8, 12))
    return above({"least at 12 over most at 8": min(at_12) / max(at_8)}, 4)


def _median_above_the_rung(found: Findings) -> dict[str, float]:
    return {
        f"length {n}": REACHED.value(found, model="blocks1_w32", length=n) - RUNG.value(found, length=n)
        for n in (12, 16)
    }


def _mostly_costlier_at_12(found: Findings) -> Verdict:
    at_8, at_12 = (UPDATES.value(found, model="blocks1_w64", length=n) for n in (8, 12))
    return above({"median at 12 over median at 8": at_12 / at_8}, 4)


CLAIMS = (
    Claim(
        "induction.map_two_blocks_solve",
        "two blocks, 32 or 48 wide, reach 0.97 at each of the four lengths, for every seed",
        lambda f: above(REACHED.samples(f, model=TWO), 0.97),
        nulls=(
            *(one_seed(f"induction.map.reached.{model}.l{{length}}", by=0.5) for model in TWO),
            instead(
                "induction.map.reached.blocks2_w32.l{length}",
                by="induction.map.reached.blocks1_w32.l{length}",
            ),
        ),
        confirmed_by=Confirmation(
            trials.TWO_BLOCKS, f"min({', '.join(_at(n, *TWO) for n in plan.PARAMETERS['lengths'])}) > 0.97"
        ),
    ),
    Claim(
        "induction.map_all_solve_the_shortest",
        "at length 8 every single block, 32 to 128 wide, reaches 0.98, for every seed",
        lambda f: above(REACHED.samples(f, model=ONE, length=8), 0.98),
        nulls=tuple(
            one_seed(f"induction.map.reached.{model}.l8", by="induction.map.rung.l8") for model in ONE
        ),
        confirmed_by=Confirmation(trials.SHORTEST, f"min({_at(8, *ONE)}) > 0.98"),
    ),
    Claim(
        "induction.map_width_solves_12",
        "one block 128 wide reaches 0.97 at length 12, for every seed",
        lambda f: above(REACHED.samples(f, model="blocks1_w128", length=12), 0.97),
        nulls=(
            instead("induction.map.reached.blocks1_w128.l12", by="induction.map.reached.blocks1_w32.l12"),
            one_seed("induction.map.reached.blocks1_w128.l12", by="induction.map.rung.l12"),
        ),
        confirmed_by=Confirmation(trials.TWELVE, f"{_at(12, 'blocks1_w128')} > 0.97"),
    ),
    Claim(
        "induction.map_narrow_stays",
        "one block 32 wide stays within 0.15 of the most common symbol's worth at lengths 12 and 16, for "
        "every seed",
        lambda f: between(_above_the_rung(f, ["blocks1_w32"], (12, 16)), -0.15, 0.15),
        nulls=(
            instead(
                "induction.map.reached.blocks1_w32.l{length}",
                by="induction.map.reached.blocks2_w32.l{length}",
            ),
            one_seed("induction.map.reached.blocks1_w32.l12", by=1.0),
            becomes("induction.map.reached.blocks1_w32.l16", by=1.0),
            becomes("induction.map.reached.blocks1_w32.l12", by=0.1, words="at chance"),
            becomes("induction.map.reached.blocks1_w32.l16", by=0.1, words="at chance"),
        ),
        confirmed_by=Confirmation(
            trials.TWELVE,
            " and ".join(f"abs({_at(n, 'blocks1_w32')} - {_rung(n):.4f}) < 0.15" for n in (12, 16)),
        ),
    ),
    Claim(
        "induction.map_length_costs",
        "one block 64 wide needs over four times the updates at length 12 in each seed that it needs at "
        "length 8 in any",
        _costlier_at_12,
        nulls=(
            swapped("induction.map.updates.blocks1_w64.l8", "induction.map.updates.blocks1_w64.l12"),
            flat("induction.map.updates.blocks1_w64.l{n}", "n"),
            one_seed("induction.map.updates.blocks1_w64.l12", by="induction.map.updates.blocks1_w64.l8"),
        ),
        confirmed_by=Confirmation(
            trials.TWELVE,
            f"{_at(12, 'blocks1_w64')}_updates > 4 * {_at(8, 'blocks1_w64')}_updates",
        ),
    ),
    Claim(
        "induction.map_narrow_mostly_stays",
        "one block 32 wide stays within 0.15 of the most common symbol's worth at lengths 12 and 16, by the "
        "median seed",
        lambda f: between(_median_above_the_rung(f), -0.15, 0.15),
        nulls=(
            instead(
                "induction.map.reached.blocks1_w32.l{length}",
                by="induction.map.reached.blocks2_w32.l{length}",
            ),
            *(
                becomes(f"induction.map.reached.blocks1_w32.l{n}", by=by, words=words)
                for n in (12, 16)
                for by, words in ((1.0, "solved"), (0.1, "at chance"))
            ),
        ),
        confirmed_by=Confirmation(
            trials.MOSTLY,
            " and ".join(f"abs({_at(n, 'blocks1_w32')} - {_rung(n):.4f}) < 0.15" for n in (12, 16)),
            least="most",
        ),
    ),
    Claim(
        "induction.map_length_mostly_costs",
        "one block 64 wide needs over four times the updates at length 12 that it needs at length 8, by the "
        "median seed",
        _mostly_costlier_at_12,
        nulls=(
            swapped("induction.map.updates.blocks1_w64.l8", "induction.map.updates.blocks1_w64.l12"),
            flat("induction.map.updates.blocks1_w64.l{n}", "n"),
        ),
        confirmed_by=Confirmation(
            trials.MOSTLY,
            f"{_at(12, 'blocks1_w64')}_updates > 4 * {_at(8, 'blocks1_w64')}_updates",
            least="most",
        ),
    ),
    Claim(
        "induction.map_one_block_fails_at_24",
        "at length 24 no single block, 32 or 64 wide, ends more than 0.1 above the most common symbol's "
        "worth, for any seed",
        lambda f: below(_above_the_rung(f, ["blocks1_w32", "blocks1_w64"], (24,)), 0.1),
        nulls=(
            one_seed("induction.map.reached.blocks1_w32.l24", by=1.0),
            one_seed("induction.map.reached.blocks1_w64.l24", by=1.0),
            instead("induction.map.reached.blocks1_w64.l24", by="induction.map.reached.blocks2_w32.l24"),
        ),
        confirmed_by=Confirmation(
            trials.LONGEST, f"max({_at(24, 'blocks1_w32', 'blocks1_w64')}) < {_rung(24) + 0.1:.4f}"
        ),
    ),
)

EXPERIMENT = Experiment(
    name="depth",
    question="What does a second block buy, and what does width buy, as sequences get longer?",
    measure=measure,
    parameters=plan.PARAMETERS,
    prefixes=("induction",),
    studies=(
        Study(
            "depth",
            "One and two causal blocks of several widths, at four lengths, the best of three rates for each.",
            plan.runs,
            tolerance=TOLERANCE,
        ),
        Study(
            "depth_at_the_smallest_rate",
            "One block 64 wide at the two longer lengths, at the smallest rate for the whole budget.",
            plan.at_the_smallest_rate,
            tolerance=TOLERANCE,
        ),
    ),
    claims=CLAIMS,
    scopes={
        "induction.map.smallest_rate*": Scope(
            "One causal block of match-then-read, at the smallest of the rates {rates} for {steps} "
            "updates of {batch} fresh sequences, stopped at {solved} of a validation set; trained after the "
            "map had been seen; seeds {seeds}."
        ),
        "induction.map.*": Scope(
            "Causal models of match-then-read, at most {steps} updates of {batch} fresh sequences, each at "
            "that of the rates {rates} which had got furthest with seed {rate_seed} after {rate_steps} "
            "updates; feed-forward layer and heads grow with the width; stopped "
            "at {solved} of a validation set; seeds {seeds}."
        ),
    },
)
