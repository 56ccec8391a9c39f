"""A few of the results that were taken over are made here before anything is published, and compared.

Which ones, the commit and the results themselves decide. The same bytes are the rule on one class of CPU;
elsewhere a run or a record may differ in its last digits, and then what is measured has to stay within its
tolerances. This finds mistakes, not malice: whoever sends results knows as well which ones will be looked at.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from measured import archives, files
from measured.errors import MeasuredError
from measured.gate import accept, compare
from measured.making import workflow
from measured.making.beside import Beside
from measured.making.confirming import commit_of_code
from measured.making.costs import Costs
from measured.making.executor import Executor
from measured.making.order import Outcome
from measured.making.products import RecordProduct, RunProduct
from measured.making.sample import sample
from measured.making.workflow import Job
from measured.project import Project
from measured.terms import cpu
from measured.terms.record import Record, read_record

Say = Callable[[str], None]

STAMP = "remeasured.json"  # says which runs were re-measured, and for what
REMEASURED = 3  # runs, of those that were taken over
TOGETHER = 30.0  # seconds that they may take in all, or what the lightest take; `--all` measures the others
RECORDS = 2  # of those that were taken over
RECORDS_TOGETHER = 10.0  # seconds

Products = TypeVar("Products", RunProduct, RecordProduct)


def taken_over(jobs: Sequence[Job], kind: type[Products] = RunProduct) -> list[Job]:
    """The jobs of runs, or of records, that were not made here."""
    return [job for job in jobs if isinstance(job.product, kind) and job.product.taken]


def begin(
    project: Project,
    jobs: Sequence[Job],
    beside: Beside,
    executor: Callable[[Project, int], Executor],
    say: Say,
) -> Callable[[], list[str]]:
    """Begin to make some of the runs and of the records that were taken over, unless that was done before.

    Args:
        project: whose they are, all of them fresh.
        jobs: everything that the project makes.
        beside: whose workers make them meanwhile.
        executor: makes what has to be made besides to compare, given how many things there will be.
        say: receives what came out.

    Returns:
        What is called when it has to be known what came out. It returns what is said of it once it was done,
        and raises MeasuredError where what is measured here leaves its tolerance: nothing may be published.
    """
    taken = [*taken_over(jobs), *taken_over(jobs, RecordProduct)]
    mark = project.build / STAMP
    if not taken:
        mark.unlink(missing_ok=True)
        return list
    done = [f"re-measured: a sample of {_counted(taken)} taken over was compared before, with the same code"]
    commit, before = commit_of_code(project), _read(mark).get("taken")
    # What was compared is known by what it was made from and by its bytes: others under its name were not.
    identities = {job.name: job.product.identity() for job in taken}
    if isinstance(before, dict) and identities.items() <= before.items():
        say(*done)
        return lambda: done
    seconds = _seconds_of(project)
    chosen = [
        *_chosen(commit, taken_over(jobs), REMEASURED, TOGETHER, seconds),
        *_chosen(commit, taken_over(jobs, RecordProduct), RECORDS, RECORDS_TOGETHER, seconds),
    ]
    told = ", ".join(job.name for job in chosen)
    say(f"re-measuring {_counted(taken, chosen)} that were taken over: {told}")
    apart = replace(project, output=beside.folder(project.build, "remeasured-"))
    again = _Again(project, apart, jobs, executor, say)
    made = again.begin(chosen, beside)

    def finish() -> list[str]:
        different = again.different(chosen, made)
        again.compare(different)
        for job in chosen:
            if job not in different:
                again.keep(job)
        same = f"{len(chosen) - len(different)} came out with the same bytes"
        say(f"re-measured: {same}" + (f", {len(different)} within the tolerances" if different else ""))
        files.write_json(mark, {"taken": dict(sorted(identities.items()))})
        return done

    return finish


class _Again:
    """A project beside the project, in which things are made once more.

    Args:
        project: whose results were taken over.
        apart: the same, with a folder of its own for what is made.
        jobs: everything that the project makes.
        executor: makes one for a project, given how many things there will be.
        say: receives how far it is.
    """

    def __init__(
        self,
        project: Project,
        apart: Project,
        jobs: Sequence[Job],
        executor: Callable[[Project, int], Executor],
        say: Say,
    ) -> None:
        self._project, self._apart, self._executor, self._say = project, apart, executor, say
        self._jobs = {job.name: job for job in jobs}
        self._again = {job.name: job for job in workflow.jobs(apart)}

    def begin(self, chosen: Sequence[Job], beside: Beside) -> dict[str, Future[Outcome]]:
        """Hand out what was chosen; records are made of their runs as these are."""
        for job in chosen:
            if isinstance(job.product, RecordProduct):
                self._copy_runs(job.product)
        return beside.hand_out(
            {
                job.name: (replace(job.order, inputs=job.product.inputs()), job.seconds)
                for job in (self._again[one.name] for one in chosen)
            }
        )

    def different(self, chosen: Sequence[Job], made: Mapping[str, Future[Outcome]]) -> list[Job]:
        """Those that were made here with other bytes.

        Raises:
            MeasuredError: one could not be made.
        """
        for job in chosen:
            workflow.stored(self._apart, self._again[job.name], made[job.name])
        return [job for job in chosen if not self._gave_the_same(job)]

    def _gave_the_same(self, job: Job) -> bool:
        here = self._again[job.name].product.files[0]
        return archives.read_bytes(here) == archives.read_bytes(job.product.files[0])

    def keep(self, job: Job) -> None:
        """What came out the same was measured here."""
        if isinstance(job.product, RecordProduct):
            job.product.mark.unlink(missing_ok=True)
            return
        for source, target in zip(self._again[job.name].product.files, job.product.files, strict=True):
            files.write_bytes(target, source.read_bytes())

    def compare(self, different: Sequence[Job]) -> None:
        """Compare the values of each experiment of which something came out with other bytes.

        Raises:
            MeasuredError: one left its tolerance, or a claim comes out differently.
        """
        by_experiment = {job.product.experiment.name: job for job in different}
        of_other_runs = {
            job.product.experiment.name for job in different if isinstance(job.product, RunProduct)
        }
        for name, job in by_experiment.items():
            record = self._jobs[name]
            path = self._again[name].product.files[0]
            if name in of_other_runs:
                self._copy_runs(record.product)
                workflow.make(self._apart, [self._again[name]], self._executor(self._apart, 1), self._say)
            elsewhere, here = read_record(record.product.files[0]), read_record(path)
            stored = accept.expectations(record.product.experiment, elsewhere, {})
            # Made from the same runs, a record gives the same values on each CPU; a training does not.
            of_there = cpu.class_of(elsewhere.environment)
            another = name in of_other_runs and cpu.is_another(of_there, here.environment)
            drift = compare.compare(here, stored, another_cpu=another)
            _refuse_other_values(job, here, drift, elsewhere, another)

    def _copy_runs(self, record: RecordProduct) -> None:
        """Put the runs of a record beside those that are made here."""
        for run in record.runs:
            for path in run.files:
                target = self._apart.build / path.relative_to(self._project.build)
                if not target.exists():
                    files.write_bytes(target, path.read_bytes())


def _counted(taken: Sequence[Job], chosen: Sequence[Job] | None = None) -> str:
    """How many runs and records were taken over, and how many of them were chosen."""
    told = []
    for kind, what in ((RunProduct, "run"), (RecordProduct, "record")):
        whole = sum(isinstance(job.product, kind) for job in taken)
        some = "" if chosen is None else f"{sum(isinstance(job.product, kind) for job in chosen)} of "
        if whole:
            told.append(f"{some}{whole} {what}{'' if whole == 1 else 's'}")
    return " and ".join(told)


def _chosen(
    commit: str, jobs: Sequence[Job], count: int, together: float, seconds: Callable[[Job], float]
) -> list[Job]:
    """Drawn by the commit and by what was taken; as many as wanted, be it that the lightest take longer."""
    lightest = sum(sorted(map(seconds, jobs))[:count])

    def name(job: Job) -> str:
        return f"{commit} {job.name} {job.product.identity()}"

    return sample(jobs, name, seconds, count, max(together, lightest))


def _seconds_of(project: Project) -> Callable[[Job], float]:
    """What each takes by the committed table: on a slow or a busy machine the sample is the same."""
    table = Costs.of(project).table
    return lambda job: table.get(workflow.timing_of(job.order), job.seconds)


def _refuse_other_values(
    job: Job, here: Record, drift: Sequence[compare.Drift], elsewhere: Record, another_cpu: bool
) -> None:
    # What trains on another class of CPU ends elsewhere, as from another seed: a claim may turn.
    claims = {} if another_cpu else here.claims
    turned = [c for c, claim in claims.items() if claim.holds != elsewhere.claims[c].holds]
    if not drift and not turned:
        return
    told = f"\n\n{compare.table(drift)}" if drift else f": claim {turned[0]} comes out differently"
    raise MeasuredError(
        f"{job.name} was taken over, and made here it gives other values{told}",
        expected="what was taken over, within the tolerances",
        mend="measure everything here: nox -s build -- --all",
    )


def _read(mark: Path) -> Mapping[str, object]:
    try:
        found = json.loads(mark.read_text(encoding="utf-8"))
        return found if isinstance(found, dict) else {}
    except (OSError, ValueError):
        return {}
