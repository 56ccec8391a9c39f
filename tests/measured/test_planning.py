"""What is fresh, what comes next, and what becomes of what a worker hands back; in one process."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pytest

from gated import Gated, experiment
from measured import archives, files
from measured.archives import pack_arrays
from measured.errors import MeasuredError
from measured.making import costs, fingerprint, progress, running, workflow
from measured.making.costs import Costs
from measured.making.environment import describe
from measured.making.made import Fresh, Stale, made
from measured.making.products import RunProduct
from measured.making.work import Order, Outcome
from measured.making.workflow import Job
from measured.terms.drawing import Plot
from measured.terms.experiment import Run


@dataclass
class Thing:
    """A product whose inputs and state a test sets."""

    name: str = "thing"
    now: dict = field(default_factory=lambda: {"parameters": "a"})
    was: dict | None = None
    files: tuple[Path, ...] = ()
    broken: str = ""

    def inputs(self):
        return self.now

    def found(self):
        if self.broken:
            raise MeasuredError(self.broken)
        return self.was


def test_a_product_is_fresh_while_it_is_what_its_inputs_make(tmp_path):
    assert made(Thing(), tmp_path) == Stale("never made")
    assert made(Thing(broken="its files are not whole"), tmp_path) == Stale("its files are not whole")
    assert made(Thing(was={"parameters": "a"}), tmp_path) == Fresh()
    assert made(Thing(was={"parameters": "b"}), tmp_path) == Stale("parameters changed")
    assert made(Thing(was={"parameters": "a", "package x": "1"}), tmp_path) == Stale("package x is gone")
    assert made(Thing(was={}), tmp_path) == Stale("parameters is new")


def test_what_was_read_of_the_project_is_read_again(tmp_path):
    data = tmp_path / "data.csv"
    data.write_text("1\n", encoding="utf-8")
    thing = Thing(was={"parameters": "a", "file data.csv": fingerprint.hash_of_file(data)})
    assert made(thing, tmp_path) == Fresh()
    data.write_text("2\n", encoding="utf-8")
    assert made(thing, tmp_path) == Stale("file data.csv changed")


def test_three_changes_are_named_and_the_others_counted(tmp_path):
    for count, told in ((3, "p0 changed, p1 changed, p2 changed"), (5, "p2 changed and 2 more")):
        old = {f"p{i}": "old" for i in range(count)}
        found = made(Thing(now={name: "new" for name in old}, was=old), tmp_path)
        assert found.why.endswith(told)


# Hashes of code


def code(tmp_path, text):
    path = tmp_path / "module.py"
    path.write_text(text, encoding="utf-8")
    return fingerprint.hash_of_code(path)


def test_comments_docstrings_and_layout_are_no_code(tmp_path):
    plain = code(tmp_path, "def f(x):\n    return x + 1\n")
    assert code(tmp_path, '"""M."""\n\n# c\ndef f(x):\n    """F."""\n    return (x + 1)\n') == plain
    assert code(tmp_path, "def f(x):\n    return x + 2\n") != plain
    assert code(tmp_path, "def f(x):\n    'a'\n    return x + 1\n") == plain
    assert code(tmp_path, "def f(x):\n    y = 'a'\n    return x + 1\n") != plain
    assert code(tmp_path, "def f(:\n") != code(tmp_path, "def g(:\n")
    assert fingerprint.hash_of_code(tmp_path / "gone.py") == "absent"
    assert fingerprint.hash_of_file(tmp_path / "gone.py") == "absent"


def test_line_ends_are_no_content(tmp_path):
    (tmp_path / "a").write_bytes(b"1\r\n2\r\n")
    (tmp_path / "b").write_bytes(b"1\n2\n")
    assert fingerprint.hash_of_file(tmp_path / "a") == fingerprint.hash_of_file(tmp_path / "b")


def test_what_is_not_installed_is_named():
    with pytest.raises(MeasuredError, match="no-such-thing is not installed"):
        fingerprint.of_software(("no-such-thing",))
    found = fingerprint.of_software(("numpy",))
    assert sorted(found) == ["package numpy", "python"]
    assert found["python"] == fingerprint.python_version()


def test_parameters_are_hashed_as_plain_data():
    assert fingerprint.plain_json({"b": (1, 2), "a": 1}) == fingerprint.plain_json({"a": 1, "b": [1, 2]})
    assert fingerprint.plain_json({"a": range(2)}) == fingerprint.plain_json({"a": [0, 1]})
    with pytest.raises(MeasuredError, match="object object at .* is no plain data"):
        fingerprint.plain_json({"a": object()})


def test_hashes_are_kept_and_taken_from_there(tmp_path):
    module, kept = tmp_path / "module.py", tmp_path / "code.json"
    module.write_text("X = 1\n", encoding="utf-8")
    code = fingerprint.CodeHashes(kept)
    first = code.of(module)
    code.keep()
    assert archives.read_sealed(kept)["hashes"] == {files.sha256(module.read_bytes()): first}
    assert first == fingerprint.CodeHashes(kept).of(module) == fingerprint.hash_of_code(module)
    kept.write_text("{", encoding="utf-8")
    assert fingerprint.CodeHashes(kept).of(module) == first
    assert fingerprint.CodeHashes(kept).of(tmp_path / "gone.py") == "absent"


def test_kept_hashes_count_for_the_same_python_and_for_whoever_keeps_them_alone(tmp_path):
    module, kept = tmp_path / "module.py", tmp_path / "code.json"
    module.write_text("X = 1\n", encoding="utf-8")
    known = {files.sha256(module.read_bytes()): "kept"}
    for python, expected in (
        (fingerprint.python_version(), "kept"),
        ("CPython 2.7", fingerprint.hash_of_code(module)),
    ):
        files.write_json(kept, archives.sealed({"python": python, "hashes": known}))
        assert fingerprint.Sources((), fingerprint.CodeHashes(kept)).hash_of(module) == expected
        assert fingerprint.Sources(()).hash_of(module) == fingerprint.hash_of_code(module) != "kept"


def test_what_read_code_before_is_asked_of_whoever_keeps_its_hashes(tmp_path):
    module, kept = tmp_path / "module.py", tmp_path / "code.json"
    module.write_text("X = 1\n", encoding="utf-8")
    known = {files.sha256(module.read_bytes()): "kept"}
    files.write_json(kept, archives.sealed({"python": fingerprint.python_version(), "hashes": known}))
    code = fingerprint.CodeHashes(kept).of
    thing = Thing(was={"parameters": "a", "code module.py": "kept"})
    assert made(thing, tmp_path, code) == Fresh()
    assert made(thing, tmp_path) == Stale("code module.py changed")
    module.write_text("X = 2\n", encoding="utf-8")
    assert made(thing, tmp_path, code) == Stale("code module.py changed")


def test_a_digest_is_that_of_what_is_there_in_any_order():
    assert fingerprint.digest({"a": "1", "b": "2"}) == fingerprint.digest({"b": "2", "a": "1"})
    assert fingerprint.digest({"a": "1"}) != fingerprint.digest({"a": "2"})


# Plans


@pytest.fixture
def gated(tmp_path, monkeypatch):
    project = Gated(tmp_path, monkeypatch)
    runs = tuple(Run(f"seed{s}", experiment, {"name": "a", "seed": s}, in_quick=s < 1) for s in (0, 1))
    project.module.EXPERIMENTS = [experiment("dice", runs=runs), experiment("coins")]
    project.module.FIGURES = [Plot("dice.means", experiment, ("dice",)), Plot("both", experiment, ("coins",))]
    return project


def planned(gated, **more):
    return {j.name: j for j in workflow.jobs(replace(gated.project, figures="gated_registry", **more))}


def test_a_plan_names_each_thing_what_it_waits_for_and_why_it_is_made(gated):
    found = planned(gated)
    assert list(found) == ["dice/seed0", "dice/seed1", "dice", "coins", "figure dice.means", "figure both"]
    assert found["dice/seed0"].why == "never made"
    assert found["dice"].after == ("dice/seed0", "dice/seed1")
    assert found["dice"].why.startswith("declaration is new")
    assert found["figure dice.means"].after == ("dice",)
    assert found["figure dice.means"].why == "never made"
    assert (found["dice/seed0"].order.kind, found["dice"].order.kind) == ("run", "record")
    assert found["figure both"].order.kind == "figure"
    lists = {name: (j.order.project.experiments, j.order.project.figures) for name, j in found.items()}
    assert (
        lists["dice/seed0"] == lists["dice"] == ("gated_registry", "")
    )  # what it does not make is not imported
    assert lists["figure both"] == ("", "gated_registry")
    assert found["figure both"].order.project.declared == {}
    assert found["dice/seed0"].model == found["dice/seed1"].model == 'gated.experiment {"name": "a"}'
    assert found["dice"].makes[0] == gated.project.records / "dice.json"
    assert list(planned(gated, quick=True))[:2] == ["dice/seed0", "dice"]
    assert workflow.stale(gated.project).keys() >= {"dice/seed0", "dice", "coins"}


def test_runs_that_differ_in_their_seed_alone_differ_in_their_parameters(gated):
    found = planned(gated)
    one, other = (found[name].product.inputs() for name in ("dice/seed0", "dice/seed1"))
    assert {name for name in one if one[name] != other[name]} == {"parameters"}
    assert found["dice/seed0"].order.shares == "gated.experiment"
    assert found["figure both"].seconds == 1.0


def test_a_record_is_fresh_until_its_runs_are_made_anew_or_it_is_a_quick_one(gated):
    for name, why in (("coins", ""), ("dice", "2 of its runs are made anew")):
        values = gated.project.read_records()[name].measurements.values()
        gated.measure(name, values, fingerprint=planned(gated)[name].product.inputs())
        assert planned(gated)[name].why == why
    gated.measure("coins", gated.project.read_records()["coins"].measurements.values(), mode="quick")
    found = planned(gated)["coins"]
    assert (found.why, dict(found.found)) == ("it is a quick record", {})
    with pytest.raises(MeasuredError, match="it is a quick record") as caught:
        found.product.found()
    assert caught.value.path == found.product.files[0]


def test_a_figure_is_fresh_while_its_files_are_whole(gated):
    product = planned(gated)["figure both"].product
    voucher, *others = product.files
    for path in others:
        files.write_text(path, path.name)
    made_of = {p.name: files.sha256(p.name.encode()) for p in others}
    data = {"name": "both", "alt": "x", "fingerprint": product.inputs(), "files": made_of}
    files.write_json(voucher, archives.sealed(data))
    assert made(product, gated.root) == Fresh()
    files.write_text(others[0], "touched")
    assert made(product, gated.root) == Stale("changed by hand")
    files.write_text(others[0], others[0].name)
    files.write_json(voucher, archives.sealed({**data, "fingerprint": {}}))
    assert "is new" in made(product, gated.root).why


def test_what_a_record_took_before_is_what_it_may_take(gated):
    files.write_json(gated.project.timings / "dice.json", {"seconds": 42.0})
    assert planned(gated)["dice"].seconds == 42.0
    assert planned(gated)["coins"].seconds == workflow.UNKNOWN_SECONDS


def test_hashes_of_code_are_kept_with_what_is_built(gated):
    sources = workflow.sources_of(gated.project)
    sources.hash_of(Path(__file__))
    sources.code.keep()
    assert list(gated.project.build.rglob("code.json"))


def test_what_is_stale_after_the_work_is_named(gated):
    with pytest.raises(
        MeasuredError, match=r"4 things are stale after they were made:\n  dice/seed0: never made"
    ):
        workflow.refuse_stale(gated.project)


def test_hashes_that_somebody_has_are_asked_when_all_is_planned_again(gated):
    class Counting(fingerprint.CodeHashes):
        asked = 0

        def of(self, path):
            self.asked += 1
            return super().of(path)

    code = Counting(gated.project.build / "cache" / "code.json")
    with pytest.raises(MeasuredError, match="are stale"):
        workflow.refuse_stale(gated.project, code)
    assert code.asked


def measure_anew(gated, name, **read):
    """As a build would: the record is what the plan asks for, and what it read is known."""
    values = gated.project.read_records()[name].measurements.values()
    gated.measure(name, values, fingerprint={**planned(gated)[name].product.inputs(), **read})


def test_what_a_record_read_of_the_project_is_looked_at_in_every_plan(gated):
    data = gated.root / "data.csv"
    data.write_text("1\n", encoding="utf-8")
    measure_anew(gated, "coins", **{"file data.csv": fingerprint.hash_of_file(data)})
    found = planned(gated)["coins"]
    assert (found.why, found.found.keys()) == ("", {*found.product.inputs(), "file data.csv"})
    data.write_text("2\n", encoding="utf-8")
    assert planned(gated)["coins"].why == "file data.csv changed"


def test_a_figure_waits_for_the_records_that_are_made_anew_and_for_no_others(gated):
    measure_anew(gated, "coins")
    gated.module.FIGURES = [Plot("all", experiment, ("coins", "dice"))]
    voucher, *others = planned(gated)["figure all"].product.files
    for path in others:
        files.write_text(path, path.name)
    data = {
        "name": "all",
        "alt": "x",
        "fingerprint": planned(gated)["figure all"].product.inputs(),
        "files": {path.name: files.sha256(path.name.encode()) for path in others},
    }
    files.write_json(voucher, archives.sealed(data))
    assert planned(gated)["figure all"].why == "record dice is made anew"


def test_a_figure_without_a_voucher_that_can_be_read_says_which(gated):
    product = planned(gated)["figure both"].product
    for path in product.files:
        files.write_text(path, "{")
    with pytest.raises(MeasuredError, match="its voucher is cut short") as caught:
        product.found()
    assert caught.value.path == product.files[0]
    files.write_json(product.files[0], archives.sealed({"fingerprint": {}}))
    with pytest.raises(MeasuredError, match="its files are not whole") as caught:
        product.found()
    assert caught.value.path == product.files[0]


def test_a_record_is_known_by_what_vouches_for_its_arrays(gated):
    product = planned(gated)["coins"].product
    record, arrays = product.files
    before = product.identity()
    arrays.write_bytes(arrays.read_bytes() + b"x")
    assert product.identity() == before
    record.write_bytes(record.read_bytes() + b"\n")
    assert product.identity() != before
    record.unlink()
    assert product.identity() == ""


def test_a_record_that_was_taken_over_is_made_anew_where_all_is_measured_here(gated):
    measure_anew(gated, "coins")
    product = planned(gated)["coins"].product
    product.mark.write_text(files.sha256(product.files[0].read_bytes()), encoding="utf-8")
    for all_here, why in ((False, ""), (True, "it was taken over, not measured here")):
        found = {job.name: job for job in workflow.jobs(gated.project, all_here=all_here)}
        assert found["coins"].why == why


def job(name, after=(), seconds=1.0, model="", files=()):
    order = Order(None, "run", model or name)
    return Job(name, Thing(name, files=tuple(files)), "never made", tuple(after), order, seconds, model)


def order_of(jobs, workers=1):
    schedule, done = workflow.Schedule(jobs), []
    while (found := schedule.next_for(len(done) % workers)) is not None:
        done.append(found.name)
        schedule.finish(found)
    return done


def test_what_waits_comes_later_and_the_longest_first():
    jobs = [job("record", ["a", "b"]), job("a", seconds=1), job("b", seconds=5), job("figure", ["record"])]
    assert order_of(jobs) == ["b", "a", "record", "figure"]
    assert order_of([job("alone", ["fresh already"])]) == ["alone"]


def test_a_few_steps_of_a_model_are_not_expected_to_take_what_its_training_may(gated):
    def expected(quick, **smaller):
        project = replace(gated.project, quick=quick)
        dice = project.declared["dice"]
        run = replace(dice.runs[0], quick=smaller, seconds=80)
        product = RunProduct(project, dice, run, workflow.sources_of(project))
        return workflow._run_job(project, product, Costs.of(project), False)

    assert expected(quick=False, draws=2).seconds == expected(quick=True).seconds == 8
    few = expected(quick=True, draws=2)
    assert (few.seconds, few.order.compiles) == (workflow.SMALL_SECONDS, False)
    assert few.model.endswith('{"draws": 2, "name": "a"}')
    assert expected(quick=False, draws=2).model.endswith('{"name": "a"}')


class Handing:
    """An executor that hands back, for each run, the place that it had in line, and what else it says."""

    workers = 1

    def __init__(self, read=None, **said):
        self.made, self.read, self.said = [], read or {}, said

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    def takes(self, worker, kind):
        return True

    def submit(self, worker, order):
        self.made.append(order.run)
        packed = pack_arrays({"place": np.array(len(self.made))})
        voucher = files.json_bytes(running.voucher_of({**order.inputs, **self.read}, packed))
        stem = f"runs/{order.name}/{order.run}"
        done = Future()
        done.set_result(Outcome({f"{stem}.npz": packed, f"{stem}.json": voucher}, 1.0, 1, **self.said))
        return done


def first_run(gated):
    return [job for name, job in planned(gated).items() if name == "dice/seed0"]


def test_what_a_run_read_elsewhere_is_compared_with_what_stands_here(gated):
    data = gated.root / "data.csv"
    for here, stands in (("1", True), ("2", False)):
        data.write_text(here, encoding="utf-8")
        executor = Handing({"file data.csv": files.sha256(b"1")})
        if stands:
            workflow.make(gated.project, first_run(gated), executor, str)
            assert planned(gated)["dice/seed0"].why == ""
        else:
            with pytest.raises(MeasuredError, match=r"than the plan says: file data\.csv changed"):
                workflow.make(gated.project, first_run(gated), executor, str)


def test_a_run_made_by_another_kind_of_machine_is_known_for_one_that_was_taken_over(gated):
    here = describe(gated.project.versions)
    other = {**here, "cpu_features": [*here["cpu_features"], "more"]}
    for environment, elsewhere, taken in (
        (here, True, False),
        (other, True, True),
        (other, False, False),
        (here, False, False),
    ):
        executor = Handing(environment=environment, elsewhere=elsewhere)
        workflow.make(gated.project, first_run(gated), executor, str)
        product = planned(gated)["dice/seed0"].product
        assert product.taken is taken
        assert product.voucher().environment == environment


def test_runs_that_are_called_the_same_with_the_same_are_made_once(gated):
    def over_lengths(function):
        names = {f"{function.__name__}{length}": length for length in (3, 4)}
        return [Run(name, function, {"length": n}, quick={"length": 2}) for name, n in names.items()]

    gated.module.EXPERIMENTS = [experiment("dice", runs=(*over_lengths(planned), *over_lengths(experiment)))]
    for quick, count in ((False, 4), (True, 2)):
        jobs = [j for name, j in planned(gated, quick=quick).items() if "/" in name]
        executor = Handing()
        workflow.make(replace(gated.project, quick=quick), jobs, executor, lambda _: None)
        assert len(executor.made) == count
        assert not [job for name, job in planned(gated, quick=quick).items() if "/" in name and job.why]


def test_where_nothing_was_done_a_committed_table_says_what_it_may_take_in_proportion(gated):
    table = {"seconds": {"dice": 10.0, "coins": 4.0, "odd": "x", "worse": True, "less": -1}}
    files.write_json(gated.root / "tests/costs.json", table)
    assert planned(gated)["dice"].seconds == 10.0
    assert planned(gated, quick=True)["coins"].seconds == workflow.UNKNOWN_SECONDS
    files.write_json(gated.project.timings / "dice.json", {"seconds": 30.0})
    assert (planned(gated)["dice"].seconds, planned(gated)["coins"].seconds) == (30.0, 12.0)
    assert Costs.of(gated.project).seconds("odd") is Costs.of(gated.project).seconds("worse") is None
    files.write_json(gated.project.timings / "no_longer_declared.json", {"seconds": 5.0})
    declared = workflow.timings_of(planned(gated).values())
    assert costs.write(gated.project, declared) == 1
    assert Costs.of(gated.project).table == {"dice": 30.0}
    files.write_json(gated.project.timings / "dice.json", {"seconds": 30.0, "processor": 20.0})
    assert costs.write(gated.project, declared) == 1
    assert Costs.of(gated.project).table == {"dice": 20.0}
    files.write_text(gated.root / "tests/costs.json", "[")
    assert Costs.of(gated.project).table == {}


def test_a_first_look_leaves_out_what_declares_nothing_smaller_and_takes_long(gated):
    assert set(planned(gated, quick=True)) >= {"dice", "dice/seed0", "figure both"}
    files.write_json(gated.root / "tests/costs.json", {"seconds": {"dice.seed0": 4.0}})
    assert "dice" in planned(gated, quick=True)
    files.write_json(gated.root / "tests/costs.json", {"seconds": {"dice.seed0": 40.0}})
    assert set(planned(gated, quick=True)) == {"coins", "figure both"}
    assert "dice" in planned(gated)


def test_light_work_comes_first_and_one_model_stays_with_one_worker():
    jobs = [job(f"{m}{i}", seconds=9 if m == "x" else 5, model=m) for m in "xy" for i in range(2)]
    assert order_of([*jobs, job("light")]) == ["light", "y0", "y1", "x0", "x1"]
    schedule = workflow.Schedule(jobs)
    assert [schedule.next_for(worker).name for worker in (0, 1, 0, 1)] == ["y0", "x0", "y1", "x1"]
    assert schedule.next_for(0) is None


def test_of_one_experiment_the_longer_model_and_of_all_the_lightest_experiment_comes_first():
    def of(experiment, model, *seconds):
        jobs = [job(f"{model}{i}", seconds=s, model=model) for i, s in enumerate(seconds)]
        return [replace(each, order=Order(None, "run", experiment)) for each in jobs]

    jobs = [*of("heavy", "x", 2), *of("heavy", "y", 3, 3), *of("light", "z", 4)]
    assert order_of(jobs) == ["z0", "y0", "y1", "x0"]


def test_what_reads_a_run_that_is_made_under_another_name_waits_for_that_one(gated):
    runs = tuple(Run(name, experiment, {"name": "a"}) for name in ("first", "second"))
    gated.module.EXPERIMENTS = [experiment("dice", runs=runs)]
    once, twins = workflow._made_once(j for name, j in planned(gated).items() if name.startswith("dice"))
    assert {j.name: j.after for j in once} == {"dice/first": (), "dice": ("dice/first", "dice/first")}
    assert [j.name for j in twins["dice/first"]] == ["dice/second"]


def test_a_worker_begins_only_what_it_takes():
    drawing = replace(job("b", model="y"), order=Order(None, "figure", "b"))
    schedule = workflow.Schedule([job("a", model="x"), drawing])
    assert schedule.next_for(0, lambda worker, kind: kind == "figure").name == "b"
    assert schedule.next_for(0, lambda worker, kind: kind == "figure") is None
    assert schedule.next_for(1, lambda worker, kind: (worker, kind) == (1, "run")).name == "a"


def test_what_waits_for_a_failure_never_begins():
    jobs = [job("a"), job("record", ["a"])]
    schedule = workflow.Schedule(jobs)
    assert schedule.next_for(0).name == "a"  # and is never finished
    assert schedule.next_for(0) is None


# Making, with an executor that works at once


class AtOnce:
    workers = 1

    def __init__(self, outcomes):
        self.outcomes, self.asked = outcomes, []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None

    def takes(self, worker, kind):
        return True

    def submit(self, worker, order):
        assert worker == 0
        self.asked.append((order.name, dict(order.inputs)))
        future, found = Future(), self.outcomes[order.name]
        if isinstance(found, Exception):
            future.set_exception(found)
        else:
            future.set_result(found)
        return future


def outcome(*names):
    return Outcome(files={name: name.encode() for name in names}, seconds=1.5, memory=7)


def make(gated, jobs, outcomes):
    executor = AtOnce(outcomes)
    try:
        workflow.make(gated.project, jobs, executor, lambda _: None)
    finally:
        gated.asked = executor.asked
    return executor.asked


def test_what_a_worker_hands_back_is_stored_with_what_it_took(gated):
    build = gated.project.build
    jobs = [job("a", files=[build / "runs/a.npz"]), job("b", ["a"], files=[build / "records/b.json"])]
    asked = make(gated, jobs, {"a": outcome("runs/a.npz"), "b": outcome("records/b.json")})
    assert asked == [("a", {"parameters": "a"}), ("b", {"parameters": "a"})]
    assert (build / "runs/a.npz").read_bytes() == b"runs/a.npz"
    assert '"seconds": 1.5' in (gated.project.timings / "a.json").read_text()
    assert Costs.of(gated.project).seconds("a") == 1.5
    assert Costs.of(gated.project).seconds("none") is None


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (MeasuredError("it diverged"), "it diverged"),
        (ZeroDivisionError("by zero"), "a: Traceback"),
        (type("BrokenProcessPool", (Exception,), {})("x"), "a: its process was killed"),
    ],
)
def test_a_failure_is_told_and_what_waits_for_it_is_not_begun(gated, error, told):
    build = gated.project.build
    jobs = [job("a"), job("c", files=[build / "c"]), job("b", ["a"])]
    with pytest.raises(MeasuredError) as caught:
        make(gated, jobs, {"a": error, "c": outcome("c")})
    assert told in str(caught.value)
    assert str(caught.value).endswith("\nwhat failed is tried again by the next build; what was made stays")
    assert [name for name, _ in gated.asked] == ["a", "c"]
    assert (build / "c").exists()


def test_each_failure_has_a_line_and_each_job_a_name_while_it_is_made(gated, monkeypatch):
    begun = []

    said = []
    monkeypatch.setattr(progress, "EVERY", 0)

    class Watched(workflow.Progress):
        def begins(self, worker, name):
            begun.append((worker, name))
            super().begins(worker, name)

    monkeypatch.setattr(workflow, "Progress", Watched)
    outcomes = {"a": MeasuredError("no"), "b": MeasuredError("neither")}
    with pytest.raises(MeasuredError) as caught:
        workflow.make(gated.project, [job("a"), job("b")], AtOnce(outcomes), said.append)
    assert str(caught.value).splitlines()[:2] == ["no", "neither"]
    assert begun == [(0, "a"), (0, "b")]
    assert [line.split(", ")[0] for line in said] == ["  1 of 2 done"]


def test_a_failure_that_names_no_file_is_told_where_its_experiment_is_declared(gated, monkeypatch):
    asked = replace(job("a"), order=Order(None, "run", "dice"))
    whole = MeasuredError("it diverged", expected="a lower rate", mend="lower it")
    elsewhere = MeasuredError("it diverged", path=Path("other.py"), line=1)
    for place, error, told in (
        ((Path("lab.py"), 7), whole, "lab.py:7: it diverged\n  expected: a lower rate\n  to mend: lower it"),
        ((Path("lab.py"), 7), elsewhere, "other.py:1: it diverged"),
        (None, whole, "it diverged\n  expected: a lower rate\n  to mend: lower it"),
    ):
        monkeypatch.setattr(workflow, "declaration_of", lambda *_, place=place: place)
        with pytest.raises(MeasuredError) as caught:
            make(gated, [asked], {"dice": error})
        assert str(caught.value).startswith(f"{told}\nwhat failed")


def test_a_worker_that_made_nothing_or_something_else_is_an_error(gated):
    build = gated.project.build
    for handed, told in (((), "a: the worker made nothing"), (("x",), "a: the worker made x")):
        with pytest.raises(MeasuredError, match=told) as caught:
            make(gated, [job("a", files=[build / "a.npz"])], {"a": outcome(*handed)})
        assert "expected: a.npz" in str(caught.value)
    assert not (build / "a.npz").exists()


def test_records_and_figures_that_nothing_declares_are_pruned(gated):
    found = list(planned(gated).values())
    assert workflow.prune(gated.project, found) == []
    without = [j for j in found if j.name != "coins"]
    gone = workflow.prune(gated.project, without)
    assert sorted(path.name for path in gone) == ["coins.json", "coins.npz"]
    assert not gone[0].exists()
    assert (gated.project.records / "dice.json").exists()
