"""The gate as contributors may look at it through pytest: one test an experiment, its drift as a table.

A project imports both names into a test file beside its stored values. pytest-regressions finds, reads and
compares the stored files; what it would rewrite (`--regen-all`) only `nox -s accept` does, which shows it.
What is published is decided elsewhere (`verdicts`), whatever pytest was told.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_regressions.common import perform_regression_check

from measured import files
from measured.errors import MeasuredError
from measured.gate import compare, stored
from measured.gate.verdicts import verdict
from measured.project import Project


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test for all that is declared, measured or stored; a project without any fails."""
    project = _project_of(Path(metafunc.module.__file__))
    names = sorted({*project.declared, *project.read_records(), *stored.read_all(project.stored)})
    metafunc.parametrize(
        ("project", "name"), [(project, name) for name in names or [""]], ids=names or ["none"]
    )


def test_record_stands_where_it_stood(
    project: Project, name: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Fail with every drift of one experiment's record, by id."""
    if not name:
        pytest.fail("no experiment, no record, no stored value: zero checks never pass", pytrace=False)
    if request.config.getoption("regen_all") or request.config.getoption("force_regen"):
        pytest.fail("nothing is rewritten unseen; look at it and store it with: nox -s accept", pytrace=False)
    record, experiment = project.read_records().get(name), project.declared.get(name)
    path = project.stored / f"{name}.yml"
    expected = stored.read_expectations(path) if path.exists() else {}
    stored_on = stored.read_classes(project.stored).get(name, "")
    if record is None or not path.exists():
        # Left to itself, pytest-regressions writes a file that is missing, and passes the second time.
        _fail_with(verdict(name, experiment, record, expected).drift)

    def dump(obtained: Path) -> None:
        kept = {m.id: stored.Expectation.of(m) for m in record.measurements.values()}
        files.write_text(Path(obtained), stored.dump(kept))

    def check(obtained: Path, stored_file: Path) -> None:
        expected = stored.read_expectations(Path(stored_file))
        _fail_with(verdict(name, experiment, record, expected, stored_on).drift)

    perform_regression_check(
        datadir=tmp_path,
        original_datadir=project.stored,
        request=request,
        check_fn=check,
        dump_fn=dump,
        extension=".yml",
        fullpath=path,
        obtained_filename=tmp_path / f"{name}.obtained.yml",
    )


def _fail_with(drift: tuple[compare.Drift, ...]) -> None:
    if drift:
        pytest.fail(compare.table(drift), pytrace=False)


def _project_of(test_file: Path) -> Project:
    for folder in test_file.resolve().parents:
        if (folder / "pyproject.toml").exists():
            return Project.load(folder)
    raise MeasuredError("no pyproject.toml above it", path=test_file, expected="a project of the engine")
