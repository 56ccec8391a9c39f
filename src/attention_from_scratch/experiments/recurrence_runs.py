"""The long runs of `recurrence`: one training of one layer, on one length, from one seed."""

from __future__ import annotations

from typing import Any

import numpy as np

from attention_from_scratch.recurrent import largest_singular_value, lstm_forget_gates
from attention_from_scratch.tasks import recall

# What every reader is trained with, here and in `padding`; the reasons stand in `recurrence`.
BUDGET = {
    "width": 16,
    "training": 2048,
    "validation": 512,
    "test": 1024,
    "batch": 64,
    "epochs": 16,
    "learning_rate": 3e-3,
    "clip_norm": 1.0,
    "stop_at": 0.995,
}
SMALLEST = 1e-60  # stands for every gradient norm below it, 0 included, which has no logarithm


def train_reader(
    layer: str,
    length: int,
    seed: int,
    *,
    width: int,
    num_heads: int,
    recurrent_initializer: str,
    forget_bias: float,
    lengths_before: list[int],
    training: int,
    validation: int,
    test: int,
    gradient_sequences: int,
    learning_rate: float,
    clip_norm: float,
    **budget: Any,
) -> dict[str, Any]:
    """Train one reader on recall, and look at its gradients before and after.

    Args:
        layer: `simple_rnn`, `gru`, `lstm` or `attention`.
        length: tokens in a sequence.
        seed: of the data, the shuffles and the initial weights.
        width: of embedding and layer.
        num_heads: of the attention.
        recurrent_initializer: of the recurrent layers.
        forget_bias: of the LSTM.
        lengths_before: shorter sequences to train on first, each with the whole budget or until solved.
        training: sequences to train on.
        validation: sequences that decide when to stop.
        test: sequences that nothing is decided on.
        gradient_sequences: of the test set, to average gradient norms over; 0 leaves them out.
        learning_rate: of `training.Trainer`.
        clip_norm: of the same.
        budget: of `training.train_in_epochs`.

    Returns:
        Test accuracy, steps, whether it stopped as solved, the curves, and what `_looked_at` found.
    """
    from attention_from_scratch.models import readers
    from attention_from_scratch.training import train_in_epochs, trainer

    generator = np.random.default_rng(seed)
    sets = _sets(length, generator, training, validation, test)
    if layer == "attention":
        kind, options = readers.AttentionReader, {"length": length, "num_heads": num_heads}
    else:
        kind, options = (
            readers.RecurrentReader,
            {"layer": layer, "recurrent_initializer": recurrent_initializer, "forget_bias": forget_bias},
        )
    reader = trainer(
        kind, {**options, "width": width}, learning_rate=learning_rate, clip_norm=clip_norm, xla=False
    )
    model = reader.start(seed)
    few = type(sets[2])(*(part[:gradient_sequences] for part in sets[2]))
    before = _looked_at(model, layer, few, "start")
    for shorter in lengths_before:
        train_in_epochs(reader, *_sets(shorter, generator, training, validation), generator, **budget)
    trained = train_in_epochs(reader, *sets[:2], generator, **budget)
    return {
        "accuracy": reader.accuracy(*sets[2]),
        "parameters": model.count_params(),
        "steps": trained.steps[-1],
        "solved": trained.solved,
        "losses": trained.losses,
        "accuracies": trained.accuracies,
        **before,
        **_looked_at(model, layer, few, "trained"),
    }


def _sets(length: int, generator: np.random.Generator, *counts: int) -> list[Any]:
    return [recall.draw(count, length, generator) for count in counts]


def _looked_at(model: Any, layer: str, few: Any, when: str) -> dict[str, Any]:
    """Median gradient norm by position; σ_max, forget gates or attention, where there are any."""
    if not len(few.tokens):
        return {}
    norms = np.maximum(np.median(model.gradient_norms(few), axis=1), SMALLEST)
    found: dict[str, Any] = {f"log10_gradients_{when}": np.log10(norms)}
    if layer == "attention":
        found[f"weights_{when}"] = model.weights_of_last(few.tokens).mean(axis=0)
        return found
    kernel, recurrent_kernel, bias = (np.float64(w) for w in model.layer.get_weights())
    if layer == "simple_rnn":
        found[f"largest_singular_value_{when}"] = largest_singular_value(recurrent_kernel)
    if layer == "lstm":
        embedded = np.float64(model.embedding(few.tokens))
        gates = [lstm_forget_gates(inputs, kernel, recurrent_kernel, bias) for inputs in embedded]
        # By how much a mean cell keeps what it held, from each step to the end: log10 of the product.
        kept = np.cumsum(np.log10(gates).mean(axis=(0, 2))[::-1])[::-1]
        found[f"log10_kept_{when}"] = np.append(kept[1:], 0.0)
    return found
