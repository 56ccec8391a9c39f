"""Fingerprints: a hash of each thing that can change a result, kept by name so that people can ask why.

The import graph is read from the source (grimp), so nothing heavy is imported to find out that
nothing changed, and an import inside a function counts like one at the top.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from measured.errors import MeasuredError
from measured.files import sha256, sha256_of_text

Fingerprint = dict[str, str]

ENGINE = __name__.partition(".")[0]


def of_function(
    function: Callable[..., Any],
    parameters: Mapping[str, Any],
    *,
    packages: tuple[str, ...],
    lock: Path,
    also: Iterable[Path] = (),
) -> Fingerprint:
    """Hash of the function's module, of all that it imports inside `packages`, of parameters and lock.

    Args:
        function: a function of one of the packages.
        parameters: what it will be called with, plain data.
        packages: the project's own packages.
        lock: the lock file.
        also: further files that can change the result (a style file, a palette).
    """
    parts = {
        f"module {name}": sha256_of_text(path)
        for name, path in closure(function.__module__, packages).items()
    }
    parts["parameters"] = sha256(json.dumps(parameters, sort_keys=True, default=list).encode())
    parts["lock"] = sha256_of_text(lock)
    parts.update({f"file {path.name}": sha256_of_text(path) for path in also})
    return dict(sorted(parts.items()))


def closure(module: str, packages: tuple[str, ...]) -> dict[str, Path]:
    """The module, all that it imports of the project and of the engine, and their packages' `__init__`."""
    within = tuple(sorted({*packages, ENGINE}))
    return {name: _file_of(name) for name in _reachable(module, within)}


@cache
def _reachable(module: str, within: tuple[str, ...]) -> tuple[str, ...]:
    graph = _graph(within)
    todo, seen = [module], set()
    while todo:
        name = todo.pop()
        if name in seen:
            continue
        seen.add(name)
        if "." in name:
            todo.append(name.rpartition(".")[0])
        if name in graph.modules:
            todo.extend(graph.find_modules_directly_imported_by(name))
    return tuple(name for name in sorted(seen) if name.split(".")[0] in within)


def digest(fingerprint: Mapping[str, str]) -> str:
    """The fingerprint as one hash."""
    return sha256(json.dumps(dict(fingerprint), sort_keys=True).encode())


def changes(old: Mapping[str, str], new: Mapping[str, str]) -> list[str]:
    """What differs between two fingerprints, in words."""
    return [
        f"{name} {'is new' if name not in old else 'is gone' if name not in new else 'changed'}"
        for name in sorted({*old, *new})
        if old.get(name) != new.get(name)
    ]


@cache
def _graph(packages: tuple[str, ...]) -> Any:
    import grimp

    try:
        return grimp.build_graph(*packages, cache_dir=None)
    except grimp.exceptions.SourceSyntaxError as error:
        raise MeasuredError(
            f"Python cannot read this line: {error.text}",
            path=error.filename,
            line=error.lineno,
            expected="a module without syntax errors",
        ) from error


@cache
def _file_of(module: str) -> Path:
    spec: ModuleSpec | None = find_spec(module)
    if spec is None or spec.origin is None:
        raise MeasuredError(
            f"module {module} cannot be found", expected="an importable module of the project"
        )
    return Path(spec.origin)
