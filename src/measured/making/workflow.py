"""What has to be made anew, why, and the making of it: stale jobs become pytask tasks.

The fingerprints inside records, runs and figures decide what is stale; pytask orders the stale jobs,
runs them in parallel processes, and shows a live table. When nothing is stale pytask is not even
imported.
"""

from __future__ import annotations

import json
import os
import traceback
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from measured.errors import MeasuredError
from measured.files import sha256
from measured.making import environment, figures, fingerprint, running
from measured.making.fingerprint import Fingerprint
from measured.project import Project
from measured.terms.record import read_record, read_vouched


@dataclass(frozen=True)
class Job:
    """One thing to make.

    Args:
        name: `scale`, `induction/blocks1.seed0`, `figure scale.max_weight`.
        after: files that must be made before it.
        makes: files that it leaves.
        why: why it has to be made anew; empty where it need not.
        call: what `perform` is called with; plain data, to cross to a worker.
    """

    name: str
    after: tuple[Path, ...]
    makes: tuple[Path, ...]
    why: str
    call: tuple[Any, ...]


def jobs(project: Project) -> list[Job]:
    """Everything that the project makes from its code, each with the reason to make it anew, if any."""
    found: list[Job] = []
    stale_records: dict[str, str] = {}
    for experiment in project.declared.values():
        now = running.run_fingerprints(project, experiment)
        runs = [
            _run_job(project, experiment, run, now[run.name]) for run in experiment.runs_in(project.quick)
        ]
        record = _record_job(
            project, experiment, runs, running.experiment_fingerprint(project, experiment, now)
        )
        if record.why:
            stale_records[experiment.name] = record.why
        found += [*runs, record]
    found += [_plot_job(project, plot, stale_records) for plot in project.declared_figures.values()]
    return found


def stale(project: Project) -> dict[str, str]:
    """What would be made again, by name, and why; a record bears its experiment's name."""
    return {job.name: job.why for job in jobs(project) if job.why}


def make(project: Project, stale: Iterable[Job], workers: int) -> None:
    """Make the stale jobs, as many at once as there are workers.

    Raises:
        MeasuredError: one or more failed; what the others made stays.
    """
    stale = list(stale)
    if not stale:
        return
    environment.quiet_and_deterministic()
    os.environ["MEASURED_QUICK"] = "1" if project.quick else "0"
    os.environ["MEASURED_ROOT"] = str(project.root)

    import pytask

    parallel = workers > 1 and len(stale) > 1
    session = pytask.build(
        paths=[project.root / "scripts"],
        config=project.root / "pyproject.toml",
        n_workers=min(workers, len(stale)) if parallel else 1,
        parallel_backend="loky" if parallel else "none",
        force=True,
        show_traceback=False,
        show_capture="no",
        verbose=1,
        capture="fd",
        sort_table=False,
        disable_warnings=True,
    )
    failed = [r for r in session.execution_reports if r.outcome.name == "FAIL"]
    if failed or session.exit_code != 0:
        raise MeasuredError(_told(session, failed), mend="what failed is tried again by the next build")


def perform(root: str, quick: bool, kind: str, name: str, run: str = "") -> None:
    """Do one job; this is what a worker process calls."""
    project = Project.load(Path(root), quick=quick)
    if kind == "figure":
        figures.perform_plot(project, project.declared_figures[name])
        return
    experiment = project.declared[name]
    if kind == "run":
        running.perform_run(project, experiment, next(r for r in experiment.runs if r.name == run))
    else:
        running.perform_experiment(project, experiment)


def stale_jobs() -> list[Job]:
    """What `make` asked pytask for, or, where pytask was called by hand, whatever is stale."""
    root = Path(os.environ.get("MEASURED_ROOT", "."))
    project = Project.load(root, quick=os.environ.get("MEASURED_QUICK") == "1")
    stale = [job for job in jobs(project) if job.why]
    made = {path for job in stale for path in job.makes}
    where = (str(project.root), project.quick)
    return [
        replace(job, call=(*where, *job.call), after=tuple(p for p in job.after if p in made or p.exists()))
        for job in stale
    ]


def prune(project: Project, declared: Iterable[Job]) -> list[Path]:
    """Remove records and figures that nothing declares any more; say which.

    Runs stay: they were dear, their fingerprint says what they are, and another branch may want them.
    """
    kept = {path for job in declared for path in job.makes}
    folders = (project.records, project.drawings)
    gone = [p for f in folders if f.is_dir() for p in sorted(f.rglob("*")) if p.is_file() and p not in kept]
    for path in gone:
        path.unlink()
    return gone


def _run_job(project: Project, experiment: Any, run: Any, now: Fingerprint) -> Job:
    makes = running.run_paths(project, experiment, run)
    why = _why_run(makes, now)
    return Job(f"{experiment.name}/{run.name}", (), makes, why, ("run", experiment.name, run.name))


def _record_job(project: Project, experiment: Any, runs: list[Job], now: Fingerprint) -> Job:
    path = project.records / f"{experiment.name}.json"
    why = _why_record(path, now, project.mode)
    stale = [job.name for job in runs if job.why]
    if stale and not why:
        why = f"{len(stale)} of its runs are made anew"
    after = tuple(path for job in runs for path in job.makes)
    makes = (path, path.with_suffix(".npz"))
    return Job(experiment.name, after, makes, why, ("experiment", experiment.name))


def _plot_job(project: Project, plot: Any, stale_records: Mapping[str, str]) -> Job:
    records = tuple(project.records / f"{name}.json" for name in plot.records)
    stem = project.drawings / plot.name
    makes = tuple(Path(f"{stem}{suffix}") for suffix in (".json", ".svg", ".light.svg", ".dark.svg", ".csv"))
    stale = [name for name in plot.records if name in stale_records]
    why = f"record {', '.join(stale)} is made anew" if stale else _why_plot(project, plot, makes)
    return Job(f"figure {plot.name}", records, makes, why, ("figure", plot.name))


def _why_run(makes: tuple[Path, Path], now: Fingerprint) -> str:
    npz, vouching = makes
    if not vouching.exists():
        return "never made"
    try:
        data = json.loads(vouching.read_text(encoding="utf-8"))
        read_vouched(npz, data["arrays_sha256"])
        return _difference(data["fingerprint"], now)
    except (MeasuredError, OSError, ValueError, KeyError, TypeError):
        return "its files are not whole"


def _why_record(path: Path, now: Fingerprint, mode: str) -> str:
    if not path.exists():
        return "never made"
    try:
        record = read_record(path)
        len(record.arrays)
    except MeasuredError as error:
        return error.problem
    if record.mode != mode:
        return f"it is a {record.mode} record"
    return _difference(record.fingerprint, now)


def _why_plot(project: Project, plot: Any, makes: tuple[Path, ...]) -> str:
    if not all(path.exists() for path in makes):
        return "never made"
    try:
        data = json.loads(makes[0].read_text(encoding="utf-8"))
        whole = all(sha256(p.read_bytes()) == data["files"][p.name] for p in makes[1:])
        return (
            _difference(data["fingerprint"], figures.plot_fingerprint(project, plot))
            if whole
            else "changed by hand"
        )
    except (ValueError, KeyError, TypeError, OSError):
        return "its files are not whole"


def _difference(old: Mapping[str, str], new: Mapping[str, str]) -> str:
    parts = fingerprint.changes(old, new)
    return ", ".join(parts[:3]) + (f" and {len(parts) - 3} more" if len(parts) > 3 else "")


def _told(session: Any, failed: list[Any]) -> str:
    """One message for all failures: each with its own words, and the traceback of what was unforeseen."""
    parts = []
    for report in failed:
        error = report.exc_info[1] if report.exc_info else None
        if isinstance(error, MeasuredError):
            parts.append(str(error))
        elif error is not None:
            parts.append("".join(traceback.format_exception(error)))
    if not parts:
        parts = [f"pytask stopped with exit code {session.exit_code}"]
        parts += [str(r.exc_info[1]) for r in getattr(session, "collection_reports", []) if r.exc_info]
    return "\n".join(parts)
