"""Recurrent readers whose gates start at time scales up to the longest distance (chrono initialisation).

Tallec and Ollivier 2018, section 2: a gate that keeps with bias log(T − 1) forgets over about T steps.
"""

from __future__ import annotations

from typing import Any

import keras
import numpy as np

from attention_from_scratch.models.readers import RecurrentReader


class ChronoReader(RecurrentReader):
    """A `RecurrentReader` whose gates that keep start at the logarithms of numbers between 1 and T − 1.

    The numbers are drawn evenly, one a unit. An LSTM's forget gate gets the logarithms, its input gate their
    negatives; a GRU's update gate, with which Keras weighs the old state, gets them.

    Args:
        layer: `gru` or `lstm`.
        width: of embedding and state.
        longest: T, in steps.

    Raises:
        ValueError: another layer, which has no gates.
    """

    def __init__(self, layer: str, width: int, *, longest: int) -> None:
        if layer not in ("gru", "lstm"):
            raise ValueError(f"layer is {layer!r}; expected gru or lstm")
        super().__init__(layer, width)
        kept = np.log(keras.ops.convert_to_numpy(keras.random.uniform((width,), 1.0, longest - 1.0)))
        self.layer.cell.bias.assign(_started(self.layer.cell.bias.numpy(), layer, kept))


def _started(bias: Any, layer: str, kept: Any) -> Any:
    """Keras orders an LSTM's gates input, forget, cell, output; a GRU's update, reset, candidate."""
    width = len(kept)
    if layer == "lstm":
        bias[:width], bias[width : 2 * width] = -kept, kept
    else:
        bias[0, :width] = kept  # of the two biases that Keras adds up, the one beside the input
    return bias
