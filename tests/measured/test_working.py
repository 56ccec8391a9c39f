"""Work in processes of its own: their environment, their order, and what becomes of those that fail."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from concurrent.futures import Future
from types import SimpleNamespace

import pytest

from measured.making import executor
from measured.making.progress import Progress
from measured.making.workflow import Job, Schedule
from samples import SAMPLE, copy


def test_the_callers_environment_reaches_no_number(sample):
    sample.edit(
        "src/dice/fair.py", "    counts = np", "    import os; print(sorted(os.environ))\n    counts = np"
    )
    sample.edit("src/dice/fair.py", "counts = np", "assert 'AUTHORS_OWN' not in os.environ; counts = np")
    environment = {**sample.options({})["env"], "OMP_NUM_THREADS": "2", "AUTHORS_OWN": "1"}
    made = sample.run("make", "--workers", "1", env=environment)
    assert made.returncode == 0, made.stdout
    settings = json.loads(sample.read("build/records/fair.json"))["environment"]["settings"]
    assert settings["OMP_NUM_THREADS"] == "1"


def test_other_threads_than_the_record_says_are_refused(sample):
    sample.edit(
        "src/dice/loaded.py",
        "    if BROKEN",
        "    import threadpoolctl; threadpoolctl.threadpool_limits(2)\n    if BROKEN",
    )
    made = sample.run("make", "--workers", "1")
    assert made.returncode == 1
    assert "works with other threads or settings than its record says" in made.stdout


def test_an_experiment_that_ends_or_kills_its_process_fails_alone(sample):
    sample.edit(
        "src/dice/loaded.py", "    if BROKEN", "    import os; os.kill(os.getpid(), 9)\n    if BROKEN"
    )
    sample.edit("src/dice/fair.py", '"draws": 600', '"draws": 601')
    sample.edit("src/dice/luck.py", "    return", "    raise SystemExit(0)\n    return")
    made = sample.run("make", "--workers", "1")
    assert made.returncode == 1
    assert "loaded: its process was killed" in made.stdout
    assert "run seed0 of fair (seed 0) raised SystemExit" in made.stdout
    assert "Traceback" not in made.stdout


class Pool:
    """A process that tells how much memory it held, and whether it was ended."""

    def __init__(self, memory):
        self.memory, self.ended = memory, False

    def submit(self, act, order):
        done = Future()
        done.set_exception(order) if isinstance(order, Exception) else done.set_result(self)
        return done

    def shutdown(self, **how):
        self.ended = True


def test_a_worker_that_has_grown_is_replaced_between_two_orders(monkeypatch):
    project = SimpleNamespace(packages=(), build=SAMPLE)
    started = []
    with executor.LocalProcesses(project, 2) as processes:
        sizes = iter((executor.GROWN, executor.GROWN + 1, 0))
        monkeypatch.setattr(processes, "_start", lambda: started.append(Pool(next(sizes))) or started[-1])
        processes.submit(0, "an order")
        processes.submit(0, "another")
        processes.submit(1, "a third")
        assert [pool.ended for pool in started] == [False, False]
        processes.submit(1, ValueError("of the order"))
        assert [pool.ended for pool in started] == [False, True, False]
        processes.submit(1, "who failed says nothing of memory")
        assert [pool.ended for pool in started] == [False, True, False]


def test_a_checkout_that_is_only_read_is_built_elsewhere(tmp_path):
    sample = copy(SAMPLE, tmp_path / "dice")
    for path in (*sample.root.rglob("*"), sample.root):
        path.chmod(0o555 if path.is_dir() else 0o444)
    before = sample.tree(".")
    made = sample.run("--output", str(tmp_path / "elsewhere"), "make", "--workers", "1")
    after = sample.tree(".")
    for path in (sample.root, *sample.root.rglob("*")):
        path.chmod(0o755)
    assert made.returncode == 0, made.stdout
    assert (tmp_path / "elsewhere/build/records/fair.json").exists()
    assert after == before


def test_an_interrupt_publishes_nothing_and_leaves_no_process(sample):
    sample.edit("src/dice/luck.py", "    return", "    import time; time.sleep(600)\n    return")
    before = sample.tree("site")
    with sample.start("build", "--workers", "1", start_new_session=True) as building:
        for line in building.stdout:
            if "now fair/seed" in line:
                break
        building.send_signal(signal.SIGINT)
        try:
            rest, _ = building.communicate(timeout=60)
        finally:
            building.kill()
    assert building.returncode != 0
    assert "stopped" in rest
    assert "published" not in rest
    assert "gate" not in rest
    assert sample.tree("site") == before
    assert outlived(building.pid) == []


def test_workers_end_with_a_parent_that_was_killed(sample):
    sample.edit("src/dice/luck.py", "    return", "    import time; time.sleep(600)\n    return")
    with sample.start("make", "--workers", "1", start_new_session=True) as building:
        for line in building.stdout:
            if "now fair/seed" in line:
                break
        building.kill()
    assert outlived(building.pid) == []


def outlived(session):
    """Who of a session is there a minute after its first process has ended; to end takes a moment."""
    deadline = time.monotonic() + 60
    while alive_in(session) and time.monotonic() < deadline:
        time.sleep(0.2)
    return alive_in(session)


def alive_in(session):
    listed = subprocess.run(["ps", "-o", "pid=,stat=", "-g", str(session)], capture_output=True, text=True)
    return [line for line in listed.stdout.splitlines() if "Z" not in line]


def job(name, seconds=1.0, model="", after=()):
    order = SimpleNamespace(name=model or name, kind="run")
    return Job(name, SimpleNamespace(), "never made", after, order, seconds, model)


def test_runs_of_one_model_stay_with_a_worker_longest_first_and_light_work_begins():
    jobs = [job(f"small{n}", 1.0 + n, "small") for n in range(3)]
    jobs += [job(f"large{n}", 10.0, "large") for n in range(2)]
    jobs += [job("record", 0.1, after=("small2", "large1")), job("light", 0.1)]
    schedule = Schedule(jobs)
    assert schedule.next_for(0).name == "light"
    first = schedule.next_for(1)
    assert first.name == "small2"
    assert schedule.next_for(0).name == "large0"
    assert [schedule.next_for(1).name for _ in range(2)] == ["small1", "small0"]
    last = schedule.next_for(1)  # nothing of its own is left: it helps the other
    assert last.name == "large1"
    assert schedule.next_for(0) is None
    schedule.finish(first)
    schedule.finish(last)
    assert schedule.next_for(0).name == "record"


def test_workers_fit_the_cores_and_the_memory(monkeypatch):
    import loky

    monkeypatch.setattr(loky, "cpu_count", lambda: 8)
    monkeypatch.setattr(executor, "_available", lambda: 100 * executor.GIGABYTE)
    monkeypatch.setattr(executor, "_left_in_container", lambda: None)
    assert executor.default_workers() == 8
    monkeypatch.setattr(executor, "_left_in_container", lambda: 5 * executor.GIGABYTE)
    assert executor.default_workers() == 3
    monkeypatch.setattr(executor, "_available", lambda: 0.1 * executor.GIGABYTE)
    assert executor.default_workers() == 1


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="the system pins no process to cores")
def test_one_core_is_one_worker():
    call = "from measured.making.executor import default_workers as d; print(d())"
    pinned = subprocess.run(
        ["taskset", "-c", str(min(os.sched_getaffinity(0))), "python", "-c", call],
        capture_output=True,
        text=True,
    )
    assert pinned.stdout.strip() == "1", pinned.stderr


def test_progress_says_what_is_done_what_is_left_and_how_long(monkeypatch):
    said, now = [], [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    with Progress([10.0, 10.0, 20.0], 2, said.append, live=False) as progress:
        progress.begins(0, "a")
        progress.begins(1, "b")
        progress.show()
        assert said == []
        progress.ends(0, 10.0, 20.0)
        now[0] = 6.0
        progress.show()
        now[0] = 66.0
        progress.show()
    assert said[0] == "  1 of 3 done, 2 left, about 30 s; now b"
    assert re.fullmatch(r"  1 of 3 done, 2 left, about 30 s, until \d\d:\d\d; now b", said[1])


def test_progress_is_a_table_on_a_terminal(capsys):
    with Progress([1.0], 1, lambda line: None, live=True) as progress:
        progress.begins(0, "induction/long")
        progress.show()
        assert progress._drawn().row_count == 2
