"""Measure one experiment under the settings of this process and print what came out; a helper process.

    python other_machine.py EXPERIMENT [RUN …]

The named long runs are made anew, the others are taken as recorded.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

from measured.making import environment, running
from measured.project import Project

ROOT = Path(__file__).resolve().parents[2]


def main(name: str, again: list[str]) -> None:
    environment.set_here()
    project = Project.load(ROOT)
    experiment = project.declared[name]
    runs = {}
    for run in experiment.runs_in(quick=False):
        if run.name in again:
            runs[run.name] = {k: np.asarray(v) for k, v in run.function(**run.settings(quick=False)).items()}
        else:
            runs[run.name] = running.read_run(project, experiment, run)
    found = experiment.measure(
        **experiment.settings(quick=False), **({"runs": runs} if experiment.runs else {})
    )
    measured = {m.id: {"value": m.as_dict()["value"], "display": m.display()} for m in found.measurements}
    print("FOUND " + json.dumps(measured))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
