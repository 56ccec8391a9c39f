"""The question: how does the time of a whole build fall with more workers, and what limits it.

Read: what each piece of work took on two cores, the file that `measured costs` writes. Nothing is trained
here: the engine's own order of work is gone through without the work, with a price for starting a worker,
compiling a model in it, handing out a piece and sending its result. Beside it, one experiment as it was
timed by the clock, with one worker and with two: `scripts/bench_workers.py` writes that down.

Refuted, if a thousand workers were a thousand times as fast as one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from measured.simulation import Machines, Work, critical_path, seconds_with
from measured.terms.claims import Claim, above, below
from measured.terms.experiment import Experiment, Findings
from measured.terms.family import Family, rows, table
from measured.terms.measurement import Close, Exact, Measurement
from measured.terms.null import becomes

TESTS = Path(__file__).parents[3] / "tests"
COSTS = TESTS / "costs.json"
TIMED = TESTS / "workers.json"
# Seconds besides the work: assumed from what single runs were seen to take, not fitted to whole builds.
PARAMETERS = {
    "workers": [1, 2, 4, 8, 16, 64, 256, 1000],
    "start": 7.0,
    "compile": 4.0,
    "transfer": 0.05,
    "hand_out": 0.006,
}
ARITHMETIC = Close("arithmetic on the table of costs", rtol=1e-6)
WRITTEN = Exact("written down when it was timed, in a file of the repository")
NOT_TIMED = "not timed yet"

# fmt: off
MINUTES = Family("building.minutes.w{workers}",
    "minutes until all is measured, by {workers} workers, simulated", ARITHMETIC, ".1f", "min")
TIMES = Family("building.times.w{workers}",
    "how many times as fast as one worker, with {workers} workers, simulated", ARITHMETIC, ".1f")
USED = Family("building.used.w{workers}",
    "share of the time in which each of {workers} workers is at work on average, compiling left out, "
    "simulated", ARITHMETIC, ".0%")
FLOOR = Family("building.floor", "minutes of the longest chain of work: no number of workers is faster",
    ARITHMETIC, ".1f", "min")
LONGEST = Family("building.longest", "seconds of the longest run", ARITHMETIC, ".0f", "s")
RUNS = Family("building.runs", "runs in the table of costs", Exact("a count"), ",d")
MODELS = Family("building.models", "models that are compiled for them", Exact("a count"), ",d")
PART = Family("building.timed.experiment", "the experiment whose making was timed", WRITTEN)
MACHINE = Family("building.timed.machine", "the machine on which it was timed", WRITTEN)
CLOCK = Family("building.timed.clock",
    "how many times as fast as one worker two were, timed by the clock for one experiment", WRITTEN)
OF_PART = Family("building.timed.simulated",
    "how many times as fast as one worker two are, simulated for the experiment that was timed",
    ARITHMETIC, ".2f")
# fmt: on


def work_of(seconds: dict[str, float], compile: float) -> list[Work]:
    """The pieces of work that a table of costs names: runs, what is measured from them, figures.

    A run is `experiment.name.seed0`; its seeds share a model, whose one compilation is taken out of them.
    """
    experiments = {name for name in seconds if "." not in name}
    runs = {name: name.split(".")[0] for name in seconds if name.split(".")[0] in experiments and "." in name}
    sizes: dict[str, int] = {}
    for name in runs:
        sizes[_model(name)] = sizes.get(_model(name), 0) + 1
    found = []
    for name, taken in seconds.items():
        if name in runs:
            trained = max(taken - compile / sizes[_model(name)], taken / 10)
            found.append(Work(name, runs[name], trained, _model(name)))
        elif name in experiments:
            found.append(Work(name, name, taken, "", tuple(run for run, of in runs.items() if of == name)))
        else:  # a figure, drawn from the experiment whose name its own begins with
            of = name.removeprefix("figure ").split(".")[0]
            found.append(Work(name, of, taken, "", (of,) if of in experiments else ()))
    return found


def _model(run: str) -> str:
    return re.sub(r"\.seed\d+$", "", run)


def measure(workers: list[int], start: float, compile: float, transfer: float, hand_out: float) -> Findings:
    """Simulate a build of everything with each number of workers."""
    seconds = json.loads(COSTS.read_text(encoding="utf-8"))["seconds"]
    work, machines = work_of(seconds, compile), Machines(start, compile, transfer, hand_out)
    taken = {n: seconds_with(n, work, machines) for n in workers}
    trained = sum(one.seconds for one in work)
    runs = [one for one in work if one.model]
    measurements = [
        *(MINUTES.of(taken[n] / 60, workers=n) for n in workers),
        *(TIMES.of(taken[workers[0]] / taken[n], workers=n) for n in workers),
        *(USED.of(trained / (n * taken[n]), workers=n) for n in workers),
        FLOOR.of(critical_path(work, machines) / 60),
        LONGEST.of(max(one.seconds for one in runs)),
        RUNS.of(len(runs)),
        MODELS.of(len({one.model for one in runs})),
        *_timed(json.loads(TIMED.read_text(encoding="utf-8")), work, machines),
    ]
    columns = {"minutes": MINUTES, "times as fast": TIMES, "of each worker's time used": USED}
    shown = table("building.workers", "workers", rows("workers", {n: f"{n:,}" for n in workers}), columns)
    return Findings(tuple(measurements), tables=(shown,))


def _timed(found: Mapping[str, Any], work: Sequence[Work], machines: Machines) -> list[Measurement]:
    """One experiment by one worker and by two: as the clock had it, and simulated."""
    part = part_of(work, found["experiment"])
    one, two = (seconds_with(count, part, machines) for count in (1, 2))
    clock = found["seconds"]
    return [
        PART.of(found["experiment"]),
        MACHINE.of(found["machine"] or NOT_TIMED),
        CLOCK.of(f"{clock['1'] / clock['2']:.2f}" if clock else NOT_TIMED),
        OF_PART.of(one / two),
    ]


def part_of(work: Sequence[Work], experiment: str) -> list[Work]:
    """One experiment's trainings, and what is measured from them; no figures."""
    return [one for one in work if one.experiment == experiment and not one.name.startswith("figure ")]


EXPERIMENT = Experiment(
    name="building",
    question="How does the time of a whole build fall with more workers, and what limits it?",
    measure=measure,
    parameters=PARAMETERS,
    claims=(
        Claim(
            "building.second_worker",
            "in the simulation two workers are over 1.7 times as fast as one",
            lambda f: above({"times": f["building.times.w2"]}, 1.7),
            nulls=(becomes("building.times.w2", by=1.0, words="a second worker helps nobody"),),
        ),
        Claim(
            "building.thousand_workers",
            "in the simulation a thousand workers are less than a hundred times as fast as one",
            lambda f: below({"times": f["building.times.w1000"]}, 100),
            nulls=(
                becomes("building.times.w1000", by=1000.0, words="each worker helps as much as the first"),
            ),
        ),
    ),
)
