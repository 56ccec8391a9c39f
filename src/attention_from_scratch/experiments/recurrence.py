"""The question: how far back can a layer reach, why no further, and what does attention pay for its reach.

Drawn: coin flips. A sequence's first flip is its answer (`recall`), and four layers of one width read it:
SimpleRNN, GRU, LSTM and one attention layer with positions. All have the same embedding, the same
logits, the same data, optimizer and budget; the budget ends early once the validation set is solved.
Two of them start a second time from elsewhere: the SimpleRNN from a Glorot recurrent matrix instead of
an orthogonal one, the LSTM from a larger forget bias. The last LSTM starts like the first one and learns
the shorter lengths first, each within the same budget (a curriculum: Bengio et al. 2009).

Measured: accuracy on test sequences at the end, by length, over seeds. On the longest sequences, before
and after training, the norm of ∂L/∂(state after each token), as the median over sequences, and of that
the geometric mean over seeds. Exact costs of reading, and the largest weight
of an attention whose scores are plain noise.

Refuted, if the layers solved the same lengths whatever they start from: then the order of the layers
would be a law and not a matter of initialisation.

Sizes were chosen once, for minutes on two cores: width 16 because the loop over time steps costs the
same at any small width; 512 updates, three times what the SimpleRNN needs at 100 tokens; Adam at 3e-3
(the rate of the trial that this replaces) with gradients clipped at norm 1. The larger forget bias is 5:
a gate at 0.993 halves a cell in about 100 steps, half of the longest sequence.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from jaxtyping import Float

from attention_from_scratch import costs
from attention_from_scratch.attention import softmax
from attention_from_scratch.experiments import recurrence_trials as trials
from attention_from_scratch.experiments.policies import ARITHMETIC, COUNT, SAMPLED, trained_to_solve
from attention_from_scratch.experiments.recurrence_runs import BUDGET, train_reader
from attention_from_scratch.recurrent import gradient_bound, sigmoid
from attention_from_scratch.tasks.recall import CHANCE
from measured.terms import evidence
from measured.terms.claims import Claim, Verdict, above, below, between, equal, every, falls, rises
from measured.terms.experiment import Experiment, Findings, Run, Table
from measured.terms.family import Family, rows, table
from measured.terms.measurement import Close, Measurement, Spread
from measured.terms.null import (
    becomes,
    flat,
    instead,
    one_seed,
    permuted,
    planted,
    relabelled,
    swapped,
    with_array,
)
from measured.terms.scope import Scope
from measured.terms.trial import Confirmation

TRAINING = {
    **BUDGET,
    "num_heads": 1,
    "recurrent_initializer": "orthogonal",
    "forget_bias": 1.0,
    "lengths_before": [],
}
PARAMETERS = {
    **TRAINING,
    "seeds": [0, 1, 2],
    "lengths": [10, 20, 40, 100, 200],
    "larger_forget_bias": 5.0,
    "gradient_length": 200,
    "gradient_sequences": 32,
    "cost_lengths": [16, 64, 256, 1024, 4096],
    "cost_width": 64,
    "cost_heads": 4,
    "dilution_lengths": [12, 48, 192, 768, 3072],
    "dilution_draws": 10_000,
    "dilution_seed": 0,
}
QUICK = {"seeds": [0, 1], "dilution_draws": 500}
QUICK_RUN = {"length": 6, "training": 64, "validation": 64, "test": 64, "epochs": 1, "lengths_before": []}

LAYERS = {"simple_rnn": "SimpleRNN", "gru": "GRU", "lstm": "LSTM", "attention": "attention"}
ALL_LENGTHS = PARAMETERS["lengths"]
LONGEST = ALL_LENGTHS[-1:]
NEARER = ALL_LENGTHS[:-1]
# (words, what differs from TRAINING, lengths)
VARIANTS: Mapping[str, tuple[str, Mapping[str, Any], list[int]]] = {
    "simple_rnn": ("a SimpleRNN, orthogonal start", {"layer": "simple_rnn"}, ALL_LENGTHS),
    "gru": ("a GRU", {"layer": "gru"}, ALL_LENGTHS),
    "lstm": ("an LSTM, forget bias 1", {"layer": "lstm"}, ALL_LENGTHS),
    "attention": ("one attention layer with positions", {"layer": "attention"}, ALL_LENGTHS),
    "simple_rnn_glorot": (
        "a SimpleRNN, Glorot start",
        {"layer": "simple_rnn", "recurrent_initializer": "glorot_uniform"},
        ALL_LENGTHS,
    ),
    "lstm_larger_bias": (
        "an LSTM, forget bias 5",
        {"layer": "lstm", "forget_bias": PARAMETERS["larger_forget_bias"]},
        ALL_LENGTHS,
    ),
    "lstm_short_first": (
        "an LSTM, forget bias 1, shorter sequences first",
        {"layer": "lstm", "lengths_before": ALL_LENGTHS[:-1]},
        LONGEST,
    ),
}
STAGES = {"start": "before training", "trained": "after training"}
STARTS = {"simple_rnn": "orthogonal", "simple_rnn_glorot": "Glorot"}
WORDS = {variant: words for variant, (words, _, _) in VARIANTS.items()}
LABELS = {"variant": WORDS, "stage": STAGES}

COUNTED = {
    "sequential_steps": "sequential steps",
    "multiply_adds": "multiply-adds",
    "training_bytes": "bytes of states or attention weights kept for the way back",
    "carried_bytes": "bytes to keep for reading one more token",
}

# What is measured: its name, what it is, how far it may drift, how it is shown.
# fmt: off
ACCURACY = Family("recurrence.accuracy.{variant}.t{t}",
    "test accuracy of {variant}, recalling the first of {t} tokens, mean over seeds",
    trained_to_solve(PARAMETERS["seeds"]), ".3f", labels=LABELS)
STEPS = Family("recurrence.steps.{variant}.t{t}",
    "updates made on {t} tokens by {variant} before it stopped, mean over seeds",
    Spread("three standard errors over seeds, at least four epochs", k=3, floor=128), ".0f", labels=LABELS)
SOLVED = Family("recurrence.solved.{variant}.t{t}",
    "seeds with which {variant} solved {t} tokens within the budget",
    Close("near its horizon one seed may tip over on rounding", atol=1), "d", labels=LABELS)
SOLVED_IN_ALL = Family("recurrence.solved_in_all.{variant}",
    "trainings of {variant} that solved their length within the budget, of {lengths} lengths and {count} "
    "seeds", Close("near their horizons a few trainings may tip over on rounding", atol=3), "d",
    labels=LABELS)
PARAMETER_COUNT = Family("recurrence.parameters.{layer}",
    "parameters of the reader with {layer}: embedding, layer and logits", COUNT, ",d",
    labels={"layer": LAYERS})
TRAININGS = Family("recurrence.trainings", "trainings of each layer and start: lengths times seeds", COUNT)
SEED_COUNT = Family("recurrence.seed_count", "seeds of each training", COUNT)
GUESSED = Family("recurrence.chance", "accuracy of guessing between two classes", COUNT, ".1f")
UPDATES = Family("recurrence.updates",
    "updates in the whole budget: batches of the training set, times epochs", COUNT, ",d")
DECADES = Family("recurrence.gradient_decades.{variant}.{stage}",
    "factors of ten between {what} at the first and at the last of {t} tokens, {stage}, for {variant}: −3 is "
    "a thousandth; median over sequences, mean over seeds",
    Spread("three standard errors over seeds, at least one factor of ten: the page speaks of orders of "
    "magnitude", k=3, floor=1.0), ".1f", "factors of ten", labels=LABELS)
SINGULAR_VALUE = Family("recurrence.largest_singular_value.{variant}.{stage}",
    "largest singular value of the SimpleRNN's recurrent matrix, {variant} start, {stage} on {t} tokens, "
    "mean over seeds", Spread("three standard errors over seeds, at least 0.05", k=3, floor=0.05), ".2f",
    labels={"variant": STARTS, "stage": STAGES})
BOUND = Family("recurrence.bound_decades.{variant}",
    "what the bound (γ σ_max)^T allows over {steps} steps, {variant} start, γ = 1 for tanh, mean over seeds",
    Close("rounding of float32 weights, multiplied by the number of steps", atol=0.01), "+.1f",
    "factors of ten", labels={"variant": STARTS})
FORGET_GATE = Family("recurrence.forget_gate.{variant}",
    "an LSTM's forget gate where nothing but its bias of {bias:g} speaks", ARITHMETIC, ".3f")
FORGET_PRODUCT = Family("recurrence.forget_product.{variant}.t{t}",
    "share of a cell that {t} such gates leave, forget bias {bias:g}", ARITHMETIC, ".2f")
MEAN_FORGET_GATE = Family("recurrence.mean_forget_gate.{variant}.{stage}",
    "the LSTM's forget gate {stage} on {t} tokens, forget bias {bias:g}: geometric mean over steps, cells "
    "and sequences, mean over seeds", Spread("three standard errors over seeds, at least 0.02", k=3,
    floor=0.02), ".3f", labels={"stage": STAGES})
WEIGHT_ON_FIRST = Family("recurrence.weight_on_first.{stage}",
    "attention of the last position on the first of {t} tokens, {stage}, mean over sequences and seeds",
    Spread("three standard errors over seeds, at least 0.1", k=3, floor=0.1), ".3f", labels={"stage": STAGES})
COST = Family("recurrence.cost.{layer}.{what}.n{n}",
    "{what} of one {layer} layer over {n} tokens of width {width}", COUNT, ",d", "{unit}",
    labels={"what": COUNTED, "layer": {"lstm": "LSTM", "attention": "self-attention"}})
CROSSING = Family("recurrence.crossing.{what}",
    "shortest sequence on which self-attention needs more {what} than an LSTM, both of width {width}", COUNT,
    ",d", "tokens", labels={"what": COUNTED})
DILUTION = Family("recurrence.dilution.n{n}",
    "mean largest weight of one head over {n} standard normal scores, {draws:,} draws", SAMPLED, ".4f")
DILUTION_ERROR = Family("recurrence.dilution_standard_error.n{n}",
    "standard error of the mean largest weight over {n} scores", Close("the seed fixes the draws", rtol=1e-3),
    ".5f")
DILUTION_UNIFORM = Family("recurrence.dilution_uniform.n{n}",
    "the weight that {n} equal scores would give each token", ARITHMETIC, ".4f")
# fmt: on


def _runs() -> Iterator[Run]:
    sequences = {PARAMETERS["gradient_length"]: PARAMETERS["gradient_sequences"]}
    for variant, (_, differing, lengths) in VARIANTS.items():
        for t in lengths:
            fixed = {**TRAINING, **differing, "length": t, "gradient_sequences": sequences.get(t, 0)}
            yield from Run.over_seeds(
                f"{variant}.t{t}",
                train_reader,
                fixed,
                PARAMETERS["seeds"],
                quick_seeds=QUICK["seeds"],
                quick=QUICK_RUN,
            )


class Trained:
    """The trainings, by variant and length, each over all seeds."""

    def __init__(self, runs: Mapping[str, Any], seeds: list[int]) -> None:
        self.runs, self.seeds = runs, seeds

    def of(self, variant: str, t: int, result: str) -> list[Any]:
        """One result of each seed."""
        return [self.runs[f"{variant}.t{t}.seed{seed}"][result] for seed in self.seeds]


def measure(runs: Mapping[str, Any], seeds: list[int], **settings: Any) -> Findings:
    """Sum up the runs by seed; count costs; draw noise for the dilution."""
    trained, longest = Trained(runs, seeds), settings["gradient_length"]
    curves = {
        (variant, stage): np.array(trained.of(variant, longest, f"log10_gradients_{stage}"))
        for variant in VARIANTS
        for stage in STAGES
    }
    found = [
        *_horizons(trained),
        *_sizes(trained),
        *_gradients(curves, seeds, longest),
        *_starts(trained, settings["lengths"], settings["larger_forget_bias"]),
        *_costs(settings["cost_lengths"], settings["cost_width"], settings["cost_heads"]),
        *_dilution(settings["dilution_lengths"], settings["dilution_draws"], settings["dilution_seed"]),
    ]
    arrays = {f"log10_gradients.{variant}.{stage}": curve for (variant, stage), curve in curves.items()}
    return Findings(tuple(found), arrays, _tables(settings))


def _horizons(trained: Trained) -> Iterator[Measurement]:
    """Accuracy by layer, start and length; how many trainings were solved."""
    seeds = trained.seeds
    for variant, (_, _, lengths) in VARIANTS.items():
        for t in lengths:
            at = {"variant": variant, "t": t}
            yield ACCURACY.over_seeds(trained.of(variant, t, "accuracy"), seeds, **at)
            if variant in ("attention", "simple_rnn"):
                yield STEPS.over_seeds(trained.of(variant, t, "steps"), seeds, **at)
            if variant in ("lstm", "lstm_short_first") and t in LONGEST:
                yield SOLVED.of(int(sum(trained.of(variant, t, "solved"))), **at)
        solved = sum(int(sum(trained.of(variant, t, "solved"))) for t in lengths)
        yield SOLVED_IN_ALL.of(solved, variant=variant, lengths=len(lengths), count=len(seeds))


def _sizes(trained: Trained) -> Iterator[Measurement]:
    """What the layers and their trainings are made of."""
    for layer in LAYERS:
        yield PARAMETER_COUNT.of(int(trained.of(layer, ALL_LENGTHS[0], "parameters")[0]), layer=layer)
    yield TRAININGS.of(len(trained.seeds) * len(ALL_LENGTHS))
    yield SEED_COUNT.of(len(trained.seeds))
    yield GUESSED.of(CHANCE)
    yield UPDATES.of(TRAINING["training"] // TRAINING["batch"] * TRAINING["epochs"])


def _gradients(
    curves: Mapping[tuple[str, str], Float[np.ndarray, "seeds length"]], seeds: list[int], t: int
) -> Iterator[Measurement]:
    """By how many factors of ten the gradient at the first state is smaller than at the last."""
    for (variant, stage), curve in curves.items():
        what = "∂L/∂(what attention reads)" if variant == "attention" else "∂L/∂state"
        change = curve[:, 0] - curve[:, -1]
        yield DECADES.over_seeds(change, seeds, variant=variant, stage=stage, what=what, t=t)


def _starts(trained: Trained, lengths: list[int], larger_bias: float) -> Iterator[Measurement]:
    """What initialisation fixes: singular values, forget gates; and what training makes of them."""
    t, seeds = lengths[-1], trained.seeds
    steps = t - 1
    for variant in STARTS:
        sigma = {stage: trained.of(variant, t, f"largest_singular_value_{stage}") for stage in STAGES}
        for stage, values in sigma.items():
            yield SINGULAR_VALUE.over_seeds(values, seeds, variant=variant, stage=stage, t=t)
        allowed = [steps * float(np.log10(gradient_bound(each, 1))) for each in sigma["start"]]
        yield BOUND.over_seeds(allowed, seeds, variant=variant, steps=steps)
    for variant, bias in (("lstm", 1.0), ("lstm_larger_bias", larger_bias)):
        gate = float(sigmoid(np.float64(bias)))
        yield FORGET_GATE.of(gate, variant=variant, bias=bias)
        for length in lengths:
            left = gate**length
            shown = ".1e" if left < 0.01 else None
            yield FORGET_PRODUCT.of(left, variant=variant, t=length, bias=bias, format=shown)
        for stage in STAGES:
            kept = [10 ** (of[0] / steps) for of in trained.of(variant, t, f"log10_kept_{stage}")]
            yield MEAN_FORGET_GATE.over_seeds(kept, seeds, variant=variant, stage=stage, t=t, bias=bias)
    for stage in STAGES:
        first = [weights[0] for weights in trained.of("attention", t, f"weights_{stage}")]
        yield WEIGHT_ON_FIRST.over_seeds(first, seeds, stage=stage, t=t)


def _costs(lengths: list[int], width: int, num_heads: int) -> Iterator[Measurement]:
    for n in lengths:
        readings = {
            "lstm": costs.recurrent("lstm", n, width),
            "attention": costs.attention(n, width, num_heads),
        }
        for layer, reading in readings.items():
            for what in COUNTED:
                unit = "bytes" if what.endswith("bytes") else ""
                yield COST.of(getattr(reading, what), layer=layer, what=what, n=n, width=width, unit=unit)
    for what in ("multiply_adds", "training_bytes"):
        yield CROSSING.of(costs.crossing("lstm", width, num_heads, what), what=what, width=width)


def _dilution(lengths: list[int], draws: int, seed: int) -> Iterator[Measurement]:
    """The largest weight among n scores that are standard normal noise."""
    generator = np.random.default_rng(seed)
    for n in lengths:
        largest = _largest_weights(generator, draws, n)
        yield DILUTION.of(largest.mean(), n=n, draws=draws)
        yield DILUTION_ERROR.of(largest.std(ddof=1) / draws**0.5, n=n)
        yield DILUTION_UNIFORM.of(1 / n, n=n)


def _largest_weights(
    generator: np.random.Generator, draws: int, length: int, chunk: int = 500
) -> Float[np.ndarray, " draws"]:
    counts = [min(chunk, draws - begun) for begun in range(0, draws, chunk)]
    return np.concatenate([softmax(generator.normal(size=(n, length))).max(axis=1) for n in counts])


def _tables(settings: Mapping[str, Any]) -> tuple[Table, ...]:
    names = {variant: words.removeprefix("a ").removeprefix("an ") for variant, words in WORDS.items()}
    horizon = tuple(
        (
            name,
            *(
                ACCURACY.cell(variant=variant, t=t) if t in VARIANTS[variant][2] else "—"
                for t in settings["lengths"]
            ),
            SOLVED_IN_ALL.cell(variant=variant),
        )
        for variant, name in names.items()
    )

    def costs_table(name: str, form: str, counted: Mapping[str, str]) -> Table:
        columns = {
            form.format(what=words, layer=layer_words): COST.at(layer=layer, what=what)
            for what, words in counted.items()
            for layer, layer_words in {"lstm": "LSTM", "attention": "attention"}.items()
        }
        return table(name, "tokens", rows("n", settings["cost_lengths"], ","), columns)

    work = {"sequential_steps": "sequential steps", "multiply_adds": "multiply-adds"}
    kept = {"training_bytes": "kept for the way back", "carried_bytes": "to read one more token"}
    stages = {words: DECADES.at(stage=stage) for stage, words in STAGES.items()}
    noise = {
        "mean largest weight": DILUTION,
        "standard error": DILUTION_ERROR,
        "weight if all were alike": DILUTION_UNIFORM,
    }
    heading = ("accuracy over so many tokens", *map(str, settings["lengths"]), "solved")
    return (
        Table("recurrence.accuracy", heading, horizon),
        table("recurrence.gradients", "factors of ten, first step to last", rows("variant", names), stages),
        costs_table("recurrence.costs", "{what}, {layer}", work),
        costs_table("recurrence.memory", "{what}, {layer} (bytes)", kept),
        table("recurrence.dilution", "tokens", rows("n", settings["dilution_lengths"], ","), noise),
    )


START = DECADES.at(stage="start")


def _asked(variant: str, *lengths: int) -> str:
    """The least accuracy of a reader over those distances at which fresh seeds are asked."""
    those = lengths or trials.ASKED[variant][1]
    return f"min({', '.join(f'{variant}_t{t}' for t in those)})"


def _counted(variant: str) -> str:
    return " + ".join(f"{variant}_t{t}_solved" for t in trials.ASKED[variant][1])


def _slower() -> str:
    lengths = trials.ASKED["attention"][1]
    return " < ".join(f"attention_t{t}_steps" for t in (lengths[0], *lengths[-2:]))


def _near_guessing(*names: str) -> str:
    return " and ".join(f"abs({name} - {CHANCE}) < 0.06" for name in names)


def _gain(found: Findings, better: str, worse: str, t: int) -> dict[str, float]:
    gain = ACCURACY.value(found, variant=better, t=t) - ACCURACY.value(found, variant=worse, t=t)
    return {f"{better} over {worse}, {t} tokens": gain}


def _dilutes(found: Findings) -> Verdict:
    weights = DILUTION.values(found)
    over_uniform = {
        f"{name}, over uniform": weight * n
        for n, (name, weight) in zip(PARAMETERS["dilution_lengths"], weights.items(), strict=True)
    }
    return every(falls(weights), above(over_uniform, 1))


def _bound_holds(found: Findings) -> Verdict:
    """Before training, at each distance and seed: log10 of what is left, minus that of the seed's bound."""
    steps = np.arange(PARAMETERS["gradient_length"])
    excesses = {}
    for variant in STARTS:
        curves = found.arrays[f"log10_gradients.{variant}.start"]
        left = (curves - curves[:, -1:])[:, ::-1]
        largest = SINGULAR_VALUE.samples(found, variant=variant, stage="start").values()
        allowed = np.array([np.log10(gradient_bound(max(sigma, 1e-9), 1)) * steps for sigma in largest])
        excesses[f"{variant}, largest excess"] = float((left - allowed)[:, 1:].max())
    return below(excesses, 1e-3)


def _glorot_solves_fewer(found: Findings) -> Verdict:
    orthogonal, glorot = (SOLVED_IN_ALL.value(found, variant=variant) for variant in STARTS)
    of = len(PARAMETERS["seeds"]) * len(PARAMETERS["lengths"])
    chance = evidence.counts_differ((orthogonal, of), (glorot, of))
    return every(above({"fewer": orthogonal - glorot}, 0), below({"Fisher's p": chance}, 0.05))


def _short_first_solves_more(found: Findings) -> Verdict:
    def solved(variant: str) -> int:
        return sum(x > 0.95 for x in ACCURACY.samples(found, variant=variant, t=200).values())

    return above({"more seeds": solved("lstm_short_first") - solved("lstm")}, 0)


def _gradients_of_lstm(found: Findings) -> Findings:
    return with_array(found, "log10_gradients.attention.start", found.arrays["log10_gradients.lstm.start"])


def _larger_bias_keeps(found: Findings) -> Verdict:
    larger, usual = (START.value(found, variant=variant) for variant in ("lstm_larger_bias", "lstm"))
    return above({"larger bias, less lost": larger - usual}, 10)


def _answers_without_gradient(found: Findings) -> Verdict:
    at = {"variant": "lstm_short_first"}
    accuracies = ACCURACY.samples(found, t=200, **at).values()
    lost = DECADES.samples(found, stage="trained", **at)
    solved = TRAINING["stop_at"] - 0.02
    return below(
        {n: x for (n, x), right in zip(lost.items(), accuracies, strict=True) if right >= solved}, -3
    )


def _attention_flat(found: Findings) -> Verdict:
    curve = found.arrays["log10_gradients.attention.start"].mean(axis=0)[:-1]
    return below({"largest over smallest, factors of ten": float(np.ptp(curve))}, 1)


def _focuses_where_solved(found: Findings) -> Verdict:
    accuracies = ACCURACY.samples(found, variant="attention", t=200).values()
    weights = WEIGHT_ON_FIRST.samples(found, stage="trained")
    solved = {name: w for (name, w), right in zip(weights.items(), accuracies, strict=True) if right > 0.95}
    return above(solved, 0.1)


def _attention_slower(found: Findings) -> Verdict:
    of = STEPS.at(variant="attention")
    at_200, at_100 = (of.samples(found, t=t).values() for t in (200, 100))
    return every(rises(of.values(found)), above({"apart": min(at_200) - max(at_100)}, 0))


CLAIMS = (
    Claim(
        "recurrence.attention_reaches",
        "attention answers more than 0.95 at each length, for every seed",
        lambda f: above(ACCURACY.samples(f, variant="attention"), 0.95),
        nulls=(
            one_seed("recurrence.accuracy.attention.t{t}", by="recurrence.chance"),
            instead("recurrence.accuracy.attention.t{t}", by="recurrence.accuracy.lstm.t{t}"),
        ),
        confirmed_by=Confirmation(trials.READERS, f"{_asked('attention')} > 0.95"),
    ),
    Claim(
        "recurrence.simple_reaches",
        "the SimpleRNN with its orthogonal start answers more than 0.8 at each length, for every seed",
        lambda f: above(ACCURACY.samples(f, variant="simple_rnn"), 0.8),
        nulls=(
            one_seed("recurrence.accuracy.simple_rnn.t{t}", by="recurrence.chance"),
            instead("recurrence.accuracy.simple_rnn.t{t}", by="recurrence.accuracy.gru.t{t}"),
        ),
        confirmed_by=Confirmation(trials.READERS, f"{_asked('simple_rnn')} > 0.8"),
    ),
    Claim(
        "recurrence.attention_reaches_100",
        "attention answers more than 0.95 at each length up to 100 tokens, for every seed",
        lambda f: above(ACCURACY.samples(f, variant="attention", t=NEARER), 0.95),
        nulls=(
            *(one_seed(f"recurrence.accuracy.attention.t{t}", by="recurrence.chance") for t in NEARER),
            instead("recurrence.accuracy.attention.t{t}", by="recurrence.accuracy.lstm.t{t}"),
        ),
        confirmed_by=Confirmation(
            trials.REACH, f"min({', '.join(f'attention_t{t}' for t in NEARER)}) > 0.95"
        ),
    ),
    Claim(
        "recurrence.attention_can_reach_200",
        "attention answers more than 0.95 at 200 tokens, from one seed",
        lambda f: above({"best": max(ACCURACY.samples(f, variant="attention", t=200).values())}, 0.95),
        nulls=(instead("recurrence.accuracy.attention.t200", by="recurrence.accuracy.lstm.t200"),),
        confirmed_by=Confirmation(trials.REACH, "attention_t200 > 0.95", least="one"),
    ),
    Claim(
        "recurrence.simple_far_from_guessing",
        "the SimpleRNN with its orthogonal start answers more than 0.95 at 100 tokens and more than 0.6 at "
        "200, for every seed",
        lambda f: every(
            above(ACCURACY.samples(f, variant="simple_rnn", t=100), 0.95),
            above(ACCURACY.samples(f, variant="simple_rnn", t=200), 0.6),
        ),
        nulls=(
            one_seed("recurrence.accuracy.simple_rnn.t100", by="recurrence.chance"),
            one_seed("recurrence.accuracy.simple_rnn.t200", by="recurrence.chance"),
            instead("recurrence.accuracy.simple_rnn.t{t}", by="recurrence.accuracy.gru.t{t}"),
        ),
        confirmed_by=Confirmation(trials.REACH, "simple_rnn_t100 > 0.95 and simple_rnn_t200 > 0.6"),
    ),
    Claim(
        "recurrence.simple_mostly_reaches_100",
        "the SimpleRNN with its orthogonal start answers more than 0.8 at 100 tokens, on average over seeds",
        lambda f: above(ACCURACY.values(f, variant="simple_rnn", t=100), 0.8),
        nulls=(
            instead("recurrence.accuracy.simple_rnn.t100", by="recurrence.accuracy.gru.t100"),
            becomes("recurrence.accuracy.simple_rnn.t100", by="recurrence.chance"),
        ),
        confirmed_by=Confirmation(trials.SIMPLE, "simple_rnn_t100 > 0.8", least="most"),
    ),
    Claim(
        "recurrence.simple_mostly_reaches_200",
        "the SimpleRNN with its orthogonal start answers more than 0.8 at 200 tokens, on average over seeds",
        lambda f: above(ACCURACY.values(f, variant="simple_rnn", t=200), 0.8),
        nulls=(
            instead("recurrence.accuracy.simple_rnn.t200", by="recurrence.accuracy.gru.t200"),
            becomes("recurrence.accuracy.simple_rnn.t200", by="recurrence.chance"),
        ),
        confirmed_by=Confirmation(trials.SIMPLE, "simple_rnn_t200 > 0.8", least="most"),
    ),
    Claim(
        "recurrence.all_near",
        "all four layers answer more than 0.95 at 10 tokens, for every seed",
        lambda f: above(ACCURACY.samples(f, variant=LAYERS, t=10), 0.95),
        nulls=(*(one_seed(f"recurrence.accuracy.{layer}.t10", by="recurrence.chance") for layer in LAYERS),),
        confirmed_by=Confirmation(
            trials.READERS, f"min({', '.join(f'{layer}_t10' for layer in LAYERS)}) > 0.95"
        ),
    ),
    Claim(
        # What guessing on 1,024 sequences may give, nearly four standard errors.
        "recurrence.gated_guess",
        "GRU and LSTM, at Keras' start, lie within 0.06 of guessing at 100 and 200 tokens, for every seed",
        lambda f: between(
            ACCURACY.samples(f, variant=["gru", "lstm"], t=[100, 200]), CHANCE - 0.06, CHANCE + 0.06
        ),
        nulls=(
            instead("recurrence.accuracy.gru.t{t}", by="recurrence.accuracy.simple_rnn.t{t}"),
            one_seed("recurrence.accuracy.lstm.t100", by=1.0),
        ),
        confirmed_by=Confirmation(
            trials.READERS, _near_guessing("gru_t100", "gru_t200", "lstm_t100", "lstm_t200")
        ),
    ),
    Claim(
        "recurrence.larger_bias_reaches",
        "at 100 tokens the larger forget bias answers at least 0.2 more than forget bias 1",
        lambda f: above(_gain(f, "lstm_larger_bias", "lstm", 100), 0.2),
        nulls=(
            swapped("recurrence.accuracy.lstm.t100", "recurrence.accuracy.lstm_larger_bias.t100"),
            relabelled("recurrence.accuracy.lstm.t100", "recurrence.accuracy.lstm_larger_bias.t100"),
        ),
        confirmed_by=Confirmation(trials.READERS, "lstm_larger_bias_t100 - lstm_t100 > 0.2", least="most"),
    ),
    Claim(
        "recurrence.short_first_reaches",
        "at 200 tokens more seeds are solved by the LSTM that learned shorter sequences first",
        _short_first_solves_more,
        nulls=(
            swapped("recurrence.accuracy.lstm.t200", "recurrence.accuracy.lstm_short_first.t200"),
            instead(
                "recurrence.accuracy.lstm_short_first.t200",
                by="recurrence.accuracy.lstm.t200",
                words="no effect",
            ),
        ),
        confirmed_by=Confirmation(
            trials.SHORT_FIRST, "short_first_solved and not plain_solved", least="most"
        ),
    ),
    Claim(
        "recurrence.glorot_solves_fewer",
        "over all lengths and seeds, the SimpleRNN solves fewer trainings from a Glorot start, by "
        "Fisher's exact test with p below 0.05",
        _glorot_solves_fewer,
        nulls=(
            swapped("recurrence.solved_in_all.simple_rnn", "recurrence.solved_in_all.simple_rnn_glorot"),
            instead(
                "recurrence.solved_in_all.simple_rnn_glorot",
                by="recurrence.solved_in_all.simple_rnn",
                words="no effect",
            ),
        ),
        confirmed_by=Confirmation(
            trials.READERS, f"{_counted('simple_rnn_glorot')} < {_counted('simple_rnn')}", least="most"
        ),
    ),
    Claim(
        "recurrence.glorot_vanishes",
        "before training, some seed of the Glorot start loses more than ten factors of ten, though its bound "
        "exceeds 1",
        lambda f: every(
            below({"worst seed": min(START.samples(f, variant="simple_rnn_glorot").values())}, -10),
            above(BOUND.values(f, variant="simple_rnn_glorot"), 0),
        ),
        nulls=(
            instead(
                "recurrence.gradient_decades.simple_rnn_glorot.start",
                by="recurrence.gradient_decades.simple_rnn.start",
            ),
            becomes("recurrence.bound_decades.simple_rnn_glorot", by=-1.0, words="a bound that forbids it"),
        ),
        confirmed_by=Confirmation(trials.STARTS, "simple_rnn_glorot < -10", least="one"),
    ),
    Claim(
        "recurrence.orthogonal_keeps",
        "before training, the orthogonal SimpleRNN loses fewer than three factors of ten over 199 steps",
        lambda f: above(START.values(f, variant="simple_rnn"), -3),
        nulls=(
            instead(
                "recurrence.gradient_decades.simple_rnn.start",
                by="recurrence.gradient_decades.simple_rnn_glorot.start",
            ),
            one_seed(
                "recurrence.gradient_decades.simple_rnn.start", by="recurrence.gradient_decades.lstm.start"
            ),
        ),
        confirmed_by=Confirmation(trials.STARTS, "simple_rnn > -3", least="most"),
    ),
    Claim(
        "recurrence.gated_vanish",
        "before training, LSTM (forget bias 1) and GRU lose more than ten factors of ten over 199 steps",
        lambda f: below(START.samples(f, variant=["lstm", "gru"]), -10),
        nulls=(
            instead(
                "recurrence.gradient_decades.lstm.start", by="recurrence.gradient_decades.simple_rnn.start"
            ),
            one_seed(
                "recurrence.gradient_decades.gru.start", by="recurrence.gradient_decades.simple_rnn.start"
            ),
        ),
        confirmed_by=Confirmation(trials.STARTS, "max(lstm, gru) < -10"),
    ),
    Claim(
        "recurrence.larger_bias_keeps",
        "before training, the LSTM with the larger forget bias loses at least ten factors of ten less",
        _larger_bias_keeps,
        nulls=(
            swapped(
                "recurrence.gradient_decades.lstm.start", "recurrence.gradient_decades.lstm_larger_bias.start"
            ),
            relabelled(
                "recurrence.gradient_decades.lstm.start", "recurrence.gradient_decades.lstm_larger_bias.start"
            ),
        ),
        confirmed_by=Confirmation(trials.STARTS, "lstm_larger_bias - lstm > 10", least="most"),
    ),
    Claim(
        "recurrence.bound_holds",
        "before training, no SimpleRNN's median gradient exceeds (γ σ_max)^T at any distance or seed",
        _bound_holds,
        exempt="theorem: the bound of every such product; tested in test_recurrent.py",
    ),
    Claim(
        "recurrence.answers_without_gradient",
        "each LSTM that solved 200 tokens after shorter ones loses more than three factors of ten over them",
        _answers_without_gradient,
        nulls=(
            instead(
                "recurrence.gradient_decades.lstm_short_first.trained",
                by="recurrence.gradient_decades.simple_rnn.trained",
            ),
        ),
        confirmed_by=Confirmation(
            trials.SHORT_FIRST,
            "not short_first_solved or short_first_gradient < -3",
            given="short_first_solved",
        ),
    ),
    Claim(
        "recurrence.attention_flat",
        "before training, attention's gradient varies by less than a factor of ten over all positions but "
        "the last",
        _attention_flat,
        nulls=(planted("an LSTM's gradients in the place of attention's", _gradients_of_lstm),),
        confirmed_by=Confirmation(trials.STARTS, "attention_varies < 1", least="most"),
    ),
    Claim(
        "recurrence.dilutes",
        "the largest weight over noise falls with each length, and stays above that of equal scores",
        _dilutes,
        nulls=(
            permuted("recurrence.dilution.n{n}", "n"),
            instead(
                "recurrence.dilution.n{n}",
                by="recurrence.dilution_uniform.n{n}",
                words="a weight like the others",
            ),
        ),
    ),
    Claim(
        "recurrence.attention_focuses",
        "trained on the longest sequences, the last position gives the first more than 0.3 of its weight, "
        "for every seed",
        lambda f: above(WEIGHT_ON_FIRST.samples(f, stage="trained"), 0.3),
        nulls=(
            instead(
                "recurrence.weight_on_first.trained",
                by="recurrence.weight_on_first.start",
                words="before training",
            ),
            one_seed("recurrence.weight_on_first.trained", by="recurrence.weight_on_first.start"),
        ),
        confirmed_by=Confirmation(trials.READERS, "weight_on_first_trained > 0.3"),
    ),
    Claim(
        "recurrence.attention_focuses_where_solved",
        "every seed of attention that answers more than 0.95 at 200 tokens gives the first of them more than "
        "0.1 of the last position's weight",
        _focuses_where_solved,
        nulls=(
            instead(
                "recurrence.weight_on_first.trained",
                by="recurrence.weight_on_first.start",
                words="before training",
            ),
            one_seed("recurrence.weight_on_first.trained", by="recurrence.weight_on_first.start"),
        ),
        confirmed_by=Confirmation(
            trials.REACH,
            "attention_t200 <= 0.95 or weight_on_first_trained > 0.1",
            given="attention_t200 > 0.95",
        ),
    ),
    Claim(
        "recurrence.attention_slower",
        "the mean of attention's updates until it has solved the task rises with each length, and at 200 "
        "tokens each seed needs more than any seed needs at 100",
        _attention_slower,
        nulls=(
            permuted("recurrence.steps.attention.t{t}", "t"),
            flat("recurrence.steps.attention.t{t}", "t"),
        ),
        confirmed_by=Confirmation(trials.READERS, _slower(), least="most"),
    ),
    Claim(
        "recurrence.one_step",
        "attention takes one sequential step at each length",
        lambda f: equal(COST.values(f, layer="attention", what="sequential_steps"), 1),
        nulls=(
            instead(
                "recurrence.cost.attention.sequential_steps.n{n}",
                by="recurrence.cost.lstm.sequential_steps.n{n}",
            ),
        ),
    ),
    Claim(
        "recurrence.crossing_is_twice_the_width",
        "attention does more multiply-adds than an LSTM from 2d + 1 tokens on",
        lambda f: equal(CROSSING.values(f, what="multiply_adds"), 2 * PARAMETERS["cost_width"] + 1),
        nulls=(
            becomes(
                "recurrence.crossing.multiply_adds", by=2 * PARAMETERS["cost_width"], words="one token sooner"
            ),
        ),
    ),
)

EXPERIMENT = Experiment(
    name="recurrence",
    question="How far back can a layer reach, why no further, and what does attention pay for its reach?",
    measure=measure,
    parameters=PARAMETERS,
    quick=QUICK,
    runs=tuple(_runs()),
    seconds=120,
    claims=CLAIMS,
    scopes={
        "recurrence.dilution*": Scope("{dilution_draws} rows of scores from N(0, 1).", trained=False),
        **dict.fromkeys(
            ("recurrence.cost.*", "recurrence.crossing.*"),
            Scope("Counted for layers {cost_width} wide, attention with {cost_heads} heads.", trained=False),
        ),
        "recurrence.parameters.*": Scope("Counted for readers {width} wide.", trained=False),
        "recurrence.bound_decades.*": Scope(
            "New SimpleRNN readers {width} wide over {gradient_length} tokens, seeds {seeds}; no training.",
            trained=False,
        ),
        "log10_gradients.*": Scope(
            "Gradients of {gradient_sequences} sequences of {gradient_length} tokens, readers {width} wide; "
            "seeds {seeds}.",
            seeds=("seeds",),
        ),
        "recurrence.*": Scope(
            "Recall of the first of {lengths} tokens, layers {width} wide, Adam at a rate of "
            "{learning_rate}, at most "
            "{epochs} epochs of {training} sequences in batches of {batch} (about three times what the "
            "SimpleRNN needs at the longest length but one), gradients clipped at {clip_norm}; "
            "seeds {seeds}.",
            seeds=("seeds",),
        ),
    },
)
