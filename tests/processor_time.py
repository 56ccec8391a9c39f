"""What each test takes of the processor, whoever works for it: `nox -s tests -- -p processor_time`.

The clock says little on a machine that does other things. Counted are this process and all that it started,
also what runs on between tests; at the end the dearest are listed, with the whole.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

SHOWN = 30
_KEY = "processor's seconds"
_taken: dict[str, float] = {}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """Look before a test and after it; what its fixtures took is its own."""
    item.stash[_BEGAN] = seconds_of_tree()
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Send it with the report of the last phase, which reaches the process that sums up."""
    report = yield
    if call.when == "teardown":
        report.user_properties.append((_KEY, seconds_of_tree() - item.stash[_BEGAN]))
    return report


def pytest_runtest_logreport(report):
    """Keep what a test took."""
    if report.when == "teardown":
        _taken[report.nodeid] = dict(report.user_properties).get(_KEY, 0.0)


def pytest_terminal_summary(terminalreporter):
    """List the dearest tests, and the files by what their tests took together."""
    files: dict[str, float] = {}
    for name, seconds in _taken.items():
        files[name.partition("::")[0]] = files.get(name.partition("::")[0], 0.0) + seconds
    for title, found in (("tests", _taken), ("files", files)):
        terminalreporter.section(f"processor's seconds: {title}")
        for name in sorted(found, key=found.get, reverse=True)[:SHOWN]:
            terminalreporter.write_line(f"{found[name]:8.2f}  {name}")
    terminalreporter.write_line(f"{sum(_taken.values()):8.2f}  in all")


def seconds_of_tree() -> float:
    """The processor's seconds of this process and of all that descend from it, those that ended included."""
    ticks, children = {}, {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text("ascii", "replace").rpartition(")")[2].split()
        except OSError:
            continue  # it has just ended
        process = int(path.parent.name)
        ticks[process] = sum(map(int, fields[11:15]))
        children.setdefault(int(fields[1]), []).append(process)
    found, waiting = 0, [os.getpid()]
    while waiting:
        process = waiting.pop()
        found += ticks.get(process, 0)
        waiting += children.get(process, [])
    return found / os.sysconf("SC_CLK_TCK")


_BEGAN = pytest.StashKey[float]()
