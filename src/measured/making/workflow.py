"""What has to be made anew, why, and the making of it: in order, what compiles together in one process.

A plan asks of everything declared whether it is fresh. What is stale goes to an executor; afterwards the
plan is made again, and whatever is still stale is an error, whatever the reason: an interrupt, a file
edited meanwhile, a worker that stored nothing.
"""

from __future__ import annotations

import traceback
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field, replace
from graphlib import TopologicalSorter
from pathlib import Path

from measured import files
from measured.errors import MeasuredError
from measured.located import declaration_of
from measured.making import fitting, pruning
from measured.making.costs import Costs
from measured.making.environment import describe
from measured.making.executor import Executor, ExecutorGone, killed
from measured.making.fingerprint import CodeHashes, Sources, digest, plain_json
from measured.making.made import Product, Stale, made
from measured.making.order import Order, Outcome
from measured.making.products import FigureProduct, RecordProduct, RunProduct
from measured.making.progress import Progress
from measured.making.vouchers import Voucher
from measured.project import Project
from measured.terms.experiment import Experiment

Say = Callable[[str], None]

UNKNOWN_SECONDS = 5.0  # of a piece of work that has never been done and declares no budget
SMALL_SECONDS = 1.0  # of a few steps of a model, in a first look


@dataclass(frozen=True)
class Job:
    """One thing to make.

    Args:
        name: `scale`, `induction/blocks1.seed0`, `figure scale.max_weight`.
        product: what it makes.
        why: why it has to be made anew; empty where it need not.
        after: names of the jobs whose results it reads.
        order: what a worker is handed.
        seconds: what it took before, or may take.
        model: jobs with the same one compile the same.
        found: what the one that is there was made from, where it is fresh.
    """

    name: str
    product: Product
    why: str
    after: tuple[str, ...]
    order: Order
    seconds: float
    model: str = ""
    found: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)

    @property
    def makes(self) -> tuple[Path, ...]:
        """Files that it leaves."""
        return self.product.files


def code_of(project: Project) -> CodeHashes:
    """What the project's files of code do, as hashes; those that a build has kept are read here."""
    return CodeHashes(project.build / "cache" / "code.json")


def sources_of(project: Project, code: CodeHashes | None = None) -> Sources:
    """The project's code as it is now."""
    return Sources(project.packages, code or code_of(project))


def jobs(project: Project, sources: Sources | None = None, *, all_here: bool = False) -> list[Job]:
    """Everything that the project makes from its code, each with the reason to make it anew, if any.

    Args:
        project: whose it is.
        sources: its code, where somebody has read it.
        all_here: whether runs and records that were taken over count as not made.
    """
    sources, costs = sources or sources_of(project), Costs.of(project)
    # Whoever makes one thing lists no others: to import what only the other list names takes longer.
    measuring, drawing = replace(project, figures=""), replace(project, experiments="")
    found: list[Job] = []
    stale: set[str] = set()
    for experiment in project.declared.values():
        if project.quick and _is_left_out(experiment, costs):
            continue
        runs = tuple(
            RunProduct(project, experiment, run, sources) for run in experiment.runs_in(project.quick)
        )
        run_jobs = [_run_job(measuring, product, costs, all_here) for product in runs]
        record = RecordProduct(project, experiment, runs, sources)
        waiting = [job.name for job in run_jobs if job.why]
        why = f"{len(waiting)} of its runs are made anew" if waiting else _taken(record, all_here)
        order = Order(measuring, "record", experiment.name)
        seconds = costs.seconds(experiment.name) or UNKNOWN_SECONDS
        after = tuple(job.name for job in run_jobs)
        job = _job(record, why, after, order, seconds)
        if job.why:
            stale.add(experiment.name)
        found += [*run_jobs, job]
    measured = {job.name for job in found}
    for plot in project.declared_figures.values():
        if project.quick and not measured.issuperset(plot.records):
            continue
        anew = [name for name in plot.records if name in stale]
        why = f"record {', '.join(anew)} is made anew" if anew else ""
        product = FigureProduct(project, plot, sources)
        seconds = costs.seconds(product.name) or 1.0
        found.append(_job(product, why, plot.records, Order(drawing, "figure", plot.name), seconds))
    return found


def stale(project: Project) -> dict[str, str]:
    """What would be made again, by name, and why; a record bears its experiment's name."""
    return {job.name: job.why for job in jobs(project) if job.why}


def make(project: Project, stale: Iterable[Job], executor: Executor, say: Say) -> None:
    """Make the stale jobs.

    Args:
        project: whose they are.
        stale: what `jobs` found, or some of it.
        executor: where the work is done.
        say: receives a line now and then.

    Raises:
        MeasuredError: one or more failed; what the others made stays.
    """
    once, twins = _made_once(stale)
    schedule = Schedule(once)
    failures: list[str] = []
    with executor, Progress(schedule.total, executor.workers, say) as progress:
        running: dict[Future[Outcome], tuple[int, Job]] = {}
        while True:
            idle = set(range(executor.workers)) - {worker for worker, _ in running.values()}
            for worker in sorted(idle):
                job = schedule.next_for(worker, executor.takes)
                if job is not None:
                    order = replace(job.order, inputs=job.product.inputs())
                    running[executor.submit(worker, order)] = worker, job
                    progress.begins(worker, job.name)
            if not running:
                if not schedule.is_waiting:
                    break
                executor.wait_for_workers()
                continue
            done, _ = wait(running, timeout=1, return_when=FIRST_COMPLETED)
            for future in done:
                worker, job = running.pop(future)
                try:
                    outcome = stored(project, job, future)
                    for twin in twins[job.name]:
                        _copy(job, twin)
                    schedule.finish(job)
                    progress.ends(worker, job.seconds, outcome.seconds)
                except ExecutorGone:
                    raise
                except MeasuredError as error:
                    failures.append(str(error))
                    progress.ends(worker, job.seconds, job.seconds)
            progress.show()
    if failures:
        raise MeasuredError(
            "\n".join(failures) + "\nwhat failed is tried again by the next build; what was made stays"
        )


def _made_once(stale: Iterable[Job]) -> tuple[list[Job], dict[str, list[Job]]]:
    """Runs that are called the same with the same are made once, as a first look's are that differ elsewhere.

    Returns:
        What is to be made; and by the name of each run those that are what it is.
    """
    first: dict[tuple[object, str], Job] = {}
    twins: dict[str, list[Job]] = defaultdict(list)
    named: dict[str, str] = {}
    for job in stale:
        called = id(job.product.run.function) if isinstance(job.product, RunProduct) else job.name
        found = first.setdefault((called, digest(job.product.inputs())), job)
        named[job.name] = found.name
        if found is not job:
            twins[found.name].append(job)
    once = [replace(job, after=tuple(named.get(n, n) for n in job.after)) for job in first.values()]
    return once, twins


def _copy(made: Job, twin: Job) -> None:
    for source, target in zip(made.makes, twin.makes, strict=True):
        files.write_bytes(target, source.read_bytes())


def stored(project: Project, job: Job, future: Future[Outcome]) -> Outcome:
    """Wait for what a worker makes of a job, and store it.

    Raises:
        MeasuredError: it failed, for whatever reason; names the job.
    """
    try:
        outcome = future.result()
        _store(project, job, outcome)
    except ExecutorGone:
        raise
    except Exception as error:
        raise MeasuredError(_failure(project, job, error)) from error
    return outcome


def refuse_stale(project: Project, code: CodeHashes | None = None, *, all_here: bool = False) -> list[Job]:
    """Plan again: whatever is stale after the work is an error.

    Args:
        project: whose it is.
        code: hashes of code, where somebody has some already.
        all_here: see `jobs`.

    Returns:
        Everything that the project makes, all of it fresh.

    Raises:
        MeasuredError: names what is stale, and why.
    """
    every = jobs(project, sources_of(project, code), all_here=all_here)
    left = [job for job in every if job.why]
    if left:
        raise MeasuredError(
            "\n".join([f"{len(left)} things are stale after they were made:", *map(_told, left)]),
            expected="sources, data and settings that stay as they are while work is done",
            mend="run it again",
        )
    return every


def prune(project: Project, declared: Iterable[Job]) -> list[Path]:
    """Remove records and figures that nothing declares any more; say which.

    Runs stay: they were dear, their fingerprint says what they are, and another branch may want them.
    """
    kept = {path for job in declared for path in job.makes}
    gone = [
        *pruning.undeclared(project.records, pruning.RECORD, kept),
        *pruning.undeclared(project.drawings, pruning.FIGURE, kept),
    ]
    for path in gone:
        path.unlink()
    return gone


def _anything(worker: int, kind: str) -> bool:
    return True


class Schedule:
    """Which job is next: what this worker has compiled, else the lightest experiment's, the longest of it."""

    def __init__(self, stale: Iterable[Job]) -> None:
        by_name = {job.name: job for job in stale}
        self.total = [job.seconds for job in by_name.values()]
        self._jobs = by_name
        self._sorter = TopologicalSorter(
            {job.name: [name for name in job.after if name in by_name] for job in by_name.values()}
        )
        self._sorter.prepare()
        self._ready: dict[str, list[Job]] = defaultdict(list)
        self._model_of: dict[int, str] = {}
        self._experiment_takes: dict[str, float] = defaultdict(float)
        for job in by_name.values():
            self._experiment_takes[job.order.name] += job.seconds
        self._take_ready()

    @property
    def is_waiting(self) -> bool:
        """Whether something could be begun at once."""
        return bool(self._ready)

    def next_for(self, worker: int, takes: Callable[[int, str], bool] = _anything) -> Job | None:
        """The next job of a worker that has none, or None while there is nothing that it could begin."""
        fitting = [model for model, jobs in self._ready.items() if takes(worker, jobs[0].order.kind)]
        if not fitting:
            return None
        model = self._model_of.get(worker, "")
        if not model or model not in fitting:
            model = min(fitting, key=self._rank)
        self._model_of[worker] = model
        waiting = self._ready[model]
        job = waiting.pop(0)
        if not waiting:
            del self._ready[model]
        return job

    def finish(self, job: Job) -> None:
        """What waited for the job may begin; what waits for one that failed never does."""
        self._sorter.done(job.name)
        self._take_ready()

    def _take_ready(self) -> None:
        for name in self._sorter.get_ready():
            job = self._jobs[name]
            self._ready[job.model].append(job)
            self._ready[job.model].sort(key=lambda j: -j.seconds)

    def _rank(self, model: str) -> tuple[int, int, float, float, str]:
        """What nobody has compiled; light experiments first, so that mistakes show early; the longest."""
        waiting = self._ready[model]
        taken = model != "" and model in self._model_of.values()
        experiment = self._experiment_takes[waiting[0].order.name]
        return (model != "", taken, experiment, -sum(job.seconds for job in waiting), model)


def _is_left_out(experiment: Experiment, costs: Costs) -> bool:
    """A first look leaves out what trains in full: a run that declares nothing smaller, and takes long."""
    return any(
        not run.quick and costs.is_dear(f"{experiment.name}.{run.name}") for run in experiment.runs_in(True)
    )


def _run_job(plain: Project, product: RunProduct, costs: Costs, all_here: bool) -> Job:
    experiment, run = product.experiment, product.run
    shares = f"{run.function.__module__}.{run.function.__qualname__}"
    alike = {name: value for name, value in run.settings(plain.quick).items() if name != "seed"}
    small = plain.quick and bool(run.quick)
    order = Order(plain, "run", experiment.name, run.name, shares=shares, compiles=not small)
    unknown = SMALL_SECONDS if small else run.seconds / 10
    seconds = costs.seconds(f"{experiment.name}.{run.name}") or unknown
    return _job(product, _taken(product, all_here), (), order, seconds, f"{shares} {plain_json(alike)}")


def _taken(product: RunProduct | RecordProduct, all_here: bool) -> str:
    """Why a build that measures everything here makes it anew, if it does."""
    return "it was taken over, not measured here" if all_here and product.taken else ""


def _job(
    product: RunProduct | RecordProduct | FigureProduct,
    why: str,
    after,
    order: Order,
    seconds: float,
    model: str = "",
) -> Job:
    state = made(product, order.project.root, product.sources.code.of)
    own, found = (state.why, {}) if isinstance(state, Stale) else ("", state.found)
    return Job(product.name, product, own or why, tuple(after), order, seconds, model, found)


def _store(project: Project, job: Job, outcome: Outcome) -> None:
    expected = sorted(path.relative_to(project.build).as_posix() for path in job.makes)
    if sorted(outcome.files) != expected:
        raise MeasuredError(
            f"{job.name}: the worker made {', '.join(outcome.files) or 'nothing'}",
            expected=", ".join(expected),
        )
    made = {project.build / name: data for name, data in outcome.files.items()}
    if isinstance(job.product, RunProduct):
        arrays, vouching = job.makes
        made[vouching] = _vouched(project, job, made[arrays], made[vouching], outcome)
    for path, data in made.items():
        files.write_bytes(path, data)
    if isinstance(job.product, RecordProduct):
        job.product.mark.unlink(missing_ok=True)
    taken = {
        "seconds": round(outcome.seconds, 3),
        "processor": round(outcome.processor, 3),
        "memory": outcome.memory,
    }
    files.write_json(project.timings / f"{timing_of(job.order)}.json", taken)


def _vouched(project: Project, job: Job, arrays: bytes, voucher: bytes, outcome: Outcome) -> bytes:
    """A run's voucher with the machine that made it, after both were looked at.

    Raises:
        MeasuredError: they are not what was asked for, or of another form.
    """
    found = Voucher.parse(voucher)
    different = fitting.misfit(found.fingerprint, job.product.inputs(), project.root)
    if different:
        raise MeasuredError(
            f"{job.name}: it was made from something else than the plan says: {different}",
            mend="nothing was stored; run it again",
        )
    fitting.refuse_other_arrays(found, arrays)
    here = outcome.environment
    alike = not outcome.elsewhere or here["cpu_features"] == describe(project.versions)["cpu_features"]
    return replace(found, environment=here or None, taken=not alike).as_bytes()


def timings_of(jobs: Iterable[Job]) -> set[str]:
    """The names under which it is kept what jobs took."""
    return {timing_of(job.order) for job in jobs}


def timing_of(order: Order) -> str:
    """The name under which it is kept what it took."""
    if order.kind == "figure":
        return f"figure {order.name}"
    return f"{order.name}.{order.run}" if order.run else order.name


def _failure(project: Project, job: Job, error: Exception) -> str:
    if isinstance(error, MeasuredError):
        return str(_at_declaration(project, job, error))
    if killed(error):
        return (
            f"{job.name}: its process was killed (out of memory, or by somebody)\n"
            "  to mend: fewer workers need less memory: nox -s build -- --workers 1"
        )
    return f"{job.name}: " + "".join(traceback.format_exception(error))


def _at_declaration(project: Project, job: Job, error: MeasuredError) -> MeasuredError:
    """An error that names no file, at the line where its experiment is declared."""
    experiment = project.declared.get(job.order.name)
    if error.path is not None or experiment is None:
        return error
    place = declaration_of("Experiment", experiment.name, project.packages, project.root)
    if place is None:
        return error
    path, line = place
    return MeasuredError(error.problem, path=path, line=line, expected=error.expected, mend=error.mend)


def _told(job: Job) -> str:
    return f"  {job.name}: {job.why}"
