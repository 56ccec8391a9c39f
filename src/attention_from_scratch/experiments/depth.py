"""What depth buys and what width buys, over four lengths: a map of trained models, kept as a study.

Budgets, the rule that chooses rates, and the models are in `depth_plan`. What the study has not trained
yet is left out, and said so in the table.

Refuted, if two blocks failed at a length that single blocks of the same budget solve.
"""

from __future__ import annotations

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
from measured.terms.measurement import Spread
from measured.terms.null import becomes, flat, instead, one_seed, swapped
from measured.terms.scope import Scope
from measured.terms.trial import Confirmation, Study, read_outcomes

STORED = Path(__file__).resolve().parents[3] / "tests" / "confirmations" / "depth.json"

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
    """Sum up each cell of the map whose seeds have all been trained."""
    stored = read_outcomes(STORED)
    found = [RUNG.of(float(ladder.most_common_symbol(length)), length=length) for length in lengths]
    cells: dict[tuple[str, int], bool] = {}
    for model in plan.MODELS:
        names = {length: [f"map.{model}.l{length}.seed{seed}" for seed in seeds] for length in lengths}
        found.append(PARAMETER_COUNT.of(int(stored[names[lengths[0]][0]]["parameters"]), model=model))
        for length in lengths:
            found.append(MULTIPLY_ADDS.of(multiply_adds(model, length), model=model, length=length))
            cells[model, length] = all(name in stored for name in names[length])
            if cells[model, length]:
                made = [stored[name] for name in names[length]]
                at = {"model": model, "length": length}
                found += [
                    REACHED.over_seeds([run["test_accuracy"] for run in made], seeds, **at),
                    UPDATES.over_seeds([run["steps"] for run in made], seeds, **at),
                    RATE.of(plan.chosen_rate(stored, model, length), **at),
                ]
    return Findings(tuple(found), tables=tuple(_tables(lengths, cells)))


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
            tolerance={"accuracy": 0.1, "test_accuracy": 0.1, "steps": 1_000},
        ),
    ),
    claims=CLAIMS,
    scopes={
        "induction.map.*": Scope(
            "Causal models of match-then-read, at most {steps} updates of {batch} fresh sequences, each at "
            "the best of the rates {rates}, chosen with seed {rate_seed} in {rate_steps} updates; stopped "
            "at {solved} of a validation set; seeds {seeds}."
        )
    },
)
