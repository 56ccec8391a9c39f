"""The experiments, in the order in which the pages need them. Importing this imports no framework."""

from attention_from_scratch.experiments import (
    agreement,
    building,
    cache,
    checkpoints,
    depth,
    heads,
    held_out,
    induction,
    masks,
    padding,
    recurrence,
    scale,
    scale_grid,
    speller,
    spelling,
    transformer_backward,
)

EXPERIMENTS = [
    agreement.EXPERIMENT,
    scale.EXPERIMENT,
    scale_grid.EXPERIMENT,
    masks.EXPERIMENT,
    heads.EXPERIMENT,
    induction.EXPERIMENT,
    checkpoints.EXPERIMENT,
    depth.EXPERIMENT,
    held_out.EXPERIMENT,
    recurrence.EXPERIMENT,
    padding.EXPERIMENT,
    cache.EXPERIMENT,
    spelling.EXPERIMENT,
    speller.EXPERIMENT,
    building.EXPERIMENT,
    transformer_backward.EXPERIMENT,
]
