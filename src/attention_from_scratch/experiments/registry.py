"""The experiments, in the order in which the pages need them. Importing this imports no framework."""

from attention_from_scratch.experiments import agreement, heads, induction, masks, padding, recurrence, scale

EXPERIMENTS = [
    agreement.EXPERIMENT,
    scale.EXPERIMENT,
    masks.EXPERIMENT,
    heads.EXPERIMENT,
    induction.EXPERIMENT,
    recurrence.EXPERIMENT,
    padding.EXPERIMENT,
]
