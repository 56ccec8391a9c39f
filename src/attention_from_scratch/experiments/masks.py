"""What masks allow, what they block, and where "exactly zero" stops being true.

Drawn: standard normal queries, keys and values over ten positions, of which six are real; for the
Keras part a layer with its own initial weights.

Measured: the share of pairs that each mask allows; the largest weight on a blocked pair; the largest
change in outputs that must not change when a future token, or a padded one, is replaced (the leak
test); the same when the mask comes after the softmax; what each large negative constant does in each
dtype, to a row with something to attend to and to an empty one; and what a padding mask adds to a
causal one, with the padding on the right and on the left.

Refuted, if a blocked pair of a row that is not empty had any weight, if a leak test under the right
mask changed one bit, or if right padding under a causal mask needed the padding mask.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from attention_from_scratch import masks
from attention_from_scratch.attention import attention, softmax
from attention_from_scratch.experiments.policies import ARITHMETIC, COUNT, EXACT_ZERO, SAMPLED
from measured.terms.claims import Claim, above, below, equal, every
from measured.terms.experiment import Cell, Experiment, Findings, Table
from measured.terms.measurement import Close, Exact, Measurement

PARAMETERS = {
    "length": 10,
    "real": 6,
    "width": 16,
    "sequences": 100,
    "seed": 0,
    "raised_by": 5,
    "keras_heads": 2,
    "keras_sequences": 20,
}

# How a mask becomes numbers: a name for ids, words for people, the constant (None: the dtype's lowest),
# and whether it replaces the blocked score or is added to it.
CONSTANTS = {
    "replace_1e9": ("replace by -1e9", -1e9, True),
    "replace_1e30": ("replace by -1e30", -1e30, True),
    "replace_3e4": ("replace by -3e4", -3e4, True),
    "replace_lowest": ("replace by the dtype's lowest", None, True),
    "replace_inf": ("replace by -inf", -np.inf, True),
    "add_1e9": ("add -1e9", -1e9, False),
    "add_lowest": ("add the dtype's lowest", None, False),
    "add_lowest_twice": ("add two such masks", None, False),
}
DTYPES = ("float16", "float32", "float64")
OUTCOME = Exact("a kind of outcome, not a number")


def measure(
    length: int, real: int, width: int, sequences: int, seed: int, raised_by: int, **keras_settings: int
) -> Findings:
    """Count, test for leaks, and try the constants."""
    generator = np.random.default_rng(seed)
    tokens = generator.standard_normal((3, sequences, length, width))
    shown = shown_masks(length, real)
    found = [
        *_allowed(shown, length, real),
        *_blocked(tokens, shown),
        *_leaks(tokens, generator, real),
        *_after_softmax(tokens, raised_by),
        *_constants(generator),
        *_keras_constants(),
        *_padding_sides(length, real, width, seed, **keras_settings),
    ]
    return Findings(tuple(found), {f"mask.{name}": mask for name, mask in shown.items()}, _tables())


def shown_masks(length: int, real: int) -> dict[str, Bool[np.ndarray, "queries keys"]]:
    """Causal, padding, both; padding on the right."""
    keep = np.broadcast_to(masks.padding(np.arange(length) < real), (length, length))
    return {
        "causal": masks.causal(length),
        "padding": keep,
        "both": masks.combine(masks.causal(length), keep),
    }


def _allowed(shown: dict[str, np.ndarray], length: int, real: int) -> Iterator[Measurement]:
    words = {
        "causal": "a causal mask",
        "padding": f"a padding mask, {real} of {length} real",
        "both": "both masks",
    }
    for name, mask in shown.items():
        yield Measurement(
            f"masks.allowed.{name}",
            masks.share_allowed(mask, length),
            f"share of the {length} × {length} pairs that {words[name]} allows",
            ARITHMETIC,
            ".4f",
        )
        yield Measurement(f"masks.pairs.{name}", int(mask.sum()), f"pairs that {words[name]} allows", COUNT)
    left = masks.combine(masks.causal(length), masks.padding(np.arange(length) >= length - real))
    yield Measurement(
        "masks.allowed.both_left",
        masks.share_allowed(left, length),
        "share of pairs that both masks allow where the padding stands on the left",
        ARITHMETIC,
        ".4f",
    )
    for side, mask in (("right", shown["both"]), ("left", left)):
        yield Measurement(
            f"masks.empty_rows.{side}",
            masks.empty_rows(mask),
            f"queries that may attend to nothing under both masks, padding on the {side}",
            COUNT,
        )


def _blocked(tokens: np.ndarray, shown: dict[str, np.ndarray]) -> Iterator[Measurement]:
    """The largest weight on any blocked pair, over all three masks."""
    blocked = [attention(*tokens, mask)[1][..., ~mask].max() for mask in shown.values()]
    yield Measurement(
        "masks.max_blocked_weight", max(blocked), "largest weight on any blocked pair", EXACT_ZERO, "g"
    )


def _leaks(tokens: np.ndarray, generator: np.random.Generator, real: int) -> Iterator[Measurement]:
    """Replace tokens that must not matter, and see by how much the other outputs move."""
    length, width = tokens.shape[-2:]
    future = np.arange(length) >= real  # also the padded positions of the second test
    other = np.where(future[:, np.newaxis], generator.standard_normal(tokens.shape), tokens)
    right_masks = {"future": masks.causal(length), "padded": masks.padding(~future)}
    for what, mask in right_masks.items():
        for with_mask in (True, False):
            used = mask if with_mask else None
            before, after = attention(*tokens, used)[0], attention(*other, used)[0]
            yield Measurement(
                f"masks.leak.{what}.{'masked' if with_mask else 'unmasked'}",
                np.abs(after - before)[:, ~future].max(),
                f"largest change in an output at an earlier or real position, the {what} tokens replaced, "
                + ("under the mask for it" if with_mask else "without a mask"),
                EXACT_ZERO if with_mask else SAMPLED,
                "g" if with_mask else ".2f",
            )


def _after_softmax(tokens: np.ndarray, raised_by: int) -> Iterator[Measurement]:
    """Mask after the softmax, the wrong way, then raise one future score and look at an earlier row."""
    query, key, _ = tokens
    length = query.shape[-2]
    row, allowed = length // 2 - 1, masks.causal(length)
    scores = query @ key.swapaxes(-1, -2) / query.shape[-1] ** 0.5
    raised = scores.copy()
    raised[:, row, -1] += raised_by  # a score that this row must not see
    kept = {name: softmax(s) * allowed for name, s in (("before", scores), ("after", raised))}
    for name, weights in kept.items():
        yield Measurement(
            f"masks.after_softmax.row_sum_{name}",
            weights[:, row].sum(axis=-1).mean(),
            f"mean sum of a row's weights when the causal mask comes after the softmax, {name} a future "
            f"score is raised by {raised_by}",
            SAMPLED,
            ".2f",
        )
    moved = np.abs(kept["after"] - kept["before"])[:, row].max(axis=-1)
    yield Measurement(
        "masks.after_softmax.leak",
        moved.mean(),
        "mean over sequences of the largest change in that row's allowed weights",
        SAMPLED,
        ".2f",
    )
    proper = [softmax(np.where(allowed, s, -1e9))[:, row] for s in (scores, raised)]
    yield Measurement(
        "masks.before_softmax.leak",
        np.abs(proper[1] - proper[0]).max(),
        "largest change in that row's weights when the mask comes before the softmax",
        EXACT_ZERO,
        "g",
    )
    again = [w[:, row] / w[:, row].sum(axis=-1, keepdims=True) for w in kept.values()]
    yield Measurement(
        "masks.after_softmax.renormalised_leak",
        np.abs(again[1] - again[0]).max(),
        "largest change in that row's weights, masked after the softmax and divided by its sum again",
        Close("a difference of rounding errors", atol=1e-13),
        ".0e",
    )


def masked_scores(
    scores: Float[np.ndarray, "keys"], allowed: Bool[np.ndarray, "keys"], way: str
) -> np.ndarray:
    """One row of scores after a mask in the given way, in the scores' own dtype; overflow is let happen."""
    _, constant, replaces = CONSTANTS[way]
    dtype = scores.dtype
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)
        number = np.finfo(dtype).min if constant is None else np.float64(constant).astype(dtype)
        if way == "add_lowest_twice":
            number = number + number
        return np.where(allowed, scores, number if replaces else scores + number)


def outcome(weights: np.ndarray, allowed: np.ndarray, unmasked: np.ndarray) -> str:
    """What a row of weights is, in a word or two.

    Args:
        weights: after masking and softmax.
        allowed: the mask's row.
        unmasked: the weights that the same scores give without a mask.
    """
    if np.isnan(weights).any():
        return "NaN"
    if allowed.any():
        return "blocked 0" if not weights[~allowed].any() else "leaks"
    if not weights.any():
        return "zeros"
    tolerance = 4 * float(np.finfo(weights.dtype).eps)
    if np.allclose(weights, 1 / len(weights), rtol=tolerance, atol=0):
        return "uniform"
    return "as unmasked" if np.allclose(weights, unmasked, rtol=1e-2, atol=1e-3) else "something else"


def _rows() -> dict[str, np.ndarray]:
    """The two rows that are tried: three of six keys allowed, and none."""
    return {"partial_row": np.arange(6) < 3, "empty_row": np.zeros(6, dtype=bool)}


def _constants(generator: np.random.Generator) -> Iterator[Measurement]:
    drawn = np.sort(generator.standard_normal(6))
    for way, (words, _, _) in CONSTANTS.items():
        for dtype in DTYPES:
            scores = drawn.astype(dtype)
            for row, allowed in _rows().items():
                with np.errstate(all="ignore"):
                    weights = softmax(masked_scores(scores, allowed, way))
                yield _outcome(row, way, dtype, outcome(weights, allowed, softmax(scores)), f"NumPy, {words}")


def _keras_constants() -> Iterator[Measurement]:
    import keras

    for dtype in DTYPES:
        layer = keras.layers.Softmax(dtype=dtype)
        scores = np.linspace(-2, 2, 6).astype(dtype)
        for row, allowed in _rows().items():
            weights = np.asarray(layer(scores[np.newaxis], mask=allowed[np.newaxis]))[0]
            yield _outcome(
                row, "keras", dtype, outcome(weights, allowed, softmax(scores)), "Keras' Softmax layer"
            )


def _outcome(row: str, way: str, dtype: str, found: str, words: str) -> Measurement:
    kind = "a row with nothing to attend to" if row == "empty_row" else "a row with allowed and blocked keys"
    return Measurement(
        f"masks.{row}.{way}.{dtype}", found, f"what becomes of {kind} in {dtype}: {words}", OUTCOME
    )


def _padding_sides(
    length: int, real: int, width: int, seed: int, keras_heads: int, keras_sequences: int
) -> Iterator[Measurement]:
    """A causal Keras layer with and without the padding mask, its padding on either side."""
    import keras

    keras.utils.set_random_seed(seed)
    layer = keras.layers.MultiHeadAttention(keras_heads, width // keras_heads)
    generator = np.random.default_rng([seed, 1])
    tokens = generator.standard_normal((keras_sequences, length, width)).astype(np.float32)
    for side in ("right", "left"):
        is_real = np.arange(length) < real if side == "right" else np.arange(length) >= length - real
        difference = _padding_difference(layer, tokens, is_real)
        yield Measurement(
            f"masks.padding_mask_changes.{side}",
            difference,
            f"largest change that the padding mask makes to a causal Keras layer's real outputs, "
            f"padding on the {side}",
            EXACT_ZERO if side == "right" else Close("float32 arithmetic, far above its rounding", rtol=1e-4),
            "g" if side == "right" else ".2f",
        )


def _padding_difference(layer: Any, tokens: np.ndarray, is_real: np.ndarray) -> float:
    causal = masks.causal(tokens.shape[1])[np.newaxis]
    without = np.asarray(layer(tokens, tokens, attention_mask=causal))
    both = masks.combine(causal, masks.padding(is_real)[np.newaxis])
    return float(np.abs(np.asarray(layer(tokens, tokens, attention_mask=both)) - without)[:, is_real].max())


def _tables() -> tuple[Table, ...]:
    ways = {**{way: words for way, (words, _, _) in CONSTANTS.items()}, "keras": "Keras' Softmax layer"}
    labels = {"causal": "causal", "padding": "padding", "both": "both"}

    def by_dtype(row: str) -> tuple:
        return tuple(
            (words, *(Cell(f"masks.{row}.{way}.{d}") for d in DTYPES)) for way, words in ways.items()
        )

    return (
        Table(
            "masks.allowed",
            ("mask", "pairs allowed", "share of all pairs"),
            tuple((w, Cell(f"masks.pairs.{n}"), Cell(f"masks.allowed.{n}")) for n, w in labels.items()),
        ),
        Table("masks.empty_row", ("how the mask becomes numbers", *DTYPES), by_dtype("empty_row")),
        Table("masks.partial_row", ("how the mask becomes numbers", *DTYPES), by_dtype("partial_row")),
    )


CLAIMS = (
    Claim(
        "masks.exactly_zero",
        "the largest weight on a blocked pair is zero, to the last bit",
        lambda f: equal({"blocked": f["masks.max_blocked_weight"]}, 0.0),
    ),
    Claim(
        "masks.no_leak",
        "under its mask, replacing future or padded tokens changes no earlier or real output by one bit; "
        "without the mask it does",
        lambda f: every(
            equal({w: f[f"masks.leak.{w}.masked"] for w in ("future", "padded")}, 0.0),
            above({f"{w} unmasked": f[f"masks.leak.{w}.unmasked"] for w in ("future", "padded")}, 0.1),
        ),
    ),
    Claim(
        "masks.after_softmax_leaks",
        "masked after the softmax, a row's allowed weights move with a future score; before it they do not",
        lambda f: every(
            above({"after": f["masks.after_softmax.leak"]}, 0.01),
            equal({"before": f["masks.before_softmax.leak"]}, 0.0),
        ),
    ),
    Claim(
        "masks.right_padding_needs_none",
        "with the padding on the right, the padding mask changes no real output of a causal layer by one bit",
        lambda f: equal({"right": f["masks.padding_mask_changes.right"]}, 0.0),
    ),
    Claim(
        "masks.left_padding_needs_it",
        "with the padding on the left it does change them",
        lambda f: above({"left": f["masks.padding_mask_changes.left"]}, 0.1),
    ),
    Claim(
        "masks.partial_rows_are_safe",
        "a row with at least one allowed key puts zero on its blocked keys, whatever the constant and dtype",
        lambda f: equal(
            {f"{w}.{d}": f[f"masks.partial_row.{w}.{d}"] for w in (*CONSTANTS, "keras") for d in DTYPES},
            "blocked 0",
        ),
    ),
    Claim(
        "masks.three_answers",
        "in float32 an empty row is uniform with -1e9, NaN with -inf, zeros in Keras",
        lambda f: every(
            equal({"-1e9": f["masks.empty_row.replace_1e9.float32"]}, "uniform"),
            equal({"-inf": f["masks.empty_row.replace_inf.float32"]}, "NaN"),
            equal({"keras": f["masks.empty_row.keras.float32"]}, "zeros"),
        ),
    ),
    Claim(
        "masks.added_constant_erases",
        "an added -1e9 makes an empty row uniform in float32, and leaves it as it was in float64",
        lambda f: every(
            equal({"float32": f["masks.empty_row.add_1e9.float32"]}, "uniform"),
            equal({"float64": f["masks.empty_row.add_1e9.float64"]}, "as unmasked"),
        ),
    ),
    Claim(
        "masks.two_added_masks",
        "two added masks of the dtype's lowest number make an empty row NaN in every dtype",
        lambda f: equal({d: f[f"masks.empty_row.add_lowest_twice.{d}"] for d in DTYPES}, "NaN"),
    ),
    Claim(
        "masks.half_precision",
        "in float16 -1e9 and -1e30 are -inf, so that an empty row is NaN with either",
        lambda f: equal(
            {w: f[f"masks.empty_row.{w}.float16"] for w in ("replace_1e9", "replace_1e30")}, "NaN"
        ),
    ),
    Claim(
        "masks.row_sum_falls",
        "raising the future score takes the masked row's sum below half of what it was",
        lambda f: below(
            {"ratio": f["masks.after_softmax.row_sum_after"] / f["masks.after_softmax.row_sum_before"]}, 0.5
        ),
    ),
)

EXPERIMENT = Experiment(
    name="masks",
    question="What do masks block, and when is that exactly zero?",
    measure=measure,
    parameters=PARAMETERS,
    quick={"sequences": 10},
    seconds=120,
    claims=CLAIMS,
)
