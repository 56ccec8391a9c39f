"""What fresh seeds are asked for the claims of `explanation`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from attention_from_scratch.experiments import explanation_errors as errors
from attention_from_scratch.experiments import explanation_maps as maps
from attention_from_scratch.experiments import explanation_plan as plan
from attention_from_scratch.experiments import explanation_weights as swaps
from attention_from_scratch.experiments.explanation_runs import train_bags, train_vision
from measured.terms.trial import Trial

RANKED = ("raw", "norm", "rollout", "gradient", "integrated")
ORDERED = ("raw", "rollout", "gradient", "integrated", "distance", "ink", "random", "covering")
INSERTED = ("raw", "distance", "ink", "random")
COMPARED = ("gradient", "rollout")
AREAS = ("confidence", "entropy", "maximum", "best_attention", "typical_image", "image_and_attention")
EVEN = ("even", "even_first", "even_everywhere")


def ask_plain(seed: int, **training: Any) -> dict[str, float]:
    """Train one vision transformer; areas, ranks, orders, and what is left with other weights."""
    p = plan.PARAMETERS
    run = train_vision(seed, kind="plain", **training)
    model = errors.answered(run, seed, p)
    scores = errors.scores_of(model, [model], p)
    found = maps.faithfulness(run, seed, p)
    kept = {
        **{name: errors.area(scores[name], model.right) for name in AREAS},
        "unremarkable": errors.unremarkable(model, model.confidence > p["confident"]),
        "average_correlation": found["average"]["correlation"],
        "covering_paper": found["covering"]["paper"],
        "covering_hiding": found["covering"]["hiding"],
    }
    for name in RANKED:
        kept |= {f"{name}_{yardstick}": found[name][yardstick] for yardstick in ("correlation", "hiding")}
    kept |= {f"{name}_deletion": found[name]["deletion"] for name in ORDERED}
    kept |= {f"{name}_insertion": found[name]["insertion"] for name in INSERTED}
    changed = swaps.other_answers(run, seed, {**p, "permutations": 1})  # which no claim on these asks for
    kept |= {f"kept_{name}": changed[name][0] for name in EVEN}
    kept |= swaps.other_weights(run, seed, p)
    return _plain_numbers(kept)


def ask_yardsticks(seed: int, **training: Any) -> dict[str, float]:
    """Train one vision transformer; how two maps rank patches that are covered, and hidden."""
    found = maps.faithfulness(train_vision(seed, kind="plain", **training), seed, plan.PARAMETERS)
    return _plain_numbers({f"{m}_{y}": found[m][y] for m in COMPARED for y in ("correlation", "hiding")})


def ask_planted(seed: int, **training: Any) -> dict[str, float]:
    """Train one vision transformer with marks; which maps put the marked patch first."""
    run = train_vision(seed, kind="planted", **training)
    return _plain_numbers(maps.planted(run, seed, plan.PARAMETERS))


def ask_alike(seed: int, **training: Any) -> dict[str, float]:
    """Train on true labels, again from another seed, and on shuffled labels; whether their maps are alike."""
    other = seed + 2  # of the same split
    run = train_vision(seed, kind="plain", **training)
    found = {}
    for pair, kind in (("shuffled", "shuffled"), ("twin", "plain")):
        against = train_vision(other, kind=kind, **training)
        alike = maps.alike(run, seed, against, other, plan.PARAMETERS)
        found |= {f"{name}_{pair}": value for name, value in alike.items()}
        if kind == "shuffled":
            found["memorised"] = maps.memorised(against, other, plan.PARAMETERS)
            found["accuracy"] = against["accuracies"][-1]
    return _plain_numbers(found)


def ask_empty(seed: int, **training: Any) -> dict[str, float]:
    """Train two vision transformers with an empty token, with either softmax; what it gets."""
    found = {}
    for sink, kind in swaps.SINKS.items():
        run = train_vision(seed, kind=kind, **training)
        got = swaps.empty_token(run, seed, sink, plan.PARAMETERS)
        found |= {f"{name}_{sink}": got[name] for name in ("weight", "kept")}
    return _plain_numbers(found)


def ask_bags(seed: int, **training: Any) -> dict[str, float]:
    """Train a vision transformer and bags of patches; the bags' accuracy."""
    return _plain_numbers(train_bags(seed, **training))


def _plain_numbers(found: Mapping[str, Any]) -> dict[str, float]:
    return {name: float(np.float64(value)) for name, value in found.items()}


PLAIN = Trial(
    "digits_and_attention",
    "A vision transformer on digits: does its attention know its errors, and do its maps rank patches?",
    ask_plain,
    {**plan.TRAINING, **plan.GRADIENTS},
    tolerance={
        **dict.fromkeys(AREAS, 0.1),
        **{f"{name}_{yardstick}": 0.1 for name in RANKED for yardstick in ("correlation", "hiding")},
        **{f"{name}_deletion": 0.1 for name in ORDERED},
        **{f"{name}_insertion": 0.1 for name in INSERTED},
        **dict.fromkeys(("average_correlation", "covering_paper", "covering_hiding"), 0.1),
        **{f"kept_{name}": 0.1 for name in EVEN},
        "left": 0.1,
        **dict.fromkeys(("unremarkable", "another_first"), 0.2),
        "output_change": 1e-4,
    },
)
YARDSTICKS = Trial(
    "digits_by_two_yardsticks",
    "A vision transformer on digits: does the intervention decide which of two maps ranks patches better?",
    ask_yardsticks,
    {**plan.TRAINING, **plan.GRADIENTS},
    tolerance={f"{name}_{yardstick}": 0.1 for name in COMPARED for yardstick in ("correlation", "hiding")},
)
MARKED = Trial(
    "digits_with_a_mark",
    "A vision transformer on digits, of which a mark decides some: which map names the mark?",
    ask_planted,
    {**plan.TRAINING, **plan.GRADIENTS, **plan.MARKS},
    tolerance=dict.fromkeys((*maps.FOUND_BY, "decided"), 0.15),
)
ALIKE = Trial(
    "digits_trained_twice",
    "Vision transformers on digits: are a model's maps like those of one of shuffled labels, or of a twin?",
    ask_alike,
    {**plan.TRAINING, **plan.GRADIENTS},
    tolerance={
        **{f"{name}_{pair}": 0.1 for name in maps.ALIKE for pair in maps.PAIRS},
        "memorised": 0.15,
        "accuracy": 0.05,
    },
)
EMPTY = Trial(
    "digits_with_an_empty_token",
    "A vision transformer on digits: how much weight goes to a token with nothing in it?",
    ask_empty,
    {**plan.TRAINING, **plan.GRADIENTS},
    tolerance={f"{name}_{sink}": 0.05 for name in ("weight", "kept") for sink in swaps.SINKS},
)
HANDED_ON = Trial(
    "digits_with_frozen_weights",
    "Bags of patches, averaged with a vision transformer's weights: on which image must these be the same?",
    ask_bags,
    {**plan.TRAINING, **plan.BAGS},
    tolerance=dict.fromkeys(swaps.BAGS, 0.1),
)
