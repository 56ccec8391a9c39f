"""What fresh seeds are asked for the claims of `explanation`."""

from __future__ import annotations

from typing import Any

import numpy as np

from attention_from_scratch import ranking
from attention_from_scratch.experiments import explanation_errors as errors
from attention_from_scratch.experiments import explanation_maps as maps
from attention_from_scratch.experiments import explanation_plan as plan
from attention_from_scratch.experiments import explanation_weights as swaps
from attention_from_scratch.experiments.explanation_runs import train_vision
from measured.terms.trial import Trial

RANKED = ("raw", "rollout", "gradient", "integrated")


def ask_plain(seed: int, **training: Any) -> dict[str, Any]:
    """Train one vision transformer; areas, ranks, and what is left with other weights."""
    p = plan.PARAMETERS
    run = train_vision(seed, kind="plain", **training)
    model = errors.answered(run, seed, p)
    found = maps.faithfulness(run, seed, p)
    kept = {
        "confidence": ranking.auc(model.confidence, model.right),
        "entropy": ranking.auc(model.statistics["entropy_mean.block2"], model.right),
        "maximum": ranking.auc(model.statistics["maximum_mean.block2"], model.right),
        "typical_attention": ranking.auc(model.statistics["typical.block1"], model.right),
        "typical_image": ranking.auc(model.typical_image, model.right),
    }
    for name in RANKED:
        kept |= {f"{name}_{yardstick}": found[name][yardstick] for yardstick in ("correlation", "hiding")}
    kept |= {"covering_paper": found["covering"]["paper"], "covering_hiding": found["covering"]["hiding"]}
    kept |= {f"{name}_deletion": found[name]["deletion"] for name in ("raw", "ink")}
    changed = swaps.other_answers(run, seed, p)
    kept |= {f"kept_{name}": changed[name][0] for name in ("even", "even_everywhere")}
    return {name: float(value) for name, value in kept.items()}


def ask_planted(seed: int, **training: Any) -> dict[str, Any]:
    """Train one vision transformer with marks; which maps put the marked patch first."""
    run = train_vision(seed, kind="planted", **training)
    return {name: float(np.float64(v)) for name, v in maps.planted(run, seed, plan.PARAMETERS).items()}


PLAIN = Trial(
    "digits_and_attention",
    "A vision transformer on digits: does its attention know its errors, and do its maps rank patches?",
    ask_plain,
    plan.TRAINING,
    tolerance={
        **dict.fromkeys(("confidence", "entropy", "maximum", "typical_attention", "typical_image"), 0.1),
        **{f"{name}_{yardstick}": 0.1 for name in RANKED for yardstick in ("correlation", "hiding")},
        **dict.fromkeys(("covering_paper", "covering_hiding", "raw_deletion", "ink_deletion"), 0.1),
        **dict.fromkeys(("kept_even", "kept_even_everywhere"), 0.1),
    },
)
MARKED = Trial(
    "digits_with_a_mark",
    "A vision transformer on digits, of which a mark decides some: which map names the mark?",
    ask_planted,
    plan.TRAINING,
    tolerance=dict.fromkeys((*maps.FOUND_BY, "decided"), 0.15),
)
