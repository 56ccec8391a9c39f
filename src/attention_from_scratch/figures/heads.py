"""What path length 1 is paid with."""

from __future__ import annotations

from measured.terms.drawing import Drawing, Palette, given, subplots
from measured.terms.record import Record

_UNITS = "the lines are where a unit begins"


def cost(palette: Palette, record: Record) -> Drawing:
    """Multiply-adds of projections and of pairs, and bytes of scores, against the length."""
    lengths = record.parameters["cost_lengths"]
    figure, axes = subplots(palette, 1, 2, height=3.1)
    series = {
        what: [record[f"heads.{what}.n{n}"] for n in lengths]
        for what in ("projections", "pairs", "score_bytes")
    }
    for what, index, words, shift in (
        ("projections", 1, "projections", (0, -40)),
        ("pairs", 0, "pairs of tokens", (-6, 2)),
    ):
        axes[0].plot(lengths, series[what], color=palette.series(index), marker="o", markersize=4)
        axes[0].annotate(
            words,
            (lengths[-1], series[what][-1]),
            shift,
            textcoords="offset points",
            ha="right",
            color=palette.series(index),
            fontweight="bold",
        )
    crossover = record["heads.crossover_length"]
    axes[0].axvline(crossover, color=palette.muted, linestyle=(0, (4, 3)), linewidth=1)
    axes[0].annotate(
        f"from {record.display('heads.crossover_length')} tokens on,\npairs cost more",
        (crossover, series["pairs"][0]),
        (6, 0),
        textcoords="offset points",
        color=palette.muted,
        fontsize=8.5,
    )
    axes[0].set(title="Work grows with the square", ylabel="multiply-adds")
    axes[1].plot(lengths, series["score_bytes"], color=palette.series(0), marker="o", markersize=4)
    axes[1].set(title="… and so do the scores", ylabel="bytes of scores, float32")
    for power, words, end in ((20, given("1 MiB", _UNITS), -1), (30, given("1 GiB", _UNITS), 0)):
        axes[1].axhline(2**power, color=palette.muted, linestyle=(0, (4, 3)), linewidth=1)
        axes[1].annotate(
            words,
            (lengths[end], 2**power),
            (0, 3),
            textcoords="offset points",
            ha="right" if end else "left",
            color=palette.muted,
            fontsize=8.5,
        )
    for ax in axes:
        ax.set(xscale="log", yscale="log", xlabel="tokens")
        ax.set_xticks(lengths, [f"{n:,d}" for n in lengths], fontsize=8.5)
        ax.minorticks_off()
    show = record.display
    alt = (
        f"Counted costs of one self-attention against the length, on logarithmic axes. Projections grow "
        f"linearly, pairs with the square: from {show('heads.crossover_length')} tokens on pairs cost more. "
        f"The scores take {show(f'heads.score_bytes.n{lengths[0]}')} bytes at {lengths[0]} tokens and "
        f"{show(f'heads.score_bytes.n{lengths[-1]}')} at {lengths[-1]:,d}."
    )
    return Drawing(figure, alt, {"tokens": lengths, **series})
