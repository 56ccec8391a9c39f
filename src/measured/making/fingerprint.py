"""Fingerprints: a hash of each thing that can change a result, kept by name so that people can ask why.

Code is hashed as what it does: its abstract syntax without docstrings, so that mending a comment makes
nothing anew. The import graph is read from the source (grimp), so nothing heavy is imported to find out
that nothing changed, and an import inside a function counts like one at the top.
"""

from __future__ import annotations

import ast
import functools
import inspect
import json
import platform
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import is_dataclass
from functools import cached_property, lru_cache
from importlib.machinery import ModuleSpec
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from measured.errors import MeasuredError
from measured.files import sha256, write_json

Fingerprint = dict[str, str]
HashOfCode = Callable[[Path], str]

ENGINE = __name__.partition(".")[0]
ABSENT = "absent"
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def of_functions(
    functions: Iterable[Any],
    parameters: Mapping[str, Any],
    *,
    sources: Sources,
    distributions: tuple[str, ...],
    also: Iterable[str] = (),
) -> Fingerprint:
    """What can change what functions return: their code and all that it imports, parameters, versions.

    Args:
        functions: functions of the project, or whatever else can be called and is made of them.
        parameters: what they will be called with, plain data.
        sources: the project's own code.
        distributions: installed packages that compute.
        also: further modules, without what they import: the engine's that do the work.
    """
    modules = {name for function in functions for name in modules_of(function)}
    parts = {f"module {name}": sources.hash_of(path) for name, path in sources.closure(modules).items()}
    parts |= {f"module {name}": sources.hash_of(file_of(name)) for name in also}
    parts["parameters"] = sha256(plain_json(parameters).encode())
    return dict(sorted({**parts, **of_software(distributions)}.items()))


def of_software(distributions: tuple[str, ...]) -> Fingerprint:
    """Python's version, and the versions really installed of what computes."""
    return {"python": python_version(), **{f"package {name}": installed(name) for name in distributions}}


def python_version() -> str:
    """The interpreter's name and version."""
    return f"{platform.python_implementation()} {platform.python_version()}"


@lru_cache
def installed(distribution: str) -> str:
    """The version of a distribution as it is installed.

    Raises:
        MeasuredError: it is not.
    """
    try:
        return version(distribution)
    except PackageNotFoundError as error:
        raise MeasuredError(
            f"{distribution} is not installed",
            path="pyproject.toml",
            expected="installed distributions under versions in [tool.measured]",
            mend="install the lock file, or take it from the list",
        ) from error


def modules_of(called: Any) -> set[str]:
    """The modules whose code runs when something is called: its own, and those of what it is made of.

    A decorated, partial or bound function, a callable object, and a lambda that closes over others are
    made of further functions, which may live in other modules.
    """
    found: set[str] = set()
    todo, seen = [called], set()
    while todo:
        one = todo.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        todo.extend(_made_of(one))
        found.update(_lives_in(one))
    return found


def _made_of(one: Any) -> Iterator[Any]:
    if isinstance(one, functools.partial):
        yield from (one.func, *one.args, *one.keywords.values())
    elif inspect.ismethod(one):
        yield from (one.__func__, one.__self__)
    elif inspect.isfunction(one):
        yield from (cell.cell_contents for cell in one.__closure__ or () if _is_filled(cell))
        yield from one.__defaults__ or ()
        yield from (one.__kwdefaults__ or {}).values()
    elif isinstance(one, list | tuple | set | frozenset):
        yield from one
    elif isinstance(one, dict):
        yield from one.values()
    elif (callable(one) or is_dataclass(one)) and not inspect.isclass(one) and hasattr(one, "__dict__"):
        yield from vars(one).values()
    if hasattr(one, "__wrapped__"):
        yield one.__wrapped__


def _lives_in(one: Any) -> Iterator[str]:
    if inspect.isfunction(one):
        # A decorator that copies names (functools.wraps) hides its own module behind the function's.
        yield one.__globals__.get("__name__", one.__module__)
        yield one.__module__
    elif inspect.isclass(one):
        yield one.__module__
    elif inspect.ismodule(one):
        yield one.__name__
    elif callable(one) or is_dataclass(one):
        yield type(one).__module__


def _is_filled(cell: Any) -> bool:
    try:
        return cell.cell_contents is not cell
    except ValueError:
        return False


class CodeHashes:
    """What files of code do, as hashes, asked of each as it is now; the same text is taken apart once.

    Args:
        kept: a file of hashes that were taken before, by the hash of the text that they were taken of.
    """

    def __init__(self, kept: Path | None = None) -> None:
        self._kept_in, self._known = kept, _read_known(kept)
        self._used: dict[str, str] = {}

    def of(self, path: Path) -> str:
        """What a file of code does now, as a hash; `absent` where there is none."""
        try:
            data = path.read_bytes()
        except OSError:
            return ABSENT
        text = sha256(data)
        if text not in self._used:
            self._used[text] = self._known.get(text) or _hash_of_syntax(data)
        return self._used[text]

    def keep(self) -> None:
        """Keep the hashes for the next time: to take one apart takes longer than to read it."""
        if self._kept_in is not None and self._used != self._known:
            from measured.archives import sealed

            write_json(self._kept_in, sealed({"python": python_version(), "hashes": self._used}))
            self._known = dict(self._used)


class Sources:
    """The project's and the engine's own code, as it was first looked at: what imports what, and its hashes.

    Args:
        packages: the project's own packages.
        code: hashes of code, where somebody has some already.
    """

    def __init__(self, packages: tuple[str, ...], code: CodeHashes | None = None) -> None:
        self.within = tuple(sorted({*packages, ENGINE}))
        self.code = code or CodeHashes()
        self._reached: dict[str, frozenset[str]] = {}
        self._hashes: dict[Path, str] = {}

    def closure(self, modules: Iterable[str]) -> dict[str, Path]:
        """Modules, all that they import of the project and of the engine, and their packages' `__init__`."""
        found = {name for module in modules for name in self._reachable(module)}
        return {name: file_of(name) for name in sorted(found)}

    def hash_of(self, path: Path) -> str:
        """What a file of code does, as a hash."""
        if path not in self._hashes:
            self._hashes[path] = self.code.of(path)
        return self._hashes[path]

    def _reachable(self, module: str) -> frozenset[str]:
        if module.partition(".")[0] not in self.within:
            return frozenset()
        if module not in self._reached:
            graph, todo, seen = self._graph, [module], set()
            while todo:
                name = todo.pop()
                if name in seen:
                    continue
                seen.add(name)
                if "." in name:
                    todo.append(name.rpartition(".")[0])
                if name in graph.modules:
                    todo.extend(graph.find_modules_directly_imported_by(name))
            self._reached[module] = frozenset(n for n in seen if n.partition(".")[0] in self.within)
        return self._reached[module]

    @cached_property
    def _graph(self) -> Any:
        return _graph_of(self.within, _state_of(self.within))


def _state_of(packages: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Each file of the packages with its content, as a hash: an equal state has an equal graph."""
    folders = [Path(found).parent for name in packages if (found := _origin(name))]
    paths = sorted(path for folder in folders for path in folder.rglob("*.py"))
    return tuple((str(path), sha256(path.read_bytes())) for path in paths)


def _origin(package: str) -> str | None:
    spec = find_spec(package)
    return None if spec is None else spec.origin


@lru_cache(maxsize=4)
def _graph_of(packages: tuple[str, ...], state: tuple[tuple[str, str], ...]) -> Any:
    """What imports what; once for each state of the files, since every cell and every job asks."""
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


def _read_known(kept: Path | None) -> dict[str, str]:
    if kept is None or not kept.exists():
        return {}
    from measured.archives import read_sealed  # imports NumPy, which whoever only watches has no use for

    try:
        data = read_sealed(kept)
        if data["python"] != python_version():
            return {}
        return dict(data["hashes"])
    except (MeasuredError, KeyError, TypeError, ValueError):
        return {}  # half-written, or of another engine: taken again


def closure(module: str, packages: tuple[str, ...]) -> dict[str, Path]:
    """A module and all that it imports of the project and of the engine."""
    return Sources(packages).closure([module])


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


def hash_of_code(path: Path) -> str:
    """Hash of what a module does: its abstract syntax without docstrings; `absent` where there is none."""
    return CodeHashes().of(path)


@lru_cache(maxsize=4096)
def _hash_of_syntax(data: bytes) -> str:
    try:
        tree = ast.parse(data)
    except (SyntaxError, ValueError):
        return sha256(data)  # whoever imports it says what is wrong, and where
    for node in ast.walk(tree):
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:]
    return sha256(ast.dump(tree).encode())


def hash_of_file(path: Path) -> str:
    """Hash of a file as it is, but for the line ends of text; `absent` where there is none."""
    try:
        return sha256(path.read_bytes().replace(b"\r\n", b"\n"))
    except OSError:
        return ABSENT


def plain_json(parameters: Mapping[str, Any]) -> str:
    """Parameters as JSON, the same each time.

    Raises:
        MeasuredError: a value that is no plain data.
    """
    try:
        return json.dumps(parameters, sort_keys=True, default=_plain)
    except (TypeError, ValueError) as error:
        raise MeasuredError(
            f"a parameter cannot be written down: {error}",
            expected="plain data: numbers, texts, and lists, tuples or mappings of them",
        ) from error


def _plain(value: Any) -> Any:
    if isinstance(value, set | frozenset):
        return sorted(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Iterable):
        return list(value)
    raise TypeError(f"{value!r} is no plain data")


def file_of(module: str) -> Path:
    """The file of a module, without importing it.

    Raises:
        MeasuredError: no such module.
    """
    loaded = sys.modules.get(module)
    spec: ModuleSpec | None = getattr(loaded, "__spec__", None) or find_spec(module)
    if spec is None or spec.origin is None:
        raise MeasuredError(
            f"module {module} cannot be found", expected="an importable module of the project"
        )
    return Path(spec.origin)
