"""What this project measures and draws."""

from dice import drawing, fair
from measured.terms.drawing import Plot

EXPERIMENTS = [fair.EXPERIMENT]
FIGURES = [Plot("fair.counts", drawing.counts, ("fair",))]
