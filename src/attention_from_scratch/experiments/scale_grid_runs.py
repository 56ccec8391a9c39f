"""One training of the lookup of `scale`, from one start, with one treatment of the scores, at one rate.

The task and its sequences are those of `scale_runs`. What may differ is how the embeddings start and what is
done to the scores before the softmax (see `models.lookup.TreatedLookup`).
"""

from __future__ import annotations

from typing import Any

from attention_from_scratch.tasks import lookup

STARTS = ("unit", "keras")
WAYS = ("none", "divided", "temperature", "qk_norm")


def train_one(
    seed: int,
    start: str,
    way: str,
    learning_rate: float,
    key_dim: int,
    length: int,
    symbols: int,
    values: int,
    steps: int,
    every: int,
    batch: int,
    test_sequences: int,
) -> dict[str, Any]:
    """Train from one seed; the curves of accuracy, largest score and entropy on held-out sequences.

    Args:
        seed: of weights and sequences.
        start: `unit`, embeddings drawn from N(0, 1); or `keras`, from Keras' own uniform start.
        way: what is done to the scores, one of `WAYS`.
        learning_rate: of Adam.
        key_dim: width of queries, keys and embeddings.
        length: pairs in a sequence.
        symbols: to draw keys from.
        values: to draw values from.
        steps: updates, a fresh batch each.
        every: so many updates the model is looked at.
        batch: sequences in an update.
        test_sequences: held out, to look on.
    """
    from attention_from_scratch import training
    from attention_from_scratch.models.lookup import TreatedLookup

    drawn = lookup.draw(seed, steps * batch, length, symbols, values)
    held_out = lookup.draw(1_000_000 + seed, test_sequences, length, symbols, values)
    options = {"length": length, "key_dim": key_dim, "symbols": symbols, "values": values, "way": way}
    trainer = training.trainer(TreatedLookup, options, learning_rate=learning_rate)
    trainer.start(seed).start(seed, start)
    looked = []

    def look() -> None:
        looked.append([float(number) for number in trainer.model.look(held_out.tokens)])

    look()
    before = trainer.accuracy(held_out.tokens, held_out.answers)
    trained = training.train(
        trainer,
        training.in_order(drawn.tokens, drawn.answers, batch=batch, steps_between=every),
        (held_out.tokens, held_out.answers),
        look=look,
    )
    accuracies = [before, *trained.accuracies]
    return {
        "accuracy": float(accuracies[-1]),
        "accuracies": [round(float(accuracy), 4) for accuracy in accuracies],
        "largest_scores": [round(largest, 3) for largest, _ in looked],
        "entropies": [round(entropy, 4) for _, entropy in looked],
    }
