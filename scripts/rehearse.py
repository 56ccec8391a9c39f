"""Run what the workflow runs, as it is written there, in a clean clone of the commit.

Each job's `run:` lines go through a shell, one after another, in a clone of its own, with a new environment
of Python first on the path and the variables that the workflow sets. Actions (checkout, caches, uploads) are
what only GitHub has, and steps that wait for a failure are left out. `python scripts/rehearse.py lint`
rehearses one job, without a name all of them. On GitHub a cache hands on what was measured before; here
`--from ADDRESS` does, and a build without it measures everything.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[1]
WORKFLOW = Path(".github/workflows/site.yml")
# What a step may see of the caller: how to find programs, and where they keep what they have fetched.
PASSED_ON = (
    *(
        "HOME",
        "LANG",
        "TMPDIR",
        "UV_CACHE_DIR",
        "PIP_CACHE_DIR",
        "PIP_INDEX_URL",
        "UV_INDEX_URL",
        "UV_DEFAULT_INDEX",
    ),
    *("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "SSL_CERT_FILE"),
)


@dataclass(frozen=True)
class Step:
    """One `run:` line.

    Args:
        job: the job that it belongs to.
        line: what the shell is given.
        variables: what the workflow sets for it.
    """

    job: str
    line: str
    variables: Mapping[str, str]


def steps(workflow: Mapping[str, Any]) -> Iterator[Step]:
    """The lines that a push runs, in order; those that wait for a failure are none of them.

    Args:
        workflow: as YAML has it.
    """
    for name, job in workflow["jobs"].items():
        for step in job.get("steps", ()):
            if "run" in step and step.get("if", "always()") != "failure()":
                yield Step(name, step["run"], _plain({**workflow.get("env", {}), **step.get("env", {})}))


def _plain(variables: Mapping[str, str]) -> dict[str, str]:
    """Variables without those that GitHub alone can fill in."""
    return {name: value for name, value in variables.items() if "${{" not in str(value)}


def rehearse(
    chosen: Sequence[Step], root: Path, folder: Path, path: str, results: str = ""
) -> list[tuple[Step, int, float]]:
    """Run steps in clean clones, a clone a job; after one that failed the job ends.

    Args:
        chosen: the steps.
        root: the repository.
        folder: where clones are made.
        path: where the shell looks for programs.
        results: where builds take over what was measured before; empty for nowhere.

    Returns:
        Each step that was run, its exit code, and the seconds that it took.
    """
    found: list[tuple[Step, int, float]] = []
    failed: set[str] = set()
    for step in chosen:
        clone = folder / step.job
        if not clone.exists():
            subprocess.run(["git", "clone", "--quiet", str(root), str(clone)], check=True)
        if step.job in failed:
            continue
        print(f"{step.job}: {step.line}", flush=True)
        environment = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        if results:
            environment["MEASURED_FROM"] = results
        began = time.monotonic()
        done = subprocess.run(
            ["bash", "-e", "-c", step.line],
            cwd=clone,
            env={**environment, "PATH": path, **step.variables, "CI": "true"},
        )
        found.append((step, done.returncode, time.monotonic() - began))
        if done.returncode:
            failed.add(step.job)
    return found


def _whole(results: str) -> str:
    """An address that means the same in a clone: a folder by its whole path."""
    return str(Path(results).resolve()) if results and Path(results).exists() else results


def main(arguments: Sequence[str]) -> int:
    """Rehearse, and say what became of each line; nought if all passed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("jobs", nargs="*", help="those to run; all if none is named")
    parser.add_argument("--from", dest="results", default="", help="where builds take over results")
    given = parser.parse_args(arguments)
    asked = given.jobs
    every = list(steps(yaml.safe_load((ROOT / WORKFLOW).read_text(encoding="utf-8"))))
    unknown = set(asked) - {step.job for step in every}
    if unknown:
        parser.error(f"no job with lines to run is called {', '.join(sorted(unknown))}")
    chosen = [step for step in every if not asked or step.job in asked]
    with tempfile.TemporaryDirectory(prefix="rehearsal-") as folder:
        python = Path(folder) / "python"
        venv.create(python, with_pip=True)
        path = os.pathsep.join((str(python / "bin"), os.environ["PATH"]))
        found = rehearse(chosen, ROOT, Path(folder), path, _whole(given.results))
    for step, code, seconds in found:
        print(
            f"{'passed' if code == 0 else f'failed with {code}'} in {seconds:.0f} s: {step.job}: {step.line}"
        )
    return 0 if len(found) == len(chosen) and not any(code for _, code, _ in found) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
