"""The commands: what nox calls, and what an author may call by hand."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import click

from measured import unchanged
from measured.errors import MeasuredError
from measured.project import Project

RESULTS = "MEASURED_FROM"  # names where runs may be taken over from, in the environment


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--quick", is_flag=True, help="Fewer draws and seeds, for authors; never published.")
@click.option("--root", type=click.Path(path_type=Path), default=Path("."), help="The project's folder.")
@click.option("--output", type=click.Path(path_type=Path), help="Where build/ and site/ go; else the root.")
@click.pass_context
def cli(context: click.Context, quick: bool, root: Path, output: Path | None) -> None:
    """Measure, draw, weave, compare."""
    if output is not None:
        sys.dont_write_bytecode = True  # the checkout is only read, also by whoever may write to it
    if context.invoked_subcommand != "init":  # which makes a project where there is none
        context.obj = Project.load(root, quick=quick, output=output)


@cli.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--title", default="", help="Of the site; else the folder's name.")
@click.option("--package", default="", help="Of its code; else the folder's name.")
def init(folder: Path, title: str, package: str) -> None:
    """Write a small, complete site into a new folder."""
    from measured.start import init as starting

    for name in starting.init(folder, title, package):
        click.echo(f"  {name}")
    click.echo(starting.next_steps(folder))


@cli.command()
@click.argument("kind", type=click.Choice(["experiment", "figure", "page"]))
@click.argument("name")
@click.pass_obj
def new(project: Project, kind: str, name: str) -> None:
    """Begin an experiment, a figure (experiment.what) or a page, and list it."""
    from measured import build as building
    from measured.start import new as beginning

    with building.alone(project, click.echo):
        begun = beginning.KINDS[kind](project, name)
    click.echo(f"written: {begun.written.relative_to(project.root)}")
    if begun.changed is not None:
        click.echo(f"listed in: {begun.changed.relative_to(project.root)}")
    click.echo(begun.next)


def _taking_over(command: Callable[..., None]) -> Callable[..., None]:
    """Where results may come from."""
    taking = click.option(
        "--from",
        "results",
        metavar="ADDRESS",
        help="Take over runs that are missing: from a folder, an archive, or a published site's address.",
    )
    measuring = click.option(
        "--all", "all_here", is_flag=True, help="Take nothing over: measure all of it here."
    )
    return taking(measuring(command))


_on_cluster = click.option(
    "--cluster",
    metavar="ADDRESS",
    default="",
    help="Have runs made by the workers of a Dask scheduler: tcp://host:8786.",
)


def _taking_from(project: Project, results: str | None, all_here: bool) -> Project:
    """With where results come from: the option, the environment, pyproject.toml, in this order."""
    if results is not None and all_here:
        raise click.UsageError("--from takes runs over, --all measures each of them here: give one of them")
    return replace(project, results=results or os.environ.get(RESULTS) or project.results)


@cli.command()
@click.option("--quick", is_flag=True, help="Fewer draws and seeds, for authors; never published.")
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    help="Processes that measure at the same time; by default as many as cores and memory allow.",
)
@click.option("--renderer", help="mkdocs, properdocs or zensical; else what [tool.measured] says.")
@_taking_over
@_on_cluster
@click.pass_obj
def build(
    project: Project,
    quick: bool,
    workers: int | None,
    renderer: str | None,
    results: str | None,
    all_here: bool,
    cluster: str,
) -> None:
    """Measure what changed, draw, compare, weave, render, finish, publish."""
    from measured import build as building

    chosen = replace(project, quick=quick or project.quick, renderer=renderer or project.renderer)
    chosen = _taking_from(chosen, results, all_here)
    fetch = _fetcher(project)
    asked = unchanged.asked(sys.argv[1:])
    building.build(chosen, click.echo, workers, fetch, all_here=all_here, cluster=cluster, asked=asked)


@cli.command()
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    help="Processes that measure at the same time; by default as many as cores and memory allow.",
)
@_taking_over
@_on_cluster
@click.pass_obj
def make(project: Project, workers: int | None, results: str | None, all_here: bool, cluster: str) -> None:
    """Run and draw what is stale, and stop there."""
    from measured import build as building

    chosen = _taking_from(project, results, all_here)
    with building.alone(project, click.echo):
        building.measure(chosen, click.echo, workers, all_here=all_here, cluster=cluster)


@cli.command()
@click.pass_obj
def plan(project: Project) -> None:
    """Say what would be made, and why, and make nothing."""
    from measured import build as building

    building.plan(project, click.echo)


@cli.command(context_settings={"ignore_unknown_options": True})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@click.pass_obj
def gate(project: Project, arguments: tuple[str, ...]) -> None:
    """Compare records with stored values, nothing else.

    With further arguments (`-k scale`) pytest shows some of it; then nothing counts as passed.
    """
    from measured import build as building
    from measured.gate import verdicts

    with building.alone(project, click.echo):
        if arguments:
            _show_through_pytest(project, arguments)
            return
        verdicts.stamp_of(project).unlink(missing_ok=True)
        click.echo(f"gate: {verdicts.pass_gate(project)}")


@cli.command()
@click.pass_obj
def prose(project: Project) -> None:
    """List numbers typed by hand, promising words outside a claim, and measurements that no page shows."""
    from measured.weaving import numerals

    found = numerals.inspect_project(project)
    for title, lines in (
        ("numbers by hand", found.by_hand),
        ("promising words outside a claim", found.promises),
        ("measurements on no page", found.unused),
        ("claims that no page makes", found.idle),
    ):
        click.echo(f"{title}: {len(lines)}")
        for line in lines:
            click.echo(f"  {line}")
    found.refuse()


@cli.command()
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--show", is_flag=True, help="Store nothing; leave the summary for a pull request.")
@click.pass_obj
def accept(project: Project, yes: bool, show: bool) -> None:
    """Show old, new, change and why it was outside; then take the new values."""
    from measured import build as building
    from measured.gate import accept as accepting

    with building.alone(project, click.echo):
        taken = (lambda: False) if show else lambda: yes or click.confirm("store the measured values?")
        accepting.accept(project, click.echo, taken)


@cli.command()
@click.pass_obj
def costs(project: Project) -> None:
    """Write what each piece of work took here into the table by which clones expect their end."""
    from measured import build as building
    from measured.making import costs as costing
    from measured.making import workflow

    with building.alone(project, click.echo):
        declared = workflow.timings_of(workflow.jobs(project))
        click.echo(f"{project.costs}: {costing.write(project, declared)} pieces of work")


@cli.command()
@click.argument("names", nargs=-1)
@click.option("--again", is_flag=True, help="Also make the runs that are stored.")
@click.option("--seconds", default=float("inf"), help="Start no further run after so many seconds.")
@click.option(
    "--workers", type=click.IntRange(min=1), default=1, help="Processes that work at the same time."
)
@_on_cluster
@click.pass_obj
def confirm(
    project: Project, names: tuple[str, ...], again: bool, seconds: float, workers: int, cluster: str
) -> None:
    """Put claims to fresh seeds and run studies; store what comes out, whatever it is."""
    from measured import build as building
    from measured.making import confirming

    with building.alone(project, click.echo):
        executor = building.executor_for(project, workers, cluster)
        confirming.confirm(project, executor, click.echo, names, again=again, seconds=seconds)


@cli.command()
@click.argument("address")
@click.option("--places", type=click.IntRange(min=1), help="Runs made at the same time; as many as fit.")
@click.pass_obj
def worker(project: Project, address: str, places: int | None) -> None:
    """Make runs for whoever builds with --cluster ADDRESS; in a clone of the same commit."""
    from measured.cluster import worker as working
    from measured.making.executor import default_workers

    working.serve(project, address, places or default_workers(), click.echo)


@cli.command()
@click.option("--address", default="127.0.0.1:8000", show_default=True)
@click.pass_obj
def serve(project: Project, address: str) -> None:
    """Serve the site, and show each edit, each error and what is stale; measures nothing.

    Where nothing was measured in full, quick results are shown; where there are none either, pages say what
    would make what they lack.
    """
    from measured import build as building
    from measured import preview

    click.echo("making the pages; the first time this takes a minute or two, then their address comes")
    fetch = _fetcher(project)
    if fetch is not None:
        with building.alone(project, click.echo):
            fetch(project.root, project.full_build)
    preview.serve(preview.shown(project), address)


@cli.command()
@click.option("--quick", is_flag=True, help="The one of a quick build.")
@click.option("--address", default="127.0.0.1:8000", show_default=True)
@click.option("--browse/--no-browse", default=True, help="Open it in this machine's browser.")
@click.pass_obj
def view(project: Project, quick: bool, address: str, browse: bool) -> None:
    """Serve the site that was built, as it is, and open it."""
    from measured.site import view as viewing

    chosen = replace(project, quick=quick or project.quick)
    viewing.view(chosen.shown_site, address, click.echo, browse=browse)


@cli.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.pass_obj
def export(project: Project, folder: Path) -> None:
    """Write the woven pages as plain Markdown, for another site generator."""
    from measured import build as building
    from measured.site import export as exporting

    with building.alone(project, click.echo):
        click.echo(f"{exporting.export(project, folder)} pages in {folder}")


@cli.command()
@click.argument("name")
@click.option("--run", "run_name", help="Only this long run.")
@click.pass_obj
def measure(project: Project, name: str, run_name: str | None) -> None:
    """Run one experiment, and the long runs that it lacks; print what it found."""
    from measured.making import workflow
    from measured.terms.record import read_record

    experiment = _named(project.declared, name, "experiment")
    every = {job.name: job for job in workflow.jobs(project)}
    runs = {run.name: every[f"{name}/{run.name}"] for run in experiment.runs_in(project.quick)}
    if run_name is not None:
        _make(project, [_named(runs, run_name, f"run of {name}")])
        click.echo(f"ran {run_name}")
        return
    _make(project, [*(job for job in runs.values() if job.why), every[name]])
    made = read_record(project.records / f"{name}.json")
    for measurement in made.measurements.values():
        click.echo(f"{measurement.id:60} {measurement.display():>14} {measurement.unit}")
    for claim in made.claims.values():
        click.echo(f"{'holds' if claim.holds else 'FAILS'} {claim.id} {claim.undecidable or claim.saw}")


@cli.command()
@click.argument("name")
@click.pass_obj
def draw(project: Project, name: str) -> None:
    """Draw one figure from its records."""
    from measured.making import workflow

    _named(project.declared_figures, name, "figure")
    (job,) = (job for job in workflow.jobs(project) if job.name == f"figure {name}")
    _make(project, [job])
    for path in job.makes:
        if path.suffix == ".svg":
            click.echo(f"drawn: {path.relative_to(project.output or project.root)}")


def _make(project: Project, jobs: list[Any]) -> None:
    """Make what somebody asked for by name, stale or not."""
    from measured import build as building

    with building.alone(project, click.echo):
        building.make(project, jobs, click.echo, None)


def _show_through_pytest(project: Project, arguments: tuple[str, ...]) -> None:
    """Let a contributor look at part of the gate.

    Raises:
        MeasuredError: drift, which pytest has shown, or a selection that compares nothing.
    """
    import pytest

    quiet = ("-q", "--no-header", "-p", "no:cacheprovider", "-p", "no:warnings")
    code = pytest.main([*quiet, str(project.stored), *arguments])
    if code == pytest.ExitCode.NO_TESTS_COLLECTED:
        raise MeasuredError(
            "the gate compared nothing",
            expected="at least one experiment; zero checks never pass",
            mend=f"mend the selection: {' '.join(arguments)}",
        )
    if code != 0:
        raise MeasuredError("the gate found drift, listed above", mend="look at it with: nox -s accept")
    click.echo("these pass; for a whole verdict: nox -s gate")


def _named(found: dict[str, Any], name: str, what: str) -> Any:
    if name not in found:
        raise MeasuredError(f"no {what} is called {name!r}", expected=f"one of {', '.join(found) or 'none'}")
    return found[name]


def _fetcher(project: Project) -> Callable[[Path, Path], object] | None:
    """The project's own installer of third-party files (`scripts/vendor.py`), where it has one."""
    path = project.root / "scripts" / "vendor.py"
    if not path.exists():
        return None
    spec = spec_from_file_location("vendor", path)
    module = sys.modules[spec.name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.vendor


def _in_words(error: OSError) -> MeasuredError:
    """What the system refused, and what helps against that."""
    where = f"{error.filename}: " if error.filename else ""
    mend = {
        errno.EADDRINUSE: "end what uses it, or choose another: nox -s serve -- --address 127.0.0.1:8001",
        errno.EADDRNOTAVAIL: "choose an address of this machine: nox -s serve -- --address 127.0.0.1:8001",
        errno.ENOSPC: "free some space; site/ is as it was",
        errno.EDQUOT: "free some space; site/ is as it was",
        errno.EFBIG: "raise the limit on the size of files; site/ is as it was",
        errno.EACCES: "mend the permissions of the file or its folder; site/ is as it was",
        errno.EPERM: "mend the permissions of the file or its folder; site/ is as it was",
        errno.EROFS: "make the folder writable; site/ is as it was",
    }
    return MeasuredError(f"{where}{error.strerror or error}", mend=mend.get(error.errno, ""))


def main() -> None:
    """Run the command line; what a person can mend is told once and exits with 1."""
    try:
        cli(standalone_mode=False)
    except MeasuredError as error:
        click.echo(str(error), err=True)
        sys.exit(1)
    except OSError as error:
        click.echo(str(_in_words(error)), err=True)
        sys.exit(1)
    except click.Abort:
        click.echo("stopped; nothing was stored", err=True)
        sys.exit(1)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
