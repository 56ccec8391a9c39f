"""What an earlier write-up reported, beside what this project measured, and whether the two agree.

Figures reported by others are data, not measurements: they live with the subject, each with the kind of
sample that it came from. From that kind follows how far chance alone would move it, and from that the
verdict. Nothing here knows what was measured.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from measured.errors import MeasuredError
from measured.terms.measurement import Measurement, format_value
from measured.weaving.references import Library

KINDS = ("exact", "bound", "draws", "share")
CHANCE = 3.0  # standard errors within which two figures are called the same


@dataclass(frozen=True)
class Reported:
    """One figure of the write-up.

    Args:
        id: the measurement that stands beside it.
        value: as reported.
        words: what the write-up said it is.
        kind: `exact` (a count, a formula), `bound` (an error whose size matters, not its digits), `draws`
            (the mean of so many independent draws), `share` (how many of so many cases were right).
        size: the number of draws or cases; 0 for the other kinds.
        error: for `draws`, the measurement that holds the standard error of a mean of `size` draws.
        own_error: for `draws`, the measurement that holds the standard error of our own mean.
        format: display format of the reported value; the measurement's own where empty.
    """

    id: str
    value: float
    words: str
    kind: str = "exact"
    size: int = 0
    error: str = ""
    own_error: str = ""
    format: str = ""

    @property
    def name(self) -> str:
        """What tells it from others."""
        return self.id

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise MeasuredError(f"reported {self.id}: unknown kind {self.kind!r}", expected=", ".join(KINDS))
        if self.kind in ("draws", "share") and self.size <= 0:
            raise MeasuredError(f"reported {self.id}: a sample needs its size")


@dataclass(frozen=True)
class Comparison:
    """A reported figure beside the measured one.

    Args:
        reported: as reported.
        measured: ours.
        shown: the reported value as text.
        error: the standard error of the difference that chance gives; None where chance has no part.
        distance: the difference in those standard errors.
        agrees: whether the two figures can both be true.
        verdict: the same in words.
    """

    reported: Reported
    measured: Measurement
    shown: str
    error: float | None
    distance: float | None
    agrees: bool
    verdict: str


def compare(every: Iterable[Reported], library: Library) -> list[Comparison]:
    """Each reported figure beside ours, in order.

    A figure of an experiment that has no record is left out; that a record is missing, the gate says.

    Raises:
        MeasuredError: a reported figure names a measurement that its experiment does not make.
    """
    roots = {name.split(".")[0] for name in library.measurements}
    return [_compare(one, library) for one in every if one.id.split(".")[0] in roots]


def _compare(reported: Reported, library: Library) -> Comparison:
    measured = library.measurements.get(reported.id)
    if measured is None:
        raise library.unknown(reported.id)
    shown = format_value(reported.value, reported.format or measured.format)
    ours = float(measured.value)
    difference = ours - reported.value
    if reported.kind == "exact":
        agrees = format_value(measured.value, reported.format or measured.format) == shown
        verdict = "the same" if agrees else "not the same"
        return Comparison(reported, measured, shown, None, None, agrees, verdict)
    if reported.kind == "bound":
        agrees = ours < 10 * reported.value and reported.value < 10 * max(ours, 5e-324)
        verdict = "of the same size" if agrees else "of another size"
        return Comparison(reported, measured, shown, None, None, agrees, verdict)
    error = _sampling_error(reported, measured, library)
    distance = math.inf if error == 0 and difference else abs(difference) / error if error else 0.0
    agrees = distance <= CHANCE
    away = "equal to the last digit shown" if distance == 0 else f"{distance:.1f} standard errors away"
    verdict = f"within chance: {away}" if agrees else f"more than chance: {away}"
    return Comparison(reported, measured, shown, error, distance, agrees, verdict)


def _sampling_error(reported: Reported, measured: Measurement, library: Library) -> float:
    """Of the difference: that of the reported sample, that of ours, and the spread over seeds.

    The write-up gave one seed; where ours is a mean over seeds, one seed strays by a standard deviation.
    """
    spread = measured.spread or {}
    between = (spread.get("sd") or 0.0) ** 2 + (spread.get("standard_error") or 0.0) ** 2
    if reported.kind == "share":
        share = min(max(float(measured.value), 0.0), 1.0)
        # A share at the edge still has the chance that one case tips over.
        share = min(max(share, 1 / reported.size), 1 - 1 / reported.size)
        return math.sqrt(share * (1 - share) / reported.size + between)
    errors = []
    for name in (reported.error, reported.own_error):
        if name not in library.measurements:
            raise library.unknown(name or f"{reported.id}.standard_error")
        errors.append(float(library.measurements[name].value))
    return math.sqrt(sum(error**2 for error in errors) + between)


def sample_in_words(reported: Reported) -> str:
    """What the reported figure is a sample of."""
    return {"draws": f"mean of {reported.size:,} draws", "share": f"share of {reported.size:,} cases"}.get(
        reported.kind, "an exact figure" if reported.kind == "exact" else "the size of an error"
    )
