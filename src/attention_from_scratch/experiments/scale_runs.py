"""The trainings of `scale`: the lookup, learned with and without the division, one run a seed.

Both models start from the same weights and see the same sequences in the same order, each once. The
only difference is the division of the scores by the square root of `key_dim`.
"""

from __future__ import annotations

import numpy as np

from attention_from_scratch.tasks import lookup


def train(
    seed: int,
    key_dim: int,
    length: int,
    symbols: int,
    values: int,
    steps: int,
    every: int,
    batch: int,
    test_sequences: int,
) -> dict[str, np.ndarray]:
    """Train the lookup with and without the scale, with Adam as Keras sets it up; return both curves.

    Returns:
        `steps` (after how many updates), and `scaled`, `unscaled` (accuracy on the same held-out
        sequences at each of them, before training included).
    """
    from attention_from_scratch import training
    from attention_from_scratch.models.lookup import LookupModel

    drawn = lookup.draw(seed, steps * batch, length, symbols, values)
    held_out = lookup.draw(1_000_000 + seed, test_sequences, length, symbols, values)
    test = held_out.tokens, held_out.answers
    options = {"length": length, "key_dim": key_dim, "symbols": symbols, "values": values}
    found = {"steps": np.arange(0, steps + 1, every)}
    for way, divisor in (("scaled", key_dim**0.5), ("unscaled", 1.0)):
        trainer = training.trainer(LookupModel, {**options, "divisor": divisor}, xla=False)
        trainer.start(seed)
        before = trainer.accuracy(*test)
        batches = training.in_order(drawn.tokens, drawn.answers, batch=batch, steps_between=every)
        found[way] = np.array([before, *training.train(trainer, batches, test).accuracies])
    return found
