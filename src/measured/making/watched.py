"""Run a module as a program, and write down what it read of a project; a process that is started for it.

    python -m measured.making.watched ROOT REPORT FOLDER:FOLDER MODULE ARGUMENT …

FOLDERs, below the project's, are those that are made.
"""

from __future__ import annotations

import json
import os
import runpy
import sys
from pathlib import Path

from measured.making.watching import watching, watching_environment


def command(root: Path, report: Path, without: tuple[Path, ...], module: str) -> list[str]:
    """How to start a module so that it is watched; its arguments follow."""
    made = os.pathsep.join(map(str, without))
    return [sys.executable, "-m", __name__, str(root), str(report), made, module]


def main(root: str, report: str, without: str, module: str, *arguments: str) -> None:
    """Run the module; whatever becomes of it, what it read is written down."""
    made = tuple(Path(path) for path in without.split(os.pathsep) if path)
    sys.argv = [module, *arguments]
    with watching(Path(root), made) as watch, watching_environment(watch):
        try:
            runpy.run_module(module, run_name="__main__", alter_sys=True)
        finally:
            Path(report).write_text(json.dumps(watch.read), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
