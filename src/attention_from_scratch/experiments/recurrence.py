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

from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Float

from attention_from_scratch import costs
from attention_from_scratch.attention import softmax
from attention_from_scratch.experiments.policies import ARITHMETIC, COUNT, SAMPLED
from attention_from_scratch.experiments.recurrence_runs import train_reader
from attention_from_scratch.recurrent import gradient_bound, sigmoid
from attention_from_scratch.tasks.recall import CHANCE
from measured.terms.claims import Claim, Verdict, above, below, between, equal, every, falls
from measured.terms.experiment import Cell, Experiment, Findings, Run, Table
from measured.terms.measurement import Close, Measurement, Spread

TRAINING = {
    "width": 16,
    "num_heads": 1,
    "recurrent_initializer": "orthogonal",
    "forget_bias": 1.0,
    "lengths_before": [],
    "training": 2048,
    "validation": 512,
    "test": 1024,
    "batch": 64,
    "epochs": 16,
    "learning_rate": 3e-3,
    "clip_norm": 1.0,
    "stop_at": 0.995,
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
QUICK_RUN = {"training": 128, "validation": 128, "epochs": 1, "lengths_before": []}

LAYERS = {"simple_rnn": "SimpleRNN", "gru": "GRU", "lstm": "LSTM", "attention": "attention"}
ALL_LENGTHS = PARAMETERS["lengths"]
LONGEST = ALL_LENGTHS[-1:]
COST_LENGTHS = PARAMETERS["cost_lengths"]
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


def _runs() -> tuple[Run, ...]:
    made = []
    for name, (_, differing, lengths) in VARIANTS.items():
        for length in lengths:
            looked_at = length == PARAMETERS["gradient_length"]
            fixed = {
                **TRAINING,
                **differing,
                "length": length,
                "gradient_sequences": PARAMETERS["gradient_sequences"] if looked_at else 0,
            }
            made += [
                Run(
                    f"{name}.t{length}.seed{seed}",
                    train_reader,
                    {**fixed, "seed": seed},
                    seconds=600,
                    quick=QUICK_RUN,
                    in_quick=seed in QUICK["seeds"],
                )
                for seed in PARAMETERS["seeds"]
            ]
    return tuple(made)


def measure(runs: Mapping[str, Any], seeds: list[int], **settings: Any) -> Findings:
    """Sum up the runs by seed; count costs; draw noise for the dilution."""
    gradients, arrays = _gradients(runs, seeds, settings["gradient_length"])
    found = [
        *_horizons(runs, seeds),
        *_sizes(runs, seeds),
        *gradients,
        *_starts(runs, seeds, settings["lengths"], settings["larger_forget_bias"]),
        *_costs(settings["cost_lengths"], settings["cost_width"], settings["cost_heads"]),
        *_dilution(settings["dilution_lengths"], settings["dilution_draws"], settings["dilution_seed"]),
    ]
    tables = (_horizon_table(settings["lengths"]), _gradient_table(), *_cost_tables(), _dilution_table())
    return Findings(tuple(found), arrays, tables)


def _horizons(runs: Mapping[str, Any], seeds: list[int]) -> list[Measurement]:
    """Accuracy by layer, start and length; how many trainings were solved."""
    one_seed = 0.5 / len(seeds)  # from chance to solved, divided by the seeds
    trained = Spread(
        "three standard errors over seeds, and never less than one seed that flips between chance and "
        "solved: near its horizon a training tips over on rounding",
        k=3,
        floor=1.02 * one_seed,
    )
    found = []
    for name, (words, _, lengths) in VARIANTS.items():
        for length in lengths:
            of_seeds = [runs[f"{name}.t{length}.seed{seed}"] for seed in seeds]
            found.append(
                Measurement(
                    f"recurrence.accuracy.{name}.t{length}",
                    np.mean([run["accuracy"] for run in of_seeds]),
                    f"test accuracy of {words}, recalling the first of {length} tokens, mean over seeds",
                    trained,
                    ".3f",
                    seeds=seeds,
                    samples=[run["accuracy"] for run in of_seeds],
                )
            )
            if name == "attention":
                found.append(_updates(name, words, length, of_seeds, seeds))
            if name in ("lstm", "lstm_short_first") and length in LONGEST:
                found.append(
                    Measurement(
                        f"recurrence.solved.{name}.t{length}",
                        sum(int(run["solved"]) for run in of_seeds),
                        f"seeds with which {words} solved {length} tokens within the budget",
                        Close("near its horizon one seed may tip over on rounding", atol=1),
                        "d",
                    )
                )
        found.append(
            Measurement(
                f"recurrence.solved_in_all.{name}",
                sum(
                    int(runs[f"{name}.t{length}.seed{seed}"]["solved"])
                    for length in lengths
                    for seed in seeds
                ),
                f"trainings of {words} that solved their length within the budget, of {len(lengths)} lengths "
                f"and {len(seeds)} seeds",
                Close("near their horizons a few trainings may tip over on rounding", atol=3),
                "d",
            )
        )
    return found


def _sizes(runs: Mapping[str, Any], seeds: list[int]) -> list[Measurement]:
    """What the layers and their trainings are made of."""
    found = []
    for layer, words in LAYERS.items():
        count = int(runs[f"{layer}.t{ALL_LENGTHS[0]}.seed{seeds[0]}"]["parameters"])
        found.append(
            Measurement(
                f"recurrence.parameters.{layer}",
                count,
                f"parameters of the reader with {words}: embedding, layer and logits",
                COUNT,
                ",d",
            )
        )
    return [
        *found,
        Measurement(
            "recurrence.trainings",
            len(seeds) * len(ALL_LENGTHS),
            "trainings of each layer and start: lengths times seeds",
            COUNT,
        ),
        Measurement("recurrence.seed_count", len(seeds), "seeds of each training", COUNT),
        Measurement("recurrence.chance", CHANCE, "accuracy of guessing between two classes", COUNT, ".1f"),
        Measurement(
            "recurrence.updates",
            TRAINING["training"] // TRAINING["batch"] * TRAINING["epochs"],
            "updates in the whole budget: batches of the training set, times epochs",
            COUNT,
            ",d",
        ),
    ]


def _updates(
    name: str, words: str, length: int, of_seeds: list[Mapping[str, Any]], seeds: list[int]
) -> Measurement:
    samples = [run["steps"] for run in of_seeds]
    return Measurement(
        f"recurrence.steps.{name}.t{length}",
        np.mean(samples),
        f"updates made on {length} tokens by {words} before it stopped, mean over seeds",
        Spread("three standard errors over seeds, at least four epochs", k=3, floor=128),
        ".0f",
        seeds=seeds,
        samples=samples,
    )


def _gradients(
    runs: Mapping[str, Any], seeds: list[int], length: int
) -> tuple[list[Measurement], dict[str, np.ndarray]]:
    """By how many factors of ten the gradient at the first state is smaller than at the last."""
    found, arrays = [], {}
    for name in VARIANTS:
        what = "∂L/∂(what attention reads)" if name == "attention" else "∂L/∂state"
        for stage, when in STAGES.items():
            curves = np.array(
                [runs[f"{name}.t{length}.seed{seed}"][f"log10_gradients_{stage}"] for seed in seeds]
            )
            arrays[f"log10_gradients.{name}.{stage}"] = curves
            changes = curves[:, 0] - curves[:, -1]
            found.append(
                Measurement(
                    f"recurrence.gradient_decades.{name}.{stage}",
                    changes.mean(),
                    f"factors of ten between {what} at the first and at the last of {length} tokens, {when}, "
                    f"for {VARIANTS[name][0]}: −3 is a thousandth; median over sequences, mean over seeds",
                    Spread(
                        "three standard errors over seeds, at least one factor of ten: the page speaks of "
                        "orders of magnitude",
                        k=3,
                        floor=1.0,
                    ),
                    ".1f",
                    unit="factors of ten",
                    seeds=seeds,
                    samples=changes,
                )
            )
    return found, arrays


def _starts(
    runs: Mapping[str, Any], seeds: list[int], lengths: list[int], larger_bias: float
) -> list[Measurement]:
    """What initialisation fixes: singular values, forget gates; and what training makes of them."""
    longest = lengths[-1]
    found = []
    for name, words in (("simple_rnn", "orthogonal"), ("simple_rnn_glorot", "Glorot")):
        of_seeds = [runs[f"{name}.t{longest}.seed{seed}"] for seed in seeds]
        for stage, when in STAGES.items():
            values = [float(run[f"largest_singular_value_{stage}"]) for run in of_seeds]
            found.append(
                Measurement(
                    f"recurrence.largest_singular_value.{name}.{stage}",
                    np.mean(values),
                    f"largest singular value of the SimpleRNN's recurrent matrix, {words} start, {when} on "
                    f"{longest} tokens, mean over seeds",
                    Spread("three standard errors over seeds, at least 0.05", k=3, floor=0.05),
                    ".2f",
                    seeds=seeds,
                    samples=values,
                )
            )
        start = found[-2].value
        found.append(
            Measurement(
                f"recurrence.bound_decades.{name}",
                (longest - 1) * np.log10(gradient_bound(start, 1)),
                f"what the bound (γ σ_max)^T allows over {longest - 1} steps, {words} start, γ = 1 for tanh",
                Close("rounding of float32 weights, multiplied by the number of steps", atol=0.01),
                "+.1f",
                unit="factors of ten",
            )
        )
    for name, bias in (("lstm", 1.0), ("lstm_larger_bias", larger_bias)):
        gate = float(sigmoid(np.float64(bias)))
        found.append(
            Measurement(
                f"recurrence.forget_gate.{name}",
                gate,
                f"an LSTM's forget gate where nothing but its bias of {bias:g} speaks",
                ARITHMETIC,
                ".3f",
            )
        )
        found += [
            Measurement(
                f"recurrence.forget_product.{name}.t{length}",
                gate**length,
                f"share of a cell that {length} such gates leave, forget bias {bias:g}",
                ARITHMETIC,
                ".1e" if gate**length < 0.01 else ".2f",
            )
            for length in lengths
        ]
        for stage, when in STAGES.items():
            values = [
                float(10 ** (runs[f"{name}.t{longest}.seed{seed}"][f"log10_kept_{stage}"][0] / (longest - 1)))
                for seed in seeds
            ]
            found.append(
                Measurement(
                    f"recurrence.mean_forget_gate.{name}.{stage}",
                    np.mean(values),
                    f"the LSTM's forget gate {when} on {longest} tokens, forget bias {bias:g}: geometric "
                    "mean over steps, cells and sequences, mean over seeds",
                    Spread("three standard errors over seeds, at least 0.02", k=3, floor=0.02),
                    ".3f",
                    seeds=seeds,
                    samples=values,
                )
            )
    for stage, when in STAGES.items():
        values = [float(runs[f"attention.t{longest}.seed{seed}"][f"weights_{stage}"][0]) for seed in seeds]
        found.append(
            Measurement(
                f"recurrence.weight_on_first.{stage}",
                np.mean(values),
                f"attention of the last position on the first of {longest} tokens, {when}, mean over "
                "sequences and seeds",
                Spread("three standard errors over seeds, at least 0.1", k=3, floor=0.1),
                ".3f",
                seeds=seeds,
                samples=values,
            )
        )
    return found


COUNTED = {
    "sequential_steps": ("sequential steps", ""),
    "multiply_adds": ("multiply-adds", ""),
    "training_bytes": ("bytes of states or attention weights kept for the way back", "bytes"),
    "carried_bytes": ("bytes to keep for reading one more token", "bytes"),
}


def _costs(lengths: list[int], width: int, num_heads: int) -> list[Measurement]:
    found = []
    for length in lengths:
        readings = {
            "lstm": costs.recurrent("lstm", length, width),
            "attention": costs.attention(length, width, num_heads),
        }
        found += [
            Measurement(
                f"recurrence.cost.{layer}.{what}.n{length}",
                getattr(reading, what),
                f"{words} of one {'LSTM' if layer == 'lstm' else 'self-attention'} layer over {length} "
                f"tokens of width {width}",
                COUNT,
                ",d",
                unit=unit,
            )
            for layer, reading in readings.items()
            for what, (words, unit) in COUNTED.items()
        ]
    for what in ("multiply_adds", "training_bytes"):
        found.append(
            Measurement(
                f"recurrence.crossing.{what}",
                costs.crossing("lstm", width, num_heads, what),
                f"shortest sequence on which self-attention needs more {COUNTED[what][0]} than an LSTM, both "
                f"of width {width}",
                COUNT,
                ",d",
                unit="tokens",
            )
        )
    return found


def _dilution(lengths: list[int], draws: int, seed: int) -> list[Measurement]:
    """The largest weight among n scores that are standard normal noise."""
    generator = np.random.default_rng(seed)
    found = []
    for length in lengths:
        largest = _largest_weights(generator, draws, length)
        error = largest.std(ddof=1) / draws**0.5
        found += [
            Measurement(
                f"recurrence.dilution.n{length}",
                largest.mean(),
                f"mean largest weight of one head over {length} standard normal scores, {draws:,} draws",
                SAMPLED,
                ".4f",
            ),
            Measurement(
                f"recurrence.dilution_standard_error.n{length}",
                error,
                f"standard error of the mean largest weight over {length} scores",
                Close("the seed fixes the draws", rtol=1e-3),
                ".5f",
            ),
            Measurement(
                f"recurrence.dilution_uniform.n{length}",
                1 / length,
                f"the weight that {length} equal scores would give each token",
                ARITHMETIC,
                ".4f",
            ),
        ]
    return found


def _largest_weights(
    generator: np.random.Generator, draws: int, length: int, chunk: int = 500
) -> Float[np.ndarray, " draws"]:
    counts = [min(chunk, draws - begun) for begun in range(0, draws, chunk)]
    return np.concatenate([softmax(generator.normal(size=(n, length))).max(axis=1) for n in counts])


def _horizon_table(lengths: list[int]) -> Table:
    rows = tuple(
        (
            _row_label(words),
            *(Cell(f"recurrence.accuracy.{name}.t{n}") if n in its_own else "—" for n in lengths),
            Cell(f"recurrence.solved_in_all.{name}"),
        )
        for name, (words, _, its_own) in VARIANTS.items()
    )
    return Table(
        "recurrence.accuracy",
        ("accuracy over so many tokens", *(str(n) for n in lengths), "solved"),
        rows,
    )


def _gradient_table() -> Table:
    rows = tuple(
        (_row_label(words), *(Cell(f"recurrence.gradient_decades.{name}.{stage}") for stage in STAGES))
        for name, (words, _, _) in VARIANTS.items()
    )
    return Table("recurrence.gradients", ("factors of ten, first step to last", *STAGES.values()), rows)


def _dilution_table() -> Table:
    measured = ("dilution", "dilution_standard_error", "dilution_uniform")
    rows = tuple(
        (f"{n:,}", *(Cell(f"recurrence.{what}.n{n}") for what in measured))
        for n in PARAMETERS["dilution_lengths"]
    )
    heading = ("tokens", "mean largest weight", "standard error", "weight if all were alike")
    return Table("recurrence.dilution", heading, rows)


def _row_label(words: str) -> str:
    return words.removeprefix("a ").removeprefix("an ")


def _cost_tables() -> tuple[Table, Table]:
    def cells(length: int, *counted: str) -> tuple[str | Cell, ...]:
        ids = (
            f"recurrence.cost.{layer}.{what}.n{length}" for what in counted for layer in ("lstm", "attention")
        )
        return (f"{length:,}", *map(Cell, ids))

    lengths = PARAMETERS["cost_lengths"]
    work = Table(
        "recurrence.costs",
        (
            "tokens",
            "sequential steps, LSTM",
            "sequential steps, attention",
            "multiply-adds, LSTM",
            "multiply-adds, attention",
        ),
        tuple(cells(n, "sequential_steps", "multiply_adds") for n in lengths),
    )
    memory = Table(
        "recurrence.memory",
        (
            "tokens",
            "kept for the way back, LSTM (bytes)",
            "kept for the way back, attention (bytes)",
            "to read one more token, LSTM (bytes)",
            "to read one more token, attention (bytes)",
        ),
        tuple(cells(n, "training_bytes", "carried_bytes") for n in lengths),
    )
    return work, memory


def _accuracy(found: Findings, name: str, *lengths: int) -> dict[str, float]:
    return {f"{name}, {n} tokens": found[f"recurrence.accuracy.{name}.t{n}"] for n in lengths or ALL_LENGTHS}


def _decades(found: Findings, name: str, stage: str = "start") -> dict[str, float]:
    return {f"{name}, {stage}": found[f"recurrence.gradient_decades.{name}.{stage}"]}


def _dilutes(found: Findings) -> Verdict:
    weights = {n: found[f"recurrence.dilution.n{n}"] for n in PARAMETERS["dilution_lengths"]}
    over_uniform = {f"{n} tokens, over uniform": w * n for n, w in weights.items()}
    return every(falls({f"{n} tokens": w for n, w in weights.items()}), above(over_uniform, 1))


def _guessing(found: Findings) -> Verdict:
    """At 100 and 200 tokens, GRU and LSTM lie within what guessing on 3 × 1,024 sequences may give."""
    values = {**_accuracy(found, "gru", 100, 200), **_accuracy(found, "lstm", 100, 200)}
    return between(values, CHANCE - 0.06, CHANCE + 0.06)


def _bound_holds(found: Findings) -> Verdict:
    """Before training, at each distance and seed: log10 of what is left, minus that of the bound."""
    length = PARAMETERS["gradient_length"]
    excesses = {}
    for name in ("simple_rnn", "simple_rnn_glorot"):
        curves = found.arrays[f"log10_gradients.{name}.start"]
        left = (curves - curves[:, -1:])[:, ::-1]
        allowed = found[f"recurrence.bound_decades.{name}"] / (length - 1) * np.arange(length)
        excesses[f"{name}, largest excess"] = float((left - allowed)[:, 1:].max())
    return below(excesses, 1e-3)


def _gain(found: Findings, better: str, worse: str, length: int) -> dict[str, float]:
    ids = (f"recurrence.accuracy.{name}.t{length}" for name in (better, worse))
    return {f"{better} over {worse}, {length} tokens": np.subtract(*(found[i] for i in ids)).item()}


def _answers_without_gradient(found: Findings) -> Verdict:
    by_id = {m.id: m.samples for m in found.measurements}
    accuracies = by_id["recurrence.accuracy.lstm_short_first.t200"]
    decades = by_id["recurrence.gradient_decades.lstm_short_first.trained"]
    seeds = PARAMETERS["seeds"]
    solved = {
        f"seed {seed}": lost
        for seed, right, lost in zip(seeds, accuracies, decades, strict=False)
        if right >= TRAINING["stop_at"] - 0.02
    }
    return below(solved, -3)


def _attention_flat(found: Findings) -> Verdict:
    curve = found.arrays["log10_gradients.attention.start"].mean(axis=0)[:-1]
    return below({"largest over smallest, factors of ten": float(np.ptp(curve))}, 1)


def _one_step(found: Findings) -> Verdict:
    ids = [f"recurrence.cost.attention.sequential_steps.n{n}" for n in COST_LENGTHS]
    return equal({name: found[name] for name in ids}, 1)


CLAIMS = (
    Claim(
        "recurrence.attention_reaches",
        "attention answers more than 0.95 at each length",
        lambda f: above(_accuracy(f, "attention"), 0.95),
    ),
    Claim(
        "recurrence.simple_reaches",
        "the SimpleRNN with its orthogonal start answers more than 0.8 at each length",
        lambda f: above(_accuracy(f, "simple_rnn"), 0.8),
    ),
    Claim(
        "recurrence.all_near",
        "all four layers answer more than 0.95 at 10 tokens",
        lambda f: above({w: f[f"recurrence.accuracy.{layer}.t10"] for layer, w in LAYERS.items()}, 0.95),
    ),
    Claim(
        "recurrence.gated_guess",
        "GRU and LSTM, at Keras' start, lie within 0.06 of guessing at 100 and 200 tokens",
        _guessing,
    ),
    Claim(
        "recurrence.larger_bias_reaches",
        "at 100 tokens the larger forget bias answers at least 0.2 more than forget bias 1",
        lambda f: above(_gain(f, "lstm_larger_bias", "lstm", 100), 0.2),
    ),
    Claim(
        "recurrence.short_first_reaches",
        "at 200 tokens the LSTM that learned shorter sequences first answers at least 0.1 more",
        lambda f: above(_gain(f, "lstm_short_first", "lstm", 200), 0.1),
    ),
    Claim(
        "recurrence.glorot_solves_fewer",
        "over all lengths and seeds, the SimpleRNN solves at least two trainings fewer from a Glorot start",
        lambda f: above(
            {
                "fewer": f["recurrence.solved_in_all.simple_rnn"]
                - f["recurrence.solved_in_all.simple_rnn_glorot"]
            },
            1.5,
        ),
    ),
    Claim(
        "recurrence.glorot_vanishes",
        "before training, the Glorot start loses more than ten factors of ten, though its bound exceeds 1",
        lambda f: every(
            below(_decades(f, "simple_rnn_glorot"), -10),
            above({"bound": f["recurrence.bound_decades.simple_rnn_glorot"]}, 0),
        ),
    ),
    Claim(
        "recurrence.orthogonal_keeps",
        "before training, the orthogonal SimpleRNN loses fewer than three factors of ten over 199 steps",
        lambda f: above(_decades(f, "simple_rnn"), -3),
    ),
    Claim(
        "recurrence.gated_vanish",
        "before training, LSTM (forget bias 1) and GRU lose more than ten factors of ten over 199 steps",
        lambda f: below({**_decades(f, "lstm"), **_decades(f, "gru")}, -10),
    ),
    Claim(
        "recurrence.larger_bias_keeps",
        "before training, the LSTM with the larger forget bias loses at least ten factors of ten less",
        lambda f: above(
            {
                "larger bias, less lost": f["recurrence.gradient_decades.lstm_larger_bias.start"]
                - f["recurrence.gradient_decades.lstm.start"]
            },
            10,
        ),
    ),
    Claim(
        "recurrence.bound_holds",
        "before training, no SimpleRNN's median gradient exceeds (γ σ_max)^T at any distance or seed",
        _bound_holds,
    ),
    Claim(
        "recurrence.answers_without_gradient",
        "each LSTM that solved 200 tokens after shorter ones loses more than three factors of ten over them",
        _answers_without_gradient,
    ),
    Claim(
        "recurrence.attention_flat",
        "before training, attention's gradient varies by less than a factor of ten over all positions but "
        "the last",
        _attention_flat,
    ),
    Claim(
        "recurrence.dilutes",
        "the largest weight over noise falls with each length, and stays above that of equal scores",
        _dilutes,
    ),
    Claim(
        "recurrence.attention_focuses",
        "trained on the longest sequences, the last position gives the first more than 0.2 of its weight",
        lambda f: above({"after training": f["recurrence.weight_on_first.trained"]}, 0.2),
    ),
    Claim(
        "recurrence.attention_slower",
        "attention makes at least 100 more updates at 200 tokens than at 10 before it has solved them",
        lambda f: above(
            {"more updates": f["recurrence.steps.attention.t200"] - f["recurrence.steps.attention.t10"]}, 100
        ),
    ),
    Claim("recurrence.one_step", "attention takes one sequential step at each length", _one_step),
    Claim(
        "recurrence.crossing_is_twice_the_width",
        "attention does more multiply-adds than an LSTM from 2d + 1 tokens on",
        lambda f: equal(
            {"crossing": f["recurrence.crossing.multiply_adds"]}, 2 * PARAMETERS["cost_width"] + 1
        ),
    ),
)

EXPERIMENT = Experiment(
    name="recurrence",
    question="How far back can a layer reach, why no further, and what does attention pay for its reach?",
    measure=measure,
    parameters=PARAMETERS,
    quick=QUICK,
    runs=_runs(),
    seconds=120,
    claims=CLAIMS,
)
