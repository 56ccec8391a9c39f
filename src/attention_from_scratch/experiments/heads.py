"""What heads buy, what they cost, and what one head can and cannot fetch.

Drawn: standard normal tokens; projections that keep unit variance; for the parameters, Keras layers.

Measured: parameters over (num_heads, key_dim), counted by Keras and by formula; the rank of each head's
score matrix; whether one head can fetch two things (values in separate channels, then different
channels of different tokens); whether permuting the tokens permutes the outputs; multiply-adds and
bytes of scores by length, counted; and how far block-by-block attention lies from the six lines.

Refuted, if two heads of half the width had other parameters than one; if a head's scores had a rank
above key_dim; if one head could fetch different channels from different tokens; or if a permutation of
the tokens changed more than the order of the outputs, without mask and positions.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from attention_from_scratch import masks
from attention_from_scratch.attention import attention, softmax
from attention_from_scratch.experiments.policies import (
    ARITHMETIC,
    COUNT,
    FLOAT32_ROUNDING,
    FLOAT64_ROUNDING,
    SAMPLED,
)
from attention_from_scratch.heads import Projections, cost, multi_head_attention, parameters
from attention_from_scratch.online import online_attention
from attention_from_scratch.positions import shift, sinusoidal
from measured.terms.claims import Claim, Verdict, above, below, between, equal, every
from measured.terms.experiment import Experiment, Findings, Table
from measured.terms.family import Family, rows, table
from measured.terms.measurement import AtMost, Measurement
from measured.terms.null import becomes, flat, instead

PARAMETERS = {
    "d_model": 64,
    "splits": [[1, 64], [2, 32], [4, 16], [8, 8], [16, 4], [4, 64]],
    "length": 64,
    "rank_lengths": [4, 8, 16, 64, 256],
    "circle_keys": 64,
    "circle_gain": 1_000,
    "shift_width": 32,
    "shift_length": 12,
    "shift_weight": 0.9,
    "seed": 0,
    "shares": [0.0, 0.25, 0.5, 0.75, 1.0],
    "fetches": 20_000,
    "cost_lengths": [128, 512, 2_048, 8_192, 32_768],
    "cost_d_model": 512,
    "cost_heads": 8,
    "cost_key_dim": 64,
    "online_length": 1_024,
    "online_block": 128,
}

# What is measured: its name, what it is, how far it may drift, how it is shown.
# fmt: off
WITH_BIASES = Family("heads.parameters.{split}",
    "parameters of a Keras layer with {heads} head(s) of key_dim {key_dim} on tokens {d_model} wide", COUNT,
    ",d")
WITHOUT_BIASES = Family("heads.parameters_without_biases.{split}",
    "parameters without biases of a Keras layer with {heads} head(s) of key_dim {key_dim} on tokens "
    "{d_model} wide", COUNT, ",d")
RANK = Family("heads.rank.{split}",
    "largest rank of a head's {length} × {length} scores, {heads} head(s) of key_dim {key_dim}", COUNT, "d")
RANK_AT = Family("heads.rank_at.n{n}",
    "largest rank of a head's scores over {n} tokens, {heads} heads of key_dim {key_dim}", COUNT, "d")
CIRCLE = Family("heads.circle_weight",
    "least weight on its own key of {keys} queries and keys on a circle, scores of rank 2 times {gain:,}",
    ARITHMETIC, ".3f")
SHIFT = Family("heads.shift_weight",
    "mean weight on the token before, of {n} tokens: sinusoidal positions, {width} wide, turned back by one",
    ARITHMETIC, ".2f")
SHIFT_GAIN = Family("heads.shift_gain",
    "least whole factor on those scores at which that weight exceeds {weight}", COUNT, "d")
ONE_HEAD = Family("heads.one_head.{which}",
    "how much of the {which} of two matching tokens one head delivers, values one-hot", ARITHMETIC, ".2f")
ONE_HEAD_LOSS = Family("heads.one_head_loss.share{percent}",
    "part of the wanted variance that the best read-out of one head's mix leaves over, the first token "
    "weighing {share}", SAMPLED, ".2f")
TWO_HEADS_LOSS = Family("heads.two_heads_loss",
    "part of the wanted variance that the best read-out of two heads, one on each token, leaves over",
    AtMost("rounding: two heads deliver all of it", bound=1e-21), ".0e")
PERMUTED_PLAIN = Family("heads.permutation_difference.plain",
    "largest difference between the outputs of permuted tokens and the permuted outputs: no mask, no "
    "positions", AtMost("float64 rounding", bound=5e-14), ".1e")
PERMUTED = Family("heads.permutation_difference.{case}",
    "largest difference between the outputs of permuted tokens and the permuted outputs: {case}", SAMPLED,
    ".2f", labels={"case": {"causal": "a causal mask, no positions",
    "positions": "no mask, positions added"}})
PROJECTIONS = Family("heads.projections.n{n}",
    "multiply-adds of the four projections, {n} tokens, counted", COUNT, ".2e", "multiply-adds")
PAIRS = Family("heads.pairs.n{n}",
    "multiply-adds of scores and weighted means, {n} tokens, counted", COUNT, ".2e", "multiply-adds")
SCORE_BYTES = Family("heads.score_bytes.n{n}",
    "bytes of float32 scores, all heads, {n} tokens, counted", COUNT, ",d", "bytes")
CROSSOVER = Family("heads.crossover_length",
    "the first length at which pairs cost more multiply-adds than projections", COUNT, ",d")
ONLINE_32 = Family("heads.online_difference.float32",
    "largest difference between attention block by block and the six lines, in float32", FLOAT32_ROUNDING,
    ".1e")
ONLINE_64 = Family("heads.online_difference.float64",
    "largest difference between attention block by block and the six lines, in float64", FLOAT64_ROUNDING,
    ".1e")
ONLINE_BYTES = Family("heads.online_bytes.{way}",
    "bytes of float32 scores held at once, {length} queries: {way}", COUNT, ",d", "bytes")
# fmt: on


def measure(
    d_model: int,
    splits: list[list[int]],
    length: int,
    seed: int,
    shares: list[float],
    fetches: int,
    cost_lengths: list[int],
    cost_d_model: int,
    cost_heads: int,
    cost_key_dim: int,
    online_length: int,
    online_block: int,
    **looked_up: Any,
) -> Findings:
    """Count, rank, fetch, permute, and add up."""
    generator = np.random.default_rng(seed)
    found = [
        *_parameters(d_model, splits),
        *_ranks(generator, d_model, splits, length),
        *_two_things(generator, shares, fetches),
        *_permuted(generator, d_model, length),
        *_costs(cost_lengths, cost_d_model, cost_heads, cost_key_dim),
        *_online(generator, online_length, online_block, cost_key_dim),
        *_ranks_by_length(d_model, looked_up["rank_lengths"], seed),
        CIRCLE.of(
            on_a_circle(looked_up["circle_keys"], looked_up["circle_gain"]),
            keys=looked_up["circle_keys"],
            gain=looked_up["circle_gain"],
        ),
        *_shifted(looked_up["shift_length"], looked_up["shift_width"], looked_up["shift_weight"]),
    ]
    return Findings(tuple(found), tables=_tables(d_model, splits, cost_lengths))


def name_of(d_model: int, heads: int, key_dim: int) -> str:
    """The part of an id that names a split; the width is left out where the split is the usual one."""
    return f"h{heads}" if heads * key_dim == d_model else f"h{heads}_key{key_dim}"


def _parameters(d_model: int, splits: list[list[int]]) -> Iterator[Measurement]:
    import keras

    for heads, key_dim in splits:
        for family, biases in ((WITH_BIASES, True), (WITHOUT_BIASES, False)):
            layer = keras.layers.MultiHeadAttention(heads, key_dim, use_bias=biases)
            layer.build((None, None, d_model), (None, None, d_model))
            counted = int(layer.count_params())
            if counted != parameters(d_model, heads, key_dim, biases=biases):
                raise ArithmeticError(f"Keras counts {counted} parameters for {heads} heads of {key_dim}")
            split = name_of(d_model, heads, key_dim)
            yield family.of(counted, split=split, heads=heads, key_dim=key_dim, d_model=d_model)


def _ranks(
    generator: np.random.Generator, d_model: int, splits: list[list[int]], length: int
) -> Iterator[Measurement]:
    """The rank of a head's matrix of scores before the softmax, one row a query."""
    tokens = generator.standard_normal((length, d_model))
    for heads, key_dim in splits:
        weights = Projections.random(generator, d_model, heads, key_dim)
        query, key = (np.einsum("td,dhk->htk", tokens, k) for k in (weights.query_kernel, weights.key_kernel))
        ranks = np.linalg.matrix_rank(query @ key.swapaxes(-1, -2))
        split = name_of(d_model, heads, key_dim)
        yield RANK.of(int(ranks.max()), split=split, length=length, heads=heads, key_dim=key_dim)


def _ranks_by_length(d_model: int, lengths: list[int], seed: int, heads: int = 4) -> Iterator[Measurement]:
    """The same over other numbers of tokens: the shorter of key_dim and the length."""
    generator = np.random.default_rng([seed, 1])
    weights = Projections.random(generator, d_model, heads, d_model // heads)
    for n in lengths:
        tokens = generator.standard_normal((n, d_model))
        query, key = (np.einsum("td,dhk->htk", tokens, k) for k in (weights.query_kernel, weights.key_kernel))
        ranks = np.linalg.matrix_rank(query @ key.swapaxes(-1, -2))
        yield RANK_AT.of(int(ranks.max()), n=n, heads=heads, key_dim=d_model // heads)


def on_a_circle(keys: int, gain: float) -> float:
    """The least weight that any of so many queries gives its own key, all two wide and of length one."""
    angles = 2 * np.pi * np.arange(keys) / keys
    vectors = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    return float(softmax(gain * vectors @ vectors.T).diagonal().min())


def weight_before(length: int, width: int, gain: float) -> float:
    """Mean weight on the position before, if each query is its position turned back by one, times a gain."""
    placed = sinusoidal(length, width)
    scores = gain * (placed @ shift(-1, width).T) @ placed.T / width**0.5
    return float(softmax(scores)[np.arange(1, length), np.arange(length - 1)].mean())


def _shifted(length: int, width: int, wanted: float) -> Iterator[Measurement]:
    yield SHIFT.of(weight_before(length, width, 1.0), n=length, width=width)
    enough = next(gain for gain in range(1, 10_000) if weight_before(length, width, gain) > wanted)
    yield SHIFT_GAIN.of(enough, weight=wanted)


def _two_things(generator: np.random.Generator, shares: list[float], fetches: int) -> Iterator[Measurement]:
    """One head with two keys that match equally; then two tokens' different channels, by one head or two."""
    key = np.eye(7)
    query = 40 * (key[2] + key[5])[np.newaxis]  # two keys match, five do not
    output, _ = attention(query, key, np.eye(7))
    yield ONE_HEAD.of(output[0, 2], which="first")
    yield ONE_HEAD.of(output[0, 5], which="second")
    first, second = generator.standard_normal((2, fetches, 2))
    wanted = np.stack([first[:, 0], second[:, 1]], axis=-1)
    for share in shares:
        mixed = share * first + (1 - share) * second
        yield ONE_HEAD_LOSS.of(unexplained(mixed, wanted), percent=round(100 * share), share=share)
    yield TWO_HEADS_LOSS.of(unexplained(np.concatenate([first, second], axis=-1), wanted))


def unexplained(given: np.ndarray, wanted: np.ndarray) -> float:
    """The share of variance left after the best linear map from `given` to `wanted`."""
    solution = np.linalg.lstsq(given, wanted, rcond=None)[0]
    return float(np.square(wanted - given @ solution).sum() / np.square(wanted).sum())


def _permuted(generator: np.random.Generator, d_model: int, length: int) -> Iterator[Measurement]:
    """Permute the tokens; see whether the outputs are permuted and nothing else."""
    tokens = generator.standard_normal((length, d_model))
    weights = Projections.random(generator, d_model, 4, d_model // 4)
    order = generator.permutation(length)

    def difference(mask: np.ndarray | None = None, positions: np.ndarray | float = 0) -> float:
        def outputs(given: np.ndarray) -> np.ndarray:
            placed = given + positions
            return multi_head_attention(placed, placed, placed, weights, mask)[0]

        return np.abs(outputs(tokens[order]) - outputs(tokens)[order]).max()

    yield PERMUTED_PLAIN.of(difference())
    yield PERMUTED.of(difference(mask=masks.causal(length)), case="causal")
    yield PERMUTED.of(difference(positions=sinusoidal(length, d_model)), case="positions")


def _costs(lengths: list[int], d_model: int, heads: int, key_dim: int) -> Iterator[Measurement]:
    def pairs_cost_more(length: int) -> bool:
        counted = cost(length, d_model, heads, key_dim)
        return counted.pair_multiply_adds > counted.projection_multiply_adds

    for n in lengths:
        counted = cost(n, d_model, heads, key_dim)
        yield PROJECTIONS.of(counted.projection_multiply_adds, n=n)
        yield PAIRS.of(counted.pair_multiply_adds, n=n)
        yield SCORE_BYTES.of(counted.score_bytes, n=n)
    yield CROSSOVER.of(next(n for n in range(1, 100_000) if pairs_cost_more(n)))


def _online(generator: np.random.Generator, length: int, block: int, width: int) -> Iterator[Measurement]:
    """Block by block against the six lines, causal, in both precisions."""
    drawn = generator.standard_normal((3, length, width))
    mask = masks.causal(length)
    for family, dtype in ((ONLINE_32, "float32"), (ONLINE_64, "float64")):
        query, key, value = drawn.astype(dtype)
        whole, _ = attention(query, key, value, mask)
        yield family.of(np.abs(online_attention(query, key, value, mask, block=block) - whole).max())
    yield ONLINE_BYTES.of(4 * length * length, way="whole", length=length)
    yield ONLINE_BYTES.of(4 * length * block, way="blocks", length=length)


def _tables(d_model: int, splits: list[list[int]], lengths: list[int]) -> tuple[Table, ...]:
    names = {name_of(d_model, heads, key_dim): f"{heads} × {key_dim}" for heads, key_dim in splits}
    counted = {
        "parameters": WITH_BIASES,
        "without biases": WITHOUT_BIASES,
        "rank of a head's scores, at most": RANK,
    }
    costs = {
        "multiply-adds, projections": PROJECTIONS,
        "multiply-adds, pairs": PAIRS,
        "bytes of scores": SCORE_BYTES,
    }
    return (
        table("heads.parameters", "num_heads × key_dim", rows("split", names), counted),
        table("heads.cost", "tokens", rows("n", lengths, ",d"), costs),
    )


EQUAL_SPLITS = {name_of(64, heads, key_dim): key_dim for heads, key_dim in PARAMETERS["splits"][:-1]}


def _rank_is_key_dim(found: Findings) -> Verdict:
    widths = {**EQUAL_SPLITS, "h4_key64": 64}
    by_length = {n: min(n, EQUAL_SPLITS["h4"]) for n in PARAMETERS["rank_lengths"]}
    return every(
        *(equal(RANK.values(found, split=split), width) for split, width in widths.items()),
        *(equal(RANK_AT.values(found, n=n), rank) for n, rank in by_length.items()),
    )


def _quadratic(found: Findings) -> Verdict:
    def growth(family: Family) -> dict[str, float]:
        counts = list(family.values(found).values())
        return {f"{family.id} {i}": b / a for i, (a, b) in enumerate(zip(counts, counts[1:], strict=False))}

    return every(
        equal(growth(PAIRS), 16.0), equal(growth(SCORE_BYTES), 16.0), equal(growth(PROJECTIONS), 4.0)
    )


CLAIMS = (
    Claim(
        "heads.no_extra_parameters",
        "every split with num_heads × key_dim = d_model has the parameters of one full-width head",
        lambda f: equal(WITH_BIASES.values(f, split=EQUAL_SPLITS), WITH_BIASES.value(f, split="h1")),
        nulls=(
            instead(
                "heads.parameters.h4", by="heads.parameters.h4_key64", words="heads as wide as the model"
            ),
        ),
    ),
    Claim(
        "heads.not_free",
        "four heads as wide as the model have more than three times the parameters",
        lambda f: above(
            {"ratio": WITH_BIASES.value(f, split="h4_key64") / WITH_BIASES.value(f, split="h1")}, 3
        ),
        nulls=(
            instead(
                "heads.parameters.h4_key64", by="heads.parameters.h4", words="heads that share the width"
            ),
        ),
    ),
    Claim(
        "heads.rank_is_key_dim",
        "the rank of a head's scores is exactly key_dim over 64 tokens, for every split, and the shorter of "
        "key_dim and the length over 4 to 256 tokens with four heads",
        _rank_is_key_dim,
        nulls=(
            flat("heads.rank.{split}", "split"),
            becomes("heads.rank_at.n{n}", by=1.0, words="rank one, whatever the length"),
        ),
    ),
    Claim(
        "heads.one_head_two_tokens",
        "one head delivers half of each of two matching tokens",
        lambda f: between(ONE_HEAD.values(f), 0.499, 0.501),
        nulls=(becomes("heads.one_head.{which}", by=1.0, words="all the weight on one token"),),
    ),
    Claim(
        "heads.one_head_loses_half",
        "however one head divides its attention, half of the wanted variance (within 0.02) is left over",
        lambda f: between(ONE_HEAD_LOSS.values(f), 0.48, 0.52),
        exempt="theorem: half is left, whatever the share; proof in the page, test_heads.py over many shares",
    ),
    Claim(
        "heads.two_heads_lose_nothing",
        "two heads leave nothing over but rounding",
        lambda f: below(TWO_HEADS_LOSS.values(f), 1e-20),
        nulls=(instead("heads.two_heads_loss", by="heads.one_head_loss.share50", words="one head"),),
    ),
    Claim(
        "heads.equivariant",
        "without mask and positions, permuting the tokens permutes the outputs, up to rounding",
        lambda f: below(PERMUTED_PLAIN.values(f), 1e-13),
        nulls=(instead("heads.permutation_difference.plain", by="heads.permutation_difference.causal"),),
    ),
    Claim(
        "heads.order_matters_otherwise",
        "with a causal mask, or with positions, it does not",
        lambda f: above(PERMUTED.values(f), 0.1),
        nulls=(
            instead("heads.permutation_difference.causal", by="heads.permutation_difference.plain"),
            instead("heads.permutation_difference.positions", by="heads.permutation_difference.plain"),
        ),
    ),
    Claim(
        "heads.quadratic",
        "four times the tokens cost exactly sixteen times the pairs and four times the projections",
        _quadratic,
        nulls=(
            flat("heads.pairs.n{n}", "n"),
            flat("heads.score_bytes.n{n}", "n"),
            flat("heads.projections.n{n}", "n"),
            instead("heads.pairs.n32768", by="heads.pairs.n8192", words="growth that stops"),
        ),
    ),
    Claim(
        "heads.online_agrees",
        "attention block by block differs from the six lines by rounding alone",
        lambda f: every(below(ONLINE_32.values(f), 1e-6), below(ONLINE_64.values(f), 1e-14)),
        nulls=(
            becomes(
                "heads.online_difference.{dtype}",
                by="heads.permutation_difference.causal",
                words="another function",
            ),
        ),
    ),
)

EXPERIMENT = Experiment(
    name="heads",
    question="What do several heads buy, and what do they cost?",
    measure=measure,
    parameters=PARAMETERS,
    quick={"fetches": 2_000},
    seconds=120,
    claims=CLAIMS,
)
