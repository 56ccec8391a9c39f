"""The half of `induction` that reads learning curves: ladder, experiment as reported, push."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from attention_from_scratch import circuits, forward, ladder
from attention_from_scratch.experiments.policies import ARITHMETIC, COUNT, SAMPLED
from attention_from_scratch.learning_curves import as_long, first_epoch, jumps
from attention_from_scratch.tasks import match_then_read
from measured.terms.experiment import Findings
from measured.terms.family import Family, rows, table
from measured.terms.measurement import Close, Measurement, Spread

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
WAITED = 6  # the epoch before which two blocks that jump have not waited
MODELS = {
    "blocks1": "one block",
    "matched": "one block, as many parameters as two",
    "blocks2": "two blocks",
}
PARTS = {"embedding": "the embedding", "block": "a block", "logits": "the dense layer of logits"}
LABELS = {"model": MODELS, "part": {**MODELS, **PARTS}}

# What is measured: its name, what it is, how far it may drift, how it is shown.
# fmt: off
PARAMETER_COUNT = Family("induction.parameters.{part}", "parameters of {part}", COUNT, ",d", labels=LABELS)
CHANCE = Family("induction.chance",
    "accuracy of any answer that ignores the input: one in seven", ARITHMETIC, ".4f")
RANDOM_SYMBOL = Family("induction.random_symbol.l{length}",
    "accuracy of naming a symbol of the sequence at random, length {length}, exactly", ARITHMETIC, ".4f")
CEILING = Family("induction.order_blind_ceiling.l{length}",
    "accuracy of naming the sequence's most common symbol, length {length}, exactly", ARITHMETIC, ".4f")
FIRST_LEFT_OUT = Family("induction.first_left_out.l{length}",
    "accuracy of naming the most common symbol behind the first position, length {length}, simulated",
    SAMPLED, ".3f")
SIMULATED = Family("induction.order_blind_simulated.l{length}",
    "accuracy of naming the sequence's most common symbol, length {length}, simulated", SAMPLED, ".4f")
SIMULATION_ERROR = Family("induction.order_blind_standard_error.l{length}",
    "standard error of that simulation, length {length}", SAMPLED, ".4f")
BEST_ACCURACY = Family("induction.best_accuracy.{model}",
    "best validation accuracy of any epoch, {model}, median over seeds", RETRAINED, ".4f", statistic="median",
    labels=LABELS)
TEST_ACCURACY = Family("induction.test_accuracy.{model}",
    "test accuracy after the last epoch, {model}, median over seeds", RETRAINED, ".4f", statistic="median",
    labels=LABELS)
JUMP_EPOCH = Family("induction.jump_epoch.blocks2",
    "first epoch above one half, two blocks, median over seeds", EPOCHS, ".0f", statistic="median")
JUMP_LENGTH = Family("induction.jump_length.blocks2",
    "epochs from the last one below {jump_from} to the first one above {jump_to}, two blocks, median over "
    "seeds", EPOCHS, ".0f", statistic="median")
SOLVED_EPOCH = Family("induction.solved_epoch.blocks2",
    "first epoch at {solved} or above, two blocks, median over seeds", EPOCHS, ".0f", statistic="median")
PLATEAU_OF_TWO = Family("induction.plateau.blocks2",
    "mean validation accuracy from the third epoch until three before the jump, at least of the third, two "
    "blocks", RETRAINED, ".4f", statistic="median")
PLATEAU_OF_WAITING = Family("induction.plateau.waited.blocks2",
    "mean validation accuracy from the third epoch until three before the jump, two blocks, median over the "
    "seeds that pass one half in epoch {waited} or later", RETRAINED, ".3f", statistic="median")
PLATEAU_EPOCHS = Family("induction.plateau.epochs.blocks2",
    "epochs over which that mean is taken, of the seed that waits longest",
    Close("a seed's jump moves by some epochs when rounding changes", atol=4), "d")
WAITING = Family("induction.plateau.seeds.blocks2",
    "seeds of two blocks that pass one half in epoch {waited} or later",
    Close("a seed's jump moves by some epochs when rounding changes", atol=2), "d")
PLATEAU_OF_ONE = Family("induction.plateau.blocks1",
    "mean validation accuracy from the third epoch on, one block, median over seeds", RETRAINED, ".4f",
    statistic="median")
NAMES_MOST_COMMON = Family("induction.names_most_common.blocks1",
    "share of sequences in which one block, after the last epoch, names a most common symbol", RETRAINED,
    ".3f", statistic="median")
RANDOM_NAMES_MOST_COMMON = Family("induction.random_names_most_common",
    "share of sequences in which an ordinary symbol, picked blindly, is a most common one", SAMPLED, ".3f")
REPORTED_ERROR = Family("induction.reported_standard_error.{model}",
    "binomial standard error of the write-up's figure for {model}, measured on {count:,} sequences",
    ARITHMETIC, ".4f", labels=LABELS)
LONG_BEST = Family("induction.long.best_accuracy.blocks1",
    "best validation accuracy of one block within {steps:,} steps on fresh sequences", RETRAINED, ".4f",
    statistic="median")
LONG_TEST = Family("induction.long.test_accuracy.blocks1",
    "test accuracy of one block after {steps:,} steps on fresh sequences", RETRAINED, ".4f",
    statistic="median")
LONG_HALF = Family("induction.long.half.blocks1",
    "steps until one block first answers half of the validation sequences, median over seeds", STEPS, ",.0f",
    statistic="median")
LONG_CLIMB = Family("induction.long.climb.blocks1",
    "steps in which one block climbs from {jump_from} to {jump_to} of the validation sequences, median over "
    "seeds", STEPS, ",.0f", statistic="median")
LONG_GAIN = Family("induction.long.largest_gain.blocks1",
    "largest gain in validation accuracy of one block from one look to the next, {between:,} steps later, "
    "median over seeds", RETRAINED, ".2f", statistic="median")
SILENCED = Family("induction.without_feed_forward.block{block}",
    "accuracy of two blocks once the feed-forward layer of block {block} is silenced", RETRAINED, ".3f",
    statistic="median")
LONG_READS = Family("induction.long.{what}",
    "{what}", RETRAINED, ".3f", statistic="median",
    labels={"what": {"most_on_cue": "weight on the first cue of the pushed block's head that gives it most",
    "least_on_cue": "weight on the first cue of the pushed block's head that gives it least",
    "largest_weight": "mean over heads and sequences of the pushed one block's largest weight",
    "without_feed_forward": "accuracy of the pushed block once its feed-forward layer is silenced"}})
# fmt: on


def of_seeds(runs: Runs, name: str, seeds: Sequence[int]) -> list[Mapping[str, np.ndarray]]:
    """The runs of one name, in the order of the seeds."""
    return [runs[f"{name}.seed{seed}"] for seed in seeds]


def probes(p: Mapping[str, Any], draw: Any = match_then_read.draw) -> match_then_read.Lookups:
    """The sequences on which models are opened: the same for all of them, seen by none."""
    return draw(p["probe"], p["length"], np.random.default_rng(p["probe_seed"]))


def parameters(runs: Runs) -> Findings:
    """How many parameters each model has, and where they are."""
    models = {name: f"reported.{name}.seed0" for name in ("blocks1", "blocks2", "matched")}
    counts = {name: int(runs[run]["parameters"]) for name, run in models.items()}
    weights = forward.weights_of(runs["reported.blocks1.seed0"])
    for part in PARTS:
        counts[part] = sum(w.size for name, w in weights.items() if name.startswith(part))
    return Findings(tuple(PARAMETER_COUNT.of(count, part=part) for part, count in counts.items()))


def rungs(p: Mapping[str, Any]) -> Findings:
    """The ladder, exactly and by simulation."""
    found = [CHANCE.of(float(ladder.ignoring_the_input()))]
    generator = np.random.default_rng(p["probe_seed"])
    for length in p["lengths"]:
        drawn = match_then_read.draw(p["simulated"], length, generator)
        right = ladder.guess_most_common(drawn, generator) == drawn.answers
        behind = ladder.guess_most_common(drawn, np.random.default_rng(length), first=1) == drawn.answers
        found += [
            RANDOM_SYMBOL.of(float(ladder.random_symbol(length)), length=length),
            CEILING.of(float(ladder.most_common_symbol(length)), length=length),
            SIMULATED.of(right.mean(), length=length),
            SIMULATION_ERROR.of(right.std() / len(right) ** 0.5, length=length),
            FIRST_LEFT_OUT.of(behind.mean(), length=length),
        ]
    columns = {
        "ignoring the input": CHANCE,
        "a random symbol": RANDOM_SYMBOL,
        "the most common symbol": CEILING,
        "the same, simulated": SIMULATED,
        "the most common behind the first position": FIRST_LEFT_OUT,
    }
    shown = table("induction.ladder", "length", rows("length", p["lengths"]), columns)
    return Findings(tuple(found), tables=(shown,))


def as_reported(runs: Runs, p: Mapping[str, Any]) -> Findings:
    """The experiment as the write-up ran it, over seeds."""
    seeds, found, curves = p["seeds"], [], {}
    for model in ("blocks1", "blocks2", "matched"):
        made = of_seeds(runs, f"reported.{model}", seeds)
        curves[model] = np.array([run["accuracies"] for run in made])
        found += [
            BEST_ACCURACY.over_seeds(curves[model].max(axis=1), seeds, model=model),
            TEST_ACCURACY.over_seeds([run["test_accuracy"] for run in made], seeds, model=model),
        ]
    two, jump = curves["blocks2"], {name: p[name] for name in ("jump_from", "jump_to")}
    half, lengths = first_epoch(two, 0.5), [top - left for left, top in jumps(two, **jump)]
    plateau = [curve[2 : max(3, epoch - 3)].mean() for curve, epoch in zip(two, half, strict=True)]
    found += [
        JUMP_EPOCH.over_seeds(half, seeds),
        JUMP_LENGTH.over_seeds(lengths, seeds, **jump),
        SOLVED_EPOCH.over_seeds(first_epoch(two, p["solved"]), seeds, solved=p["solved"]),
        PLATEAU_OF_TWO.over_seeds(plateau, seeds),
        *_of_those_that_wait(plateau, half, seeds),
        PLATEAU_OF_ONE.over_seeds(curves["blocks1"][:, 2:].mean(axis=1), seeds),
        NAMES_MOST_COMMON.over_seeds(_names_most_common(runs, p), seeds),
        RANDOM_NAMES_MOST_COMMON.of(_blind_share_of_most_common(p)),
        *_silenced_two_blocks(runs, p),
        *_reported_errors(p),
    ]
    columns = {
        "parameters": PARAMETER_COUNT,
        "best validation accuracy": BEST_ACCURACY,
        "test accuracy, last epoch": TEST_ACCURACY,
    }
    arrays = {f"curves.{model}": curve for model, curve in curves.items()}
    return Findings(tuple(found), arrays, (table("induction.reported", "model", REPORTED_ROWS, columns),))


def _of_those_that_wait(
    plateau: Sequence[float], half: Sequence[int], seeds: Sequence[int]
) -> Iterator[Measurement]:
    """The plateau of the seeds that have one: a seed that passes one half sooner has not waited."""
    waited = {s: p for s, p, epoch in zip(seeds, plateau, half, strict=True) if epoch >= WAITED}
    yield WAITING.of(len(waited), waited=WAITED)
    yield PLATEAU_EPOCHS.of(max(0, max(half) - 5))  # from the third, until three before the jump
    if len(waited) > 1:
        yield PLATEAU_OF_WAITING.over_seeds(waited.values(), waited, waited=WAITED)


def _names_most_common(runs: Runs, p: Mapping[str, Any]) -> list[float]:
    """Whether one block's plateau is that strategy."""
    drawn, shares = probes(p), []
    for run in of_seeds(runs, "reported.blocks1", p["seeds"]):
        answers = forward.answers(forward.forward(forward.weights_of(run), drawn.tokens))
        shares.append(ladder.is_most_common(drawn, answers).mean())
    return shares


def _blind_share_of_most_common(p: Mapping[str, Any]) -> float:
    """The baseline of that share: a place picked blindly, the cue's own left out."""
    drawn = probes(p)
    places = np.arange(p["length"] - 1)
    ordinary = places != drawn.places[:, np.newaxis]
    common = np.array([ladder.is_most_common(drawn, drawn.tokens[:, place]) for place in places]).T
    return float(common[ordinary].mean())


def _silenced_two_blocks(runs: Runs, p: Mapping[str, Any]) -> Iterator[Measurement]:
    """The control of `without_feed_forward`: what the same does to models that are known to look twice."""
    drawn = probes(p)
    models = [forward.weights_of(run) for run in of_seeds(runs, "reported.blocks2", p["seeds"])]
    for block in (1, 2):
        left = [_accuracy_silenced(weights, block, drawn) for weights in models]
        yield SILENCED.over_seeds(left, p["seeds"], block=block)


def _accuracy_silenced(weights: forward.Weights, block: int, drawn: match_then_read.Lookups) -> float:
    output = f"block{block}_output.kernel"
    silent = {**weights, output: np.zeros_like(weights[output])}
    return circuits.accuracy(forward.forward(silent, drawn.tokens), drawn)


def _reported_errors(p: Mapping[str, Any]) -> Iterator[Measurement]:
    count = p["reported_validation"]
    for model in ("blocks1", "blocks2"):
        share = p[f"reported_{model}"]
        yield REPORTED_ERROR.of((share * (1 - share) / count) ** 0.5, model=model, count=count)


def pushed(runs: Runs, p: Mapping[str, Any]) -> Findings:
    """One block of the reported size, trained on far past the thirty epochs."""
    seeds, budget = p["long_seeds"], p["long_steps"]
    jump = {name: p[name] for name in ("jump_from", "jump_to")}
    made = of_seeds(runs, "long.blocks1", seeds)
    accuracies = as_long([run["accuracies"] for run in made])
    steps = max((run["steps"] for run in made), key=len)
    half = [steps[(a >= 0.5).argmax()] if (a >= 0.5).any() else budget for a in accuracies]
    climbs = [steps[top] - steps[left] for left, top in jumps(accuracies, **jump)]
    found = [
        LONG_BEST.over_seeds(accuracies.max(axis=1), seeds, steps=budget),
        LONG_TEST.over_seeds([run["test_accuracy"] for run in made], seeds, steps=budget),
        LONG_HALF.over_seeds(half, seeds),
        LONG_CLIMB.over_seeds(climbs, seeds, **jump),
        LONG_GAIN.over_seeds(
            [np.diff(run["accuracies"]).max() for run in made], seeds, between=int(steps[1] - steps[0])
        ),
        *_how_one_block_reads(made, p),
    ]
    return Findings(tuple(found), {"long.steps": steps, "long.accuracies": accuracies})


def _how_one_block_reads(
    made: Sequence[Mapping[str, np.ndarray]], p: Mapping[str, Any]
) -> Iterator[Measurement]:
    """Where the pushed block looks, and what is left of it without its feed-forward layer."""
    drawn = probes(p)
    rows_ = np.arange(len(drawn.places))
    values: dict[str, list[float]] = {what: [] for what in LONG_READS.labels["what"]}
    for run in made:
        weights = forward.weights_of(run)
        last = forward.forward(weights, drawn.tokens).attention[0][:, :, -1]  # (sequences, heads, keys)
        on_cue = last[rows_, :, drawn.places].mean(axis=0)
        values["most_on_cue"].append(on_cue.max())
        values["least_on_cue"].append(on_cue.min())
        values["largest_weight"].append(last.max(axis=-1).mean())
        values["without_feed_forward"].append(_accuracy_silenced(weights, 1, drawn))
    for what, of in values.items():
        yield LONG_READS.over_seeds(of, p["long_seeds"], what=what)


def _rows(models: Mapping[str, str]) -> dict[str, dict[str, str]]:
    return {MODELS[model]: {"model": model, "part": part} for model, part in models.items()}


# A row is a model, and the name under which its parameters are counted.
REPORTED_ROWS = _rows({"blocks1": "blocks1", "matched": "matched", "blocks2": "blocks2"})
