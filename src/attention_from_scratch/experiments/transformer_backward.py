"""The question: are the gradients of attention, written by hand, right; what does saturation leave of them.

Drawn: for each seed queries, keys, values and the gradient at the output, standard normal; with and without a
causal mask. By hand (`backward.attention_gradients`), by TensorFlow, and by differences.

Then rows of scores whose first one leads by a gap, the others standard normal noise around 0, and standard
normal gradients at the weights: what share of their norm reaches the scores. After a look: up to a lead of 2
the share does not fall.

Refuted, if TensorFlow's gradients differ by more than rounding does.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from attention_from_scratch import backward, masks
from attention_from_scratch.attention import attention, softmax
from attention_from_scratch.experiments.policies import COUNT, SAMPLED
from measured.terms.claims import Claim, Verdict, above, below, every, falls
from measured.terms.experiment import Experiment, Findings
from measured.terms.family import Family, rows, table
from measured.terms.measurement import AtLeast, AtMost, Close, Measurement
from measured.terms.null import becomes, flat, instead

PARAMETERS: dict[str, Any] = {
    "seeds": list(range(10)),
    "batch": 2,
    "length": 6,
    "width": 8,
    "step": 1e-5,
    "gaps": [0, 2, 5, 10, 20],
    "keys": 12,
    "draws": 10_000,
    "saturation_seed": 0,
}
INPUTS = ("query", "key", "value")

# fmt: off
DIFFERENCE = Family("transformer.backward.max_difference",
    "largest difference between the gradients by hand and TensorFlow's, of query, key and value, in float64, "
    "over all seeds, with and without a causal mask",
    AtMost("float64 rounding: its size is the claim", bound=1e-13), ".0e", statistic="largest")
NUMERIC = Family("transformer.backward.finite_difference",
    "largest difference between the gradients by hand and differences of the loss with a step of {step:g}",
    AtMost("truncation and rounding of the differences, not of the formula", bound=1e-8), ".0e",
    statistic="largest")
APART = Family("transformer.backward.slopes_over_tensorflow",
    "largest difference of those slopes from the gradients by hand, over that of TensorFlow's gradients",
    AtLeast("the digits of rounding depend on the machine: that it is the smaller by far is the claim",
    bound=100), ",.0f")
LARGEST = Family("transformer.backward.largest", "largest gradient by hand, any input",
    Close("float64 arithmetic, far above its rounding", rtol=1e-6), ".1f")
COMPARED = Family("transformer.backward.seeds", "draws compared, each with and without a mask", COUNT)
REACHES = Family("transformer.backward.reaches_scores.gap{gap}",
    "mean share of the gradient's norm at the weights that reaches the scores, a score {gap} ahead of "
    "the mean of {others} others", SAMPLED, ".1e")
WEIGHT = Family("transformer.backward.weight.gap{gap}",
    "mean weight of a score that is {gap} ahead of the mean of {others} others", SAMPLED, ".6f")
# fmt: on


def measure(
    seeds: list[int], gaps: list[int], keys: int, draws: int, saturation_seed: int, step: float, **sizes: int
) -> Findings:
    """Compare three ways to the same gradients; saturate rows."""
    compared = np.array([_differences(seed, step, **sizes) for seed in seeds])
    found = [
        COMPARED.of(len(seeds)),
        DIFFERENCE.over_seeds(compared[:, 0], seeds),
        NUMERIC.over_seeds(compared[:, 1], seeds, step=step),
        APART.of(compared[:, 1].max() / compared[:, 0].max()),
        LARGEST.of(compared[:, 2].max()),
        *_saturated(gaps, keys, draws, np.random.default_rng(saturation_seed)),
    ]
    columns = {"its weight": WEIGHT, "share that reaches the scores": REACHES}
    return Findings(
        tuple(found),
        tables=(table("transformer.saturation", "lead over the mean", rows("gap", gaps), columns),),
    )


def _saturated(
    gaps: list[int], keys: int, draws: int, generator: np.random.Generator
) -> Iterator[Measurement]:
    scores = generator.normal(size=(draws, keys))
    scores[:, 0] = 0
    gradient = generator.normal(size=(draws, keys))
    for gap in gaps:
        lead = np.where(np.arange(keys) == 0, float(gap), 0.0)
        weights = softmax(scores + lead)
        reached = np.linalg.norm(backward.softmax_gradient(weights, gradient), axis=-1)
        at = {"gap": gap, "others": keys - 1}
        yield WEIGHT.of(weights[:, 0].mean(), **at)
        yield REACHES.of((reached / np.linalg.norm(gradient, axis=-1)).mean(), **at)


def _differences(seed: int, step: float, batch: int, length: int, width: int) -> tuple[float, float, float]:
    """Largest difference to TensorFlow's and to the differences, and the largest gradient, of one draw."""
    generator = np.random.default_rng(seed)
    query, key, value, gradient = generator.normal(size=(4, batch, length, width))
    theirs, numeric, largest = 0.0, 0.0, 0.0
    for mask in (None, masks.causal(length)):
        by_hand = backward.attention_gradients(query, key, value, gradient, mask)
        parts = {"query": query, "key": key, "value": value}
        for name, ours, tf_s in zip(parts, by_hand, _by_tensorflow(parts, gradient, mask), strict=True):

            def loss(x, name=name, parts=parts, mask=mask):
                return (attention(**{**parts, name: x}, mask=mask)[0] * gradient).sum()

            slopes = backward.finite_differences(loss, parts[name], step)
            theirs = max(theirs, float(np.abs(ours - tf_s).max()))
            numeric = max(numeric, float(np.abs(ours - slopes).max()))
            largest = max(largest, float(np.abs(ours).max()))
    return theirs, numeric, largest


def _by_tensorflow(parts: dict[str, np.ndarray], gradient: np.ndarray, mask: Any) -> list[np.ndarray]:
    import tensorflow as tf

    inputs = [tf.constant(x) for x in parts.values()]
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        query, key, value = inputs
        scores = tf.einsum("bqd,bkd->bqk", query, key) / query.shape[-1] ** 0.5
        if mask is not None:
            scores = tf.where(mask, scores, tf.constant(-1e9, scores.dtype))
        total = tf.reduce_sum(tf.einsum("bqk,bkd->bqd", tf.nn.softmax(scores), value) * gradient)
    return [part.numpy() for part in tape.gradient(total, inputs)]


def _agrees(found: Findings) -> Verdict:
    return every(
        below({"TensorFlow": found["transformer.backward.max_difference"]}, 1e-12),
        below({"slopes": found["transformer.backward.finite_difference"]}, 1e-7),
        above({"slopes over TensorFlow": found["transformer.backward.slopes_over_tensorflow"]}, 10),
    )


CLAIMS = (
    Claim(
        "transformer.backward_agrees",
        "by hand and by TensorFlow, in float64, no gradient differs by 1e-12 or more, and none from finite "
        "differences by 1e-7 or more, which is over ten times as much",
        _agrees,
        nulls=(
            becomes(
                "transformer.backward.max_difference",
                by="transformer.backward.largest",
                words="a formula that gives something else",
            ),
            becomes(
                "transformer.backward.finite_difference",
                by="transformer.backward.largest",
                words="a slope that is another one",
            ),
            becomes(
                "transformer.backward.slopes_over_tensorflow",
                by=1.0,
                words="slopes that agree as well as TensorFlow does",
            ),
        ),
    ),
    Claim(
        "transformer.backward_saturates",
        "from a lead of 2 on, the share of the gradient that reaches the scores falls with the lead, below "
        "a millionth at 20",
        lambda f: every(
            falls(REACHES.values(f, gap=PARAMETERS["gaps"][1:])), below(REACHES.values(f, gap=20), 1e-6)
        ),
        nulls=(
            flat("transformer.backward.reaches_scores.gap{gap}", "gap"),
            instead(
                "transformer.backward.reaches_scores.gap5", by="transformer.backward.reaches_scores.gap10"
            ),
            becomes("transformer.backward.reaches_scores.gap20", by=1e-4),
        ),
    ),
)

EXPERIMENT = Experiment(
    name="transformer_backward",
    question="Are the gradients of attention by hand right, and what does saturation leave of them?",
    measure=measure,
    parameters=PARAMETERS,
    quick={"seeds": [0, 1], "draws": 500},
    prefixes=("transformer",),
    claims=CLAIMS,
)
