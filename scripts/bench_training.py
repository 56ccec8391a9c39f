"""How much faster the compiled loop trains than `keras.Model.fit`: same model, data and batch, one run.

Both train in this process, in turns, so that whatever else the machine does meets both; each one's best
turn counts. Both leave out what happens once: tracing and compiling.
"""

from __future__ import annotations

import time

import click
import numpy as np

from measured.making import environment

WANTED = 2.0


def throughput(blocks: int, sequences: int, batch: int, turns: int) -> dict[str, float]:
    """Sequences a second of both loops, and their ratio."""
    environment.set_here()
    import keras

    from attention_from_scratch import training
    from attention_from_scratch.models.blocks import block_model
    from attention_from_scratch.tasks import match_then_read

    length = 12
    drawn = match_then_read.draw(sequences, length, np.random.default_rng(0))
    options = {"length": length, "blocks": blocks}
    training.set_seed(0)
    plain = block_model(**options)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    plain.compile(keras.optimizers.Adam(3e-3), loss)
    trainer = training.trainer(block_model, options, learning_rate=3e-3)
    trainer.start(0)
    order = np.random.default_rng(1)
    fastest = {"fit": np.inf, "ours": np.inf}
    for turn in range(turns + 1):
        began = time.perf_counter()
        plain.fit(drawn.tokens, drawn.answers, batch_size=batch, epochs=1, verbose=0)
        fitted = time.perf_counter()
        for stretch in training.shuffled(drawn.tokens, drawn.answers, order, batch=batch, epochs=1):
            float(trainer.advance(*stretch))
        ended = time.perf_counter()
        if turn:  # the first turn traces and compiles
            fastest["fit"] = min(fastest["fit"], fitted - began)
            fastest["ours"] = min(fastest["ours"], ended - fitted)
    speeds = {name: sequences / seconds for name, seconds in fastest.items()}
    return {**speeds, "ratio": speeds["ours"] / speeds["fit"]}


@click.command()
@click.option("--sequences", default=4_032, help="In an epoch; short, so that some meet no other process.")
@click.option("--batch", default=64, help="Sequences a step.")
@click.option("--turns", default=20, help="Timed epochs of each loop.")
def main(sequences: int, batch: int, turns: int) -> None:
    """Print both throughputs for one block and for two; exit with 1 if a ratio is below 2."""
    slow = False
    for blocks in (1, 2):
        found = throughput(blocks, sequences, batch, turns)
        slow |= found["ratio"] < WANTED
        click.echo(
            f"blocks {blocks}: keras fit {found['fit']:8,.0f} sequences/s, "
            f"compiled loop {found['ours']:8,.0f}, ratio {found['ratio']:.2f} (wanted: at least {WANTED:g})"
        )
    raise SystemExit(int(slow))


if __name__ == "__main__":
    main()
