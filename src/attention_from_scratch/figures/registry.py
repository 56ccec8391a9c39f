"""The figures, by the experiments whose records they draw. Importing this imports no Matplotlib."""

from attention_from_scratch.figures import (
    circuits,
    explanation,
    heads,
    induction,
    masks,
    recurrence,
    scale,
    scale_grid,
    spelling,
    transformer,
)
from measured.terms.drawing import Plot

FIGURES = [
    Plot("scale.max_weight", scale.max_weight, ("scale",)),
    Plot("scale.jacobian", scale.jacobian, ("scale",)),
    Plot("scale.training", scale.training, ("scale",)),
    Plot("scale.grid", scale_grid.where_it_decides, ("scale_grid",)),
    Plot("masks.three", masks.three, ("masks",)),
    Plot("heads.cost", heads.cost, ("heads",)),
    Plot("induction.curves", induction.curves, ("induction",)),
    Plot("induction.long", induction.long_run, ("induction",)),
    Plot("induction.map", induction.solved_map, ("depth",)),
    Plot("induction.proof", circuits.proof, ("induction",)),
    Plot("recurrence.accuracy", recurrence.accuracy, ("recurrence",)),
    Plot("recurrence.starts", recurrence.starts, ("recurrence",)),
    Plot("recurrence.gradients", recurrence.gradients, ("recurrence",)),
    Plot("recurrence.cost", recurrence.cost, ("recurrence",)),
    Plot("recurrence.dilution", recurrence.dilution, ("recurrence",)),
    Plot("speller.alignment", spelling.alignment, ("speller",)),
    Plot("spelling.by_length", spelling.by_length, ("spelling",)),
    Plot("explanation.confidently_wrong", explanation.confidently_wrong, ("explanation",)),
    Plot("explanation.errors", explanation.errors, ("explanation",)),
    Plot("explanation.ranks", explanation.ranks, ("explanation",)),
    Plot("explanation.curves", explanation.curves, ("explanation",)),
    Plot("transformer.removal", transformer.removal, ("transformer_removal",)),
    Plot("transformer.norm_map", transformer.norm_map, ("transformer_norm",)),
    Plot("transformer.positions", transformer.positions, ("transformer_positions",)),
]
