"""The question: does the NumPy attention compute what `keras.layers.MultiHeadAttention` computes.

Drawn: for each seed a new Keras layer with its own initial weights (and biases drawn at random, since
Keras starts them at zero, where a mistake in them would not show) and two sequences of tokens, uniform
between -1 and 1. Four cases: self-attention, the same under a causal mask, the same under a padding
mask, and cross-attention from the first sequence to the second, longer one.

Measured: the largest absolute difference in any output and in any attention weight, over all seeds
and cases, with the layer's own weights in `heads.multi_head_attention`. In float32, and once more
in float64. The largest output says what these differences are to be compared with.

Refuted, if a difference in float32 exceeds 1e-6, or if float64 does not shrink it by as much as
float64 is finer: then it would not be rounding.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from jaxtyping import Float

from attention_from_scratch import masks
from attention_from_scratch.experiments.policies import COUNT, FLOAT32_ROUNDING, FLOAT64_ROUNDING
from attention_from_scratch.heads import Projections, multi_head_attention
from measured.terms.claims import Claim, Verdict, below
from measured.terms.experiment import Experiment, Findings
from measured.terms.family import Family, rows, table
from measured.terms.measurement import AtMost, Close, Measurement
from measured.terms.null import becomes, instead

PARAMETERS = {
    "seeds": list(range(20)),
    "d_model": 64,
    "num_heads": 4,
    "key_dim": 16,
    "batch": 2,
    "length": 10,
    "real": 6,
    "other_length": 13,
    "bias_deviation": 0.1,
}
CASES = {
    "self_attention": "self-attention, no mask",
    "causal": "self-attention, causal mask",
    "padding": "self-attention, padding mask",
    "cross": "cross-attention, no mask",
}
LABELS = {"case": CASES}

# What is measured: its name, what it is, how far it may drift, how it is shown.
# fmt: off
LAYERS = Family("agreement.seeds", "layers compared, each with its own weights", COUNT)
LARGEST_OUTPUT = Family("agreement.largest_output",
    "largest absolute output of any of the compared layers",
    Close("float32 arithmetic, far above its rounding", rtol=1e-5), ".2f")
WORST_32 = Family("agreement.max_{what}_difference",
    "largest difference between NumPy and Keras in any {what}, in float32, over all seeds and cases",
    Close("some units in the last place, which depend on the machine, and never none: float64's are "
    "compared with them", rtol=0.6), ".1e", statistic="largest")
WORST_64 = Family("agreement.max_{what}_difference_float64",
    "largest difference between NumPy and Keras in any {what}, in float64, over all seeds and cases",
    AtMost("some units in the last place of float64: its size is the claim", bound=1.2e-15), ".1e",
    statistic="largest")
DIFFERENCE_32 = Family("agreement.{what}_difference_float32.{case}",
    "largest difference between NumPy and Keras in any {what}, in float32: {case}", FLOAT32_ROUNDING, ".1e",
    labels=LABELS)
DIFFERENCE_64 = Family("agreement.{what}_difference_float64.{case}",
    "largest difference between NumPy and Keras in any {what}, in float64: {case}", FLOAT64_ROUNDING, ".1e",
    labels=LABELS)
# fmt: on
FAMILIES = {"float32": (WORST_32, DIFFERENCE_32), "float64": (WORST_64, DIFFERENCE_64)}
WHAT = ("output", "weight")


def measure(seeds: list[int], **settings: Any) -> Findings:
    """Compare NumPy with Keras, for each seed, case and dtype."""
    compared = {
        dtype: np.array([differences(dtype, seed, **settings) for seed in seeds]) for dtype in FAMILIES
    }
    found = [LAYERS.of(len(seeds)), LARGEST_OUTPUT.of(compared["float32"][..., 2].max())]
    for column, what in enumerate(WHAT):
        for dtype, of in compared.items():
            found += _summed_up(dtype, what, of[..., column], seeds)
    columns = {
        f"largest {w} difference, {dtype}": of_case.at(what=w)
        for dtype, (_, of_case) in FAMILIES.items()
        for w in WHAT
    }
    return Findings(tuple(found), tables=(table("agreement.cases", "case", rows("case", CASES), columns),))


def _summed_up(
    dtype: str, what: str, compared: Float[np.ndarray, "seeds cases"], seeds: list[int]
) -> Iterator[Measurement]:
    worst, of_case = FAMILIES[dtype]
    yield worst.over_seeds(compared.max(axis=1), seeds, what=what)
    yield from of_case.each(compared.max(axis=0), case=CASES, what=what)


def differences(dtype: str, seed: int, **settings: Any) -> list[tuple[float, float, float]]:
    """Largest difference in outputs, in weights, and largest output, of one layer in each case."""
    import keras

    from attention_from_scratch.training import set_seed

    set_seed(seed)
    bias = keras.initializers.RandomNormal(stddev=settings["bias_deviation"], seed=seed)
    layer = keras.layers.MultiHeadAttention(
        settings["num_heads"], settings["key_dim"], bias_initializer=bias, dtype=dtype
    )
    return [_difference(layer, *inputs(dtype, case, seed, **settings)) for case in CASES]


def _difference(layer: Any, query: np.ndarray, value: np.ndarray, mask: Any) -> tuple[float, float, float]:
    theirs = layer(query, value, attention_mask=mask, return_attention_scores=True)
    ours = multi_head_attention(query, value, value, Projections.of(layer.get_weights()), mask)
    output, weight = (float(np.abs(np.asarray(a) - b).max()) for a, b in zip(theirs, ours, strict=True))
    return output, weight, float(np.abs(ours[0]).max())


def inputs(dtype: str, case: str, seed: int, **settings: Any) -> tuple[np.ndarray, np.ndarray, Any]:
    """Query sequence, value sequence, mask (or None) of one case."""
    generator = np.random.default_rng(seed)
    batch, length, other = settings["batch"], settings["length"], settings["other_length"]
    tokens = generator.uniform(-1, 1, size=(batch, length, settings["d_model"])).astype(dtype)
    memory = generator.uniform(-1, 1, size=(batch, other, settings["d_model"])).astype(dtype)
    real = np.broadcast_to(np.arange(length) < settings["real"], (batch, length))
    mask = {"causal": masks.causal(length)[np.newaxis], "padding": masks.padding(real)}.get(case)
    return tokens, memory if case == "cross" else tokens, mask


def _is_rounding(found: Findings) -> Verdict:
    """Float64's rounding unit is 2**-29 of float32's; allow a factor of 16 for luck."""
    return below(
        {w: WORST_64.value(found, what=w) / WORST_32.value(found, what=w) for w in WHAT}, 16 * 2.0**-29
    )


CLAIMS = (
    Claim(
        "agreement.float32",
        "outputs and weights differ by less than 1e-6 in float32, for every seed and case",
        lambda f: below(WORST_32.values(f), 1e-6),
        nulls=(
            becomes(
                "agreement.max_{what}_difference",
                by="agreement.largest_output",
                words="a layer that computes something else",
            ),
        ),
    ),
    Claim(
        "agreement.is_rounding",
        "in float64 the differences shrink as the rounding unit does (by 2^29, within a factor of 16)",
        _is_rounding,
        nulls=(
            instead(
                "agreement.max_{what}_difference_float64",
                by="agreement.max_{what}_difference",
                words="a real difference, which float64 keeps",
            ),
        ),
    ),
)

EXPERIMENT = Experiment(
    name="agreement",
    question="Does the NumPy attention compute what the Keras layer computes?",
    measure=measure,
    parameters=PARAMETERS,
    quick={"seeds": [0, 1]},
    seconds=120,
    claims=CLAIMS,
)
