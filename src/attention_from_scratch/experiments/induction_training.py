"""The half of `induction` that reads learning curves: ladder, experiment as reported, push, map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from attention_from_scratch import circuits, forward, ladder
from attention_from_scratch.experiments.induction_plan import MAPPED
from attention_from_scratch.experiments.policies import ARITHMETIC, COUNT, SAMPLED
from attention_from_scratch.tasks import match_then_read
from measured.terms.experiment import Cell, Findings, Table
from measured.terms.measurement import Measurement, Spread

Runs = Mapping[str, Mapping[str, np.ndarray]]

RETRAINED = Spread(
    "a trained value: other rounding leads each seed elsewhere, and the seeds' own spread says how far; "
    "four standard errors, and 0.02 where all seeds agree",
    k=4.0,
    floor=0.02,
)
EPOCHS = Spread("an epoch of a training, which other rounding moves: four standard errors", k=4.0, floor=3.0)
STEPS = Spread(
    "steps of a training, which other rounding moves: four standard errors, and two evaluations",
    k=4.0,
    floor=500.0,
)
LABELS = {
    "blocks1": "one block",
    "blocks2": "two blocks",
    "matched": "one block, as many parameters as two",
    "narrow": "one block, 32 wide",
    "wide": "one block, 64 wide",
    "deep": "two blocks, 32 wide",
}


def over_seeds(
    name: str,
    values: Sequence[float],
    seeds: Sequence[int],
    what: str,
    tolerance: Spread,
    format: str = ".4f",
) -> Measurement:
    """The median over seeds, with every seed's value beside it."""
    return Measurement(
        name, float(np.median(values)), what, tolerance, format, seeds=tuple(seeds), samples=tuple(values)
    )


def parameters(runs: Runs, p: Mapping[str, Any]) -> Findings:
    """How many parameters each model has, and where they are."""
    counts = {
        name: int(runs[f"reported.{name}.seed0"]["parameters"]) for name in ("blocks1", "blocks2", "matched")
    }
    counts["wide"] = int(runs[f"map.wide.l{p['length']}.seed0"]["parameters"])
    weights = forward.weights_of(runs["reported.blocks1.seed0"])
    parts = {"embedding": "the embedding", "block": "a block", "logits": "the dense layer of logits"}
    return Findings(
        tuple(
            Measurement(f"induction.parameters.{name}", count, f"parameters of {LABELS[name]}", COUNT, ",d")
            for name, count in counts.items()
        )
        + tuple(
            Measurement(
                f"induction.parameters.{part}",
                sum(w.size for name, w in weights.items() if name.startswith(part)),
                f"parameters of {label}",
                COUNT,
                ",d",
            )
            for part, label in parts.items()
        )
    )


def rungs(p: Mapping[str, Any]) -> Findings:
    """The ladder, exactly and by simulation."""
    found = [
        Measurement(
            "induction.chance",
            float(ladder.ignoring_the_input()),
            "accuracy of any answer that ignores the input: one in seven",
            ARITHMETIC,
            ".4f",
        )
    ]
    generator = np.random.default_rng(p["probe_seed"])
    for length in p["lengths"]:
        drawn = match_then_read.draw(p["simulated"], length, generator)
        right = ladder.guess_most_common(drawn, generator) == drawn.answers
        found += [
            Measurement(
                f"induction.random_symbol.l{length}",
                float(ladder.random_symbol(length)),
                f"accuracy of naming a symbol of the sequence at random, length {length}, exactly",
                ARITHMETIC,
                ".4f",
            ),
            Measurement(
                f"induction.order_blind_ceiling.l{length}",
                float(ladder.most_common_symbol(length)),
                f"accuracy of naming the sequence's most common symbol, length {length}, exactly",
                ARITHMETIC,
                ".4f",
            ),
            Measurement(
                f"induction.order_blind_simulated.l{length}",
                right.mean(),
                f"accuracy of naming the sequence's most common symbol, length {length}, simulated",
                SAMPLED,
                ".4f",
            ),
            Measurement(
                f"induction.order_blind_standard_error.l{length}",
                right.std() / len(right) ** 0.5,
                f"standard error of that simulation, length {length}",
                SAMPLED,
                ".4f",
            ),
        ]
    columns = (
        "length",
        "ignoring the input",
        "a random symbol",
        "the most common symbol",
        "the same, simulated",
    )
    rows = tuple(
        (
            str(length),
            Cell("induction.chance"),
            Cell(f"induction.random_symbol.l{length}"),
            Cell(f"induction.order_blind_ceiling.l{length}"),
            Cell(f"induction.order_blind_simulated.l{length}"),
        )
        for length in p["lengths"]
    )
    return Findings(tuple(found), tables=(Table("induction.ladder", columns, rows),))


def as_reported(runs: Runs, p: Mapping[str, Any]) -> Findings:
    """The experiment as the write-up ran it, over seeds."""
    seeds, found, curves = p["seeds"], [], {}
    for name in ("blocks1", "blocks2", "matched"):
        made = [runs[f"reported.{name}.seed{seed}"] for seed in seeds]
        curves[name] = np.array([run["accuracies"] for run in made])
        found += [
            over_seeds(
                f"induction.best_accuracy.{name}",
                curves[name].max(axis=1),
                seeds,
                f"best validation accuracy of any epoch, {LABELS[name]}, median over seeds",
                RETRAINED,
            ),
            over_seeds(
                f"induction.test_accuracy.{name}",
                [float(run["test_accuracy"]) for run in made],
                seeds,
                f"test accuracy after the last epoch, {LABELS[name]}, median over seeds",
                RETRAINED,
            ),
        ]
    half = _first_epoch(curves["blocks2"], 0.5)
    solved = _first_epoch(curves["blocks2"], p["solved"])
    plateau = [
        curve[2 : max(3, epoch - 3)].mean() for curve, epoch in zip(curves["blocks2"], half, strict=True)
    ]
    what = "two blocks, median over seeds"
    found += [
        over_seeds(
            "induction.jump_epoch.blocks2", half, seeds, f"first epoch above one half, {what}", EPOCHS, ".0f"
        ),
        over_seeds(
            "induction.jump_length.blocks2",
            [top - left for left, top in _jumps(curves["blocks2"], p)],
            seeds,
            f"epochs from the last one below {p['jump_from']} to the first one above {p['jump_to']}, {what}",
            EPOCHS,
            ".0f",
        ),
        over_seeds(
            "induction.solved_epoch.blocks2",
            solved,
            seeds,
            f"first epoch at {p['solved']} or above, {what}",
            EPOCHS,
            ".0f",
        ),
        over_seeds(
            "induction.plateau.blocks2",
            plateau,
            seeds,
            "mean validation accuracy from the third epoch until three before the jump, two blocks",
            RETRAINED,
        ),
        over_seeds(
            "induction.plateau.blocks1",
            curves["blocks1"][:, 2:].mean(axis=1),
            seeds,
            "mean validation accuracy from the third epoch on, one block, median over seeds",
            RETRAINED,
        ),
        _names_the_most_common(runs, p),
        *_sampling_errors(p),
    ]
    arrays = {f"curves.{name}": curve for name, curve in curves.items()}
    return Findings(tuple(found), arrays, (_reported_table(),))


def _first_epoch(curves: np.ndarray, threshold: float) -> list[int]:
    """The first epoch, from 1, that reaches the threshold; one past the last where none does."""
    reached = curves >= threshold
    return [int(r.argmax()) + 1 if r.any() else len(r) + 1 for r in reached]


def _jumps(curves: np.ndarray, p: Mapping[str, Any]) -> list[tuple[int, int]]:
    """Of each curve the last place on the plateau and the first at the top (the last one where none is)."""
    tops = [min(epoch, curves.shape[1]) - 1 for epoch in _first_epoch(curves, p["jump_to"])]
    return [
        (int(np.flatnonzero(curve[:top] < p["jump_from"])[-1]), top)
        for curve, top in zip(curves, tops, strict=True)
    ]


def _names_the_most_common(runs: Runs, p: Mapping[str, Any]) -> Measurement:
    """Whether one block's plateau is that strategy: whether no symbol is more common than its answer."""
    drawn = match_then_read.draw(p["probe"], p["length"], np.random.default_rng(p["probe_seed"]))
    counts = (drawn.tokens[:, :, np.newaxis] == np.arange(1, match_then_read.CUE)).sum(axis=1)
    shares = []
    for seed in p["seeds"]:
        weights = forward.weights_of(runs[f"reported.blocks1.seed{seed}"])
        given = forward.answers(forward.forward(weights, drawn.tokens))
        chosen = np.where((given >= 1) & (given < match_then_read.CUE), given - 1, 0)
        shares.append(np.mean(counts[np.arange(len(given)), chosen] == counts.max(axis=1)))
    return over_seeds(
        "induction.names_most_common.blocks1",
        shares,
        p["seeds"],
        "share of sequences in which one block, after the last epoch, names a most common symbol",
        RETRAINED,
        ".3f",
    )


def _sampling_errors(p: Mapping[str, Any]) -> list[Measurement]:
    found = []
    for name in ("blocks1", "blocks2"):
        reported = p[f"reported_{name}"]
        found.append(
            Measurement(
                f"induction.reported_standard_error.{name}",
                (reported * (1 - reported) / p["reported_validation"]) ** 0.5,
                f"binomial standard error of the write-up's figure for {LABELS[name]}, "
                f"measured on {p['reported_validation']:,} sequences",
                ARITHMETIC,
                ".4f",
            )
        )
    return found


def _reported_table() -> Table:
    columns = ("model", "parameters", "best validation accuracy", "test accuracy, last epoch")
    rows = tuple(
        (
            LABELS[name],
            Cell(f"induction.parameters.{name}"),
            Cell(f"induction.best_accuracy.{name}"),
            Cell(f"induction.test_accuracy.{name}"),
        )
        for name in ("blocks1", "matched", "blocks2")
    )
    return Table("induction.reported", columns, rows)


def pushed(runs: Runs, p: Mapping[str, Any]) -> Findings:
    """One block of the reported size, trained on far past the thirty epochs."""
    seeds = p["long_seeds"]
    made = [runs[f"long.blocks1.seed{seed}"] for seed in seeds]
    accuracies = _padded([run["accuracies"] for run in made])
    steps = max((run["steps"] for run in made), key=len)
    leaves = [steps[(a >= 0.5).argmax()] if (a >= 0.5).any() else p["long_steps"] for a in accuracies]
    found = [
        over_seeds(
            "induction.long.best_accuracy.blocks1",
            accuracies.max(axis=1),
            seeds,
            f"best validation accuracy of one block within {p['long_steps']:,} steps on fresh sequences",
            RETRAINED,
        ),
        over_seeds(
            "induction.long.test_accuracy.blocks1",
            [float(run["test_accuracy"]) for run in made],
            seeds,
            f"test accuracy of one block after {p['long_steps']:,} steps on fresh sequences",
            RETRAINED,
        ),
        over_seeds(
            "induction.long.half.blocks1",
            [float(step) for step in leaves],
            seeds,
            "steps until one block first answers half of the validation sequences, median over seeds",
            STEPS,
            ",.0f",
        ),
        over_seeds(
            "induction.long.climb.blocks1",
            [float(steps[top] - steps[left]) for left, top in _jumps(accuracies, p)],
            seeds,
            f"steps in which one block climbs from {p['jump_from']} to {p['jump_to']} of the validation "
            "sequences, median over seeds",
            STEPS,
            ",.0f",
        ),
        *_how_one_block_reads(made, p),
    ]
    wide = [runs[f"map.wide.l{p['length']}.seed{seed}"] for seed in p["map_seeds"]]
    arrays = {
        "long.steps": steps,
        "long.accuracies": accuracies,
        "wide.steps": max((run["steps"] for run in wide), key=len),
        "wide.accuracies": _padded([run["accuracies"] for run in wide]),
    }
    return Findings(tuple(found), arrays)


def _how_one_block_reads(made: Sequence[Mapping[str, np.ndarray]], p: Mapping[str, Any]) -> list[Measurement]:
    """Where the pushed block looks, and what is left of it without its feed-forward layer."""
    drawn = match_then_read.draw(p["probe"], p["length"], np.random.default_rng(p["probe_seed"]))
    rows = np.arange(len(drawn.places))
    most, least, largest, without = [], [], [], []
    for run in made:
        weights = forward.weights_of(run)
        last = forward.forward(weights, drawn.tokens).attention[0][:, :, -1]
        by_head = last[rows, :, drawn.places].mean(axis=0)
        most.append(by_head.max())
        least.append(by_head.min())
        largest.append(last.max(axis=-1).mean())
        silent = {**weights, "block1_output.kernel": np.zeros_like(weights["block1_output.kernel"])}
        without.append(circuits.accuracy(forward.forward(silent, drawn.tokens), drawn))
    texts = {
        "most_on_cue": (most, "weight on the first cue of the pushed block's head that gives it most"),
        "least_on_cue": (least, "weight on the first cue of the pushed block's head that gives it least"),
        "largest_weight": (largest, "mean over heads and sequences of the pushed one block's largest weight"),
        "without_feed_forward": (
            without,
            "accuracy of the pushed one block once its feed-forward layer is silenced",
        ),
    }
    return [
        over_seeds(f"induction.long.{name}", values, p["long_seeds"], text, RETRAINED, ".3f")
        for name, (values, text) in texts.items()
    ]


def _padded(curves: Sequence[np.ndarray]) -> np.ndarray:
    """Curves of one length: one that stopped early stays where it was."""
    longest = max(map(len, curves))
    return np.array([np.pad(c, (0, longest - len(c)), mode="edge") for c in curves])


def mapped(runs: Runs, p: Mapping[str, Any]) -> Findings:
    """Depth × width × length: accuracy at the end of the budget, and steps until solved."""
    found, seeds = [], p["map_seeds"]
    for name in MAPPED:
        for length in p["lengths"]:
            made = [runs[f"map.{name}.l{length}.seed{seed}"] for seed in seeds]
            where = f"{LABELS[name]}, length {length}"
            steps = [min(float(run["solved_at"]), p["map_steps"]) for run in made]
            found += [
                over_seeds(
                    f"induction.map.accuracy.{name}.l{length}",
                    [float(run["test_accuracy"]) for run in made],
                    seeds,
                    f"test accuracy when training stopped: {where}",
                    RETRAINED,
                    ".3f",
                ),
                over_seeds(
                    f"induction.map.steps.{name}.l{length}",
                    steps,
                    seeds,
                    f"steps until the validation accuracy is {p['solved']}, {where}; a run that never gets "
                    f"there counts as {p['map_steps']:,}",
                    STEPS,
                    ",.0f",
                ),
                Measurement(
                    f"induction.map.solved.{name}.l{length}",
                    sum(bool(np.isfinite(run["solved_at"])) for run in made),
                    f"runs of {len(seeds)} that reach {p['solved']} within {p['map_steps']:,} steps: {where}",
                    COUNT,
                    "d",
                ),
            ]
    return Findings(tuple(found), tables=(_map_table(p, "accuracy"), _map_table(p, "steps")))


def _map_table(p: Mapping[str, Any], what: str) -> Table:
    columns = ("model", "parameters", *(f"length {length}" for length in p["lengths"]))
    sizes = {"narrow": "blocks1", "wide": "wide", "deep": "blocks2"}
    rows = tuple(
        (
            LABELS[name],
            Cell(f"induction.parameters.{sizes[name]}"),
            *(Cell(f"induction.map.{what}.{name}.l{length}") for length in p["lengths"]),
        )
        for name in MAPPED
    )
    return Table(f"induction.map_{what}", columns, rows)
