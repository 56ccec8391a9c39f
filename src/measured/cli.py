"""The engine's command line: what nox calls, and what an author may call by hand."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from measured.errors import MeasuredError
from measured.project import Project


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--quick", is_flag=True, help="Fewer draws and seeds, for authors; never published.")
@click.option("--root", type=click.Path(path_type=Path), default=Path("."), help="The project's folder.")
@click.pass_context
def cli(context: click.Context, quick: bool, root: Path) -> None:
    """Measure, draw, weave, compare."""
    context.obj = Project.load(root, quick=quick)


@cli.command()
@click.argument("name")
@click.option("--run", "run_name", help="Only this long run.")
@click.pass_obj
def measure(project: Project, name: str, run_name: str | None) -> None:
    """Run one experiment, and the long runs that it lacks, here and now."""
    from measured import running

    experiment = project.declared[name]
    for run in experiment.runs_in(project.quick):
        if run_name in (None, run.name):
            npz, _ = running.run_paths(project, experiment, run)
            if run_name or not npz.exists():
                running.perform_run(project, experiment, run)
                click.echo(f"ran {run.name}")
    if run_name is None:
        made = running.perform_experiment(project, experiment)
        for measurement in made.measurements.values():
            click.echo(f"{measurement.id:60} {measurement.display():>14} {measurement.unit}")
        for claim in made.claims.values():
            click.echo(f"{'holds' if claim.holds else 'FAILS'} {claim.id} {claim.undecidable or claim.saw}")


@cli.command()
@click.argument("name")
@click.pass_obj
def draw(project: Project, name: str) -> None:
    """Draw one figure from its records."""
    from measured import sketching

    sketching.perform_plot(project, project.declared_figures[name])


def main() -> None:
    """Run the command line; what a person can mend is told once and exits with 1."""
    try:
        cli(standalone_mode=False)
    except MeasuredError as error:
        click.echo(str(error), err=True)
        sys.exit(1)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)


if __name__ == "__main__":
    main()
