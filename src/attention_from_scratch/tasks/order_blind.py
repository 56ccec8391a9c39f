"""What can be answered without knowing the order of what was read: more than guessing is worth."""

from __future__ import annotations

import numpy as np
from jaxtyping import Int

from attention_from_scratch.tasks.sequences import Asked


def commonest_other(drawn: Asked) -> float:
    """The accuracy of naming the commonest symbol but the last one, where the last position asks.

    Of several that are equally common one is taken at random: each counts for its share.

    Args:
        drawn: sequences with one question, at the end, whose answer is not the last symbol.
    """
    tokens, answers = drawn.tokens, drawn.answers[:, -1]
    counts = counted(tokens)
    rows = np.arange(len(tokens))
    counts[rows, tokens[:, -1]] = 0
    most = counts == counts.max(axis=1, keepdims=True)
    return float(np.mean(most[rows, answers] / most.sum(axis=1)))


def commonest_value(drawn: Asked, keys: int) -> float:
    """The accuracy of naming the commonest of the values read, where several positions ask for one.

    Args:
        drawn: of `sequences.recall_all`: pairs, each once, then each key again.
        keys: how many tokens are keys; the rest are values.
    """
    tokens = drawn.tokens[:, : drawn.tokens.shape[1] // 2]
    counts = counted(tokens)[:, keys:]
    most = counts == counts.max(axis=1, keepdims=True)
    share = most / most.sum(axis=1, keepdims=True)
    asked = drawn.answers >= 0
    return float(np.take_along_axis(share, np.maximum(drawn.answers, 0), axis=1)[asked].mean())


def counted(tokens: Int[np.ndarray, "sequences length"]) -> Int[np.ndarray, "sequences vocabulary"]:
    """How often each token occurs in each sequence."""
    return (tokens[:, :, np.newaxis] == np.arange(tokens.max() + 1)).sum(axis=1)
