"""References: what `{{ scale.weight.d4 }}` is while a page is woven.

A reference behaves as its number, so that a page can compute from it; what comes out of arithmetic
remembers every measurement that went in, and must be told its display format.
"""

from __future__ import annotations

import difflib
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from measured.errors import MeasuredError
from measured.terms.measurement import Measurement, Value, format_value
from measured.terms.record import Record
from measured.terms.trial import Confirmed


def meant(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """What somebody may have meant by a name that nobody has.

    Args:
        name: as it was written.
        known: the names that there are.
        otherwise: what is expected where none is near.
    """
    listed = sorted(known)
    close = difflib.get_close_matches(name, listed, n=3)
    if close:
        return f"did you mean {', '.join(close)}?"
    few = f"one of {', '.join(listed)}" if 0 < len(listed) <= 12 else ""
    return few or otherwise


class UnknownReference(MeasuredError):
    """A reference that no record answers.

    Args:
        name: as far as it was followed.
        problem: see `MeasuredError`.
        more: see `MeasuredError`.
    """

    def __init__(self, name: str, problem: str, **more: Any) -> None:
        self.name = name
        super().__init__(problem, **more)


@dataclass(frozen=True)
class Shown:
    """A value as the page shows it.

    Args:
        text: the display.
        value: the number or text behind it.
        ids: the measurements it comes from; empty for a parameter.
        kind: `measurement`, `derived` or `parameter`.
    """

    text: str
    value: Value
    ids: tuple[str, ...]
    kind: str


# fmt: off
_ONES = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
# fmt: on
_SPELLED = {"words": str, "Words": str.capitalize}


def in_words(value: Value) -> str:
    """A whole number below a hundred as prose spells it: twenty-four.

    Raises:
        ValueError: it is none.
    """
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 100:
        raise ValueError("words are for whole numbers below a hundred")
    if value < 20:
        return _ONES[value]
    tens, ones = divmod(value, 10)
    return _TENS[tens - 2] + (f"-{_ONES[ones]}" if ones else "")


def typeset(text: str, value: Value) -> str:
    """A value's display as readers see it: a negative number has a minus, not a hyphen."""
    return f"−{text[1:]}" if text.startswith("-") and not isinstance(value, str) else text


class Number:
    """A measured value, or one computed from measured values; knows where it comes from."""

    def __init__(self, value: Value, ids: tuple[str, ...], kind: str, format: str | None) -> None:
        self.value, self.ids, self.kind, self.format = value, ids, kind, format

    @classmethod
    def of(cls, measurement: Measurement) -> Number:
        """A reference to one measurement."""
        return cls(measurement.value, (measurement.id,), "measurement", measurement.format)

    def shown(self, specification: str | None = None) -> Shown:
        """The value in its own format, or in another.

        Raises:
            MeasuredError: no format to show it by, or one that does not fit its type.
        """
        chosen = self.format if specification is None else specification
        name = " and ".join(self.ids) or "a parameter"
        if chosen is None:
            raise MeasuredError(
                f"a number computed from {name} has no display format",
                expected="a filter after the expression, in parentheses: {{ (a - b) | fmt('.3f') }}",
            )
        try:
            if chosen in _SPELLED:
                text = _SPELLED[chosen](in_words(self.value))
            else:
                text = typeset(format_value(self.value, chosen), self.value)
            return Shown(text, self.value, self.ids, self.kind)
        except (ValueError, TypeError) as error:
            raise MeasuredError(
                f"format {chosen!r} does not fit {name}, whose value is the "
                f"{type(self.value).__name__} {self.value!r}",
                expected="a Python format specification for that type, such as '.4f' or ',d'",
            ) from error

    def _with(self, other: Any, apply: Callable[[Any, Any], Any], swapped: bool = False) -> Number:
        if isinstance(other, Absent):
            return other
        if isinstance(self.value, str) or isinstance(getattr(other, "value", other), str):
            raise MeasuredError(f"arithmetic with text: {self.value!r} and {other!r}", expected="two numbers")
        mine, theirs = self.value, getattr(other, "value", other)
        ids = tuple(dict.fromkeys((*self.ids, *getattr(other, "ids", ()))))
        try:
            value = apply(theirs, mine) if swapped else apply(mine, theirs)
        except (ArithmeticError, TypeError) as error:
            raise MeasuredError(f"arithmetic on {' and '.join(ids)} failed: {error}") from error
        return Number(value, ids, "derived", None)

    def __add__(self, other):
        return self._with(other, operator.add)

    def __radd__(self, other):
        return self._with(other, operator.add, swapped=True)

    def __sub__(self, other):
        return self._with(other, operator.sub)

    def __rsub__(self, other):
        return self._with(other, operator.sub, swapped=True)

    def __mul__(self, other):
        return self._with(other, operator.mul)

    def __rmul__(self, other):
        return self._with(other, operator.mul, swapped=True)

    def __truediv__(self, other):
        return self._with(other, operator.truediv)

    def __rtruediv__(self, other):
        return self._with(other, operator.truediv, swapped=True)

    def __pow__(self, other):
        return self._with(other, operator.pow)

    def __abs__(self):
        return Number(abs(self.value), self.ids, "derived", None)

    def __neg__(self):
        return Number(-self.value, self.ids, "derived", None)

    def __lt__(self, other):
        return self.value < getattr(other, "value", other)

    def __le__(self, other):
        return self.value <= getattr(other, "value", other)

    def __gt__(self, other):
        return self.value > getattr(other, "value", other)

    def __ge__(self, other):
        return self.value >= getattr(other, "value", other)

    def __eq__(self, other):
        return self.value == getattr(other, "value", other)

    __hash__ = None


class Absent(Number):
    """A number that a full build measures and this quick one did not, and whatever is computed from it."""

    def __init__(self) -> None:
        super().__init__(float("nan"), (), "absent", "")

    def shown(self, specification: str | None = None) -> Shown:
        """A question mark, in any format."""
        return Shown("?", "?", (), "absent")

    def _with(self, other: Any, apply: Callable[[Any, Any], Any], swapped: bool = False) -> Number:
        return self

    def __abs__(self):
        return self

    def __neg__(self):
        return self


class Namespace:
    """The dots of a reference: each step narrows the ids, the last one finds the number."""

    def __init__(self, prefix: str, library: Library, pick: Callable[[str], Number | None]) -> None:
        self._prefix, self._library, self._pick = prefix, library, pick

    def __getattr__(self, step: str) -> Namespace | Number:
        if step.startswith("__"):
            raise AttributeError(step)
        name = f"{self._prefix}.{step}"
        number = self._pick(name)
        if number is not None:
            return number
        if not self._library.begins(name):
            raise self._library.unknown(name)
        return Namespace(name, self._library, self._pick)

    __getitem__ = __getattr__


class Library:
    """All records that a page may refer to.

    Args:
        records: by experiment.
        absent: ids that quick records, or a first preview, may lack; a page shows a question mark in their
            place.
        declared: the parameters of the experiments that are declared, for those that lack a record.
        confirmed: what fresh seeds said, by claim.
    """

    def __init__(
        self,
        records: Mapping[str, Record],
        absent: Iterable[str] = (),
        declared: Mapping[str, Mapping[str, Any]] | None = None,
        confirmed: Mapping[str, Confirmed] | None = None,
    ) -> None:
        self.records = records
        self.confirmed = confirmed or {}
        self._absent = frozenset(absent)
        self._chosen = {**(declared or {}), **{r.experiment: r.parameters for r in records.values()}}
        self.measurements: dict[str, Measurement] = {}
        self.owner: dict[str, Record] = {}
        self.claims = {c.id: c for record in records.values() for c in record.claims.values()}
        self.tables = {t.name: t for record in records.values() for t in record.tables.values()}
        for record in records.values():
            for measurement in record.measurements.values():
                if measurement.id in self.owner:
                    raise MeasuredError(
                        f"{measurement.id} is measured by {self.owner[measurement.id].experiment} "
                        f"and by {record.experiment}",
                        expected="one experiment an id",
                    )
                self.measurements[measurement.id] = measurement
                self.owner[measurement.id] = record
        self._beginnings = {
            ".".join(parts[:n])
            for parts in (i.split(".") for i in [*self.measurements, *self._absent, *self._other_names()])
            for n in range(1, len(parts) + 1)
        }

    @property
    def is_partial(self) -> bool:
        """Whether records may be missing."""
        return bool(self._absent)

    def names(self) -> dict[str, Namespace]:
        """The first words of all references, for a template's globals."""
        roots = {name.split(".")[0] for name in (*self.measurements, *self._absent)}
        spaces = {root: Namespace(root, self, self._measured) for root in sorted(roots)}
        of_others = {root: Namespace(root, self, pick) for root, pick in self._others.items()}
        return {**spaces, **of_others}

    def find(self, name: str) -> Number | None:
        """The number that a whole reference names."""
        return self._others.get(name.partition(".")[0], self._measured)(name)

    @property
    def _others(self) -> Mapping[str, Callable[[str], Number | None]]:
        """The first words of references to what no experiment measures, and what finds their numbers."""
        return {"parameters": self._parameter, "confirmed": self._of_fresh_seeds}

    def begins(self, name: str) -> bool:
        """Whether some reference is `name` or starts with it."""
        return name in self._beginnings

    def unknown(self, name: str) -> UnknownReference:
        """The error for a reference that no record answers."""
        known = [*self.measurements, *self._other_names()]
        close = (
            difflib.get_close_matches(name, known, n=3)
            or [k for k in known if k.startswith(name.rpartition(".")[0] + ".")][:3]
        )
        return UnknownReference(
            name,
            f"no record has {name}",
            expected=f"did you mean {', '.join(close)}?"
            if close
            else "the id of a measurement in build/records",
            mend="correct the reference; or, where an experiment measures it and its record is missing, "
            "run: nox -s build",
        )

    def _measured(self, name: str) -> Number | None:
        found = self.measurements.get(name)
        if found is None:
            return Absent() if name in self._absent else None
        return Number.of(found)

    def _parameter(self, name: str) -> Number | None:
        """`parameters.experiment.key`; of a list, `.count` of what it holds, and `.first`, `.last`."""
        parts = name.split(".")
        if len(parts) not in (3, 4) or parts[1] not in self._chosen:
            return None
        value = self._chosen[parts[1]].get(parts[2])
        if len(parts) == 4:
            if not isinstance(value, list | tuple) or not value:
                return None
            value = {"count": len(value), "first": value[0], "last": value[-1]}.get(parts[3])
        if not isinstance(value, bool | int | float | str):
            return None
        return Number(value, (), "parameter", ".6g" if isinstance(value, float) else "")

    def _of_fresh_seeds(self, name: str) -> Number | None:
        """`confirmed.CLAIM.held`: how many fresh seeds bear a claim out; see `_OF_FRESH_SEEDS`."""
        claim, _, what = name.removeprefix("confirmed.").rpartition(".")
        found = self.confirmed.get(claim)
        if found is None or what not in _OF_FRESH_SEEDS:
            return None
        if not (found.of or found.silent) and not self.is_partial:
            raise MeasuredError(
                f"no fresh seed of the claim {claim} has been asked, and the page says how many hold",
                mend="nox -s confirm",
            )
        return Number(_OF_FRESH_SEEDS[what](found), (), "confirmed", "")

    def _other_names(self) -> Iterator[str]:
        """The references that name no measurement."""
        for experiment, parameters in self._chosen.items():
            yield from (f"parameters.{experiment}.{key}" for key in parameters)
        yield from (f"confirmed.{claim}.{what}" for claim in self.confirmed for what in _OF_FRESH_SEEDS)


# What a page may say of the fresh seeds of a claim.
_OF_FRESH_SEEDS: Mapping[str, Callable[[Confirmed], int]] = {
    "held": lambda fresh: len(fresh.held),
    "missed": lambda fresh: len(fresh.missed),
    "of": lambda fresh: fresh.of,
    "silent": lambda fresh: len(fresh.silent),
}
