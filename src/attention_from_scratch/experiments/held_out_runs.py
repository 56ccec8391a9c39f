"""One model taught with six of the eight cues, and asked about the two that it has never met as cues."""

from __future__ import annotations

from typing import Any

import numpy as np

from attention_from_scratch import circuits, copying, forward
from attention_from_scratch.experiments.induction_runs import HELD_OUT, train_on_fresh_sequences
from attention_from_scratch.tasks import match_then_read

CUES = {
    "met": match_then_read.ANY_CUE[:-HELD_OUT],
    "held_out": match_then_read.ANY_CUE[-HELD_OUT:],
}


def train_and_ask(seed: int, length: int, probe: int, probe_seed: int, **training: Any) -> dict[str, Any]:
    """Train one causal two-block model; where it looks and what it says with cues met and held out.

    Args:
        seed: of weights and sequences.
        length: of the sequences.
        probe: sequences to ask about, for either kind of cue.
        probe_seed: of those.
        training: of `train_on_fresh_sequences`.
    """
    made = train_on_fresh_sequences(seed=seed, length=length, task="some_cues", **training)
    weights = forward.weights_of(made)
    kept: dict[str, Any] = {
        "steps": int(made["steps"][-1]),
        "solved": bool(np.isfinite(made["solved_at"])),
    }
    for name, cues in CUES.items():
        drawn = match_then_read.draw_any_cue(probe, length, np.random.default_rng(probe_seed), cues)
        trace = forward.forward(weights, drawn.tokens, causal=True)
        seen = circuits.look(trace, drawn)
        kept |= {
            f"accuracy_{name}": circuits.accuracy(trace, drawn),
            f"prefix_matching_{name}": float(seen.on_answer.mean()),
            f"direct_copying_{name}": circuits.direct_copying(weights, trace, drawn),
            f"read_copying_{name}": copying.copying_of_what_is_read(weights, trace, drawn),
            f"without_previous_{name}": circuits.accuracy_without(
                weights, drawn, circuits.cut(length, circuits.PREVIOUS), causal=True
            ),
        }
    return kept
