"""Hostile records, runs and archives, read under a cap of memory: refused in one sentence, or whole."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import hostile_files
from measured import archives

HERE = Path(__file__).parent
MUTATIONS = 10_000

pytestmark = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="caps of memory need Linux")


def in_a_process(*arguments):
    """Run a helper with the tests' folder on its path; what it printed last."""
    path = os.pathsep.join([str(HERE.parent), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1"}
    result = subprocess.run(
        [sys.executable, *map(str, arguments)], env=environment, capture_output=True, text=True, timeout=1800
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return json.loads(result.stdout.splitlines()[-1])


def test_ten_thousand_mutations_are_read_or_refused_within_the_cap(tmp_path):
    cap = archives.MEMORY >> 20
    found = in_a_process(HERE / "mutated_files.py", tmp_path, MUTATIONS, cap)
    seen = found["seen"]
    print(f"\nmutated records and archives: {sum(seen.values())} tried, {seen}, cap {cap} MiB, {found}")
    assert found["unforeseen"] == []
    assert seen.get("tracebacks", 0) == 0
    assert sum(seen.values()) == MUTATIONS
    assert min(seen["read"], seen["refused"]) > MUTATIONS // 50


def test_archives_that_ask_for_memory_are_refused_before_they_get_it(tmp_path):
    """Each in a process whose address space may not grow by more than the cap."""
    corpus = dict(hostile_files.hostile_archives())
    corpus |= {"zeros of a gibibyte": hostile_files.bomb(1024), "zeros of three": hostile_files.bomb(3072)}
    corpus["many small zeros"] = hostile_files.archive(
        *(
            (f"a{n}.npy", hostile_files.npy(hostile_files.header("'|i1'", "(1000000,)"), bytes(1_000_000)))
            for n in range(300)
        )
    )
    for number, data in enumerate(corpus.values()):
        (tmp_path / f"{number}.npz").write_bytes(data)
    code = (
        "import json, resource, sys, traceback\n"
        "from pathlib import Path\n"
        "from measured import archives\n"
        "from measured.errors import MeasuredError\n"
        "now = int(Path('/proc/self/statm').read_text().split()[0]) * resource.getpagesize()\n"
        "resource.setrlimit(resource.RLIMIT_AS, (now + archives.MEMORY, resource.RLIM_INFINITY))\n"
        "found = []\n"
        "for path in sorted(Path(sys.argv[1]).glob('*.npz'), key=lambda p: int(p.stem)):\n"
        "    try:\n"
        "        archives.unpack_arrays(archives.read_bytes(path))\n"
        "        found.append('read')\n"
        "    except MeasuredError:\n"
        "        found.append('refused')\n"
        "    except BaseException:\n"
        "        found.append(traceback.format_exc()[-300:])\n"
        "print(json.dumps(found))\n"
    )
    found = in_a_process("-c", code, tmp_path)
    print(f"\nhostile archives: {len(corpus)} tried, {found.count('refused')} refused")
    assert dict(zip(corpus, found, strict=True)) == dict.fromkeys(corpus, "refused")
    assert len(corpus) + len(hostile_files.CHANGES) >= 40
