"""What runs inside a kernel, before and after the cells of a page: nothing of it is an author's.

It watches what is written to stderr and what is read of the project, and has the project's code imported
from its source.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path

from measured.making import watching
from measured.making.sources import read_sources_in


def begin(root: str, without: list[str], folders: list[str]) -> None:
    """Watch from now on.

    Args:
        root: the project's folder.
        without: folders below it that are made.
        folders: of its packages.
    """
    read_sources_in(tuple(folders))
    _pass_on_stderr()
    _begun.append(watching.begin(Path(root), tuple(map(Path, without)), quoting=True))


def report(path: str) -> None:
    """Write down what was read, and refuse what changed since.

    Raises:
        MeasuredError: it did.
    """
    watch = _begun.pop()
    watching.end(watch)
    watch.refuse_changes()
    Path(path).write_text(json.dumps(watch.read), encoding="utf-8")


_begun: list[watching.Watch] = []


def _pass_on_stderr() -> None:
    """Libraries in C write to file descriptor 2, behind Python's back.

    The kernel forwards it from a thread, late enough to miss its cell; so it goes to a file, which is read
    when the cell ends.
    """
    caught, name = tempfile.mkstemp()
    os.unlink(name)
    os.dup2(caught, 2)
    seen = 0

    def tell() -> None:
        nonlocal seen
        text = os.pread(caught, 1 << 20, seen)
        seen += len(text)
        if text:
            sys.stderr.write(text.decode("utf-8", "replace"))

    from IPython import get_ipython

    get_ipython().events.register("post_execute", tell)
