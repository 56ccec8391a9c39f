"""The trainings behind `induction`: one function call is one model from one seed.

A run has four streams of random numbers, all from its seed: training sequences, validation sequences,
the order of epochs, test sequences. It returns its learning curve, its weights, its accuracy on test
sequences that nothing else has seen, and some of Keras' own logits, so that the NumPy forward pass can
be compared with Keras where there is no Keras.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from attention_from_scratch.tasks import match_then_read

TRAINING, VALIDATION, ORDER, TEST = range(1, 5)
CHECKED = 1_000  # sequences whose logits are kept
HELD_OUT = 2  # symbols that are never a cue in training with `some_cues`

TASKS: Mapping[str, Callable[..., match_then_read.Lookups]] = {
    "fixed_cue": match_then_read.draw,
    "any_cue": match_then_read.draw_any_cue,
    "some_cues": partial(match_then_read.draw_any_cue, cues=match_then_read.ANY_CUE[:-HELD_OUT]),
}


def train_on_fixed_set(
    seed: int,
    length: int,
    learning_rate: float,
    batch: int,
    sequences: int,
    epochs: int,
    validation: int,
    test: int,
    **model: Any,
) -> dict[str, np.ndarray]:
    """The experiment as reported: so many epochs over one set of sequences; `model` is `block_model`'s."""
    from attention_from_scratch import training

    blocks = _started(seed, length, learning_rate, model)
    drawn, held_out, tested = (
        match_then_read.draw(count, length, stream(seed, which))
        for count, which in ((sequences, TRAINING), (validation, VALIDATION), (test, TEST))
    )
    trained = training.train_in_epochs(
        blocks, drawn, held_out, stream(seed, ORDER), batch=batch, epochs=epochs
    )
    return _arrays(blocks, trained, tested)


def train_on_fresh_sequences(
    seed: int,
    length: int,
    learning_rate: float,
    batch: int,
    steps: int,
    steps_between: int,
    stop_at: float,
    validation: int,
    test: int,
    task: str = "fixed_cue",
    **model: Any,
) -> dict[str, np.ndarray]:
    """Never the same sequence twice, until the validation accuracy is `stop_at` or the steps run out.

    `solved_at` is the step of the first evaluation that was good enough, infinity where none was.
    """
    from attention_from_scratch import training

    blocks = _started(seed, length, learning_rate, model)
    draw = TASKS[task]
    batches = training.fresh_batches(
        draw, stream(seed, TRAINING), length=length, batch=batch, steps=steps, steps_between=steps_between
    )
    held_out = draw(validation, length, stream(seed, VALIDATION))
    trained = training.train(blocks, batches, (held_out.tokens, held_out.answers), stop_at=stop_at)
    return {
        **_arrays(blocks, trained, draw(test, length, stream(seed, TEST))),
        "solved_at": np.array(float(trained.steps[-1]) if trained.solved else np.inf),
    }


def stream(seed: int, which: int) -> np.random.Generator:
    """One of a run's streams of random numbers."""
    return np.random.default_rng([seed, which])


def _started(seed: int, length: int, learning_rate: float, model: Mapping[str, Any]) -> Any:
    from attention_from_scratch.models.blocks import block_model
    from attention_from_scratch.training import trainer

    blocks = trainer(block_model, {"length": length, **model}, learning_rate=learning_rate)
    blocks.start(seed)
    return blocks


def _arrays(blocks: Any, trained: Any, test: match_then_read.Lookups) -> dict[str, np.ndarray]:
    from attention_from_scratch.models.blocks import weights_by_name

    logits, weights = blocks.logits(test.tokens), weights_by_name(blocks.model)
    return {
        "steps": trained.steps,
        "losses": trained.losses,
        "accuracies": trained.accuracies,
        "test_accuracy": np.mean(logits.argmax(axis=-1) == test.answers),
        "parameters": np.array(sum(w.size for w in weights.values())),
        "keras_tokens": test.tokens[:CHECKED],
        "keras_logits": logits[:CHECKED],
        **{f"weights.{name}": w for name, w in weights.items()},
    }
