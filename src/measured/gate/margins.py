"""Whether a claim could become false while everything that it reads stays inside its tolerance.

A tolerance wider than what separates a sentence from its opposite cannot fail where it matters. So every
measurement that a claim reads drifts to either end of its tolerance, alone and then all together in the
directions that hurt most, and the claim is judged in each such world. Where it is false in one, the tolerance
has to be tightened, or accepting narrows it to half of what the claims bear. Samples over seeds that decide a
claim have no tolerance of their own: how far they may move is worked out in the same way. Both are stored.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product

from measured.gate.compare import Drift
from measured.gate.stored import Expectation
from measured.terms.claims import Claim, Judgement, judge
from measured.terms.experiment import Findings
from measured.terms.measurement import AtLeast, AtMost, Exact, Measurement
from measured.terms.reading import Reading, findings_of, read_by
from measured.terms.record import Record

Expectations = Mapping[str, Expectation]

# Of the drift that would make a claim false half is allowed, so that what is worked out has room beside it.
_SHARE = 0.5
_STEPS = 12
_FULL_SEARCH = 4


@dataclass(frozen=True)
class Room:
    """How far what claims read may move: less than what would make one of them false.

    Args:
        values: for each measurement whose tolerance allows more than that.
        samples: for each measurement whose samples decide.
    """

    values: dict[str, float] = field(default_factory=dict)
    samples: dict[str, float] = field(default_factory=dict)


def drift(claims: Sequence[Claim], record: Record, expected: Expectations) -> Iterator[Drift]:
    """Claims that could become false unseen, and samples that a claim reads and nothing holds.

    Args:
        claims: those of the record's experiment.
        record: what was measured.
        expected: what is stored; where nothing is, what would be stored is looked at.
    """
    slacks = _slacks(claims, record, expected)
    room = _room_of(slacks)
    for slack in slacks:
        if slack.measured.holds:
            yield from _on_arrays(slack)
            yield from _loose(slack.within(room))
    for name, within in room.samples.items():
        yield from _samples(name, within, record, expected)


def room_of(claims: Iterable[Claim], record: Record, expected: Expectations) -> Room:
    """How far each value and sample may move before a claim that reads it could be false: half of that."""
    return _room_of(_slacks(claims, record, expected))


def _room_of(slacks: Iterable[Slack]) -> Room:
    room = Room()
    slacks = [slack for slack in slacks if slack.measured.holds and slack.looked_at.holds]
    for slack in slacks:
        share = slack.share_for_values()
        for name, width in slack.widths.items() if share < 1 else ():
            within = _rounded_down(width * share * _SHARE)
            room.values[name] = min(room.values.get(name, math.inf), within)
    for slack in slacks:
        deciding = slack.deciding_samples
        within = _rounded_down(slack.within(room).room_for_samples() * _SHARE) if deciding else 0.0
        for name in deciding:
            room.samples[name] = min(room.samples.get(name, math.inf), within)
    return room


def turned(claims: Iterable[Claim], record: Record, expected: Expectations) -> set[str]:
    """What is read by claims that are true now and were false of what was last looked at."""
    slacks = _slacks(claims, record, expected)
    turned = [slack for slack in slacks if slack.measured.holds and not slack.looked_at.holds]
    return {name for slack in turned for name in slack.reading.measurements}


def _slacks(claims: Iterable[Claim], record: Record, expected: Expectations) -> list[Slack]:
    """Each claim, beside the same findings: all claims of an experiment read what it has measured."""
    found = findings_of(record)
    looked_at = replace(found, measurements=tuple(_looked_at(m, expected) for m in found.measurements))
    return [Slack(claim, record, expected, found, looked_at) for claim in claims]


def _looked_at(measurement: Measurement, expected: Expectations) -> Measurement:
    """What was last looked at of a measurement, as far as it still stands; what was measured elsewhere."""
    old = expected.get(measurement.id)
    if old is None:
        return measurement
    one_sided = isinstance(measurement.tolerance, AtMost | AtLeast)
    keeps = old.keeps(measurement) and not one_sided
    return replace(
        measurement,
        value=old.under(measurement).value if keeps else measurement.value,
        samples=old.samples if old.keeps_samples(measurement) else measurement.samples,
    )


@dataclass(frozen=True)
class Slack:
    """One claim, and the worlds in which everything that it reads has drifted as far as it may.

    Args:
        claim: the one.
        record: what was measured.
        expected: what is stored.
        found: the record's findings.
        findings: what was last looked at.
        room: how far values and samples may move, where that is known.
    """

    claim: Claim
    record: Record
    expected: Expectations
    found: Findings
    findings: Findings
    room: Room = field(default_factory=Room)

    def within(self, room: Room) -> Slack:
        """The same, where it is known how far values and samples may move; what was found out stays so."""
        other = copy(self)
        object.__setattr__(other, "room", room)
        return other

    @cached_property
    def measured(self) -> Judgement:
        """The claim as it stands for what was measured."""
        return judge(self.claim, self.found)

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
        return judge(self.claim, self.findings.but(moved))

    def tolerance(self, name: str) -> Expectation:
        """What the gate lets pass by the tolerance alone, around what was last looked at."""
        measurement, found = self.record.measurements[name], self.expected.get(name)
        kept = found is not None and found.keeps(measurement)
        return replace(found.under(measurement) if kept else Expectation.of(measurement), within=None)

    def stored(self, name: str) -> Expectation:
        """What the gate lets pass as it stands."""
        measurement, found = self.record.measurements[name], self.expected.get(name)
        kept = found is not None and found.keeps(measurement)
        return found.under(measurement) if kept else Expectation.of(measurement)

    @cached_property
    def widths(self) -> dict[str, float]:
        """How far each value that the claim reads may move by its tolerance, where that is two-sided."""
        found = {n: self.tolerance(n).width() for n in self._drifting}
        return {name: width for name, width in found.items() if width}

    @property
    def _drifting(self) -> list[str]:
        read = [self.measurements[n] for n in sorted(self.reading.values)]
        return [m.id for m in read if not isinstance(m.value, str | bool)]

    def value_moves(self, share: float | None = None) -> dict[str, list[Measurement]]:
        """Each measurement whose value the claim reads, at either end of what is let pass.

        Args:
            share: of the width that its tolerance allows; None for what the gate lets pass as it stands.
        """
        moves = {}
        for name in self._drifting:
            allowed = self.stored(name)
            if share is not None:
                width = self.widths.get(name)
                allowed = replace(self.tolerance(name), within=None if width is None else width * share)
            moves[name] = list(_ends(self.measurements[name], allowed))
        return {name: ends for name, ends in moves.items() if ends}

    def sample_moves(self, room: float | None = None) -> dict[str, list[Measurement]]:
        """Each measurement whose samples decide, one seed moved or all of them."""
        rooms = {n: self.room.samples.get(n, 0.0) if room is None else room for n in self.deciding_samples}
        return {n: list(_shifted(self.measurements[n], room)) for n, room in rooms.items() if room}

    def share_for_values(self) -> float:
        """Of the widths that tolerances allow, how much may be used before the claim could be false."""
        return _largest(1.0, lambda share: self.worst(self.value_moves(share))[2].holds)

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
        _, at_their_ends, _ = self.worst(self._narrowed())
        far = max(_size(self.measurements[n].samples) for n in self.deciding_samples)
        return _largest(far, lambda room: not self._falls(at_their_ends, room))

    def _narrowed(self) -> dict[str, list[Measurement]]:
        """Each value at either end of what would be let pass from now on."""
        moves = {}
        for name in self._drifting:
            allowed = replace(self.tolerance(name), within=self.room.values.get(name))
            moves[name] = list(_ends(self.measurements[name], allowed))
        return {name: ends for name, ends in moves.items() if ends}

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
            judged = []
            for m in moved:
                judged.append((self.judged(*others, m), m))
                if not judged[-1][0].holds:
                    return True
            judged.append(self._each_where_it_hurts(others, judged))
            if not judged[-1][0].holds:
                return True
            harmful[name] = min(judged, key=lambda pair: _margin(pair[0]))
        return not all(self.judged(*still, *corner).holds for corner in _corners(moves, harmful))

    def _each_where_it_hurts(
        self, others: list[Measurement], judged: list[tuple[Judgement, Measurement]]
    ) -> tuple[Judgement, Measurement]:
        """Every sample moved in the direction in which it alone hurts most."""
        half = len(judged) // 2  # all of them and one at a time, downward, then upward
        pairs = zip(judged[1:half], judged[half + 1 :], strict=True)
        chosen = [min(pair, key=lambda found: _margin(found[0]))[1] for pair in pairs]
        samples = tuple(moved.samples[at] for at, moved in enumerate(chosen))
        together = replace(judged[0][1], samples=samples)
        return self.judged(*others, together), together


def margins_to_keep(
    claims: Iterable[Claim], record: Record, expected: Expectations
) -> dict[str, Expectation]:
    """For claims that decide on arrays, which no tolerance binds: half of the margin has to be left.

    Returns:
        By the claim's id, what to expect of its margin: as it was last looked at, where it stands.
    """
    slacks = _slacks(claims, record, expected)
    found = {s.claim.id: s.measured.margin for s in slacks if s.measured.holds and s.reading.arrays}
    kept = {
        name: expected[name] for name, m in found.items() if name in expected and expected[name].accepts(m)
    }
    return {name: _least(name, margin) for name, margin in found.items()} | kept


def _least(name: str, margin: float) -> Expectation:
    bound = _rounded_down(margin * _SHARE)
    return Expectation(name, bound, AtLeast("of the margin of a claim on arrays, half is left", bound=bound))


def _on_arrays(slack: Slack) -> Iterator[Drift]:
    if slack.reading.arrays and slack.claim.id not in slack.expected:
        yield Drift(
            slack.claim.id,
            "new",
            "nothing",
            f"margin {slack.measured.margin:.4g}",
            "a stored margin",
            f"it decides on {', '.join(sorted(slack.reading.arrays))}, which no tolerance binds: its margin "
            "is kept instead: look at it",
        )


def _loose(slack: Slack) -> Iterator[Drift]:
    if not slack.looked_at.holds:
        yield _false_where_stored(slack)
        return
    values, samples = slack.value_moves(), slack.sample_moves()
    names = sorted({*values, *samples})
    name, moved, judgement = slack.worst({n: values.get(n, []) + samples.get(n, []) for n in names})
    changed = [m for m in moved if m.id in values]
    if judgement.holds or not changed:  # by samples alone: told by how far they may move
        return
    widest = next((m for m in changed if m.id == name), changed[0])
    others = f" and {len(moved) - 1} more at their ends" if len(moved) > 1 else ""
    narrower = slack.worst(slack.value_moves(0.0))[2].holds
    bears = f"{widest.id} ± {slack.room.values.get(widest.id, 0.0):.3g}" if narrower else ""
    yield Drift(
        slack.claim.id,
        "loose" if bears else "bound",
        f"true, margin {slack.looked_at.margin:.4g}",
        f"false ({_margin_in_words(judgement)}) at {widest.id} = {widest.value:.6g}{others}",
        f"{widest.id}: {slack.stored(widest.id).allowed()}",
        "the claim could become false inside the tolerances of what it reads: "
        + (
            f"tighten them, say less, or let nox -s accept narrow them to what it bears ({bears})"
            if bears
            else "its own bound has to lie beyond theirs (AtLeast, AtMost), or it has to say less"
        ),
    )


def _false_where_stored(slack: Slack) -> Drift:
    return Drift(
        slack.claim.id,
        "loose",
        f"false ({_margin_in_words(slack.looked_at)}) at the stored values",
        f"true, margin {slack.measured.margin:.4g}",
        "a claim that is true of what was last looked at",
        "what it reads moved, inside its tolerance, from where the claim was false: look, then nox -s accept",
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
    if isinstance(stored.tolerance, Exact):
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


def _largest(far: float, holds: Callable[[float], bool]) -> float:
    """How far one may go: all the way, or as far as a search by halves finds."""
    if holds(far):
        return far
    near = 0.0
    for _ in range(_STEPS):
        middle = (near + far) / 2
        near, far = (middle, far) if holds(middle) else (near, middle)
    return near


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
