"""Whether everything that the last build looked at is as it was, asked before anything is imported.

A build that ends leaves a receipt: each thing that it was made from, and each that it left, with its hash.
Who finds all of them as they were needs neither plan nor gate: they would say what they said. Contents are
compared, never ages or sizes, so that nothing changed is called unchanged. Where anything differs, the
receipt says no more than that, and the whole way is walked; it knows better what follows from what.

Of the engine nothing is imported here but the form of such files, and of Python what is small.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from measured import vouched_json

ABSENT = "absent"
NAME = "receipt.json"
QUICK = "--quick"
_WITH_VALUE = ("--workers", "--renderer")  # options of a build that are answered here, besides --quick
_TABLES = ("measured", "made")
_LISTS = ("asked", "said_of_measured", "said_of_made")
_ROOT, _MADE = "folder .", ("build", "site")
_IN_FOLDER = ("tree", "file", "folder", "commit")  # kinds whose name is a path, below the root unless it says

Parts = dict[str, str]


def is_told(arguments: Sequence[str]) -> bool:
    """Say that nothing has changed, where a build is asked for and nothing has."""
    root = os.getcwd()
    build = os.path.join(root, "build", *(["quick"] if QUICK in arguments else []))
    if not _is_plain_build(arguments) or os.path.islink(os.path.join(root, "build")):
        return False
    receipt = read(os.path.join(build, NAME))
    if receipt is None or receipt["asked"] != asked(arguments) or not receipt["made"]:
        return False
    with _alone(os.path.join(build, "lock")) as alone:
        if not alone or not all(is_as_it_was(receipt[parts], root) for parts in ("measured", "made")):
            return False
    print("\n".join((*receipt["said_of_measured"], *receipt["said_of_made"])), flush=True)
    return True


def asked(arguments: Sequence[str]) -> list[str]:
    """What decides over a build besides the project: its options, and where results come from."""
    workers = [n for n, argument in enumerate(arguments) if argument == "--workers"]
    skipped = {n + more for n in workers for more in (0, 1)}
    return [a for n, a in enumerate(arguments) if n not in skipped] + [os.environ.get("MEASURED_FROM", "")]


def is_as_it_was(parts: Mapping[str, str], root: str) -> bool:
    """Whether each part is now what it was; the first that is not ends the question."""
    return all(hash_of(part, root) == was for part, was in parts.items())


def hash_of(part: str, root: str) -> str:
    """What a part is now; its kind is its first word (`tree src`, `file a.csv`), its name the rest."""
    kind, _, name = part.partition(" ")
    if part == _ROOT:
        return _folder(root, _MADE)
    return _KINDS[kind](os.path.join(root, name) if kind in _IN_FOLDER else name)


def read(path: str) -> dict[str, Any] | None:
    """A receipt; None where there is none, or another one than was written."""
    try:
        with open(path, "rb") as stream:
            found = vouched_json.data_of(stream.read())
        return found if _is_receipt(found) else None
    except OSError:
        return None


def _is_receipt(found: Any) -> bool:
    """Whether data have the form of a receipt; its lines go to a terminal, so they hold what prints."""
    if not isinstance(found, dict) or set(found) != {*_TABLES, *_LISTS}:
        return False
    if not all(isinstance(found[name], dict if name in _TABLES else list) for name in found):
        return False
    texts = [*(text for name in _LISTS for text in found[name]), *found["measured"], *found["made"]]
    kinds = {part.partition(" ")[0] for name in _TABLES for part in found[name]}
    return all(isinstance(text, str) and text.isprintable() for text in texts) and kinds <= set(_KINDS)


def _is_plain_build(arguments: Sequence[str]) -> bool:
    rest = list(arguments)
    if not rest or rest.pop(0) != "build":
        return False
    while rest:
        option = rest.pop(0)
        if option in _WITH_VALUE and rest:
            rest.pop(0)
        elif option != QUICK:
            return False
    return True


@contextmanager
def _alone(name: str) -> Iterator[bool]:
    """Whether no build is under way; none begins meanwhile. Where that cannot be known, the answer is no."""
    try:
        import fcntl

        lock = os.open(name, os.O_RDWR)
    except (ImportError, OSError):
        yield False
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        is_alone = True
    except OSError:
        is_alone = False
    try:
        yield is_alone
    finally:
        os.close(lock)


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _file(path: str) -> str:
    try:
        with open(path, "rb") as stream:
            return _sha256(stream.read())
    except OSError:
        return ABSENT


def _tree(folder: str) -> str:
    """Every file below a folder by its name and content, links with where they lead; one hash."""
    found: list[str] = []
    _walk(folder, "", found, set())
    return _sha256("\n".join(sorted(found)).encode("utf-8", "surrogateescape"))


def _walk(folder: str, below: str, found: list[str], seen: set[str]) -> None:
    if os.path.islink(folder):
        found.append(f"{below} -> {os.readlink(folder)}")
    real = os.path.realpath(folder)
    if real in seen:
        return
    seen.add(real)
    try:
        entries = list(os.scandir(folder))
    except OSError:
        found.append(f"{below} {ABSENT}")
        return
    for entry in entries:
        name = f"{below}/{entry.name}"
        if entry.is_dir():
            if entry.name != "__pycache__":
                found.append(f"{name}/")
                _walk(entry.path, name, found, seen)
            continue
        link = os.readlink(entry.path) if entry.is_symlink() else ""
        found.append(f"{name} {link} {_file(entry.path) if entry.is_file() else 'no file'}")


def _folder(path: str, without: Sequence[str] = ()) -> str:
    """The names in a folder, less what is hidden, compiled, or made beside what it is made from."""
    try:
        names = sorted(set(os.listdir(path)).difference(without, ["__pycache__"]))
        names = [name for name in names if not name.startswith(".")]
    except OSError:
        return ABSENT
    return _sha256("\n".join(names).encode("utf-8", "surrogateescape"))


def _variable(name: str) -> str:
    value = os.environ.get(name)
    return ABSENT if value is None else _sha256(value.encode("utf-8", "surrogateescape"))


def _package(name: str) -> str:
    """Where a package would be imported from."""
    from importlib.util import find_spec

    spec = find_spec(name)
    return str(spec.origin) if spec is not None else ABSENT


def _python(name: str) -> str:
    return f"{sys.implementation.name} {sys.version} {sys.prefix}"


def _installed(name: str) -> str:
    """Every installed distribution by name and version, as one hash; none is imported for it."""
    import sysconfig

    folders = {sysconfig.get_path(kind) for kind in ("purelib", "platlib")}
    entries = (entry for folder in folders for entry in os.listdir(folder))
    return _sha256("\n".join(sorted(e for e in entries if e.endswith((".dist-info", ".egg-info")))).encode())


def _commit(root: str) -> str:
    """The commit that is checked out, and its time; empty where there is none."""
    import subprocess

    command = ["git", "-C", root, "log", "-1", "--format=%H %ct"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


_KINDS: dict[str, Callable[[str], str]] = {
    "tree": _tree,
    "file": _file,
    "folder": _folder,
    "variable": _variable,
    "package": _package,
    "python": _python,
    "installed": _installed,
    "commit": _commit,
}


def hashes_of(parts: Iterable[str], root: str) -> Parts:
    """What each part is now."""
    return {part: hash_of(part, root) for part in sorted(set(parts))}
