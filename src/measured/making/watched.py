"""Run a module as a program, in a process of its own, and write down what it read of a project.

    python -m measured.making.watched ROOT REPORT FOLDER:FOLDER MODULE ARGUMENT …

FOLDERs, below the project's, are those that are made. On Linux the process may be a fork of this one,
where no other thread is at work: what is imported here need not be imported there again. What is the
project's own is, so that the watch sees it.
"""

from __future__ import annotations

import importlib
import json
import os
import runpy
import subprocess
import sys
import tempfile
import threading
import traceback
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, NoReturn

from measured.making import watching

# QuickJS begins one as it is imported, for a way of calling it that nobody here uses: it never has work.
_IDLE_THREADS = ("quickjs-worker-",)


@dataclass(frozen=True)
class Program:
    """A module that is run as a program, and watched.

    Args:
        module: its name.
        arguments: what it is called with.
        root: the project's folder, in which it runs.
        report: the file for what it read of the project.
        without: folders below the project's that are made.
        environment: variables besides those of this process.
        may_fork: whether it may begin with what this process has imported.
    """

    module: str
    arguments: Sequence[str]
    root: Path
    report: Path
    without: tuple[Path, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    may_fork: bool = False

    def run(self) -> tuple[int, str]:
        """Run it to its end; its exit code, and what it said."""
        forks = self.may_fork and sys.platform == "linux" and not _others_at_work()
        with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as told:
            code = self._forked(said, told) if forks else self._started(said, told)
            return code, "".join(_text_of(stream) for stream in (said, told))

    def _started(self, said: IO[bytes], told: IO[bytes]) -> int:
        made = os.pathsep.join(map(str, self.without))
        here = (str(self.root), str(self.report), made, self.module, *self.arguments)
        done = subprocess.run(
            [sys.executable, "-m", __name__, *here],
            cwd=self.root,
            env={**os.environ, **self.environment},
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=told,
            check=False,
        )
        return done.returncode

    def _forked(self, said: IO[bytes], told: IO[bytes]) -> int:
        sys.stdout.flush()
        sys.stderr.flush()
        with warnings.catch_warnings():
            # Threads of libraries in C, of which no lock is held: they work for nobody at this moment.
            warnings.simplefilter("ignore", DeprecationWarning)
            child = os.fork()
        if not child:
            self._be_it(said, told)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

    def _be_it(self, said: IO[bytes], told: IO[bytes]) -> NoReturn:
        """Nothing of this process's own work goes on in the fork, whatever becomes of it."""
        code = 1
        try:
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            os.dup2(said.fileno(), 1)
            os.dup2(told.fileno(), 2)
            sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
            sys.stdout, sys.stderr = (
                os.fdopen(number, "w", encoding="utf-8", errors="backslashreplace", closefd=False)
                for number in (1, 2)
            )
            os.chdir(self.root)
            if not sys.flags.safe_path:
                sys.path.insert(0, str(self.root))  # as `python -m` does
            watching.forget_everybody()
            os.environ.update(self.environment)
            _forget_modules_below(self.root)
            code = _exit_code_of(self)
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)


def _others_at_work() -> bool:
    """Whether another thread may hold what a fork would wait for."""
    names = (one.name for one in threading.enumerate() if one is not threading.current_thread())
    return not all(name.startswith(_IDLE_THREADS) for name in names)


def _exit_code_of(program: Program) -> int:
    try:
        main(program.root, program.report, program.without, program.module, *program.arguments)
    except SystemExit as ended:
        if isinstance(ended.code, str):
            print(ended.code, file=sys.stderr)
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def _forget_modules_below(root: Path) -> None:
    """The project's own modules are imported anew by whoever asks for them; the engine's stay."""
    engine = __name__.partition(".")[0]
    watch = watching.Watch(root)
    for name, module in list(sys.modules.items()):
        path = getattr(module, "__file__", None)
        if path and name.partition(".")[0] not in (engine, "__main__") and watch.is_of_the_project(path):
            del sys.modules[name]
    importlib.invalidate_caches()


def _text_of(stream: IO[bytes]) -> str:
    stream.seek(0)
    return stream.read().decode("utf-8", "replace")


def main(root: Path, report: Path, without: tuple[Path, ...], module: str, *arguments: str) -> None:
    """Run the module; whatever becomes of it, what it read is written down."""
    sys.argv = [module, *arguments]
    with watching.watching(root, without) as watch, watching.watching_environment(watch):
        try:
            runpy.run_module(module, run_name="__main__", alter_sys=True)
        finally:
            report.write_text(json.dumps(watch.read), encoding="utf-8")


if __name__ == "__main__":
    root, report, made, *called = sys.argv[1:]
    main(Path(root), Path(report), tuple(map(Path, filter(None, made.split(os.pathsep)))), *called)
