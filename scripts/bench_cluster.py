"""What a cluster costs: runs made by two workers of a scheduler on this machine, against two local processes.

The runs are small (each counts for a fraction of a second), so that handing out weighs more than it does for
trainings. Both ways are timed in turn, by the clock and by the processor's seconds of every process that
takes part. What stands (a scheduler, its workers) is not started anew for a round, while a build on one
machine starts its processes each time; the first round of each way is not counted.
Nothing here passes or fails.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ENGINE, SAMPLE = ROOT / "src", ROOT / "tests" / "measured" / "sample"
RUNS, ROUNDS, WORKERS = 12, 3, 2
COUNTING = "    counted = sum(n % 7 for n in range(6_000_000))\n    assert counted\n    return {"


def main() -> None:
    """Print both ratios."""
    with tempfile.TemporaryDirectory() as folder:
        here, there = (_project(Path(folder) / name) for name in ("here", "there"))
        with _cluster(Path(folder), there) as (address, processes):
            _compare(here, address, processes)


def _project(root: Path) -> Path:
    """The sample, with runs that take a while."""
    shutil.copytree(SAMPLE, root, ignore=shutil.ignore_patterns("__pycache__"))
    luck, fair = root / "src/dice/luck.py", root / "src/dice/fair.py"
    luck.write_text(luck.read_text("utf-8").replace("    return {", COUNTING, 1), "utf-8")
    seeds = f"SEEDS = tuple(range({RUNS}))"
    fair.write_text(fair.read_text("utf-8").replace("SEEDS = (0, 1, 2)", seeds), "utf-8")
    return root


@contextmanager
def _cluster(folder: Path, root: Path) -> Iterator[tuple[str, list[int]]]:
    """A scheduler and its workers; their processes."""
    place = folder / "scheduler.json"
    options = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(place))
    scheduler = subprocess.Popen(
        [sys.executable, "-m", "dask", "scheduler", *options], stderr=subprocess.DEVNULL
    )
    while not (place.exists() and place.read_text().endswith("}")):
        time.sleep(0.1)
    address = json.loads(place.read_text())["address"]
    working = [sys.executable, "-m", "measured.cli", "worker", address, "--places", str(WORKERS)]
    paths = os.pathsep.join((str(root / "src"), str(ENGINE)))
    worker = subprocess.Popen(
        working, cwd=root, env={**os.environ, "PYTHONPATH": paths}, stdout=subprocess.PIPE, text=True
    )
    try:
        worker.stdout.readline()  # it says that it works
        yield address, [scheduler.pid, worker.pid]
    finally:
        for process in (worker, scheduler):
            process.terminate()
            process.wait()


def _compare(root: Path, address: str, processes: list[int]) -> None:
    from measured.cluster.driver import Cluster
    from measured.making import workflow
    from measured.making.executor import LocalProcesses
    from measured.project import Project

    sys.path.insert(0, str(root / "src"))
    project = Project.load(root)

    def make(executor: Callable[[], object]) -> None:
        shutil.rmtree(root / "build" / "runs", ignore_errors=True)
        jobs = [job for job in workflow.jobs(project) if job.why and job.order.kind == "run"]
        workflow.make(project, jobs, executor(), lambda said: None)

    ways = {
        "local": lambda: make(lambda: LocalProcesses(project, WORKERS)),
        "cluster": lambda: make(lambda: Cluster(project, address, 1)),
    }
    timed = {name: [] for name in ways}
    for _ in range(ROUNDS + 1):  # in turn, so that a busy moment meets both
        for name, act in ways.items():
            timed[name].append(_both_seconds(act, processes))
    middle = {
        name: [statistics.median(c) for c in zip(*rows[1:], strict=True)] for name, rows in timed.items()
    }
    for name, (wall, processor) in middle.items():
        print(
            f"{RUNS} small runs, {WORKERS} workers, {name}: {wall:.2f} s, {processor:.2f} of the processor's"
        )
    by_wall, by_processor = (
        there / here for there, here in zip(middle["cluster"], middle["local"], strict=True)
    )
    print(f"cluster ÷ local processes: {by_wall:.2f}; by the processor's seconds {by_processor:.2f}")


def _both_seconds(act: Callable[[], None], processes: list[int]) -> tuple[float, float]:
    """By the clock, and by the processor in this process, what it starts, and what works for it."""
    began, used = time.perf_counter(), _used(processes)
    act()
    return time.perf_counter() - began, _used(processes) - used


def _used(processes: list[int]) -> float:
    import psutil

    here = os.times()
    own = here.user + here.system + here.children_user + here.children_system
    trees = (psutil.Process(pid) for pid in processes)
    every = (process for tree in trees for process in (tree, *tree.children(recursive=True)))
    return own + sum(sum(process.cpu_times()[:4]) for process in every)


if __name__ == "__main__":
    main()
