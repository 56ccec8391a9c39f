"""Stored regressions: the committed expectation of each measurement, one YAML file an experiment.

Beside them one file says on which class of CPU the values of trained models were looked at.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from measured import archives, fast_yaml, files
from measured.errors import MeasuredError
from measured.terms.measurement import (
    AtLeast,
    AtMost,
    Exact,
    Measurement,
    Spread,
    Tolerance,
    Value,
    tolerance_from_dict,
)

CLASSES = "cpu.json"


@dataclass(frozen=True)
class Expectation:
    """What a measurement is expected to be.

    Args:
        id: the measurement's.
        value: the accepted one; for a one-sided tolerance the bound, since its digits mean nothing.
        tolerance: the accepted policy, so that a loosened one is drift too.
        standard_error: over seeds, as accepted; None where there was none.
        within: how far the value may move, where a claim bears less drift than the tolerance allows.
        samples: what each seed gave, kept where a claim decides on it.
        samples_within: how far each sample may move; None where no claim reads them.
    """

    id: str
    value: Value
    tolerance: Tolerance
    standard_error: float | None = None
    within: float | None = None
    samples: tuple[float, ...] = ()
    samples_within: float | None = None

    @classmethod
    def of(
        cls, measurement: Measurement, within: float | None = None, samples_within: float | None = None
    ) -> Expectation:
        """What to expect from now on, given what was measured and how much drift the claims bear."""
        kept = () if samples_within is None else measurement.samples
        return cls(
            measurement.id,
            _center(measurement.tolerance, measurement.value),
            measurement.tolerance,
            measurement.standard_error,
            within,
            kept,
            samples_within,
        )

    def under(self, measurement: Measurement) -> Expectation:
        """The value that was last looked at, under the policy that the measurement has now."""
        if isinstance(self.value, str) != isinstance(measurement.value, str):
            return replace(self, tolerance=Exact("text and numbers are never alike"), within=None)
        if measurement.tolerance == self.tolerance:
            return self
        both_spread = isinstance(self.tolerance, Spread) and isinstance(measurement.tolerance, Spread)
        error = self.standard_error if both_spread else measurement.standard_error
        looked_at = measurement.value if isinstance(self.tolerance, AtMost | AtLeast) else self.value
        value = _center(measurement.tolerance, looked_at)
        return replace(self, value=value, tolerance=measurement.tolerance, standard_error=error, within=None)

    def keeps(self, measurement: Measurement) -> bool:
        """Whether the value that was last looked at stays the stored one, given what was measured."""
        return self.under(measurement).accepts(measurement.value)

    def keeps_samples(self, measurement: Measurement) -> bool:
        """Whether the samples that were last looked at stay the stored ones."""
        pairs = zip(measurement.samples, self.samples, strict=False)
        whole = self.samples_within is not None and len(self.samples) == len(measurement.samples)
        return whole and all(self.accepts_sample(new, old) for new, old in pairs)

    def allowed(self) -> str:
        """What would be let pass, in words."""
        if self.within is not None:
            return f"{self.value!r} ± {self.within:.3g}, half of what a claim on it bears"
        return self.tolerance.allowed(self.value, self.standard_error)

    def width(self) -> float | None:
        """The distance at which drift begins, where there is one."""
        return self.tolerance.width(self.value, self.standard_error) if self.within is None else self.within

    def ends(self) -> tuple[float, float]:
        """The smallest and the largest number that would be let pass."""
        if self.within is not None:
            return self.value - self.within, self.value + self.within
        return self.tolerance.ends(self.value, self.standard_error)

    def accepts(self, value: Value) -> bool:
        """Whether a measured value passes."""
        near = self.within is None or value == self.value or abs(value - self.value) <= self.within
        return near and self.tolerance.allows(value, self.value, self.standard_error)

    def accepts_sample(self, sample: float, stored: float) -> bool:
        """Whether one seed's value passes; where no claim reads samples, any does."""
        if self.samples_within is None or sample == stored:
            return True
        return abs(sample - stored) <= self.samples_within

    def as_dict(self) -> dict[str, Any]:
        """As plain data, for the stored file."""
        data: dict[str, Any] = {"value": self.value, "tolerance": self.tolerance.as_dict()}
        if self.standard_error is not None:
            data["standard_error"] = self.standard_error
        if self.within is not None:
            data["within"] = self.within
        if self.samples_within is not None:
            data |= {"samples": list(self.samples), "samples_within": self.samples_within}
        return data

    @classmethod
    def from_dict(cls, name: str, data: Any) -> Expectation:
        """The inverse of `as_dict`.

        Raises:
            MeasuredError: something is missing, or of another kind than the tolerance needs; names the id.
        """
        if not isinstance(data, Mapping):
            raise MeasuredError(f"{name} is {data!r}", expected="its value and its tolerance")
        missing = [key for key in ("value", "tolerance") if key not in data]
        if missing:
            raise MeasuredError(f"{name} has no {' and no '.join(missing)}")
        try:
            tolerance = tolerance_from_dict(data["tolerance"])
        except MeasuredError as error:
            raise MeasuredError(f"{name}: {error.problem}", expected=error.expected) from error
        value = data["value"]
        fits = (
            isinstance(value, bool | int | float | str) if isinstance(tolerance, Exact) else _is_number(value)
        )
        if not fits:
            kind = "a number, truth value or text" if isinstance(tolerance, Exact) else "a number"
            raise MeasuredError(
                f"{name}: its value is {value!r}", expected=f"{kind}, as its tolerance asks for"
            )
        for key in ("standard_error", "within", "samples_within"):
            if data.get(key) is not None and not _is_number(data[key]):
                raise MeasuredError(f"{name}: its {key} is {data[key]!r}", expected="a number")
        samples = data.get("samples", ())
        if not isinstance(samples, list | tuple) or not all(map(_is_number, samples)):
            raise MeasuredError(f"{name}: its samples are {str(samples)[:60]}", expected="a list of numbers")
        return cls(
            name,
            value,
            tolerance,
            data.get("standard_error"),
            data.get("within"),
            tuple(map(float, samples)),
            data.get("samples_within"),
        )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _center(tolerance: Tolerance, value: Value) -> Value:
    return tolerance.bound if isinstance(tolerance, AtMost | AtLeast) else value


def dump(expectations: Mapping[str, Expectation]) -> str:
    """The text of a stored file."""
    data = {name: expectation.as_dict() for name, expectation in expectations.items()}
    return fast_yaml.dump(data)


def read_expectations(path: Path) -> dict[str, Expectation]:
    """Read a stored file.

    Raises:
        MeasuredError: it cannot be read, or is not one.
    """
    text = files.read_text(path)
    try:
        data = fast_yaml.load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = f"the stored file is no YAML: {getattr(error, 'problem', None) or error}"
        raise _unreadable(path, problem, mark.line + 1 if mark else None) from error
    if not isinstance(data, dict):
        raise _unreadable(path, f"the stored file holds {str(data)[:60] if data else 'nothing'}")
    found = {}
    for name, entry in data.items():
        try:
            found[str(name)] = Expectation.from_dict(str(name), entry)
        except MeasuredError as error:
            line = next((n for n, row in enumerate(text.splitlines(), 1) if row.startswith(f"{name}:")), None)
            raise _unreadable(path, error.problem, line, error.expected) from error
    return found


def read_classes(folder: Path) -> dict[str, str]:
    """The class of CPU on which stored values were looked at, by experiment; of those that train.

    Raises:
        MeasuredError: the file cannot be read, or is not one.
    """
    path = folder / CLASSES
    if not path.exists():
        return {}
    found = archives.read_json(path)
    if not isinstance(found, dict) or not all(isinstance(known, str) for known in found.values()):
        raise _unreadable(path, f"the file of classes holds {str(found)[:60]}")
    return found


def _unreadable(path: Path, problem: str, line: int | None = None, expected: str = "") -> MeasuredError:
    return MeasuredError(
        problem,
        path=path,
        line=line,
        expected=expected or "what `nox -s accept` writes: of each measurement its value and its tolerance",
        mend="restore the file from version control; or remove it, look at the values, then: nox -s accept",
    )


def read_all(folder: Path) -> dict[str, dict[str, Expectation]]:
    """All stored files of a folder, by experiment."""
    return {path.stem: read_expectations(path) for path in sorted(folder.glob("*.yml"))}
