"""The question: what does padding do to a layer that is not told about it.

Drawn: sequences of 5 to 20 coin flips, padded to 200 tokens. The answer is the last real token: without
the padding it stands at distance zero, so that whatever distance there is, padding made. Once more with
the first real token as the answer, where the padding's other side is the dangerous one.

A SimpleRNN as in `recurrence`, at Keras' defaults, learns four versions of the same sequences: padding
behind or in front, each with the mask handed to the layer or without. The cousin of the fault, in
attention: an encoder that averages over positions, trained on sequences padded to 20 and tested on the
same sequences padded to 200, with a padding mask and without.

Measured: test accuracy at the end of the budget, over seeds; for the encoder also the share of its
attention that falls on padding and the largest change of a logit when the padding grows.

Refuted, if a mask made no difference, or if one side of padding were safe whatever is asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from attention_from_scratch.experiments.padding_runs import train_pooled, train_simple_rnn
from attention_from_scratch.experiments.policies import COUNT, EXACT_ZERO
from attention_from_scratch.tasks.recall import CHANCE
from measured.terms.claims import Claim, above, below, between, equal, every
from measured.terms.experiment import Cell, Experiment, Findings, Run, Table
from measured.terms.measurement import AtMost, Measurement, Spread

# Width and budget as in `recurrence`, for the reasons given there.
TRAINING = {
    "width": 16,
    "shortest": 5,
    "longest": 20,
    "total": 200,
    "training": 2048,
    "validation": 512,
    "test": 1024,
    "batch": 64,
    "epochs": 16,
    "learning_rate": 3e-3,
    "clip_norm": 1.0,
    "stop_at": 0.995,
}
PARAMETERS = {**TRAINING, "seeds": [0, 1, 2]}
QUICK_SEEDS = [0, 1]
QUICK_RUN = {"training": 128, "validation": 128, "epochs": 1}

ASKED = {"last": "accuracy", "first": "first_accuracy"}  # the answer, and how its ids begin
WAYS = {
    "unmasked": ("behind, no mask", {"side": "post", "masked": False}),
    "masked": ("behind, mask", {"side": "post", "masked": True}),
    "pre": ("in front, no mask", {"side": "pre", "masked": False}),
    "pre_masked": ("in front, mask", {"side": "pre", "masked": True}),
}
POOLED = {"unmasked": False, "masked": True}
PADDED = {"trained": "padded as in training", "further": "padded further"}


def _runs() -> tuple[Run, ...]:
    def run(name: str, function: Any, **settings: Any) -> list[Run]:
        return [
            Run(
                f"{name}.seed{seed}",
                function,
                {**TRAINING, **settings, "seed": seed},
                seconds=600,
                quick=QUICK_RUN,
                in_quick=seed in QUICK_SEEDS,
            )
            for seed in PARAMETERS["seeds"]
        ]

    made: list[Run] = []
    for asked in ASKED:
        for way, (_, settings) in WAYS.items():
            made += run(f"{asked}.{way}", train_simple_rnn, asked=asked, **settings)
    for way, masked in POOLED.items():
        made += run(f"pooled.{way}", train_pooled, masked=masked)
    return tuple(made)


def measure(runs: Mapping[str, Any], seeds: list[int], **settings: Any) -> Findings:
    """Sum up the runs over seeds."""
    trained = Spread(
        "three standard errors over seeds, and never less than one seed that flips between chance and solved",
        k=3,
        floor=1.02 * 0.5 / len(seeds),
    )
    found = [Measurement("padding.chance", CHANCE, "accuracy of guessing between two classes", COUNT, ".1f")]
    for asked, prefix in ASKED.items():
        for way, (words, _) in WAYS.items():
            samples = [runs[f"{asked}.{way}.seed{seed}"]["accuracy"] for seed in seeds]
            found.append(
                Measurement(
                    f"padding.{prefix}.{way}",
                    np.mean(samples),
                    f"test accuracy of a SimpleRNN asked for the {asked} of {settings['shortest']} to "
                    f"{settings['longest']} real tokens, padded to {settings['total']}, padding {words}; "
                    "mean over seeds",
                    trained,
                    ".3f",
                    seeds=seeds,
                    samples=samples,
                )
            )
    for way in POOLED:
        found += _pooled(way, [runs[f"pooled.{way}.seed{seed}"] for seed in seeds], seeds, trained)
    return Findings(tuple(found), tables=_tables())


def _pooled(
    way: str, of_seeds: list[Mapping[str, Any]], seeds: list[int], trained: Spread
) -> list[Measurement]:
    words = "with a padding mask" if way == "masked" else "without a padding mask"
    found = []
    for padding, when in PADDED.items():
        samples = [run[f"accuracy_{padding}"] for run in of_seeds]
        found.append(
            Measurement(
                f"padding.pooled_accuracy.{way}.{padding}",
                np.mean(samples),
                f"test accuracy of a pooled attention encoder {words}, on sequences {when}, mean over seeds",
                trained,
                ".3f",
                seeds=seeds,
                samples=samples,
            )
        )
    weights = [float(run["weight_on_padding"]) for run in of_seeds]
    changes = [float(run["logit_change"]) for run in of_seeds]
    if way == "masked":
        return [
            *found,
            Measurement(
                "padding.pooled_weight.masked",
                max(weights),
                "largest share of attention on padding, with a mask, of any seed",
                EXACT_ZERO,
                ".0f",
            ),
            Measurement(
                "padding.pooled_change.masked",
                max(changes),
                "largest change of any logit when the padding grows, with a mask",
                AtMost("rounding of float32 sums of another length, whose digits are noise", bound=1e-4),
                ".0e",
            ),
        ]
    return [
        *found,
        Measurement(
            "padding.pooled_weight.unmasked",
            np.mean(weights),
            "share of the real tokens' attention that falls on longer padding, no mask, mean over seeds",
            Spread("three standard errors over seeds, at least 0.15", k=3, floor=0.15),
            ".2f",
            seeds=seeds,
            samples=weights,
        ),
        Measurement(
            "padding.pooled_change.unmasked",
            np.mean(changes),
            "largest change of any logit when the padding grows, no mask, mean over seeds",
            Spread("three standard errors over seeds, at least 1", k=3, floor=1.0),
            ".1f",
            seeds=seeds,
            samples=changes,
        ),
    ]


def _tables() -> tuple[Table, Table]:
    return (
        Table(
            "padding.accuracy",
            ("padding", "asked for the last token", "asked for the first token"),
            tuple(
                (words, *(Cell(f"padding.{prefix}.{way}") for prefix in ASKED.values()))
                for way, (words, _) in WAYS.items()
            ),
        ),
        Table(
            "padding.pooled",
            ("pooled encoder", *PADDED.values(), "largest change of a logit"),
            tuple(
                (
                    "with a mask" if way == "masked" else "no mask",
                    *(Cell(f"padding.pooled_accuracy.{way}.{padding}") for padding in PADDED),
                    Cell(f"padding.pooled_change.{way}"),
                )
                for way in ("unmasked", "masked")
            ),
        ),
    )


def _accuracies(found: Findings, *ids: str) -> dict[str, float]:
    return {name: found[f"padding.{name}"] for name in ids}


# Guessing on 3 × 1,024 test sequences lies within this, six standard errors wide; a strategy would not.
GUESSING = (CHANCE - 0.06, CHANCE + 0.06)

CLAIMS = (
    Claim(
        "padding.behind_overwrites",
        "asked for the last token, padding behind and no mask: the mean accuracy lies near guessing",
        lambda f: between(_accuracies(f, "accuracy.unmasked"), *GUESSING),
    ),
    Claim(
        "padding.mask_mends_it",
        "with a mask the SimpleRNN answers more than 0.98 of all sequences, on both sides, asked for either",
        lambda f: above(
            _accuracies(
                f,
                *(f"{prefix}.{way}" for prefix in ASKED.values() for way in ("masked", "pre_masked")),
            ),
            0.98,
        ),
    ),
    Claim(
        "padding.front_mends_the_last",
        "asked for the last token, padding in front and no mask: more than 0.98",
        lambda f: above(_accuracies(f, "accuracy.pre"), 0.98),
    ),
    Claim(
        "padding.no_side_is_safe",
        "without a mask, padding behind fails the last token and padding in front fails the first: each at "
        "least 0.2 below the same side with a mask",
        lambda f: above(
            {
                "behind, last": f["padding.accuracy.masked"] - f["padding.accuracy.unmasked"],
                "in front, first": f["padding.first_accuracy.pre_masked"] - f["padding.first_accuracy.pre"],
            },
            0.2,
        ),
    ),
    Claim(
        "padding.first_survives",
        "asked for the first token, padding behind and no mask: more than 0.8, from an orthogonal start",
        lambda f: above(_accuracies(f, "first_accuracy.unmasked"), 0.8),
    ),
    Claim(
        "padding.pooled_learns",
        "on sequences padded as in training the pooled encoder answers more than 0.98, mask or not",
        lambda f: above(
            _accuracies(f, "pooled_accuracy.unmasked.trained", "pooled_accuracy.masked.trained"), 0.98
        ),
    ),
    Claim(
        "padding.pooled_breaks",
        "without a mask the pooled encoder loses at least 0.2 of accuracy when the padding grows",
        lambda f: above(
            {
                "lost": f["padding.pooled_accuracy.unmasked.trained"]
                - f["padding.pooled_accuracy.unmasked.further"]
            },
            0.2,
        ),
    ),
    Claim(
        "padding.pooled_masked_holds",
        "with a mask no attention falls on padding, no logit moves by 1e-4, and the accuracy stays",
        lambda f: every(
            equal({"weight on padding": f["padding.pooled_weight.masked"]}, 0.0),
            below({"largest change": f["padding.pooled_change.masked"]}, 1e-4),
            above(_accuracies(f, "pooled_accuracy.masked.further"), 0.98),
        ),
    ),
)

EXPERIMENT = Experiment(
    name="padding",
    question="What does padding do to a layer that is not told about it?",
    measure=measure,
    parameters=PARAMETERS,
    quick={"seeds": QUICK_SEEDS},
    runs=_runs(),
    seconds=60,
    claims=CLAIMS,
)
