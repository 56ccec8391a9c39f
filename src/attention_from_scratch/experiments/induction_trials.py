"""What `induction` asks fresh seeds: its own trainings, and the few numbers on which its claims decide."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from attention_from_scratch import forward, ladder
from attention_from_scratch.experiments import induction_plan as plan
from attention_from_scratch.experiments.induction_circuits import (
    difference_from_keras,
    heads_alone,
    induction_scores,
    opened_up,
)
from attention_from_scratch.experiments.induction_runs import train_on_fixed_set, train_on_fresh_sequences
from attention_from_scratch.experiments.induction_training import probes
from attention_from_scratch.learning_curves import first_epoch
from measured.terms.trial import Trial

P = plan.PARAMETERS
REPORTED = {
    name: P[name]
    for name in ("length", "learning_rate", "batch", "sequences", "epochs", "validation", "test")
}
JUMP = {"jump_from": P["jump_from"], "jump_to": P["jump_to"]}
ONE_HEAD = {
    "length": P["length"],
    "blocks": 2,
    **plan.ONE_HEAD,
    "batch": P["batch"],
    "steps": P["circuit_steps"],
    "steps_between": 125,
    "stop_at": P["circuit_solved"],
    "validation": 2_000,
    "test": P["test"],
}
OPENED = (
    "whole",
    "answer_to_cue",
    "cue_to_answer",
    "hidden_cue",
    "hole",
    "moved_place",
    "pointed_place",
)
EXCHANGED = ("pointed_own", "gap_place", "gap_own")  # kept since the exchange of the gap was added


def ask_two_blocks(jump_from: float, jump_to: float, **training: Any) -> dict[str, Any]:
    """Train as the write-up did; where the curve stood, how fast it rose, what the heads do at the end."""
    made = train_on_fixed_set(causal=False, blocks=2, **training)
    return {
        **_curve(made["accuracies"], jump_from, jump_to),
        "test_accuracy": float(made["test_accuracy"]),
        **heads_alone(forward.weights_of(made), P),
        "forward_difference": float(difference_from_keras(made)),
    }


def _curve(accuracies: np.ndarray, jump_from: float, jump_to: float) -> dict[str, Any]:
    curve = np.asarray(accuracies)
    left, top = _climb(curve, jump_from, jump_to)
    half = first_epoch(curve[np.newaxis], 0.5)[0]
    return {
        "best_accuracy": float(curve.max()),
        "plateau": float(curve[2 : max(3, half - 3)].mean()),
        "jump_length": top - left,
        "half_epoch": half,
    }


def _climb(curve: np.ndarray, jump_from: float, jump_to: float) -> tuple[int, int]:
    """The last place on the plateau and the first at the top; twice the top where there was no plateau."""
    top = min(first_epoch(curve[np.newaxis], jump_to)[0], len(curve)) - 1
    before = np.flatnonzero(curve[:top] < jump_from)
    return (int(before[-1]) if len(before) else top), top


def ask_one_block(seed: int, matched_feed_forward: int, **training: Any) -> dict[str, Any]:
    """Train one block as the write-up did, and one with as many parameters as two blocks."""
    made = train_on_fixed_set(seed=seed, causal=False, blocks=1, **training)
    drawn = probes(P)
    answers = forward.answers(forward.forward(forward.weights_of(made), drawn.tokens))
    wider = {**training, "feed_forward": matched_feed_forward}
    matched = train_on_fixed_set(seed=seed, causal=False, blocks=1, **wider)
    return {
        "test_accuracy": float(made["test_accuracy"]),
        "names_most_common": float(ladder.is_most_common(drawn, answers).mean()),
        "matched": float(matched["test_accuracy"]),
    }


def ask_circuits(**training: Any) -> dict[str, Any]:
    """Train one-head models with a causal mask and without; their circuits, and what moves or breaks them."""
    kept = (*OPENED, *EXCHANGED)
    return {
        **_opened("causal", causal=True, kept=kept, **training),
        **_opened("free", causal=False, kept=kept, **training),
    }


def ask_maskless(**training: Any) -> dict[str, Any]:
    """Train a one-head model without a mask; what it reads, and which circuit it has."""
    return _opened("free", causal=False, **training)


def ask_slow(slow_learning_rate: float, **training: Any) -> dict[str, Any]:
    """Train a maskless model at Keras' rate, and a causal one at the rate of the others."""
    slow = {**training, "learning_rate": slow_learning_rate}
    kept = (*OPENED, "pointed_own")
    return {
        **_opened("causal", causal=True, kept=kept, **training),
        **_opened("slow", causal=False, kept=kept, **slow),
    }


def _opened(kind: str, causal: bool, kept: tuple[str, ...] = OPENED, **training: Any) -> dict[str, Any]:
    made = train_on_fresh_sequences(causal=causal, task="fixed_cue", **training)
    opened = opened_up(made, causal, P)
    return {
        f"{kind}_steps": int(made["steps"][-1]),
        f"{kind}_solved": bool(np.isfinite(made["solved_at"])),
        f"{kind}_reads": opened["read"],
        f"{kind}_circuit": opened["circuit"],
        **{f"{kind}_{what}": float(opened[what]) for what in kept},
    }


def ask_gap(**training: Any) -> dict[str, Any]:
    """Train a maskless one-head model; its circuit, and what an exchange of the last query's weights does."""
    return _opened("free", causal=False, kept=(*OPENED, *EXCHANGED), **training)


def ask_any_cue(**training: Any) -> dict[str, Any]:
    """Train a causal one-head model with a cue that varies; its scores as an induction head."""
    scores = induction_scores(train_on_fresh_sequences(**training), P)
    return {name: float(scores[name]) for name in ("accuracy", "prefix_matching", "direct_copying")}


def ask_long(jump_from: float, jump_to: float, **training: Any) -> dict[str, Any]:
    """Train one block far past the thirty epochs; where it ends, in how many steps, and whether it leapt."""
    made = train_on_fresh_sequences(**training)
    curve = np.asarray(made["accuracies"])
    left, top = _climb(curve, jump_from, jump_to)
    return {
        "test_accuracy": float(made["test_accuracy"]),
        "best_accuracy": float(curve.max()),
        "largest_gain": float(np.diff(curve).max()),
        "climb": int(made["steps"][top] - made["steps"][left]),
    }


TWO_BLOCKS = Trial(
    "two_blocks_as_reported",
    "Two blocks, trained for thirty epochs as the write-up did: solved, from where, how fast, by which head?",
    ask_two_blocks,
    {**REPORTED, **JUMP, **plan.SMALL},
    tolerance={
        "test_accuracy": 0.05,
        "best_accuracy": 0.05,
        "plateau": 0.05,
        "jump_length": 2,
        "half_epoch": 4,
        "forward_difference": 1e-5,
        **dict.fromkeys(("best_alone", "second_alone", "least_without", "second_without"), 0.3),
        **dict.fromkeys(("cue_to_answer", "answer_to_cue"), 0.3),
    },
)
AGAIN = replace(
    TWO_BLOCKS,
    name="two_blocks_once_more",
    question="Two blocks, trained as the write-up did: do they read the answer, by which edge, and does "
    "NumPy agree?",
)
CUE_READERS = replace(
    TWO_BLOCKS,
    name="two_blocks_that_read_the_cue",
    question="Two blocks, trained as the write-up did: what breaks those that read the cue?",
    count=30,
)
ONE_BLOCK = Trial(
    "one_block_as_reported",
    "One block, trained for thirty epochs as the write-up did, and one with as many parameters as two: "
    "where do they stand?",
    ask_one_block,
    {**REPORTED, **plan.SMALL, "matched_feed_forward": plan.MATCHED["feed_forward"]},
    count=20,
    tolerance={"test_accuracy": 0.05, "names_most_common": 0.1, "matched": 0.05},
)
CIRCUITS = Trial(
    "one_head_with_and_without_mask",
    "Two blocks with one head, trained with a causal mask and without: which circuit, how soon?",
    ask_circuits,
    {**ONE_HEAD, "learning_rate": P["learning_rate"]},
    tolerance={f"{kind}_{what}": 0.1 for kind in ("causal", "free") for what in (*OPENED, *EXCHANGED)}
    | {"causal_steps": 250, "free_steps": 1_000},
)
MASKLESS = Trial(
    "one_head_without_a_mask",
    "Two blocks with one head and no mask: is there one that reads the answer and fits no story?",
    ask_maskless,
    CIRCUITS.parameters,
    count=20,
    tolerance={f"free_{what}": 0.1 for what in OPENED} | {"free_steps": 1_000},
)
SLOW = Trial(
    "one_head_at_keras_rate",
    "Two blocks with one head, maskless at Keras' rate, and causal: is it a pointer, an answer circuit?",
    ask_slow,
    {**ONE_HEAD, "learning_rate": P["learning_rate"], "slow_learning_rate": P["slow_learning_rate"]},
    tolerance={f"{kind}_{what}": 0.1 for kind in ("causal", "slow") for what in (*OPENED, "pointed_own")}
    | {"causal_steps": 250, "slow_steps": 1_000},
)
GAP = Trial(
    "pointers_and_their_gap",
    "Two blocks with one head, maskless at Keras' rate: if it is a pointer, does its reading follow the gap?",
    ask_gap,
    {**ONE_HEAD, "learning_rate": P["slow_learning_rate"]},
    count=20,
    tolerance={f"free_{what}": 0.1 for what in (*OPENED, *EXCHANGED)} | {"free_steps": 1_000},
)
GAP_AGAIN = replace(
    GAP,
    name="pointers_and_their_gap_again",
    question="Two blocks with one head, maskless at Keras' rate: do most pointers' readings follow the gap?",
)
ANY_CUE = Trial(
    "one_head_any_cue",
    "Two causal blocks with one head and a cue that varies: does the second block match and copy?",
    ask_any_cue,
    {**ONE_HEAD, "causal": True, "task": "any_cue", "learning_rate": P["learning_rate"]},
    tolerance={"accuracy": 0.02, "prefix_matching": 0.1, "direct_copying": 0.1},
)
LONG = Trial(
    "one_block_trained_on",
    "One block, trained far past the thirty epochs: where does it end, and does it jump or climb?",
    ask_long,
    {
        "length": P["length"],
        "blocks": 1,
        **plan.SMALL,
        "causal": False,
        "learning_rate": P["long_learning_rate"],
        "batch": P["long_batch"],
        "steps": P["long_steps"],
        "steps_between": 500,
        "stop_at": 1.0,
        "validation": 2_000,
        "test": P["test"],
        **JUMP,
    },
    tolerance={"test_accuracy": 0.1, "best_accuracy": 0.1, "largest_gain": 0.1, "climb": 5_000},
)
STEADY = replace(
    LONG,
    name="one_block_climbs_again",
    question="One block, trained far past the thirty epochs: does it leap?",
)
MOSTLY_STEADY = replace(
    LONG,
    name="one_block_mostly_climbs",
    question="One block, trained far past the thirty epochs: does it climb, mostly?",
)
