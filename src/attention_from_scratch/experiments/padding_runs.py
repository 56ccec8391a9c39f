"""The trainings of `padding`: one model on padded sequences, from one seed."""

from __future__ import annotations

from typing import Any

import numpy as np

from attention_from_scratch.tasks.recall import Recall, draw_ragged, is_real, padded


def train_simple_rnn(
    seed: int,
    *,
    asked: str,
    side: str,
    masked: bool,
    width: int,
    shortest: int,
    longest: int,
    total: int,
    **training: Any,
) -> dict[str, Any]:
    """Train a SimpleRNN to recall one end of padded sequences; return its test accuracy.

    Args:
        seed: of the data, the shuffles and the initial weights.
        asked: the answer is the `first` or the `last` real token.
        side: of the padding, `pre` or `post`.
        masked: hand the padding mask to the layer.
        width: of embedding and layer.
        shortest: real tokens at least.
        longest: real tokens at most.
        total: tokens in a sequence, padding included.
        training: see `_trained`.
    """
    from attention_from_scratch.models.readers import RecurrentReader

    def draw(count: int, generator: np.random.Generator) -> Recall:
        return _padded(draw_ragged(count, shortest, longest, generator, asked)[0], total, side)

    options = {"layer": "simple_rnn", "width": width, "masked": masked}
    reader, trained, test = _trained(seed, RecurrentReader, options, draw, **training)
    return {
        "accuracy": reader.accuracy(*test),
        "steps": trained.steps[-1],
        "solved": trained.solved,
        "accuracies": trained.accuracies,
    }


def train_pooled(
    seed: int,
    *,
    masked: bool,
    width: int,
    shortest: int,
    longest: int,
    total: int,
    **training: Any,
) -> dict[str, Any]:
    """Train a pooled attention encoder where the padding is short, and test it also where it is long.

    It is asked for the first token; a training sequence is as long as the longest one. Arguments as in
    `train_simple_rnn`.

    Returns:
        Accuracy on the test sequences as padded in training, and padded further; the share of attention
        that falls on padding, and the largest change of any logit, when they are.
    """
    from attention_from_scratch.models.readers import PooledReader

    def draw(count: int, generator: np.random.Generator) -> Recall:
        return draw_ragged(count, shortest, longest, generator)[0]

    options = {"length": total, "width": width, "masked": masked}
    reader, trained, test = _trained(seed, PooledReader, options, draw, **training)
    further = _padded(test, total, "post")
    change = np.abs(reader.logits(further.tokens) - reader.logits(test.tokens)).max()
    few = further.tokens[:64]
    weights = np.asarray(reader.model.read(few)[1])[:, 0]  # (sequences, queries, keys)
    on_padding = (weights * ~is_real(few)[:, np.newaxis, :]).sum(axis=2)
    return {
        "accuracy_trained": reader.accuracy(*test),
        "accuracy_further": reader.accuracy(*further),
        "weight_on_padding": on_padding[is_real(few)].mean(),
        "logit_change": change,
        "steps": trained.steps[-1],
        "solved": trained.solved,
    }


def _trained(
    seed: int,
    kind: Any,
    options: dict[str, Any],
    draw: Any,
    *,
    training: int,
    validation: int,
    test: int,
    learning_rate: float,
    clip_norm: float,
    **budget: Any,
) -> tuple[Any, Any, Recall]:
    """The trainer of a reader, what its training left, and test sequences that nothing was decided on."""
    from attention_from_scratch.training import train_in_epochs, trainer

    generator = np.random.default_rng(seed)
    sets = [draw(count, generator) for count in (training, validation, test)]
    reader = trainer(kind, options, learning_rate=learning_rate, clip_norm=clip_norm, xla=False)
    reader.start(seed)
    return reader, train_in_epochs(reader, *sets[:2], generator, **budget), sets[2]


def _padded(given: Recall, total: int, side: str) -> Recall:
    return Recall(padded(given.tokens, total, side), given.answers)
