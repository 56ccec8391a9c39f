"""Whether the stored values hold on this Python: of every experiment that trains nothing, measured anew.

Trainings are tied to one version of Python by their key, since bytes differ between versions; the gate of a
build on another one makes them all anew. `python scripts/light_values.py` exits with 1 and says which differ.
"""

from __future__ import annotations

import platform
import sys
from pathlib import Path

from measured.gate.stored import read_all
from measured.making import environment
from measured.project import Project


def main(root: Path) -> int:
    """Measure, compare, and say what differs."""
    environment.set_here()  # before anything computes
    project = Project.load(root)
    stored = read_all(project.stored)
    light = [e for e in project.declared.values() if not e.runs and not e.studies]
    compared, differing = 0, []
    for experiment in light:
        for m in experiment.measure(**experiment.settings(False)).measurements:
            compared += 1
            expected = stored[experiment.name][m.id]
            if not expected.accepts(m.value):
                differing.append(f"{m.id}: {m.value!r}, and {expected.allowed()} was stored")
    print(
        f"Python {platform.python_version()}: {compared} values of {len(light)} experiments compared", end=""
    )
    print(f", {len(differing)} differ" if differing else ", all within their tolerances")
    for line in differing:
        print(f"  {line}")
    return 1 if differing or not compared else 0


if __name__ == "__main__":
    sys.exit(main(Path(__file__).resolve().parents[1]))
