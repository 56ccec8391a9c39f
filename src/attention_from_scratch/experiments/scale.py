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
from itertools import pairwise
from typing import Any

import numpy as np
from jaxtyping import Float

from attention_from_scratch.attention import softmax
from attention_from_scratch.experiments import scale_runs
from attention_from_scratch.experiments import scale_trials as trials
from attention_from_scratch.experiments.lookup_training import TRAINING
from attention_from_scratch.experiments.policies import ARITHMETIC, COUNT, SAMPLED
from attention_from_scratch.saturation import Rows, row_statistics, softmax_jacobian
from attention_from_scratch.tasks import lookup
from measured.terms.claims import Claim, Verdict, above, below, between, every, falls
from measured.terms.experiment import Experiment, Findings, Run, Table
from measured.terms.family import Family, rows, table
from measured.terms.measurement import AtLeast, AtMost, Measurement, Spread
from measured.terms.null import becomes, flat, instead, one_seed, permuted, relabelled, swapped
from measured.terms.scope import Scope
from measured.terms.trial import Confirmation

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
WAYS = ("unscaled", "scaled")
WORDS = {
    "max_weight": "largest attention weight of a row",
    "entropy": "entropy of a row of attention weights",
    "jacobian": "Frobenius norm of the softmax's Jacobian",
    "query_gradient": "norm of the gradient that reaches the query",
}
UNITS = {"max_weight": "", "entropy": "nats"}
SUMMARIES = {
    "lower_quartile": "lower quartile",
    "median": "median",
    "upper_quartile": "upper quartile",
    "mean": "mean",
}
LABELS = {"what": WORDS, "summary": SUMMARIES}
TRAINED = Spread("trained: rounding differs by machine and training amplifies it", k=3, floor=0.05)

# What is measured: its name, what it is, how far it may drift, how it is shown.
# fmt: off
UNIFORM_WEIGHT = Family("scale.uniform_weight",
    "weight of each of {keys} keys if all weigh the same", ARITHMETIC, ".4f")
UNIFORM_ENTROPY = Family("scale.uniform_entropy",
    "entropy of {keys} equal weights, the largest there is", ARITHMETIC, ".4f", "nats")
WINNER_WEIGHT = Family("scale.winner_weight.gap{gap}",
    "weight of the winning key among {keys}, its score {gap} above all others", ARITHMETIC, ".4f")
WINNER_SLOPE = Family("scale.winner_slope.gap{gap}",
    "derivative of the winning key's weight by its own score, {gap} above all others among {keys}",
    ARITHMETIC, ".2g")
MEAN_ONE = Family("scale.score_variance.mean_one",
    "variance of the dot product divided by d_k = {d}, where components have mean 1 and variance 1", SAMPLED,
    ".2f")
SCORE_VARIANCE = Family("scale.score_variance.d{d}",
    "variance of the dot product of a query and a key, divided by d_k = {d}", SAMPLED, ".3f")
MAX_WEIGHT = Family("scale.max_weight.{way}.d{d}",
    "mean largest attention weight of a row, {way}, d_k = {d}", SAMPLED, ".3f")
ENTROPY = Family("scale.entropy.{way}.d{d}",
    "mean entropy of a row of attention weights, {way}, d_k = {d}", SAMPLED, ".2f", "nats")
STANDARD_ERROR = Family("scale.standard_error.{what}.{way}.d{d}",
    "standard error of the mean {what}, {way}, d_k = {d}", SAMPLED, ".4f", "{unit}", labels=LABELS)
FEW_DRAWS = Family("scale.few_draws.{what}.{way}.d{d}",
    "mean {what}, {way}, d_k = {d}, over {draws} draws only", SAMPLED, ".4f", "{unit}", labels=LABELS)
FEW_DRAWS_ERROR = Family("scale.few_draws_error.{what}.{way}.d{d}",
    "standard error that a mean over {draws} draws has: {what}, {way}, d_k = {d}", SAMPLED, ".4f", "{unit}",
    labels=LABELS)
SATURATED = Family("scale.saturated.{way}.d{d}",
    "share of rows whose largest weight exceeds {saturated_above}, {way}, d_k = {d}", SAMPLED, ".0%")
GRADIENT = Family("scale.{what}.{summary}.{way}.d{d}",
    "{summary} of the {what}, {way}, d_k = {d}", SAMPLED, ".2g", labels=LABELS)
KERAS_MAX_WEIGHT = Family("scale.keras.max_weight.{way}.d{d}",
    "mean largest attention weight of a row in a new Keras layer, {way}, key_dim = {d}", SAMPLED, ".2f")
KERAS_GRADIENT = Family("scale.keras.{what}.{summary}.{way}.d{d}",
    "{summary} of the {what}, {way}, d_k = {d}, at Keras' own initialisation", SAMPLED, ".2g", labels=LABELS)
CHANCE = Family("scale.training.chance", "accuracy of answering without looking", ARITHMETIC, ".3f")
COMMONEST = Family("scale.training.commonest",
    "accuracy of answering with the value that the sequence holds most often", SAMPLED, ".2f")
ACCURACY = Family("scale.training.accuracy.{way}",
    "accuracy of the trained lookup on held-out sequences, {way}, mean over seeds", TRAINED, ".2f")
LOWEST_SCALED = Family("scale.training.lowest.scaled",
    "lowest accuracy of any seed at the end, scaled", AtLeast("solved is solved: a task this small leaves "
    "nothing to chance", bound=0.995), ".2f", statistic="smallest")
HIGHEST_UNSCALED = Family("scale.training.highest.unscaled",
    "highest accuracy of any seed at the end, unscaled", AtMost("how far it gets varies by machine and seed; "
    "that it is not there is the claim", bound=0.85), ".2f", statistic="largest")
EARLY_SCALED = Family("scale.training.early.scaled",
    "accuracy of the scaled lookup after {updates} updates, mean over seeds", TRAINED, ".2f")
HALF_UNSCALED = Family("scale.training.half.unscaled",
    "accuracy of the unscaled lookup after half of its updates, mean over seeds", TRAINED, ".2f")
UPDATES = Family("scale.training.updates", "updates that each lookup was trained for", COUNT, ",d")
EARLY_UPDATES = Family("scale.training.early_updates", "updates before the first look", COUNT, "d")
# fmt: on

CHUNK = 5_000


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
    **_: Any,
) -> Findings:
    """Sample rows for each width, with and without the division; sum up the trained lookups."""
    found = [*_known(keys, gaps), _mean_one(mean_one_width, draws, seed)]
    arrays: dict[str, np.ndarray] = {"widths": np.array(widths), "shares": _shares(36)}
    for d in widths:
        rows_of, variance = _sampled(d, keys, draws, seed)
        few, _ = _sampled(d, keys, writeup_draws, seed + 1)
        found.append(SCORE_VARIANCE.of(variance / d, d=d))
        for way, of in rows_of.items():
            saturated = (of["max_weight"] > saturated_above).mean()
            found += _weights(of, few[way], way, d)
            found += _gradients(GRADIENT, of, way, d)
            found.append(SATURATED.of(saturated, way=way, d=d, saturated_above=saturated_above))
            for what in ("jacobian", "query_gradient"):
                arrays[f"{what}.{way}.d{d}"] = np.quantile(of[what], arrays["shares"])
        found += _on_keras(d, keys, keras_seeds, keras_sequences)
    curves = {way: np.array([runs[f"lookup.seed{s}"][way] for s in training_seeds]) for way in WAYS}
    steps = next(iter(runs.values()))["steps"]
    found += _trained(curves, steps, training_seeds)
    arrays |= {"training.steps": steps, **{f"training.{way}": curves[way] for way in WAYS}}
    return Findings(tuple(found), arrays, _tables(widths))


def factor_of(way: str, width: int) -> float:
    """What the scores are multiplied by."""
    return width**-0.5 if way == "scaled" else 1.0


def _sampled(width: int, keys: int, draws: int, seed: int) -> tuple[dict[str, Rows], float]:
    """Rows for each way, and the variance of the scores."""
    chunks: dict[str, list[Rows]] = {way: [] for way in WAYS}
    squares = []
    for query, key, upstream in _drawn(width, keys, draws, seed):
        scores = np.einsum("rd,rid->ri", query, key).astype(np.float64)
        squares.append(np.square(scores).mean(axis=-1))
        for way in WAYS:
            chunks[way].append(row_statistics(scores, key, upstream, factor_of(way, width)))
    joined = {way: {name: np.concatenate([c[name] for c in chunks[way]]) for name in WORDS} for way in WAYS}
    return joined, float(np.concatenate(squares).mean())


def _drawn(width: int, keys: int, draws: int, seed: int) -> Iterator[tuple[np.ndarray, ...]]:
    """Queries, keys and upstream gradients, a manageable number at a time."""
    generator = np.random.default_rng([seed, width])
    for start in range(0, draws, CHUNK):
        count = min(CHUNK, draws - start)
        query = generator.standard_normal((count, width), dtype=np.float32)
        key = generator.standard_normal((count, keys, width), dtype=np.float32)
        yield query, key, generator.standard_normal((count, keys))


def _weights(of: Rows, few: Rows, way: str, d: int) -> Iterator[Measurement]:
    """Largest weight and entropy: over many draws, and over as few as the write-up took."""
    for what, mean in (("max_weight", MAX_WEIGHT), ("entropy", ENTROPY)):
        deviation, count = of[what].std(ddof=1), len(few[what])
        named = {"what": what, "way": way, "d": d, "unit": UNITS[what]}
        yield mean.of(of[what].mean(), way=way, d=d)
        yield STANDARD_ERROR.of(deviation / math.sqrt(len(of[what])), **named)
        yield FEW_DRAWS.of(few[what].mean(), **named, draws=count)
        yield FEW_DRAWS_ERROR.of(deviation / math.sqrt(count), **named, draws=count)


def _gradients(family: Family, of: Rows, way: str, d: int) -> Iterator[Measurement]:
    """Median, quartiles and mean of the Jacobian's norm and of the query's gradient."""
    for what in ("jacobian", "query_gradient"):
        values = of[what].ravel()
        lower, upper = np.quantile(values, 0.25), np.quantile(values, 0.75)
        summed_up = [lower, np.median(values), upper, values.mean()]
        yield from family.each(summed_up, summary=SUMMARIES, what=what, way=way, d=d)


def _shares(count: int) -> np.ndarray:
    """Shares from 0 to 1 at which quantiles are kept, denser towards both ends, where the tails are."""
    return (1 - np.cos(np.linspace(0, np.pi, count))) / 2


def _known(keys: int, gaps: list[int]) -> Iterator[Measurement]:
    """Equal weights; and the slope of the largest weight by its own score, when it leads by a gap."""
    yield UNIFORM_WEIGHT.of(1 / keys, keys=keys)
    yield UNIFORM_ENTROPY.of(math.log(keys), keys=keys)
    for gap in gaps:
        weights = softmax(np.array([[gap, *[0.0] * (keys - 1)]]))
        yield WINNER_WEIGHT.of(weights[0, 0], gap=gap, keys=keys)
        yield WINNER_SLOPE.of(softmax_jacobian(weights)[0, 0, 0], gap=gap, keys=keys)


def _mean_one(d: int, draws: int, seed: int) -> Measurement:
    """The variance rule needs means of zero: with means of 1, three times the variance."""
    generator = np.random.default_rng([seed, 1])
    query, key = 1 + generator.standard_normal((2, draws, d), dtype=np.float32)
    return MEAN_ONE.of(np.einsum("rd,rd->r", query, key).astype(np.float64).var() / d, d=d)


def _on_keras(d: int, keys: int, seeds: list[int], sequences: int) -> Iterator[Measurement]:
    """The same rows from the queries and keys of new Keras layers, one head as wide as its tokens."""
    collected = [_keras_rows(d, keys, seed, sequences) for seed in seeds]
    for way in WAYS:
        of = {name: np.array([c[way][name] for c in collected]) for name in WORDS}  # (seeds, rows)
        yield KERAS_MAX_WEIGHT.over_seeds(of["max_weight"].mean(axis=-1), seeds, way=way, d=d)
        yield from _gradients(KERAS_GRADIENT, of, way, d)


def _keras_rows(width: int, keys: int, seed: int, sequences: int) -> dict[str, Rows]:
    import keras

    from attention_from_scratch.training import set_seed

    set_seed(seed)
    layer = keras.layers.MultiHeadAttention(1, width)
    layer.build((None, keys, width), (None, keys, width))
    query_kernel, key_kernel = layer.get_weights()[0], layer.get_weights()[2]  # biases start at zero
    generator = np.random.default_rng([seed, width])
    tokens = generator.standard_normal((sequences, keys, width), dtype=np.float32)
    query, key = tokens @ query_kernel[:, 0], tokens @ key_kernel[:, 0]
    scores = (query @ key.swapaxes(-1, -2)).astype(np.float64).reshape(-1, keys)
    upstream = generator.standard_normal(scores.shape)
    seen = np.repeat(key, keys, axis=0)  # each of a sequence's queries sees the same keys
    return {
        way: row_statistics(scores, seen, upstream, width**-0.5 if way == "scaled" else 1.0) for way in WAYS
    }


def _trained(
    curves: Mapping[str, Float[np.ndarray, "seeds points"]], steps: np.ndarray, seeds: list[int]
) -> Iterator[Measurement]:
    """Sum up the trained lookups over their seeds."""
    values, length = TRAINING["values"], TRAINING["length"]
    held = lookup.draw(0, 100_000, length, TRAINING["symbols"], values).values
    counts = (held[:, :, np.newaxis] == np.arange(values)).sum(axis=1)
    scaled, unscaled = curves["scaled"], curves["unscaled"]
    yield CHANCE.of(1 / values)
    yield COMMONEST.of(counts.max(axis=1).mean() / length)
    for way in WAYS:
        yield ACCURACY.over_seeds(curves[way][:, -1], seeds, way=way)
    yield LOWEST_SCALED.over_seeds(scaled[:, -1], seeds)
    yield HIGHEST_UNSCALED.over_seeds(unscaled[:, -1], seeds)
    yield EARLY_SCALED.over_seeds(scaled[:, 1], seeds, updates=TRAINING["every"])
    yield HALF_UNSCALED.over_seeds(unscaled[:, unscaled.shape[1] // 2], seeds)
    yield UPDATES.of(int(steps[-1]))
    yield EARLY_UPDATES.of(int(steps[1]))


def _tables(widths: list[int]) -> tuple[Table, ...]:
    def over_widths(name: str, columns: Mapping[str, Family], corner: str = "d_k") -> Table:
        return table(name, corner, rows("d", widths), columns)

    def gradients(what: str) -> Table:
        of = GRADIENT.at(what=what)
        columns = {f"{s}, {w}": of.at(summary=s, way=w) for s in ("median", "mean") for w in WAYS}
        return over_widths(f"scale.{what}", columns)

    few, error = (family.at(what="max_weight") for family in (FEW_DRAWS, FEW_DRAWS_ERROR))
    keras = KERAS_GRADIENT.at(what="jacobian", summary="median")
    weights = {
        "largest weight, unscaled": MAX_WEIGHT.at(way="unscaled"),
        "scaled": MAX_WEIGHT.at(way="scaled"),
        "entropy, unscaled (nats)": ENTROPY.at(way="unscaled"),
        "scaled (nats)": ENTROPY.at(way="scaled"),
    }
    draws = {
        "few draws, unscaled": few.at(way="unscaled"),
        "standard error, unscaled": error.at(way="unscaled"),
        "few draws, scaled": few.at(way="scaled"),
        "standard error, scaled": error.at(way="scaled"),
    }
    in_keras = {
        "largest weight, unscaled": KERAS_MAX_WEIGHT.at(way="unscaled"),
        "scaled": KERAS_MAX_WEIGHT.at(way="scaled"),
        "median Jacobian, unscaled": keras.at(way="unscaled"),
        "median Jacobian, scaled": keras.at(way="scaled"),
    }
    return (
        over_widths("scale.max_weight", weights),
        over_widths("scale.few_draws", draws),
        gradients("jacobian"),
        gradients("query_gradient"),
        over_widths("scale.keras", in_keras, corner="key_dim"),
    )


JACOBIAN, QUERY_GRADIENT = GRADIENT.at(what="jacobian"), GRADIENT.at(what="query_gradient")


def _unscaled_saturates(found: Findings) -> Verdict:
    weights = list(MAX_WEIGHT.values(found, way="unscaled").values())
    entropies = list(ENTROPY.values(found, way="unscaled").values())
    return every(
        above({f"rise {i}": b - a for i, (a, b) in enumerate(pairwise(weights))}, 0.05),
        below({f"fall {i}": b - a for i, (a, b) in enumerate(pairwise(entropies))}, -0.1),
    )


def _digits_stand(found: Findings) -> Verdict:
    units = {"max_weight": 0.001, "entropy": 0.01}
    errors = {
        name: value / unit
        for what, unit in units.items()
        for name, value in STANDARD_ERROR.values(found, what=what).items()
    }
    return below(errors, 0.5)


def _jacobian_vanishes(found: Findings) -> Verdict:
    median = JACOBIAN.at(summary="median")
    ratio = median.value(found, way="unscaled", d=256) / median.value(found, way="scaled", d=256)
    return every(falls(median.values(found, way="unscaled")), below({"ratio": ratio}, 0.1))


def _mean_hides_it(found: Findings) -> Verdict:
    unscaled = JACOBIAN.at(way="unscaled", d=256)
    return above(
        {"ratio": unscaled.value(found, summary="mean") / unscaled.value(found, summary="median")}, 10
    )


def _heavy_tailed(found: Findings) -> Verdict:
    def scaled_minus_unscaled(summary: str) -> float:
        at_256 = QUERY_GRADIENT.at(summary=summary, d=256)
        return at_256.value(found, way="scaled") - at_256.value(found, way="unscaled")

    return above({"median": scaled_minus_unscaled("median"), "mean": -scaled_minus_unscaled("mean")}, 0)


def _keras_is_like_the_draws(found: Findings) -> Verdict:
    """New layers against drawn queries and keys: how far apart, of either sign."""
    pairs = {
        "largest weight": (KERAS_MAX_WEIGHT, MAX_WEIGHT),
        "Jacobian": (KERAS_GRADIENT.at(what="jacobian", summary="median"), JACOBIAN.at(summary="median")),
    }
    return every(
        *(
            below(
                {
                    f"{what}, {way}, {name.rpartition('.')[2]}": abs(one - other)
                    for way in WAYS
                    for (name, one), other in zip(
                        layers.values(found, way=way).items(),
                        draws.values(found, way=way).values(),
                        strict=True,
                    )
                },
                0.06,
            )
            for what, (layers, draws) in pairs.items()
        )
    )


def _stands_still(found: Findings) -> Verdict:
    half, end = HALF_UNSCALED.value(found), ACCURACY.value(found, way="unscaled")
    guessing = found["scale.training.chance"]
    return every(
        below({"gain": end - half}, 0.15),
        below({"half": half}, 0.75),
        above({"above guessing": half - guessing}, 0.1),
    )


CLAIMS = (
    Claim(
        "scale.digits_stand",
        "the standard error of each mean is less than half a unit of the last digit shown",
        _digits_stand,
        nulls=(
            instead(
                "scale.standard_error.{what}.{way}.d{d}",
                by="scale.few_draws_error.{what}.{way}.d{d}",
                words="as few draws as the write-up took",
            ),
        ),
    ),
    Claim(
        "scale.variance_is_width",
        "the variance of the dot product divided by d_k lies within 1% of 1 at every width",
        lambda f: between(SCORE_VARIANCE.values(f), 0.99, 1.01),
        nulls=(
            becomes(
                "scale.score_variance.d{d}",
                by="scale.score_variance.mean_one",
                words="components of mean one",
            ),
        ),
    ),
    Claim(
        "scale.unscaled_saturates",
        "without the scale the largest weight rises by over 0.05 and the entropy falls by over 0.1 "
        "nats, with every step of d_k",
        _unscaled_saturates,
        nulls=(
            instead(
                "scale.{what}.unscaled.d{d}",
                by="scale.{what}.scaled.d{d}",
                words="scaled in the place of unscaled",
            ),
            permuted("scale.max_weight.unscaled.d{d}", "d", "scale.entropy.unscaled.d{d}"),
            flat("scale.entropy.unscaled.d{d}", "d"),
        ),
    ),
    Claim(
        "scale.scaled_holds",
        "with the scale the largest weight lies between 0.26 and 0.30 at every width",
        lambda f: between(MAX_WEIGHT.values(f, way="scaled"), 0.26, 0.30),
        nulls=(instead("scale.max_weight.scaled.d{d}", by="scale.max_weight.unscaled.d{d}"),),
    ),
    Claim(
        "scale.jacobian_median_vanishes",
        "the unscaled Jacobian's median falls with each step of d_k, to under a tenth of the scaled at 256",
        _jacobian_vanishes,
        nulls=(
            instead("scale.jacobian.median.unscaled.d{d}", by="scale.jacobian.median.scaled.d{d}"),
            permuted("scale.jacobian.median.unscaled.d{d}", "d"),
        ),
    ),
    Claim(
        "scale.mean_hides_it",
        "at d_k = 256 the unscaled Jacobian's mean is more than ten times its median",
        _mean_hides_it,
        nulls=(
            instead("scale.jacobian.{summary}.unscaled.d256", by="scale.jacobian.{summary}.scaled.d256"),
            instead(
                "scale.jacobian.mean.unscaled.d256", by="scale.jacobian.median.unscaled.d256", words="no tail"
            ),
        ),
    ),
    Claim(
        "scale.gradients_heavy_tailed",
        "at d_k = 256 the unscaled query gradient's median is below the scaled one's, its mean above",
        _heavy_tailed,
        nulls=(
            swapped(
                "scale.query_gradient.{summary}.unscaled.d{d}", "scale.query_gradient.{summary}.scaled.d{d}"
            ),
            instead(
                "scale.query_gradient.mean.unscaled.d256",
                by="scale.query_gradient.median.unscaled.d256",
                words="no tail",
            ),
            instead(
                "scale.query_gradient.median.unscaled.d256",
                by="scale.query_gradient.mean.unscaled.d256",
                words="no body",
            ),
        ),
    ),
    Claim(
        "scale.winner_too",
        "the winning key's own slope falls as its lead grows beyond ten, to less than a millionth at twenty",
        lambda f: every(falls(WINNER_SLOPE.values(f)), below(WINNER_SLOPE.values(f, gap=20), 1e-6)),
        nulls=(
            flat("scale.winner_slope.gap{gap}", "gap"),
            permuted("scale.winner_slope.gap{gap}", "gap"),
        ),
    ),
    Claim(
        "scale.keras_too",
        "in new Keras layers the mean largest weight and the median of the Jacobian are within 0.06 of those "
        "of drawn queries and keys, at every width, divided or not",
        _keras_is_like_the_draws,
        nulls=(
            swapped("scale.keras.max_weight.unscaled.d{d}", "scale.keras.max_weight.scaled.d{d}"),
            swapped("scale.keras.jacobian.median.unscaled.d{d}", "scale.keras.jacobian.median.scaled.d{d}"),
            permuted("scale.keras.max_weight.unscaled.d{d}", "d"),
        ),
    ),
    Claim(
        "scale.training_needs_it",
        "every seed solves the lookup with the scale (0.99 or more), none without it (0.9 or less)",
        lambda f: every(above(LOWEST_SCALED.values(f), 0.99), below(HIGHEST_UNSCALED.values(f), 0.9)),
        nulls=(
            swapped("scale.training.lowest.scaled", "scale.training.highest.unscaled"),
            one_seed("scale.training.lowest.scaled", by="scale.training.commonest"),
            one_seed("scale.training.highest.unscaled", by=1.0),
            relabelled("scale.training.lowest.scaled", "scale.training.highest.unscaled"),
        ),
        confirmed_by=Confirmation(trials.FURTHER, "unit_divided > 0.99 and unit_none < 0.9"),
    ),
    Claim(
        "scale.training_stands_still",
        "in the second half of its updates the unscaled lookup gains under 0.15 on average; by then it is "
        "above guessing by more than 0.1, and below 0.75",
        _stands_still,
        nulls=(
            instead(
                "scale.training.accuracy.unscaled",
                by="scale.training.accuracy.scaled",
                words="it is solved after all",
            ),
            becomes(
                "scale.training.half.unscaled",
                by="scale.training.chance",
                words="it has learned nothing by half time",
            ),
            becomes(
                "scale.training.half.unscaled",
                by="scale.training.lowest.scaled",
                words="it is solved by half time",
            ),
        ),
        confirmed_by=Confirmation(
            trials.FURTHER,
            f"unit_none - unit_none_half < 0.15 and {1 / TRAINING['values'] + 0.1} < unit_none_half < 0.75",
            least="most",
        ),
    ),
)

EXPERIMENT = Experiment(
    name="scale",
    question="What does dividing the scores by the square root of d_k change?",
    measure=measure,
    parameters={**PARAMETERS, **{f"training_{name}": value for name, value in TRAINING.items()}},
    quick=QUICK,
    runs=Run.over_seeds(
        "lookup",
        scale_runs.train,
        TRAINING,
        PARAMETERS["training_seeds"],
        quick_seeds=QUICK["training_seeds"],
        quick={"steps": 10, "every": 5},
        seconds=180,
    ),
    seconds=240,
    claims=CLAIMS,
    scopes={
        "scale.keras.*": Scope(
            "New Keras layers with one head, fed {keras_sequences} sequences of {keys} tokens from N(0, 1), "
            "seeds {keras_seeds}; no training.",
            trained=False,
        ),
        "scale.training.*": Scope(
            "One head with key_dim {training_key_dim} that learns a lookup among {training_length} "
            "pairs, embeddings "
            "that start as N(0, 1), Adam at Keras' rate, {training_steps} updates of {training_batch} fresh "
            "sequences; seeds {training_seeds}."
        ),
    },
)
