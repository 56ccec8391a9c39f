"""The figures, by the experiments whose records they draw."""

from measured.terms.drawing import Plot
from subject_package.figures import pi

FIGURES = [
    Plot("pi.errors", pi.errors, ("pi",)),
]
