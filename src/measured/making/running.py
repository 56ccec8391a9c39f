"""What a worker does for one long run or one experiment: call it, check what it returns, pack it."""

from __future__ import annotations

import inspect
import json
import signal
import threading
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from measured import archives, files
from measured.errors import MeasuredError
from measured.making import environment
from measured.making.fingerprint import Fingerprint, plain_json
from measured.project import Project
from measured.terms import record
from measured.terms.audit import judged, scopes_of
from measured.terms.experiment import Experiment, Run


def make_run(project: Project, experiment: Experiment, run: Run) -> bytes:
    """The arrays that a run returns, packed.

    Raises:
        MeasuredError: it raised, went over its budget, or returned a NaN; names the run and its seed.
    """
    settings = run.settings(project.quick)
    with naming(f"run {run.name} of {experiment.name}", settings), _budget(run.seconds):
        arrays = {name: np.asarray(value) for name, value in run.function(**settings).items()}
        _refuse_nan(arrays)
    return record.pack_arrays(arrays)


def make_record(project: Project, experiment: Experiment) -> record.Record:
    """Measure and judge the claims; the record's fingerprint is filled in by who asked for it.

    Raises:
        MeasuredError: it raised, went over its budget, or found what no page could use.
    """
    settings = experiment.settings(project.quick)
    runs = {run.name: read_run(project, experiment, run) for run in experiment.runs_in(project.quick)}
    with naming(f"experiment {experiment.name}", settings), _budget(experiment.seconds):
        findings = experiment.measure(**settings, **({"runs": runs} if experiment.runs else {}))
        experiment.check(findings)
        claims = judged(experiment, findings, settings, nulls=not project.quick)
    return record.Record(
        experiment=experiment.name,
        question=experiment.question,
        source=_named(project.root, experiment.measure),
        mode=project.mode,
        parameters=json.loads(plain_json(settings)),
        fingerprint={},
        environment=environment.describe(project.versions),
        measurements={m.id: m for m in findings.measurements},
        tables={t.name: t for t in findings.tables},
        claims=claims,
        scopes=scopes_of(experiment, findings, settings),
        arrays=findings.arrays,
    )


def run_paths(project: Project, experiment: Experiment, run: Run) -> tuple[Path, Path]:
    """The arrays of a run, and the file that vouches for them."""
    stem = project.runs / experiment.name / run.name
    return stem.with_name(stem.name + ".npz"), stem.with_name(stem.name + ".json")


def read_run(project: Project, experiment: Experiment, run: Run) -> Mapping[str, np.ndarray]:
    """The arrays that a long run stored.

    Raises:
        MeasuredError: it has not been made, or its files are not whole.
    """
    npz, _ = run_paths(project, experiment, run)
    _, sha = read_voucher(project, experiment, run)
    return record.unpack_arrays(record.read_vouched(npz, sha), npz)


def read_voucher(project: Project, experiment: Experiment, run: Run) -> tuple[Fingerprint, str]:
    """What a stored run was made from, and the hash of its arrays.

    Raises:
        MeasuredError: it has not been made, or its files are not whole.
    """
    _, voucher = run_paths(project, experiment, run)
    try:
        data = archives.read_sealed(voucher)
        return dict(data["fingerprint"]), str(data["arrays_sha256"])
    except (MeasuredError, KeyError, TypeError, ValueError) as error:
        why = getattr(error, "problem", "lacks what a run leaves")
        raise MeasuredError(
            f"run {run.name} of {experiment.name} has no whole result: its voucher {why}",
            path=voucher,
            mend="run: nox -s build",
        ) from error


def voucher_of(fingerprint: Fingerprint, packed: bytes) -> dict[str, Any]:
    """What is stored beside a run's arrays."""
    return archives.sealed({"fingerprint": fingerprint, "arrays_sha256": files.sha256(packed)})


def place_of(root: Path, function: Any) -> str:
    """`file:line` of a function, relative to the project."""
    path = Path(inspect.getsourcefile(function)).resolve()
    shown = path.relative_to(root) if path.is_relative_to(root) else Path(path.name)
    return f"{shown.as_posix()}:{inspect.getsourcelines(function)[1]}"


def _named(root: Path, function: Any) -> str:
    """`file:name` of a function: no line, since a comment may move it."""
    return f"{place_of(root, function).rpartition(':')[0]}:{function.__qualname__}"


@contextmanager
def naming(what: str, settings: Mapping[str, Any]) -> Iterator[None]:
    """Name the experiment, the run and its seed in whatever goes wrong inside."""
    seed = f" (seed {settings['seed']})" if "seed" in settings else ""
    try:
        yield
    except MeasuredError as error:
        raise MeasuredError(
            f"{what}{seed}: {error.problem}", path=error.path, expected=error.expected, mend=error.mend
        ) from error
    except (Exception, SystemExit) as error:
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
