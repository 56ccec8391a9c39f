"""Stored regressions: the committed expectation of each measurement, one YAML file an experiment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from measured import fast_yaml
from measured.errors import MeasuredError
from measured.terms.measurement import AtLeast, AtMost, Measurement, Tolerance, Value, tolerance_from_dict


@dataclass(frozen=True)
class Expectation:
    """What a measurement is expected to be.

    Args:
        id: the measurement's.
        value: the accepted one; for a one-sided tolerance the bound, since its digits mean nothing.
        tolerance: the accepted policy, so that a loosened one is drift too.
        standard_error: over seeds, as accepted; None where there was none.
    """

    id: str
    value: Value
    tolerance: Tolerance
    standard_error: float | None = None

    @classmethod
    def of(cls, measurement: Measurement) -> Expectation:
        """What to expect from now on, given what was measured."""
        one_sided = isinstance(measurement.tolerance, AtMost | AtLeast)
        value = measurement.tolerance.bound if one_sided else measurement.value
        return cls(measurement.id, value, measurement.tolerance, measurement.standard_error)

    def allowed(self) -> str:
        """What would be let pass, in words."""
        return self.tolerance.allowed(self.value, self.standard_error)

    def width(self) -> float | None:
        """The distance at which drift begins, where there is one."""
        return self.tolerance.width(self.value, self.standard_error)

    def accepts(self, value: Value) -> bool:
        """Whether a measured value passes."""
        return self.tolerance.allows(value, self.value, self.standard_error)

    def as_dict(self) -> dict[str, Any]:
        """As plain data, for the stored file."""
        data: dict[str, Any] = {"value": self.value, "tolerance": self.tolerance.as_dict()}
        return data if self.standard_error is None else {**data, "standard_error": self.standard_error}


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
        data = fast_yaml.load(path.read_text(encoding="utf-8"))
        return {
            name: Expectation(
                name, entry["value"], tolerance_from_dict(entry["tolerance"]), entry.get("standard_error")
            )
            for name, entry in data.items()
        }
    except MeasuredError as error:
        raise MeasuredError(error.problem, path=path, expected=error.expected) from error
    except (OSError, yaml.YAMLError, KeyError, TypeError, AttributeError) as error:
        raise MeasuredError(
            f"the stored file cannot be read: {error}",
            path=path,
            expected="what `nox -s accept` writes",
            mend="restore it from version control, or run: nox -s accept",
        ) from error


def read_all(folder: Path) -> dict[str, dict[str, Expectation]]:
    """All stored files of a folder, by experiment."""
    return {path.stem: read_expectations(path) for path in sorted(folder.glob("*.yml"))}
