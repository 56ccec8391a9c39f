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

import numpy as np

from attention_from_scratch import masks
from attention_from_scratch.attention import attention
from attention_from_scratch.experiments.policies import (
    ARITHMETIC,
    COUNT,
    FLOAT32_ROUNDING,
    FLOAT64_ROUNDING,
    SAMPLED,
)
from attention_from_scratch.heads import Projections, cost, multi_head_attention, parameters
from attention_from_scratch.online import online_attention
from attention_from_scratch.positions import sinusoidal
from measured.terms.claims import Claim, above, below, between, equal, every
from measured.terms.experiment import Cell, Experiment, Findings, Table
from measured.terms.measurement import AtMost, Measurement

PARAMETERS = {
    "d_model": 64,
    "splits": [[1, 64], [2, 32], [4, 16], [8, 8], [16, 4], [4, 64]],
    "length": 64,
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
    ]
    return Findings(tuple(found), tables=_tables(d_model, splits, cost_lengths))


def _name(d_model: int, heads: int, key_dim: int) -> str:
    """The part of an id that names a split; the width is left out where the split is the usual one."""
    return f"h{heads}" if heads * key_dim == d_model else f"h{heads}_key{key_dim}"


def _parameters(d_model: int, splits: list[list[int]]) -> Iterator[Measurement]:
    import keras

    for heads, key_dim in splits:
        for biases in (True, False):
            layer = keras.layers.MultiHeadAttention(heads, key_dim, use_bias=biases)
            layer.build((None, None, d_model), (None, None, d_model))
            counted = int(layer.count_params())
            if counted != parameters(d_model, heads, key_dim, biases=biases):
                raise ArithmeticError(f"Keras counts {counted} parameters for {heads} heads of {key_dim}")
            what = "parameters" if biases else "parameters_without_biases"
            yield Measurement(
                f"heads.{what}.{_name(d_model, heads, key_dim)}",
                counted,
                f"{what.replace('_', ' ')} of a Keras layer with {heads} head(s) of key_dim {key_dim} "
                f"on tokens {d_model} wide",
                COUNT,
                ",d",
            )


def _ranks(
    generator: np.random.Generator, d_model: int, splits: list[list[int]], length: int
) -> Iterator[Measurement]:
    """The rank of a head's matrix of scores before the softmax, one row a query."""
    tokens = generator.standard_normal((length, d_model))
    for heads, key_dim in splits:
        weights = Projections.random(generator, d_model, heads, key_dim)
        query, key = (np.einsum("td,dhk->htk", tokens, k) for k in (weights.query_kernel, weights.key_kernel))
        ranks = np.linalg.matrix_rank(query @ key.swapaxes(-1, -2))
        yield Measurement(
            f"heads.rank.{_name(d_model, heads, key_dim)}",
            int(ranks.max()),
            f"largest rank of a head's {length} × {length} scores, {heads} head(s) of key_dim {key_dim}",
            COUNT,
            "d",
        )


def _two_things(generator: np.random.Generator, shares: list[float], fetches: int) -> Iterator[Measurement]:
    """One head with two keys that match equally; then two tokens' different channels, by one head or two."""
    key = np.eye(7)
    query = 40 * (key[2] + key[5])[np.newaxis]  # two keys match, five do not
    output, _ = attention(query, key, np.eye(7))
    for name, token in (("first", 2), ("second", 5)):
        yield Measurement(
            f"heads.one_head.{name}",
            output[0, token],
            f"how much of the {name} of two matching tokens one head delivers, values one-hot",
            ARITHMETIC,
            ".2f",
        )
    first, second = generator.standard_normal((2, fetches, 2))
    wanted = np.stack([first[:, 0], second[:, 1]], axis=-1)
    for share in shares:
        mixed = share * first + (1 - share) * second
        yield Measurement(
            f"heads.one_head_loss.share{round(100 * share)}",
            _unexplained(mixed, wanted),
            f"part of the wanted variance that the best read-out of one head's mix leaves over, the first "
            f"token weighing {share}",
            SAMPLED,
            ".2f",
        )
    yield Measurement(
        "heads.two_heads_loss",
        _unexplained(np.concatenate([first, second], axis=-1), wanted),
        "part of the wanted variance that the best read-out of two heads, one on each token, leaves over",
        AtMost("rounding: two heads deliver all of it", bound=1e-20),
        ".0e",
    )


def _unexplained(given: np.ndarray, wanted: np.ndarray) -> float:
    """The share of variance left after the best linear map from `given` to `wanted`."""
    solution = np.linalg.lstsq(given, wanted, rcond=None)[0]
    return float(np.square(wanted - given @ solution).sum() / np.square(wanted).sum())


def _permuted(generator: np.random.Generator, d_model: int, length: int) -> Iterator[Measurement]:
    """Permute the tokens; see whether the outputs are permuted and nothing else."""
    tokens = generator.standard_normal((length, d_model))
    weights = Projections.random(generator, d_model, 4, d_model // 4)
    order = generator.permutation(length)
    positions = sinusoidal(length, d_model)
    cases = {
        "plain": ("no mask, no positions", None, 0),
        "causal": ("a causal mask, no positions", masks.causal(length), 0),
        "positions": ("no mask, positions added", None, positions),
    }
    for name, (words, mask, added) in cases.items():

        def outputs(given: np.ndarray, mask=mask, added=added) -> np.ndarray:
            return multi_head_attention(given + added, given + added, given + added, weights, mask)[0]

        yield Measurement(
            f"heads.permutation_difference.{name}",
            np.abs(outputs(tokens[order]) - outputs(tokens)[order]).max(),
            f"largest difference between the outputs of permuted tokens and the permuted outputs: {words}",
            AtMost("float64 rounding", bound=1e-13) if name == "plain" else SAMPLED,
            ".1e" if name == "plain" else ".2f",
        )


def _costs(lengths: list[int], d_model: int, heads: int, key_dim: int) -> Iterator[Measurement]:
    for length in lengths:
        counted = cost(length, d_model, heads, key_dim)
        for name, value, unit, form in (
            ("projections", counted.projection_multiply_adds, "multiply-adds", ".2e"),
            ("pairs", counted.pair_multiply_adds, "multiply-adds", ".2e"),
            ("score_bytes", counted.score_bytes, "bytes", ",d"),
        ):
            words = {
                "projections": "multiply-adds of the four projections",
                "pairs": "multiply-adds of scores and weighted means",
                "score_bytes": "bytes of float32 scores, all heads",
            }[name]
            yield Measurement(
                f"heads.{name}.n{length}", value, f"{words}, {length} tokens, counted", COUNT, form, unit
            )
    yield Measurement(
        "heads.crossover_length",
        next(n for n in range(1, 100_000) if _pairs_cost_more(n, d_model, heads, key_dim)),
        "the first length at which pairs cost more multiply-adds than projections",
        COUNT,
        ",d",
    )


def _pairs_cost_more(length: int, d_model: int, heads: int, key_dim: int) -> bool:
    counted = cost(length, d_model, heads, key_dim)
    return counted.pair_multiply_adds > counted.projection_multiply_adds


def _online(generator: np.random.Generator, length: int, block: int, width: int) -> Iterator[Measurement]:
    """Block by block against the six lines, causal, in both precisions."""
    drawn = generator.standard_normal((3, length, width))
    mask = masks.causal(length)
    for dtype, tolerance in (("float32", FLOAT32_ROUNDING), ("float64", FLOAT64_ROUNDING)):
        query, key, value = drawn.astype(dtype)
        whole, _ = attention(query, key, value, mask)
        difference = np.abs(online_attention(query, key, value, mask, block=block) - whole).max()
        yield Measurement(
            f"heads.online_difference.{dtype}",
            difference,
            f"largest difference between attention block by block and the six lines, in {dtype}",
            tolerance,
            ".1e",
        )
    for name, held in (("whole", length * length), ("blocks", length * block)):
        yield Measurement(
            f"heads.online_bytes.{name}",
            4 * held,
            f"bytes of float32 scores held at once, {length} queries: {name}",
            COUNT,
            ",d",
            "bytes",
        )


def _tables(d_model: int, splits: list[list[int]], lengths: list[int]) -> tuple[Table, ...]:
    names = {tuple(split): _name(d_model, *split) for split in splits}
    return (
        Table(
            "heads.parameters",
            ("num_heads × key_dim", "parameters", "without biases", "rank of a head's scores, at most"),
            tuple(
                (
                    f"{heads} × {key_dim}",
                    Cell(f"heads.parameters.{name}"),
                    Cell(f"heads.parameters_without_biases.{name}"),
                    Cell(f"heads.rank.{name}"),
                )
                for (heads, key_dim), name in names.items()
            ),
        ),
        Table(
            "heads.cost",
            ("tokens", "multiply-adds, projections", "multiply-adds, pairs", "bytes of scores"),
            tuple(
                (f"{n:,d}", *(Cell(f"heads.{what}.n{n}") for what in ("projections", "pairs", "score_bytes")))
                for n in lengths
            ),
        ),
    )


_EQUAL_SPLITS = ("h1", "h2", "h4", "h8", "h16")

CLAIMS = (
    Claim(
        "heads.no_extra_parameters",
        "every split with num_heads × key_dim = d_model has the parameters of one full-width head",
        lambda f: equal({h: f[f"heads.parameters.{h}"] for h in _EQUAL_SPLITS}, f["heads.parameters.h1"]),
    ),
    Claim(
        "heads.not_free",
        "four heads as wide as the model have more than three times the parameters",
        lambda f: above({"ratio": f["heads.parameters.h4_key64"] / f["heads.parameters.h1"]}, 3),
    ),
    Claim(
        "heads.rank_is_key_dim",
        "the rank of a head's scores is exactly key_dim, for every split",
        lambda f: every(
            *(equal({h: f[f"heads.rank.{h}"]}, 64 // int(h[1:])) for h in _EQUAL_SPLITS),
            equal({"h4_key64": f["heads.rank.h4_key64"]}, 64),
        ),
    ),
    Claim(
        "heads.one_head_two_tokens",
        "one head delivers half of each of two matching tokens",
        lambda f: between({w: f[f"heads.one_head.{w}"] for w in ("first", "second")}, 0.499, 0.501),
    ),
    Claim(
        "heads.one_head_loses_half",
        "however one head divides its attention, half of the wanted variance (within 0.02) is left over",
        lambda f: between(
            {f"share{s}": f[f"heads.one_head_loss.share{s}"] for s in (0, 25, 50, 75, 100)}, 0.48, 0.52
        ),
    ),
    Claim(
        "heads.two_heads_lose_nothing",
        "two heads leave nothing over but rounding",
        lambda f: below({"loss": f["heads.two_heads_loss"]}, 1e-20),
    ),
    Claim(
        "heads.equivariant",
        "without mask and positions, permuting the tokens permutes the outputs, up to rounding",
        lambda f: below({"plain": f["heads.permutation_difference.plain"]}, 1e-13),
    ),
    Claim(
        "heads.order_matters_otherwise",
        "with a causal mask, or with positions, it does not",
        lambda f: above({w: f[f"heads.permutation_difference.{w}"] for w in ("causal", "positions")}, 0.1),
    ),
    Claim(
        "heads.quadratic",
        "four times the tokens cost exactly sixteen times the pairs and four times the projections",
        lambda f: every(
            equal({"pairs": f["heads.pairs.n2048"] / f["heads.pairs.n512"]}, 16.0),
            equal({"score_bytes": f["heads.score_bytes.n2048"] / f["heads.score_bytes.n512"]}, 16.0),
            equal({"projections": f["heads.projections.n2048"] / f["heads.projections.n512"]}, 4.0),
        ),
    ),
    Claim(
        "heads.online_agrees",
        "attention block by block differs from the six lines by rounding alone",
        lambda f: every(
            below({"float32": f["heads.online_difference.float32"]}, 1e-6),
            below({"float64": f["heads.online_difference.float64"]}, 1e-14),
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
