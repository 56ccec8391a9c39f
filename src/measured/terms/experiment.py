"""What an experiment is: a function that measures, its parameters beside it, its long runs apart."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from measured.errors import MeasuredError
from measured.names import checked
from measured.terms.measurement import Measurement
from measured.terms.names import refuse_shared
from measured.terms.scope import Scope

Arrays = Mapping[str, np.ndarray]


@dataclass(frozen=True)
class Cell:
    """A reference inside a table: the measurement's id, and a format of its own if it needs one."""

    id: str
    format: str | None = None


@dataclass(frozen=True)
class Table:
    """A table of measurements: it holds ids, never values, so that it cannot disagree with them.

    Args:
        name: dotted name, `experiment.what`; a page shows it with `{{ table("experiment.what") }}`.
        columns: the headings, the first one that of the row labels.
        rows: for each row its label, then a `Cell` or plain text for each further column.
    """

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str | Cell, ...], ...]

    def __post_init__(self) -> None:
        checked(self.name, "a table")
        for row in self.rows:
            if len(row) != len(self.columns):
                raise MeasuredError(
                    f"table {self.name}: row {row[:1]!r} has {len(row)} cells for {len(self.columns)} columns"
                )


@dataclass(frozen=True)
class Findings:
    """What one experiment found.

    Args:
        measurements: the numbers, in the order in which people should read them.
        arrays: data behind figures and claims, by name; saved as one `.npz`.
        tables: tables over the measurements.
    """

    measurements: tuple[Measurement, ...]
    arrays: Arrays = field(default_factory=dict)
    tables: tuple[Table, ...] = ()

    @cached_property
    def _by_id(self) -> dict[str, Measurement]:
        return {m.id: m for m in self.measurements}

    def but(self, measurements: Iterable[Measurement]) -> Findings:
        """The same findings, with these measurements in the place of those of the same ids."""
        by_id = self._by_id | {m.id: m for m in measurements}
        other = Findings(tuple(by_id.values()), self.arrays, self.tables)
        other.__dict__["_by_id"] = by_id  # known already, and asked of thousands of worlds
        return other

    def found(self, ids: Iterable[str]) -> Iterator[Measurement]:
        """The measurements of these ids, as far as there are any, in their order."""
        return (self._by_id[name] for name in ids if name in self._by_id)

    def __getitem__(self, name: str) -> Any:
        """The value of the measurement of that id; a KeyError names what there is."""
        if name not in self._by_id:
            raise KeyError(f"no measurement {name} among {', '.join(self._by_id)}")
        return self._by_id[name].value


@dataclass(frozen=True)
class Run:
    """One long run (a training, say) as a task of its own, so that another seed costs one more run.

    Args:
        name: unique within the experiment: `blocks1.seed0`.
        function: called with the parameters; returns arrays by name (scalars become 0-d arrays).
            It lives in a module apart from the analysis: editing the analysis then repeats no run.
        parameters: keyword arguments, plain data.
        seconds: the time budget in wall-clock seconds; a run over it fails and is tried again next time.
        quick: what `--quick` changes in the parameters.
        in_quick: whether `--quick` makes this run at all.
    """

    name: str
    function: Callable[..., Arrays]
    parameters: Mapping[str, Any]
    seconds: float = 600.0
    quick: Mapping[str, Any] = field(default_factory=dict)
    in_quick: bool = True

    @classmethod
    def over_seeds(
        cls,
        name: str,
        function: Callable[..., Arrays],
        parameters: Mapping[str, Any],
        seeds: Iterable[int],
        *,
        quick_seeds: Iterable[int] = (),
        **more: Any,
    ) -> tuple[Run, ...]:
        """The same run from several seeds, `name.seed0` and so on.

        Args:
            name: of the runs, without their seed.
            function: see `Run`; is also called with `seed=`.
            parameters: see `Run`.
            seeds: one run each.
            quick_seeds: those of them that `--quick` makes too.
            more: see `Run`.
        """
        quick = set(quick_seeds)
        return tuple(
            cls(f"{name}.seed{seed}", function, {**parameters, "seed": seed}, in_quick=seed in quick, **more)
            for seed in seeds
        )

    def settings(self, quick: bool) -> dict[str, Any]:
        """The parameters in force."""
        return {**self.parameters, **(self.quick if quick else {})}


@dataclass(frozen=True)
class Experiment:
    """One question put to the subject.

    Args:
        name: a word; the measurements' ids start with it or with one of `prefixes`.
        question: what it asks, in one sentence, for people.
        measure: called with the parameters, and with `runs=` (arrays by run name) where there are runs.
        parameters: keyword arguments, seeds included, plain data.
        quick: what `--quick` changes in the parameters, for authors who wait.
        runs: the long runs whose results `measure` sums up.
        prefixes: further first words of ids that this experiment measures.
        seconds: time budget in wall-clock seconds of `measure` itself.
        claims: sentences that rest on this experiment, by id (see `measured.terms.claims`).
        scopes: under which conditions measurements were made, by a pattern of their ids (`scale.grid.*`); the
            first that fits. Those of trained models need one.
        studies: trainings too long for a build, whose stored outcomes `measure` reads.
    """

    name: str
    question: str
    measure: Callable[..., Findings]
    parameters: Mapping[str, Any]
    quick: Mapping[str, Any] = field(default_factory=dict)
    runs: tuple[Run, ...] = ()
    prefixes: tuple[str, ...] = ()
    seconds: float = 600.0
    claims: tuple[Any, ...] = ()
    scopes: Mapping[str, Scope] = field(default_factory=dict)
    studies: tuple[Any, ...] = ()

    def __post_init__(self) -> None:
        for name, what in ((self.name, "an experiment"), *((run.name, "a run") for run in self.runs)):
            checked(name, what)
        refuse_shared(((run.name, f"experiment {self.name}") for run in self.runs), "run")
        refuse_shared(((claim.id, f"experiment {self.name}") for claim in self.claims), "claim")

    def settings(self, quick: bool) -> dict[str, Any]:
        """The parameters in force."""
        return {**self.parameters, **(self.quick if quick else {})}

    def runs_in(self, quick: bool) -> tuple[Run, ...]:
        """The runs that this mode makes."""
        return tuple(run for run in self.runs if run.in_quick or not quick)

    def check(self, findings: Findings) -> None:
        """Refuse findings that no page could refer to without doubt.

        Raises:
            MeasuredError: no measurement, one id twice, an id of another experiment, an id that is the
                beginning of another, a table over an unknown id.
        """
        ids = [m.id for m in findings.measurements]
        if not ids:
            raise MeasuredError(
                f"experiment {self.name} measured nothing", expected="at least one measurement"
            )
        owner = f"experiment {self.name}"
        refuse_shared(((name, owner) for name in ids), "measurement")
        refuse_shared(((table.name, owner) for table in findings.tables), "table")
        twice = sorted({claim.id for claim in self.claims} & set(ids))
        if twice:
            raise MeasuredError(f"experiment {self.name} calls a claim and a measurement {', '.join(twice)}")
        for name in ids:
            if name.split(".")[0] not in (self.name, *self.prefixes):
                raise MeasuredError(
                    f"experiment {self.name} measures {name}",
                    expected=f"an id that starts with {' or '.join((self.name, *self.prefixes))}",
                )
            if any(other.startswith(name + ".") for other in ids):
                raise MeasuredError(f"{name} is a measurement and the beginning of another one's id")
        for table in findings.tables:
            for cell in (c for row in table.rows for c in row if isinstance(c, Cell)):
                if cell.id not in ids:
                    raise MeasuredError(
                        f"table {table.name} refers to {cell.id}, which {self.name} does not measure"
                    )
