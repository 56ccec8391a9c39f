"""The question: which of five kinds of positions reach beyond the lengths that were trained.

Drawn: random symbols; after each that occurred before, the model says what followed it last time. Each
beginning of a training sequence is a shorter one, so that all lengths up to 12 are trained. Tested is the
hardest question of that kind: the last symbol occurred once before, anywhere in 12, 16, 24 or 48 tokens.

The models differ in nothing but their positions. The table of learned ones has a row for each tested
position; training never touches the rows from the 13th on.

Refuted, if positions made no difference at 48 tokens.

The rate was chosen with RoPE and seed 0, the size at which embeddings start after a look: as Keras starts
them, 2,000 updates left RoPE at 0.94 of the trained questions; with variance 1, 200 leave it above 0.99.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from attention_from_scratch.experiments.policies import ARITHMETIC
from attention_from_scratch.experiments.sequence_runs import train_and_test
from attention_from_scratch.position_kinds import KINDS
from attention_from_scratch.tasks.sequences import SYMBOLS
from measured.terms.claims import Claim, Verdict, above, every, falls
from measured.terms.experiment import Experiment, Findings, Run
from measured.terms.family import Family, rows, table
from measured.terms.measurement import Spread
from measured.terms.null import flat, one_seed, permuted, relabelled, swapped
from measured.terms.scope import Scope
from measured.terms.trial import Confirmation, Outcomes, Study, Trial, read_outcomes

STORED = Path(__file__).resolve().parents[3] / "tests" / "confirmations" / "transformer_positions.json"

MODEL = {
    "blocks": 2,
    "width": 32,
    "num_heads": 4,
    "feed_forward": 64,
    "norm": "before",
    "longest": 48,
    "deviation": 1.0,
}
TRAINING: dict[str, Any] = {
    "task": "induction",
    "model": "transformer",
    "length": 12,
    "test_lengths": [12, 16, 24, 48],
    "steps": 1_000,
    "steps_between": 100,
    "batch": 64,
    "learning_rate": 3e-3,
    "warm_up": 0,
    "clip_norm": 1.0,
    "stop_at": 0.98,
    "validation": 500,
    "test": 1_000,
}
PARAMETERS: dict[str, Any] = {"seeds": [0, 1, 2, 3, 4], "symbols": SYMBOLS, **MODEL, **TRAINING}

# fmt: off
ACCURACY = Family("transformer.positions.accuracy.{kind}.l{length}",
    "accuracy at {length} tokens, positions {kind}, trained up to 12 tokens, mean over seeds",
    Spread("four standard errors over seeds, at least 0.05", k=4, floor=0.05), ".2f",
    labels={"kind": KINDS})
GUESSED = Family("transformer.positions.chance", "accuracy of guessing one of the symbols", ARITHMETIC, ".3f")
# fmt: on


def runs(stored: Outcomes) -> list[Run]:
    """Every training, kind by kind; none depends on another."""
    return [
        Run(f"{kind}.seed{seed}", train_and_test, {"seed": seed, **_settings(kind)})
        for kind in KINDS
        for seed in PARAMETERS["seeds"]
    ]


def _settings(kind: str) -> dict[str, Any]:
    return {"options": {**MODEL, "positions": kind}, **TRAINING}


def ask(seed: int, kinds: list[str]) -> dict[str, float]:
    """Train each kind of positions from this seed; accuracies by kind and length."""
    return {
        f"{kind}_l{length}": accuracy
        for kind in kinds
        for length, accuracy in zip(
            TRAINING["test_lengths"], train_and_test(seed, **_settings(kind))["accuracy"], strict=True
        )
    }


def measure(seeds: list[int], test_lengths: list[int], symbols: int, **_: Any) -> Findings:
    """Sum the stored outcomes up over their seeds."""
    stored = read_outcomes(STORED)
    found = [GUESSED.of(1 / symbols)]
    for kind in KINDS:
        made = [stored[f"{kind}.seed{seed}"]["accuracy"] for seed in seeds]
        for index, length in enumerate(test_lengths):
            found.append(ACCURACY.over_seeds([a[index] for a in made], seeds, kind=kind, length=length))
    columns = {f"{length} tokens": ACCURACY.at(length=length) for length in test_lengths}
    return Findings(
        tuple(found), tables=(table("transformer.positions", "positions", rows("kind", KINDS), columns),)
    )


def _apart(found: Findings, better: str, worse: list[str]) -> dict[str, float]:
    """By how much, at 48 tokens, the worst seed of one kind beats the best seed of each other."""
    worst = min(ACCURACY.samples(found, kind=better, length=48).values())
    return {
        f"{better} over {kind}": worst - max(ACCURACY.samples(found, kind=kind, length=48).values())
        for kind in worse
    }


def _within(found: Findings) -> Verdict:
    return above(ACCURACY.samples(found, kind=list(KINDS), length=12), 0.9)


def _alibi_reaches(found: Findings) -> Verdict:
    apart = _apart(found, "alibi", ["learned", "sinusoidal", "rope"])
    return every(*(above({name: value}, 0) for name, value in apart.items()))


def _all_fall(found: Findings) -> Verdict:
    lengths = PARAMETERS["test_lengths"]
    return every(*(falls(ACCURACY.values(found, kind=kind, length=lengths)) for kind in KINDS))


def _none_ahead(found: Findings) -> Verdict:
    """After a look: one seed with sinusoidal positions is ahead of one without."""
    none, waves = (ACCURACY.samples(found, kind=k, length=48).values() for k in ("none", "sinusoidal"))
    return above({"pairs": sum(a > b for a in none for b in waves)}, 21)


FRESH = Trial(
    "positions_fresh_seeds",
    "Five kinds of positions from a fresh seed: how many questions does each answer, by length?",
    ask,
    {"kinds": list(KINDS)},
    tolerance={f"{kind}_l{length}": 0.1 for kind in KINDS for length in TRAINING["test_lengths"]},
)

AT_48 = "transformer.positions.accuracy.{kind}.l48"


def _at(length: int, *kinds: str) -> str:
    """What the trial keeps of these kinds, listed for Python."""
    return ", ".join(f"{kind}_l{length}" for kind in kinds)


CLAIMS = (
    Claim(
        "transformer.positions_within",
        "at the trained length every seed of every kind of positions answers more than 0.9",
        _within,
        nulls=tuple(
            one_seed(f"transformer.positions.accuracy.{kind}.l12", by="transformer.positions.chance")
            for kind in KINDS
        ),
        confirmed_by=Confirmation(FRESH, f"min({_at(12, *KINDS)}) > 0.9"),
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
        "transformer.positions_alibi_reaches",
        "at 48 tokens every seed of ALiBi answers more often than any seed of learned, sinusoidal or RoPE "
        "positions",
        _alibi_reaches,
        nulls=(
            *(
                swapped(AT_48.format(kind="alibi"), AT_48.format(kind=kind))
                for kind in ("learned", "sinusoidal", "rope")
            ),
            one_seed(AT_48.format(kind="alibi"), by="transformer.positions.chance"),
            *(one_seed(AT_48.format(kind=kind), by=1.0) for kind in ("learned", "sinusoidal", "rope")),
            relabelled(AT_48.format(kind="alibi"), AT_48.format(kind="rope")),
        ),
        confirmed_by=Confirmation(
            FRESH, f"{_at(48, 'alibi')} > max({_at(48, 'learned', 'sinusoidal', 'rope')})"
        ),
    ),
    Claim(
        "transformer.positions_none_beats_waves",
        "at 48 tokens, in at least 22 of the 25 pairs of a seed without positions and one with sinusoidal "
        "ones, the former answers more often",
        _none_ahead,
        nulls=(
            swapped(AT_48.format(kind="none"), AT_48.format(kind="sinusoidal")),
            relabelled(AT_48.format(kind="none"), AT_48.format(kind="sinusoidal")),
        ),
        confirmed_by=Confirmation(FRESH, f"{_at(48, 'none')} > {_at(48, 'sinusoidal')}", least="most"),
    ),
)

EXPERIMENT = Experiment(
    name="transformer_positions",
    question="Which kinds of positions reach beyond the lengths that were trained?",
    measure=measure,
    parameters=PARAMETERS,
    prefixes=("transformer",),
    studies=(
        Study(
            "transformer_positions",
            "Five kinds of positions, trained on short sequences, tested on longer ones.",
            runs,
            tolerance={"accuracy": 0.1, "validation": 0.1, "steps": 200},
        ),
    ),
    claims=CLAIMS,
    scopes={
        "transformer.positions.*": Scope(
            "{blocks} causal blocks of width {width} with {num_heads} heads, LayerNorm {norm} each layer, at "
            "most {steps} updates of {batch} sequences of {length} tokens from {symbols} symbols, Adam at "
            "{learning_rate}, stopped at {stop_at} of a validation set; seeds {seeds}."
        )
    },
)
