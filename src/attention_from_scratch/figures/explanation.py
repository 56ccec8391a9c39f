"""Figures of the page on weights as explanations: wrong digits with their maps, areas, ranks, curves."""

from __future__ import annotations

import textwrap

import numpy as np

from attention_from_scratch.experiments.explanation_errors import AMONG_CONFIDENT
from attention_from_scratch.tasks.digits import PATCH_SIDE, PATCHES_A_SIDE, SIDE, image_of
from measured.terms.drawing import Drawing, Palette, subplots
from measured.terms.record import Record

SHOWN = 6
MAPS = {
    "raw": "where it looks\n(mean weights)",
    "usual": "where it looks when\nthat answer is right",
    "covering": "what covering\nsays",
}
SCORES = {
    "confidence": "confidence",
    "typical_image": "typical image (no attention)",
    "best_attention": "best statistic of attention",
    "learned": "linear rule on all weights",
    "class_alone": "the class alone",
    "entropy": "low entropy",
    "maximum": "largest weight",
}
METHODS = {
    "integrated": "integrated gradients",
    "gradient": "gradient × input",
    "rollout": "rollout",
    "norm": "weights × length",
    "raw": "raw weights",
    "average": "average of covering (no image)",
    "distance": "distance from mean (no model)",
    "ink": "ink (no model)",
    "centre": "mean image (no image, no model)",
    "random": "random",
}
YARDSTICKS = {"correlation": "covered", "hiding": "hidden", "paper": "blank paper"}
CURVES = {"integrated": 2, "rollout": 1, "raw": 0, "distance": 3, "ink": 5, "random": 4}
WITHOUT_MODEL = ("distance", "ink", "random")


def confidently_wrong(palette: Palette, record: Record) -> Drawing:
    """Columns of digits: the image, the weights, the usual weights for that answer, what covering says."""
    arrays = record.arrays
    count = min(SHOWN, len(arrays["pictured.labels"]))
    if palette.narrow:  # one row a digit, in the place of one column
        figure, grid = subplots(
            palette, count, 1 + len(MAPS), height=0.8 * count, stacked=False, squeeze=False
        )
        axes = grid.T
    else:
        figure, axes = subplots(palette, 1 + len(MAPS), count, height=4.5, squeeze=False)
    for column in range(count):
        _image(palette, axes[0, column], image_of(arrays["pictured.patches"][column]))
        label, said = arrays["pictured.labels"][column], arrays["pictured.said"][column]
        _name_beside(axes[0, column], f"{label}, read as {said}", beside=palette.narrow)
        for row, name in enumerate(MAPS, start=1):
            _squares(
                palette, axes[row, column], arrays[f"pictured.{name}"][column], index=1 if row < 3 else 2
            )
    for axes_row, words in zip(axes, ("the image", *MAPS.values()), strict=True):
        words = textwrap.fill(words, 10) if palette.narrow else words
        _name_beside(axes_row[0], words, beside=not palette.narrow)
    return Drawing(figure, _alt_of_wrong(record, count), _data_of_wrong(record, count))


def _name_beside(axes, words: str, *, beside: bool) -> None:
    """The name of a row stands beside its first panel, the name of a column above it."""
    if beside:
        axes.set_ylabel(
            words.replace(", read ", " read\n"), rotation=0, ha="right", va="center", fontsize=8.5
        )
    else:
        axes.set_title(words, fontsize=8.5, fontweight="normal", loc="center")


def _alt_of_wrong(record: Record, count: int) -> str:
    arrays, told = record.arrays, []
    for column in range(count):
        raw, covering = (arrays[f"pictured.{name}"][column] for name in ("raw", "covering"))
        place = 1 + int((covering > covering[raw.argmax()]).sum())
        told.append(
            f"a {arrays['pictured.labels'][column]} read as {arrays['pictured.said'][column]} with "
            f"{arrays['pictured.confidence'][column]:.3f}, whose patch of largest weight is number {place} "
            f"by "
            "covering"
        )
    return (
        f"The {count} most confidently wrong answers of the first seed, each with the digit, the class "
        f"token's "
        "mean weights on the patches of the last block, the usual weights when that answer is right, and how "
        f"far the lead falls when a patch is covered: {'; '.join(told)}."
    )


def _data_of_wrong(record: Record, count: int) -> dict[str, list]:
    arrays = record.arrays
    data: dict[str, list] = {"image": np.repeat(np.arange(1, count + 1), PATCHES_A_SIDE**2).tolist()}
    data["patch"] = np.tile(np.arange(1, PATCHES_A_SIDE**2 + 1), count).tolist()
    return data | {name: arrays[f"pictured.{name}"][:count].ravel().tolist() for name in MAPS}


def _image(palette: Palette, axes, image: np.ndarray) -> None:
    """Pixels as squares of ink, with the borders of the patches."""
    from matplotlib.patches import Rectangle

    _frame(palette, axes, SIDE, PATCH_SIDE)
    for (y, x), ink in np.ndenumerate(image):
        if ink > 0:
            shade = Rectangle((x, y), 1, 1, facecolor=palette.ink, alpha=round(float(ink), 2), linewidth=0)
            axes.add_patch(shade)


def _squares(palette: Palette, axes, values: np.ndarray, index: int) -> None:
    """One square a patch, as large as its number; hollow where that is negative."""
    from matplotlib.patches import Rectangle

    _frame(palette, axes, PATCHES_A_SIDE, 1)
    for patch, value in enumerate(values):
        side = 0.9 * np.sqrt(abs(value) / np.abs(values).max())
        x, y = patch % PATCHES_A_SIDE + (1 - side) / 2, patch // PATCHES_A_SIDE + (1 - side) / 2
        colour = palette.series(index)
        fill = colour if value >= 0 else "none"
        axes.add_patch(Rectangle((x, y), side, side, facecolor=fill, edgecolor=colour, linewidth=0.8))


def _frame(palette: Palette, axes, side: int, step: int) -> None:
    axes.set(xlim=(0, side), ylim=(side, 0), aspect="equal", xticks=[], yticks=[])
    axes.grid(visible=False)
    for spine in axes.spines.values():
        spine.set(visible=True, color=palette.muted)
    for at in range(step, side, step):
        axes.axhline(at, color=palette.grid, linewidth=0.6)
        axes.axvline(at, color=palette.grid, linewidth=0.6)


def errors(palette: Palette, record: Record) -> Drawing:
    """Areas under the curve with their intervals: all answers, and confident ones."""
    names = [name for name in SCORES if name in AMONG_CONFIDENT]
    figure, axes = subplots(palette, 1, 2, width=7.2, height=3.4, sharey=True)
    data: dict[str, list] = {"tells right from wrong by": [SCORES[name] for name in names]}
    for ax, (prefix, title) in zip(
        axes, (("", "All answers"), ("confident_", "Confident answers")), strict=True
    ):
        for row, name in enumerate(names):
            area, low, high = (
                record[f"explanation.errors.{prefix}{end}.{name}"] for end in ("auc", "low", "high")
            )
            colour = palette.series(0 if name in ("confidence", "typical_image", "class_alone") else 1)
            ax.plot([low, high], [row, row], color=colour, linewidth=2)
            ax.plot(area, row, "o", color=colour, markersize=5)
        for end in ("auc", "low", "high"):
            data[f"{title.lower()}, {end}"] = [record[f"explanation.errors.{prefix}{end}.{n}"] for n in names]
        ax.axvline(0.5, color=palette.muted, linestyle=(0, (4, 3)), linewidth=1)
        ax.set(title=title, xlim=(0.3, 1.0), xlabel="area under the curve", ylim=(len(names) - 0.5, -0.5))
    axes[0].set_yticks(range(len(names)), [SCORES[name] for name in names])
    axes[0].text(0.505, len(names) - 0.6, "a coin", fontsize=8.5, color=palette.muted)
    show = record.display
    told = "; ".join(
        f"{SCORES[n]} {show(f'explanation.errors.auc.{n}')} ({show(f'explanation.errors.low.{n}')} to "
        f"{show(f'explanation.errors.high.{n}')}), among confident answers "
        f"{show(f'explanation.errors.confident_auc.{n}')}"
        for n in names
    )
    return Drawing(
        figure,
        f"Areas under the curve, with intervals over images, of what tells right from wrong: {told}.",
        data,
    )


def ranks(palette: Palette, record: Record) -> Drawing:
    """Rank correlation of each map with three interventions; small marks are seeds."""
    figure, axes = subplots(palette, 1, 3, width=7.2, height=3.6, sharey=True)
    data: dict[str, list] = {"map": list(METHODS.values())}
    for ax, (measure, title) in zip(axes, YARDSTICKS.items(), strict=True):
        for row, name in enumerate(METHODS):
            measurement = record.measurement(f"explanation.faithfulness.{name}.{measure}")
            colour = palette.series(1 if row < 5 else 3)
            ax.plot(
                measurement.samples, np.full(len(measurement.samples), row), "|", color=colour, markersize=5
            )
            ax.plot(measurement.value, row, "o", color=colour, markersize=5)
        data[title] = [record[f"explanation.faithfulness.{name}.{measure}"] for name in METHODS]
        ax.axvline(0, color=palette.muted, linewidth=1)
        ax.set(title=title, xlim=(-0.35, 0.8), ylim=(len(METHODS) - 0.5, -0.5))
    axes[0].set_yticks(range(len(METHODS)), list(METHODS.values()))
    axes[1].set_xlabel("rank correlation with how far the lead falls when a patch is …")
    show = record.display
    told = "; ".join(
        f"{words} " + ", ".join(show(f"explanation.faithfulness.{name}.{m}") for m in YARDSTICKS)
        for name, words in METHODS.items()
    )
    alt = (
        "Rank correlation of maps with what three interventions find (a patch covered by the mean image, "
        "hidden "
        f"from all queries, covered by blank paper), mean of seeds, in this order: {told}."
    )
    return Drawing(figure, alt, data)


def curves(palette: Palette, record: Record) -> Drawing:
    """The answer's probability while patches are covered, or uncovered, in the order of a map."""
    figure, axes = subplots(palette, 1, 2, width=7.2, height=3.6, sharey=True)
    steps = np.arange(PATCHES_A_SIDE**2 + 1)
    data: dict[str, list] = {"patches": steps.tolist()}
    for ax, (way, title) in zip(
        axes, (("deletion", "Covered, largest first"), ("insertion", "Uncovered, largest first")), strict=True
    ):
        for name, index in CURVES.items():
            curve = record.arrays[f"curves.{name}.{way}"]
            style = {"linestyle": (0, (4, 2))} if name in WITHOUT_MODEL else {}
            ax.plot(steps, curve, color=palette.series(index), label=METHODS[name], linewidth=1.5, **style)
            data[f"{METHODS[name]}, {way}"] = curve.tolist()
        ax.set(title=title, xlabel="patches", ylim=(0, 1.02), xlim=(0, steps[-1]), xticks=[0, 4, 8, 12, 16])
    axes[0].set_ylabel("probability of the first answer")
    figure.legend(
        *axes[1].get_legend_handles_labels(),
        loc="outside lower left",
        ncols=1 if palette.narrow else 3,
        fontsize=8.5,
    )
    show = record.display
    told = "; ".join(
        f"{METHODS[name]} {show(f'explanation.faithfulness.{name}.deletion')} and "
        f"{show(f'explanation.faithfulness.{name}.insertion')}"
        for name in CURVES
    )
    alt = (
        "Two panels: the probability of the model's answer while patches are covered by the mean image in "
        "the "
        f"order of a map, and while they are uncovered. Areas under the curves, covered and uncovered: "
        f"{told}."
    )
    return Drawing(figure, alt, data)
