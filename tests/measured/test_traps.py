"""The traps that other tools fell into, planted in the sample project one at a time."""

from __future__ import annotations

import json
import resource
import shutil
import subprocess
import sys
import time

import pytest

from samples import SAMPLE, make_accepted

FRESH = "plan: 0 of 6 to make"


def fails_and_keeps_the_site(sample, *expected, arguments=()):
    before = sample.tree("site")
    result = sample.build(*arguments)
    assert result.returncode == 1, result.stdout
    for text in expected:
        assert text in result.stdout, result.stdout
    assert "Traceback (most recent call last)" not in result.stdout, result.stdout
    assert sample.tree("site") == before
    return result


def make(sample):
    """What a build does before it looks at pages."""
    return sample.run("make", "--workers", "1")


def test_nothing_changed_makes_nothing_and_loads_nothing_heavy(sample):
    watch = (
        "import sys; from pathlib import Path; from measured import build, project;"
        "build.build(project.Project.load(Path('.')), print);"
        "print('HEAVY', sorted({m.split('.')[0] for m in sys.modules} &"
        " {'tensorflow', 'keras', 'matplotlib', 'loky', 'rich', 'pytest', 'jupytext', 'IPython'}))"
    )
    result = subprocess.run([sys.executable, "-c", watch], **sample.options({}))
    assert FRESH in result.stdout, result.stdout
    assert "HEAVY []" in result.stdout, result.stdout


def test_a_site_that_somebody_touched_is_published_again(sample):
    assert "nothing that goes into site/ has changed" in sample.build().stdout
    page = sample.root / "site/index.html"
    whole = page.read_bytes()
    page.write_bytes(whole.replace(b"mean", b"median"))
    assert "published: site/" in sample.build().stdout
    assert page.read_bytes() == whole


def test_a_prose_edit_remakes_nothing_and_shows_at_once(sample):
    sample.edit("docs/index.md", "The mean is middling.", "The mean is quite middling.")
    result = sample.build()
    assert result.returncode == 0, result.stdout
    assert FRESH in result.stdout
    assert "quite middling" in sample.read("site/index.html")


def test_an_edited_helper_remakes_its_records(sample):
    sample.edit("src/dice/throwing.py", "SIDES + 1, draws)", "SIDES + 1, draws)[::-1]")
    result = make(sample)
    assert "fair/seed0: module dice.throwing changed" in result.stdout
    assert "  fair: module dice.throwing changed" in result.stdout
    assert result.returncode == 0, result.stdout


def test_an_edited_analysis_repeats_no_run(sample):
    sample.edit("src/dice/fair.py", '"sides of the die"', '"how many sides the die has"')
    result = make(sample)
    assert "plan: 2 of 6 to make" in result.stdout
    assert "fair/seed0" not in result.stdout


def test_a_changed_parameter_remakes_the_record(sample):
    sample.edit("src/dice/fair.py", '"draws": 600', '"draws": 601')
    result = sample.build()
    assert "parameters changed" in result.stdout
    assert "drift in fair" in result.stdout
    assert result.returncode == 1


def test_a_changed_palette_redraws_and_remeasures_nothing(sample):
    sample.edit("palette.json", "#a8400f", "#a8410f")
    result = sample.build()
    assert result.returncode == 0, result.stdout
    assert "plan: 1 of 6 to make" in result.stdout
    assert "figure fair.counts: file palette.json changed" in result.stdout
    assert "#a8410f" in sample.read("site/data/figures/fair.counts.light.svg")


def test_a_changed_lock_remakes_nothing(sample):
    sample.edit("requirements.lock", "numpy==0", "numpy==1")
    assert FRESH in sample.run("plan").stdout


def test_line_ends_of_another_system_change_nothing(sample):
    path = sample.root / "src/dice/throwing.py"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert FRESH in sample.build().stdout


def test_a_value_outside_its_tolerance_stops_the_build(sample):
    stored = sample.read("tests/regressions/fair.yml")
    value = float(stored.split("fair.mean:\n  value: ")[1].split("\n")[0])
    sample.edit("tests/regressions/fair.yml", f"value: {value!r}", f"value: {value + 1e-6!r}")
    fails_and_keeps_the_site(sample, f"fair.mean  {value!r}  {value + 1e-6!r}", "sums may round")
    sample.edit("tests/regressions/fair.yml", f"value: {value + 1e-6!r}", f"value: {value + 1e-10!r}")
    assert sample.build().returncode == 0


def test_a_loosened_tolerance_is_drift_too(sample):
    sample.edit("src/dice/fair.py", "atol=1e-9", "atol=1e-1")
    fails_and_keeps_the_site(
        sample, "fair.mean  close rtol=0.0 atol=0.1  close rtol=0.0 atol=1e-09", "without being accepted"
    )


def test_a_new_and_a_lost_measurement_stop_the_build(sample):
    sample.edit("src/dice/fair.py", '"fair.sides", SIDES', '"fair.faces", SIDES')
    sample.edit("src/dice/fair.py", 'Cell("fair.sides")', 'Cell("fair.faces")')
    sample.edit("src/dice/drawing.py", "fair.sides", "fair.faces")
    result = fails_and_keeps_the_site(sample, "fair.faces  6         nothing")
    assert "fair.sides  nothing   6" in result.stdout


def test_a_deleted_experiment_fails_by_its_stored_values(sample):
    sample.edit("src/dice/registry.py", "fair.EXPERIMENT, ", "")
    sample.edit(
        "src/dice/registry.py", 'FIGURES = [Plot("fair.counts", drawing.counts, ("fair",))]', "FIGURES = []"
    )
    result = fails_and_keeps_the_site(sample, "fair  no record  5 values")
    assert "removed build/records/fair.json" in result.stdout


def test_references_to_a_deleted_experiment_fail(sample):
    sample.edit("src/dice/registry.py", "fair.EXPERIMENT, ", "")
    sample.edit(
        "src/dice/registry.py", 'FIGURES = [Plot("fair.counts", drawing.counts, ("fair",))]', "FIGURES = []"
    )
    (sample.root / "tests/regressions/fair.yml").unlink()
    fails_and_keeps_the_site(sample, "no record has a claim 'fair.middling'")


def test_a_project_without_experiments_fails(sample):
    sample.edit("src/dice/registry.py", "[fair.EXPERIMENT, loaded.EXPERIMENT]", "[]")
    sample.edit(
        "src/dice/registry.py", 'FIGURES = [Plot("fair.counts", drawing.counts, ("fair",))]', "FIGURES = []"
    )
    shutil.rmtree(sample.root / "tests/regressions")
    fails_and_keeps_the_site(sample, "zero checks never pass")


def test_a_filter_that_selects_nothing_fails(sample):
    result = sample.run("gate", "-k", "nothing_of_that_name")
    assert result.returncode == 1
    assert "the gate compared nothing" in result.stdout
    assert sample.run("gate", "-k", "fair").returncode == 0


def test_an_experiment_that_raises_keeps_the_site_and_is_tried_again(sample):
    sample.edit("src/dice/fair.py", "counts = np", 'raise RuntimeError("the die is lost")\n    counts = np')
    fails_and_keeps_the_site(sample, "experiment fair (seed 0) raised RuntimeError: the die is lost")
    again = sample.build()
    assert "the die is lost" in again.stdout
    assert again.returncode == 1
    sample.edit("src/dice/fair.py", 'raise RuntimeError("the die is lost")\n    ', "")
    mended = sample.build()
    assert mended.returncode == 0, mended.stdout


def test_a_run_that_fails_names_its_seed_and_leaves_the_others(sample):
    sample.edit(
        "src/dice/luck.py",
        "    return",
        "    if seed == 1:\n        raise ValueError('diverged')\n    return",
    )
    fails_and_keeps_the_site(sample, "run seed1 of fair (seed 1) raised ValueError: diverged")
    sample.edit("src/dice/luck.py", "    if seed == 1:\n        raise ValueError('diverged')\n", "")
    result = sample.build()
    assert result.returncode == 0, result.stdout


def test_a_run_over_its_time_budget_is_stopped_and_named(sample):
    sample.edit(
        "src/dice/luck.py", "    return", "    import time; time.sleep(3600 * (seed == 2))\n    return"
    )
    sample.edit("src/dice/fair.py", '"seed": s}, in_quick', '"seed": s}, seconds=2, in_quick')
    fails_and_keeps_the_site(sample, "run seed2 of fair (seed 2): exceeded its time budget of 2 s")


def test_a_nan_is_an_error_and_names_the_measurement(sample):
    sample.edit("src/dice/fair.py", '"fair.mean", faces.mean()', '"fair.mean", float("nan")')
    fails_and_keeps_the_site(sample, "measurement fair.mean is not finite")


def test_a_nan_in_a_run_is_an_error(sample):
    sample.edit("src/dice/luck.py", ".mean()", ".mean() * float('nan')")
    fails_and_keeps_the_site(sample, "run seed0 of fair (seed 0): array mean holds NaN")


@pytest.mark.parametrize(
    "names",
    [
        ("build/records/fair.json", "build/records/loaded.npz"),
        ("build/runs/fair/seed0.npz", "build/runs/fair/seed1.json"),
    ],
)
def test_files_cut_short_are_made_again(sample, names):
    """Each of another product, which is made again for no other's sake."""
    whole = {name: (sample.root / name).read_bytes() for name in names}
    for name, data in whole.items():
        (sample.root / name).write_bytes(data[: len(data) // 2])
    result = make(sample)
    assert result.returncode == 0, result.stdout
    assert {name: (sample.root / name).read_bytes() for name in names} == whole


def test_a_figure_changed_by_hand_is_drawn_again(sample):
    path = sample.root / "build/figures/fair.counts.dark.svg"
    whole = path.read_bytes()
    path.write_text("<svg/>")
    assert "figure fair.counts: changed by hand" in make(sample).stdout
    assert path.read_bytes() == whole


def test_quick_values_never_reach_the_site(accepted, quick):
    before = accepted.tree("site")
    assert quick.tree("site") == before
    assert 'class="quick-banner"' in quick.read("build/quick/site/index.html")
    made = json.loads(quick.read("build/quick/records/fair.json"))
    assert made["parameters"]["draws"] == 60
    assert made["mode"] == "quick"
    normal = quick.build()
    assert FRESH in normal.stdout
    assert quick.tree("site") == before


def test_a_claim_that_quick_data_do_not_carry_stops_no_quick_build(quick):
    quick.edit("docs/index.md", "fair.middling", "fair.loaded")
    assert quick.build("--quick").returncode == 0
    fails_and_keeps_the_site(quick, "the claim fair.loaded is false")


def test_the_gate_refuses_a_quick_record(quick):
    for suffix in ("json", "npz"):
        shutil.copy(
            quick.root / f"build/quick/records/fair.{suffix}", quick.root / f"build/records/fair.{suffix}"
        )
    result = quick.run("gate")
    assert result.returncode == 1
    assert "quick records hold fewer draws" in result.stdout
    assert quick.run("accept", "--yes").returncode == 1
    assert "it is a quick record" in make(quick).stdout


def test_two_builds_in_two_folders_give_the_same_bytes(accepted, tmp_path):
    other = make_accepted(tmp_path / "elsewhere" / "dice")
    for folder in ("site", "build/records", "build/figures", "build/runs", "tests/regressions"):
        mine, theirs = accepted.tree(folder), other.tree(folder)
        assert sorted(mine) == sorted(theirs)
        differing = [name for name in mine if mine[name] != theirs[name] and "__pycache__" not in name]
        assert differing == []


def test_no_seconds_reach_the_site(accepted):
    assert (accepted.root / "build/timings/fair.json").exists()
    assert all(b'"seconds"' not in data for data in accepted.tree("site").values())


def test_a_second_build_waits_for_the_first(sample):
    sample.edit("src/dice/fair.py", '"draws": 600', '"draws": 599')
    first = sample.start("make")
    deadline = time.monotonic() + 60
    while not (sample.root / "build/lock").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(0.5)
    second = sample.run("make")
    assert first.wait(120) == 0
    assert second.returncode == 0, second.stdout
    assert "another build of this project is running" in second.stdout
    assert FRESH in second.stdout


def test_a_full_disk_is_told_once_and_loses_nothing(sample):
    sample.edit("src/dice/fair.py", '"draws": 600', '"draws": 598')
    before = sample.tree("site"), sample.tree("build/records")

    def small_files_only():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    result = sample.run("measure", "fair", preexec_fn=small_files_only)
    assert result.returncode == 1
    assert "fair.json: cannot write" in result.stdout
    assert "Traceback" not in result.stdout
    assert sample.tree("site") == before[0]
    records = sample.tree("build/records")
    assert records["fair.json"] == before[1]["fair.json"]
    assert sorted(records) == sorted(before[1])


def test_the_sample_is_a_project_of_its_own():
    """The engine is tried on a subject that has nothing to do with attention."""
    for path in SAMPLE.rglob("*.py"):
        assert "attention" not in path.read_text(encoding="utf-8")
