"""Figures of the match-then-read experiment: learning curves and attention, the long run, the map."""

from __future__ import annotations

import numpy as np

from measured.terms.drawing import Drawing, Palette, given, subplots
from measured.terms.record import Record

RUNGS = (
    ("induction.order_blind_ceiling.l12", "most common symbol"),
    ("induction.random_symbol.l12", "random symbol"),
    ("induction.chance", "ignoring the input"),
)


def curves(palette: Palette, record: Record) -> Drawing:
    """Validation accuracy of all seeds over the ladder, and attention by offset, all seeds."""
    figure, (left, right) = subplots(palette, 1, 2, width=7.4, height=3.4)
    one, two = record.arrays["curves.blocks1"], record.arrays["curves.blocks2"]
    epochs = np.arange(1, one.shape[1] + 1)
    for curve in two:
        left.plot(epochs, curve, color=palette.series(1), linewidth=1.3, alpha=0.85)
    for curve in one:
        left.plot(epochs, curve, color=palette.series(0), linewidth=1.3, alpha=0.85)
    end = epochs[-1]
    for name, label in RUNGS:
        above = name == RUNGS[0][0]  # below it run the curves
        left.axhline(record[name], color=palette.muted, linewidth=1, linestyle=(0, (4, 3)))
        left.text(
            end,
            record[name] + (0.022 if above else -0.012),
            label,
            ha="right",
            va="bottom" if above else "top",
            fontsize=8.5,
            color=palette.muted,
        )
    left.text(end, 0.94, "two blocks", ha="right", color=palette.series(1))
    left.text(end, 0.53, "one block", ha="right", color=palette.series(0))
    left.set(
        title="Two blocks jump, one waits",
        xlabel="epoch",
        ylabel="validation accuracy",
        ylim=(0, 1.03),
        xlim=(0, end + 0.5),
    )
    offsets, weights = record.arrays["offsets"], record.arrays["four_heads.offsets"]
    kinds = record.arrays["four_heads.circuit"]
    colours = {"answer": palette.series(2), "cue": palette.series(3), "neither": palette.muted}
    for kind, row in zip(kinds, weights, strict=True):
        right.plot(
            offsets, row, color=colours[str(kind)], linewidth=1.3, marker="o", markersize=3, alpha=0.85
        )
    right.text(0.35, 0.9, "answer circuit", color=palette.series(2))
    if "cue" in kinds:
        right.text(-1.35, 0.55, "cue circuit", color=palette.series(3), ha="right")
    right.set(
        title="Where the second block looks",
        xlabel=given("offset from the answer (−1 is the cue)", "the cue stands right before the answer"),
        ylabel="mean attention weight",
        ylim=(0, 1.03),
        xticks=[-4, -2, -1, 0, 2, 4],
    )
    show = record.display
    plateau = "induction.plateau.waited.blocks2"
    waited = (
        f", after a wait near {show(plateau, '.2f')} where they wait"
        if plateau in record.measurements
        else ""
    )
    furthest = max(record.measurement("induction.test_accuracy.blocks1").samples)
    alt = (
        f"First panel: validation accuracy over {end} epochs. Two blocks jump at epoch "
        f"{show('induction.jump_epoch.blocks2')} (median of {len(two)} seeds){waited}, end at "
        f"{show('induction.test_accuracy.blocks2', '.3f')}. One block "
        f"ends at {show('induction.test_accuracy.blocks1', '.3f')}, beside the "
        f"{show('induction.order_blind_ceiling.l12', '.3f')} of naming the most common symbol; its best seed "
        f"ends at {furthest:.3f}. Second panel: the second block's attention by offset from the answer: "
        f"{show('induction.four_heads.answer')} seeds peak on the answer, "
        f"{show('induction.four_heads.cue')} on the cue one position before it."
    )
    data = {"epoch": epochs.tolist()}
    data |= {f"one block, seed {i}": curve.tolist() for i, curve in enumerate(one)}
    data |= {f"two blocks, seed {i}": curve.tolist() for i, curve in enumerate(two)}
    return Drawing(figure, alt, _columns(data | {"offset": offsets.tolist()}, weights))


def _columns(data: dict[str, list], weights: np.ndarray) -> dict[str, list]:
    """Columns of one length: shorter ones end in empty cells."""
    data |= {f"weight, seed {i}": row.tolist() for i, row in enumerate(weights)}
    longest = max(map(len, data.values()))
    return {name: [*column, *[""] * (longest - len(column))] for name, column in data.items()}


def long_run(palette: Palette, record: Record) -> Drawing:
    """One block trained on, steps on a logarithmic axis."""
    figure, axes = subplots(palette, width=7.2, height=3.2)
    steps, accuracies = record.arrays["long.steps"], record.arrays["long.accuracies"]
    shown = _thinned(steps)
    for curve in accuracies:
        axes.plot(steps[shown], curve[shown], color=palette.series(0), linewidth=1.3)
    ceiling = record["induction.order_blind_ceiling.l12"]
    axes.axhline(ceiling, color=palette.muted, linewidth=1, linestyle=(0, (4, 3)))
    axes.text(
        steps[-1],
        ceiling - 0.015,
        "most common symbol",
        ha="right",
        va="top",
        fontsize=8.5,
        color=palette.muted,
    )
    words = record.display("induction.parameters.blocks1") + " parameters"
    axes.text(steps[-1], 0.12 if palette.narrow else 0.62, words, ha="right", color=palette.series(0))
    axes.set_xscale("log")
    axes.minorticks_off()
    axes.set(
        title="One block, trained on: the plateau ends",
        xlabel="training steps (logarithmic)",
        ylabel="validation accuracy",
        ylim=(0, 1.03),
    )
    show = record.display
    alt = (
        "Validation accuracy of single blocks by training steps, on a logarithmic axis. One block of "
        f"{show('induction.parameters.blocks1')} parameters stays near "
        f"{show('induction.order_blind_ceiling.l12', '.2f')}, passes one half after "
        f"{show('induction.long.half.blocks1')} steps (median of {len(accuracies)} seeds) and reaches "
        f"{show('induction.long.test_accuracy.blocks1', '.3f')}."
    )
    data = {"steps": steps.tolist(), **{f"narrow, seed {i}": c.tolist() for i, c in enumerate(accuracies)}}
    return Drawing(figure, alt, _columns(data, np.empty((0, 0))))


def _thinned(steps: np.ndarray) -> np.ndarray:
    """Indices evenly spread on a logarithmic axis, so that the curve keeps few points."""
    wanted = np.geomspace(steps[0], steps[-1], 60)
    return np.unique(np.abs(steps[:, np.newaxis] - wanted).argmin(axis=0))


def solved_map(palette: Palette, record: Record) -> Drawing:
    """Depth × width × length: each cell its accuracy and its updates; empty where nothing is trained yet."""
    from matplotlib.patches import Rectangle

    lengths, budget = list(record.parameters["lengths"]), record.parameters["steps"]
    prefix = "induction.map.parameters."
    models = [name.removeprefix(prefix) for name in record.measurements if name.startswith(prefix)]
    figure, axes = subplots(palette, width=7.2, height=0.9 + 0.62 * len(models))
    cells, said = [], []
    for y, model in enumerate(models):
        accuracies = []
        for x, length in enumerate(lengths):
            cell = f"{model}.l{length}"
            if f"induction.map.reached.{cell}" not in record.measurements:
                continue
            accuracy, updates = (
                record[f"induction.map.reached.{cell}"],
                record[f"induction.map.updates.{cell}"],
            )
            floor = record[f"induction.map.rung.l{length}"]
            above = float(np.clip((accuracy - floor) / (1 - floor), 0, 1))
            axes.add_patch(
                Rectangle(
                    (x + 0.03, y + 0.05), 0.94, 0.9, facecolor=palette.series(1), alpha=0.06 + 0.34 * above
                )
            )
            shown = record.display(f"induction.map.reached.{cell}", ".2f")
            took = record.display(f"induction.map.updates.{cell}") if updates < budget else "ended"
            if not palette.narrow:
                took = f"{took} updates" if updates < budget else "budget ended"
            few = _few_seeds(record, cell)
            took = few or took
            axes.text(x + 0.5, y + 0.36, shown, ha="center", va="center", fontsize=11, color=palette.ink)
            axes.text(x + 0.5, y + 0.74, took, ha="center", va="center", fontsize=8.5, color=palette.ink)
            accuracies.append(f"{shown} at length {length}{f' ({few})' if few else ''}")
            cells.append((model, length, accuracy, updates))
        said.append(f"{_model_words(model)}: {', '.join(accuracies)}")
    axes.set(xlim=(0, len(lengths)), ylim=(len(models), 0), title="Accuracy, and updates, by length")
    axes.set_xticks(np.arange(len(lengths)) + 0.5, [str(n) for n in lengths])
    axes.set_xlabel("length")
    counted = [f"{_model_words(m)}\n{record.display(prefix + m)} parameters" for m in models]
    axes.set_yticks(np.arange(len(models)) + 0.5, counted)
    axes.tick_params(length=0)
    axes.grid(visible=False)
    for side in axes.spines.values():
        side.set_visible(False)
    names = ("model", "length", "accuracy", "updates")
    alt = f"Map of test accuracy, medians over seeds. {'. '.join(said)}."
    return Drawing(figure, alt, {name: [row[i] for row in cells] for i, name in enumerate(names)})


def _few_seeds(record: Record, cell: str) -> str:
    """How many seeds a cell has been trained from, where that is not all of them."""
    name = f"induction.map.seeds.{cell}"
    if name not in record.measurements or record[name] == len(record.parameters["seeds"]):
        return ""
    return f"{record.display(name)} seeds"


def _model_words(model: str) -> str:
    """`blocks2_w32` as people say it."""
    blocks, width = model.removeprefix("blocks").split("_w")
    return f"{'one block' if blocks == '1' else 'two blocks'}, {width} wide"
