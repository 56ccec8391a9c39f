"""Builds gone through without the work: by the engine's own order, with what machines cost besides."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from attention_from_scratch.experiments import building
from measured.simulation import Machines, Work, critical_path, seconds_with

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

import bench_workers  # noqa: E402

FREE = Machines(0.0, 0.0, 0.0, 0.0)


def runs(count, seconds=10.0, model="m"):
    names = [f"run{n}" for n in range(count)]
    work = [Work(name, "e", seconds, model) for name in names]
    return [*work, Work("record", "e", 3.0, "", tuple(names))]


@pytest.mark.parametrize(("workers", "seconds"), [(1, 43), (2, 23), (4, 13), (9, 13)])
def test_work_without_any_price_is_shared_out(workers, seconds):
    assert seconds_with(workers, runs(4), FREE) == pytest.approx(seconds)
    assert critical_path(runs(4), FREE) == 13


def test_each_worker_starts_compiles_and_sends():
    machines = Machines(start=7.0, compile=4.0, transfer=1.0, hand_out=0.0)
    assert seconds_with(1, runs(2), machines) == pytest.approx(7 + 4 + 11 + 11 + 4)
    assert seconds_with(2, runs(2), machines) == pytest.approx(7 + 4 + 11 + 4)
    assert critical_path(runs(2), machines) == pytest.approx(7 + 4 + 11 + 4)


def test_one_process_hands_out_and_limits_the_rest():
    assert seconds_with(100, runs(100, 1.0, ""), Machines(0, 0, 0, 0.1)) == pytest.approx(
        100 * 0.1 + 1 + 0.1 + 3
    )


def test_a_table_of_costs_names_runs_records_and_figures():
    table = {"e": 3.0, "e.a.seed0": 10.0, "e.a.seed1": 6.0, "e.b": 1.0, "figure e.plot": 2.0}
    found = {one.name: one for one in building.work_of(table, 4.0)}
    assert found["e.a.seed0"] == Work("e.a.seed0", "e", 8.0, "e.a")
    assert found["e.b"].seconds == pytest.approx(0.1)  # no model compiles longer than its run took
    assert found["e"].after == ("e.a.seed0", "e.a.seed1", "e.b")
    assert found["figure e.plot"] == Work("figure e.plot", "e", 2.0, "", ("e",))


def test_what_the_clock_said_of_one_experiment_stands_beside_the_simulation_of_it():
    work = [*runs(4), Work("figure e", "e", 50.0, "", ("record",)), Work("other", "other", 99.0)]
    timed = {"experiment": "e", "machine": "a machine", "seconds": {"1": 30.0, "2": 16.0}}
    found = {m.id: m.value for m in building._timed(timed, work, FREE)}
    assert found == {
        "building.timed.experiment": "e",
        "building.timed.machine": "a machine",
        "building.timed.clock": "1.88",
        "building.timed.simulated": pytest.approx(43 / 23),
    }
    none_yet = {m.id: m.value for m in building._timed({**timed, "machine": "", "seconds": {}}, work, FREE)}
    assert {v for k, v in none_yet.items() if k.endswith(("machine", "clock"))} == {building.NOT_TIMED}


def test_a_time_is_stored_where_nobody_else_took_the_processor(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(building, "TIMED", tmp_path / "workers.json")
    monkeypatch.setattr(bench_workers, "ROOT", tmp_path)
    monkeypatch.setattr(bench_workers.Project, "load", lambda root: None)
    monkeypatch.setattr(bench_workers, "made_by", lambda project, name, count: 60.0 / count)
    cores = bench_workers.os.cpu_count()
    for others, stored in ((0.2, False), (0.01, True)):
        looks = iter([(0.0, 0.0, 0.0), (100.0 + others * 100 * cores, 100.0, 100.0)])
        monkeypatch.setattr(bench_workers, "busy", lambda looks=looks: next(looks))
        assert bench_workers.main(["--store"]) == (0 if stored else 1)
        assert building.TIMED.exists() is stored
        assert f"others took {others:.0%}" in capsys.readouterr().out
    timed = bench_workers.json.loads(building.TIMED.read_text())
    assert (timed["experiment"], timed["seconds"]) == ("padding", {"1": 60.0, "2": 30.0})
    assert building._timed(timed, building.work_of({"padding": 1.0}, 4.0), FREE)[2].value == "2.00"
