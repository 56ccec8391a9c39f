"""A small project of its own (a die, no attention) on which the engine is tried as its users would."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from forked_commands import Forks

FORKS = Forks()
SAMPLE = Path(__file__).parent / "measured" / "sample"
ENGINE = Path(__file__).parents[1] / "src"


def hear():
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@dataclass(frozen=True)
class Sample:
    root: Path

    def run(self, *arguments, timeout=240, **options):
        if options:
            return subprocess.run(self.command(*arguments), **self.options(options), timeout=timeout)
        return FORKS.run(arguments, self.root, self.options({})["env"], timeout)

    def start(self, *arguments, **options):
        """A process that hears Ctrl-C; whoever tests does not if it was started in the background."""
        return subprocess.Popen(self.command(*arguments), **self.options({"preexec_fn": hear, **options}))

    def command(self, *arguments):
        return [sys.executable, "-m", "measured.cli", *arguments]

    def options(self, more):
        path = os.pathsep.join((str(self.root / "src"), str(ENGINE)))
        env = {**os.environ, "PYTHONPATH": path, "NO_MKDOCS_2_WARNING": "1"}
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        return {"cwd": self.root, "env": env, **pipes, **more}

    def build(self, *arguments, **options):
        """In one process: to start others takes longer than to throw a die."""
        return self.run("build", "--workers", "1", *arguments, **options)

    def edit(self, name, old, new):
        path = self.root / name
        text = path.read_text(encoding="utf-8")
        assert old in text, f"{name} has no {old!r}"
        path.write_text(text.replace(old, new), encoding="utf-8")

    def read(self, name):
        return (self.root / name).read_text(encoding="utf-8")

    def tree(self, name):
        folder = self.root / name
        return {
            p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()
        }


def copy(source, target):
    shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__", "lock"))
    return Sample(target)


def make_accepted(target):
    """A sample that was measured, accepted and built: the state in which an author finds a project."""
    sample = copy(SAMPLE, target)
    for arguments in (("make",), ("accept", "--yes"), ("build",)):
        result = sample.run(*arguments)
        assert result.returncode == 0, result.stdout
    return sample
