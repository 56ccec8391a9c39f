"""The figures of `recurrence`: horizons, gradients on their way back, costs, and what attention loses."""

from __future__ import annotations

from typing import Any

import numpy as np

from measured.terms.drawing import Drawing, Palette, power_of_ten, subplots
from measured.terms.record import Record

LAYERS = {"attention": "attention", "simple_rnn": "SimpleRNN", "lstm": "LSTM", "gru": "GRU"}


def accuracy(palette: Palette, record: Record) -> Drawing:
    """Four layers at Keras' defaults: accuracy by length, the band from the worst seed to the best."""
    lengths = record.parameters["lengths"]
    figure, ax = subplots(palette, height=3.4)
    _chance(palette, record, ax, lengths[0])
    data: dict[str, Any] = {"tokens": lengths}
    # Where each line has room for its name: (index of the length, offset in points, alignment).
    places = {
        "attention": (4, (0, 6), "right"),
        "simple_rnn": (4, (0, -14), "right"),
        "lstm": (2, (6, 6), "left"),
        "gru": (1, (4, -16), "left"),
    }
    for index, (layer, words) in enumerate(LAYERS.items()):
        # Dashed, so that the line below shows through where both are right everywhere.
        dashes = _DASHED if layer == "simple_rnn" else "solid"
        values = _band(palette.series(index), record, ax, layer, lengths, data, dashes)
        at, offset, align = places[layer]
        _label(ax, words, lengths[at], values[at], offset, align, palette.series(index))
    _by_length(ax, lengths)
    ax.set(title="Recalling the first token", ylabel="test accuracy, mean over seeds")
    show = record.display
    alt = (
        f"Test accuracy against the length of the sequence, from {lengths[0]} to {lengths[-1]} tokens. "
        + " ".join(
            f"{words}: {', '.join(show(f'recurrence.accuracy.{layer}.t{n}') for n in lengths)}."
            for layer, words in LAYERS.items()
        )
        + f" Guessing gives {show('recurrence.chance')}."
    )
    return Drawing(figure, alt, data)


def starts(palette: Palette, record: Record) -> Drawing:
    """The same layers from another start: a SimpleRNN from two matrices, an LSTM from two biases."""
    lengths = record.parameters["lengths"]
    figure, axes = subplots(palette, 1, 2, height=3.1, sharey=True)
    data: dict[str, Any] = {"tokens": lengths}
    longest = lengths[-1]
    usual, larger = record.parameters["forget_bias"], record.parameters["larger_forget_bias"]
    panels = (
        ("SimpleRNN", {"simple_rnn": "orthogonal", "simple_rnn_glorot": "Glorot"}),
        ("LSTM", {"lstm": f"forget bias {usual:g}", "lstm_larger_bias": f"forget bias {larger:g}"}),
    )
    for ax, (title, variants) in zip(axes, panels, strict=True):
        _chance(palette, record, ax, lengths[0])
        for name, words in variants.items():
            colour = palette.series(_GRADIENTS[name][1])
            dashes = _DASHED if name in _OTHER_START else "solid"
            values = _band(colour, record, ax, name, lengths, data, dashes)
            at, offset, align = _START_PLACES[name]
            _label(ax, words, lengths[at], values[at], offset, align, colour)
        _by_length(ax, lengths)
        ax.set_title(title)
    recipe = record["recurrence.accuracy.lstm_short_first.t200"]
    axes[1].plot([longest], [recipe], marker="D", color=palette.accent, markersize=6)
    _label(axes[1], "short ones first", longest, recipe, (-8, 5), "right", palette.accent)
    axes[0].set_ylabel("test accuracy, mean over seeds")
    show = record.display
    alt = (
        "Two panels of test accuracy against length. "
        + " ".join(
            f"{title}, {words}: {', '.join(show(f'recurrence.accuracy.{name}.t{n}') for n in lengths)}."
            for title, variants in panels
            for name, words in variants.items()
        )
        + f" An LSTM that is taught on shorter sequences first reaches "
        f"{show('recurrence.accuracy.lstm_short_first.t200')} at {longest} tokens."
    )
    return Drawing(figure, alt, data)


_DASHED = (0, (4, 2))
_OTHER_START = ("lstm_larger_bias", "simple_rnn_glorot")
_START_PLACES = {
    "simple_rnn": (3, (0, 7), "center"),
    "simple_rnn_glorot": (2, (6, -14), "left"),
    "lstm": (2, (-4, -24), "right"),
    "lstm_larger_bias": (3, (0, 7), "center"),
}
_GRADIENTS = {
    "attention": ("attention", 0),
    "simple_rnn": ("SimpleRNN, orthogonal", 1),
    "simple_rnn_glorot": ("SimpleRNN, Glorot", 4),
    "lstm": ("LSTM, forget bias 1", 2),
    "lstm_larger_bias": ("LSTM, forget bias 5", 2),
    "gru": ("GRU", 3),
}


def gradients(palette: Palette, record: Record) -> Drawing:
    """How much of the gradient is left, by distance from the loss; with the bound, before training."""
    length = record.arrays[f"log10_gradients.{next(iter(_GRADIENTS))}.start"].shape[1]
    distance = np.arange(length)
    kept = np.unique(np.append(distance[::4], length - 1))  # a point every four steps draws the same line
    figure, axes = subplots(palette, 1, 2, width=7.2, height=3.8, sharey=True)
    data: dict[str, Any] = {"distance": kept.tolist()}
    lowest = -32
    for ax, stage, title in zip(
        axes, ("start", "trained"), ("Before training", "After training"), strict=True
    ):
        for name, (words, index) in _GRADIENTS.items():
            curves = record.arrays[f"log10_gradients.{name}.{stage}"]
            # Reversed, so that the last position is distance 0; relative to that position.
            curve = (curves - curves[:, -1:]).mean(axis=0)[::-1][kept]
            data[f"{name}, {stage}"] = curve.tolist()
            dashes = _DASHED if name in _OTHER_START else "solid"
            ax.plot(kept, curve, color=palette.series(index), linestyle=dashes, linewidth=1.6, label=words)
        ax.set(title=title, xlabel="steps back from the answer", xlim=(0, length - 1))
        ax.set_xticks(range(0, length, 50))
    for name, words in (("simple_rnn", "orthogonal"), ("simple_rnn_glorot", "Glorot")):
        slope = record[f"recurrence.bound_decades.{name}"] / (length - 1)
        data[f"bound, {words}"] = (slope * kept).tolist()
        axes[0].plot(kept, slope * kept, color=palette.ink, linewidth=1.0, linestyle=(0, (1, 1.5)))
    axes[0].annotate("the bound, Glorot", (34, 5), color=palette.ink, fontsize=8.5)
    axes[0].annotate("the bound, orthogonal", (62, 0.6), color=palette.ink, fontsize=8.5)
    ticks = [0, -10, -20, -30]
    axes[0].set_ylim(lowest, 7)
    axes[0].set_yticks(ticks, ["1", *(power_of_ten(t) for t in ticks[1:])])
    axes[0].set_ylabel("gradient left, of that at the last step")
    figure.legend(
        *axes[0].get_legend_handles_labels(),
        loc="outside lower center",
        ncols=1 if palette.narrow else 3,
        fontsize=8.5,
    )
    show = record.display
    alt = (
        f"Two panels on a logarithmic axis: the norm of the gradient up to {length - 1} steps back, relative "
        "to the last step. Factors of ten between the first step and the last, before and after training: "
        + "; ".join(
            f"{words} {show(f'recurrence.gradient_decades.{name}.start')} and "
            f"{show(f'recurrence.gradient_decades.{name}.trained')}"
            for name, (words, _) in _GRADIENTS.items()
        )
        + f". Two dotted lines show what the bound allows the SimpleRNN: "
        f"{show('recurrence.bound_decades.simple_rnn')} factors of ten from the orthogonal start, "
        f"{show('recurrence.bound_decades.simple_rnn_glorot')} from the Glorot start."
    )
    return Drawing(figure, alt, data)


def cost(palette: Palette, record: Record) -> Drawing:
    """Multiply-adds against length, where attention overtakes the LSTM."""
    lengths = record.parameters["cost_lengths"]
    figure, ax = subplots(palette, height=3.0)
    data: dict[str, Any] = {"tokens": lengths}
    for layer, words, index, offset in (
        ("lstm", "LSTM: in step\nwith the length", 2, (0, -52)),
        ("attention", "attention:\nwith its square,\nin the end", 0, (-26, -22)),
    ):
        values = [record[f"recurrence.cost.{layer}.multiply_adds.n{n}"] for n in lengths]
        data[f"multiply-adds, {layer}"] = values
        ax.plot(lengths, values, color=palette.series(index), marker="o", markersize=4)
        _label(ax, words, lengths[-1], values[-1], offset, "right", palette.series(index))
    crossing = record["recurrence.crossing.multiply_adds"]
    ax.axvline(crossing, color=palette.muted, linestyle=(0, (4, 3)), linewidth=1.2)
    ax.annotate(
        f"from {record.display('recurrence.crossing.multiply_adds')} tokens on,\nattention costs more",
        (crossing, record[f"recurrence.cost.lstm.multiply_adds.n{lengths[0]}"]),
        (6, 0),
        textcoords="offset points",
        ha="left",
        va="center",
        color=palette.ink,
        fontsize=8.5,
    )
    ax.set_xscale("log", base=4)
    ax.set_yscale("log")
    ax.set_xticks(lengths, [f"{n:,}" for n in lengths])
    ax.minorticks_off()
    ax.set(title="The work of one layer", xlabel="tokens in the sequence", ylabel="multiply-adds")
    show = record.display
    alt = (
        f"Multiply-adds of one layer of width {record.parameters['cost_width']} on logarithmic axes. An LSTM "
        f"rises from {show(f'recurrence.cost.lstm.multiply_adds.n{lengths[0]}')} at {lengths[0]} tokens to "
        f"{show(f'recurrence.cost.lstm.multiply_adds.n{lengths[-1]}')} at {lengths[-1]:,}; self-attention "
        f"from {show(f'recurrence.cost.attention.multiply_adds.n{lengths[0]}')} to "
        f"{show(f'recurrence.cost.attention.multiply_adds.n{lengths[-1]}')}. From "
        f"{show('recurrence.crossing.multiply_adds')} tokens on attention costs more."
    )
    return Drawing(figure, alt, data)


def dilution(palette: Palette, record: Record) -> Drawing:
    """The largest weight over n noisy scores, beside what n equal scores would get."""
    lengths = record.parameters["dilution_lengths"]
    figure, ax = subplots(palette, height=2.9)
    data: dict[str, Any] = {"tokens": lengths}
    for what, words, colour, offset in (
        ("dilution", "the largest weight\nover noise", palette.series(0), (8, 3)),
        ("dilution_uniform", "all tokens alike", palette.muted, (-8, -12)),
    ):
        values = [record[f"recurrence.{what}.n{n}"] for n in lengths]
        data[what] = values
        ax.plot(lengths, values, color=colour, marker="o", markersize=4)
        align = "left" if what == "dilution" else "right"
        _label(ax, words, lengths[2], values[2], offset, align, colour)
    data["standard error"] = [record[f"recurrence.dilution_standard_error.n{n}"] for n in lengths]
    ax.set_xscale("log", base=4)
    ax.set_yscale("log")
    ax.set_xticks(lengths, [f"{n:,}" for n in lengths])
    ax.set_yticks([1, 0.1, 0.01, 0.001], ["1", "0.1", "0.01", "0.001"])
    ax.minorticks_off()
    ax.set(title="Attention spreads thin", xlabel="tokens to attend to", ylabel="weight")
    show = record.display
    alt = (
        "Mean largest attention weight over standard normal scores, on logarithmic axes: "
        + ", ".join(f"{show(f'recurrence.dilution.n{n}')} at {n:,} tokens" for n in lengths)
        + ". Below it the weight of equal scores, one over the number of tokens."
    )
    return Drawing(figure, alt, data)


def _band(
    colour: str, record: Record, ax: Any, name: str, lengths: list[int], data: dict, dashes: Any
) -> list[float]:
    found = [record.measurement(f"recurrence.accuracy.{name}.t{n}") for n in lengths]
    values = [m.value for m in found]
    lowest, highest = ([choose(m.samples) for m in found] for choose in (min, max))
    data.update({f"{name}, mean": values, f"{name}, lowest seed": lowest, f"{name}, highest seed": highest})
    ax.fill_between(lengths, lowest, highest, color=colour, alpha=0.16, linewidth=0)
    ax.plot(lengths, values, color=colour, marker="o", markersize=4, linestyle=dashes)
    return values


def _by_length(ax: Any, lengths: list[int]) -> None:
    ax.set_xscale("log")
    ax.set_xticks(lengths, [str(n) for n in lengths])
    ax.minorticks_off()
    ax.set_ylim(0.42, 1.08)
    ax.set_yticks([0.5, 0.6, 0.7, 0.8, 0.9, 1.0])
    ax.set_xlabel("tokens in the sequence")


def _chance(palette: Palette, record: Record, ax: Any, left: float) -> None:
    level = record["recurrence.chance"]
    ax.axhline(level, color=palette.muted, linestyle=(0, (4, 3)), linewidth=1.2)
    ax.annotate(
        "guessing", (left, level), (0, -11), textcoords="offset points", color=palette.muted, fontsize=8.5
    )


def _label(ax: Any, words: str, x: float, y: float, offset: tuple, align: str, colour: str) -> None:
    ax.annotate(
        words,
        (x, y),
        offset,
        textcoords="offset points",
        ha=align,
        color=colour,
        fontweight="bold",
        fontsize=8.5,
    )
