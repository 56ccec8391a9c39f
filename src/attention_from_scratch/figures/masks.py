"""Three masks, pair by pair."""

from __future__ import annotations

import numpy as np

from measured.terms.drawing import Drawing, Palette, subplots
from measured.terms.record import Record


def three(palette: Palette, record: Record) -> Drawing:
    """Causal, padding, both: a filled square where the query may attend to the key."""
    from matplotlib.patches import PathPatch

    names = {"causal": "Causal", "padding": "Padding", "both": "Both"}
    figure, axes = subplots(palette, 1, 3, height=3.1, sharey=True)
    data: dict[str, list] = {"mask": [], "query": [], "key": [], "allowed": []}
    for ax, (name, title) in zip(axes, names.items(), strict=True):
        mask = record.arrays[f"mask.{name}"]
        length = len(mask)
        for pairs, colour, alpha in ((mask, palette.series(1), 0.9), (~mask, palette.grid, 0.45)):
            ax.add_patch(PathPatch(_rows(pairs), facecolor=colour, alpha=alpha, linewidth=0))
        between = np.arange(length + 1) + 0.5
        ax.hlines(between, 0.5, length + 0.5, color=palette.surface, linewidth=1.5)
        ax.vlines(between, 0.5, length + 0.5, color=palette.surface, linewidth=1.5)
        for (query, key), allowed in np.ndenumerate(mask):
            for column, value in zip(data, (name, query + 1, key + 1, int(allowed)), strict=True):
                data[column].append(value)
        ax.set(xlim=(0.4, length + 0.6), ylim=(length + 0.6, 0.4), xlabel="key")
        ax.set_title(f"{title}: {record.display(f'masks.pairs.{name}')} pairs")
        ax.set_aspect("equal")
        ax.set_xticks([1, record.parameters["real"], length])
        ax.set_yticks([1, record.parameters["real"], length])
        ax.grid(False)
        ax.tick_params(length=0)
        ax.spines[["left", "bottom"]].set_visible(False)
    axes[0].set_ylabel("query")
    show = record.display
    alt = (
        f"Three grids of ten queries by ten keys, allowed pairs filled. The causal mask allows the lower "
        f"triangle, {show('masks.pairs.causal')} pairs; the padding mask the first "
        f"{record.parameters['real']} columns, {show('masks.pairs.padding')} pairs; "
        f"both together {show('masks.pairs.both')}."
    )
    return Drawing(figure, alt, data)


def _rows(pairs: np.ndarray):
    """One path with a bar for each run of pairs in a row; lines between the cells cut it into squares."""
    from matplotlib.path import Path

    bars = []
    for query, row in enumerate(pairs, start=1):
        steps = np.diff(np.concatenate([[0], row.astype(int), [0]]))
        for start, end in zip(np.flatnonzero(steps == 1), np.flatnonzero(steps == -1), strict=True):
            left, right, top, bottom = start + 0.5, end + 0.5, query - 0.5, query + 0.5
            corners = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)]
            bars.append(Path(corners, closed=True))
    return Path.make_compound_path(*bars)
