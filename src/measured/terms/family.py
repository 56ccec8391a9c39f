"""Families: measurements of one kind, declared once at the top of an experiment.

    MAX_WEIGHT = Family(
        "scale.max_weight.{way}.d{d}", "mean largest weight of a row, {way}, d_k = {d}", SAMPLED, ".3f"
    )

    MAX_WEIGHT.of(rows.mean(), way="unscaled", d=4)           one measurement
    MAX_WEIGHT.each(means, way=WAYS, d=widths)                 one for each element of an array
    MAX_WEIGHT.over_seeds(accuracies, seeds, way="scaled")     one from the samples of several seeds
    MAX_WEIGHT.values(findings, way="unscaled")                values by id, in order, for a claim
    table("scale.max_weight", "d_k", rows("d", widths), {w: MAX_WEIGHT.at(way=w) for w in WAYS})

The line that declares a family is the line that a reader of one of its numbers is led to. So the id is
written out, as a literal, and no two families have the same one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import product
from string import Formatter
from types import MappingProxyType
from typing import Any

import numpy as np

from measured.errors import MeasuredError
from measured.terms.experiment import Cell, Findings, Table
from measured.terms.measurement import Measurement, Tolerance, Value
from measured.terms.statistics import STATISTICS


@dataclass(frozen=True)
class Family:
    """Measurements that differ only in what fills the holes of their id.

    Args:
        id: dotted name with holes, `scale.max_weight.{way}.d{d}`; without any, a family of one.
        words: what is measured; may name the holes, and whatever else `of` is given.
        tolerance: how far each may drift, with the reason.
        format: Python format specification of the display; empty for text, counts and truth values.
        unit: shown beside the value; empty for pure numbers; may name holes as the words do.
        statistic: what a value is of the samples of several seeds, one of `measured.terms.statistics`.
        labels: for a hole, what its values are called in the words: `{"way": {"pre": "in front"}}`.
        filled: holes that are filled already, see `at`.

    Raises:
        MeasuredError: a hole without a name, or a statistic that nobody knows.
    """

    id: str
    words: str
    tolerance: Tolerance
    format: str = ""
    unit: str = ""
    statistic: str = "mean"
    labels: Mapping[str, Mapping[Any, str]] = field(default_factory=dict)
    filled: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not all(re.fullmatch("[a-z][a-z0-9_]*", hole) for hole in self.holes):
            raise MeasuredError(
                f"family {self.id} has a hole without a plain name", expected="holes such as {way}"
            )
        if self.statistic not in STATISTICS:
            raise MeasuredError(
                f"family {self.id} has the statistic {self.statistic!r}",
                expected=f"one of {', '.join(STATISTICS)}",
            )

    @property
    def holes(self) -> tuple[str, ...]:
        """The names of all holes, in the order of the id."""
        return tuple(hole for _, hole in _parts_of(self.id) if hole is not None)

    @property
    def open(self) -> tuple[str, ...]:
        """The holes that are not filled yet."""
        return tuple(hole for hole in self.holes if hole not in self.filled)

    def at(self, **holes: Any) -> Family:
        """The part of the family that has these holes filled."""
        self._refuse_unknown(holes)
        return replace(self, filled={**self.filled, **holes})

    def id_of(self, **holes: Any) -> str:
        """The id of the member with these holes.

        Raises:
            MeasuredError: a hole stays open, or there is none of that name.
        """
        self._refuse_unknown(holes)
        filled = {**self.filled, **holes}
        missing = [hole for hole in self.holes if hole not in filled]
        if missing:
            raise MeasuredError(f"family {self.id}: nothing fills {', '.join(missing)}")
        return self.id.format(**filled)

    def cell(self, format: str | None = None, **holes: Any) -> Cell:
        """The member with these holes, as a cell of a table."""
        return Cell(self.id_of(**holes), format)

    def of(
        self,
        value: Any,
        *,
        seeds: Iterable[int] = (),
        samples: Iterable[float] = (),
        format: str | None = None,
        **holes: Any,
    ) -> Measurement:
        """One measurement.

        Args:
            value: what was measured.
            seeds: whose runs it sums up.
            samples: the value that each of them gave.
            format: of its display, where the family's does not fit.
            holes: what fills the holes of the id, and what else the words name.

        Raises:
            MeasuredError: a hole that nothing fills, or a name that neither id nor words know.
        """
        filled = {**self.filled, **holes}
        texts = (self.words, self.unit)
        named = {name for text in texts for _, name, _, _ in Formatter().parse(text) if name}
        unknown = sorted(set(holes) - set(self.holes) - named)
        if unknown:
            raise MeasuredError(
                f"family {self.id}: neither its id nor its words name {', '.join(unknown)}",
                expected=f"some of {', '.join(sorted({*self.holes, *named}))}",
            )
        id_ = self.id_of(**{hole: filled[hole] for hole in self.holes if hole in filled})
        called = {name: self.labels.get(name, {}).get(value, value) for name, value in filled.items()}
        try:
            words, unit = (text.format(**called) for text in texts)
        except KeyError as error:
            raise MeasuredError(f"family {self.id}: its words name {error}, which was not given") from error
        return Measurement(
            id_,
            value,
            words,
            self.tolerance,
            self.format if format is None else format,
            unit,
            tuple(seeds),
            tuple(samples),
            self.statistic,
            self.id,
        )

    def over_seeds(self, samples: Iterable[float], seeds: Iterable[int], **holes: Any) -> Measurement:
        """One measurement from the samples of several seeds, by the family's own statistic."""
        kept = [float(sample) for sample in samples]
        value = float(STATISTICS[self.statistic].of(kept))
        return self.of(value, seeds=seeds, samples=kept, **holes)

    def each(self, values: Any, **domains: Iterable[Any]) -> Iterator[Measurement]:
        """One measurement for each element of an array.

        Args:
            values: with one axis for each of `domains`, in their order.
            domains: what a hole runs through along its axis; a single value or text has no axis.

        Raises:
            MeasuredError: the array's shape is another one.
        """
        runs = {name: list(d) for name, d in domains.items() if not isinstance(d, str | int | float)}
        fixed = {name: d for name, d in domains.items() if name not in runs}
        array = np.asarray(values)
        expected = tuple(map(len, runs.values()))
        if array.shape != expected:
            raise MeasuredError(f"family {self.id}: an array of shape {array.shape}", expected=str(expected))
        for index, filled in zip(np.ndindex(expected), product(*runs.values()), strict=True):
            yield self.of(array[index], **dict(zip(runs, filled, strict=True)), **fixed)

    def holes_of(self, id_: str) -> dict[str, str] | None:
        """What fills the holes in this id, as text; None if it is of another family."""
        found = _filled_in(self.id, id_)
        return None if found is None else dict(found)

    def members(self, findings: Findings, **holes: Any) -> dict[str, Measurement]:
        """The family's measurements among the findings.

        Args:
            findings: of the experiment.
            holes: what fills a hole, or a list of what may; a list also gives the order.

        Returns:
            By id, in the order in which they were measured. Never none of them: of nothing, anything is true.

        Raises:
            MeasuredError: no member is among the findings, or none for a value that was asked for.
        """
        self._refuse_unknown(holes)
        asked = {h: [str(v) for v in _listed(value)] for h, value in {**self.filled, **holes}.items()}
        found = []
        for m in self._among(findings, asked):
            of = _filled_in(self.id, m.id) if m.family in (self.id, "") else None
            if of is not None and all(of[h] in values for h, values in asked.items()):
                found.append(([values.index(of[h]) for h, values in asked.items()], of, m))
        for hole, values in asked.items():
            absent = [value for value in values if value not in [of[hole] for _, of, _ in found]]
            if absent:
                raise MeasuredError(f"family {self.id}: nothing measured where {hole} is {absent[0]}")
        if not found:
            raise MeasuredError(f"family {self.id}: nothing measured")
        found.sort(key=lambda entry: entry[0])
        return {m.id: m for _, _, m in found}

    def _among(self, findings: Findings, asked: Mapping[str, Sequence[str]]) -> Iterable[Measurement]:
        """Where to look for members: where every hole is filled, their ids say which they are."""
        if len(asked) < len(self.holes):
            return findings.measurements
        texts = [
            [text] if hole is None else [text + v for v in asked[hole]] for text, hole in _parts_of(self.id)
        ]
        return findings.found("".join(parts) for parts in product(*texts))

    def values(self, findings: Findings, **holes: Any) -> dict[str, Value]:
        """The values of `members`, by id."""
        return {id_: m.value for id_, m in self.members(findings, **holes).items()}

    def value(self, findings: Findings, **holes: Any) -> Any:
        """The value of one member, all of whose holes are filled."""
        return findings[self.id_of(**holes)]

    def samples(self, findings: Findings, **holes: Any) -> dict[str, float]:
        """What each seed gave to each of `members`, by id and seed.

        Raises:
            MeasuredError: a member has no samples.
        """
        found = {}
        for id_, m in self.members(findings, **holes).items():
            if not m.samples:
                raise MeasuredError(f"measurement {m.id} has no samples")
            for seed, sample in zip(m.seeds, m.samples, strict=True):
                found[f"{id_}.seed{seed}"] = sample
        return found

    def _refuse_unknown(self, holes: Mapping[str, Any]) -> None:
        unknown = sorted(set(holes) - set(self.holes))
        if unknown:
            raise MeasuredError(
                f"family {self.id} has no hole {', '.join(unknown)}",
                expected=", ".join(self.holes) or "no hole at all",
            )


@lru_cache(maxsize=4096)
def _parts_of(id_: str) -> tuple[tuple[str, str | None], ...]:
    """The texts of a family's id, each with the name of the hole behind it; None behind the last."""
    return tuple((text, hole) for text, hole, _, _ in Formatter().parse(id_))


@lru_cache(maxsize=4096)
def _pattern_of(id_: str) -> re.Pattern[str]:
    parts = [
        re.escape(text) + (f"(?P<{hole}>[a-z0-9_]+)" if hole is not None else "")
        for text, hole in _parts_of(id_)
    ]
    return re.compile("".join(parts))


@lru_cache(maxsize=1 << 16)
def _filled_in(id_: str, member: str) -> Mapping[str, str] | None:
    """What fills the holes of a family's id in that of a member; asked of the same ids again and again."""
    found = _pattern_of(id_).fullmatch(member)
    return MappingProxyType(found.groupdict()) if found else None


def rows(hole: str, values: Iterable[Any] | Mapping[Any, str], form: str = "") -> dict[str, dict[str, Any]]:
    """The rows of a table, by label: one for each value of a hole.

    Args:
        hole: its name.
        values: what fills it; a mapping says what the row of each is called.
        form: format of the labels where `values` gives none.
    """
    labels = values if isinstance(values, Mapping) else {value: format(value, form) for value in values}
    return {label: {hole: value} for value, label in labels.items()}


def table(
    name: str, corner: str, rows: Mapping[str, Mapping[str, Any]], columns: Mapping[str, Family]
) -> Table:
    """A table over families.

    Args:
        name: dotted name of the table.
        corner: heading of the labels.
        rows: by label, what the row fills in; see `rows`.
        columns: by heading, a family whose other holes are filled (`at`). A column in which a row's hole does
            not occur has the same number in each row.
    """
    return Table(
        name,
        (corner, *columns),
        tuple(
            (
                label,
                *(
                    f.cell(**{hole: v for hole, v in filled.items() if hole in f.open})
                    for f in columns.values()
                ),
            )
            for label, filled in rows.items()
        ),
    )


def _listed(value: Any) -> Sequence[Any]:
    return list(value) if isinstance(value, list | tuple | set | range | Mapping | np.ndarray) else [value]
