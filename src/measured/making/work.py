"""One piece of work, done in a process that does nothing else; what was made travels back as bytes.

The process is started with its whole environment set, so that NumPy finds it when it is imported. Code of
the project is imported anew for each piece, from its source: whatever is read while it is imported, or
while it works, is part of what the result is made from. Only the long runs of one model share their
modules, since what they compiled is kept there.
"""

from __future__ import annotations

import importlib
import os
import random
import resource
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from measured import files
from measured.errors import MeasuredError
from measured.making import confirming, environment, figures, running
from measured.making.fingerprint import ENGINE, Fingerprint, file_of, hash_of_code
from measured.making.order import OUTCOME, Order, Outcome
from measured.making.sources import read_sources_in
from measured.making.watching import watching
from measured.project import Project
from measured.terms import record
from measured.terms.trial import as_stored

_SHOWN_OUTPUT = 2_000  # of what a piece of work printed, in bytes


@dataclass
class _Kept:
    """What a process keeps from one order to the next: the project's modules, and what they have read."""

    shares: str
    project: Project
    read: Fingerprint


class Worker:
    """A process that does one order after another."""

    def __init__(self, parent: int, folders: tuple[str, ...]) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent stops, and its workers with it
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
        read_sources_in(folders)
        self._printed = _catch_output()
        self._kept: _Kept | None = None

    def perform(self, order: Order) -> Outcome:
        """Make what was ordered.

        Raises:
            MeasuredError: it failed, or something that it is made from changed meanwhile.
        """
        began, said = time.monotonic(), os.fstat(self._printed).st_size
        try:
            made, inputs = self._make(order)
        except MeasuredError as error:
            printed = _tail(self._printed, said)
            if printed:
                error = MeasuredError(
                    f"{error.problem}\n  it printed: {printed}",
                    path=error.path,
                    line=error.line,
                    expected=error.expected,
                    mend=error.mend,
                )
            raise error from None
        return Outcome(made(inputs), time.monotonic() - began, _peak_memory(), _tail(self._printed, said))

    def _make(self, order: Order) -> tuple[Callable[[Fingerprint], dict[str, bytes]], Fingerprint]:
        kept = self._imported(order)
        _refuse_other_code(order.inputs)
        random.seed(0)
        np.random.seed(0)  # noqa: NPY002 - whoever draws from the global generator draws the same each time
        environment.refuse_other_threads()
        with watching(order.project.root, _apart(order.project)) as watch:
            made = _MAKERS[order.kind](kept.project, order)
        environment.refuse_other_threads()
        watch.refuse_changes()
        _refuse_other_code(order.inputs)
        read = {**kept.read, **watch.read}
        if order.shares:
            kept.read = read
        known = {f"code {path}" for path in _paths_of(order)}
        more = {part: sha for part, sha in read.items() if part not in known}
        return made, dict(sorted({**more, **order.inputs}.items()))

    def _imported(self, order: Order) -> _Kept:
        """The project with its modules imported anew, and what they read as they were."""
        if self._kept is not None and order.shares and order.shares == self._kept.shares:
            return self._kept
        packages = order.project.packages
        _forget(packages)
        project = replace(order.project)
        with watching(project.root, _apart(project)) as watch:
            _ = project.declared, project.declared_figures
        # What only the list of experiments imports is imported again by whoever asks for it by name.
        modules = set(_modules_of(order))
        _forget(packages, but=modules)
        self._kept = _Kept(order.shares, project, watch.read_by(modules))
        return self._kept


# One a process: the functions that a process is asked to call find it here.
_workers: list[Worker] = []


def start(parent: int, folders: tuple[str, ...]) -> None:
    """Prepare a process that has just begun.

    Args:
        parent: the process that it works for, and ends with.
        folders: of the project's packages; they are read as sources, never as bytecode.
    """
    _workers.append(Worker(parent, folders))


def perform(order: Order) -> Outcome:
    """Make what was ordered, in this process."""
    return _workers[0].perform(order)


def _run(project: Project, order: Order):
    experiment = project.declared[order.name]
    run = next(run for run in experiment.runs if run.name == order.run)
    packed = running.make_run(project, experiment, run)
    paths = running.run_paths(project, experiment, run)

    def finished(inputs: Fingerprint) -> dict[str, bytes]:
        voucher = files.json_bytes(running.voucher_of(inputs, packed))
        return _below(project, dict(zip(paths, (packed, voucher), strict=True)))

    return finished


def _record(project: Project, order: Order):
    made = running.make_record(project, project.declared[order.name])

    def finished(inputs: Fingerprint) -> dict[str, bytes]:
        written = record.files_of(replace(made, fingerprint=inputs))
        return _below(project, {project.records / name: data for name, data in written.items()})

    return finished


def _figure(project: Project, order: Order):
    made = figures.make_figure(project, project.declared_figures[order.name])

    def finished(inputs: Fingerprint) -> dict[str, bytes]:
        written = figures.files_of(order.name, made, inputs)
        return _below(project, {project.drawings / name: data for name, data in written.items()})

    return finished


def _outcome(project: Project, order: Order):
    run = confirming.run_of(project, order.name, order.run, order.known)
    with running.naming(f"run {run.name} of {order.name}", run.settings(False)):
        outcome = as_stored(run.function(**run.settings(False)))
    return lambda inputs: {OUTCOME: files.json_bytes(outcome)}


_MAKERS = {"run": _run, "record": _record, "figure": _figure, "outcome": _outcome}


def _below(project: Project, written: Mapping[Path, bytes]) -> dict[str, bytes]:
    return {path.relative_to(project.build).as_posix(): data for path, data in written.items()}


def _apart(project: Project) -> tuple[Path, ...]:
    """What is made, and the engine, which counts by the modules that can move a number."""
    return project.build, project.site, file_of(ENGINE).parent


def _forget(packages: tuple[str, ...], but: Any = ()) -> None:
    """Let the project's modules be imported anew; the engine's stay."""
    for name in [n for n in sys.modules if n.partition(".")[0] in packages]:
        if name.partition(".")[0] != ENGINE and name not in but:
            module = sys.modules.pop(name)
            above, _, last = name.rpartition(".")
            parent = sys.modules.get(above)
            if parent is not None and getattr(parent, last, None) is module:
                delattr(parent, last)
    importlib.invalidate_caches()


def _modules_of(order: Order) -> list[str]:
    return [part.partition(" ")[2] for part in order.inputs if part.startswith("module ")]


def _paths_of(order: Order) -> list[str]:
    """The files of the modules that the plan knows of, below the project's folder."""
    paths = [file_of(name).resolve() for name in _modules_of(order)]
    root = order.project.root
    return [path.relative_to(root).as_posix() for path in paths if path.is_relative_to(root)]


def _refuse_other_code(inputs: Fingerprint) -> None:
    """Refuse to work with code that is not what the plan saw."""
    for part, sha in inputs.items():
        kind, _, name = part.partition(" ")
        if kind == "module" and hash_of_code(file_of(name)) != sha:
            raise MeasuredError(
                f"module {name} changed while it was in use",
                expected="code that stays as it is until the work is done",
                mend="nothing was stored; run it again",
            )


def _catch_output() -> int:
    """Let what is printed go to a file without a name; the terminal belongs to the table of progress."""
    sys.stdout.flush()
    sys.stderr.flush()
    handle, name = tempfile.mkstemp()
    os.unlink(name)
    os.set_blocking(handle, True)
    for stream in (1, 2):
        os.dup2(handle, stream)
    return handle


def _tail(handle: int, since: int) -> str:
    """The end of what was printed since then."""
    sys.stdout.flush()
    sys.stderr.flush()
    size = os.fstat(handle).st_size
    first = max(since, size - _SHOWN_OUTPUT)
    return os.pread(handle, size - first, first).decode("utf-8", "replace").strip()


def _peak_memory() -> int:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _end_with(parent: int) -> None:
    """A worker whose parent was killed would go on for nobody."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)
