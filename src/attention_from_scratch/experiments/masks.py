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

from collections.abc import Iterator
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from attention_from_scratch import masks
from attention_from_scratch.attention import attention, softmax
from attention_from_scratch.empty_rows import CONSTANTS, masked_scores, outcome
from attention_from_scratch.experiments.policies import ARITHMETIC, COUNT, EXACT_ZERO, SAMPLED
from measured.terms.claims import Claim, above, below, equal, every
from measured.terms.experiment import Experiment, Findings, Table
from measured.terms.family import Family, rows, table
from measured.terms.measurement import Close, Exact, Measurement
from measured.terms.null import becomes, instead, planted, swapped, with_values

PARAMETERS = {
    "length": 10,
    "real": 6,
    "width": 16,
    "sequences": 100,
    "seed": 0,
    "partial_rows": 1_000,
    "largest_score": 100,
    "raised_by": 5,
    "keras_heads": 2,
    "keras_sequences": 20,
}

WAYS = {**{way: words for way, (words, _, _) in CONSTANTS.items()}, "keras": "Keras' Softmax layer"}
DTYPES = ("float16", "float32", "float64")
# The two rows that are tried: three of six keys allowed, and none.
ROWS = {"partial_row": np.arange(6) < 3, "empty_row": np.zeros(6, dtype=bool)}
MASKS = {"causal": "causal", "padding": "padding", "both": "both"}
LABELS = {
    "mask": {
        "causal": "a causal mask",
        "padding": "a padding mask, {real} of {length} real",
        "both": "both masks",
    },
    "row": {
        "partial_row": "a row with allowed and blocked keys",
        "empty_row": "a row with nothing to attend to",
    },
    "call": {"plain": "called plainly", "asked": "asked for its weights, too"},
    "way": {way: words if way == "keras" else f"NumPy, {words}" for way, words in WAYS.items()},
}

# What is measured: its name, what it is, how far it may drift, how it is shown.
# fmt: off
ALLOWED = Family("masks.allowed.{mask}",
    "share of the {length} × {length} pairs that {which} allows", ARITHMETIC, ".4f")
ALLOWED_LEFT = Family("masks.allowed.both_left",
    "share of pairs that both masks allow where the padding stands on the left", ARITHMETIC, ".4f")
PAIRS = Family("masks.pairs.{mask}", "pairs that {which} allows", COUNT)
EMPTY_ROWS = Family("masks.empty_rows.{side}",
    "queries that may attend to nothing under both masks, padding on the {side}", COUNT)
BLOCKED = Family("masks.max_blocked_weight", "largest weight on any blocked pair", EXACT_ZERO, "g")
LEAK_MASKED = Family("masks.leak.{what}.masked",
    "largest change in an output at an earlier or real position, the {what} tokens replaced, under the mask "
    "for it", EXACT_ZERO, "g")
LEAK_UNMASKED = Family("masks.leak.{what}.unmasked",
    "largest change in an output at an earlier or real position, the {what} tokens replaced, without a mask",
    SAMPLED, ".2f")
ROW_SUM = Family("masks.after_softmax.row_sum_{when}",
    "mean sum of a row's weights when the causal mask comes after the softmax, {when} a future score is "
    "raised by {raised_by}", SAMPLED, ".2f")
LEAK_AFTER = Family("masks.after_softmax.leak",
    "mean over sequences of the largest change in that row's allowed weights", SAMPLED, ".2f")
LEAK_BEFORE = Family("masks.before_softmax.leak",
    "largest change in that row's weights when the mask comes before the softmax", EXACT_ZERO, "g")
LEAK_RENORMALISED = Family("masks.after_softmax.renormalised_leak",
    "largest change in that row's weights, masked after the softmax and divided by its sum again",
    Close("a difference of rounding errors", atol=1e-13), ".0e")
OUTCOME = Family("masks.{row}.{way}.{dtype}",
    "what becomes of {row} in {dtype}: {way}", Exact("a kind of outcome, not a number"), labels=LABELS)
KERAS_LAYER = Family("masks.keras_layer.{call}",
    "what Keras' MultiHeadAttention makes of an empty row, {call}",
    Exact("a kind of outcome, not a number"), labels=LABELS)
CHANGES_RIGHT = Family("masks.padding_mask_changes.right",
    "largest change that the padding mask makes to a causal Keras layer's real outputs, padding on the right",
    EXACT_ZERO, "g")
CHANGES_LEFT = Family("masks.padding_mask_changes.left",
    "largest change that the padding mask makes to a causal Keras layer's real outputs, padding on the left",
    Close("float32 arithmetic, far above its rounding", rtol=1e-4), ".2f")
PARTIAL_ROWS = Family("masks.partial_rows",
    "largest weight on a blocked key of {rows:,} rows of 2 to 64 keys, some allowed, each way in NumPy, each "
    "dtype", EXACT_ZERO, "g")
# fmt: on


def measure(
    length: int,
    real: int,
    width: int,
    sequences: int,
    seed: int,
    raised_by: int,
    partial_rows: int,
    largest_score: int,
    **keras_settings: int,
) -> Findings:
    """Count, test for leaks, and try the constants."""
    generator = np.random.default_rng(seed)
    tokens = generator.standard_normal((3, sequences, length, width))
    shown = shown_masks(length, real)
    blocked = [attention(*tokens, mask)[1][..., ~mask].max() for mask in shown.values()]
    found = [
        *_allowed(shown, length, real),
        BLOCKED.of(max(blocked)),
        *_leaks(tokens, generator, real),
        *_after_softmax(tokens, raised_by),
        *_constants(generator),
        PARTIAL_ROWS.of(_largest_on_blocked(partial_rows, largest_score, seed), rows=partial_rows),
        *_padding_sides(length, real, width, seed, **keras_settings),
        *_keras_layer(length, seed),
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
    for name, mask in shown.items():
        which = LABELS["mask"][name].format(real=real, length=length)
        yield ALLOWED.of(masks.share_allowed(mask, length), mask=name, which=which, length=length)
        yield PAIRS.of(int(mask.sum()), mask=name, which=which)
    left = masks.combine(masks.causal(length), masks.padding(np.arange(length) >= length - real))
    yield ALLOWED_LEFT.of(masks.share_allowed(left, length))
    for side, mask in (("right", shown["both"]), ("left", left)):
        yield EMPTY_ROWS.of(masks.empty_rows(mask), side=side)


def _leaks(tokens: np.ndarray, generator: np.random.Generator, real: int) -> Iterator[Measurement]:
    """Replace tokens that must not matter, and see by how much the other outputs move."""
    length = tokens.shape[-2]
    future = np.arange(length) >= real  # also the padded positions of the second test
    other = np.where(future[:, np.newaxis], generator.standard_normal(tokens.shape), tokens)
    for what, mask in (("future", masks.causal(length)), ("padded", masks.padding(~future))):
        yield LEAK_MASKED.of(largest_change(tokens, other, mask, ~future), what=what)
        yield LEAK_UNMASKED.of(largest_change(tokens, other, None, ~future), what=what)


def largest_change(
    tokens: Float[np.ndarray, "3 sequences length width"],
    other: Float[np.ndarray, "3 sequences length width"],
    mask: np.ndarray | None,
    kept: Bool[np.ndarray, " length"],
) -> float:
    """The most by which any output at a kept position moves when other tokens take the others' place."""
    before, after = attention(*tokens, mask)[0], attention(*other, mask)[0]
    return np.abs(after - before)[:, kept].max()


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
        yield ROW_SUM.of(weights[:, row].sum(axis=-1).mean(), when=name, raised_by=raised_by)
    yield LEAK_AFTER.of(np.abs(kept["after"] - kept["before"])[:, row].max(axis=-1).mean())
    proper = [softmax(np.where(allowed, s, -1e9))[:, row] for s in (scores, raised)]
    yield LEAK_BEFORE.of(np.abs(proper[1] - proper[0]).max())
    again = [w[:, row] / w[:, row].sum(axis=-1, keepdims=True) for w in kept.values()]
    yield LEAK_RENORMALISED.of(np.abs(again[1] - again[0]).max())


def _constants(generator: np.random.Generator) -> Iterator[Measurement]:
    """Each way in each dtype on both rows; Keras' layer gets scores of its own."""
    import keras

    drawn = np.sort(generator.standard_normal(6))
    for way in WAYS:
        for dtype in DTYPES:
            layer = keras.layers.Softmax(dtype=dtype) if way == "keras" else None
            scores = (np.linspace(-2, 2, 6) if layer else drawn).astype(dtype)
            for row, allowed in ROWS.items():
                if layer:
                    weights = np.asarray(layer(scores[np.newaxis], mask=allowed[np.newaxis]))[0]
                else:
                    with np.errstate(all="ignore"):
                        weights = softmax(masked_scores(scores, allowed, way))
                yield OUTCOME.of(outcome(weights, allowed, softmax(scores)), row=row, way=way, dtype=dtype)


def _largest_on_blocked(count: int, largest_score: int, seed: int) -> float:
    """Over random rows with an allowed key, each way and each dtype: the largest weight on a blocked key."""
    generator, worst = np.random.default_rng([seed, 2]), 0.0
    for _ in range(count):
        keys = int(generator.integers(2, 65))
        scores = generator.uniform(-largest_score, largest_score, keys)
        allowed = generator.permutation(np.arange(keys) < generator.integers(1, keys))
        for way in CONSTANTS:
            for dtype in DTYPES:
                with np.errstate(all="ignore"):
                    weights = softmax(masked_scores(scores.astype(dtype), allowed, way))
                worst = max(worst, float(weights[~allowed].max()))
    return worst


def _padding_sides(
    length: int, real: int, width: int, seed: int, keras_heads: int, keras_sequences: int
) -> Iterator[Measurement]:
    """A causal Keras layer with and without the padding mask, its padding on either side."""
    import keras

    from attention_from_scratch.training import set_seed

    set_seed(seed)
    layer = keras.layers.MultiHeadAttention(keras_heads, width // keras_heads)
    generator = np.random.default_rng([seed, 1])
    tokens = generator.standard_normal((keras_sequences, length, width)).astype(np.float32)
    yield CHANGES_RIGHT.of(_padding_difference(layer, tokens, np.arange(length) < real))
    yield CHANGES_LEFT.of(_padding_difference(layer, tokens, np.arange(length) >= length - real))


def _keras_layer(length: int, seed: int) -> Iterator[Measurement]:
    """An empty row in a Keras layer whose outputs are its weights: one head, values left as they are."""
    import keras

    from attention_from_scratch.training import set_seed

    set_seed(seed)
    layer = keras.layers.MultiHeadAttention(1, length, use_bias=False)
    query, key = np.random.default_rng([seed, 3]).standard_normal((2, 1, length, length)).astype(np.float32)
    values = np.eye(length, dtype=np.float32)[np.newaxis]
    layer.build(query.shape, values.shape, key.shape)
    of_query, of_key, of_value, of_output = layer.get_weights()
    layer.set_weights([of_query, of_key, values.reshape(of_value.shape), values.reshape(of_output.shape)])
    allowed = np.ones((1, length, length), bool)
    unmasked = np.asarray(layer(query, values, key, attention_mask=allowed))[0, 0]
    allowed[:, 0] = False
    plain = layer(query, values, key, attention_mask=allowed)
    asked, _ = layer(query, values, key, attention_mask=allowed, return_attention_scores=True)
    for call, outputs in (("plain", plain), ("asked", asked)):
        yield KERAS_LAYER.of(outcome(np.asarray(outputs)[0, 0], allowed[0, 0], unmasked), call=call)


def _padding_difference(layer: Any, tokens: np.ndarray, is_real: np.ndarray) -> float:
    causal = masks.causal(tokens.shape[1])[np.newaxis]
    without = np.asarray(layer(tokens, tokens, attention_mask=causal))
    both = masks.combine(causal, masks.padding(is_real)[np.newaxis])
    return float(np.abs(np.asarray(layer(tokens, tokens, attention_mask=both)) - without)[:, is_real].max())


def _tables() -> tuple[Table, ...]:
    def outcomes(row: str) -> Table:
        columns = {dtype: OUTCOME.at(row=row, dtype=dtype) for dtype in DTYPES}
        return table(f"masks.{row}", "how the mask becomes numbers", rows("way", WAYS), columns)

    shares = {"pairs allowed": PAIRS, "share of all pairs": ALLOWED}
    allowed = table("masks.allowed", "mask", rows("mask", MASKS), shares)
    return allowed, outcomes("empty_row"), outcomes("partial_row")


EMPTY = OUTCOME.at(row="empty_row")

SMALLEST = 5e-324  # of all numbers above zero


def _one_leaks(found: Findings) -> dict[str, Findings]:
    return {
        m.id: with_values(found, {m.id: "leaks"}) for m in OUTCOME.members(found, row="partial_row").values()
    }


CLAIMS = (
    Claim(
        "masks.exactly_zero",
        "the largest weight on a blocked pair is zero, to the last bit",
        lambda f: equal(BLOCKED.values(f), 0.0),
        nulls=(becomes("masks.max_blocked_weight", by=SMALLEST, words="the smallest number above zero"),),
    ),
    Claim(
        "masks.no_leak",
        "under its mask, replacing future or padded tokens changes no earlier or real output by one bit; "
        "without the mask it does",
        lambda f: every(equal(LEAK_MASKED.values(f), 0.0), above(LEAK_UNMASKED.values(f), 0.1)),
        nulls=(
            becomes(
                "masks.leak.{what}.masked", by=SMALLEST, words="a leak of the smallest number above zero"
            ),
            instead(
                "masks.leak.{what}.unmasked",
                by="masks.leak.{what}.masked",
                words="a test that changes nothing",
            ),
        ),
    ),
    Claim(
        "masks.after_softmax_leaks",
        "masked after the softmax, a row's allowed weights move with a future score; before it they do not",
        lambda f: every(above(LEAK_AFTER.values(f), 0.01), equal(LEAK_BEFORE.values(f), 0.0)),
        nulls=(swapped("masks.after_softmax.leak", "masks.before_softmax.leak"),),
    ),
    Claim(
        "masks.right_padding_needs_none",
        "with the padding on the right, the padding mask changes no real output of a causal layer by one bit",
        lambda f: equal(CHANGES_RIGHT.values(f), 0.0),
        nulls=(
            instead("masks.padding_mask_changes.right", by="masks.padding_mask_changes.left"),
            becomes(
                "masks.padding_mask_changes.right",
                by=SMALLEST,
                words="a change by the smallest number above zero",
            ),
        ),
    ),
    Claim(
        "masks.left_padding_needs_it",
        "with the padding on the left it does change them",
        lambda f: above(CHANGES_LEFT.values(f), 0.1),
        nulls=(instead("masks.padding_mask_changes.left", by="masks.padding_mask_changes.right"),),
    ),
    Claim(
        "masks.partial_rows_are_safe",
        "a row with at least one allowed key puts zero on its blocked keys, whatever the constant and dtype: "
        "one row that is shown, and a thousand of 2 to 64 keys with scores within 100 of zero",
        lambda f: every(
            equal(OUTCOME.values(f, row="partial_row"), "blocked 0"), equal(PARTIAL_ROWS.values(f), 0.0)
        ),
        nulls=(
            planted("one constant leaks in one precision", _one_leaks),
            becomes("masks.partial_rows", by=SMALLEST, words="one row leaks the smallest number above zero"),
        ),
    ),
    Claim(
        "masks.three_answers",
        "in float32 an empty row is uniform with -1e9, NaN with -inf, zeros in Keras' Softmax layer",
        lambda f: every(
            equal(EMPTY.values(f, way="replace_1e9", dtype="float32"), "uniform"),
            equal(EMPTY.values(f, way="replace_inf", dtype="float32"), "NaN"),
            equal(EMPTY.values(f, way="keras", dtype="float32"), "zeros"),
        ),
        nulls=(
            instead("masks.empty_row.replace_1e9.float32", by="masks.empty_row.keras.float32"),
            instead("masks.empty_row.replace_inf.float32", by="masks.empty_row.replace_1e9.float32"),
            instead("masks.empty_row.keras.float32", by="masks.empty_row.replace_1e9.float32"),
        ),
    ),
    Claim(
        "masks.asking_changes_the_row",
        "Keras' MultiHeadAttention gives an empty row uniform weights, and zeros once it is asked for its "
        "weights",
        lambda f: every(
            equal({"plain": KERAS_LAYER.value(f, call="plain")}, "uniform"),
            equal({"asked": KERAS_LAYER.value(f, call="asked")}, "zeros"),
        ),
        nulls=(swapped("masks.keras_layer.plain", "masks.keras_layer.asked"),),
    ),
    Claim(
        "masks.added_constant_erases",
        "an added -1e9 makes an empty row uniform in float32, and leaves it as it was in float64",
        lambda f: every(
            equal(EMPTY.values(f, way="add_1e9", dtype="float32"), "uniform"),
            equal(EMPTY.values(f, way="add_1e9", dtype="float64"), "as unmasked"),
        ),
        nulls=(swapped("masks.empty_row.add_1e9.float32", "masks.empty_row.add_1e9.float64"),),
    ),
    Claim(
        "masks.two_added_masks",
        "two added masks of the dtype's lowest number make an empty row NaN in every dtype",
        lambda f: equal(EMPTY.values(f, way="add_lowest_twice"), "NaN"),
        nulls=(instead("masks.empty_row.add_lowest_twice.{dtype}", by="masks.empty_row.add_lowest.{dtype}"),),
    ),
    Claim(
        "masks.half_precision",
        "in float16 -1e9 and -1e30 are -inf, so that an empty row is NaN with either",
        lambda f: equal(EMPTY.values(f, way=["replace_1e9", "replace_1e30"], dtype="float16"), "NaN"),
        nulls=(instead("masks.empty_row.{way}.float16", by="masks.empty_row.{way}.float32"),),
    ),
    Claim(
        "masks.row_sum_falls",
        "raising the future score takes the masked row's sum below half of what it was",
        lambda f: below({"ratio": ROW_SUM.value(f, when="after") / ROW_SUM.value(f, when="before")}, 0.5),
        nulls=(
            swapped("masks.after_softmax.row_sum_before", "masks.after_softmax.row_sum_after"),
            instead(
                "masks.after_softmax.row_sum_after",
                by="masks.after_softmax.row_sum_before",
                words="no effect",
            ),
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
