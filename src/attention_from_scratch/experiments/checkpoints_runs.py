"""The training behind `checkpoints`: the reported one of two blocks, opened while it learns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from attention_from_scratch import circuits, forward
from attention_from_scratch.experiments.induction_runs import ORDER, TRAINING, VALIDATION, stream
from attention_from_scratch.tasks import match_then_read

if TYPE_CHECKING:
    from attention_from_scratch.training import Batches


def train_and_watch(
    seed: int,
    length: int,
    learning_rate: float,
    batch: int,
    sequences: int,
    epochs: int,
    validation: int,
    pieces: int,
    finer_until: int,
    sequence: list[int],
    probe: int,
    probe_seed: int,
    **model: Any,
) -> dict[str, np.ndarray]:
    """Train as `induction_runs.train_on_fixed_set` does, from the same streams, and open each checkpoint.

    There are `pieces` checkpoints an epoch, and one once `finer_until` epochs are over. `sequence` is the one
    whose attention is kept whole; `probe` others, drawn from `probe_seed`, are looked at; `model` is
    `block_model`'s.

    Returns:
        For each checkpoint `steps` and validation `accuracies`; `block1` and `block2`, the attention on
        `sequence`, by head, query and key; `on_answer` and `edge`, by head, the means over the probes of what
        `circuits.Look` calls `on_answer` and `answer_to_previous`.
    """
    from attention_from_scratch import training
    from attention_from_scratch.models.blocks import block_model, weights_by_name

    trainer = training.trainer(block_model, {"length": length, **model}, learning_rate=learning_rate)
    trainer.start(seed)
    drawn = match_then_read.draw(sequences, length, stream(seed, TRAINING))
    held_out = match_then_read.draw(validation, length, stream(seed, VALIDATION))
    probes = match_then_read.draw(probe, length, np.random.default_rng(probe_seed))
    kept: dict[str, list[np.ndarray]] = {name: [] for name in ("block1", "block2", "on_answer", "edge")}

    def look() -> None:
        weights = weights_by_name(trainer.model)
        shown = forward.forward(weights, np.array([sequence])).attention
        seen = circuits.look(forward.forward(weights, probes.tokens), probes)
        kept["block1"].append(shown[0][0])
        kept["block2"].append(shown[1][0])
        kept["on_answer"].append(seen.on_answer)
        kept["edge"].append(seen.answer_to_previous)

    whole = training.shuffled(drawn.tokens, drawn.answers, stream(seed, ORDER), batch=batch, epochs=epochs)
    trained = training.train(
        trainer, in_pieces(whole, pieces, finer_until), (held_out.tokens, held_out.answers), look=look
    )
    arrays = {name: np.stack(found) for name, found in kept.items()}
    return {"steps": trained.steps, "accuracies": trained.accuracies, **arrays}


def in_pieces(epochs: Iterable[Batches], pieces: int, until: int) -> Iterator[Batches]:
    """The same steps in the same order, each of the first epochs cut into so many stretches."""
    for epoch, batches in enumerate(epochs):
        count = pieces if epoch < until else 1
        parts = (np.split(batches.tokens, count), np.split(batches.answers, count))
        for some, theirs in zip(*parts, strict=True):
            yield batches._replace(tokens=some, answers=theirs)
