"""One training of a model that answers at each position, for all experiments on such models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from attention_from_scratch.tasks import sequences


def train_and_test(
    seed: int,
    task: str,
    model: str,
    options: Mapping[str, Any],
    *,
    length: int,
    test_lengths: Sequence[int],
    steps: int,
    steps_between: int,
    batch: int,
    learning_rate: float,
    warm_up: int,
    clip_norm: float,
    stop_at: float,
    validation: int,
    test: int,
    look_at: int = 0,
) -> dict[str, Any]:
    """Train one model from one seed on fresh sequences; test it at several lengths.

    Args:
        seed: of weights and sequences.
        task: one of `sequences.TASKS`.
        model: `transformer`, or a recurrent layer.
        options: of `SequenceTransformer` or `SequenceRecurrent`, besides what the task says.
        length: trained on, as the task counts it.
        test_lengths: tested on.
        steps: at most.
        steps_between: evaluations on the validation sequences.
        batch: sequences a step.
        learning_rate: of Adam.
        warm_up: steps over which the rate rises.
        clip_norm: longest gradient let through.
        stop_at: validation accuracy at which it ends.
        validation: sequences of the trained length.
        test: sequences of each length.
        look_at: of the validation sequences, to look inside of a transformer with, before and after.

    Returns:
        `accuracy` by test length in their order, `validation` accuracies, `steps` made, `parameters`, whether
        it `diverged` (then it keeps what it had); and what `looked_at` finds.
    """
    from attention_from_scratch.models.sequences import SequenceRecurrent, SequenceTransformer
    from attention_from_scratch.sequence_training import batches, sequence_trainer
    from attention_from_scratch.training import Diverged, train

    asked = sequences.TASKS[task]
    kind: Any = SequenceTransformer
    if model != "transformer":
        kind, options = SequenceRecurrent, {**options, "layer": model}
    trainer = sequence_trainer(
        kind,
        {**options, "vocabulary": asked.vocabulary, "answers": asked.answers, "asked": asked.asked},
        clip_norm,
    ).at_rate(learning_rate, warm_up)
    started = trainer.start(seed)
    generator = np.random.default_rng(seed)
    kept = asked.draw(validation, length, generator)
    tests = [asked.test(test, n, np.random.default_rng([seed, n])) for n in test_lengths]
    seen: list[float] = []
    few = sequences.Asked(*(part[:look_at] for part in kept))
    inside = {f"{what}_start": x for what, x in looked_at(started, few).items()} if look_at else {}
    stretches = batches(
        asked.draw, generator, length=length, batch=batch, steps=steps, steps_between=steps_between
    )
    diverged = False
    try:
        train(
            trainer,
            stretches,
            tuple(kept),
            stop_at=stop_at,
            look=lambda: seen.append(trainer.accuracy(*kept)),
        )
    except Diverged:
        diverged = True
    return {
        "accuracy": [trainer.accuracy(*drawn) for drawn in tests],
        "validation": seen,
        "steps": steps_between * len(seen),
        "parameters": started.count_params(),
        "diverged": diverged,
        **inside,
        **({f"{what}_trained": x for what, x in looked_at(started, few).items()} if look_at else {}),
    }


def looked_at(model: Any, few: sequences.Asked) -> dict[str, list[float]]:
    """What the stream of tokens is like as the blocks get it, and after each block.

    Args:
        model: a `SequenceTransformer`.
        few: sequences.

    Returns:
        `apart`, by how much tokens differ (see `apart`), and `gradients`, the norm of the loss's gradient by
        them.
    """
    import tensorflow as tf

    with tf.GradientTape() as tape:
        streams = model.streams(tf.constant(few.tokens))
        logits = model.answer(streams[-1])
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=np.maximum(few.answers, 0), logits=logits
        )
        asked = tf.cast(few.answers >= 0, tf.float32)
        loss = tf.reduce_sum(losses * asked) / tf.reduce_sum(asked)
    gradients = tape.gradient(loss, streams)
    layers = max(1, (len(streams) - 1) // model.blocks)  # with or without feed-forward layers
    return {
        "apart": [apart(x.numpy()) for x in streams[::layers]],
        "gradients": [float(np.linalg.norm(np.float64(g))) for g in gradients[::layers]],
    }


def apart(stream: Float[np.ndarray, "sequences length width"]) -> float:
    """By how much the tokens of a sequence differ: the share of their norm that is not common to all.

    The norm of what is left once the sequence's mean token is taken away, over the norm of the whole; 0
    where all tokens are the same. Dong, Cordonnier and Loukas 2021 (arXiv:2103.03404) follow such a residual.

    Args:
        stream: the tokens after some layer.
    """
    stream = np.float64(stream)
    left = stream - stream.mean(axis=1, keepdims=True)
    norms = np.linalg.norm(left, axis=(1, 2)), np.linalg.norm(stream, axis=(1, 2))
    return float(np.mean(norms[0] / np.maximum(norms[1], 1e-30)))
