"""The question: may one read attention weights as an explanation of an answer.

Drawn: scikit-learn's digits, 1,797 images of 8 × 8. Half of them train a small vision transformer (16
patches and a class token, two blocks), the other half tests it; even seeds and odd ones train on opposite
halves, so that each image is tested. What is asked, each with what would refute it:

1. *Errors.* Do the class token's weights tell wrong answers from right ones? Refuted as "no", if the best
   statistic of attention, chosen on other images, came near the confidence.
2. *Faithfulness.* Do maps name the patches that matter when they are covered? Refuted as "weights are
   worse", if raw weights or rollout ranked patches as well as gradient × input.
3. *A planted cause.* A mark in one patch decides the class. Which map puts that patch first?
4. *Both sides of a debate.* Other weights with the same answer (Jain and Wallace 2019), found exactly, by a
   linear program; and whether frozen weights help another model (Wiegreffe and Pinter 2019), with the
   control that their test lacks: the weights of *another* image of the same class.
5. *Sinks.* What does a token with nothing in it get, and does anything hang on it?

Controls: maps that see no image, maps that see no model (one of them knows what is covered with), random
ones, a second and a third intervention, models trained on shuffled labels.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from attention_from_scratch.experiments import explanation_errors as errors
from attention_from_scratch.experiments import explanation_maps as maps
from attention_from_scratch.experiments import explanation_plan as plan
from attention_from_scratch.experiments import explanation_weights as swaps
from attention_from_scratch.experiments.explanation_claims import CLAIMS
from measured.terms.experiment import Experiment, Findings
from measured.terms.scope import Scope


def measure(runs: Mapping[str, Mapping[str, np.ndarray]], **p: Any) -> Findings:
    """Everything, from trainings that are already made."""
    parts = [errors.measure(runs, p), maps.measure(runs, p), swaps.measure(runs, p)]
    return Findings(
        tuple(m for part in parts for m in part.measurements),
        {name: array for part in parts for name, array in part.arrays.items()},
        tuple(table for part in parts for table in part.tables),
    )


TRAINED = (
    "A vision transformer of {blocks} blocks, {num_heads} heads, {width} wide, on half of scikit-learn's "
    "digits (the same writers in both halves), {epochs} epochs in batches of {batch}, Adam at a rate of "
    "{learning_rate}; "
)

EXPERIMENT = Experiment(
    name="explanation",
    question="May one read attention weights as an explanation of an answer?",
    measure=measure,
    parameters=plan.PARAMETERS,
    quick=plan.QUICK,
    runs=tuple(plan.runs()),
    seconds=600,
    claims=CLAIMS,
    scopes={
        "explanation.planted*": Scope(
            TRAINED
            + "a mark in one of {patches} patches of a share of {marked_share} of the training images; seeds "
            "{control_seeds}."
        ),
        "explanation.sink*": Scope(TRAINED + "a token without content added; seeds {control_seeds}."),
        "explanation.frozen*": Scope(
            TRAINED + "then bags of patches, {bag_epochs} epochs at the same rate; seeds {control_seeds}."
        ),
        "explanation.likeness*": Scope(TRAINED + "{control_seeds.count} pairs of seeds."),
        "explanation.errors*": Scope(TRAINED + "the other half tested; seeds {seeds}."),
        "explanation.accuracy": Scope(TRAINED + "the other half tested; seeds {seeds}."),
        "explanation.*": Scope(TRAINED + "{probe} test images a model; seeds {seeds}."),
    },
)
