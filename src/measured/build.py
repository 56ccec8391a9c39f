"""From code to site in one walk: measure, draw, compare, weave, check, and only then publish."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from measured import files, folders, private_words
from measured.gate import prose, verdicts
from measured.gate.vacuous import refuse_vacuous
from measured.making import confirming, fingerprint, workflow
from measured.project import Project
from measured.site import checks

Say = Callable[[str], None]


def build(
    project: Project, say: Say, workers: int = 2, fetch: Callable[[Path], object] | None = None
) -> Path:
    """The whole way; the site that stood before stands until the new one has passed every check.

    Args:
        project: what to build.
        say: receives one line a step.
        workers: processes that measure at the same time.
        fetch: installs the site's third-party files, given the project's folder.

    Returns:
        The folder of the finished site.

    Raises:
        MeasuredError: any step failed; nothing was published.
    """
    with alone(project, say):
        folders.recover(project.site)
        measure(project, say, workers)
        if project.quick:
            say("gate: not asked, since quick records are never published")
        else:
            say(f"gate: {verdicts.pass_gate(project)}")
            claims(project, say)
        say(f"prose: {prose.pass_prose(project)} (measured prose lists them)")
        if fetch is not None:
            fetch(project.root)
        target = project.build / "site" if project.quick else project.site
        stamp, inputs = project.build / "site.stamp", _inputs(project)
        if _read(stamp) == _stamp(inputs, target):
            say(f"site: nothing that goes into {target.relative_to(project.root)}/ has changed")
            return target
        made = project.build / "site.new"
        say(f"site: {render(project, made)}")
        private_words.refuse(made, project.root)
        folders.publish(made, target)
        files.write_text(stamp, _stamp(inputs, target))
        say(f"published: {target.relative_to(project.root)}/")
    return target


def measure(project: Project, say: Say, workers: int) -> None:
    """Run and draw what is stale; say what, and why, before."""
    every = workflow.jobs(project)
    stale = [job for job in every if job.why]
    say(f"plan: {len(stale)} of {len(every)} to make" + (":" if stale else ", everything is fresh"))
    for job in stale:
        say(f"  {job.name}: {job.why}")
    workflow.make(project, stale, workers)
    for path in workflow.prune(project, every):
        say(f"  removed {path.relative_to(project.root)}: nothing declares it any more")


def claims(project: Project, say: Say) -> None:
    """Look at what claims rest on: their null worlds, and a few of the fresh seeds again.

    Raises:
        MeasuredError: a claim that could not fail, or a stored outcome that does not come out again.
    """
    say(f"claims: {refuse_vacuous(project.read_records())}")
    confirming.repeat_a_few(project, say)


def render(project: Project, target: Path) -> str:
    """Weave, render and finish the site into a folder of its own.

    Returns:
        What was made, in a line.

    Raises:
        MeasuredError: a stage refused.
    """
    from measured.site import stages

    # Renderers stamp their sitemaps with today; a site of the same commit is the same site.
    environment = {"NO_MKDOCS_2_WARNING": "1", "SOURCE_DATE_EPOCH": _commit_time(project.root)}
    report = stages.make(project, target, {**environment, **os.environ})
    return f"{report}, the heaviest page {checks.heaviest(target):,} bytes gzipped"


@contextmanager
def alone(project: Project, say: Say) -> Iterator[None]:
    """Keep two builds of one project apart: the second waits."""
    from filelock import FileLock, Timeout

    folders.refuse_linked_folders(project.root, project.build, project.site)
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


def _inputs(project: Project) -> str:
    """Hash of whatever can change the site: pages, code, settings, records, figures, third-party files."""
    folders = ["docs", "src", "scripts", project.regressions, project.confirmations, "build/vendor/site"]
    built = [project.records, project.drawings, project.runs]
    found = [p for f in (*(project.root / name for name in folders), *built) for p in f.rglob("*")]
    found += [p for p in project.root.iterdir() if p.suffix in {".yml", ".toml", ".lock", ".json", ".cff"}]
    addresses = [os.environ.get(name, "") for name in ("SITE_URL", "REPO_URL", "EDIT_URI")]
    hashes = {
        p.relative_to(project.root).as_posix(): files.sha256(p.read_bytes()) for p in found if _counts(p)
    }
    engine = fingerprint.closure("measured.site.stages", project.packages)
    hashes |= {name: files.sha256_of_text(path) for name, path in engine.items()}
    settings = (addresses, _commit_time(project.root), project.renderer)
    return files.sha256(repr((sorted(hashes.items()), settings)).encode())


def _counts(path: Path) -> bool:
    return path.is_file() and "__pycache__" not in path.parts


def _stamp(inputs: str, site: Path) -> str:
    """What went into a site, and what came out: a site that was touched since is not the one published."""
    tree = {
        p.relative_to(site).as_posix(): files.sha256(p.read_bytes()) for p in site.rglob("*") if p.is_file()
    }
    return f"{inputs} {fingerprint.digest(tree)}\n"


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return ""


def _commit_time(root: Path) -> str:
    """Seconds of the commit that is checked out; 0 where there is none."""
    command = ["git", "-C", str(root), "log", "-1", "--format=%ct"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip() or "0"
    except (OSError, subprocess.CalledProcessError):
        return "0"
