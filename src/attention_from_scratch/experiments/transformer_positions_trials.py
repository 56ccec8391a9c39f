"""Five kinds of positions from a fresh seed."""

from __future__ import annotations

from collections.abc import Mapping

from attention_from_scratch.experiments import transformer_positions_plan as plan
from attention_from_scratch.experiments.sequence_runs import train_and_test
from measured.terms.trial import Trial

# What the trials of the study chose; a test compares them with its stored outcomes.
RATES: Mapping[str, float] = {"none": 1e-2, "learned": 3e-3, "sinusoidal": 1e-2, "rope": 1e-3, "alibi": 3e-3}


def ask(seed: int, rates: Mapping[str, float]) -> dict[str, float]:
    """Train each kind of positions from this seed; accuracies by kind and length.

    Args:
        seed: of the weights and of the sequences.
        rates: of each kind.
    """
    kept = {}
    for kind, rate in rates.items():
        given = plan.settings(kind, seed, rate)
        accuracies = train_and_test(**given)["accuracy"]
        kept |= {f"{kind}_l{n}": a for n, a in zip(given["test_lengths"], accuracies, strict=True)}
    return kept


FRESH = Trial(
    "positions_fresh_seeds",
    "Five kinds of positions from a fresh seed: how many questions does each answer, by length?",
    ask,
    {"rates": dict(RATES)},
    tolerance={f"{kind}_l{n}": 0.1 for kind in RATES for n in plan.TRAINING["test_lengths"]},
)
