"""Asking fresh seeds, running studies, and repeating a few of the stored runs.

Outcomes are stored in the repository, one file a trial or study, after each run and whatever came out. A run
is found by its name and its parameters: a trial that tests other words, or trains otherwise, has other runs,
and the old ones are removed when the new ones are made.
"""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from measured import files
from measured.errors import MeasuredError
from measured.making.beside import Beside
from measured.making.fingerprint import CodeHashes, Sources, digest
from measured.making.order import OUTCOME, Order, Outcome
from measured.making.products import inputs_of_run
from measured.making.sample import sample
from measured.making.strangers import strangers
from measured.project import Project
from measured.terms.claims import Claim
from measured.terms.cpu import class_of, is_another
from measured.terms.experiment import Run
from measured.terms.trial import (
    Confirmed,
    Outcomes,
    Study,
    Trial,
    agree,
    as_stored,
    confirmed,
    drawn_seeds,
    read_stored,
)

if TYPE_CHECKING:
    from measured.making.executor import Executor

Say = Callable[[str], None]

STAMP = "repeated.json"  # says which runs were repeated, and for what
REPEATED = 2  # stored runs that a build makes again, at most
LOOK = 1.0  # seconds between two looks at who is idle
TOGETHER = 40.0  # seconds that they may take in all; longer ones `measured confirm --again` alone repeats


@dataclass(frozen=True)
class Asked:
    """A trial or a study with its file.

    Args:
        name: of either.
        question: what it asks.
        path: where its outcomes are.
        runs: those that can be named, given the outcomes that are stored.
        tolerance: by how much a number may differ when a run is repeated.
        claims: those that it tests; none for a study.
    """

    name: str
    question: str
    path: Path
    runs: Callable[[Outcomes], list[Run]]
    tolerance: Any
    claims: tuple[Claim, ...] = ()


def everything_asked(project: Project) -> dict[str, Asked]:
    """All trials and studies of a project, by name.

    Raises:
        MeasuredError: two of them share a name.
    """
    found: dict[str, Asked] = {}
    for trial, claims in trials(project).values():
        seeds = drawn_seeds(trial, claims)
        found[trial.name] = Asked(
            trial.name,
            trial.question,
            path_of(project, trial),
            lambda stored, trial=trial, seeds=seeds: trial.runs(seeds),
            trial.tolerance,
            tuple(claims),
        )
    for experiment in project.declared.values():
        for study in experiment.studies:
            if study.name in found:
                raise MeasuredError(f"two trials or studies are called {study.name!r}")
            found[study.name] = Asked(
                study.name, study.question, path_of(project, study), study.runs, study.tolerance
            )
    return found


def trials(project: Project) -> dict[str, tuple[Trial, list[Claim]]]:
    """The trials by name, each with all the claims that it tests."""
    found: dict[str, tuple[Trial, list[Claim]]] = {}
    for experiment in project.declared.values():
        for claim in experiment.claims:
            if claim.confirmed_by is not None:
                trial = claim.confirmed_by.trial
                found.setdefault(trial.name, (trial, []))[1].append(claim)
    return found


def confirmations(project: Project) -> dict[str, Confirmed]:
    """What fresh seeds have said, by claim; for those that name a trial."""
    return {
        claim.id: confirmed(claim, claims, read_stored(path_of(project, trial)))
        for trial, claims in trials(project).values()
        for claim in claims
    }


def path_of(project: Project, asked: Trial | Study) -> Path:
    """Where the outcomes of a trial or a study are stored."""
    return project.confirmations_folder / f"{asked.name}.json"


def confirm(
    project: Project,
    executor: Executor,
    say: Say,
    names: tuple[str, ...] = (),
    *,
    again: bool = False,
    seconds: float = float("inf"),
) -> None:
    """Make the runs that are missing, and store what came out.

    Args:
        project: whose trials and studies they are.
        executor: where the runs are made.
        say: receives one line a run.
        names: of those to run; all if none is given.
        again: also make those that are stored.
        seconds: stop before another run once so many have passed; what is made stays.

    Raises:
        MeasuredError: no trial or study has such a name, or a run raised.
    """
    asked = everything_asked(project)
    unknown = sorted(set(names) - set(asked))
    if unknown:
        raise MeasuredError(
            f"no trial or study is called {unknown[0]!r}", expected=f"one of {', '.join(asked) or 'none'}"
        )
    confirming = _Confirming(project, [asked[name] for name in names or asked], again, say)
    began = time.monotonic()
    with executor:
        running: dict[Future[Outcome], tuple[int, Asked, Run]] = {}
        while True:
            over = time.monotonic() - began > seconds
            for worker in _idle(executor, running):
                found = None if over else confirming.next()
                if found is not None:
                    running[executor.submit(worker, confirming.order(*found))] = worker, *found
            if not running:
                if over or not confirming.is_left:
                    break
                executor.wait_for_workers()
                continue
            done, _ = wait(running, timeout=LOOK, return_when=FIRST_COMPLETED)
            for future in done:
                _, one, run = running.pop(future)
                confirming.store(one, run, future.result())
    confirming.tell()


class _Confirming:
    """What is stored of trials and studies, what is under way, and what is missing."""

    def __init__(self, project: Project, asked: Sequence[Asked], again: bool, say: Say) -> None:
        self._project, self._asked, self._say = project, asked, say
        self._sources = Sources(project.packages)
        self._kept = {one.name: {} if again else read_file(one.path) for one in asked}
        self._under_way: set[tuple[str, str]] = set()

    @property
    def is_left(self) -> bool:
        """Whether a run could be begun."""
        return next(self._missing(), None) is not None

    def next(self) -> tuple[Asked, Run] | None:
        """A run that nobody has begun, if there is one: a study's next ones may depend on those under way."""
        found = next(self._missing(), None)
        if found is not None:
            self._under_way.add((found[0].name, found[1].name))
        return found

    def order(self, one: Asked, run: Run) -> Order:
        """What a worker is handed for it."""
        return _order(self._project, self._sources, one, run, _outcomes(self._kept[one.name]))

    def store(self, one: Asked, run: Run, made: Outcome) -> None:
        """Store what came out, whatever it is; the file is ordered as the runs are declared."""
        self._under_way.discard((one.name, run.name))
        outcome, kept = json.loads(made.files[OUTCOME]), self._kept[one.name]
        parameters = as_stored(run.parameters)
        kept[run.name] = {
            "parameters": parameters,
            "outcome": outcome,
            "seconds": round(made.seconds, 1),
            "cpu": class_of(made.environment),
        }
        names = [named.name for named in one.runs(_outcomes(kept))]
        self._kept[one.name] = kept = {name: kept[name] for name in names if name in kept}
        _write(one, kept)
        self._say(f"{one.name} {run.name}: {_said(outcome)}")

    def tell(self) -> None:
        """Say what became of each claim, and what is left."""
        for one in self._asked:
            if next(self._missing_of(one), None) is not None:
                self._say(f"{one.name}: stopped with runs left; nox -s confirm makes them")
                continue
            for claim in one.claims:
                found = confirmed(claim, one.claims, read_stored(one.path))
                self._say(f"{claim.id}: {found.in_words()}")

    def _missing(self) -> Iterator[tuple[Asked, Run]]:
        for one in self._asked:
            yield from ((one, run) for run in self._missing_of(one))

    def _missing_of(self, one: Asked) -> Iterator[Run]:
        kept = self._kept[one.name]
        for run in one.runs(_outcomes(kept)):
            stored = run.name in kept and kept[run.name]["parameters"] == as_stored(run.parameters)
            if not stored and (one.name, run.name) not in self._under_way:
                yield run


def _idle(executor: Executor, running: Mapping[Any, tuple[int, Asked, Run]]) -> list[int]:
    busy = {worker for worker, *_ in running.values()}
    return [w for w in range(executor.workers) if w not in busy and executor.takes(w, "outcome")]


def read_file(path: Path) -> dict[str, dict[str, Any]]:
    """The stored runs with all that is kept of them; nothing where there is no file."""
    read_stored(path)
    return json.loads(path.read_text(encoding="utf-8"))["runs"] if path.exists() else {}


def begin_to_repeat_a_few(
    project: Project, beside: Beside, say: Say, code: CodeHashes | None = None
) -> Callable[[], list[str]]:
    """Begin to make one or two of the stored runs again, chosen by the commit of what could change them.

    A commit that touches neither code, nor versions, nor stored outcomes chooses the same runs as the one
    before, and what was compared once is not made again: a change of prose trains nothing.

    Args:
        project: whose stored runs they are.
        beside: whose workers make them meanwhile.
        say: receives a line for each.
        code: hashes of code, where somebody has some already.

    Returns:
        What is called when it has to be known what came out. It returns what is said of it once it was done,
        and raises MeasuredError where a repeated run differs from what is stored.
    """
    commit = commit_of_code(project)
    stored_runs = [stored for one in everything_asked(project).values() for stored in _stored_runs(one)]
    again = _chosen(commit, stored_runs)
    if not again:
        return list
    done = ["confirmations: compared before with the same code and stored outcomes"]
    mark = project.build / STAMP
    sources = Sources(project.packages, code)
    orders = {
        stored.name: (_order(project, sources, stored.one, stored.run, stored.known), stored.seconds)
        for stored in again
    }
    # Code as it is now, committed or not; of data, what has changed at all.
    inputs = {name: digest(order.inputs) for name, (order, _) in orders.items()}
    outcomes = {stored.name: stored.outcome for stored in again}
    state = json.dumps([commit, inputs, data_of_worktree(project), outcomes], sort_keys=True)
    if mark.exists() and mark.read_text(encoding="utf-8") == state:
        say(*done)
        return lambda: done
    say(f"confirmations: making {' and '.join(stored.name for stored in again)} once more")
    made = beside.hand_out(orders)

    def finish() -> list[str]:
        for stored in again:
            say(f"confirmations: {stored.name} came out {_compared(stored, made[stored.name].result())}")
        files.write_text(mark, state)
        return done

    return finish


@dataclass(frozen=True)
class _StoredRun:
    """A stored run.

    Args:
        one: the trial or study.
        run: the one.
        outcome: what came out.
        seconds: that it took.
        known: all outcomes of the trial or study.
        cpu: the class of CPU that made it, where that is known.
        siblings: outcomes of the runs that differ from it by their seed alone, its own among them.
    """

    one: Asked
    run: Run
    outcome: dict[str, Any]
    seconds: float
    known: Mapping[str, Any]
    cpu: str = ""
    siblings: Sequence[dict[str, Any]] = ()

    @property
    def name(self) -> str:
        return f"{self.one.name} {self.run.name}"


def _chosen(commit: str, stored_runs: Iterable[_StoredRun]) -> list[_StoredRun]:
    """Drawn by the commit."""
    return sample(
        stored_runs, lambda one: f"{commit} {one.name}", lambda one: one.seconds, REPEATED, TOGETHER
    )


def _compared(stored: _StoredRun, made: Outcome) -> str:
    """How a repeated run came out, in words.

    Raises:
        MeasuredError: otherwise than it may.
    """
    one, run, outcome = stored.one, stored.run, json.loads(made.files[OUTCOME])
    another = is_another(stored.cpu, made.environment)
    if another:
        different = strangers(outcome, stored.siblings, one.tolerance)
        expected = "most of its numbers among what the other seeds gave"
        told = f"among what its seeds gave (stored on {stored.cpu}, made on {class_of(made.environment)})"
    else:
        different = agree(stored.outcome, outcome, one.tolerance)
        expected, told = "what was stored, within the tolerance of its trial or study", "as stored"
    if different:
        raise MeasuredError(
            f"{one.name}, {run.name}, gives another outcome than the stored one: {'; '.join(different)}",
            path=one.path,
            expected=expected,
            mend=f"mend what changed it, or store what comes out: nox -s confirm -- --again {one.name}",
        )
    return told


def _outcomes(kept: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    return {name: run["outcome"] for name, run in kept.items()}


def run_of(project: Project, name: str, run_name: str, known: Mapping[str, Any]) -> Run:
    """A run of a trial or a study by its name, given the outcomes so far.

    Raises:
        MeasuredError: there is no such run.
    """
    for run in everything_asked(project)[name].runs(dict(known)):
        if run.name == run_name:
            return run
    raise MeasuredError(f"{name} has no run {run_name!r}")


def _order(project: Project, sources: Sources, one: Asked, run: Run, known: Mapping[str, Any]) -> Order:
    """What a worker is handed for a run of a trial or study."""
    full = replace(project, quick=False)
    inputs = inputs_of_run(full, sources, run)
    return Order(
        replace(full, figures=""), "outcome", one.name, run.name, inputs, known, f"outcomes of {one.name}"
    )


def _stored_runs(one: Asked) -> list[_StoredRun]:
    kept = read_file(one.path)
    known = _outcomes(kept)
    return [
        _StoredRun(
            one,
            run,
            known[run.name],
            kept[run.name].get("seconds", 0.0),
            known,
            kept[run.name].get("cpu", ""),
            [known[name] for name in kept if _but_for_seed(kept[name]) == _but_for_seed(kept[run.name])],
        )
        for run in one.runs(known)
        if run.name in kept and kept[run.name]["parameters"] == as_stored(run.parameters)
    ]


def _but_for_seed(run: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in run["parameters"].items() if name != "seed"}


def _write(one: Asked, kept: dict[str, dict[str, Any]]) -> None:
    files.write_json(one.path, {"name": one.name, "question": one.question, "runs": kept})


def _said(outcome: dict[str, Any]) -> str:
    numbers = {k: v for k, v in outcome.items() if isinstance(v, int | float)}
    return ", ".join(f"{k.replace('_', ' ')} {v:.4g}" for k, v in numbers.items())


# What trainings read besides code: neither pages nor tests, nor what inputs tell more exactly.
_DATA = (".", ":(exclude)docs", ":(exclude)tests", ":(exclude)*.py", ":(exclude)*.md")


def data_of_worktree(project: Project) -> str:
    """A hash of the commit that last touched a file that could be data, and of what has changed since."""
    asked = (
        ("log", "-1", "--format=%H", "--", *_DATA),
        ("diff", "HEAD", "--", *_DATA),
        ("ls-files", "--others", "--exclude-standard", "--", *_DATA),
    )
    try:
        told = [
            subprocess.run(["git", "-C", str(project.root), *command], capture_output=True, check=True).stdout
            for command in asked
        ]
    except (OSError, subprocess.CalledProcessError):
        return ""
    new = (project.root / name for name in told[-1].decode("utf-8", "replace").splitlines())
    told += [path.read_bytes() for path in new if path.is_file()]
    return files.sha256(b"\0".join(told))


def commit_of_code(project: Project) -> str:
    """The last commit that touched what a run can depend on."""
    where = ["src", project.lock, project.confirmations]
    command = ["git", "-C", str(project.root), "log", "-1", "--format=%H", "--", *where]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""
