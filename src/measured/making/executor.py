"""Where work is done: in processes of this machine, each started for it, with its environment set before."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol, Self

from measured.errors import MeasuredError
from measured.located import located
from measured.making import environment, work
from measured.making.order import Order, Outcome
from measured.making.sources import folders_of
from measured.project import Project

GIGABYTE = 2**30
A_TRAINING = 1.5 * GIGABYTE  # memory of a worker, where nothing is known of it
GROWN = 4 * GIGABYTE  # what a worker may have held: Keras keeps of each model that it has made


class ExecutorGone(MeasuredError):
    """Nobody is left who could do the work: to try the rest makes no sense."""


class Executor(Protocol):
    """A number of workers, each of which does one order after another and keeps what it compiled."""

    workers: int

    def __enter__(self) -> Self:
        """Start."""

    def __exit__(self, *error: object) -> None:
        """End every worker at once, whatever it is doing."""

    def takes(self, worker: int, kind: str) -> bool:
        """Whether a worker makes things of that kind."""

    def wait_for_workers(self) -> None:
        """Wait until somebody takes what nobody takes now.

        Raises:
            ExecutorGone: nobody will.
        """

    def submit(self, worker: int, order: Order) -> Future[Outcome]:
        """Hand an order to a worker that has none."""


class LocalProcesses:
    """Workers of this machine: one process of its own each, through loky.

    Args:
        project: whose work it is.
        workers: how many.
        act: what each of them does with an order.
    """

    def __init__(self, project: Project, workers: int, act: Callable[[Order], Any] | None = None) -> None:
        self.workers, self._act = workers, act or perform
        self._folders = folders_of(project.packages)
        self._home = TemporaryDirectory(prefix="measured-home-", ignore_cleanup_errors=True)
        self._pools: dict[int, object] = {}
        self._last: dict[int, Future[Outcome]] = {}
        # Matplotlib looks for fonts once; nothing that an author sets is ever in this folder.
        self._fonts = project.build / "cache" / "matplotlib"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        for pool in self._pools.values():
            pool.shutdown(wait=True, kill_workers=True)
        self._pools.clear()
        self._last.clear()
        self._home.cleanup()

    def takes(self, worker: int, kind: str) -> bool:
        """Each makes anything."""
        return True

    def wait_for_workers(self) -> None:
        """There are as many as there will be."""
        raise ExecutorGone("no process of this machine takes this")

    def submit(self, worker: int, order: Order) -> Future[Outcome]:
        """Hand an order to a worker, which is started if it has not been, and replaced if it has grown."""
        from loky.process_executor import BrokenProcessPool

        if worker in self._last and _held(self._last[worker]) > GROWN:
            self._pools.pop(worker).shutdown(wait=True, kill_workers=True)
        if worker not in self._pools:
            self._pools[worker] = self._start()
        try:
            self._last[worker] = self._pools[worker].submit(self._act, order)
        except BrokenProcessPool:  # its process was killed with the order before
            self._pools[worker] = self._start()
            self._last[worker] = self._pools[worker].submit(self._act, order)
        return self._last[worker]

    def _start(self):
        from loky.process_executor import ProcessPoolExecutor

        home = Path(self._home.name)
        own = {
            **environment.of_worker(home),
            "MPLCONFIGDIR": str(self._fonts),
            "KERAS_HOME": str(home / "keras"),
            "LOKY_MAX_MEMORY_LEAK_SIZE": str(64 * GIGABYTE),  # who has grown is replaced by `submit`
        }
        # loky adds to the environment of this process; what is not passed on is emptied, then removed.
        emptied = {name: "" for name in os.environ if name not in own}
        return ProcessPoolExecutor(
            max_workers=1,
            timeout=None,
            initializer=_start_worker,
            initargs=(tuple(emptied), os.getpid(), self._folders),
            env={**emptied, **own},
        )


def perform(order: Order) -> Outcome:
    """Make what was ordered, in the process that was started for it; with what it says of itself."""
    began = time.process_time()
    if order.kind == "run" and order.project.quick:
        _compile(order)
    try:
        made = work.perform(order)
    except MeasuredError as error:  # the traceback ends with this process
        raise located(error, order.project.root) from None
    described = environment.describe(order.project.versions)
    return replace(made, environment=described, processor=time.process_time() - began)


def _compile(order: Order) -> None:
    """Or not: a first look takes a few steps of a model, and to compile it would take longer than those."""
    if "tensorflow" in order.project.versions:
        import tensorflow

        tensorflow.config.run_functions_eagerly(not order.compiles)


def _held(last: Future[Outcome]) -> int:
    """The most memory that a worker held, by the last thing that it made; 0 where it has made nothing."""
    made = last.done() and last.exception() is None
    return getattr(last.result(), "memory", 0) if made else 0


def killed(error: BaseException) -> bool:
    """Whether somebody, or the system, ended the process that worked."""
    return type(error).__name__ in ("TerminatedWorkerError", "BrokenProcessPool")


def default_workers() -> int:
    """As many as there are cores that this process may use, and no more than memory holds."""
    import loky

    free = _free_memory()
    fit = loky.cpu_count() if free is None else int(free // A_TRAINING)
    return max(1, min(loky.cpu_count(), fit))


def _start_worker(emptied: tuple[str, ...], parent: int, folders: tuple[str, ...]) -> None:
    for name in emptied:
        os.environ.pop(name, None)
    work.start(parent, folders)


def _free_memory() -> float | None:
    """Bytes that may still be had, of the machine's and of this container's; None where nobody says."""
    bounds = [bound for bound in (_available(), _left_in_container()) if bound is not None]
    return min(bounds, default=None)


def _available() -> float | None:
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        found = dict(line.split(":", 1) for line in lines)
        return float(found["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        return None


def _left_in_container() -> float | None:
    """Control groups, version 2 and version 1."""
    for most, used in (
        ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
        ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
    ):
        try:
            return float(Path(most).read_text()) - float(Path(used).read_text())
        except (OSError, ValueError):  # `max` is no number: no bound
            continue
    return None
