"""The gate as pytest sees it: every record against its stored regression, one test an experiment.

A project imports this from a test file beside its stored regressions.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pytest_regressions.common import perform_regression_check

from measured import files
from measured.gate import compare, stored
from measured.project import Project

PROJECT = Project.load(Path(os.environ.get("MEASURED_ROOT", ".")))
RECORDS = PROJECT.read_records()
STORED = {path.stem: path for path in sorted(PROJECT.stored.glob("*.yml"))}
NAMES = sorted({*RECORDS, *STORED})

if not NAMES:
    pytest.fail("no record and no stored value: zero checks never pass", pytrace=False)


@pytest.mark.parametrize("name", NAMES)
def test_record_stands_where_it_stood(name: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """Fail with every drift of one experiment's record, by id."""
    records = {name: RECORDS[name]} if name in RECORDS else {}
    # Left to itself, pytest-regressions writes a file that is missing, and passes the second time.
    if name not in STORED and not request.config.getoption("regen_all"):
        pytest.fail(_told(compare.compare_all(records, {})), pytrace=False)

    def dump(path):
        files.write_text(Path(path), stored.dump(_expectations(records)))

    def check(obtained, expected):
        drift = compare.compare_all(records, {name: stored.read_expectations(Path(expected))})
        if drift:
            raise AssertionError(_told(drift))

    perform_regression_check(
        datadir=tmp_path,
        original_datadir=PROJECT.stored,
        request=request,
        check_fn=check,
        dump_fn=dump,
        extension=".yml",
        fullpath=STORED.get(name, PROJECT.stored / f"{name}.yml"),
        obtained_filename=tmp_path / f"{name}.obtained.yml",
    )


def _expectations(records):
    measured = [m for record in records.values() for m in record.measurements.values()]
    return {m.id: stored.Expectation.of(m) for m in measured}


def _told(drift):
    return "\n".join(f"drift in {name}\n" + "\n".join(map(str, found)) for name, found in drift.items())
