"""The trainings behind `induction`: one function call is one model from one seed.

A run has four streams of random numbers, all from its seed: training sequences, validation sequences,
the order of epochs, test sequences. It returns its learning curve, its weights, its accuracy on test
sequences that nothing else has seen, and some of Keras' own logits, so that the NumPy forward pass can
be compared with Keras where there is no Keras.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from attention_from_scratch import tasks

TRAINING, VALIDATION, ORDER, TEST = range(1, 5)
CHECKED = 1_000  # sequences whose logits are kept

TASKS: Mapping[str, Callable[..., tasks.Lookups]] = {
    "fixed_cue": tasks.match_then_read,
    "any_cue": tasks.match_then_read_any_cue,
}


def train_on_fixed_set(
    seed: int,
    length: int,
    blocks: int,
    width: int,
    num_heads: int,
    feed_forward: int,
    causal: bool,
    learning_rate: float,
    batch: int,
    sequences: int,
    epochs: int,
    validation: int,
    test: int,
) -> dict[str, np.ndarray]:
    """The experiment as reported: so many epochs over one set of sequences."""
    from attention_from_scratch import training

    drawn = tasks.match_then_read(sequences, length, stream(seed, TRAINING))
    batches = training.epochs(drawn.tokens, drawn.answers, stream(seed, ORDER), batch=batch, count=epochs)
    held_out = tasks.match_then_read(validation, length, stream(seed, VALIDATION))
    trained = training.train(
        _options(length, blocks, width, num_heads, feed_forward, causal),
        batches,
        held_out[:2],
        seed=seed,
        learning_rate=learning_rate,
    )
    return _arrays(trained, tasks.match_then_read(test, length, stream(seed, TEST)))


def train_on_fresh_sequences(
    seed: int,
    length: int,
    blocks: int,
    width: int,
    num_heads: int,
    feed_forward: int,
    causal: bool,
    learning_rate: float,
    batch: int,
    steps: int,
    steps_between: int,
    stop_at: float,
    validation: int,
    test: int,
    task: str = "fixed_cue",
) -> dict[str, np.ndarray]:
    """Never the same sequence twice, until the validation accuracy is `stop_at` or the steps run out.

    `solved_at` is the step of the first evaluation that was good enough, infinity where none was.
    """
    from attention_from_scratch import training

    batches = training.fresh_batches(
        TASKS[task],
        stream(seed, TRAINING),
        length=length,
        batch=batch,
        steps=steps,
        steps_between=steps_between,
    )
    held_out = TASKS[task](validation, length, stream(seed, VALIDATION))
    trained = training.train(
        _options(length, blocks, width, num_heads, feed_forward, causal),
        batches,
        held_out[:2],
        seed=seed,
        learning_rate=learning_rate,
        stop_at=stop_at,
    )
    solved = trained.accuracies[-1] >= stop_at
    return {
        **_arrays(trained, TASKS[task](test, length, stream(seed, TEST))),
        "solved_at": np.array(float(trained.steps[-1]) if solved else np.inf),
    }


def stream(seed: int, which: int) -> np.random.Generator:
    """One of a run's streams of random numbers."""
    return np.random.default_rng([seed, which])


def _options(length, blocks, width, num_heads, feed_forward, causal):
    return {
        "length": length,
        "blocks": blocks,
        "width": width,
        "num_heads": num_heads,
        "feed_forward": feed_forward,
        "causal": causal,
    }


def _arrays(trained, test: tasks.Lookups) -> dict[str, np.ndarray]:
    logits = trained.logits(test.tokens)
    return {
        "steps": trained.steps,
        "losses": trained.losses,
        "accuracies": trained.accuracies,
        "test_accuracy": np.mean(logits.argmax(axis=-1) == test.answers),
        "parameters": np.array(sum(w.size for w in trained.weights.values())),
        "keras_tokens": test.tokens[:CHECKED],
        "keras_logits": logits[:CHECKED],
        **{f"weights.{name}": w for name, w in trained.weights.items()},
    }
