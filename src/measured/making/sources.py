"""Code of a project is read from its source, never from bytecode that an earlier edit has left."""

from __future__ import annotations

import importlib
import os
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import find_spec
from pathlib import Path

from measured.making.fingerprint import ENGINE


def read_sources_in(folders: tuple[str, ...]) -> None:
    """Bytecode counts as current if size and second agree; two edits within a second may do that."""
    stats, store = SourceFileLoader.path_stats, SourceFileLoader.set_data

    def path_stats(self, path):
        return {**stats(self, path), "mtime": -1} if path.startswith(folders) else stats(self, path)

    def set_data(self, path, data, **options):
        return None if path.startswith(folders) else store(self, path, data, **options)

    SourceFileLoader.path_stats, SourceFileLoader.set_data = path_stats, set_data


def folders_of(packages: tuple[str, ...]) -> tuple[str, ...]:
    """Where the project's packages are; the engine is installed, and stays as it is while it works."""
    specs = [find_spec(name) for name in packages if name != ENGINE]
    return tuple(str(Path(spec.origin).parent) + os.sep for spec in specs if spec and spec.origin)


def forget(packages: tuple[str, ...]) -> None:
    """Have the project's modules imported anew by whoever asks for them next; the engine's stay."""
    own = set(packages) - {ENGINE}
    for name in [name for name in sys.modules if name.partition(".")[0] in own]:
        del sys.modules[name]
    importlib.invalidate_caches()
