"""The figures of the transformer's page: what parts keep alive, the norm's map, how far positions reach."""

from __future__ import annotations

from typing import Any

import numpy as np

from measured.terms.drawing import Drawing, Palette, subplots
from measured.terms.record import Record

KINDS = {"none": "none", "learned": "learned", "sinusoidal": "sinusoidal", "rope": "RoPE", "alibi": "ALiBi"}
VARIANTS = {
    "whole": "whole, norm before",
    "after": "whole, norm after",
    "norm": "no LayerNorm",
    "residual": "no residual sums",
    "residual_and_norm": "neither of these two",
}
NORMS = {"before": "norm before", "after": "norm after"}
WARM_UPS = {"none": "no warm-up", "risen": "warm-up"}
RATES = ("slow", "usual", "fast")
DASHES = ("solid", (0, (5, 2)), (0, (1, 1.5)), (0, (3, 1, 1, 1)), (0, (6, 1, 1, 1, 1, 1)))


def removal(palette: Palette, record: Record) -> Drawing:
    """How much tokens differ after each block, and the gradient there, relative to the last."""
    blocks = np.arange(record.parameters["blocks"] + 1)
    figure, axes = subplots(palette, 1, 2, width=7.2, height=3.4)
    data: dict[str, Any] = {"block": blocks.tolist()}
    for index, (variant, words) in enumerate(VARIANTS.items()):
        apart = record.arrays[f"apart.{variant}"]
        gradients = record.arrays[f"log10_gradients.{variant}"]
        gradients = gradients - gradients[:, -1:]
        style = {"color": palette.series(index), "linestyle": DASHES[index], "linewidth": 1.8}
        axes[0].plot(blocks, apart.mean(axis=0), label=words, **style)
        axes[1].plot(blocks, gradients.mean(axis=0), **style)
        data |= {
            f"share not common, {words}": apart.mean(axis=0).tolist(),
            f"gradient, factors of ten, {words}": gradients.mean(axis=0).tolist(),
        }
    axes[0].set(title="What tokens do not share", xlabel="after block", ylim=(0, 1.02))
    axes[0].set_ylabel("share of the norm, before training")
    axes[1].set(title="Gradient, before training", xlabel="after block")
    axes[1].set_ylabel("factors of ten over the last block's")
    figure.legend(
        *axes[0].get_legend_handles_labels(),
        loc="outside lower center",
        ncols=1 if palette.narrow else 3,
        fontsize=8.5,
    )
    show = record.display
    alt = (
        "Two panels over the blocks of new models. First, the share of the tokens' norm that they do not "
        "have in common; after the last block: "
        + ", ".join(
            f"{words} {show(f'transformer.removal.apart.{variant}.d8')}"
            for variant, words in VARIANTS.items()
        )
        + ". Second, the gradient at the first block over that at the last, in factors of ten: "
        + ", ".join(
            f"{words} {show(f'transformer.removal.gradient.{variant}')}"
            for variant, words in VARIANTS.items()
        )
        + "."
    )
    return Drawing(figure, alt, data)


def norm_map(palette: Palette, record: Record) -> Drawing:
    """Four panels, norm by warm-up: accuracy by depth and rate, each cell its mean over seeds."""
    from matplotlib.patches import Rectangle

    depths, chance = record.parameters["depths"], record["transformer.norm.chance"]
    figure, axes = subplots(palette, 2, 2, width=7.2, height=4.6, sharex=True, sharey=True)
    cells, said = [], []
    for row, (norm, norm_words) in enumerate(NORMS.items()):
        for column, (warm_up, warm_up_words) in enumerate(WARM_UPS.items()):
            panel = axes[row, column]
            shown = {}
            for x, rate in enumerate(RATES):
                for y, depth in enumerate(depths):
                    cell = f"transformer.norm.accuracy.{norm}.{warm_up}.d{depth}.{rate}"
                    accuracy = record[cell]
                    alpha = 0.06 + 0.34 * float(np.clip((accuracy - chance) / (1 - chance), 0, 1))
                    place = (x + 0.03, y + 0.05)
                    panel.add_patch(Rectangle(place, 0.94, 0.9, facecolor=palette.series(1), alpha=alpha))
                    text = {"ha": "center", "va": "center", "fontsize": 11, "color": palette.ink}
                    panel.text(x + 0.5, y + 0.5, record.display(cell), **text)
                    shown.setdefault(depth, []).append(record.display(cell))
                    cells.append((norm_words, warm_up_words, depth, rate, accuracy))
            panel.set(xlim=(0, len(RATES)), ylim=(len(depths), 0), title=f"{norm_words}, {warm_up_words}")
            panel.set_xticks(np.arange(len(RATES)) + 0.5, [f"rate {r:g}" for r in record.parameters["rates"]])
            panel.set_yticks(np.arange(len(depths)) + 0.5, [f"{depth} blocks" for depth in depths])
            panel.tick_params(length=0)
            panel.grid(visible=False)
            for side in panel.spines.values():
                side.set_visible(False)
            by_depth = "; ".join(f"{depth} blocks {', '.join(row)}" for depth, row in shown.items())
            said.append(f"{norm_words}, {warm_up_words}: {by_depth}")
    rates = ", ".join(f"{rate:g}" for rate in record.parameters["rates"])
    alt = f"Accuracy at the rates {rates}, mean over seeds. {'. '.join(said)}."
    names = ("norm", "warm-up", "blocks", "rate", "accuracy")
    return Drawing(figure, alt, {name: [cell[i] for cell in cells] for i, name in enumerate(names)})


def positions(palette: Palette, record: Record) -> Drawing:
    """Accuracy by length, a line a kind of positions, the band from the worst seed to the best."""
    lengths = record.parameters["test_lengths"]
    figure, ax = subplots(palette, height=3.6)
    data: dict[str, Any] = {"tokens": lengths}
    ends = []
    for index, (kind, words) in enumerate(KINDS.items()):
        samples = np.array(
            [record.measurement(f"transformer.positions.accuracy.{kind}.l{n}").samples for n in lengths]
        )
        means = samples.mean(axis=1)
        colour = palette.series(index)
        lowest, highest = samples.min(axis=1), samples.max(axis=1)
        ax.fill_between(lengths, lowest, highest, color=colour, alpha=0.15, linewidth=0)
        ax.plot(lengths, means, color=colour, linestyle=DASHES[index], linewidth=1.8, label=words)
        data[words] = means.tolist()
        ends.append(f"{words} {', '.join(f'{m:.2f}' for m in means)}")
    blind = [record[f"transformer.positions.order_blind.l{n}"] for n in lengths]
    ax.plot(lengths, blind, color=palette.muted, linewidth=1)
    data["the commonest symbol"] = blind
    ax.set(xscale="log", ylim=(0, 1.03), xlabel="tokens", ylabel="accuracy")
    ax.set_xticks(lengths, [str(n) for n in lengths])
    ax.minorticks_off()
    ax.legend(loc="upper right", fontsize=8.5)
    alt = (
        f"Accuracy at {', '.join(map(str, lengths))} tokens, by positions: {'; '.join(ends)}; of naming the "
        f"commonest symbol: {', '.join(f'{b:.2f}' for b in blind)}."
    )
    return Drawing(figure, alt, data)
