"""The figure of `scale_grid`: from which start the division decides."""

from __future__ import annotations

import numpy as np

from measured.terms.drawing import Drawing, Palette, subplots
from measured.terms.record import Record

STARTS = {"unit": "Embeddings from N(0, 1)", "keras": "Keras' own embeddings"}
WAYS = {
    "none": "not divided",
    "divided": "divided",
    "temperature": "learned factor",
    "qk_norm": "QK-norm",
}
SHOWN = 260  # updates: those that separate the ways; the caption says that the training goes on


def where_it_decides(palette: Palette, record: Record) -> Drawing:
    """Accuracy and largest score against updates, one column a start; every seed, four ways, Keras' rate."""
    updates = record.arrays["updates"]
    drawn = updates <= SHOWN  # what lies beyond the axis would weigh on the page unseen
    figure, axes = subplots(palette, 2, 2, height=5.0, sharex=True, sharey="row")
    data = {"updates": list(updates)}
    for column, (start, title) in enumerate(STARTS.items()):
        for index, (way, words) in enumerate(WAYS.items()):
            colour = palette.series(index)
            for row, kept in enumerate(("accuracies", "largest_scores")):
                curves = record.arrays[f"{kept}.{start}.{way}.usual"]
                lowest, mean, highest = (f(curves, axis=0)[drawn] for f in (np.min, np.mean, np.max))
                ax = axes[row, column]
                ax.fill_between(updates[drawn], lowest, highest, color=colour, alpha=0.18, linewidth=0)
                ax.plot(updates[drawn], mean, color=colour, linewidth=2, label=words)
                data |= {f"{kept}, {title}, {words}, seed {s}": list(c) for s, c in enumerate(curves)}
        axes[0, column].set(title=title, ylim=(0, 1.05), xlim=(0, SHOWN))
        axes[1, column].set(yscale="log", xlabel="updates", title=title if palette.narrow else "")
        axes[1, column].minorticks_off()
    axes[0, 0].set_ylabel("accuracy, held out")
    axes[1, 0].set_ylabel("largest score, mean over rows")
    axes[1, 1].legend(loc="lower right", fontsize=8.5)
    show = record.display
    alt = (
        "Two rows of two charts with four curves each: accuracy above, largest score below, over the first "
        f"{SHOWN} updates. At the end of the training, beyond what is drawn, the accuracy from embeddings of "
        f"variance one is {show('scale.grid.accuracy.unit.none.usual')} without a division and "
        f"{show('scale.grid.accuracy.unit.divided.usual')} with it; undivided, the largest score starts at "
        f"{show('scale.grid.first_score.unit.none.usual')} and has risen to "
        f"{show('scale.grid.largest_score.unit.none.usual')}. From Keras' own embeddings both end at "
        f"{show('scale.grid.accuracy.keras.none.usual')} and "
        f"{show('scale.grid.accuracy.keras.divided.usual')}, the undivided one sooner, after "
        f"{show('scale.grid.updates.keras.none.usual')} updates against "
        f"{show('scale.grid.updates.keras.divided.usual')}."
    )
    return Drawing(figure, alt, data)
