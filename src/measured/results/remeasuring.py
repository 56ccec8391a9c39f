"""A few of the runs that were taken over are made here before anything is published, and compared.

Which ones, the commit and the results themselves decide. The same bytes are the rule on one class of CPU;
elsewhere a run may differ in its last digits, and then what is measured from it has to stay within its
tolerances. This finds mistakes, not malice: whoever sends results knows as well which ones will be looked at.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from measured import archives, files
from measured.errors import MeasuredError
from measured.gate import accept, compare
from measured.making import workflow
from measured.making.confirming import commit_of_code
from measured.making.executor import Executor
from measured.making.products import RunProduct
from measured.making.workflow import Job
from measured.project import Project
from measured.terms.record import Record, read_record

Say = Callable[[str], None]

REMEASURED = 3  # runs, of those that were taken over
TOGETHER = 30.0  # seconds that they may take in all, or what the lightest take; `--all` measures the others


def taken_over(jobs: Sequence[Job]) -> list[Job]:
    """The jobs of runs that were not made here."""
    runs = [job for job in jobs if isinstance(job.product, RunProduct)]
    return [job for job in runs if job.product.taken]


def remeasure_a_few(
    project: Project, jobs: Sequence[Job], executor: Callable[[Project, int], Executor], say: Say
) -> None:
    """Make some of the runs that were taken over, unless that was done for this commit.

    Args:
        project: whose runs they are, all of them fresh.
        jobs: everything that the project makes.
        executor: makes one for a project, given how many runs there will be.
        say: receives what came out.

    Raises:
        MeasuredError: what is measured from a run made here leaves its tolerance; nothing may be published.
    """
    taken = taken_over(jobs)
    mark = project.build / "remeasured.json"
    if not taken:
        mark.unlink(missing_ok=True)
        return
    commit, before = commit_of_code(project), _read(mark)
    if before.get("commit") == commit and {job.name for job in taken} <= set(before.get("runs", ())):
        say(f"re-measured: a sample of {len(taken)} runs taken over was compared before, with the same code")
        return
    chosen = _chosen(commit, taken)
    names = ", ".join(job.name for job in chosen)
    say(f"re-measuring {len(chosen)} of {len(taken)} runs that were taken over: {names}")
    project.build.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=project.build, prefix="remeasured-") as folder:
        apart = replace(project, output=Path(folder))
        again = {job.name: job for job in workflow.jobs(apart)}
        workflow.make(apart, [again[job.name] for job in chosen], executor(apart, len(chosen)), say)
        different = [job for job in chosen if not _same_bytes(job.product, again[job.name].product)]
        for job in different:
            _compare(
                project, apart, job, [j for j in jobs if isinstance(j.product, RunProduct)], executor, say
            )
        for job in chosen:
            if job not in different:
                _keep(again[job.name].product, job.product)
    told = f"{len(chosen) - len(different)} came out with the same bytes"
    say(f"re-measured: {told}" + (f", {len(different)} within the tolerances" if different else ""))
    files.write_json(mark, {"commit": commit, "runs": sorted(job.name for job in taken)})


def _chosen(commit: str, jobs: Sequence[Job]) -> list[Job]:
    """Drawn by the commit and by what was taken; what takes too long beside the others is passed over."""

    def drawn(job: Job) -> str:
        return files.sha256(f"{commit} {job.name} {job.product.identity()}".encode())

    chosen: list[Job] = []
    lightest = sorted(job.seconds for job in jobs)[:REMEASURED]
    left = max(TOGETHER, sum(lightest))
    for job in sorted(jobs, key=drawn):
        if len(chosen) < REMEASURED and job.seconds <= left:
            chosen.append(job)
            left -= job.seconds
    return chosen


def _same_bytes(one: RunProduct, other: RunProduct) -> bool:
    return archives.read_bytes(one.files[0]) == archives.read_bytes(other.files[0])


def _keep(made: RunProduct, stored: RunProduct) -> None:
    """What came out the same was measured here."""
    for source, target in zip(made.files, stored.files, strict=True):
        files.write_bytes(target, source.read_bytes())


def _compare(
    project: Project,
    apart: Project,
    job: Job,
    runs: Sequence[Job],
    executor: Callable[[Project, int], Executor],
    say: Say,
) -> None:
    """Measure an experiment once more, with the run that was made here in the place of the one taken over."""
    experiment = job.product.experiment
    for other in (run.product for run in runs if run.product.experiment.name == experiment.name):
        for path in other.files:
            target = apart.build / path.relative_to(project.build)
            if not target.exists():
                files.write_bytes(target, path.read_bytes())
    record = next(j for j in workflow.jobs(apart) if j.name == experiment.name)
    workflow.make(apart, [record], executor(apart, 1), say)
    elsewhere = read_record(project.records / f"{experiment.name}.json")
    here = read_record(apart.records / f"{experiment.name}.json")
    _refuse_other_values(
        job, here, compare.compare(here, accept.expectations(experiment, elsewhere, {})), elsewhere
    )


def _refuse_other_values(job: Job, here: Record, drift: Sequence[compare.Drift], elsewhere: Record) -> None:
    turned = [c for c, claim in here.claims.items() if claim.holds != elsewhere.claims[c].holds]
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
