"""How long a build would take with so many workers: the engine's own order of work, without the work."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from types import SimpleNamespace

from measured.making.workflow import Job, Schedule


@dataclass(frozen=True)
class Work:
    """One piece of work.

    Args:
        name: unique.
        experiment: whose it is; light ones come first.
        seconds: that it takes once its model is compiled.
        model: what has to be compiled for it; empty for nothing.
        after: names of those whose results it needs.
    """

    name: str
    experiment: str
    seconds: float
    model: str = ""
    after: tuple[str, ...] = ()


@dataclass(frozen=True)
class Machines:
    """What work costs besides the work, in seconds.

    Args:
        start: until a worker has imported what it needs.
        compile: a model, once in each worker that makes runs of it.
        transfer: of one result.
        hand_out: by the one process that hands out work, a piece.
    """

    start: float
    compile: float
    transfer: float
    hand_out: float


def seconds_with(workers: int, work: Sequence[Work], machines: Machines) -> float:
    """When the last piece is done, if all workers begin at once and none is slower than another.

    Args:
        workers: how many.
        work: all of it, what it waits for included.
        machines: see `Machines`.
    """
    by_name = {one.name: one for one in work}
    schedule = Schedule([_job(one) for one in work])
    compiled: dict[int, set[str]] = {worker: set() for worker in range(workers)}
    idle, running, now, free = list(range(workers)), [], machines.start, machines.start
    while True:
        waiting = []
        for worker in idle:
            job = schedule.next_for(worker)
            if job is None:
                waiting.append(worker)
                continue
            free = max(free, now) + machines.hand_out  # one after another
            one = by_name[job.name]
            fresh = one.model and one.model not in compiled[worker]
            compiled[worker].add(one.model)
            ends = free + (machines.compile if fresh else 0.0) + one.seconds + machines.transfer
            heapq.heappush(running, (ends, worker, job))
        if not running:
            return now
        now, worker, job = heapq.heappop(running)
        schedule.finish(job)
        idle = sorted([*waiting, worker])


def critical_path(work: Sequence[Work], machines: Machines) -> float:
    """Seconds that no number of workers can save: the longest chain of what waits for one another."""
    by_name = {one.name: one for one in work}
    ends: dict[str, float] = {}

    def end_of(name: str) -> float:
        if name not in ends:
            one = by_name[name]
            before = max((end_of(other) for other in one.after), default=machines.start)
            compiles = machines.compile if one.model else 0.0
            ends[name] = before + machines.hand_out + compiles + one.seconds + machines.transfer
        return ends[name]

    return max(end_of(name) for name in by_name)


def _job(one: Work) -> Job:
    order = SimpleNamespace(name=one.experiment, kind="run")
    return Job(one.name, SimpleNamespace(), "", one.after, order, one.seconds, one.model)
