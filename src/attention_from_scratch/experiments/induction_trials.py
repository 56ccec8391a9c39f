"""What `induction` asks fresh seeds: its own trainings, and the few numbers on which its claims decide."""

from __future__ import annotations

from typing import Any

import numpy as np

from attention_from_scratch.experiments import induction_plan as plan
from attention_from_scratch.experiments.induction_circuits import opened_up
from attention_from_scratch.experiments.induction_runs import train_on_fixed_set, train_on_fresh_sequences
from measured.terms.trial import Trial

P = plan.PARAMETERS
KEPT = (
    "whole",
    "answer_to_cue",
    "cue_to_answer",
    "hidden_cue",
    "hole",
    "moved_place",
    "pointed_place",
)
REPORTED = {
    name: P[name]
    for name in ("length", "learning_rate", "batch", "sequences", "epochs", "validation", "test")
}
CIRCUIT = {
    "length": P["length"],
    "blocks": 2,
    **plan.ONE_HEAD,
    "learning_rate": P["learning_rate"],
    "batch": P["batch"],
    "steps": P["circuit_steps"],
    "steps_between": 125,
    "stop_at": P["circuit_solved"],
    "validation": 2_000,
    "test": P["test"],
}


def ask_reported(jump_from: float, jump_to: float, **training: Any) -> dict[str, Any]:
    """Train as the write-up did; accuracy at the end, where the curve stood, and how fast it rose."""
    made = train_on_fixed_set(causal=False, **training)
    curve = np.asarray(made["accuracies"])
    top = int((curve >= jump_to).argmax()) if (curve >= jump_to).any() else len(curve) - 1
    left = np.flatnonzero(curve[:top] < jump_from)
    half = int((curve >= 0.5).argmax()) + 1 if (curve >= 0.5).any() else len(curve) + 1
    return {
        "test_accuracy": float(made["test_accuracy"]),
        "best_accuracy": float(curve.max()),
        "plateau": float(curve[2 : max(3, half - 3)].mean()),
        "jump_length": int(top - left[-1]) if len(left) else 0,
    }


def ask_circuits(seed: int, **training: Any) -> dict[str, Any]:
    """Train one-head models with a causal mask and without; their circuits and what moves or breaks them."""
    kept: dict[str, Any] = {}
    for name, causal in (("causal", True), ("free", False)):
        made = train_on_fresh_sequences(seed=seed, causal=causal, task="fixed_cue", **training)
        opened = opened_up(made, causal, P)
        kept |= {
            f"{name}_steps": int(made["steps"][-1]),
            f"{name}_solved": bool(np.isfinite(made["solved_at"])),
            f"{name}_reads": opened["read"],
            f"{name}_circuit": opened["circuit"],
        }
        for what in (
            "whole",
            "answer_to_cue",
            "cue_to_answer",
            "hidden_cue",
            "hole",
            "moved_place",
            "pointed_place",
        ):
            kept[f"{name}_{what}"] = float(opened[what])
    return kept


JUMP = {"jump_from": P["jump_from"], "jump_to": P["jump_to"]}
NEAR = {"test_accuracy": 0.05, "best_accuracy": 0.05, "plateau": 0.05, "jump_length": 2}

TWO_BLOCKS = Trial(
    "two_blocks_as_reported",
    "Two blocks, trained for thirty epochs as the write-up did: solved, from which plateau, how fast?",
    ask_reported,
    {**REPORTED, **JUMP, "blocks": 2, **plan.SMALL},
    tolerance=NEAR,
)
ONE_BLOCK = Trial(
    "one_block_as_reported",
    "One block, trained for thirty epochs as the write-up did: where does it stand?",
    ask_reported,
    {**REPORTED, **JUMP, "blocks": 1, **plan.SMALL},
    count=20,
    tolerance=NEAR,
)
CIRCUITS = Trial(
    "one_head_with_and_without_mask",
    "Two blocks with one head, trained with a causal mask and without: which circuit, how soon?",
    ask_circuits,
    CIRCUIT,
    tolerance={
        f"{name}_{what}": 0.1
        for name in ("causal", "free")
        for what in (
            "whole",
            "answer_to_cue",
            "cue_to_answer",
            "hidden_cue",
            "hole",
            "moved_place",
            "pointed_place",
        )
    }
    | {"causal_steps": 250, "free_steps": 1_000},
)
