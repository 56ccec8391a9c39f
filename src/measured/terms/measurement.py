"""A measurement: one named number, how it is shown, and how far it may move before that is drift."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import stdev
from typing import Any, ClassVar

from measured.errors import MeasuredError
from measured.terms import plain_data
from measured.terms.statistics import STATISTICS

Value = bool | int | float | str

_NON_FINITE = ("nan", "inf", "-inf")
# A longer width or precision asks for as much memory as it says; another filling, another base or a letter
# shows another number than was measured.
_SPECIFICATION = re.compile(r"(?:[ 0]?[<>=^])?[-+ ]?z?#?0?\d{0,2}[_,]?(?:\.\d{1,2})?[deEfFgGs%]?")
_ID = re.compile(r"[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+")


@dataclass(frozen=True)
class Tolerance:
    """How far a measured value may lie from the stored one, and why so far. Use a subclass."""

    reason: str
    kind: ClassVar[str] = ""

    def __post_init__(self) -> None:
        if not self.reason.strip():
            raise MeasuredError(
                f"a tolerance of kind {self.kind!r} gives no reason",
                expected="one sentence that says why this much drift is allowed",
            )

    def allows(self, measured: Value, stored: Value, standard_error: float | None = None) -> bool:
        """Whether `measured` may stand where `stored` was."""
        raise NotImplementedError

    def allowed(self, stored: Value, standard_error: float | None = None) -> str:
        """What would have been let pass, in words."""
        raise NotImplementedError

    def width(self, stored: Value, standard_error: float | None = None) -> float | None:
        """The distance from `stored` at which drift begins; None where no such number exists."""
        raise NotImplementedError

    def ends(self, stored: Value, standard_error: float | None = None) -> tuple[float, float]:
        """The smallest and the largest number that are let pass; infinite where there is no end."""
        width = self.width(stored, standard_error) or 0.0
        return stored - width, stored + width

    def as_dict(self) -> dict[str, Any]:
        """The policy as plain data: its kind, its numbers, its reason."""
        return {"kind": self.kind, **self.__dict__}


@dataclass(frozen=True)
class Exact(Tolerance):
    """The same value, to the last bit: counts, shapes, exact zeros, names."""

    kind: ClassVar[str] = "exact"

    def allows(self, measured, stored, standard_error=None):  # noqa: D102
        return type(measured) is type(stored) and (measured == stored or _both_nan(measured, stored))

    def allowed(self, stored, standard_error=None):  # noqa: D102
        return f"exactly {stored!r}"

    def width(self, stored, standard_error=None):  # noqa: D102
        return None if isinstance(stored, str) else 0.0


@dataclass(frozen=True)
class Close(Tolerance):
    """Within `atol + rtol × |stored|`, as `numpy.isclose` counts it."""

    rtol: float = 0.0
    atol: float = 0.0
    kind: ClassVar[str] = "close"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (self.rtol > 0 or self.atol > 0):
            raise MeasuredError(
                "a Close tolerance allows no distance at all", expected="rtol > 0 or atol > 0, or Exact"
            )

    def allows(self, measured, stored, standard_error=None):  # noqa: D102
        return abs(measured - stored) <= self.width(stored)

    def allowed(self, stored, standard_error=None):  # noqa: D102
        return f"{stored!r} ± {self.width(stored):.3g}"

    def width(self, stored, standard_error=None):  # noqa: D102
        return self.atol + self.rtol * abs(stored)


@dataclass(frozen=True)
class AtMost(Tolerance):
    """No more than `bound`: for errors whose digits are noise and whose size is the claim."""

    bound: float = 0.0
    kind: ClassVar[str] = "at_most"

    def allows(self, measured, stored, standard_error=None):  # noqa: D102
        return measured <= self.bound

    def ends(self, stored, standard_error=None):  # noqa: D102
        return -math.inf, self.bound

    def allowed(self, stored, standard_error=None):  # noqa: D102
        return f"at most {self.bound!r}"

    def width(self, stored, standard_error=None):  # noqa: D102
        return None


@dataclass(frozen=True)
class AtLeast(Tolerance):
    """No less than `bound`."""

    bound: float = 0.0
    kind: ClassVar[str] = "at_least"

    def allows(self, measured, stored, standard_error=None):  # noqa: D102
        return measured >= self.bound

    def ends(self, stored, standard_error=None):  # noqa: D102
        return self.bound, math.inf

    def allowed(self, stored, standard_error=None):  # noqa: D102
        return f"at least {self.bound!r}"

    def width(self, stored, standard_error=None):  # noqa: D102
        return None


@dataclass(frozen=True)
class Spread(Tolerance):
    """Within `k` stored standard errors over seeds, and never less than `floor`."""

    k: float = 3.0
    floor: float = 0.0
    kind: ClassVar[str] = "spread"

    def allows(self, measured, stored, standard_error=None):  # noqa: D102
        return abs(measured - stored) <= self.width(stored, standard_error)

    def allowed(self, stored, standard_error=None):  # noqa: D102
        return f"{stored!r} ± {self.width(stored, standard_error):.3g}"

    def width(self, stored, standard_error=None):  # noqa: D102
        return max(self.k * (standard_error or 0.0), self.floor)


TOLERANCES: Mapping[str, type[Tolerance]] = {c.kind: c for c in (Exact, Close, AtMost, AtLeast, Spread)}


def tolerance_from_dict(data: Mapping[str, Any]) -> Tolerance:
    """The inverse of `Tolerance.as_dict`.

    Raises:
        MeasuredError: the kind or one of its fields is unknown.
    """
    if not isinstance(data, Mapping) or data.get("kind") not in TOLERANCES:
        raise MeasuredError(
            f"unreadable tolerance {str(data)[:200]}", expected=f"a kind among {', '.join(TOLERANCES)}"
        )
    fields = {key: value for key, value in data.items() if key != "kind"}
    return plain_data.build(TOLERANCES[data["kind"]], fields)


@dataclass(frozen=True)
class Measurement:
    """One named number.

    Args:
        id: dotted name, `experiment.what.which`; it is what a page refers to.
        value: what was measured. NumPy scalars become Python's, so that `repr` never reaches a page.
        description: what it is, in words, for the card that a reader opens.
        tolerance: how far it may drift, with the reason.
        format: Python format specification of the display (`.4f`, `,d`, `.1%`); empty for text.
        unit: shown beside the value in tables and cards (`nats`, `bytes`), empty for pure numbers.
        seeds: the seeds whose runs the value sums up, in order.
        samples: the value that each seed gave, in the same order; the spread is computed from them.
        statistic: what the value is of its samples, one of `measured.terms.statistics`.
        family: the id of the family that it is of, holes and all (see `measured.terms.family`).
        non_finite: set where NaN or infinity is the thing measured; an error elsewhere.

    Raises:
        MeasuredError: a malformed id, a value that is not finite, a format that does not fit the value.
    """

    id: str
    value: Value
    description: str
    tolerance: Tolerance
    format: str = ""
    unit: str = ""
    seeds: tuple[int, ...] = ()
    samples: tuple[float, ...] = field(default=(), repr=False)
    statistic: str = "mean"
    family: str = ""
    non_finite: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", _plain(self.value))
        object.__setattr__(self, "seeds", tuple(int(s) for s in self.seeds))
        object.__setattr__(self, "samples", tuple(float(s) for s in self.samples))
        if not _ID.fullmatch(self.id):
            raise MeasuredError(
                f"measurement id {self.id!r} is malformed",
                expected="lower-case words joined by dots, each starting with a letter: scale.weight.d4",
            )
        if not self.description.strip():
            raise MeasuredError(f"measurement {self.id} has no description", expected="what it is, in words")
        if self.samples and len(self.samples) != len(self.seeds):
            raise MeasuredError(
                f"measurement {self.id} has {len(self.samples)} samples for {len(self.seeds)} seeds",
                expected="one sample a seed",
            )
        if self.statistic not in STATISTICS:
            raise MeasuredError(
                f"measurement {self.id} is the {self.statistic!r} of its samples",
                expected=f"one of {', '.join(STATISTICS)}",
            )
        if isinstance(self.tolerance, Spread) and STATISTICS[self.statistic].standard_error is None:
            raise MeasuredError(
                f"measurement {self.id} has a Spread tolerance and is the {self.statistic} of its samples",
                expected="a mean or a median: an extreme has no standard error",
            )
        numbers = [v for v in (self.value, *self.samples) if isinstance(v, float)]
        if not self.non_finite and not all(map(math.isfinite, numbers)):
            raise MeasuredError(
                f"measurement {self.id} is not finite: {self.value!r}",
                expected="a finite number",
                mend="mend the experiment, or declare non_finite=True where this is the thing measured",
            )
        if isinstance(self.tolerance, Spread) and len(self.samples) < 2:
            raise MeasuredError(
                f"measurement {self.id} has a Spread tolerance and {len(self.samples)} samples",
                expected="samples of at least two seeds",
            )
        self.display()

    def display(self, specification: str | None = None) -> str:
        """The value as text, by its own format or by `specification`.

        Raises:
            MeasuredError: the format does not fit the value's type.
        """
        chosen = self.format if specification is None else specification
        try:
            return format_value(self.value, chosen)
        except (ValueError, TypeError) as error:
            raise MeasuredError(
                f"format {chosen!r} does not fit {self.id}, whose value is the "
                f"{type(self.value).__name__} {self.value!r}",
                expected="a Python format specification for that type, such as '.4f' or ',d'",
            ) from error

    @property
    def spread(self) -> dict[str, Any] | None:
        """Count, smallest, largest, standard deviation and standard error over seeds, or None."""
        if not self.samples:
            return None
        several = len(self.samples) > 1 and all(map(math.isfinite, self.samples))
        error = STATISTICS[self.statistic].standard_error
        return {
            "n": len(self.samples),
            "min": min(self.samples),
            "max": max(self.samples),
            "sd": stdev(self.samples) if several else None,
            "standard_error": error(self.samples) if several and error else None,
            "values": list(self.samples),
        }

    @property
    def standard_error(self) -> float | None:
        """Standard error of the statistic over seeds; None below two seeds, and for an extreme."""
        return self.spread["standard_error"] if self.spread else None

    def as_dict(self) -> dict[str, Any]:
        """The measurement as plain data, for a record."""
        return {
            "id": self.id,
            "value": self.value if _is_json(self.value) else str(self.value),
            "display": self.display(),
            "format": self.format,
            "unit": self.unit,
            "description": self.description,
            "tolerance": self.tolerance.as_dict(),
            "seeds": list(self.seeds),
            "samples": list(self.samples),
            "statistic": self.statistic,
            "family": self.family,
            "non_finite": self.non_finite,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Measurement:
        """The inverse of `as_dict`."""
        if not isinstance(data, dict):
            raise MeasuredError("has a measurement that is no object")
        ready = {"tolerance": tolerance_from_dict(data.get("tolerance", {}))}
        if data.get("non_finite") is True and data.get("value") in _NON_FINITE:
            ready["value"] = float(data["value"])
        plain = {key: value for key, value in data.items() if key not in (*ready, "display")}
        made = plain_data.build(cls, plain, **ready)
        if data.get("display") != made.display():
            raise MeasuredError(f"shows {made.id} as something else than its value in its format")
        return made


def format_value(value: Value, specification: str) -> str:
    """`value` as text; an empty specification is only for text, whole numbers and truth values."""
    if specification:
        if not _SPECIFICATION.fullmatch(specification):
            raise ValueError("a width or precision beyond what a page can show")
        return format(value, specification)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and math.isfinite(value):
        raise ValueError("a float needs a display format")
    return str(value)


def _plain(value: Any) -> Value:
    item = getattr(value, "item", None)
    if item is not None and getattr(value, "ndim", 0) == 0:
        value = item()
    if not isinstance(value, bool | int | float | str):
        raise MeasuredError(
            f"a measurement's value is a {type(value).__name__}", expected="one number, truth value or text"
        )
    return value


def _is_json(value: Value) -> bool:
    """JSON has no word for NaN or infinity, and a browser's parser refuses Python's."""
    return not isinstance(value, float) or math.isfinite(value)


def _both_nan(a: Value, b: Value) -> bool:
    return isinstance(a, float) and isinstance(b, float) and math.isnan(a) and math.isnan(b)
