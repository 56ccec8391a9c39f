"""What `padding` asks fresh seeds: its own trainings, and their accuracies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attention_from_scratch.experiments.padding_runs import train_pooled, train_simple_rnn
from attention_from_scratch.experiments.recurrence_runs import BUDGET
from measured.terms.trial import Trial

TRAINING = {**BUDGET, "shortest": 5, "longest": 20, "total": 200}
WAYS: Mapping[str, dict[str, Any]] = {
    "unmasked": {"side": "post", "masked": False},
    "masked": {"side": "post", "masked": True},
    "pre": {"side": "pre", "masked": False},
    "pre_masked": {"side": "pre", "masked": True},
}
POOLED = ("accuracy_trained", "accuracy_further", "weight_on_padding", "logit_change")


def ask(seed: int, ways: Mapping[str, Mapping[str, Any]], **training: Any) -> dict[str, float]:
    """Train a SimpleRNN in each way of padding, asked for either end, and the pooled encoder twice."""
    kept = {}
    for asked in ("last", "first"):
        for way, settings in ways.items():
            made = train_simple_rnn(seed, asked=asked, **{**training, **settings})
            kept[f"{asked}_{way}"] = float(made["accuracy"])
    for masked in (False, True):
        made = train_pooled(seed, masked=masked, **training)
        kept |= {f"{'masked' if masked else 'unmasked'}_{what}": float(made[what]) for what in POOLED}
    return kept


PADDED = Trial(
    "padding_on_either_side",
    "Recall of either end of padded sequences: which ways of padding can be learned from this seed?",
    ask,
    {**TRAINING, "ways": WAYS},
    tolerance={f"{asked}_{way}": 0.1 for asked in ("last", "first") for way in WAYS}
    | {f"{kind}_{what}": 0.1 for kind in ("masked", "unmasked") for what in POOLED[:3]}
    | {"unmasked_logit_change": 3.0, "masked_logit_change": 1e-4},
)


def ask_first(seed: int, **training: Any) -> dict[str, float]:
    """Train a SimpleRNN on sequences padded behind, without a mask, asked for the first token."""
    made = train_simple_rnn(seed, asked="first", **{**training, **WAYS["unmasked"]})
    return {"first_unmasked": float(made["accuracy"])}


CARRIED = Trial(
    "padding_behind_the_first",
    "Recall of the first token, padding behind and no mask: how often is it right from this seed?",
    ask_first,
    TRAINING,
    tolerance={"first_unmasked": 0.1},
)
