"""What reading a sequence costs: counted for a recurrent layer and for attention, never timed.

Attention's own counts are in `heads.cost`. Both leave out biases, nonlinearities and the softmax, which
are of a lower order.
"""

from __future__ import annotations

from dataclasses import dataclass

from attention_from_scratch import heads

GATES = {"simple_rnn": 1, "gru": 3, "lstm": 4}
STATES = {"simple_rnn": 1, "gru": 1, "lstm": 2}  # vectors handed on: h, and the LSTM's cells


@dataclass(frozen=True)
class Reading:
    """What one layer costs on one sequence.

    Args:
        sequential_steps: operations that have to wait for each other, as the length counts them.
        multiply_adds: of all matrix products.
        training_bytes: states, or attention weights, kept for the way back.
        carried_bytes: what has to be kept to read one more token: the state, or all keys and values.
        path: steps between the first token and the last answer.
    """

    sequential_steps: int
    multiply_adds: int
    training_bytes: int
    carried_bytes: int
    path: int


def recurrent(layer: str, length: int, width: int, *, itemsize: int = 4) -> Reading:
    """Count for a recurrent layer whose inputs are as wide as its state.

    Each gate multiplies the input and the state by a square matrix, at every step.

    Args:
        layer: `simple_rnn`, `gru` or `lstm`.
        length: tokens.
        width: of tokens and state.
        itemsize: bytes a number, 4 for float32.

    Raises:
        ValueError: another layer.
    """
    if layer not in GATES:
        raise ValueError(f"layer is {layer!r}; expected one of {', '.join(GATES)}")
    return Reading(
        sequential_steps=length,
        multiply_adds=length * GATES[layer] * 2 * width * width,
        training_bytes=length * STATES[layer] * width * itemsize,
        carried_bytes=STATES[layer] * width * itemsize,
        path=length - 1,
    )


def attention(length: int, width: int, num_heads: int, *, itemsize: int = 4) -> Reading:
    """Count for one multi-head self-attention, all positions at once, no mask.

    Args:
        length: tokens.
        width: of tokens; `num_heads` divides it.
        num_heads: each of width `width / num_heads`.
        itemsize: bytes a number, 4 for float32.
    """
    counted = heads.cost(length, width, num_heads, width // num_heads, itemsize=itemsize)
    return Reading(
        sequential_steps=1,
        multiply_adds=counted.projection_multiply_adds + counted.pair_multiply_adds,
        training_bytes=counted.score_bytes,
        carried_bytes=2 * length * width * itemsize,
        path=1,
    )


def crossing(layer: str, width: int, num_heads: int, what: str, *, longest: int = 1_000_000) -> int:
    """The shortest sequence at which attention costs more than a recurrent layer.

    Args:
        layer: `simple_rnn`, `gru` or `lstm`.
        width: of tokens and state.
        num_heads: of the attention.
        what: the field of `Reading` that is compared.
        longest: where to give up.

    Raises:
        ValueError: attention costs no more up to the longest.
    """
    for length in range(1, longest + 1):
        pair = attention(length, width, num_heads), recurrent(layer, length, width)
        if getattr(pair[0], what) > getattr(pair[1], what):
            return length
    raise ValueError(f"attention's {what} stays at or below that of {layer} up to {longest:,} tokens")
