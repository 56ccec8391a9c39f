"""SIGKILL at moments spread over a build: the site is whole, old or new, and the next build mends all.

KILLS=n for another number of moments.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import time

import pytest

from samples import copy, make_accepted

KILLS = int(os.environ.get("KILLS", "50"))


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="the platform has no process groups")
def test_a_killed_build_leaves_a_whole_site_and_no_trace(tmp_path):
    waiting = make_accepted(tmp_path / "accepted")
    # Every run, record, figure and page has to be made anew, and no value moves.
    waiting.edit("src/dice/throwing.py", '"""So many throws."""', '"""So many throws, again."""')
    waiting.edit("docs/index.md", "The mean is middling.", "The mean is quite middling.")
    old = waiting.tree("site")

    undisturbed = copy(waiting.root, tmp_path / "undisturbed")
    began = time.monotonic()
    result = undisturbed.build()
    seconds = time.monotonic() - began
    assert result.returncode == 0, result.stdout
    new = undisturbed.tree("site")
    assert new != old

    seen = {"old": 0, "new": 0, "finished before": 0}
    for moment in range(KILLS):
        sample = copy(waiting.root, tmp_path / "killed")
        process = sample.start("build", start_new_session=True)
        began, wait = time.monotonic(), seconds * (moment + 0.5) / KILLS
        while process.poll() is None and time.monotonic() - began < wait:
            time.sleep(0.02)
        if process.poll() is not None:
            # The machine was busier when the build was timed: the moments that are left move closer.
            seen["finished before"] += 1
            seconds = time.monotonic() - began
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        left = sample.tree("site")
        assert left in (old, new), f"moment {moment}: the site is neither the old one nor the new one"
        seen["old" if left == old else "new"] += 1
        again = sample.build()
        assert again.returncode == 0, f"moment {moment}: {again.stdout}"
        assert sample.tree("site") == new, f"moment {moment}: the next build made another site"
        shutil.rmtree(sample.root)
    print(f"\nkilled at {KILLS} moments of {seconds:.1f} s: {seen}")
    assert seen["old"] > 0
