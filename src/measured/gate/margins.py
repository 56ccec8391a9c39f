"""Whether a claim could become false while everything that it reads stays inside its tolerance.

A tolerance wider than what separates a sentence from its opposite cannot fail where it matters. So every
measurement that a claim reads drifts to either end of its tolerance, alone and then all together in the
directions that hurt most, and the claim is judged in each such world. Samples over seeds that a claim reads
have no tolerance of their own: how far they may move is worked out from the claims, and stored.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

from measured.gate.compare import Drift
from measured.gate.reading import Reading, findings_of, read_by
from measured.gate.stored import Expectation
from measured.terms.claims import Claim, Judgement, judge
from measured.terms.experiment import Findings
from measured.terms.measurement import AtLeast, AtMost, Exact, Measurement
from measured.terms.record import Record

Expectations = Mapping[str, Expectation]

# Of the drift that would make a claim false, samples may use half: what is worked out has room beside it.
_SHARE = 0.5
_STEPS = 12
_FULL_SEARCH = 4


def drift(claims: Iterable[Claim], record: Record, expected: Expectations) -> Iterator[Drift]:
    """Claims that could become false unseen, and samples that a claim reads and nothing holds.

    Args:
        claims: those of the record's experiment.
        record: what was measured.
        expected: what is stored; where nothing is, what would be stored is looked at.
    """
    room = samples_within(claims, record, expected)
    for claim in claims:
        slack = Slack(claim, record, expected, room)
        if slack.measured.holds:
            yield from _unbound(slack)
            yield from _loose(slack)
    for name, within in room.items():
        yield from _samples(name, within, record, expected)


def samples_within(claims: Iterable[Claim], record: Record, expected: Expectations) -> dict[str, float]:
    """How far each sample of a measurement may move: half of what the claims that read them bear."""
    found: dict[str, float] = {}
    for claim in claims:
        slack = Slack(claim, record, expected, {})
        if not slack.measured.holds or not slack.deciding_samples:
            continue
        room = _rounded_down(slack.room_for_samples() * _SHARE)
        for name in slack.deciding_samples:
            found[name] = min(found.get(name, math.inf), room)
    return found


@dataclass(frozen=True)
class Slack:
    """One claim, and the worlds in which everything that it reads has drifted as far as it may."""

    claim: Claim
    record: Record
    expected: Expectations
    room: Mapping[str, float]

    @cached_property
    def findings(self) -> Findings:
        """What was last looked at, as far as it still stands; what was measured elsewhere."""
        found = findings_of(self.record)
        return replace(found, measurements=tuple(map(self._looked_at, found.measurements)))

    def _looked_at(self, measurement: Measurement) -> Measurement:
        old = self.expected.get(measurement.id)
        if old is None:
            return measurement
        one_sided = isinstance(measurement.tolerance, AtMost | AtLeast)
        keeps = old.keeps(measurement) and not one_sided
        return replace(
            measurement,
            value=old.value if keeps else measurement.value,
            samples=old.samples if old.keeps_samples(measurement) else measurement.samples,
        )

    @cached_property
    def measured(self) -> Judgement:
        """The claim as it stands for what was measured."""
        return judge(self.claim, findings_of(self.record))

    @cached_property
    def looked_at(self) -> Judgement:
        """The claim as it stands for what was last looked at."""
        return judge(self.claim, self.findings)

    @cached_property
    def measurements(self) -> dict[str, Measurement]:
        """What was last looked at, by id."""
        return {m.id: m for m in self.findings.measurements}

    @cached_property
    def reading(self) -> Reading:
        """What the claim reads."""
        return read_by(self.claim, self.findings)

    @cached_property
    def deciding_samples(self) -> list[str]:
        """The measurements whose samples decide: without those that it only passes over on its way."""
        read = (self.measurements[n] for n in sorted(self.reading.samples) if self.measurements[n].samples)
        return [m.id for m in read if any(self._moves_with(m, room) for room in (1e-3, _size(m.samples)))]

    def _moves_with(self, measurement: Measurement, room: float) -> bool:
        found = [self.judged(moved) for moved in _shifted(measurement, room)]
        return any((j.saw, j.margin, j.holds) != self._seen for j in found)

    @cached_property
    def _seen(self) -> tuple[Mapping[str, object], float | None, bool]:
        return self.looked_at.saw, self.looked_at.margin, self.looked_at.holds

    def judged(self, *moved: Measurement) -> Judgement:
        """The claim where these measurements are in the place of those that the record holds."""
        by_id = {m.id: m for m in moved}
        measurements = tuple(by_id.get(m.id, m) for m in self.findings.measurements)
        return judge(self.claim, replace(self.findings, measurements=measurements))

    def stored(self, name: str) -> Expectation:
        """What the gate compares a measurement with, or would."""
        measurement, found = self.record.measurements[name], self.expected.get(name)
        kept = found is not None and found.keeps(measurement)
        return found.under(measurement) if kept else Expectation.of(measurement)

    @cached_property
    def value_moves(self) -> dict[str, list[Measurement]]:
        """Each measurement whose value the claim reads, at either end of its tolerance."""
        names = sorted(self.reading.values)
        moves = {n: list(_ends(self.measurements[n], self.stored(n))) for n in names}
        return {name: ends for name, ends in moves.items() if ends}

    def sample_moves(self, room: float | None = None) -> dict[str, list[Measurement]]:
        """Each measurement whose samples the claim reads, one seed moved or all of them."""
        names = self.deciding_samples
        rooms = {n: self.room.get(n, 0.0) if room is None else room for n in names}
        return {n: list(_shifted(self.measurements[n], rooms[n])) for n in names if rooms[n]}

    def worst(self, moves: Mapping[str, list[Measurement]]) -> tuple[str, list[Measurement], Judgement]:
        """The world where the claim does worst: what weighs most there, all that moved, the verdict."""
        worst = "", [], self.looked_at
        harmful: dict[str, tuple[Judgement, Measurement]] = {}
        for name, ends in moves.items():
            judged = [(self.judged(end), end) for end in ends]
            found = min(judged, key=lambda pair: _margin(pair[0]))
            harmful[name] = found
            if _margin(found[0]) < _margin(worst[2]):
                worst = name, [found[1]], found[0]
        for together in _corners(moves, harmful):
            judgement = self.judged(*together)
            if _margin(judgement) < _margin(worst[2]):
                worst = worst[0] or together[0].id, together, judgement
        return worst

    def room_for_samples(self) -> float:
        """How far all samples may move at once, in the worst directions, before the claim is false."""
        _, at_their_ends, _ = self.worst(self.value_moves)
        far = max(_size(self.measurements[n].samples) for n in self.deciding_samples)
        if self._falls(at_their_ends, 0.0):
            return 0.0
        near = 0.0
        for _ in range(_STEPS):
            middle = (near + far) / 2
            if self._falls(at_their_ends, middle):
                far = middle
            else:
                near = middle
        return near

    def _falls(self, at_their_ends: list[Measurement], room: float) -> bool:
        """Whether the claim is false where samples moved so far while values stand at their worst ends."""
        by_id = {m.id: m for m in at_their_ends}
        moves = {
            name: [replace(m, value=by_id[name].value) if name in by_id else m for m in moved]
            for name, moved in self.sample_moves(room).items()
        }
        still = [m for m in at_their_ends if m.id not in moves]
        if not self.judged(*at_their_ends).holds:
            return True
        harmful: dict[str, tuple[Judgement, Measurement]] = {}
        for name, moved in moves.items():
            others = [m for m in at_their_ends if m.id != name]
            judged = [(self.judged(*others, m), m) for m in moved]
            if not all(j.holds for j, _ in judged):
                return True
            harmful[name] = min(judged, key=lambda pair: _margin(pair[0]))
        return not all(self.judged(*still, *corner).holds for corner in _corners(moves, harmful))


def _unbound(slack: Slack) -> Iterator[Drift]:
    for name in sorted(slack.reading.arrays):
        yield Drift(
            slack.claim.id,
            "unbound",
            "what it reads is stored",
            f"it reads array {name}",
            "measurements and their samples",
            "arrays have no tolerance: measure what the claim decides on, so that its drift is seen",
        )


def _loose(slack: Slack) -> Iterator[Drift]:
    if not slack.looked_at.holds:
        yield _false_where_stored(slack)
        return
    values, samples = slack.value_moves, slack.sample_moves()
    names = sorted({*values, *samples})
    name, moved, judgement = slack.worst({n: values.get(n, []) + samples.get(n, []) for n in names})
    changed = [m for m in moved if m.id in values]
    if judgement.holds or not changed:  # by samples alone: told by how far they may move
        return
    widest = next((m for m in changed if m.id == name), changed[0])
    others = f" and {len(moved) - 1} more at their ends" if len(moved) > 1 else ""
    yield Drift(
        slack.claim.id,
        "loose",
        f"true, margin {slack.looked_at.margin:.4g}",
        f"false ({_margin_in_words(judgement)}) at {widest.id} = {widest.value:.6g}{others}",
        f"{widest.id}: {slack.stored(widest.id).allowed()}",
        "the claim could become false inside the tolerances of what it reads: tighten them, let one end at a "
        "bound (AtLeast, AtMost), or say less",
    )


def _false_where_stored(slack: Slack) -> Drift:
    return Drift(
        slack.claim.id,
        "loose",
        f"false ({_margin_in_words(slack.looked_at)}) at the stored values",
        f"true, margin {slack.measured.margin:.4g}",
        "a claim that is true of what was last looked at",
        "what it reads moved inside its tolerance from where the claim is false: tighten the tolerance",
    )


def _margin_in_words(judgement: Judgement) -> str:
    return "undecidable" if judgement.undecidable else f"margin {judgement.margin:.4g}"


def _samples(name: str, within: float, record: Record, expected: Expectations) -> Iterator[Drift]:
    stored = expected.get(name)
    if stored is None:
        return
    samples = record.measurements[name].samples
    if stored.samples_within is None or stored.samples_within > 1.01 * within:
        allowed = "nothing" if stored.samples_within is None else f"each ± {stored.samples_within:.3g}"
        yield Drift(
            name,
            "policy",
            f"{allowed} stored of its samples",
            f"{len(samples)} samples",
            f"each ± {within:.3g}",
            "a claim decides on its samples, and bears no more drift than this: nox -s accept stores them",
        )


def _ends(measurement: Measurement, stored: Expectation) -> Iterator[Measurement]:
    """The measurement at either end of what the gate lets pass."""
    if isinstance(stored.tolerance, Exact) or isinstance(measurement.value, str | bool):
        return
    whole = isinstance(measurement.value, int)
    for end in stored.ends():
        value = end if math.isfinite(end) else _far(measurement.value, end)
        if whole:
            value = math.ceil(value) if value < measurement.value else math.floor(value)
        if value != measurement.value:
            yield replace(measurement, value=value)


def _far(value: float, end: float) -> float:
    """Where a tolerance has no end: no less than nothing for a size, no more than all for a share."""
    if end < 0:
        return 0.0 if value >= 0 else 10 * value
    return 1.0 if 0 <= value <= 1 else 10 * abs(value)


def _size(samples: Iterable[float]) -> float:
    """That of the largest finite one."""
    return max((abs(s) for s in samples if math.isfinite(s)), default=0.0)


def _shifted(measurement: Measurement, room: float) -> Iterator[Measurement]:
    """The measurement with one sample moved by so much, or all of them."""
    samples = measurement.samples
    for sign in (-1, 1):
        yield replace(measurement, samples=tuple(s + sign * room for s in samples))
        for at in range(len(samples)):
            yield replace(
                measurement, samples=tuple(s + sign * room * (i == at) for i, s in enumerate(samples))
            )


def _corners(
    moves: Mapping[str, list[Measurement]], harmful: Mapping[str, tuple[Judgement, Measurement]]
) -> Iterator[list[Measurement]]:
    """Everything at an end at once: each where it hurts most alone, all low, all high; of a few, all ways."""
    if not moves:
        return
    yield [measurement for _, measurement in harmful.values()]
    yield [ends[0] for ends in moves.values()]
    yield [ends[-1] for ends in moves.values()]
    if len(moves) <= _FULL_SEARCH and all(len(ends) == 2 for ends in moves.values()):
        yield from map(list, product(*moves.values()))


def _margin(judgement: Judgement) -> float:
    """How far from false; what is undecidable, or false at no distance, is as false as can be."""
    if judgement.undecidable:
        return -math.inf
    return judgement.margin if judgement.holds else min(judgement.margin, -5e-324)


def _rounded_down(value: float, digits: int = 2) -> float:
    """So many digits are enough to say how far something may move."""
    if value <= 0:
        return 0.0
    unit = 10.0 ** (math.floor(math.log10(value)) - digits + 1)
    return float(f"{math.floor(value / unit) * unit:.{digits}g}")
