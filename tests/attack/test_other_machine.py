"""Other machines, simulated: other kernels of OpenBLAS, NumPy without its vector code, oneDNN, two threads.

NumPy experiments must show the same digits; trained ones must stay within the tolerances that they declare,
as the gate asks of another class of CPU. What moved is printed. RUNS=all makes every long run anew under each
setting (the whole training time, each time); else the first run of each experiment stands for the others.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from numpy._core import _multiarray_umath as umath

from measured.gate.stored import Expectation, read_all
from measured.project import Project
from measured.terms.cpu import widest_vectors

ROOT = Path(__file__).resolve().parents[2]
HELPER = Path(__file__).with_name("other_machine.py")
PROJECT = Project.load(ROOT)
RECORDS = PROJECT.read_records() if PROJECT.records.is_dir() else {}
STORED = read_all(PROJECT.stored)


def _kernels() -> list[str]:
    """OpenBLAS' kernels that this CPU can run: those for wider vectors than it has end the process."""
    wide = widest_vectors(name for name, present in umath.__cpu_features__.items() if present)
    return ["Nehalem", "Sandybridge", "Haswell", *(["SkylakeX"] if wide == "AVX512" else [])]


def _without_vectors() -> str:
    """What NumPy can choose at run time on this machine, and so can be told not to."""
    return " ".join(name for name in umath.__cpu_dispatch__ if umath.__cpu_features__.get(name))


NUMPY = {
    **{f"OpenBLAS for {name}": {"OPENBLAS_CORETYPE": name} for name in _kernels()},
    "NumPy without AVX2 and AVX-512": {"NPY_DISABLE_CPU_FEATURES": _without_vectors()},
}
TRAINED = {
    "oneDNN": {"TF_ENABLE_ONEDNN_OPTS": "1"},
    "two threads": {
        "OMP_NUM_THREADS": "2",
        "OPENBLAS_NUM_THREADS": "2",
        "TF_NUM_INTRAOP_THREADS": "2",
        "TF_NUM_INTEROP_THREADS": "2",
    },
}
EXPERIMENTS = [pytest.param(n, id=n) for n in PROJECT.declared if n in RECORDS]
LONG = [pytest.param(n, id=n) for n, e in PROJECT.declared.items() if n in RECORDS and e.runs]


def measured(name, settings, again=()):
    env = {**os.environ, **settings, "PYTHONWARNINGS": "ignore"}
    command = [sys.executable, str(HELPER), name, *again]
    result = subprocess.run(
        command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=3600, check=False
    )
    assert result.returncode == 0, result.stderr[-2000:]
    [line] = [line for line in result.stdout.splitlines() if line.startswith("FOUND ")]
    return json.loads(line.removeprefix("FOUND "))


def compared(name, found, setting):
    """Print what moved; return the ids that show other digits, and those outside their tolerance."""
    record, stored = RECORDS[name], STORED.get(name, {})
    shown, outside, moved = [], [], 0
    for m in record.measurements.values():
        now = found[m.id]["value"]
        before = m.as_dict()["value"]
        if now == before:
            continue
        moved += 1
        expectation = stored.get(m.id) or Expectation.of(m)
        expectation = replace(expectation.under(m), within=None)
        passes = expectation.accepts(now)
        if found[m.id]["display"] != m.display():
            shown.append(m.id)
        if not passes:
            outside.append(m.id)
        if found[m.id]["display"] != m.display() or not passes:
            print(f"    {m.id}: {m.display()} became {found[m.id]['display']} ({before!r}, {now!r})")
    print(
        f"  {name}, {setting}: {moved} of {len(record.measurements)} moved in their last digits, "
        f"{len(shown)} show other digits, {len(outside)} are outside their tolerance"
    )
    return shown, outside


@pytest.mark.parametrize("setting", NUMPY)
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_another_cpu_shows_the_same_digits(name, setting):
    print()
    shown, outside = compared(name, measured(name, NUMPY[setting]), setting)
    assert outside == []
    # Where only the size of a rounding error is claimed, its digits are free.
    bounded = {
        m.id for m in RECORDS[name].measurements.values() if m.tolerance.kind in ("at_most", "at_least")
    }
    assert set(shown) <= bounded


@pytest.mark.parametrize("setting", TRAINED)
@pytest.mark.parametrize("name", LONG)
def test_other_rounding_in_training_stays_within_tolerance(name, setting):
    runs = [run.name for run in PROJECT.declared[name].runs]
    again = runs if os.environ.get("RUNS") == "all" else runs[:1]
    print(f"\n  made anew: {', '.join(again)}")
    _, outside = compared(name, measured(name, TRAINED[setting], again), setting)
    assert outside == []
