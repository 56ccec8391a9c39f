"""The figures of the spellers: where sounds look, and which words are said wrongly."""

from __future__ import annotations

from typing import Any

from attention_from_scratch.experiments.spelling import LENGTHS, MODEL_WORDS
from attention_from_scratch.tasks.spelling import SOUNDS
from measured.terms.drawing import Drawing, Palette, subplots
from measured.terms.record import Record


def alignment(palette: Palette, record: Record) -> Drawing:
    """Weights of the last block, mean over heads: a row a sound, a column a letter."""
    words = [word for word in record.parameters["drawn"] if f"alignment.{word}" in record.arrays]
    figure, axes = subplots(palette, 2, 2, height=5.6)
    data: dict[str, list[Any]] = {"word": [], "sound": [], "letter": [], "weight": []}
    told = []
    for ax, word in zip(axes.flat, words, strict=False):
        weights = record.arrays[f"alignment.{word}"]
        sounds = [SOUNDS[token - 1] for token in record.arrays[f"sounds.{word}"]]
        for row, sound in enumerate(sounds):
            for column, letter in enumerate(word):
                weight = float(weights[row, column])
                ax.add_patch(_square(row, column, palette.series(1), weight))
                for name, value in zip(data, (word, sound, letter, weight), strict=True):
                    data[name].append(value)
        told.append(
            f"{word} is said {' '.join(sounds)}, whose largest weights lie on "
            f"{' '.join(word[int(row.argmax())] for row in weights)}"
        )
        ax.set(xlim=(-0.5, len(word) - 0.5), ylim=(len(sounds) - 0.5, -0.5))
        ax.set_xticks(range(len(word)), list(word))
        ax.set_yticks(range(len(sounds)), sounds)
        ax.grid(False)
        ax.tick_params(length=0)
    return Drawing(
        figure,
        "Grids of sounds by letters; the more colour a cell has, the larger its weight: "
        + "; ".join(told)
        + ".",
        data,
    )


def by_length(palette: Palette, record: Record) -> Drawing:
    """Word error against the number of letters, a line a model, mean over seeds."""
    figure, axes = subplots(palette, 1, 1, height=3.4)
    data: dict[str, list[Any]] = {"letters": list(LENGTHS)}
    told = []
    for index, (model, words) in enumerate(MODEL_WORDS.items()):
        errors = record.arrays[f"by_length.{model}"].mean(axis=0).tolist()
        axes.plot(list(LENGTHS), errors, color=palette.series(index), marker="o", markersize=3, label=words)
        data[words] = errors
        told.append(
            f"the {words}, {errors[0]:.2f} at {LENGTHS[0]} letters, {errors[-1]:.2f} at {LENGTHS[-1]}"
        )
    axes.set(xlabel="letters", ylabel="word error", ylim=(0, 1))
    axes.legend(fontsize=8.5)
    alt = f"Five lines of word error against letters: {'; '.join(told)}."
    return Drawing(figure, alt, data)


def _square(row: int, column: int, colour: str, weight: float):
    from matplotlib.patches import Rectangle

    return Rectangle((column - 0.48, row - 0.48), 0.96, 0.96, facecolor=colour, alpha=weight, linewidth=0)
