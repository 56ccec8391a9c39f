"""How much a second worker helps: a part of this project's build by one and by two, beside the simulation.

`docs/own/machines.md` shows what a simulation says of whole builds. Here one experiment's runs and its record
are made from nothing, by one worker and then by two, and the simulation is asked about the same part with
the same prices. It takes minutes, and says something on an idle machine alone. Nothing here passes or fails.
`python scripts/bench_workers.py recurrence` takes another experiment than padding.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from attention_from_scratch.experiments import building
from measured.making import workflow
from measured.making.executor import LocalProcesses
from measured.project import Project
from measured.simulation import Machines, Work, seconds_with

ROOT = Path(__file__).resolve().parent.parent
PART = "padding"
WORKERS = (1, 2)


def main(name: str) -> None:
    """Print seconds by the clock, measured and simulated, for each number of workers."""
    project = Project.load(ROOT)
    work = simulated_part(name)
    prices = {key: value for key, value in building.PARAMETERS.items() if key != "workers"}
    found = {
        count: (made_by(project, name, count), seconds_with(count, work, Machines(**prices)))
        for count in WORKERS
    }
    print(f"{name}: {len(work)} pieces of work")
    for count, (measured, simulated) in found.items():
        print(f"  {count} worker{'s' if count > 1 else ''}: {measured:.0f} s, simulated {simulated:.0f} s")
    one, two = (found[count] for count in WORKERS)
    print(f"  times as fast: {one[0] / two[0]:.2f}, simulated {one[1] / two[1]:.2f}")


def made_by(project: Project, name: str, workers: int) -> float:
    """Seconds until an experiment's runs and its record are made from nothing, by so many workers."""
    with tempfile.TemporaryDirectory(prefix="workers-") as folder:
        apart = replace(project, output=Path(folder))
        jobs = [job for job in workflow.jobs(apart) if job.order.name == name]
        began = time.monotonic()
        workflow.make(apart, jobs, LocalProcesses(apart, workers), lambda _: None)
        return time.monotonic() - began


def simulated_part(name: str) -> Sequence[Work]:
    """The same pieces, as the table of costs has them."""
    seconds = json.loads(building.COSTS.read_text(encoding="utf-8"))["seconds"]
    every = building.work_of(seconds, building.PARAMETERS["compile"])
    return [work for work in every if work.experiment == name]


if __name__ == "__main__":
    main(*(sys.argv[1:] or [PART]))
