"""Figures of the estimates of pi."""

from measured.terms.drawing import Drawing, Palette, subplots
from measured.terms.record import Record


def errors(palette: Palette, record: Record) -> Drawing:
    """Every estimate's distance from pi, and the mean, on logarithmic axes."""
    points, distances = record.arrays["points"], record.arrays["distances"]
    figure, axes = subplots(palette)
    for column in distances.T:
        axes.plot(points, column, "o", color=palette.series2, alpha=0.35, markersize=4)
    axes.plot(points, distances.mean(axis=1), "-o", color=palette.series1)
    axes.set(xscale="log", yscale="log", xlabel="points", ylabel="distance from pi")
    first, last = (record.display(f"pi.error.n{n}") for n in (points[0], points[-1]))
    alt = f"Distance from pi against the number of points: the mean falls from {first} to {last}."
    return Drawing(figure, alt, {"points": points, "mean distance": distances.mean(axis=1)})
