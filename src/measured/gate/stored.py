"""Stored regressions: the committed expectation of each measurement, one YAML file an experiment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from measured import fast_yaml, files
from measured.errors import MeasuredError
from measured.terms.measurement import (
    AtLeast,
    AtMost,
    Measurement,
    Spread,
    Tolerance,
    Value,
    tolerance_from_dict,
)


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
    def from_dict(cls, name: str, data: Mapping[str, Any]) -> Expectation:
        """The inverse of `as_dict`."""
        return cls(
            name,
            data["value"],
            tolerance_from_dict(data["tolerance"]),
            data.get("standard_error"),
            data.get("within"),
            tuple(map(float, data.get("samples", ()))),
            data.get("samples_within"),
        )


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
    try:
        data = fast_yaml.load(files.read_text(path))
        return {name: Expectation.from_dict(name, entry) for name, entry in data.items()}
    except MeasuredError as error:
        raise MeasuredError(error.problem, path=path, line=error.line, expected=error.expected) from error
    except (yaml.YAMLError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise MeasuredError(
            f"the stored file cannot be read: {error}",
            path=path,
            expected="what `nox -s accept` writes",
            mend="restore it from version control, or run: nox -s accept",
        ) from error


def read_all(folder: Path) -> dict[str, dict[str, Expectation]]:
    """All stored files of a folder, by experiment."""
    return {path.stem: read_expectations(path) for path in sorted(folder.glob("*.yml"))}
