"""From code to site in one walk: measure, draw, compare, weave, check, and only then publish."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from measured import folders, private_words
from measured.gate import prose, verdicts
from measured.gate.vacuous import refuse_vacuous
from measured.making import confirming, workflow
from measured.making.beside import Beside
from measured.making.fingerprint import CodeHashes, HashOfCode, Sources
from measured.making.made import Fresh, made
from measured.project import Project
from measured.recording import Recording
from measured.site import checks
from measured.site.product import SiteProduct

if TYPE_CHECKING:
    from measured.making.executor import Executor

Say = Callable[[str], None]


def build(
    project: Project,
    say: Say,
    workers: int | None = None,
    fetch: Callable[[Path, Path], object] | None = None,
    *,
    all_here: bool = False,
    cluster: str = "",
    asked: Sequence[str] | None = None,
) -> Path:
    """The whole way; the site that stood before stands until the new one has passed every check.

    Args:
        project: what to build.
        say: receives one line a step.
        workers: processes that measure at the same time; None for as many as fit.
        fetch: installs the site's third-party files, given the project's folder and that of its builds.
        all_here: whether to take nothing over, and to measure anew what was.
        cluster: the address of a Dask scheduler whose workers make the runs; empty for none.
        asked: the options of the command that this process began with, so that a receipt may be kept of all
            that was looked at; None where the process was in use before.

    Returns:
        The folder of the finished site.

    Raises:
        MeasuredError: any step failed; nothing was published.
    """
    code = workflow.code_of(project)
    beside = Beside(lambda: executor_for(project, workers or _fitting(), ""))
    with alone(project, say), Recording(project, asked, code.of) as recording, beside:
        target = project.shown_site
        folders.recover(project.site)
        repeated: Callable[[], list[str]] = list
        if not recording.is_measured(say):
            jobs = measure(project, say, workers, recording, code, all_here=all_here, cluster=cluster)
            said = [f"plan: 0 of {len(jobs)} to make, everything is fresh"]
            more, repeated = look_at(project, jobs, say, beside, code)
            recording.after_measuring(jobs, said + more)
        recording.before_making()
        prose_said = f"prose: {prose.pass_prose(project)} (measured prose lists them)"
        say(prose_said)
        if fetch is not None:
            fetch(project.root, project.full_build)
        site = SiteProduct(project, target, code.of)
        unchanged = f"site: nothing that goes into {_shown(target, project.root)}/ has changed"
        unchanged = f"{unchanged}; {_look_at_it(project)}"
        if is_fresh(site, say):
            recording.also_said(repeated())
            say(unchanged)
        else:

            def before_publishing() -> None:
                recording.also_said(repeated())
                recording.refuse_change()

            make_site(site, say, recording.state, before_publishing)
        recording.after_making(site, [prose_said, unchanged])
    return target


def look_at(
    project: Project, jobs: Sequence[workflow.Job], say: Say, beside: Beside, code: CodeHashes | None = None
) -> tuple[list[str], Callable[[], list[str]]]:
    """Gate and claims, of what was measured; what is made once more is made meanwhile.

    Returns:
        What they say to whoever asks again before anything has changed; and what is to be called before
        anything is published, which says what became of stored outcomes that are made once more.

    Raises:
        MeasuredError: drift, a claim that could not fail, or other values than those that were taken over.
    """
    if project.quick:
        said = "gate: not asked, since quick records are never published"
        say(said)
        return [said], list
    remeasured = remeasure(project, jobs, beside, say)
    repeated = confirming.begin_to_repeat_a_few(project, beside, say, code)
    said: list[str] = []
    say(f"gate: {verdicts.pass_gate(project)}")
    said.append(f"gate: {verdicts.PASSED_BEFORE}")
    told = [f"claims: {refuse_vacuous(project)}"]
    failing = [name for name, fresh in confirming.confirmations(project).items() if fresh.says_too_much]
    if failing:
        told.append(f"claims: {', '.join(failing)}: more than fresh seeds support; no page should make them")
    for line in told:
        say(line)
    return said + remeasured() + told, repeated


def is_fresh(site: SiteProduct, say: Say) -> bool:
    """Whether the site that stands there is what would be made; say else why not."""
    state = made(site, site.project.root, site.code)
    if isinstance(state, Fresh):
        return True
    say(f"site: to be made anew, {state.why}")
    return False


def make_site(site: SiteProduct, say: Say, state: str, before_publishing: Callable[[], object]) -> None:
    """Render and finish, look, and publish.

    Args:
        site: the one to be made.
        say: receives one line a step.
        state: of all that was measured; empty where it is not known.
        before_publishing: raises where nothing may be published.

    Raises:
        MeasuredError: a stage refused; the site that stood before stands.
    """
    project = site.project
    with site.being_made() as making:
        fresh = project.build / "site.new"
        say(f"site: {render(project, fresh, state, site.code)}")
        private_words.refuse(fresh, project.root, project.build / "private.json")
        before_publishing()
    folders.publish(fresh, site.target)
    site.vouch(making)
    say(f"published: {_shown(site.target, project.root)}/; {_look_at_it(project)}")


def plan(
    project: Project, say: Say, sources: Sources | None = None, *, all_here: bool = False
) -> list[workflow.Job]:
    """Say what has to be made, and why; make nothing."""
    every = workflow.jobs(project, sources, all_here=all_here)
    stale = [job for job in every if job.why]
    say(f"plan: {len(stale)} of {len(every)} to make" + (":" if stale else ", everything is fresh"))
    for job in stale:
        say(f"  {job.name}: {job.why}")
    return every


def measure(
    project: Project,
    say: Say,
    workers: int | None,
    recording: Recording | None = None,
    code: CodeHashes | None = None,
    *,
    all_here: bool = False,
    cluster: str = "",
) -> list[workflow.Job]:
    """Take over what can be had, run and draw what is stale; see afterwards that nothing is left.

    Returns:
        Everything that the project makes.
    """
    sources = workflow.sources_of(project, code)
    if project.results and not all_here:
        take_over(project, say, sources)
    recording = recording or Recording(project, None)
    recording.before_plan()
    every = plan(project, say, sources, all_here=all_here)
    sources.code.keep()
    stale = [job for job in every if job.why]
    if stale:
        make(project, stale, say, workers, cluster)
        recording.before_plan()
        every = workflow.refuse_stale(project, sources.code, all_here=all_here)
    for path in workflow.prune(project, every):
        say(f"  removed {_shown(path, project.root)}: nothing declares it any more")
    return every


def take_over(project: Project, say: Say, sources: Sources) -> None:
    """Take over the runs that are missing here, from where the project or whoever builds it said."""
    from measured.results.taking import take_over as taking

    stale = [job for job in workflow.jobs(project, sources) if job.why]
    if stale:
        taking(project, stale, project.results, say)


def remeasure(
    project: Project, jobs: Sequence[workflow.Job], beside: Beside, say: Say
) -> Callable[[], list[str]]:
    """Begin to make a few of the runs that were taken over.

    Returns:
        What compares them, and returns what is said of it once it was done. It raises MeasuredError where one
        of them gives other values here.
    """
    from measured.results import remeasuring

    return remeasuring.begin(project, jobs, beside, _here, say)


def make(
    project: Project, chosen: Sequence[workflow.Job], say: Say, workers: int | None, cluster: str = ""
) -> None:
    """Make what was chosen, in processes of this machine, or on a cluster's workers."""
    here = min(workers or _fitting(), len(chosen))
    workflow.make(project, chosen, executor_for(project, here, cluster), say)


def _here(project: Project, count: int) -> Executor:
    """Processes of this machine for so many things; how many it fits is not asked before there are any."""
    return executor_for(project, min(_fitting(), count), "")


def executor_for(project: Project, workers: int, cluster: str) -> Executor:
    """Where work is done; what a cluster needs is imported only if there is one."""
    if cluster:
        from measured.cluster.driver import Cluster

        return Cluster(project, cluster, workers)
    from measured.making.executor import LocalProcesses

    return LocalProcesses(project, workers)


def _fitting() -> int:
    from measured.making.executor import default_workers

    return default_workers()


def render(project: Project, target: Path, state: str = "", code: HashOfCode | None = None) -> str:
    """Weave, render and finish the site into a folder of its own.

    Args:
        project: whose site.
        target: the folder; emptied first.
        state: of all that was measured; empty where it is not known.
        code: hashes a file of code, where somebody knows some of them.

    Returns:
        What was made, in a line.

    Raises:
        MeasuredError: a stage refused.
    """
    from measured.site import stages

    # Renderers stamp their sitemaps with today; a site of the same commit is the same site.
    environment = {"NO_MKDOCS_2_WARNING": "1", "SOURCE_DATE_EPOCH": _commit_time(project.root)}
    report = stages.make(project, target, {**environment, **os.environ}, state, code)
    kept = project.build / "weights.json"
    weight = checks.heaviest(target, project.page_bytes, project.list_bytes, kept)
    return f"{report}, the heaviest page {weight:,} bytes gzipped"


@contextmanager
def alone(project: Project, say: Say) -> Iterator[None]:
    """Keep two builds of one project apart: the second waits."""
    from filelock import FileLock, Timeout

    folders.refuse_odd_folders(project.root, project.build, project.site, project.stored)
    project.build.mkdir(parents=True, exist_ok=True)
    lock = FileLock(project.build / "lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        say("another build of this project is running; waiting for it")
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


def _look_at_it(project: Project) -> str:
    """What to type: a page that is opened as a file shows half of itself."""
    return f"look at it with: nox -s view{' -- --quick' if project.quick else ''}"


def _shown(path: Path, root: Path) -> str:
    """A path as people know it: below the project's folder where it is there."""
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)


def _commit_time(root: Path) -> str:
    """Seconds of the commit that is checked out; 0 where there is none."""
    command = ["git", "-C", str(root), "log", "-1", "--format=%ct"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip() or "0"
    except (OSError, subprocess.CalledProcessError):
        return "0"
