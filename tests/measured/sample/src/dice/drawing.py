"""One figure."""

from measured.terms.drawing import Drawing, subplots


def counts(palette, record):
    """How often each face came up."""
    figure, axes = subplots(palette, height=2)
    found = record.arrays["counts"]
    axes.bar(range(1, len(found) + 1), found, color=palette.accent)
    axes.set_xlabel("face")
    sides, mean = record.display("fair.sides"), record.display("fair.mean")
    alt = f"Bars of how often each of {sides} faces came up; mean {mean}."
    return Drawing(figure, alt, {"face": range(1, len(found) + 1), "count": found})
