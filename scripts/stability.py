"""What moves when rounding changes: the same trainings with oneDNN on, and with two threads.

Each variant trains in a process of its own, since TensorFlow reads these settings once. The tolerances of
trained values are to hold in all of them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

import click

VARIANTS = {
    "as published": {},
    "oneDNN on": {"TF_ENABLE_ONEDNN_OPTS": "1"},
    "two threads": {"TF_NUM_INTRAOP_THREADS": "2", "TF_NUM_INTEROP_THREADS": "2", "OMP_NUM_THREADS": "2"},
    "both": {
        "TF_ENABLE_ONEDNN_OPTS": "1",
        "TF_NUM_INTRAOP_THREADS": "2",
        "TF_NUM_INTEROP_THREADS": "2",
        "OMP_NUM_THREADS": "2",
    },
    "no XLA": {"ATTENTION_PLAIN_STEPS": "1"},
}


def train(blocks: int, seed: int, epochs: int) -> dict[str, float | str]:
    """One training of the reported experiment, in this process's settings; its curve in four numbers."""
    from measured.making import environment

    environment.set_here()
    import numpy as np
    import tensorflow as tf

    if os.environ.get("ATTENTION_PLAIN_STEPS"):
        function = tf.function
        tf.function = lambda *args, jit_compile=None, **rest: function(*args, **rest)

    from attention_from_scratch.experiments import induction_plan, induction_runs
    from measured.files import sha256
    from measured.terms.record import pack_arrays

    name = f"reported.blocks{blocks}.seed{seed}"
    settings = dict(next(run.parameters for run in induction_plan.runs() if run.name == name))
    arrays = induction_runs.train_on_fixed_set(**{**settings, "epochs": epochs})
    above = arrays["accuracies"] >= 0.5
    return {
        "best": float(arrays["accuracies"].max()),
        "test": float(arrays["test_accuracy"]),
        "jump": int(above.argmax()) + 1 if above.any() else epochs + 1,
        "first_loss": float(arrays["losses"][0]),
        "sha256": sha256(pack_arrays({k: np.asarray(v) for k, v in arrays.items()}))[:12],
    }


def study(seeds: list[int], epochs: int) -> dict[str, dict[str, dict]]:
    """Every variant of every training: by variant, then by training."""
    found: dict[str, dict[str, dict]] = {}
    for variant, settings in VARIANTS.items():
        found[variant] = {}
        for blocks in (1, 2):
            for seed in seeds:
                call = [sys.executable, __file__, "--one", str(blocks), str(seed), "--epochs", str(epochs)]
                made = subprocess.run(call, env={**os.environ, **settings}, capture_output=True, text=True)
                if made.returncode:
                    raise RuntimeError(f"{variant}, blocks {blocks}, seed {seed}: {made.stderr[-2000:]}")
                found[variant][f"blocks{blocks}.seed{seed}"] = json.loads(made.stdout.splitlines()[-1])
    return found


@click.command()
@click.option("--seeds", default="0,1", help="Comma-separated.")
@click.option("--epochs", default=30)
@click.option("--one", nargs=2, type=int, default=None, hidden=True)
def main(seeds: str, epochs: int, one: tuple[int, int] | None) -> None:
    """Print what each variant gives, and whether its bytes are those of the first."""
    if one:
        click.echo(json.dumps(train(*one, epochs)))
        return
    found = study([int(seed) for seed in seeds.split(",")], epochs)
    base = found["as published"]
    for variant, trainings in found.items():
        for name, got in trainings.items():
            same = "same bytes" if got["sha256"] == base[name]["sha256"] else "other bytes"
            click.echo(
                f"{variant:13} {name:14} best {got['best']:.4f} test {got['test']:.4f} "
                f"epoch above one half {got['jump']:3d} first loss {got['first_loss']:.7f} {same}"
            )


if __name__ == "__main__":
    main()
