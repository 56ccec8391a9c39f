"""Claims: sentences of the prose that rest on a predicate over what was measured.

A claim stands beside its experiment. It is evaluated when the experiment is, its verdict is part of
the record, and a page whose sentence carries a claim that does not hold is not published. The
verdict keeps its margin (how far from false, in the measured unit) and the values it saw.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence, Sized
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any

from measured.terms.experiment import Findings
from measured.terms.null import Null

if TYPE_CHECKING:
    from measured.terms.trial import Confirmation


@dataclass(frozen=True)
class Verdict:
    """What a predicate found.

    Args:
        holds: whether the claim is true of these findings.
        margin: how far the nearest value is from making it false; negative where it is false, 0 where
            there is no distance to speak of (equality).
        saw: the values that decided, by name.
        legs: the verdicts that `every` joined, so that each can be asked by itself; empty for one alone.
    """

    holds: bool
    margin: float
    saw: Mapping[str, Any]
    legs: tuple[Verdict, ...] = ()


@dataclass(frozen=True)
class Claim:
    """One sentence's footing.

    Args:
        id: dotted name; a page says `{% claim "id" %}…{% endclaim %}`.
        words: the predicate in words, exact enough to be disputed.
        predicate: findings in, verdict out.
        nulls: the worlds in which its sentence would be false (see `measured.terms.null`).
        exempt: why there is no natural null: "theorem: …", "arithmetic: test_x"; empty where nulls stand.
        confirmed_by: the trial that asks fresh seeds, where it is about trained models.
    """

    id: str
    words: str
    predicate: Callable[[Findings], Verdict]
    nulls: tuple[Null, ...] = ()
    exempt: str = ""
    confirmed_by: Confirmation | None = None


@dataclass(frozen=True)
class Judgement:
    """A claim as it stands in a record.

    Args:
        id: the claim's.
        words: the predicate in words.
        holds: whether it is true of what was found.
        margin: how far from false.
        saw: the values that decided.
        undecidable: why it could not be decided; empty where it could.
        scope: under which conditions it was measured.
        seeds: those on which it was formed; empty where nothing was trained.
        reads: the measurements and arrays that the predicate read.
        carries: what so many seeds can carry, in words; empty where it reads no seed.
        nulls: of each null its `words`, how many `worlds`, the share that `held` and that was `as_far` from
            false as the truth, and the `margin` of the world that came nearest to holding.
        exempt: why there is no null.
        vacuous: what is wrong with the nulls, or with the claim by their account; empty where nothing is.
    """

    id: str
    words: str
    holds: bool
    margin: float | None = None
    saw: Mapping[str, Any] = field(default_factory=dict)
    undecidable: str = ""
    scope: str = ""
    seeds: Sequence[int] = ()
    reads: Sequence[str] = ()
    carries: str = ""
    nulls: Sequence[Mapping[str, Any]] = ()
    exempt: str = ""
    vacuous: Sequence[str] = ()

    def as_dict(self) -> dict[str, Any]:
        """The judgement as plain data."""
        plain = {name: list(v) if isinstance(v, tuple) else v for name, v in self.__dict__.items()}
        return {**plain, "saw": dict(self.saw)}


def judge(claim: Claim, findings: Findings) -> Judgement:
    """Evaluate one claim; one that raises, sees nothing or weighs a NaN is undecidable, never true."""
    try:
        verdict = claim.predicate(findings)
        saw = {name: _plain(value) for name, value in verdict.saw.items()}
        holds, margin = bool(verdict.holds), float(verdict.margin)
    except Exception as error:  # noqa: BLE001 - whatever a predicate raises, the claim is undecided
        return Judgement(claim.id, claim.words, False, undecidable=f"{type(error).__name__}: {error}")
    if not saw:
        return Judgement(claim.id, claim.words, False, undecidable="it saw no value")
    numbers = [v for v in (margin, *saw.values()) if isinstance(v, float)]
    if not all(map(math.isfinite, numbers)):
        readable = {name: str(value) for name, value in saw.items()}
        return Judgement(claim.id, claim.words, False, saw=readable, undecidable="a value is not finite")
    return Judgement(claim.id, claim.words, holds, margin, saw)


def below(values: Mapping[str, float], bound: float) -> Verdict:
    """Every value lies below `bound`."""
    _refuse_nothing(values)
    margin = bound - max(values.values())
    return Verdict(margin > 0, margin, {**values, "bound": bound})


def above(values: Mapping[str, float], bound: float) -> Verdict:
    """Every value lies above `bound`."""
    _refuse_nothing(values)
    margin = min(values.values()) - bound
    return Verdict(margin > 0, margin, {**values, "bound": bound})


def between(values: Mapping[str, float], low: float, high: float) -> Verdict:
    """Every value lies strictly between `low` and `high`."""
    _refuse_nothing(values)
    margin = min(min(values.values()) - low, high - max(values.values()))
    return Verdict(margin > 0, margin, {**values, "low": low, "high": high})


def equal(values: Mapping[str, Any], to: Any) -> Verdict:
    """Every value is exactly `to`."""
    _refuse_nothing(values)
    return Verdict(all(value == to for value in values.values()), 0.0, {**values, "to": to})


def rises(values: Mapping[str, float]) -> Verdict:
    """Each value is larger than the one before it."""
    return _steps(values, sign=1)


def falls(values: Mapping[str, float]) -> Verdict:
    """Each value is smaller than the one before it."""
    return _steps(values, sign=-1)


def every(*verdicts: Verdict) -> Verdict:
    """All of several verdicts hold; the margin is the smallest."""
    _refuse_nothing(verdicts)
    saw: dict[str, Any] = {}
    for name, value in (item for verdict in verdicts for item in verdict.saw.items()):
        saw[_name_beside(saw, name, value)] = value
    legs = tuple(leg for verdict in verdicts for leg in (verdict.legs or (verdict,)))
    return Verdict(all(v.holds for v in verdicts), min(v.margin for v in verdicts), saw, legs)


def _name_beside(saw: Mapping[str, Any], name: str, value: Any) -> str:
    """The name, or one with a number where another value has it: two bounds are both told."""
    if name not in saw:
        return name
    names = (name if n == 1 else f"{name} {n}" for n in count(1))
    return next(free for free in names if free not in saw or saw[free] == value)


def _steps(values: Mapping[str, float], sign: int) -> Verdict:
    _refuse_nothing(values, least=2)
    in_order: Sequence[float] = list(values.values())
    margin = min(sign * (b - a) for a, b in zip(in_order, in_order[1:], strict=False))
    return Verdict(margin > 0, margin, values)


def _refuse_nothing(values: Sized, least: int = 1) -> None:
    """What holds for all of nothing holds whatever was measured: such a claim is undecidable."""
    if len(values) < least:
        raise ValueError(f"{len(values)} values to look at, and nothing follows from fewer than {least}")


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value
