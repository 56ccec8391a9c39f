"""The third part of `explanation`: how much hangs on the weights themselves, and what an empty token gets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Float

from attention_from_scratch import vision
from attention_from_scratch.experiments.explanation_errors import RETRAINED
from attention_from_scratch.experiments.explanation_maps import OF_TEN
from attention_from_scratch.experiments.explanation_runs import load_halves, split_of, weights_of
from attention_from_scratch.tasks.digits import PATCHES
from measured.terms.experiment import Findings
from measured.terms.family import Family, rows, table
from measured.terms.measurement import AtMost, Close

CHANGES = {
    "permuted": "the class token's weights in the last block permuted, head by head",
    "even": "even weights for the class token in the last block",
    "other": "the class token's weights in the last block taken from another image",
    "even_first": "even weights for each query in the first block",
    "even_everywhere": "even weights for each query in both blocks",
}
BAGS = {
    "even": "even weights",
    "frozen": "the transformer's weights on the same image",
    "same_class": "its weights on another image that it gave the same class",
    "any_image": "its weights on any other image",
    "learned": "weights of its own, learned from each patch alone",
}
SINKS = {"softmax": "empty", "softmax_plus_one": "plus_one"}
LABELS = {
    "change": CHANGES,
    "bag": BAGS,
    "sink": {"softmax": "softmax", "softmax_plus_one": "softmax with one added to its denominator"},
}

# What is measured: its name, what it is, how far it may drift, how it is shown.
# fmt: off
KEPT = Family("explanation.changed.kept.{change}",
    "share of test images whose answer stays with {change}; mean over seeds", OF_TEN, ".2f", labels=LABELS)
DISTANCE = Family("explanation.changed.distance.{change}",
    "total variation between the answers' probabilities, median over images, with {change}; mean over seeds",
    OF_TEN,
    ".2f", labels=LABELS)
OTHER_LEFT = Family("explanation.other_weights.left",
    "share of its weight that the first patch must keep if the attention's output is to stay the same, mean "
    "over "
    "images and seeds", OF_TEN, ".2f")
OTHER_NAMED = Family("explanation.other_weights.another_first",
    "share of images with other weights, and the same output, that put another patch first; mean over seeds",
    OF_TEN,
    ".2f")
OTHER_OUTPUT = Family("explanation.other_weights.output_change",
    "largest change of any probability with these other weights, of all images and seeds",
    AtMost("rounding of float32 and of a linear program: its size is the claim", bound=1e-4), ".0e",
    statistic="largest")
BAG = Family("explanation.frozen.accuracy.{bag}",
    "test accuracy of a bag of patches averaged with {bag}; mean over seeds", RETRAINED, ".3f", labels=LABELS)
SINK = Family("explanation.sink.weight.{sink}",
    "weight of the class token on a token with nothing in it, last block, mean of heads and images, {sink}; "
    "mean over "
    "seeds", OF_TEN, ".3f", labels=LABELS)
SINK_FIRST = Family("explanation.sink.first_block.{sink}",
    "weight on a token with nothing in it, first block, mean of queries, heads and images, {sink}; mean "
    "over seeds",
    OF_TEN, ".3f", labels=LABELS)
SINK_MOST = Family("explanation.sink.largest_head.{sink}",
    "the same weight in the head and block that gives it most, {sink}; mean over seeds",
    OF_TEN, ".3f", labels=LABELS)
SINK_LENGTH = Family("explanation.sink.value_length.{sink}",
    "length of the empty token's values over the mean length of the patches', last block, {sink}; mean over "
    "seeds",
    RETRAINED, ".2f", labels=LABELS)
SINK_KEPT = Family("explanation.sink.kept.{sink}",
    "share of test images whose answer stays once the empty token is hidden, {sink}; mean over seeds",
    OF_TEN, ".3f",
    labels=LABELS)
PATCH_KEPT = Family("explanation.sink.kept_without_a_patch.{sink}",
    "share of test images whose answer stays once one patch, drawn at random, is hidden, {sink}; mean over "
    "seeds",
    OF_TEN, ".3f", labels=LABELS)
SINK_EVEN = Family("explanation.sink.even",
    "an even share of the weight, with an empty token", Close("one in so many tokens", rtol=1e-9), ".3f")
UNSPENT = Family("explanation.sink.unspent",
    "weight of the class token that is given to nothing with one added to the denominator, last block; mean "
    "over seeds",
    OF_TEN, ".2f")
SINK_ACCURACY = Family("explanation.sink.accuracy.{sink}",
    "test accuracy with an empty token, {sink}; mean over seeds", RETRAINED, ".3f", labels=LABELS)
# fmt: on


def measure(runs: Mapping[str, Any], p: Mapping[str, Any]) -> Findings:
    """Other weights, frozen weights, and weights on nothing."""
    seeds, controls = p["seeds"], p["control_seeds"]
    changed = [other_answers(runs[f"plain.seed{seed}"], seed, p) for seed in seeds]
    found = []
    for change in CHANGES:
        found.append(KEPT.over_seeds([c[change][0] for c in changed], seeds, change=change))
        found.append(DISTANCE.over_seeds([c[change][1] for c in changed], seeds, change=change))
    others = [other_weights(runs[f"plain.seed{seed}"], seed, p) for seed in seeds]
    for family, name in (
        (OTHER_LEFT, "left"),
        (OTHER_NAMED, "another_first"),
        (OTHER_OUTPUT, "output_change"),
    ):
        found.append(family.over_seeds([o[name] for o in others], seeds))
    found += [
        BAG.over_seeds([runs[f"bags.seed{s}"][bag] for s in controls], controls, bag=bag) for bag in BAGS
    ]
    for sink, kind in SINKS.items():
        models = [empty_token(runs[f"{kind}.seed{seed}"], seed, sink, p) for seed in controls]
        for name, family in {
            "weight": SINK,
            "first_block": SINK_FIRST,
            "largest_head": SINK_MOST,
            "value_length": SINK_LENGTH,
            "kept": SINK_KEPT,
            "kept_without_a_patch": PATCH_KEPT,
            "accuracy": SINK_ACCURACY,
        }.items():
            found.append(family.over_seeds([m[name] for m in models], controls, sink=sink))
        if sink == "softmax_plus_one":
            found.append(UNSPENT.over_seeds([m["unspent"] for m in models], controls))
    found.append(SINK_EVEN.of(1 / (PATCHES + 2)))
    return Findings(tuple(found), {}, _tables())


def other_answers(run: Mapping[str, Any], seed: int, p: Mapping[str, Any]) -> dict[str, tuple[float, float]]:
    """What the model says once its weights are others: answers kept, and how far probabilities move."""
    _, test = load_halves(p["sha256"], p["split_seed"], split_of(seed))
    few, weights = test.tokens[: p["probe"]], weights_of(run)
    look = vision.forward(weights, few)
    own, before = look.attention[-1], vision.probabilities(look.logits)
    tokens = own.shape[-1]
    generator = np.random.default_rng([p["analysis_seed"], seed])
    even = np.full((1, 1, 1, tokens), 1 / tokens, own.dtype)
    last = vision.blocks_of(weights)

    def compared(replaced: Mapping[int, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        after = vision.probabilities(vision.forward(weights, few, replaced=replaced).logits)
        return after.argmax(axis=1) == before.argmax(axis=1), np.abs(after - before).sum(axis=1) / 2

    permuted = [compared({last: generator.permuted(own, axis=3)}) for _ in range(p["permutations"])]
    ways = {
        "even": compared({last: even}),
        "other": compared({last: np.roll(own, 1, axis=0)}),
        "even_first": compared({1: even}),
        "even_everywhere": compared(dict.fromkeys(range(1, last + 1), even)),
    }
    kept, distances = (np.array([one[i] for one in permuted]) for i in (0, 1))
    found = {"permuted": (float(kept.mean()), float(np.median(np.median(distances, axis=0))))}
    return found | {name: (float(k.mean()), float(np.median(d))) for name, (k, d) in ways.items()}


def other_weights(run: Mapping[str, Any], seed: int, p: Mapping[str, Any]) -> dict[str, float]:
    """Weights that take most from the first patch and change nothing of what attention hands on.

    With more tokens than a head's values are wide, weights are not determined by what they lead to (Brunner
    et al. 2020): what the heads hand on together is 32 numbers, and their weights are 68.
    """
    _, test = load_halves(p["sha256"], p["split_seed"], split_of(seed))
    few, weights = test.tokens[: p["others"]], weights_of(run)
    look = vision.forward(weights, few)
    last = vision.blocks_of(weights)
    own = look.attention[-1][:, :, 0].astype(float)
    values = vision.projected(weights, last, look.values[-1]).astype(float)
    first = own[:, :, 1:].mean(axis=1).argmax(axis=1) + 1
    found = np.array([least_weight(*of_image) for of_image in zip(own, values, first, strict=True)])
    after = vision.forward(weights, few, replaced={last: found[:, :, np.newaxis].astype(own.dtype)})
    each = np.arange(len(few))
    left = found[each, :, first].mean(axis=1) / own[each, :, first].mean(axis=1)
    moved = np.abs(vision.probabilities(after.logits) - vision.probabilities(look.logits)).max()
    return {
        "left": float(left.mean()),
        "another_first": float((found[:, :, 1:].mean(axis=1).argmax(axis=1) + 1 != first).mean()),
        "output_change": float(moved),
    }


def least_weight(
    own: Float[np.ndarray, "heads tokens"], values: Float[np.ndarray, "heads tokens width"], token: int
) -> Float[np.ndarray, "heads tokens"]:
    """Of all weights with the same output, those that give one token the least: a linear program.

    Args:
        own: the weights that there are.
        values: each head's, through the output projection.
        token: whose weight, summed over heads, is made small.

    Raises:
        ArithmeticError: the solver found none, though the weights that there are would do.
    """
    from scipy.optimize import linprog

    heads, tokens = own.shape
    output = np.concatenate(values, axis=0).T  # (width, heads × tokens)
    sums = np.kron(np.eye(heads), np.ones(tokens))
    conditions = np.concatenate([output, sums])
    cost = np.zeros((heads, tokens))
    cost[:, token] = 1
    solved = linprog(
        cost.ravel(), A_eq=conditions, b_eq=conditions @ own.ravel(), bounds=(0, 1), method="highs"
    )
    if not solved.success:
        raise ArithmeticError(f"no other weights: {solved.message}")
    return solved.x.reshape(heads, tokens)


def empty_token(run: Mapping[str, Any], seed: int, sink: str, p: Mapping[str, Any]) -> dict[str, float]:
    """What a token with nothing in it gets, and whether anything hangs on it."""
    _, test = load_halves(p["sha256"], p["split_seed"], split_of(seed))
    few, weights = test.tokens[: p["probe"]], weights_of(run)
    options = {"empty": True, "plus_one": sink == "softmax_plus_one"}
    look = vision.forward(weights, few, **options)
    first, last = look.attention
    on_empty = last[:, :, 0, -1]
    said = look.logits.argmax(axis=1)
    generator = np.random.default_rng([p["analysis_seed"], seed])

    def kept_without(hidden: np.ndarray) -> float:
        visible = np.ones((len(few), last.shape[-1]), bool)
        visible[np.arange(len(few)), hidden] = False
        return float(
            (vision.forward(weights, few, visible=visible, **options).logits.argmax(axis=1) == said).mean()
        )

    lengths = np.linalg.norm(look.values[-1], axis=-1)
    return {
        "weight": float(on_empty.mean()),
        "first_block": float(first[:, :, :, -1].mean()),
        "largest_head": float(max(on_empty.mean(axis=0).max(), first[:, :, :, -1].mean(axis=(0, 2)).max())),
        "value_length": float(lengths[:, :, -1].mean() / lengths[:, :, 1:-1].mean()),
        "kept": kept_without(np.full(len(few), last.shape[-1] - 1)),
        "kept_without_a_patch": kept_without(generator.integers(1, PATCHES + 1, size=len(few))),
        "unspent": float(1 - last[:, :, 0].sum(axis=2).mean()),
        "accuracy": float(run["accuracies"][-1]),
    }


def _tables():
    changed = {"answers kept": KEPT, "median distance": DISTANCE}
    sinks = {
        "weight, last block": SINK,
        "weight, first block": SINK_FIRST,
        "largest of a head": SINK_MOST,
        "length of its values": SINK_LENGTH,
        "answers kept without it": SINK_KEPT,
        "without a patch": PATCH_KEPT,
        "accuracy": SINK_ACCURACY,
    }
    return (
        table(
            "explanation.changed", "what is put in the place of the weights", rows("change", CHANGES), changed
        ),
        table("explanation.frozen", "bag averaged with", rows("bag", BAGS), {"accuracy": BAG}),
        table("explanation.sink", "an empty token, with", rows("sink", LABELS["sink"]), sinks),
    )
