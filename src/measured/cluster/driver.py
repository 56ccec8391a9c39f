"""The side of the machine that builds: runs go to the workers of a Dask scheduler, the rest stays here.

What comes back is looked at like anything from elsewhere before it is stored. Nothing is shared but the
network: no disk, no code.
"""

from __future__ import annotations

import threading
import time
import uuid
from collections import Counter
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Self

from measured.cluster import logs, messages
from measured.errors import MeasuredError
from measured.making.executor import ExecutorGone, LocalProcesses
from measured.making.order import Order, Outcome
from measured.project import Project

CONNECT = 10.0  # seconds within which a scheduler has to answer
PATIENCE = 30.0  # seconds without any worker
TRIES = 3  # children and workers that may be killed over one order
LOOK = 1.0  # seconds between two looks at which workers there are
_REMOTE = ("run", "outcome")


class Cluster:
    """Workers of a Dask scheduler for runs; processes of this machine for what is made from them.

    Args:
        project: whose work it is.
        address: the scheduler's.
        local: how many processes of this machine.
    """

    def __init__(self, project: Project, address: str, local: int) -> None:
        self._address, self._local_count = address, local
        self._local = LocalProcesses(project, local)
        self._places: list[_Place] = []  # in the order in which they were met: numbers stay
        self._looked = 0.0
        self._client: Any = None
        self._under_way: dict[Any, _Wanted] = {}
        self._gone = self._ending = False
        self._lock = threading.RLock()

    def __enter__(self) -> Self:
        distributed = _distributed()
        logs.silence()
        try:
            self._client = distributed.Client(self._address, timeout=CONNECT, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise ExecutorGone(
                f"no scheduler answers at {self._address} ({error})",
                expected="tcp://host:port of a running `dask scheduler`",
                mend="start it, or build without --cluster",
            ) from error
        self._look()
        return self

    def __exit__(self, *error: object) -> None:
        self._ending = True
        self._local.__exit__(*error)
        if self._client is None:
            return
        if not self._gone and self._under_way:
            self._client.cancel(list(self._under_way), force=True)
        self._client.close(timeout=1 if self._gone else 5)

    @property
    def workers(self) -> int:
        """Those of this machine first, then each that the scheduler has ever had."""
        if time.monotonic() - self._looked > LOOK:
            self._look()
        return self._local_count + len(self._places)

    def takes(self, worker: int, kind: str) -> bool:
        """Whether that worker makes such things."""
        if worker < self._local_count:
            return kind not in _REMOTE
        return kind in _REMOTE and self._places[worker - self._local_count].is_usable

    def wait_for_workers(self) -> None:
        """Wait until somebody takes runs.

        Raises:
            ExecutorGone: nobody comes, or all that are there refuse.
        """
        began = time.monotonic()
        while not any(place.is_usable for place in self._places):
            if any(place.refused for place in self._places) or time.monotonic() - began > PATIENCE:
                raise self._nobody()
            time.sleep(LOOK / 4)
            self._look()

    def submit(self, worker: int, order: Order) -> Future[Outcome]:
        """Hand an order to a worker that has none."""
        if worker < self._local_count:
            return self._local.submit(worker, order)
        wanted = _Wanted(order, Future())
        self._send(wanted, self._places[worker - self._local_count].address)
        return wanted.outcome

    # Talking to the scheduler

    def _send(self, wanted: _Wanted, address: str) -> None:
        wanted.sent_to.append(address)
        try:
            # For that worker alone, where its model was compiled: else a scheduler moves what waits to
            # whoever is idle, whether or not they have refused it.
            task = self._client.submit(
                _task(),
                messages.of_order(wanted.order),
                key=f"measured-{wanted.order.kind}-{uuid.uuid4().hex}",
                workers=[address],
                pure=False,
            )
        except Exception:  # noqa: BLE001 - a closed client has many words
            self._gone = True
            wanted.fail(self._lost())
            return
        with self._lock:
            self._under_way[task] = wanted
        task.add_done_callback(self._received)

    def _received(self, task: Any) -> None:
        with self._lock:
            wanted = self._under_way.pop(task, None)
        if self._ending or wanted is None:  # nobody waits for it, or it was sent to another worker meanwhile
            return
        if task.status in ("cancelled", "lost"):
            self._gone = True
            wanted.fail(self._lost())
            return
        try:
            reply = task.result(timeout=CONNECT)
            self._answer(wanted, reply)
        except Exception as error:  # noqa: BLE001 - whatever the scheduler says is told once
            if type(error).__name__ == "KilledWorker":
                wanted.fail(_killed(TRIES))
            else:
                wanted.fail(error)

    def _answer(self, wanted: _Wanted, reply: messages.Message) -> None:
        state = reply.get("state")
        if state == messages.MADE:
            wanted.outcome.set_result(messages.outcome_from(reply))
        elif state == messages.REFUSED:
            self._refused_by(wanted.sent_to[-1], str(reply["why"]))
            self._send_again(wanted)
        elif state in (messages.KILLED, messages.STOPPED):
            self._was_killed(wanted)
        else:
            wanted.fail(messages.failure_from(reply))

    def _was_killed(self, wanted: _Wanted) -> None:
        """Its child, or its worker; somebody else may try."""
        wanted.killed += 1
        if wanted.killed >= TRIES:
            wanted.fail(_killed(wanted.killed))
        else:
            self._send_again(wanted)

    def _send_again(self, wanted: _Wanted) -> None:
        """To a worker that has nothing to do, and has not had it, if there is one."""
        with self._lock:
            busy = Counter(other.sent_to[-1] for other in self._under_way.values())
            usable = [place.address for place in self._places if place.is_usable]
        if usable:
            self._send(wanted, min(usable, key=lambda address: (busy[address], address in wanted.sent_to)))
        else:
            wanted.fail(self._nobody())

    def _look(self) -> None:
        if self._gone or self._ending:
            return
        self._looked = time.monotonic()
        try:
            there = set(self._client.nthreads())
        except Exception:  # noqa: BLE001 - a scheduler that is gone has many words
            self._gone = True
            return
        with self._lock:
            known = {place.address: place for place in self._places}
            for address, place in known.items():
                place.is_there = address in there
            self._places += [_Place(address) for address in sorted(there - set(known))]
            orphans = [task for task, wanted in self._under_way.items() if wanted.sent_to[-1] not in there]
            sent_again = [self._under_way.pop(task) for task in orphans]
        for wanted in sent_again:
            self._was_killed(wanted)

    def _refused_by(self, address: str, why: str) -> None:
        with self._lock:
            for place in self._places:
                if place.address == address:
                    place.refused = why

    def _lost(self) -> ExecutorGone:
        return ExecutorGone(
            f"the scheduler at {self._address} is gone",
            mend="what was made stays: start it again, and build again",
        )

    def _nobody(self) -> ExecutorGone:
        if self._gone:
            return self._lost()
        refused = [f"{place.address} refuses: {place.refused}" for place in self._places if place.refused]
        return ExecutorGone(
            "\n  ".join([f"no worker of {self._address} makes these runs", *dict.fromkeys(refused)]),
            expected="workers in a clone of this commit, with the packages of its lock",
            mend="start some: measured worker " + self._address,
        )


@dataclass
class _Place:
    """A worker of the scheduler's."""

    address: str
    is_there: bool = True
    refused: str = ""

    @property
    def is_usable(self) -> bool:
        return self.is_there and not self.refused


@dataclass
class _Wanted:
    """An order that is on its way."""

    order: Order
    outcome: Future[Outcome]
    killed: int = 0
    sent_to: list[str] = field(default_factory=list)

    def fail(self, error: BaseException) -> None:
        if not self.outcome.done():
            self.outcome.set_exception(error)


def _task():
    """What the scheduler passes on: a function that travels by value, since it has none of our code."""

    def make(message):
        from measured.cluster.worker import perform

        return perform(message)

    return make


def _killed(times: int) -> MeasuredError:
    return MeasuredError(
        f"its process was killed {times} times, on different workers where there are some",
        expected="workers with enough memory",
        mend="start workers with fewer places: measured worker ADDRESS --places 1",
    )


def _distributed() -> Any:
    try:
        import distributed
    except ImportError as error:
        raise MeasuredError(
            "a cluster needs the package distributed, which is not installed",
            mend="install it: pip install -r requirements-cluster.lock",
        ) from error
    return distributed
