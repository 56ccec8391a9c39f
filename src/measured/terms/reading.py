"""What a claim's predicate reads of an experiment's findings, found by letting it read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from measured.terms.claims import Claim
from measured.terms.experiment import Findings
from measured.terms.measurement import Measurement
from measured.terms.record import Record

_OF_SAMPLES = ("samples", "spread", "standard_error")


@dataclass(frozen=True)
class Reading:
    """What a predicate looked at.

    Args:
        values: ids of the measurements whose value it read.
        samples: ids of those whose samples over seeds it read, or what follows from them.
        arrays: names of the arrays.
    """

    values: set[str] = field(default_factory=set)
    samples: set[str] = field(default_factory=set)
    arrays: set[str] = field(default_factory=set)

    @property
    def measurements(self) -> set[str]:
        """The measurements that it read in either way."""
        return self.values | self.samples

    @property
    def names(self) -> set[str]:
        """All that it read: measurements and arrays."""
        return self.measurements | self.arrays


def findings_of(record: Record) -> Findings:
    """The findings that a record was made from."""
    return Findings(tuple(record.measurements.values()), record.arrays, tuple(record.tables.values()))


def read_by(claim: Claim, findings: Findings) -> Reading:
    """What the predicate reads of these findings; whatever it read before it raised, if it raises."""
    watched, reading = watching(findings)
    try:
        claim.predicate(watched)
    except Exception:  # noqa: BLE001 - that a predicate raises is told by its verdict
        return reading
    return reading


def watching(findings: Findings) -> tuple[Findings, Reading]:
    """The same findings, and what is read of them from now on."""
    reading = Reading()
    watched = tuple(_watched(m, reading) for m in findings.measurements)
    return replace(findings, measurements=watched, arrays=_Arrays(findings.arrays, reading)), reading


def _watched(measurement: Measurement, reading: Reading) -> Measurement:
    copy = object.__new__(_Watched)
    copy.__dict__.update(measurement.__dict__, _reading=reading)
    return copy


class _Watched(Measurement):
    """A measurement that notes when its value or its samples are looked at."""

    def __getattribute__(self, name: str) -> Any:
        fields = super().__getattribute__("__dict__")
        if name == "value" or name in _OF_SAMPLES:
            noted = fields["_reading"].values if name == "value" else fields["_reading"].samples
            noted.add(fields["id"])
        return super().__getattribute__(name)


class _Arrays(Mapping[str, np.ndarray]):
    """Arrays that note which of them are looked at."""

    def __init__(self, arrays: Mapping[str, np.ndarray], reading: Reading) -> None:
        self._arrays, self._reading = arrays, reading

    def __getitem__(self, name: str) -> np.ndarray:
        found = self._arrays[name]
        self._reading.arrays.add(name)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)
