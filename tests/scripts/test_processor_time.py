"""What is told of the processor's seconds counts whoever works for a test, also after it has ended."""

from __future__ import annotations

import subprocess
import sys

from processor_time import seconds_of_tree

BUSY = "import time\nwhile time.process_time() < 0.3: pass"


def test_what_a_process_took_that_a_test_started_is_counted():
    before = seconds_of_tree()
    subprocess.run([sys.executable, "-c", BUSY], check=True)
    assert seconds_of_tree() - before >= 0.29
