"""No timing decides whether a test passes: a busy machine is no failure; and to collect tests is cheap."""

import os
import sys

import pytest
from hypothesis import settings

settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")

DEAR = "tensorflow"

# Where an author's builds take results over from is no source for the samples of tests.
os.environ.pop("MEASURED_FROM", None)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    """Each process that tests collects every file; those that test no model need not wait for TensorFlow."""
    before = DEAR in sys.modules
    report = yield
    if DEAR in sys.modules and not before and report.passed:
        report.outcome = "failed"
        report.longrepr = f"{collector.nodeid} imports {DEAR} when it is collected: see tests/when_used.py"
    return report
