"""What a project makes from its code: runs, records, figures; each says what it is made from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from measured.archives import read_sealed
from measured.errors import MeasuredError
from measured.files import sha256
from measured.making import environment, running
from measured.making.fingerprint import Fingerprint, Sources, digest, hash_of_file, of_functions, plain_json
from measured.making.vouchers import TAKEN, Voucher
from measured.project import Project
from measured.terms.drawing import Plot
from measured.terms.experiment import Experiment, Run
from measured.terms.record import read_record, read_vouched

# The engine's modules that can move a number: they run in the worker, or say how it is set up.
_WORKING = ("measured.making.environment", "measured.making.running", "measured.making.work")
_JUDGING = ("measured.terms.audit", "measured.terms.record")
_DRAWING = ("measured.making.figures", "measured.terms.drawing")


@dataclass(frozen=True)
class RunProduct:
    """One long run's arrays."""

    project: Project
    experiment: Experiment
    run: Run
    sources: Sources

    @property
    def name(self) -> str:
        """As people see it."""
        return f"{self.experiment.name}/{self.run.name}"

    @property
    def files(self) -> tuple[Path, ...]:
        """What it leaves."""
        return running.run_paths(self.project, self.experiment, self.run)

    def inputs(self) -> Fingerprint:
        """The function, all that it imports, its parameters, and how the process is set up."""
        return self._inputs

    @cached_property
    def _inputs(self) -> Fingerprint:
        return inputs_of_run(self.project, self.sources, self.run)

    def found(self) -> Fingerprint | None:
        """What the stored arrays were made from."""
        arrays, voucher = self.files
        if not voucher.exists():
            return None
        fingerprint, sha = running.read_voucher(self.project, self.experiment, self.run)
        read_vouched(arrays, sha)
        return fingerprint

    def voucher(self) -> Voucher | None:
        """What vouches for the stored arrays; None where there are none, or a damaged one."""
        try:
            return Voucher.read(self.files[1])
        except MeasuredError:
            return None

    @property
    def taken(self) -> bool:
        """Whether the stored arrays were made elsewhere and taken over."""
        path = self.files[1]
        if not path.exists() or TAKEN not in path.read_bytes():
            return False  # to take each of hundreds of vouchers apart takes longer
        voucher = self.voucher()
        return voucher is not None and voucher.taken

    def identity(self) -> str:
        """What the stored arrays were made from, and what they are, as one hash; empty if there are none."""
        try:
            fingerprint, sha = running.read_voucher(self.project, self.experiment, self.run)
        except MeasuredError:
            return ""
        return digest({**fingerprint, "arrays": sha})


@dataclass(frozen=True)
class RecordProduct:
    """One experiment's record."""

    project: Project
    experiment: Experiment
    runs: tuple[RunProduct, ...]
    sources: Sources

    @property
    def name(self) -> str:
        """As people see it."""
        return self.experiment.name

    @property
    def files(self) -> tuple[Path, ...]:
        """What it leaves."""
        path = self.project.records / f"{self.experiment.name}.json"
        return path, path.with_suffix(".npz")

    @property
    def mark(self) -> Path:
        """Stands beside a record that was taken over, and holds its hash: the record stays as it was."""
        return self.files[0].with_suffix(".taken")

    @property
    def taken(self) -> bool:
        """Whether the stored record was measured elsewhere and taken over."""
        try:
            return self.mark.read_bytes() == sha256(self.files[0].read_bytes()).encode()
        except OSError:
            return False

    def identity(self) -> str:
        """What the stored record is, as one hash; empty if there is none."""
        path = self.files[0]
        return sha256(path.read_bytes()) if path.exists() else ""

    def inputs(self) -> Fingerprint:
        """The measuring function and the claims' predicates, what they import, and the runs as they are."""
        return self._own_inputs | {f"run {run.run.name}": run.identity() for run in self.runs}

    @cached_property
    def _own_inputs(self) -> Fingerprint:
        experiment = self.experiment
        called = [experiment.measure, *(claim for claim in experiment.claims)]
        settings = experiment.settings(self.project.quick)
        parts = _of_work(
            self.project, self.sources, called, settings, (*_WORKING, *self.sources.closure(_JUDGING))
        )
        said = [experiment.question, experiment.prefixes, [[c.id, c.words] for c in experiment.claims]]
        return {**parts, "declaration": sha256(plain_json({"said": said}).encode())}

    def found(self) -> Fingerprint | None:
        """What the stored record was made from."""
        path, _ = self.files
        if not path.exists():
            return None
        record = read_record(path)
        len(record.arrays)  # reads them, and compares them with their hash
        if record.mode != self.project.mode:
            raise MeasuredError(f"it is a {record.mode} record", path=path)
        return dict(record.fingerprint)


@dataclass(frozen=True)
class FigureProduct:
    """One figure, in all its forms."""

    project: Project
    plot: Plot
    sources: Sources

    @property
    def name(self) -> str:
        """As people see it."""
        return f"figure {self.plot.name}"

    @property
    def files(self) -> tuple[Path, ...]:
        """What it leaves; the first vouches for the others."""
        stem = self.project.drawings / self.plot.name
        return tuple(
            Path(f"{stem}{end}")
            for end in (".json", ".svg", ".narrow.svg", ".light.svg", ".dark.svg", ".csv")
        )

    def inputs(self) -> Fingerprint:
        """The drawing function, all that it imports, the palette, and the records as they are."""
        parts = dict(self._own_inputs)
        palette = self.project.palette or "of the engine"
        parts[f"file {palette}"] = hash_of_file(self.project.palette_file)
        for name in self.plot.records:
            parts[f"record {name}"] = hash_of_file(self.project.records / f"{name}.json")
        return parts

    @cached_property
    def _own_inputs(self) -> Fingerprint:
        return _of_work(self.project, self.sources, [self.plot.draw], {}, (*_WORKING, *_DRAWING))

    def found(self) -> Fingerprint | None:
        """What the stored figure was made from."""
        voucher, *others = self.files
        if not all(path.exists() for path in self.files):
            return None
        try:
            data = read_sealed(voucher)
            changed = [p for p in others if sha256(p.read_bytes()) != data["files"][p.name]]
            fingerprint = dict(data["fingerprint"])
        except MeasuredError as error:
            raise MeasuredError(f"its voucher {error.problem}", path=voucher) from error
        except (ValueError, KeyError, TypeError, OSError) as error:
            raise MeasuredError("its files are not whole", path=voucher) from error
        if changed:
            raise MeasuredError("changed by hand", path=changed[0])
        return fingerprint


def inputs_of_run(project: Project, sources: Sources, run: Run) -> Fingerprint:
    """What a run of an experiment or of a trial is made from, as far as it is known before the work."""
    return _of_work(project, sources, [run.function], run.settings(project.quick), _WORKING)


def _of_work(project: Project, sources: Sources, called, parameters, engine: tuple[str, ...]) -> Fingerprint:
    parts = of_functions(called, parameters, sources=sources, distributions=project.versions, also=engine)
    return {**parts, "settings": sha256(environment.settings_in_words().encode())}
