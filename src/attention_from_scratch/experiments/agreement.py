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

from typing import Any

import numpy as np

from attention_from_scratch import masks
from attention_from_scratch.experiments.policies import COUNT, FLOAT32_ROUNDING, FLOAT64_ROUNDING
from attention_from_scratch.heads import Projections, multi_head_attention
from measured.terms.claims import Claim, Verdict, below
from measured.terms.experiment import Cell, Experiment, Findings, Table
from measured.terms.measurement import Close, Measurement

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
DTYPES = {"float32": FLOAT32_ROUNDING, "float64": FLOAT64_ROUNDING}


def measure(seeds: list[int], **settings: Any) -> Findings:
    """Compare NumPy with Keras, for each seed, case and dtype."""
    # (dtype, seed, case, (output difference, weight difference, largest output))
    measured = np.array([[differences(dtype, seed, **settings) for seed in seeds] for dtype in DTYPES])
    worst = {
        (dtype, case): measured[i, :, j] for i, dtype in enumerate(DTYPES) for j, case in enumerate(CASES)
    }
    found = [
        Measurement("agreement.seeds", len(seeds), "layers compared, each with its own weights", COUNT),
        Measurement(
            "agreement.largest_output",
            measured[0, ..., 2].max(),
            "largest absolute output of any of the compared layers",
            Close("float32 arithmetic, far above its rounding", rtol=1e-5),
            ".2f",
        ),
    ]
    for column, what in enumerate(("output", "weight")):
        for dtype, tolerance in DTYPES.items():
            over_cases = np.max([worst[dtype, case][:, column] for case in CASES], axis=0)
            found.append(
                Measurement(
                    f"agreement.max_{what}_difference" + ("_float64" if dtype == "float64" else ""),
                    over_cases.max(),
                    f"largest difference between NumPy and Keras in any {what}, in {dtype}, "
                    "over all seeds and cases",
                    tolerance,
                    ".1e",
                    seeds=tuple(seeds),
                    samples=tuple(over_cases),
                )
            )
            found += [
                Measurement(
                    f"agreement.{what}_difference_{dtype}.{case}",
                    worst[dtype, case][:, column].max(),
                    f"largest difference between NumPy and Keras in any {what}, in {dtype}: {label}",
                    tolerance,
                    ".1e",
                )
                for case, label in CASES.items()
            ]
    return Findings(tuple(found), tables=(_table(),))


def differences(dtype: str, seed: int, **settings: Any) -> list[tuple[float, float, float]]:
    """Largest difference in outputs, in weights, and largest output, of one layer in each case."""
    import keras

    keras.utils.set_random_seed(seed)
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


def _table() -> Table:
    rows = tuple(
        (label, *(Cell(f"agreement.{w}_difference_{d}.{case}") for d in DTYPES for w in ("output", "weight")))
        for case, label in CASES.items()
    )
    heading = tuple(f"largest {w} difference, {d}" for d in DTYPES for w in ("output", "weight"))
    return Table("agreement.cases", ("case", *heading), rows)


def _is_rounding(found: Findings) -> Verdict:
    """Float64's rounding unit is 2**-29 of float32's; allow a factor of 16 for luck."""
    ratios = {
        what: found[f"agreement.max_{what}_difference_float64"] / found[f"agreement.max_{what}_difference"]
        for what in ("output", "weight")
    }
    return below(ratios, 16 * 2.0**-29)


CLAIMS = (
    Claim(
        "agreement.float32",
        "outputs and weights differ by less than 1e-6 in float32, for every seed and case",
        lambda f: below({w: f[f"agreement.max_{w}_difference"] for w in ("output", "weight")}, 1e-6),
    ),
    Claim(
        "agreement.is_rounding",
        "in float64 the differences shrink as the rounding unit does (by 2^29, within a factor of 16)",
        _is_rounding,
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
