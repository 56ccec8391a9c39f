"""A process that has imported the engine, and runs each command in a fork of itself.

To import the engine takes longer than to throw a die. A fork runs `measured`'s `main` as a process of its
own: with its own folder, environment, output and exit code; nothing of the project was imported before.
"""

from __future__ import annotations

import atexit
import json
import os
import select
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path


class Forks:
    """Runs commands, one after another; the process that forks starts with the first."""

    def __init__(self) -> None:
        self._parent: subprocess.Popen[str] | None = None

    def run(
        self, arguments: Sequence[str], folder: Path, environment: Mapping[str, str], timeout: float
    ) -> subprocess.CompletedProcess[str]:
        """As `subprocess.run` with both outputs in one text."""
        with tempfile.NamedTemporaryFile() as output:
            order = [list(arguments), str(folder), dict(environment), output.name]
            code = self._ask(order, timeout)
            printed = Path(output.name).read_bytes().decode("utf-8", "replace")
        if code is None:
            raise subprocess.TimeoutExpired(list(arguments), timeout, output=printed)
        return subprocess.CompletedProcess(list(arguments), code, printed)

    def _ask(self, order: list[object], timeout: float) -> int | None:
        if self._parent is None:
            self._parent = subprocess.Popen(
                [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
            atexit.register(self.end)
        print(json.dumps(order), file=self._parent.stdin, flush=True)
        if not select.select([self._parent.stdout], [], [], timeout)[0]:
            self.end()
            return None
        return int(self._parent.stdout.readline())

    def end(self) -> None:
        """End the process that forks, and what it is waiting for."""
        if self._parent is not None:
            self._parent.stdin.close()
            self._parent.terminate()
            self._parent.wait()
            self._parent = None


def serve() -> None:
    """Fork for each order that comes in, and answer with its exit code."""
    import scipy.special  # noqa: F401 - what most commands import

    import measured.build
    import measured.cli
    import measured.commands
    import measured.gate.accept
    import measured.site.ledger
    import measured.site.stages

    answers = os.fdopen(os.dup(1), "w")
    for line in sys.stdin:
        child = os.fork()
        if not child:
            answers.close()
            _become(*json.loads(line))
            measured.cli.main()
            return
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), file=answers, flush=True)


def _become(arguments: list[str], folder: str, environment: dict[str, str], output: str) -> None:
    """What `python -m measured.cli` is when it begins, in that folder and with that environment."""
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    written = os.open(output, os.O_WRONLY | os.O_APPEND)
    os.dup2(written, 1)
    os.dup2(written, 2)
    os.close(written)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.path[:1] = [folder, *environment["PYTHONPATH"].split(os.pathsep)]
    sys.argv = ["measured", *arguments]
    sys.modules["__main__"] = sys.modules["measured.cli"]  # which processes that it starts import first


if __name__ == "__main__":
    serve()
