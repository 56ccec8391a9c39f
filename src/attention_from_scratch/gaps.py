"""Moving a gap: a query gives one key next to nothing; give another key that share, and see what follows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from attention_from_scratch.forward import Weights, answers, forward
from attention_from_scratch.tasks.match_then_read import Lookups


class GapMoved(NamedTuple):
    """What a model answers once block 1's last query has exchanged two of its weights.

    Args:
        there: share of answers that are the symbol after the other place.
        own: share of answers that are still the right one.
    """

    there: float
    own: float


def move_gap(weights: Weights, drawn: Lookups, causal: bool) -> GapMoved:
    """Exchange the last query's weights in block 1, on the first cue and on another place, in all heads.

    Values, and every other query, stay as they are: of what the last query is handed, the weights alone are
    changed, and they still sum to one. The other place is where the sequence before has its cue. Sequences
    count whose symbol after that place is neither the right answer nor a cue.

    Args:
        weights: of a two-block model.
        drawn: the sequences.
        causal: as in training.
    """
    rows, cue = np.arange(len(drawn.places)), drawn.places
    other = np.roll(cue, 1)
    trace = forward(weights, drawn.tokens, causal=causal)
    attended = trace.attention[0][:, :, -1].copy()  # (sequences, heads, keys)
    attended[rows, :, cue], attended[rows, :, other] = attended[rows, :, other], attended[rows, :, cue]
    handed = np.einsum("sht,shtk->shk", attended, _values(weights, trace.inputs[0]))

    def edit(block: int, heads: np.ndarray) -> np.ndarray:
        if block != 1:
            return heads
        return np.concatenate([heads[:, :, :-1], handed[:, :, np.newaxis].astype(heads.dtype)], axis=2)

    given = answers(forward(weights, drawn.tokens, causal=causal, edit=edit))
    there: Int[np.ndarray, " sequences"] = drawn.tokens[rows, other + 1]
    counts = (other != cue) & (there != drawn.answers) & (there != drawn.tokens[:, -1])
    return GapMoved(
        float(np.mean(given[counts] == there[counts])), float(np.mean(given[counts] == drawn.answers[counts]))
    )


def _values(
    weights: Weights, inputs: Float[np.ndarray, "sequences length width"]
) -> Float[np.ndarray, "sequences heads length key_dim"]:
    """The values of block 1."""
    kernel, bias = (weights[f"block1_attention.value.{part}"] for part in ("kernel", "bias"))
    return np.einsum("std,dhk->shtk", inputs, kernel) + bias[:, np.newaxis]
