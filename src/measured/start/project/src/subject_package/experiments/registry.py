"""The experiments, in the order in which the pages need them."""

from subject_package.experiments import pi

EXPERIMENTS = [
    pi.EXPERIMENT,
]
