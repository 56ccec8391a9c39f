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
    training: int,
    validation: int,
    test: int,
    learning_rate: float,
    clip_norm: float,
    **budget: Any,
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
        training: sequences to train on.
        validation: sequences that decide when to stop.
        test: sequences that nothing is decided on.
        learning_rate: of `training.Trainer`.
        clip_norm: of the same.
        budget: of `training.train_in_epochs`.
    """
    from attention_from_scratch.models.readers import RecurrentReader
    from attention_from_scratch.training import train_in_epochs, trainer

    generator = np.random.default_rng(seed)
    sets = [
        _padded(draw_ragged(count, shortest, longest, generator, asked)[0], total, side)
        for count in (training, validation, test)
    ]
    options = {"layer": "simple_rnn", "width": width, "masked": masked}
    reader = trainer(RecurrentReader, options, learning_rate=learning_rate, clip_norm=clip_norm, xla=False)
    reader.start(seed)
    trained = train_in_epochs(reader, *sets[:2], generator, **budget)
    return {
        "accuracy": reader.accuracy(*sets[2]),
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
    training: int,
    validation: int,
    test: int,
    learning_rate: float,
    clip_norm: float,
    **budget: Any,
) -> dict[str, Any]:
    """Train a pooled attention encoder where the padding is short, and test it also where it is long.

    It is asked for the first token. Arguments as in `train_simple_rnn`, but for:

    Args:
        seed: of the data, the shuffles and the initial weights.
        masked: keep padding out of the attention and out of the mean.
        width: of embedding and attention.
        shortest: real tokens at least.
        longest: real tokens at most, and the tokens of a training sequence, padding included.
        total: tokens of the same test sequences, padded further.
        training: sequences to train on.
        validation: sequences that decide when to stop.
        test: sequences that nothing is decided on.
        learning_rate: of `training.Trainer`.
        clip_norm: of the same.
        budget: of `training.train_in_epochs`.

    Returns:
        Accuracy on the test sequences as padded in training, and padded further; the share of attention
        that falls on padding, and the largest change of any logit, when they are.
    """
    from attention_from_scratch.models.readers import PooledReader
    from attention_from_scratch.training import train_in_epochs, trainer

    generator = np.random.default_rng(seed)
    sets = [draw_ragged(count, shortest, longest, generator)[0] for count in (training, validation, test)]
    options = {"length": total, "width": width, "masked": masked}
    reader = trainer(PooledReader, options, learning_rate=learning_rate, clip_norm=clip_norm, xla=False)
    model = reader.start(seed)
    trained = train_in_epochs(reader, *sets[:2], generator, **budget)
    further = _padded(sets[2], total, "post")
    change = np.abs(reader.logits(further.tokens) - reader.logits(sets[2].tokens)).max()
    few = further.tokens[:64]
    weights = np.asarray(model.read(few)[1])[:, 0]  # (sequences, queries, keys)
    on_padding = (weights * ~is_real(few)[:, np.newaxis, :]).sum(axis=2)
    return {
        "accuracy_trained": reader.accuracy(*sets[2]),
        "accuracy_further": reader.accuracy(*further),
        "weight_on_padding": on_padding[is_real(few)].mean(),
        "logit_change": change,
        "steps": trained.steps[-1],
        "solved": trained.solved,
    }


def _padded(given: Recall, total: int, side: str) -> Recall:
    return Recall(padded(given.tokens, total, side), given.answers)
