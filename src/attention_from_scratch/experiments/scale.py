"""What the division by the square root of d_k does to the weights, to their gradient, and to learning.

Drawn: one query and twelve keys with independent standard normal components, many times over, for each
width d_k; the same draws give the scaled and the unscaled row. First as many draws as the write-up took,
then enough of them that each digit shown stands. Then the queries and keys that a fresh
`keras.layers.MultiHeadAttention` computes from standard normal tokens as wide as the head. Last, a lookup
task trained with and without the division (`scale_runs`).

Measured, a row: the largest weight; the entropy; the Frobenius norm of the softmax's Jacobian
diag(w) - w w^T; and the norm of the gradient that reaches the query, for a loss whose derivative by each
weight is standard normal. Medians, quartiles and means, since the distributions are skewed.

Refuted, if the scaled rows' largest weight depended on d_k much, if the unscaled Jacobian's median did
not fall, or if the trained lookup reached the same accuracy either way.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np
from jaxtyping import Float

from attention_from_scratch.attention import softmax
from attention_from_scratch.experiments import scale_runs
from attention_from_scratch.experiments.policies import ARITHMETIC, COUNT, SAMPLED
from attention_from_scratch.tasks import lookup
from measured.terms.claims import Claim, Verdict, above, below, between, every, falls, rises
from measured.terms.experiment import Cell, Experiment, Findings, Run, Table
from measured.terms.measurement import AtLeast, AtMost, Measurement, Spread

PARAMETERS = {
    "widths": [4, 16, 64, 256],
    "keys": 12,
    "draws": 200_000,
    "writeup_draws": 200,
    "seed": 0,
    "mean_one_width": 64,
    "gaps": [0, 10, 20],
    "keras_seeds": list(range(10)),
    "keras_sequences": 100,
    "saturated_above": 0.99,
    "training_seeds": [0, 1, 2, 3, 4],
}
QUICK = {"draws": 4_000, "keras_seeds": [0, 1], "training_seeds": [0, 1]}
# A lookup over as many pairs as the figure above has keys; sixteen symbols, so that keys differ from
# sequence to sequence; eight values, so that guessing is worth little. A fresh batch at each update.
TRAINING = {
    "key_dim": 256,
    "length": 12,
    "symbols": 16,
    "values": 8,
    "steps": 1_000,
    "every": 20,
    "batch": 64,
    "test_sequences": 1_000,
}
WAYS = ("unscaled", "scaled")

WORDS = {
    "max_weight": "largest attention weight of a row",
    "entropy": "entropy of a row of attention weights",
    "jacobian": "Frobenius norm of the softmax's Jacobian",
    "query_gradient": "norm of the gradient that reaches the query",
}
CHUNK = 5_000

Rows = Mapping[str, Float[np.ndarray, "rows"]]


def measure(
    widths: list[int],
    keys: int,
    draws: int,
    writeup_draws: int,
    seed: int,
    mean_one_width: int,
    gaps: list[int],
    keras_seeds: list[int],
    keras_sequences: int,
    saturated_above: float,
    training_seeds: list[int],
    runs: Mapping[str, Mapping[str, np.ndarray]],
) -> Findings:
    """Sample rows for each width, with and without the division; sum up the trained lookups."""
    found = [*_uniform(keys), *_winner(keys, gaps), _mean_one(mean_one_width, draws, seed)]
    arrays: dict[str, np.ndarray] = {"widths": np.array(widths), "shares": _shares(36)}
    for width in widths:
        rows, variance = _sampled(width, keys, draws, seed)
        found.append(
            Measurement(
                f"scale.score_variance.d{width}",
                variance / width,
                f"variance of the dot product of a query and a key, divided by d_k = {width}",
                SAMPLED,
                ".3f",
            )
        )
        few, _ = _sampled(width, keys, writeup_draws, seed + 1)
        for way in WAYS:
            found += _weights(rows[way], few[way], way, width, writeup_draws)
            found += _gradients("scale", rows[way], way, width)
            found.append(
                Measurement(
                    f"scale.saturated.{way}.d{width}",
                    (rows[way]["max_weight"] > saturated_above).mean(),
                    f"share of rows whose largest weight exceeds {saturated_above}, {way}, d_k = {width}",
                    SAMPLED,
                    ".0%",
                )
            )
            for what in ("jacobian", "query_gradient"):
                arrays[f"{what}.{way}.d{width}"] = np.quantile(rows[way][what], arrays["shares"])
        found += _on_keras(width, keys, keras_seeds, keras_sequences)
    trained, curves = _trained(runs, training_seeds)
    return Findings((*found, *trained), {**arrays, **curves}, _tables(widths))


def statistics(
    scores: Float[np.ndarray, "rows keys"],
    keys: Float[np.ndarray, "rows keys width"],
    upstream: Float[np.ndarray, "rows keys"],
    factor: float,
) -> Rows:
    """What one row of scores, multiplied by `factor`, does.

    Args:
        scores: dot products of a query with its keys.
        keys: those keys, through which the gradient reaches the query.
        upstream: the loss's derivative by each weight.
        factor: 1, or one over the square root of the width.
    """
    weights = softmax(factor * scores)
    jacobian = softmax_jacobian(weights)
    by_score = np.einsum("rij,rj->ri", jacobian, upstream)
    by_query = factor * np.einsum("ri,rid->rd", by_score, keys)
    return {
        "max_weight": weights.max(axis=-1),
        "entropy": -np.sum(weights * np.log(np.maximum(weights, 1e-300)), axis=-1),
        "jacobian": np.sqrt(np.square(jacobian).sum(axis=(-2, -1))),
        "query_gradient": np.sqrt(np.square(by_query).sum(axis=-1)),
    }


def softmax_jacobian(weights: Float[np.ndarray, "rows keys"]) -> Float[np.ndarray, "rows keys keys"]:
    """The derivative of each weight by each score: $J = \\mathrm{diag}(w) - w w^T$.

    The diagonal is $w_i \\sum_{j \\ne i} w_j$ rather than $w_i (1 - w_i)$: the same number, but it keeps its
    digits where a weight is nearly 1.
    """
    count = weights.shape[-1]
    others = weights @ (1 - np.eye(count))
    jacobian = -weights[:, :, np.newaxis] * weights[:, np.newaxis, :]
    jacobian[:, np.arange(count), np.arange(count)] = weights * others
    return jacobian


def _sampled(width: int, keys: int, draws: int, seed: int) -> tuple[dict[str, Rows], float]:
    """Rows for each way, and the variance of the scores."""
    chunks: dict[str, list[Rows]] = {way: [] for way in WAYS}
    squares = []
    for query, key, upstream in _drawn(width, keys, draws, seed):
        scores = np.einsum("rd,rid->ri", query, key).astype(np.float64)
        squares.append(np.square(scores).mean(axis=-1))
        for way in WAYS:
            factor = width**-0.5 if way == "scaled" else 1.0
            chunks[way].append(statistics(scores, key, upstream, factor))
    rows = {way: {name: np.concatenate([c[name] for c in chunks[way]]) for name in WORDS} for way in WAYS}
    return rows, float(np.concatenate(squares).mean())


def _drawn(width: int, keys: int, draws: int, seed: int) -> Iterator[tuple[np.ndarray, ...]]:
    """Queries, keys and upstream gradients, a manageable number at a time."""
    generator = np.random.default_rng([seed, width])
    for start in range(0, draws, CHUNK):
        rows = min(CHUNK, draws - start)
        query = generator.standard_normal((rows, width), dtype=np.float32)
        key = generator.standard_normal((rows, keys, width), dtype=np.float32)
        yield query, key, generator.standard_normal((rows, keys))


def _weights(rows: Rows, few: Rows, way: str, width: int, writeup_draws: int) -> Iterator[Measurement]:
    """Largest weight and entropy: over many draws, and over as few as the write-up took."""
    for what, digits in (("max_weight", ".3f"), ("entropy", ".2f")):
        unit = "nats" if what == "entropy" else ""
        tail, words = f"{what}.{way}.d{width}", f"{WORDS[what]}, {way}, d_k = {width}"
        error = rows[what].std(ddof=1)
        of_few = error / math.sqrt(writeup_draws)
        yield Measurement(f"scale.{tail}", rows[what].mean(), f"mean {words}", SAMPLED, digits, unit)
        yield Measurement(
            f"scale.standard_error.{tail}",
            error / math.sqrt(len(rows[what])),
            f"standard error of the mean {words}",
            SAMPLED,
            ".4f",
            unit,
        )
        yield Measurement(
            f"scale.few_draws.{tail}",
            few[what].mean(),
            f"mean {words}, over {writeup_draws} draws only",
            SAMPLED,
            ".4f",
            unit,
        )
        yield Measurement(
            f"scale.few_draws_error.{tail}",
            of_few,
            f"standard error that a mean over {writeup_draws} draws has: {words}",
            SAMPLED,
            ".4f",
            unit,
        )


def _gradients(prefix: str, rows: Rows, way: str, width: int) -> Iterator[Measurement]:
    """Median, quartiles and mean of the Jacobian's norm and of the query's gradient."""
    summaries = {
        "lower_quartile": lambda values: np.quantile(values, 0.25),
        "median": np.median,
        "upper_quartile": lambda values: np.quantile(values, 0.75),
        "mean": np.mean,
    }
    for what in ("jacobian", "query_gradient"):
        for name, summary in summaries.items():
            yield Measurement(
                f"{prefix}.{what}.{name}.{way}.d{width}",
                summary(rows[what]),
                f"{name.replace('_', ' ')} of the {WORDS[what]}, {way}, d_k = {width}"
                + (", at Keras' own initialisation" if "keras" in prefix else ""),
                SAMPLED,
                ".2g",
            )


def _uniform(keys: int) -> list[Measurement]:
    return [
        Measurement(
            "scale.uniform_weight",
            1 / keys,
            f"weight of each of {keys} keys if all weigh the same",
            ARITHMETIC,
            ".4f",
        ),
        Measurement(
            "scale.uniform_entropy",
            math.log(keys),
            f"entropy of {keys} equal weights, the largest there is",
            ARITHMETIC,
            ".4f",
            "nats",
        ),
    ]


def _shares(count: int) -> np.ndarray:
    """Shares from 0 to 1 at which quantiles are kept, denser towards both ends, where the tails are."""
    return (1 - np.cos(np.linspace(0, np.pi, count))) / 2


def _winner(keys: int, gaps: list[int]) -> Iterator[Measurement]:
    """The slope of the largest weight by its own score, when it leads all others by a gap."""
    for gap in gaps:
        weights = softmax(np.array([[gap, *[0.0] * (keys - 1)]]))
        for what, value in (("weight", weights[0, 0]), ("slope", softmax_jacobian(weights)[0, 0, 0])):
            yield Measurement(
                f"scale.winner_{what}.gap{gap}",
                value,
                f"{what} of the winning key among {keys}, its score {gap} above all others"
                + (": the derivative of its weight by its own score" if what == "slope" else ""),
                ARITHMETIC,
                ".4f" if what == "weight" else ".2g",
            )


def _mean_one(width: int, draws: int, seed: int) -> Measurement:
    """The variance rule needs means of zero: with means of 1, three times the variance."""
    generator = np.random.default_rng([seed, 1])
    query, key = 1 + generator.standard_normal((2, draws, width), dtype=np.float32)
    return Measurement(
        "scale.score_variance.mean_one",
        np.einsum("rd,rd->r", query, key).astype(np.float64).var() / width,
        f"variance of the dot product divided by d_k = {width}, where components have mean 1 and variance 1",
        SAMPLED,
        ".2f",
    )


def _on_keras(width: int, keys: int, seeds: list[int], sequences: int) -> Iterator[Measurement]:
    """The same rows from the queries and keys of new Keras layers, one head as wide as its tokens."""
    collected = [_keras_rows(width, keys, seed, sequences) for seed in seeds]
    for way in WAYS:
        rows = {name: np.array([c[way][name] for c in collected]) for name in WORDS}  # (seeds, rows)
        a_seed = rows["max_weight"].mean(axis=-1)
        yield Measurement(
            f"scale.keras.max_weight.{way}.d{width}",
            a_seed.mean(),
            f"mean {WORDS['max_weight']} in a new Keras layer, {way}, key_dim = {width}",
            SAMPLED,
            ".2f",
            seeds=tuple(seeds),
            samples=tuple(a_seed),
        )
        yield from _gradients("scale.keras", {n: r.ravel() for n, r in rows.items()}, way, width)


def _keras_rows(width: int, keys: int, seed: int, sequences: int) -> dict[str, Rows]:
    import keras

    keras.utils.set_random_seed(seed)
    layer = keras.layers.MultiHeadAttention(1, width)
    layer.build((None, keys, width), (None, keys, width))
    query_kernel, key_kernel = layer.get_weights()[0], layer.get_weights()[2]  # biases start at zero
    generator = np.random.default_rng([seed, width])
    tokens = generator.standard_normal((sequences, keys, width), dtype=np.float32)
    query, key = tokens @ query_kernel[:, 0], tokens @ key_kernel[:, 0]
    scores = (query @ key.swapaxes(-1, -2)).astype(np.float64).reshape(-1, keys)
    upstream = generator.standard_normal(scores.shape)
    seen = np.repeat(key, keys, axis=0)  # each of a sequence's queries sees the same keys
    return {way: statistics(scores, seen, upstream, width**-0.5 if way == "scaled" else 1.0) for way in WAYS}


def _trained(
    runs: Mapping[str, Mapping[str, np.ndarray]], seeds: list[int]
) -> tuple[list[Measurement], dict[str, np.ndarray]]:
    """Sum up the trained lookups over their seeds."""
    made = [runs[f"lookup.seed{seed}"] for seed in seeds]
    curves = {way: np.array([run[way] for run in made]) for way in WAYS}  # (seeds, points)
    values, length = TRAINING["values"], TRAINING["length"]
    held = lookup.draw(0, 100_000, length, TRAINING["symbols"], values).values
    commonest = (held[:, :, np.newaxis] == np.arange(values)).sum(axis=1).max(axis=1).mean() / length
    found = [
        Measurement(
            "scale.training.chance", 1 / values, "accuracy of answering without looking", ARITHMETIC, ".3f"
        ),
        Measurement(
            "scale.training.commonest",
            commonest,
            "accuracy of answering with the value that the sequence holds most often",
            SAMPLED,
            ".2f",
        ),
    ]
    bounds = {
        "scaled": (AtLeast, 0.99, "solved is solved: a task this small leaves nothing to chance"),
        "unscaled": (
            AtMost,
            0.7,
            "how far it gets varies by machine and seed; that it is not there is the claim",
        ),
    }
    for way in WAYS:
        final = curves[way][:, -1]
        found.append(
            Measurement(
                f"scale.training.accuracy.{way}",
                final.mean(),
                f"accuracy of the trained lookup on held-out sequences, {way}, mean over seeds",
                Spread("trained: rounding differs by machine and training amplifies it", k=3, floor=0.05),
                ".2f",
                seeds=tuple(seeds),
                samples=tuple(final),
            )
        )
        kind, bound, reason = bounds[way]
        worst = final.min() if way == "scaled" else final.max()
        found.append(
            Measurement(
                f"scale.training.{'lowest' if way == 'scaled' else 'highest'}.{way}",
                worst,
                f"{'lowest' if way == 'scaled' else 'highest'} accuracy of any seed at the end, {way}",
                kind(reason, bound=bound),
                ".2f",
            )
        )
    points = {
        "early.scaled": (
            curves["scaled"][:, 1],
            f"accuracy of the scaled lookup after {TRAINING['every']} updates",
        ),
        "half.unscaled": (
            curves["unscaled"][:, curves["unscaled"].shape[1] // 2],
            "accuracy of the unscaled lookup after half of its updates",
        ),
    }
    for name, (samples, words) in points.items():
        found.append(
            Measurement(
                f"scale.training.{name}",
                samples.mean(),
                f"{words}, mean over seeds",
                Spread("trained: rounding differs by machine and training amplifies it", k=3, floor=0.05),
                ".2f",
                seeds=tuple(seeds),
                samples=tuple(samples),
            )
        )
    steps = next(iter(runs.values()))["steps"]
    found += [
        Measurement(
            "scale.training.updates", int(steps[-1]), "updates that each lookup was trained for", COUNT, ",d"
        ),
        Measurement(
            "scale.training.early_updates", int(steps[1]), "updates before the first look", COUNT, "d"
        ),
    ]
    return found, {"training.steps": steps, **{f"training.{way}": curves[way] for way in WAYS}}


def _tables(widths: list[int]) -> tuple[Table, ...]:
    def rows(*columns: str) -> tuple:
        return tuple((str(d), *(Cell(column.format(d=d)) for column in columns)) for d in widths)

    def both(name: str) -> list[str]:
        return [f"scale.{name}.{way}.d{{d}}" for way in WAYS]

    return (
        Table(
            "scale.max_weight",
            ("d_k", "largest weight, unscaled", "scaled", "entropy, unscaled (nats)", "scaled (nats)"),
            rows(*both("max_weight"), *both("entropy")),
        ),
        Table(
            "scale.few_draws",
            (
                "d_k",
                "few draws, unscaled",
                "their standard error",
                "few draws, scaled",
                "their standard error",
            ),
            rows(
                *(
                    f"scale.{name}.max_weight.{way}.d{{d}}"
                    for way in WAYS
                    for name in ("few_draws", "few_draws_error")
                )
            ),
        ),
        Table(
            "scale.jacobian",
            ("d_k", "median, unscaled", "median, scaled", "mean, unscaled", "mean, scaled"),
            rows(*both("jacobian.median"), *both("jacobian.mean")),
        ),
        Table(
            "scale.query_gradient",
            ("d_k", "median, unscaled", "median, scaled", "mean, unscaled", "mean, scaled"),
            rows(*both("query_gradient.median"), *both("query_gradient.mean")),
        ),
        Table(
            "scale.keras",
            ("key_dim", "largest weight, unscaled", "scaled", "median Jacobian, unscaled", "scaled"),
            rows(*both("keras.max_weight"), *both("keras.jacobian.median")),
        ),
    )


def _over_widths(found: Findings, name: str) -> dict[str, float]:
    return {f"d{d}": found[f"{name}.d{d}"] for d in PARAMETERS["widths"]}


def _digits_stand(found: Findings) -> Verdict:
    errors = {
        f"{what}.{way}.{d}": value / unit
        for what, unit in (("max_weight", 0.001), ("entropy", 0.01))
        for way in WAYS
        for d, value in _over_widths(found, f"scale.standard_error.{what}.{way}").items()
    }
    return below(errors, 0.5)


CLAIMS = (
    Claim(
        "scale.digits_stand",
        "the standard error of each mean is less than half a unit of the last digit shown",
        _digits_stand,
    ),
    Claim(
        "scale.variance_is_width",
        "the variance of the dot product divided by d_k lies within 1% of 1 at every width",
        lambda f: between(_over_widths(f, "scale.score_variance"), 0.99, 1.01),
    ),
    Claim(
        "scale.unscaled_saturates",
        "without the scale the largest weight rises and the entropy falls with every step of d_k",
        lambda f: every(
            rises(_over_widths(f, "scale.max_weight.unscaled")),
            falls(_over_widths(f, "scale.entropy.unscaled")),
        ),
    ),
    Claim(
        "scale.scaled_holds",
        "with the scale the largest weight lies between 0.26 and 0.30 at every width",
        lambda f: between(_over_widths(f, "scale.max_weight.scaled"), 0.26, 0.30),
    ),
    Claim(
        "scale.jacobian_median_vanishes",
        "the unscaled Jacobian's median falls with each step of d_k, to under a tenth of the scaled at 256",
        lambda f: every(
            falls({f"d{d}": f[f"scale.jacobian.median.unscaled.d{d}"] for d in (4, 16, 64, 256)}),
            below(
                {"ratio": f["scale.jacobian.median.unscaled.d256"] / f["scale.jacobian.median.scaled.d256"]},
                0.1,
            ),
        ),
    ),
    Claim(
        "scale.mean_hides_it",
        "at d_k = 256 the unscaled Jacobian's mean is more than ten times its median",
        lambda f: above(
            {"ratio": f["scale.jacobian.mean.unscaled.d256"] / f["scale.jacobian.median.unscaled.d256"]}, 10
        ),
    ),
    Claim(
        "scale.gradients_heavy_tailed",
        "at d_k = 256 the unscaled query gradient's median is below the scaled one's, its mean above",
        lambda f: every(
            above(
                {
                    "median": f["scale.query_gradient.median.scaled.d256"]
                    - f["scale.query_gradient.median.unscaled.d256"]
                },
                0,
            ),
            above(
                {
                    "mean": f["scale.query_gradient.mean.unscaled.d256"]
                    - f["scale.query_gradient.mean.scaled.d256"]
                },
                0,
            ),
        ),
    ),
    Claim(
        "scale.winner_too",
        "the winning key's own slope falls as its lead grows beyond ten, to less than a millionth at twenty",
        lambda f: every(
            falls({f"gap{g}": f[f"scale.winner_slope.gap{g}"] for g in PARAMETERS["gaps"]}),
            below({"gap20": f["scale.winner_slope.gap20"]}, 1e-6),
        ),
    ),
    Claim(
        "scale.keras_too",
        "in new Keras layers the unscaled largest weight rises with the width, the scaled stays below 0.33",
        lambda f: every(
            rises(_over_widths(f, "scale.keras.max_weight.unscaled")),
            below(_over_widths(f, "scale.keras.max_weight.scaled"), 0.33),
        ),
    ),
    Claim(
        "scale.training_needs_it",
        "every seed solves the lookup with the scale (0.99 or more), none without it (0.9 or less)",
        lambda f: every(
            above({"lowest scaled": f["scale.training.lowest.scaled"]}, 0.99),
            below({"highest unscaled": f["scale.training.highest.unscaled"]}, 0.9),
        ),
    ),
    Claim(
        "scale.training_stands_still",
        "in the second half of its updates the unscaled lookup gains less than 0.15, with over 0.25 to gain",
        lambda f: every(
            below({"gain": f["scale.training.accuracy.unscaled"] - f["scale.training.half.unscaled"]}, 0.15),
            below({"half": f["scale.training.half.unscaled"]}, 0.75),
        ),
    ),
)

EXPERIMENT = Experiment(
    name="scale",
    question="What does dividing the scores by the square root of d_k change?",
    measure=measure,
    parameters=PARAMETERS,
    quick=QUICK,
    runs=tuple(
        Run(
            f"lookup.seed{seed}",
            scale_runs.train,
            {"seed": seed, **TRAINING},
            seconds=180,
            quick={"steps": 60},
            in_quick=seed in QUICK["training_seeds"],
        )
        for seed in PARAMETERS["training_seeds"]
    ),
    seconds=240,
    claims=CLAIMS,
)
