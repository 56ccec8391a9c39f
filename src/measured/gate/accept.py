"""Accept a drift: show old, new, change, why it was outside, and what rests on it; store it when told to.

What is stored is what was shown. A value that moved inside its tolerance is mentioned and keeps the stored
one, which somebody last looked at: drift is measured from there, so that five small steps are one large one.
Values of trainings belong to a class of CPU: where they were stored on another, all of the experiment's are
replaced, since claims decide on values that were measured together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from measured import files
from measured.errors import MeasuredError
from measured.gate import margins, showing
from measured.gate.compare import Drift
from measured.gate.showing import Drifted
from measured.gate.stored import CLASSES, Expectation, dump, read_all, read_classes
from measured.gate.verdicts import verdicts
from measured.making import workflow
from measured.project import Project
from measured.terms import cpu
from measured.terms.experiment import Experiment
from measured.terms.record import Record

UNMENDED = ("bound", "undeclared", "unmeasured", "quick")  # no accepting mends these

Say = Callable[[str], None]


def accept(project: Project, say: Say, confirm: Callable[[], bool]) -> list[Path]:
    """Show every drift and, if `confirm` says so, store what was shown.

    Returns:
        The files that were written or removed.

    Raises:
        MeasuredError: there is no record, or some drift cannot be stored: an experiment is stale or has not
            run, a record is a quick one, or a tolerance is too wide for a claim. What could be stored was.
    """
    records, stored = project.read_records(), read_all(project.stored)
    if not records:
        raise MeasuredError("there is no record to accept", mend="run: nox -s build")
    judged = [v for v in verdicts(project) if v.drift]
    found = {v.experiment: v.drift for v in judged}
    drifted = Drifted(
        found,
        _refused(project, found),
        _moved_inside(records, stored),
        showing.pages_showing(project, records),
        showing.claims_reading(project, records),
        showing.figures(project),
    )
    showing.show(drifted)
    written: list[Path] = []
    storable = [n for n, drift in found.items() if n not in drifted.refused and _storable(drift)]
    for v in judged:
        if v.other_cpus and v.experiment in storable:
            say(f"{v.experiment}: {v.other_cpus}: all of its values are replaced")
    if storable:
        taken = confirm()
        summary = showing.leave(project, drifted, taken)
        if taken:
            written = store(project, records, stored, storable)
        for path in written:
            say(f"{'stored' if path.exists() else 'removed'}: {path.relative_to(project.root)}")
        if not taken:
            say("nothing was stored")
        say(f"a summary for a pull request: {summary.relative_to(project.root)}")
    _refuse_the_rest(drifted)
    return written


def store(
    project: Project,
    records: Mapping[str, Record],
    stored: Mapping[str, Mapping[str, Expectation]],
    names: Sequence[str],
) -> list[Path]:
    """Write the stored file of each of these experiments; remove those of what nothing declares."""
    classes = read_classes(project.stored)
    written = []
    for name in names:
        path, stored_on = project.stored / f"{name}.yml", classes.pop(name, "")
        if name in project.declared:
            experiment, record = project.declared[name], records[name]
            another = bool(experiment.runs) and cpu.is_another(stored_on, record.environment)
            accepted = expectations(experiment, record, {} if another else stored.get(name, {}))
            files.write_text(path, dump(accepted))
            if experiment.runs:
                classes[name] = cpu.class_of(record.environment)
        else:
            path.unlink()
        written.append(path)
    if classes != read_classes(project.stored):
        written.append(project.stored / CLASSES)
        files.write_json(written[-1], dict(sorted(classes.items())))
    return written


def expectations(
    experiment: Experiment, record: Record, stored: Mapping[str, Expectation]
) -> dict[str, Expectation]:
    """What to expect from now on: what drifted as it was measured, the rest as it was last looked at."""
    turned = margins.turned(experiment.claims, record, stored)
    stored = {name: old for name, old in stored.items() if name not in turned}
    room = margins.room_of(experiment.claims, record, stored)
    accepted = {}
    for name, measurement in record.measurements.items():
        fresh = Expectation.of(measurement, room.values.get(name), room.samples.get(name))
        old = stored.get(name)
        if old is None or not old.keeps(measurement):
            accepted[name] = fresh
            continue
        keeps_samples = old.keeps_samples(measurement) and fresh.samples_within is not None
        accepted[name] = replace(
            old.under(measurement),
            within=fresh.within,
            samples=old.samples if keeps_samples else fresh.samples,
            samples_within=fresh.samples_within,
        )
    return accepted | margins.margins_to_keep(experiment.claims, record, stored)


def _storable(drift: Sequence[Drift]) -> list[Drift]:
    return [d for d in drift if d.kind not in UNMENDED]


def _refused(project: Project, found: Mapping[str, Sequence[Drift]]) -> dict[str, str]:
    """The experiments among them whose record is not what their code measures, and why."""
    stale = workflow.stale(project)
    told = {name: f"its record is stale: {stale[name]}" for name in found if name in stale}
    for name, drift in found.items():
        whole = next((d for d in drift if d.kind in ("unmeasured", "quick", "undeclared")), None)
        if whole is not None:
            told.setdefault(name, whole.reason)
    return told


def _refuse_the_rest(drifted: Drifted) -> None:
    """Say what was not stored although it drifted.

    Raises:
        MeasuredError: there is such drift.
    """
    reasons = [f"{name}: {why}" for name, why in drifted.refused.items()]
    if reasons:
        raise MeasuredError(
            "nothing was stored for " + "; nor for ".join(reasons),
            expected="records that their code, as it stands, measured",
            mend="run: nox -s build, look at the drift that it finds, then: nox -s accept",
        )
    loose = [d for drift in drifted.found.values() for d in drift if d.kind in UNMENDED]
    if loose:
        raise MeasuredError(
            "; ".join(f"{d.id}: {d.measured}; {d.reason}" for d in loose),
            expected="tolerances narrower than what separates a sentence from its opposite",
            mend="change the experiment's tolerances or its claim; accepting cannot mend this",
        )


def _moved_inside(
    records: Mapping[str, Record], stored: Mapping[str, Mapping[str, Expectation]]
) -> dict[str, tuple[str, str]]:
    """Measurements that are not what is stored, and pass."""
    return {
        name: (repr(old.value), repr(record[name]))
        for experiment, record in records.items()
        for name, old in stored.get(experiment, {}).items()
        if name in record.measurements
        and old.width()
        and record[name] != old.value
        and old.under(record.measurements[name]).accepts(record[name])
    }
