"""Ways round the gate: other commands, a test runner's options, environment variables, an author's hooks."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest

COMMAND = "run: nox -s build"


def run(sample, *command, **env):
    options = sample.options({})
    options["env"] = {**options["env"], **env}
    return subprocess.run([sys.executable, "-m", *command], **options, timeout=240)


def move_stored_mean(sample):
    stored = sample.read("tests/regressions/fair.yml")
    value = float(stored.split("fair.mean:\n  value: ")[1].split("\n")[0])
    sample.edit("tests/regressions/fair.yml", f"value: {value!r}", f"value: {value + 1e-6!r}")


def test_mkdocs_by_hand_publishes_only_what_was_checked(sample):
    before = sample.tree("site")
    assert run(sample, "mkdocs", "build", "-q", "-d", "elsewhere").returncode == 0
    sample.edit("docs/index.md", "The mean is middling.", "The mean is middling, about 17.")
    move_stored_mean(sample)
    sample.edit("src/dice/loaded.py", "BROKEN = False", "BROKEN = bool(0)")
    for command in (["build", "--strict"], ["gh-deploy"]):
        result = run(sample, "mkdocs", *command)
        assert result.returncode != 0
        assert "nothing may be published from this" in result.stdout, result.stdout
        assert "records or figures are stale (loaded: " in result.stdout
        assert "the gate has not passed for these records and stored values" in result.stdout
        assert "these pages have not been read" in result.stdout
        assert result.stdout.count(COMMAND) == 1
        assert "Traceback" not in result.stdout
    assert sample.tree("site") == before


def test_quick_values_are_not_published_by_an_environment_variable(quick):
    shutil.rmtree(quick.root / "site")
    assert run(quick, "mkdocs", "build", "-q", MEASURED_QUICK="1").returncode == 0
    assert "quick-banner" in quick.read("build/quick/site/index.html")
    assert "quick-banner" not in quick.read("site/index.html")


@pytest.mark.parametrize("options", ["--collect-only -q", "-k 'not fair'", "--regen-all"])
def test_a_build_is_deaf_to_a_test_runners_options(sample, options):
    (sample.root / "conftest.py").write_text("def pytest_collection_modifyitems(items): items.clear()\n")
    move_stored_mean(sample)
    before = sample.tree("site"), sample.tree("tests/regressions")
    result = run(sample, "measured.cli", "build", "--workers", "1", PYTEST_ADDOPTS=options)
    assert result.returncode == 1
    assert "drift in fair" in result.stdout
    assert (sample.tree("site"), sample.tree("tests/regressions")) == before


def test_through_pytest_a_contributor_sees_two_lines_a_drift_and_rewrites_nothing(sample):
    move_stored_mean(sample)
    before = sample.tree("tests/regressions")
    shown = run(sample, "pytest", "-q", "-p", "no:cacheprovider", "tests/regressions")
    assert shown.returncode == 1
    assert "sums may round" in shown.stdout
    assert "site-packages" not in shown.stdout
    assert len(shown.stdout.splitlines()) < 15, shown.stdout
    again = run(sample, "pytest", "-q", "-p", "no:cacheprovider", "tests/regressions", "--regen-all")
    assert again.returncode == 1
    assert "nox -s accept" in again.stdout
    assert {k: v for k, v in sample.tree("tests/regressions").items() if k.endswith("yml")} == {
        k: v for k, v in before.items() if k.endswith("yml")
    }


def test_a_partial_gate_passes_nothing(sample):
    (sample.root / "build/gate.passed").unlink()
    result = sample.run("gate", "-k", "loaded")
    assert result.returncode == 0, result.stdout
    assert not (sample.root / "build/gate.passed").exists()
    assert sample.run("gate").returncode == 0
    assert (sample.root / "build/gate.passed").exists()
