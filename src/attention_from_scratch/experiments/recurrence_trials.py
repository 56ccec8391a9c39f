"""What `recurrence` asks fresh seeds: its readers, at fewer distances, and their gradients at the start."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from attention_from_scratch.experiments.recurrence_runs import BUDGET, SMALLEST, train_reader
from attention_from_scratch.tasks import recall
from measured.terms.trial import Trial

TRAINING = {
    **BUDGET,
    "num_heads": 1,
    "recurrent_initializer": "orthogonal",
    "forget_bias": 1.0,
    "lengths_before": [],
    "gradient_sequences": 0,
}
GLOROT = {"layer": "simple_rnn", "recurrent_initializer": "glorot_uniform"}
LARGER_BIAS = {"layer": "lstm", "forget_bias": 5.0}
# What differs from TRAINING, and over which distances each is asked.
ASKED: Mapping[str, tuple[dict[str, Any], tuple[int, ...]]] = {
    "attention": ({"layer": "attention"}, (10, 20, 40, 100, 200)),
    "simple_rnn": ({"layer": "simple_rnn"}, (10, 20, 40, 100, 200)),
    "simple_rnn_glorot": (GLOROT, (10, 20, 40, 100, 200)),
    "lstm": ({"layer": "lstm"}, (10, 100, 200)),
    "gru": ({"layer": "gru"}, (10, 100, 200)),
    "lstm_larger_bias": (LARGER_BIAS, (100,)),
}


def ask_readers(
    seed: int, asked: Mapping[str, tuple[Mapping[str, Any], list[int]]], **training: Any
) -> dict[str, Any]:
    """Train each reader over its distances: accuracies, whether solved, and what attention does."""
    kept: dict[str, Any] = {}
    for variant, (differing, lengths) in asked.items():
        for t in lengths:
            looked = {"gradient_sequences": 32} if (variant, t) == ("attention", max(lengths)) else {}
            made = train_reader(length=t, seed=seed, **{**training, **differing, **looked})
            kept[f"{variant}_t{t}"] = float(made["accuracy"])
            kept[f"{variant}_t{t}_solved"] = bool(made["solved"])
            if variant == "attention":
                kept[f"attention_t{t}_steps"] = int(made["steps"])
            for when in ("start", "trained") if looked else ():
                kept[f"weight_on_first_{when}"] = float(made[f"weights_{when}"][0])
    return kept


def ask_starts(
    seed: int,
    asked: Mapping[str, Mapping[str, Any]],
    length: int,
    gradient_sequences: int,
    **settings: Any,
) -> dict[str, float]:
    """Factors of ten that the gradient loses before training; of attention's, how far it varies."""
    drawn = recall.draw(gradient_sequences, length, np.random.default_rng(seed))
    kept = {}
    for variant, differing in asked.items():
        model = _started(seed, length, **{**settings, **differing})
        curve = np.log10(np.maximum(np.median(model.gradient_norms(drawn), axis=1), SMALLEST))
        kept[variant] = float(curve[0] - curve[-1])
        if variant == "attention":
            kept["attention_varies"] = float(np.ptp(curve[:-1]))
    return kept


def _started(
    seed: int,
    length: int,
    layer: str,
    width: int,
    num_heads: int,
    recurrent_initializer: str,
    forget_bias: float,
) -> Any:
    """A reader as `recurrence_runs` starts it."""
    from attention_from_scratch.models import readers
    from attention_from_scratch.training import set_seed

    set_seed(seed)
    if layer == "attention":
        return readers.AttentionReader(length, width, num_heads=num_heads)
    return readers.RecurrentReader(
        layer, width, recurrent_initializer=recurrent_initializer, forget_bias=forget_bias
    )


def ask_short_first(seed: int, lengths: list[int], **training: Any) -> dict[str, Any]:
    """An LSTM on the longest sequences, and one that learned the shorter ones first."""
    kept: dict[str, Any] = {}
    for name, before in (("plain", []), ("short_first", lengths[:-1])):
        looked = {"gradient_sequences": 32 if before else 0, "lengths_before": before}
        made = train_reader(layer="lstm", length=lengths[-1], seed=seed, **{**training, **looked})
        kept |= {name: float(made["accuracy"]), f"{name}_solved": bool(made["solved"])}
    curve = made["log10_gradients_trained"]
    return {**kept, "short_first_gradient": float(curve[0] - curve[-1])}


READERS = Trial(
    "recall_over_distances",
    "Recall of the first of 10 to 200 tokens: which of the readers answers from this seed, and how soon?",
    ask_readers,
    {**TRAINING, "asked": ASKED},
    tolerance={f"{variant}_t{t}": 0.1 for variant, (_, lengths) in ASKED.items() for t in lengths}
    | {f"attention_t{t}_steps": 64 for t in ASKED["attention"][1]}
    | {"weight_on_first_start": 0.01, "weight_on_first_trained": 0.15},
)
REACH = Trial(
    "attention_and_simple_rnn",
    "Recall of the first of 10 to 200 tokens: how far do attention and a SimpleRNN answer from this seed?",
    ask_readers,
    {
        **TRAINING,
        "asked": {"attention": ASKED["attention"], "simple_rnn": ({"layer": "simple_rnn"}, (100, 200))},
    },
    tolerance={f"{name}_t{t}": 0.1 for name, t in (("simple_rnn", 100), ("simple_rnn", 200))}
    | {f"attention_t{t}": 0.1 for t in ASKED["attention"][1]}
    | {f"attention_t{t}_steps": 64 for t in ASKED["attention"][1]}
    | {"weight_on_first_start": 0.01, "weight_on_first_trained": 0.15},
)
SIMPLE = Trial(
    "simple_rnn_far",
    "Recall of the first of 100 and of 200 tokens: how often is a SimpleRNN right from this seed?",
    ask_readers,
    {**TRAINING, "asked": {"simple_rnn": ({"layer": "simple_rnn"}, (100, 200))}},
    tolerance={"simple_rnn_t100": 0.1, "simple_rnn_t200": 0.1},
)
AT_THE_START = {name: differing for name, (differing, _) in ASKED.items()}
STARTS = Trial(
    "gradients_before_training",
    "What is left of the gradient over the longest distance, before training?",
    ask_starts,
    {
        "asked": AT_THE_START,
        "length": 200,
        "gradient_sequences": 32,
        **{name: TRAINING[name] for name in ("width", "num_heads", "recurrent_initializer", "forget_bias")},
    },
    count=20,
    tolerance=dict.fromkeys((*AT_THE_START, "attention_varies"), 0.5),
)
SHORT_FIRST = Trial(
    "shorter_sequences_first",
    "Does an LSTM that learned shorter sequences first solve the longest ones, and what of its gradient?",
    ask_short_first,
    {**TRAINING, "lengths": [10, 20, 40, 100, 200]},
    tolerance={"plain": 0.1, "short_first": 0.1, "short_first_gradient": 3.0},
)
