"""Run one experiment, or one of its long runs, and leave a whole result or none."""

from __future__ import annotations

import inspect
import json
import signal
import threading
import time
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from measured import files
from measured.errors import MeasuredError
from measured.making import environment, fingerprint
from measured.project import Project
from measured.terms import record
from measured.terms.audit import judged, scopes_of
from measured.terms.experiment import Experiment, Run


def run_fingerprint(project: Project, experiment: Experiment, run: Run) -> fingerprint.Fingerprint:
    """What can change the result of a long run."""
    return fingerprint.of_function(
        run.function, run.settings(project.quick), packages=project.packages, lock=project.lock_file
    )


def run_fingerprints(project: Project, experiment: Experiment) -> dict[str, fingerprint.Fingerprint]:
    """Those of all its long runs, by name."""
    return {run.name: run_fingerprint(project, experiment, run) for run in experiment.runs_in(project.quick)}


def experiment_fingerprint(
    project: Project, experiment: Experiment, runs: Mapping[str, fingerprint.Fingerprint]
) -> fingerprint.Fingerprint:
    """What can change a record: the measuring function's, and that of every run it sums up."""
    parts = fingerprint.of_function(
        experiment.measure,
        experiment.settings(project.quick),
        packages=project.packages,
        lock=project.lock_file,
    )
    return parts | {f"run {name}": fingerprint.digest(run) for name, run in runs.items()}


def perform_run(project: Project, experiment: Experiment, run: Run) -> None:
    """Make one long run and store its arrays.

    Raises:
        MeasuredError: it raised, went over its budget, or returned a NaN; names the run and its seed.
    """
    environment.quiet_and_deterministic()
    settings = run.settings(project.quick)
    began = time.monotonic()
    with _told(f"run {run.name} of {experiment.name}", settings), _budget(run.seconds):
        arrays = {name: np.asarray(value) for name, value in run.function(**settings).items()}
        _refuse_nan(arrays)
    packed = record.pack_arrays(arrays)
    npz, vouching = run_paths(project, experiment, run)
    files.write_bytes(npz, packed)
    parts = run_fingerprint(project, experiment, run)
    files.write_json(vouching, {"fingerprint": parts, "arrays_sha256": files.sha256(packed)})
    _note_seconds(project, f"{experiment.name}.{run.name}", began)


def perform_experiment(project: Project, experiment: Experiment) -> record.Record:
    """Measure, judge the claims, and store the record.

    Raises:
        MeasuredError: it raised, went over its budget, or found what no page could use.
    """
    environment.quiet_and_deterministic()
    settings = experiment.settings(project.quick)
    runs = {run.name: read_run(project, experiment, run) for run in experiment.runs_in(project.quick)}
    began = time.monotonic()
    with _told(f"experiment {experiment.name}", settings), _budget(experiment.seconds):
        findings = experiment.measure(**settings, **({"runs": runs} if experiment.runs else {}))
        experiment.check(findings)
    made = record.Record(
        experiment=experiment.name,
        question=experiment.question,
        source=source_of(project.root, experiment.measure),
        mode=project.mode,
        parameters=json.loads(json.dumps(settings, default=list)),
        fingerprint=experiment_fingerprint(project, experiment, run_fingerprints(project, experiment)),
        environment=environment.describe(project.versions),
        measurements={m.id: m for m in findings.measurements},
        tables={t.name: t for t in findings.tables},
        claims=judged(experiment, findings, settings, nulls=not project.quick),
        scopes=scopes_of(experiment, findings, settings),
        arrays=findings.arrays,
    )
    record.write_record(project.records, made)
    _note_seconds(project, experiment.name, began)
    return made


def run_paths(project: Project, experiment: Experiment, run: Run) -> tuple[Path, Path]:
    """The arrays of a run, and the file that vouches for them."""
    stem = project.runs / experiment.name / run.name
    return stem.with_name(stem.name + ".npz"), stem.with_name(stem.name + ".json")


def read_run(project: Project, experiment: Experiment, run: Run) -> Mapping[str, np.ndarray]:
    """The arrays that a long run stored.

    Raises:
        MeasuredError: it has not been made, or its files are not whole.
    """
    npz, vouching = run_paths(project, experiment, run)
    try:
        sha = json.loads(vouching.read_text(encoding="utf-8"))["arrays_sha256"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise MeasuredError(
            f"run {run.name} of {experiment.name} has no whole result",
            path=vouching,
            mend="run: nox -s build",
        ) from error
    return record.unpack_arrays(record.read_vouched(npz, sha), npz)


def source_of(root: Path, function: Any) -> str:
    """`file:line` of a function, relative to the project."""
    path = Path(inspect.getsourcefile(function)).resolve()
    shown = path.relative_to(root) if path.is_relative_to(root) else Path(path.name)
    return f"{shown.as_posix()}:{inspect.getsourcelines(function)[1]}"


@contextmanager
def _told(what: str, settings: Mapping[str, Any]) -> Iterator[None]:
    """Name the experiment, the run and its seed in whatever goes wrong inside."""
    seed = f" (seed {settings['seed']})" if "seed" in settings else ""
    try:
        yield
    except MeasuredError as error:
        raise MeasuredError(
            f"{what}{seed}: {error.problem}", path=error.path, expected=error.expected, mend=error.mend
        ) from error
    except Exception as error:
        where = _innermost(error)
        raise MeasuredError(
            f"{what}{seed} raised {type(error).__name__}: {error}",
            path=where.filename,
            line=where.lineno,
            expected="a run without an exception",
            mend="mend the cause; nothing of this was stored, and the next build tries it again",
        ) from error


def _innermost(error: BaseException) -> traceback.FrameSummary:
    """Where it was raised: the deepest frame outside of installed packages."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "site-packages" not in frame.filename]
    return (ours or frames)[-1]


@contextmanager
def _budget(seconds: float) -> Iterator[None]:
    """Stop the block after so many seconds, where the platform has timers and this is the main thread."""
    if not hasattr(signal, "SIGALRM") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def over(signum: int, frame: Any) -> None:
        raise MeasuredError(
            f"exceeded its time budget of {seconds:g} s",
            expected="a run that ends in time",
            mend="raise `seconds` beside its declaration, or make it smaller",
        )

    before = signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _refuse_nan(arrays: Mapping[str, np.ndarray]) -> None:
    for name, array in arrays.items():
        if np.issubdtype(array.dtype, np.inexact) and np.isnan(array).any():
            raise MeasuredError(
                f"array {name} holds NaN",
                expected="numbers",
                mend="mend the run; infinity may stand for 'never', NaN may not",
            )


def _note_seconds(project: Project, name: str, began: float) -> None:
    files.write_json(project.timings / f"{name}.json", {"seconds": round(time.monotonic() - began, 3)})
