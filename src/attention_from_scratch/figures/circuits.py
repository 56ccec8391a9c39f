"""The figure of circuits: what each intervention left of each model."""

from __future__ import annotations

from measured.terms.drawing import Drawing, Palette, subplots
from measured.terms.record import Record

# Three groups of models, told apart by their marks as well as by their colours.
GROUPS = {
    "answer": ("answer circuit", "o"),
    "causal": ("answer circuit, causal mask", "s"),
    "pointer": ("pointer", "^"),
}
ROWS = {
    "whole": "accuracy of the whole model",
    "answer_to_cue": "the answer may not look at the cue",
    "hidden_cue": "nobody may look at the cue",
    "cue_to_answer": "the cue may not look at the answer",
    "pointed_own": "another's last query: own answer",
    "pointed_place": "another's last query: its place",
    "moved_place": "another's block 1: its place",
    "gap_place": "gap moved: the place after it",
    "weight": "block 2's weight where it reads",
    "answer_looks_at_cue": "block 1: answer to cue",
    "hole": "block 1: last query to cue",
}


def proof(palette: Palette, record: Record) -> Drawing:
    """One row an intervention, one dot a model, a tick at the median."""
    figure, axes = subplots(palette, height=4.6 if not palette.narrow else 5.6)
    groups = [group for group in GROUPS if f"induction.proof.whole.{group}" in record.measurements]
    data: dict[str, list] = {"what": [], "group": [], "seed": [], "value": []}
    for y, what in enumerate(ROWS):
        for place, group in enumerate(groups):
            if f"induction.proof.{what}.{group}" not in record.measurements:
                continue  # a causal mask leaves no edge from the cue to the answer
            measured = record.measurement(f"induction.proof.{what}.{group}")
            height = y + 0.24 * (place - (len(groups) - 1) / 2)
            colour, (_, marker) = palette.series(place), GROUPS[group]
            samples = list(measured.samples)
            axes.plot(
                samples,
                [height] * len(samples),
                marker,
                color=colour,
                markersize=3.4,
                alpha=0.75,
                linestyle="none",
            )
            axes.plot([measured.value] * 2, [height - 0.1, height + 0.1], color=palette.ink, linewidth=1.2)
            for seed, value in zip(measured.seeds, samples, strict=True):
                data["what"].append(what)
                data["group"].append(group)
                data["seed"].append(seed)
                data["value"].append(value)
    for place, group in enumerate(groups):
        words, marker = GROUPS[group]
        axes.plot([], [], marker, color=palette.series(place), markersize=4, linestyle="none", label=words)
    axes.set(xlim=(-0.03, 1.03), ylim=(len(ROWS) - 0.5, -0.5), xlabel="share, or weight")
    axes.set_yticks(range(len(ROWS)), list(ROWS.values()))
    axes.tick_params(axis="y", length=0)
    figure.legend(loc="outside lower left", fontsize=9, handletextpad=0.2, borderaxespad=0.1)
    show = record.display

    def opposite(group: str) -> str:
        cut = f"induction.proof.cue_to_answer.{group}"
        return f"the opposite edge cut {show(cut)}" if cut in record.measurements else "no opposite edge"

    alt = (
        "Dots, one a model, in rows of interventions. "
        + "; ".join(
            f"{GROUPS[group][0]}: whole {show(f'induction.proof.whole.{group}')}, "
            f"the answer may not look at the cue {show(f'induction.proof.answer_to_cue.{group}')}, "
            f"{opposite(group)}, "
            f"reads at the place of another's last query {show(f'induction.proof.pointed_place.{group}')}, "
            f"reads after a moved gap {show(f'induction.proof.gap_place.{group}')}"
            for group in groups
        )
        + "; medians."
    )
    return Drawing(figure, alt, data)
