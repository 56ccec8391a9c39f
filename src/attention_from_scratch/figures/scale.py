"""The figures of `scale`: weights, gradients and training, with the division and without it."""

from __future__ import annotations

from measured.terms.drawing import Drawing, Palette, subplots
from measured.terms.record import Record

WAYS = ("unscaled", "scaled")


def max_weight(palette: Palette, record: Record) -> Drawing:
    """Mean largest weight and mean entropy against d_k, with the uniform row as a line."""
    widths = record.arrays["widths"]
    figure, axes = subplots(palette, 1, 2, height=3.1)
    panels = (
        (
            axes[0],
            "max_weight",
            "uniform_weight",
            "Without the scale, one key takes all",
            "mean largest weight",
        ),
        (axes[1], "entropy", "uniform_entropy", "… and the rest vanish", "mean entropy (nats)"),
    )
    data = {"d_k": list(widths)}
    above = {("max_weight", "unscaled"): 7, ("max_weight", "scaled"): -13, ("entropy", "unscaled"): 15}
    above["entropy", "scaled"] = -13
    for ax, what, uniform, title, label in panels:
        level = record[f"scale.{uniform}"]
        ax.axhline(level, color=palette.muted, linestyle=(0, (4, 3)), linewidth=1.2)
        ax.annotate(
            f"all keys alike: {record.display(f'scale.{uniform}')}",
            (widths[0], level),
            (0, 4),
            textcoords="offset points",
            color=palette.muted,
            fontsize=8.5,
        )
        for way, colour in zip(WAYS, (palette.series(0), palette.series(1)), strict=True):
            values = [record[f"scale.{what}.{way}.d{d}"] for d in widths]
            data[f"{what} {way}"] = values
            ax.plot(widths, values, color=colour, marker="o", markersize=4)
            ax.annotate(
                way,
                (widths[-1], values[-1]),
                (0, above[what, way]),
                textcoords="offset points",
                ha="right",
                color=colour,
                fontweight="bold",
            )
        ax.set_xscale("log", base=4)
        ax.set_xticks(widths, [str(d) for d in widths])
        ax.minorticks_off()
        ax.set(title=title, xlabel="d_k, width of query and key", ylabel=label)
    axes[0].set_ylim(0, 1.05)
    axes[1].set_ylim(0, 2.8)
    show = record.display
    alt = (
        f"Two panels against d_k from {widths[0]} to {widths[-1]}. Without the scale the mean largest of "
        f"{record.parameters['keys']} weights rises from {show('scale.max_weight.unscaled.d4')} to "
        f"{show('scale.max_weight.unscaled.d256')} and the entropy falls from "
        f"{show('scale.entropy.unscaled.d4')} to {show('scale.entropy.unscaled.d256')} nats. "
        f"With it they stay near {show('scale.max_weight.scaled.d256')} and "
        f"{show('scale.entropy.scaled.d256')}."
    )
    return Drawing(figure, alt, data)


def jacobian(palette: Palette, record: Record) -> Drawing:
    """How many rows have a Jacobian, and a query gradient, smaller than the value on the axis."""
    widths, shares = record.arrays["widths"], record.arrays["shares"]
    figure, axes = subplots(palette, 1, 2, height=3.5, sharey=True)
    data = {"share of rows": list(shares)}
    panels = (
        (axes[0], "jacobian", (1e-7, 2), "The softmax's Jacobian", "‖diag(w) − w wᵀ‖"),
        (
            axes[1],
            "query_gradient",
            (1e-7, 60),
            "The gradient at the query",
            "‖∂L/∂q‖",
        ),
    )
    for ax, what, limits, title, label in panels:
        for width in widths:
            values = record.arrays[f"{what}.scaled.d{width}"]
            data[f"{what} scaled d{width}"] = list(values)
            ax.plot(values[1:], shares[1:], color=palette.muted, linewidth=1.2, alpha=0.8)
        for index, width in enumerate(widths):
            values = record.arrays[f"{what}.unscaled.d{width}"]
            data[f"{what} unscaled d{width}"] = list(values)
            ax.plot(values[1:], shares[1:], color=palette.series(index))
        ax.axhline(0.5, color=palette.muted, linestyle=(0, (4, 3)), linewidth=1)
        ax.set(xscale="log", xlim=limits, ylim=(0, 1.02), title=title, xlabel=label)
        ax.minorticks_off()
        ax.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0%", "25%", "50%", "75%", "100%"])
    axes[0].set_ylabel("share of rows below")
    axes[0].text(2e-7, 0.52, "half of the rows", color=palette.muted, fontsize=8.5)
    for index, width in enumerate(widths):
        axes[0].text(
            2e-7,
            0.95 - 0.075 * index,
            f"unscaled, d_k = {width}",
            color=palette.series(index),
            fontsize=8.5,
            fontweight="bold",
        )
    axes[1].text(2e-7, 0.95, "scaled, any d_k: grey", color=palette.muted, fontsize=8.5, fontweight="bold")
    show = record.display
    alt = (
        "Cumulative distributions over rows, on a logarithmic axis. Scaled, all widths coincide: half of the "
        f"rows have a Jacobian below {show('scale.jacobian.median.scaled.d256')}. Unscaled, the curves "
        f"spread to the left as d_k grows: half are below {show('scale.jacobian.median.unscaled.d256')} at "
        f"{widths[-1]}. The query gradient spreads both ways: its median falls to "
        f"{show('scale.query_gradient.median.unscaled.d256')} while its mean is "
        f"{show('scale.query_gradient.mean.unscaled.d256')}."
    )
    return Drawing(figure, alt, data)


def training(palette: Palette, record: Record) -> Drawing:
    """Test accuracy of the lookup against updates: every seed, with and without the division."""
    steps = record.arrays["training.steps"]
    figure, ax = subplots(palette, height=3.1)
    data = {"updates": list(steps)}
    for way, colour in zip(WAYS, (palette.series(0), palette.series(1)), strict=True):
        curves = record.arrays[f"training.{way}"]
        for seed, curve in enumerate(curves):
            data[f"{way} seed {seed}"] = list(curve)
            ax.plot(steps, curve, color=colour, linewidth=1, alpha=0.45)
        ax.plot(steps, curves.mean(axis=0), color=colour, linewidth=2.4)
    between = " " if palette.narrow else "\n"
    for name, words in (("commonest", "commonest value"), ("chance", "chance")):
        level = record[f"scale.training.{name}"]
        ax.axhline(level, color=palette.muted, linestyle=(0, (4, 3)), linewidth=1)
        ax.annotate(
            f"{words}:{between}{record.display(f'scale.training.{name}')}",
            (steps[-1], level),
            (0, -3) if palette.narrow else (5, 0),
            textcoords="offset points",
            ha="right" if palette.narrow else "left",
            va="top" if palette.narrow else "center",
            color=palette.muted,
            fontsize=8.5,
        )
    ends = {way: record[f"scale.training.accuracy.{way}"] for way in WAYS}
    for way, colour in zip(WAYS, (palette.series(0), palette.series(1)), strict=True):
        ax.annotate(
            f"{way}, mean of {len(record.arrays[f'training.{way}'])} seeds",
            (steps[-1], 0.7 if palette.narrow and way == "unscaled" else ends[way]),
            (0, -12 if way == "scaled" else 6),
            textcoords="offset points",
            ha="right",
            color=colour,
            fontweight="bold",
        )
    ax.set(
        title="The same lookup, the same sequences: only the division differs",
        xlabel="updates",
        ylabel="accuracy, held-out sequences",
        ylim=(0, 1.05),
        xlim=(0, steps[-1]),
    )
    show = record.display
    alt = (
        f"Accuracy against updates. With the scale every seed solves the lookup; after the first "
        f"{steps[1]} updates the mean is already {show('scale.training.early.scaled')}. Without it the mean "
        f"ends at {show('scale.training.accuracy.unscaled')} and the best seed at "
        f"{show('scale.training.highest.unscaled')}."
    )
    return Drawing(figure, alt, data)
