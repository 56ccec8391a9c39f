"""The side of the worker: `measured worker ADDRESS`, in a clone of the project, until it is told to stop.

Dask's own process only talks. It draws from Python's random numbers, chooses its own hash seed and calls
tasks from threads: nothing that a number may depend on. So the work is done in a child, whose environment is
set before NumPy is imported, exactly as on one machine; one child for each place at which work can be done.
"""

from __future__ import annotations

import asyncio
import importlib
import tempfile
import threading
import traceback
from collections.abc import Callable, Mapping
from concurrent.futures import Future, wait
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from measured.cluster import logs, messages
from measured.cluster.messages import Message
from measured.errors import MeasuredError
from measured.files import sha256
from measured.making import confirming, environment, executor
from measured.making.executor import LocalProcesses, killed
from measured.making.fingerprint import Sources, file_of, hash_of_code, python_version
from measured.making.order import Order, Outcome
from measured.making.products import inputs_of_run
from measured.project import Project

CONNECT = 20.0  # seconds within which a scheduler has to be there
LOOK = 0.5  # seconds between two looks at whether the work is still wanted
# A worker has no business with results of others, nor with pages about itself; nobody reads its profile.
UNUSED = {
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.profile.enabled": False,
    "distributed.admin.system-monitor.interval": "60s",
}

# One a process: tasks find here what this process serves.
_serving: list[_Serving] = []


def serve(project: Project, address: str, places: int, say: Callable[[str], None]) -> None:
    """Work for a scheduler until it ends, or until Ctrl-C.

    Args:
        project: the clone in which work is done.
        address: the scheduler's, `tcp://host:8786`.
        places: how many runs may be made at the same time, each in a process of its own.
        say: receives a line now and then.

    Raises:
        MeasuredError: no scheduler is there, or it went away.
    """
    _serving[:] = [_Serving(project)]
    try:
        asyncio.run(_work_for(address, places, say))
    finally:
        _serving.pop().close()


async def _work_for(address: str, places: int, say: Callable[[str], None]) -> None:
    import dask
    from distributed import Worker

    logs.silence()
    with (
        tempfile.TemporaryDirectory(prefix="measured-worker-") as folder,
        dask.config.set(UNUSED),
    ):
        options = {"nthreads": 1, "memory_limit": 0, "local_directory": folder, "dashboard": False}
        workers = [Worker(address, death_timeout=CONNECT, **options) for _ in range(places)]
        try:
            await asyncio.wait_for(asyncio.gather(*workers), CONNECT)
        except (OSError, TimeoutError, ValueError, RuntimeError) as error:
            raise MeasuredError(
                f"no scheduler answers at {address} ({error or 'nobody in time'})",
                expected="tcp://host:port of a running `dask scheduler`",
            ) from error
        say(f"working for {address}, {places} at the same time; Ctrl-C stops")
        await asyncio.gather(*(worker.finished() for worker in workers))
    raise MeasuredError(f"the scheduler at {address} ended", mend="start it again, then this worker")


def perform(message: Message) -> Message:
    """Make what was ordered; called by the task that the scheduler hands to this process."""
    from distributed import get_worker

    if not _serving:
        return {"state": messages.REFUSED, "why": "it was not started with: measured worker"}
    worker = get_worker()
    key = worker.get_current_task()

    def is_wanted() -> bool:
        task = worker.state.tasks.get(key)
        return task is not None and task.state == "executing" and worker.status.name == "running"

    return _serving[0].place(worker.address).perform(message, is_wanted)


@dataclass(frozen=True)
class Refusal:
    """Why a clone cannot do what was ordered; other clones may."""

    why: str


class _Serving:
    """The places of this process, each with its child."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._places: dict[str, _Place] = {}

    def place(self, name: str) -> _Place:
        return self._places.setdefault(name, _Place(self._project))

    def close(self) -> None:
        for place in self._places.values():
            place.recycle()


class _Place:
    """One child, which does one order after another and keeps what it compiled."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._child: LocalProcesses | None = None
        self._knows: dict[str, str] = {}

    def perform(self, message: Message, is_wanted: Callable[[], bool]) -> Message:
        order = messages.order_from(message, self._project)
        refused = _other_code(order.inputs)
        if refused:
            return {"state": messages.REFUSED, "why": refused}
        self._recycle_if_older(order)
        try:
            return self._made(order, is_wanted)
        except MeasuredError as error:
            return messages.of_failure(error)
        except Exception as error:  # noqa: BLE001 - whatever a child raises is told where it was ordered
            if killed(error):
                self.recycle()
                return {"state": messages.KILLED}
            return messages.of_failure(MeasuredError("".join(traceback.format_exception(error))))

    def recycle(self) -> None:
        """End the child, whatever it is doing; the next order starts another."""
        if self._child is not None:
            self._child.__exit__()
            self._child, self._knows = None, {}

    def _made(self, order: Order, is_wanted: Callable[[], bool]) -> Message:
        is_new = self._child is None
        if is_new:
            self._child = LocalProcesses(self._project, 1, act=perform_declared)
        self._knows |= _code_of(order)
        future: Future[Outcome | Refusal] = self._child.submit(0, order)
        while not wait([future], LOOK).done:
            if not is_wanted():
                self.recycle()
                return {"state": messages.STOPPED}
        made = future.result()
        if isinstance(made, Outcome):
            return messages.of_outcome(made)
        if is_new:
            return {"state": messages.REFUSED, "why": made.why}
        self.recycle()  # it may have read what is declared before somebody changed it
        return self._made(order, is_wanted)

    def _recycle_if_older(self, order: Order) -> None:
        """A child that has imported code as it was before would run that under the new code's name."""
        if any(self._knows.get(part, sha) != sha for part, sha in _code_of(order).items()):
            self.recycle()


def _code_of(order: Order) -> dict[str, str]:
    return {part: sha for part, sha in order.inputs.items() if part != "parameters"}


def perform_declared(order: Order) -> Outcome | Refusal:
    """Make what was ordered if this clone would make it from the same; in the child."""
    if _agreed.get("shares") != order.shares or not order.shares:
        _agreed.clear()
        project = Project.load(order.project.root, quick=order.project.quick)
        _agreed.update(shares=order.shares, project=project)
    refused = _other_declaration(_agreed["project"], order)
    return Refusal(refused) if refused else executor.perform(order)


_agreed: dict[str, Any] = {}  # of a child: the project as it declares what shares its modules


def _other_declaration(project: Project, order: Order) -> str:
    """In what this clone declares the run otherwise; empty where in nothing."""
    try:
        if order.kind == "outcome":
            run = confirming.run_of(project, order.name, order.run, order.known)
        else:
            runs = project.declared[order.name].runs
            run = next(run for run in runs if run.name == order.run)
    except (KeyError, StopIteration, MeasuredError):
        return f"it declares no run {order.run} of {order.name}"
    mine = inputs_of_run(project, Sources(project.packages), run)
    different = sorted(part for part in {*mine, *order.inputs} if mine.get(part) != order.inputs.get(part))
    return f"{', '.join(different[:2])} of {order.name}/{order.run} differ" if different else ""


def _other_code(inputs: Mapping[str, str]) -> str:
    """The first part of code, packages or settings that is another one here; at once, without a child.

    One place at a time: Python 3.11 raises SystemError where threads parse code at the same time (gh-106905).
    """
    with _parsing:
        importlib.invalidate_caches()
        for part, wanted in inputs.items():
            kind, _, name = part.partition(" ")
            found = _here(kind, name, wanted)
            if found != wanted:
                shown = f" ({found} here, {wanted} there)" if kind in ("package", "python") else ""
                return f"{part} is another one{shown}"
    return ""


_parsing = threading.Lock()


def _here(kind: str, name: str, wanted: str) -> str:
    if kind == "module":
        try:
            return hash_of_code(file_of(name))
        except (MeasuredError, ImportError):
            return "absent"
    if kind == "package":
        try:
            return version(name)
        except PackageNotFoundError:
            return "not installed"
    if kind == "python":
        return python_version()
    if kind == "settings":
        return sha256(environment.settings_in_words().encode())
    return wanted  # what is declared is compared by the child, which imports it
