"""One figure."""

from measured.drawing import Drawing, subplots


def counts(palette, record):
    """How often each face came up."""
    figure, axes = subplots(palette, height=2)
    found = record.arrays["counts"]
    axes.bar(range(1, len(found) + 1), found, color=palette.accent)
    axes.set_xlabel("face")
    alt = f"Bars of how often each of {record.display('fair.sides')} faces came up; mean {record.display('fair.mean')}."
    return Drawing(figure, alt, {"face": range(1, len(found) + 1), "count": found})
