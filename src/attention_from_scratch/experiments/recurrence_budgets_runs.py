"""The long runs of `recurrence_budgets`: one reader, one length, one seed, one budget."""

from __future__ import annotations

from typing import Any

import numpy as np

from attention_from_scratch.tasks import recall


def train_longer(
    seed: int,
    reader: str,
    length: int,
    *,
    width: int,
    training: int,
    validation: int,
    test: int,
    learning_rate: float,
    clip_norm: float,
    **budget: Any,
) -> dict[str, Any]:
    """Train one reader as `recurrence_runs.train_reader` does, with a budget of its own.

    Args:
        seed: of the data, the shuffles and the initial weights.
        reader: a recurrent layer, with `_chrono` behind it for one from chrono initialisation.
        length: tokens in a sequence; the longest time scale of a chrono start.
        width: of embedding and layer.
        training: sequences to train on.
        validation: sequences that decide when to stop.
        test: sequences that nothing is decided on.
        learning_rate: of `training.Trainer`.
        clip_norm: of the same.
        budget: of `training.train_in_epochs`.

    Returns:
        Test accuracy, the updates made, and whether it stopped as solved.
    """
    from attention_from_scratch.models.chrono import ChronoReader
    from attention_from_scratch.models.readers import RecurrentReader
    from attention_from_scratch.training import train_in_epochs, trainer

    generator = np.random.default_rng(seed)
    drawn, kept, tested = (recall.draw(n, length, generator) for n in (training, validation, test))
    layer = reader.removesuffix("_chrono")
    options: dict[str, Any] = {"layer": layer, "width": width}
    kind: Any = RecurrentReader
    if layer != reader:
        kind, options = ChronoReader, {**options, "longest": length}
    trained_by = trainer(kind, options, learning_rate=learning_rate, clip_norm=clip_norm, xla=False)
    trained_by.start(seed)
    trained = train_in_epochs(trained_by, drawn, kept, generator, **budget)
    return {
        "accuracy": float(trained_by.accuracy(*tested)),
        "steps": int(trained.steps[-1]),
        "solved": bool(trained.solved),
    }
