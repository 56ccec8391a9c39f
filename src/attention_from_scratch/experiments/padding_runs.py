"""The long runs of `padding`: one training on padded sequences, from one seed."""

from __future__ import annotations

from typing import Any

import numpy as np

from attention_from_scratch.recall import Recall, is_real, padded, ragged_recall


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
        budget: of `readers.train`.
    """
    from attention_from_scratch import readers

    generator = np.random.default_rng(seed)
    sets = [
        _padded(ragged_recall(count, shortest, longest, generator, asked)[0], total, side)
        for count in (training, validation, test)
    ]
    readers.set_seed(seed)
    model = readers.RecurrentReader("simple_rnn", width, masked=masked)
    trained = readers.train(model, *sets[:2], generator, **budget)
    return {
        "accuracy": readers.accuracy(model, sets[2]),
        "steps": trained.steps,
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
    **budget: Any,
) -> dict[str, Any]:
    """Train a pooled attention encoder where the padding is short, and test it also where it is long.

    It is asked for the first token.

    Args:
        seed: of the data, the shuffles and the initial weights.
        masked: keep padding out of the attention and out of the mean.
        width: of embedding and layer.
        shortest: real tokens at least.
        longest: real tokens at most, and the tokens of a training sequence, padding included.
        total: tokens of the same test sequences, padded further.
        training: sequences to train on.
        validation: sequences that decide when to stop.
        test: sequences that nothing is decided on.
        budget: of `readers.train`.

    Returns:
        Accuracy on the test sequences as padded in training, and padded further; the share of attention
        that falls on padding, and the largest change of any logit, when they are.
    """
    from attention_from_scratch import readers

    generator = np.random.default_rng(seed)
    sets = [ragged_recall(count, shortest, longest, generator)[0] for count in (training, validation, test)]
    readers.set_seed(seed)
    model = readers.PooledReader(total, width, masked=masked)
    trained = readers.train(model, *sets[:2], generator, **budget)
    further = _padded(sets[2], total, "post")
    logits = [np.asarray(model.answer(given.tokens)) for given in (sets[2], further)]
    few = further.tokens[:64]
    weights = np.asarray(model.read(few)[1])[:, 0]  # (sequences, queries, keys)
    on_padding = (weights * ~is_real(few)[:, np.newaxis, :]).sum(axis=2)
    return {
        "accuracy_trained": readers.accuracy(model, sets[2]),
        "accuracy_further": readers.accuracy(model, further),
        "weight_on_padding": on_padding[is_real(few)].mean(),
        "logit_change": np.abs(logits[1] - logits[0]).max(),
        "steps": trained.steps,
        "solved": trained.solved,
    }


def _padded(given: Recall, total: int, side: str) -> Recall:
    return Recall(padded(given.tokens, total, side), given.answers)
