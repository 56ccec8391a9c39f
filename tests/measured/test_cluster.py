"""Runs made by workers of a scheduler on the loopback, each in its own folder: the same bytes, or none."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from measured import archives, files
from measured.cluster import driver, messages, worker
from measured.errors import MeasuredError
from measured.making import workflow
from measured.making.executor import ExecutorGone
from measured.making.order import Order, Outcome
from measured.making.vouchers import Voucher
from measured.project import Project
from samples import ENGINE, SAMPLE, Sample, copy

LUCK = "src/dice/luck.py"
PLAIN = (SAMPLE / LUCK).read_text("utf-8")


class Cluster:
    """A scheduler, two workers in clones of their own, and the clone that builds."""

    def __init__(self, folder):
        self.folder, self.processes = folder, {}
        self.clones = [copy(SAMPLE, folder / name) for name in ("driver", "one", "other")]
        self.root = self.clones[0].root
        self.address = ""

    def start(self):
        """Whatever is not running; after a test that killed it, too."""
        if not self._runs("scheduler"):
            self.stop()
            place = self.folder / "scheduler.json"
            place.unlink(missing_ok=True)
            options = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(place))
            # A scheduler has none of our code.
            self._start("scheduler", [sys.executable, "-m", "dask", "scheduler", *options], self.folder, {})
            wait_for(place.exists)
            wait_for(lambda: place.read_text().endswith("}"))
            self.address = json.loads(place.read_text())["address"]
        for clone in self.clones[1:]:
            if not self._runs(clone.root.name):
                options = clone.options({})
                command = clone.command("worker", self.address, "--places", "1")
                self._start(clone.root.name, command, clone.root, options["env"])
                wait_for(lambda clone=clone: "working for" in self.output(clone.root.name))
        return self

    def _start(self, name, command, cwd, env):
        with (self.folder / f"{name}.txt").open("w") as output:
            self.processes[name] = subprocess.Popen(
                command,
                cwd=cwd,
                env={**os.environ, "PYTHONPATH": "", **env},
                stdout=output,
                stderr=subprocess.STDOUT,
            )

    def _runs(self, name):
        process = self.processes.get(name)
        return process is not None and process.poll() is None

    def output(self, name):
        return (self.folder / f"{name}.txt").read_text()

    def stop(self):
        for process in self.processes.values():
            process.kill()
            process.wait()
        self.processes.clear()

    def write_luck(self, text, clones=None):
        for clone in clones or self.clones:
            (clone.root / LUCK).write_text(text, "utf-8")

    def jobs(self):
        self.project = Project.load(self.root)
        return [job for job in workflow.jobs(self.project) if job.why and job.order.kind == "run"]

    def make(self):
        jobs, said = self.jobs(), []
        workflow.make(self.project, jobs, driver.Cluster(self.project, self.address, 1), said.append)
        return said

    def runs(self):
        return Sample(self.root).tree("build/runs") if (self.root / "build/runs").exists() else {}


def wait_for(happens, seconds=240):
    end = time.monotonic() + seconds
    while not happens():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.05)


@pytest.fixture(scope="module")
def started(tmp_path_factory):
    found = Cluster(tmp_path_factory.mktemp("cluster"))
    yield found
    found.stop()


@pytest.fixture
def cluster(started, monkeypatch):
    """All of it running, the sample's own code in each clone, nothing made."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "dice"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(str(started.root / "src"))
    started.write_luck(PLAIN)
    shutil.rmtree(started.root / "build", ignore_errors=True)
    yield started.start()
    for name in [name for name in sys.modules if name.partition(".")[0] == "dice"]:
        del sys.modules[name]


def waiting_luck(folder):
    """Runs that say who makes them, and wait until they may go on."""
    return PLAIN.replace(
        "    return {",
        "    import os, pathlib, time\n"
        f"    folder = pathlib.Path({str(folder)!r})\n"
        '    (folder / f"{seed}.{os.getpid()}").touch()\n'
        '    while not (folder / "go").exists(): time.sleep(0.02)\n'
        "    return {",
        1,
    )


def working_in(folder):
    """The processes that have begun a run, by seed."""
    return {int(p.name.split(".")[0]): int(p.name.split(".")[1]) for p in folder.glob("*.*")}


def is_alive(pid):
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    return False


@contextlib.contextmanager
def making(cluster):
    """The runs being made, in a thread, as they are in a build; what went wrong is in `error`."""
    found = SimpleNamespace(error=None)

    def run():
        try:
            found.said = cluster.make()
        except MeasuredError as error:
            found.error = error

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    yield found
    thread.join(240)
    assert not thread.is_alive()


def test_a_cluster_makes_the_bytes_that_this_machine_makes(cluster, accepted):
    cluster.make()
    assert cluster.runs() == accepted.tree("build/runs")
    assert not any(Voucher.read(p).taken for p in (cluster.root / "build/runs").rglob("*.json"))


def test_a_build_and_fresh_seeds_from_the_command_line(cluster):
    clone = Sample(cluster.root)
    made = clone.run("make", "--workers", "1", "--cluster", cluster.address)
    assert made.returncode == 0, made.stdout
    assert (clone.root / "build/records/fair.json").exists()
    confirmed = clone.run("confirm", "--cluster", cluster.address)
    assert confirmed.returncode == 0, confirmed.stdout
    assert "fair.every_seed: confirmed on" in confirmed.stdout
    stored = json.loads(clone.read("tests/confirmations/throws.json"))["runs"]
    assert len(stored) == 10
    shutil.rmtree(clone.root / "tests/confirmations")


def test_a_worker_with_other_code_is_left_out_at_once(cluster):
    cluster.write_luck(PLAIN.replace(".mean()", ".mean() + 0.0"), cluster.clones[2:])
    cluster.make()
    assert len(cluster.runs()) == 6


DRAWS, MORE_DRAWS = '"draws": 100, "seed": s', '"draws": 101, "seed": s'


def test_where_each_worker_has_other_code_or_another_plan_the_build_ends_and_names_it(cluster):
    _, one, other = cluster.clones
    cluster.write_luck(PLAIN.replace(".mean()", ".mean() * 1.0"), cluster.clones[:2])
    one.edit("src/dice/fair.py", DRAWS, MORE_DRAWS)
    try:
        with pytest.raises(ExecutorGone) as caught:
            cluster.make()
    finally:
        one.edit("src/dice/fair.py", MORE_DRAWS, DRAWS)
    assert "module dice.luck is another one" in str(caught.value)
    assert "parameters of fair/seed" in str(caught.value), str(caught.value)
    assert "measured worker tcp://" in str(caught.value)
    assert cluster.runs() == {}


def test_a_new_plan_is_read_by_a_new_child(cluster):
    cluster.make()
    before = cluster.runs()
    for clone in cluster.clones:
        clone.edit("src/dice/fair.py", DRAWS, MORE_DRAWS)
    try:
        for name in [name for name in sys.modules if name.partition(".")[0] == "dice"]:
            del sys.modules[name]
        cluster.make()
    finally:
        for clone in cluster.clones:
            clone.edit("src/dice/fair.py", MORE_DRAWS, DRAWS)
    assert all(before[name] != data for name, data in cluster.runs().items())


def test_new_code_is_run_by_a_new_child(cluster):
    cluster.make()
    before = cluster.runs()
    cluster.write_luck(PLAIN.replace("throw(draws, seed).mean()", "throw(draws, seed).mean() + 1", 1))
    cluster.make()
    arrays = {
        name: [float(archives.unpack_arrays(found[name])["mean"]) for found in (before, cluster.runs())]
        for name in before
        if name.endswith(".npz")
    }
    assert all(new == old + 1 for old, new in arrays.values())


def test_a_run_whose_child_is_killed_is_made_again(cluster, tmp_path):
    cluster.write_luck(waiting_luck(tmp_path))
    with making(cluster) as made:
        wait_for(lambda: len(working_in(tmp_path)) == 2)
        seed, pid = min(working_in(tmp_path).items())
        os.kill(pid, signal.SIGKILL)
        wait_for(lambda: len(list(tmp_path.glob(f"{seed}.*"))) == 2)
        (tmp_path / "go").touch()
    assert made.error is None
    assert len(cluster.runs()) == 6


def test_an_interrupt_ends_the_build_with_an_error_and_the_work_with_it(cluster, tmp_path):
    cluster.write_luck(waiting_luck(tmp_path))
    with Sample(cluster.root).start("make", "--workers", "1", "--cluster", cluster.address) as building:
        wait_for(lambda: len(working_in(tmp_path)) == 2)
        children = working_in(tmp_path).values()
        building.send_signal(signal.SIGINT)
        rest, _ = building.communicate(timeout=240)
    assert building.returncode == 1
    assert "stopped" in rest
    wait_for(lambda: not any(map(is_alive, children)))
    assert cluster.runs() == {}
    cluster.write_luck(PLAIN)  # and both workers go on for whoever comes next
    cluster.make()
    assert len(cluster.runs()) == 6


def test_two_builds_share_a_cluster(cluster):
    other = copy(cluster.root, cluster.folder / "second")
    with other.start("make", "--workers", "1", "--cluster", cluster.address) as building:
        cluster.make()
        rest, _ = building.communicate(timeout=240)
    assert building.returncode == 0, rest
    assert other.tree("build/runs") == cluster.runs()
    shutil.rmtree(other.root)


def test_a_killed_worker_is_replaced_by_another_and_a_dead_scheduler_ends_the_build(cluster, tmp_path):
    cluster.write_luck(waiting_luck(tmp_path))
    with making(cluster) as made:
        wait_for(lambda: len(working_in(tmp_path)) == 2)
        children = set(working_in(tmp_path).values())
        cluster.processes["one"].kill()
        wait_for(lambda: sum(map(is_alive, children)) == 1)  # the other's child ended with it
        (tmp_path / "go").touch()
    assert made.error is None
    assert len(cluster.runs()) == 6

    (tmp_path / "go").unlink()
    for path in tmp_path.glob("*.*"):
        path.unlink()
    shutil.rmtree(cluster.root / "build/runs/fair")
    with making(cluster) as made:
        wait_for(lambda: working_in(tmp_path))
        cluster.processes["scheduler"].kill()
    assert isinstance(made.error, ExecutorGone)
    assert f"the scheduler at {cluster.address} is gone" in str(made.error)
    cluster.processes["other"].wait(120)
    assert cluster.processes["other"].returncode == 1
    assert "the scheduler at tcp://" in cluster.output("other")
    assert "Traceback" not in cluster.output("other")


# Without a scheduler


def test_an_address_without_a_scheduler_is_told(sample, monkeypatch):
    monkeypatch.setattr(driver, "CONNECT", 1.0)
    monkeypatch.setattr(worker, "CONNECT", 1.0)
    project, address = Project.load(sample.root), "tcp://127.0.0.1:9"
    with pytest.raises(ExecutorGone, match="no scheduler answers at tcp://127.0.0.1:9"):
        driver.Cluster(project, address, 1).__enter__()
    with pytest.raises(MeasuredError, match="no scheduler answers at tcp://127.0.0.1:9"):
        worker.serve(project, address, 1, print)


def test_without_the_package_the_build_says_what_to_install(monkeypatch, sample):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MeasuredError, match="needs the package distributed"):
        driver.Cluster(Project.load(sample.root), "tcp://127.0.0.1:9", 1).__enter__()


def test_nothing_of_a_cluster_is_imported_without_one():
    call = "import sys, measured.commands, measured.build; print({'distributed', 'dask'} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", call],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ENGINE)},
    )
    assert done.stdout == "set()\n", done.stderr


def test_another_worker_of_the_scheduler_refuses():
    assert worker.perform({})["state"] == messages.REFUSED


def test_another_package_python_or_setting_is_refused_without_a_child():
    for part in ("package numpy", "package no_such", "python", "settings", "module no_such.module"):
        assert part in worker._other_code({part: "0"})
    assert worker._other_code({"parameters": "0"}) == ""


def test_places_of_one_worker_look_at_their_code_one_after_another(monkeypatch):
    """Python 3.11 cannot parse in two threads at once; with two places, that failed runs."""
    looking, together = threading.Lock(), []

    def here(kind, name, wanted):
        together.append(not looking.acquire(blocking=False))
        time.sleep(0.01)
        if not together[-1]:
            looking.release()
        return wanted

    monkeypatch.setattr(worker, "_here", here)
    threads = [threading.Thread(target=worker._other_code, args=({"module a": "1"},)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert together == [False] * 4


def test_an_order_crosses_without_folders_and_errors_without_classes():
    project = Project(Path("/here"), ("dice",), "dice.registry")
    order = Order(project, "run", "fair", "seed0", {"module dice": "1"}, {"a": {"b": 1}}, "x")
    message = messages.of_order(order)
    assert "/here" not in repr(message)
    other = Project(Path("/there"), ("dice",), "dice.registry")
    assert messages.order_from(message, other) == replace(order, project=other)
    error = MeasuredError("it broke", path="src/a.py", line=3, expected="none", mend="mend")
    assert str(messages.failure_from(messages.of_failure(error))) == str(error)


# What a worker sends is looked at


def outcome_of(root, machine=None, change=lambda arrays, voucher: (arrays, voucher)):
    path = root / "build/runs/fair/seed0.json"
    voucher = Voucher.read(path)
    arrays, sent = change(path.with_suffix(".npz").read_bytes(), replace(voucher, environment=None))
    made = {"runs/fair/seed0.npz": arrays, "runs/fair/seed0.json": sent.as_bytes()}
    described = {**voucher.environment, **(machine or {})}
    message = messages.of_outcome(Outcome(made, 1.0, 2, "", described, 0.5))
    return messages.outcome_from(message)


def with_part(voucher, part):
    return replace(voucher, fingerprint={**voucher.fingerprint, part: "0"})


@pytest.fixture
def job(accepted, monkeypatch):
    monkeypatch.syspath_prepend(str(accepted.root / "src"))
    return next(j for j in workflow.jobs(Project.load(accepted.root)) if j.name == "fair/seed0")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (
            lambda a, v: (archives.pack_arrays({"mean": np.float64(1)}), v),
            "not those that its voucher vouches for",
        ),
        (lambda a, v: (b"x", replace(v, arrays=files.sha256(b"x"))), "is no .npz file"),
        (
            lambda a, v: (a, replace(v, fingerprint={**v.fingerprint, "parameters": "0"})),
            "than the plan says",
        ),
        (lambda a, v: (a, replace(v, fingerprint={**v.fingerprint, "file ../x": "0"})), "no name of a file"),
    ],
)
def test_what_was_not_asked_for_is_not_stored(accepted, job, tmp_path, change, told):
    project = replace(Project.load(accepted.root), output=tmp_path)
    moved = replace(job, product=replace(job.product, project=project))
    with pytest.raises(MeasuredError, match=told):
        workflow._store(project, moved, outcome_of(accepted.root, change=change))
    assert list(tmp_path.rglob("*.npz")) == []


def test_another_class_of_cpu_is_allowed_written_down_and_looked_at_later(accepted, job, tmp_path):
    project = replace(Project.load(accepted.root), output=tmp_path)
    moved = replace(job, product=replace(job.product, project=project))
    for machine, taken in (({"cpu_features": ["ASIMD"], "machine": "aarch64"}, True), ({}, False)):
        workflow._store(project, moved, outcome_of(accepted.root, machine))
        stored = Voucher.read(moved.product.files[1])
        assert stored.taken is taken
        assert stored.environment["machine"] == machine.get("machine", stored.environment["machine"])
