"""The question: which of five kinds of positions reach beyond the lengths that were trained.

Drawn: random symbols; after each that occurred before, the model says what followed it last time. Each
beginning of a training sequence is a shorter one, so that all lengths up to 12 are trained. Tested is the
hardest question of that kind: the last symbol occurred once before, anywhere in 12, 16, 24 or 48 tokens.

The models differ in their positions, and in the rate, which each has as it suits it; what is trained, and how
rates are chosen, stands in `transformer_positions_plan`. The table of learned positions has a row for each
tested one; training never touches the rows from the 13th on.

Refuted, if positions made no difference at 48 tokens.

What a guess is worth depends on what it knows: one symbol of eight, or the commonest one of those that were
read, whatever their order.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from attention_from_scratch.experiments import transformer_positions_plan as plan
from attention_from_scratch.experiments.policies import ARITHMETIC, COUNT
from attention_from_scratch.experiments.rate_trials import place_of, trials_table
from attention_from_scratch.experiments.transformer_positions_trials import FRESH
from attention_from_scratch.position_kinds import KINDS
from attention_from_scratch.tasks.order_blind import commonest_other
from attention_from_scratch.tasks.sequences import SYMBOLS, TASKS
from measured.terms.claims import Claim, Verdict, above, every, falls
from measured.terms.experiment import Experiment, Findings
from measured.terms.family import Family, rows, table
from measured.terms.measurement import Close, Spread
from measured.terms.null import flat, one_seed, permuted, relabelled, swapped
from measured.terms.scope import Scope
from measured.terms.trial import Confirmation, Study, read_outcomes

STORED = Path(__file__).resolve().parents[3] / "tests" / "confirmations" / "transformer_positions.json"

PARAMETERS: dict[str, Any] = {**plan.PARAMETERS, "symbols": SYMBOLS, "order_blind_draws": 20_000}

# fmt: off
ACCURACY = Family("transformer.positions.accuracy.{kind}.l{length}",
    "accuracy at {length} tokens, positions {kind}, trained up to 12 tokens, mean over seeds",
    Spread("four standard errors over seeds, at least 0.05", k=4, floor=0.05), ".2f",
    labels={"kind": KINDS})
RATE = Family("transformer.positions.rate.{kind}", "rate that the trials chose for {kind} positions",
    COUNT, "g", labels={"kind": KINDS})
TRIED = Family("transformer.positions.tried.{kind}.n{place}",
    "validation accuracy at the trained length, positions {kind}, at the end of the trial at {rate}",
    Close("one stored outcome of a study", atol=0.1), ".3f", labels={"kind": KINDS})
GUESSED = Family("transformer.positions.chance", "accuracy of guessing one of the symbols", ARITHMETIC, ".3f")
ORDER_BLIND = Family("transformer.positions.order_blind.l{length}",
    "accuracy at {length} tokens of naming the commonest symbol but the last, whatever the order", ARITHMETIC,
    ".2f")
# fmt: on


def measure(
    seeds: list[int], test_lengths: list[int], symbols: int, order_blind_draws: int, **_: Any
) -> Findings:
    """Sum the stored outcomes up over their seeds, kind by kind once all have been trained."""
    stored = read_outcomes(STORED)
    found = [GUESSED.of(1 / symbols)]
    for length in test_lengths:
        drawn = TASKS["induction"].test(order_blind_draws, length, np.random.default_rng(length))
        found.append(ORDER_BLIND.of(commonest_other(drawn), length=length))
    done = [kind for kind in KINDS if all(plan.name_of(kind, seed) in stored for seed in seeds)]
    for kind in done:
        made = [stored[plan.name_of(kind, seed)]["accuracy"] for seed in seeds]
        found.append(RATE.of(plan.chosen_rate(stored, kind), kind=kind))
        for rate in plan.rates_tried(stored, kind):
            last = stored[plan.trial_name(kind, rate)]["validation"][-1]
            found.append(TRIED.of(last, kind=kind, place=place_of(rate), rate=f"{rate:g}"))
        for index, length in enumerate(test_lengths):
            found.append(ACCURACY.over_seeds([a[index] for a in made], seeds, kind=kind, length=length))
    columns = {f"{length} tokens": ACCURACY.at(length=length) for length in test_lengths}
    told = {kind: words for kind, words in KINDS.items() if kind in done}
    tried = {
        words: {rate: TRIED.cell(kind=kind, place=place_of(rate)) for rate in plan.rates_tried(stored, kind)}
        for kind, words in told.items()
    }
    chosen = {words: RATE.cell(kind=kind) for kind, words in told.items()}
    return Findings(
        tuple(found),
        tables=(
            table("transformer.positions", "positions", rows("kind", told), {"rate": RATE, **columns}),
            trials_table("transformer.positions_trials", "positions", tried, chosen),
        ),
    )


def _within(found: Findings) -> Verdict:
    return above(ACCURACY.samples(found, kind=list(KINDS), length=12), 0.85)


def _reach(found: Findings) -> Verdict:
    """After a look. By how much the worst seed of those that reach beats the best of each that does not."""
    worst = {kind: min(ACCURACY.samples(found, kind=kind, length=48).values()) for kind in REACH}
    best = {kind: max(ACCURACY.samples(found, kind=kind, length=48).values()) for kind in FALL}
    return above({f"{one} over {other}": worst[one] - best[other] for one in REACH for other in FALL}, 0)


def _all_fall(found: Findings) -> Verdict:
    lengths = PARAMETERS["test_lengths"]
    return every(*(falls(ACCURACY.values(found, kind=kind, length=lengths)) for kind in KINDS))


REACH, FALL = ["alibi", "none"], ["learned", "rope"]  # at 48 tokens; sinusoids are between them
AT_48 = "transformer.positions.accuracy.{kind}.l48"


def _at(length: int, *kinds: str) -> str:
    """What the trial keeps of these kinds, listed for Python."""
    return ", ".join(f"{kind}_l{length}" for kind in kinds)


CLAIMS = (
    Claim(
        "transformer.positions_within",
        "at the trained length every seed of every kind of positions answers more than 0.85",
        _within,
        nulls=tuple(
            one_seed(f"transformer.positions.accuracy.{kind}.l12", by="transformer.positions.chance")
            for kind in KINDS
        ),
        confirmed_by=Confirmation(FRESH, f"min({_at(12, *KINDS)}) > 0.85"),
    ),
    Claim(
        "transformer.positions_all_fall",
        "the mean over seeds falls from each tested length to the next, for every kind of positions",
        _all_fall,
        nulls=tuple(
            null
            for kind in KINDS
            for null in (
                flat(f"transformer.positions.accuracy.{kind}.l{{length}}", "length"),
                permuted(f"transformer.positions.accuracy.{kind}.l{{length}}", "length"),
            )
        ),
        confirmed_by=Confirmation(
            FRESH,
            " and ".join(
                " > ".join(_at(length, kind) for length in PARAMETERS["test_lengths"]) for kind in KINDS
            ),
            least="most",
        ),
    ),
    Claim(
        "transformer.positions_reach",
        "at 48 tokens every seed of ALiBi and every seed without positions answers more often than any seed "
        "of learned positions or RoPE",
        _reach,
        nulls=tuple(
            null
            for one in REACH
            for other in FALL
            for null in (
                swapped(AT_48.format(kind=one), AT_48.format(kind=other)),
                one_seed(AT_48.format(kind=one), by="transformer.positions.chance"),
                one_seed(AT_48.format(kind=other), by=1.0),
                relabelled(AT_48.format(kind=one), AT_48.format(kind=other)),
            )
        ),
        confirmed_by=Confirmation(FRESH, f"min({_at(48, *REACH)}) > max({_at(48, *FALL)})"),
    ),
)

EXPERIMENT = Experiment(
    name="transformer_positions",
    question="Which kinds of positions reach beyond the lengths that were trained?",
    measure=measure,
    parameters=PARAMETERS,
    prefixes=("transformer",),
    claims=CLAIMS,
    studies=(
        Study(
            "transformer_positions",
            "Five kinds of positions, trained on short sequences, tested on longer ones.",
            plan.runs,
            tolerance={"accuracy": 0.1, "validation": 0.1},
        ),
    ),
    scopes={
        "transformer.positions.*": Scope(
            "{blocks} causal blocks of width {width} with {num_heads} heads, LayerNorm {norm} each layer, "
            "{steps} updates of {batch} sequences of {length} tokens from {symbols} symbols, gradients "
            "clipped at a norm of {clip_norm}, Adam with a warm-up over {warm_up} updates, each kind at the "
            "best of the rates {rates} and their neighbours where the best is at an end, chosen with seed "
            "{rate_seed}; seeds {seeds}.",
            seeds=("seeds",),
        )
    },
)
