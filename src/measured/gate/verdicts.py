"""The gate: a verdict for every experiment, in this process, before anything is published.

It asks no test runner. Neither an option, an environment variable nor a file beside the stored values can
make it look at less than all that is declared, measured or stored. Contributors may also look through pytest
(see `drift_test`), which shows the same tables and decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from measured import files
from measured.counting import counted
from measured.errors import MeasuredError
from measured.gate import compare, margins
from measured.gate.compare import Drift
from measured.gate.stored import CLASSES, Expectation, read_all, read_classes
from measured.making import fingerprint
from measured.project import Project
from measured.terms import cpu
from measured.terms.experiment import Experiment
from measured.terms.record import Record

PASSED_BEFORE = "passed before with the same records and stored values"


@dataclass(frozen=True)
class ExperimentVerdict:
    """What became of one experiment at the gate.

    Args:
        experiment: its name.
        compared: how many measurements were held against a stored value.
        drift: what does not stand where it stood; empty where it passes.
        other_cpus: the class of CPU that its stored values are of, and the one that it was measured on, where
            they differ; in words.
    """

    experiment: str
    compared: int
    drift: tuple[Drift, ...]
    other_cpus: str = ""


def verdicts(project: Project) -> list[ExperimentVerdict]:
    """One verdict for everything that is declared, measured or stored.

    Raises:
        MeasuredError: a record or a stored file cannot be read, or there is nothing to compare.
    """
    records, stored = project.read_records(), read_all(project.stored)
    names = sorted({*project.declared, *records, *stored})
    if not names:
        raise MeasuredError(
            "the gate compared nothing",
            expected="at least one experiment; zero checks never pass",
            mend=f"list an experiment in {project.experiments}",
        )
    classes = read_classes(project.stored)
    return [
        verdict(
            name, project.declared.get(name), records.get(name), stored.get(name, {}), classes.get(name, "")
        )
        for name in names
    ]


def verdict(
    name: str,
    experiment: Experiment | None,
    record: Record | None,
    stored: dict[str, Expectation],
    stored_on: str = "",
) -> ExperimentVerdict:
    """That of one experiment; what is declared and not measured, or the other way round, does not pass.

    Args:
        name: the experiment's.
        experiment: as it is declared; None where nothing declares it.
        record: what it measured; None where it has not run.
        stored: what is expected.
        stored_on: the class of CPU on which that was looked at, where it is known.
    """
    if record is None:
        return ExperimentVerdict(name, 0, (_unmeasured(name, len(stored), experiment is not None),))
    trains = experiment is not None and bool(experiment.runs)
    another = trains and cpu.is_another(stored_on, record.environment)
    found = compare.compare(record, stored, another_cpu=another)
    if experiment is None:
        found.append(_undeclared(name, record))
    elif record.mode == "full" and not another:
        found += margins.drift(experiment.claims, record, stored)
    compared = len(record.measurements.keys() & stored.keys())
    told = f"stored on {stored_on}, measured on {cpu.class_of(record.environment)}" if another else ""
    return ExperimentVerdict(name, compared, tuple(found), told)


def pass_gate(project: Project) -> str:
    """Compare everything, unless the same records passed against the same stored values before.

    Returns:
        One line that says what was compared.

    Raises:
        MeasuredError: drift, each with id, stored, measured, allowed and why.
    """
    if passed(project):
        return PASSED_BEFORE
    stamp_of(project).unlink(missing_ok=True)
    found = verdicts(project)
    drifted = [v for v in found if v.drift]
    if drifted:
        raise MeasuredError(
            f"the gate found drift in {len(drifted)} of {counted(len(found), 'experiment')}; "
            "nothing was published\n\n" + tables(drifted),
            mend="mend what moved the values, or look at them with: nox -s accept",
        )
    files.write_text(stamp_of(project), _state(project))
    compared = counted(sum(v.compared for v in found), "value")
    return f"passed: {counted(len(found), 'experiment')}, {compared} compared{_other_cpus(found)}"


def tables(found: Iterable[ExperimentVerdict]) -> str:
    """The drift of each experiment as a table."""
    return "\n\n".join(
        f"drift in {v.experiment}{f' ({v.other_cpus})' if v.other_cpus else ''}\n{compare.table(v.drift)}"
        for v in found
        if v.drift
    )


def _other_cpus(found: Iterable[ExperimentVerdict]) -> str:
    """What is said of experiments whose stored values are of another class of CPU."""
    told = [v.other_cpus for v in found if v.other_cpus]
    if not told:
        return ""
    return (
        f"; {counted(len(told), 'experiment')} by declared tolerances alone, {'; '.join(dict.fromkeys(told))}"
    )


def passed(project: Project) -> bool:
    """Whether the gate has passed for exactly these records and stored values."""
    try:
        return stamp_of(project).read_text(encoding="utf-8") == _state(project)
    except OSError:
        return False


def stamp_of(project: Project):
    """The file that says for what the gate has passed."""
    return project.build / "gate.passed"


def _state(project: Project) -> str:
    """Hash of all that the gate looks at, and of the code that looks."""
    kept = (*project.stored.glob("*.yml"), *project.stored.glob(CLASSES))
    folders = {"record": project.records.glob("*.json"), "stored": kept}
    parts = {
        f"{what} {path.name}": files.sha256(path.read_bytes())
        for what, paths in folders.items()
        for path in sorted(paths)
    }
    parts |= {f"declared {name}": "" for name in project.declared}
    engine = fingerprint.closure(__name__, project.packages)
    parts |= {f"module {name}": files.sha256_of_text(path) for name, path in engine.items()}
    return fingerprint.digest(parts) + "\n"


def _unmeasured(name: str, stored: int, declared: bool) -> Drift:
    if declared:
        reason = "it is declared and has not run: run nox -s build"
    else:
        reason = (
            "nothing declares it any more: restore the experiment, or drop its stored file: nox -s accept"
        )
    kind = "unmeasured" if declared else "missing"
    return Drift(name, kind, f"{stored} values", "no record", "a record of that experiment", reason)


def _undeclared(name: str, record: Record) -> Drift:
    return Drift(
        name,
        "undeclared",
        "a declared experiment",
        f"{len(record.measurements)} values",
        "nothing",
        "a record of an experiment that nothing declares: list it, or run nox -s build, which removes it",
    )
