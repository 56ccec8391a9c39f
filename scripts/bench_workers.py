"""How much a second worker helps: a part of this project's build by one and by two, beside the simulation.

`docs/own/machines.md` shows what a simulation says of whole builds, and of one experiment what it says beside
what the clock said. Here that experiment's runs and its record are made from nothing, by one worker and then
by two. It takes minutes, and says something on an idle machine alone: what others took of the processor
meanwhile is looked at. Nothing here passes or fails. `python scripts/bench_workers.py --store` writes it into
`tests/workers.json`, where the page's numbers come from; `--experiment NAME` takes another one.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from attention_from_scratch.experiments import building
from measured import files
from measured.making import workflow
from measured.making.executor import LocalProcesses
from measured.project import Project
from measured.simulation import Machines, seconds_with

ROOT = Path(__file__).resolve().parent.parent
WORKERS = (1, 2)
IDLE = 0.05  # of the processor, at most, that others may take while a time is to be stored


def main(arguments: Sequence[str]) -> int:
    """Print seconds by the clock, measured and simulated, for each number of workers; store them if asked."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--experiment", default="padding", help="whose runs and record are made")
    parser.add_argument("--store", action="store_true", help="write it into tests/workers.json")
    asked = parser.parse_args(arguments)
    project = Project.load(ROOT)
    costs = json.loads(building.COSTS.read_text(encoding="utf-8"))["seconds"]
    part = building.part_of(building.work_of(costs, building.PARAMETERS["compile"]), asked.experiment)
    prices = {key: value for key, value in building.PARAMETERS.items() if key != "workers"}
    print(f"{asked.experiment}: {len(part)} pieces of work", flush=True)
    began = busy()
    timed = {}
    for count in WORKERS:
        timed[count] = made_by(project, asked.experiment, count)
        simulated = seconds_with(count, part, Machines(**prices))
        print(f"  {count} at a time: {timed[count]:.0f} s, simulated {simulated:.0f} s", flush=True)
    others = share_of_others(began, busy())
    print(f"  times as fast: {timed[1] / timed[2]:.2f}; others took {others:.0%} of the processor meanwhile")
    if not asked.store:
        return 0
    if others > IDLE:
        print(f"nothing was stored: others took more than {IDLE:.0%}; ask again on an idle machine")
        return 1
    found = {
        "experiment": asked.experiment,
        "machine": f"{cpu_name()}, {os.cpu_count()} cores",
        "others": round(others, 3),
        "seconds": {str(count): round(seconds, 1) for count, seconds in timed.items()},
    }
    files.write_json(building.TIMED, found)
    print(f"stored in {building.TIMED.relative_to(ROOT)}; now: nox -s build, then nox -s accept")
    return 0


def made_by(project: Project, name: str, workers: int) -> float:
    """Seconds until an experiment's runs and its record are made from nothing, by so many workers."""
    with tempfile.TemporaryDirectory(prefix="workers-") as folder:
        apart = replace(project, output=Path(folder))
        jobs = [job for job in workflow.jobs(apart) if job.order.name == name and job.order.kind != "figure"]
        began = time.monotonic()
        workflow.make(apart, jobs, LocalProcesses(apart, workers), lambda _: None)
        return time.monotonic() - began


def busy() -> tuple[float, float, float]:
    """Seconds that all processors have worked; that this process and its children have; now."""
    own = os.times()
    ticks = list(map(int, Path("/proc/stat").read_text("ascii").partition("\n")[0].split()[1:9]))
    worked = sum(ticks) - ticks[3] - ticks[4]  # without idle, and waiting for a disk
    return worked / os.sysconf("SC_CLK_TCK"), sum(own[:4]), time.monotonic()


def share_of_others(before: Sequence[float], after: Sequence[float]) -> float:
    """What others took of all processors between two looks.

    Args:
        before: what `busy` said first.
        after: what it said later.
    """
    every, own, seconds = (b - a for a, b in zip(before, after, strict=True))
    return max(every - own, 0.0) / (seconds * (os.cpu_count() or 1))


def cpu_name() -> str:
    """As the system calls it."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.machine()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
