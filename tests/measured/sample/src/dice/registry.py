"""What this project measures and draws."""

from dice import drawing, fair, loaded
from measured.terms.drawing import Plot

EXPERIMENTS = [fair.EXPERIMENT, loaded.EXPERIMENT]
FIGURES = [Plot("fair.counts", drawing.counts, ("fair",))]
