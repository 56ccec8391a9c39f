"""What of a project was really read while something was made: files, folders, and modules.

Python tells an audit hook of every file that it opens and every folder that it lists, whoever asks for it.
Each is hashed when it is first opened, so that an edit after that shows.
"""

from __future__ import annotations

import os
import sys
import sysconfig
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import source_from_cache
from pathlib import Path
from types import FrameType
from typing import Any, ClassVar, TypeVar

from measured import unchanged
from measured.errors import MeasuredError
from measured.files import sha256
from measured.making.fingerprint import ABSENT, Fingerprint, HashOfCode, hash_of_code, hash_of_file

W = TypeVar("W", bound="Watch")

_IMPORTERS = ("importlib.", "_frozen_importlib")  # and who looks for installed packages
_LISTINGS = ("os.listdir", "os.scandir")
_MADE = ("build", "site")
_READ = ("code", "file", "folder", "variable")
_PASSES_ON = ("os", "_collections_abc", "collections.abc", __name__)  # a variable's name, from who asks
_READS_SETTINGS = ("yaml_env_tag", "measured.mkdocs_yml")
_SHOWS_SOURCE = ("linecache", "tokenize", "inspect")


class Watch:
    """What was read of a project's folder while the watch was on.

    Args:
        root: the project's folder.
        without: folders below it that are made, not written: `build`, `site`.
        quoting: whether source that is quoted counts as it is written, comments and all.
        code: hashes a file of code, where somebody knows some of them.
    """

    def __init__(
        self,
        root: Path,
        without: tuple[Path, ...] = (),
        quoting: bool = False,
        code: HashOfCode = hash_of_code,
    ) -> None:
        self.root, self._quoting, self._code = root, quoting, code
        # As texts, and asked first: there are thousands of events, and paths take long to compare.
        self._without = tuple(f"{folder}{os.sep}" for folder in (*without, *_installed(root)))
        self._elsewhere = (sys.prefix + os.sep, sys.base_prefix + os.sep)  # where no link leads to a project
        self._never = self._without
        if not f"{root}{os.sep}".startswith(self._elsewhere):
            self._never += self._elsewhere
        self._read: dict[str, str] = {}
        self._while_importing: dict[str, dict[str, str]] = {}
        self._lock = threading.RLock()
        self._busy = threading.local()

    @property
    def read(self) -> Fingerprint:
        """A part for each thing read: `code src/a.py`, `file data/b.csv`, `folder data`."""
        return dict(sorted(self._read.items()))

    def read_by(self, modules: Mapping[str, Any]) -> Fingerprint:
        """What was read by the top level of modules, as they were imported; their own code aside."""
        owned = [self._while_importing.get(name, {}) for name in modules]
        return {part: sha for parts in owned for part, sha in parts.items()}

    def notice(self, event: str, arguments: tuple[Any, ...], frame: FrameType | None) -> None:
        """Take in one event of Python's."""
        if getattr(self._busy, "now", False):
            return  # it is this watch that reads
        self._busy.now = True
        try:
            found = self._part(event, arguments, frame)
            if found is None:
                return
            part, importing = found
            with self._lock:
                sha = self._read.get(part) or self._hash_of(part)
                self._read[part] = sha
                if importing:
                    self._while_importing.setdefault(importing, {})[part] = sha
        finally:
            self._busy.now = False

    def is_of_the_project(self, path: str) -> bool:
        """Whether a file is part of the project as people write it."""
        return self._inside(path) is not None

    def take_over(self, parts: Mapping[str, str]) -> None:
        """Take in what another process has read; what was read here before was read as it was then."""
        with self._lock:
            self._read = {**parts, **self._read}

    def notice_variable(self, name: str, frame: FrameType | None) -> None:
        """Take in that a variable was asked for, if it was by the project or by its settings."""
        while frame is not None and frame.f_globals.get("__name__") in _PASSES_ON:
            frame = frame.f_back
        if frame is None or getattr(self._busy, "now", False):
            return
        asking = frame.f_globals.get("__name__", "")
        if asking in _READS_SETTINGS or self._inside(frame.f_code.co_filename) is not None:
            self._busy.now = True
            part = f"variable {name}"
            self._read[part] = self._hash_of(part)
            self._busy.now = False

    def refuse_changes(self) -> None:
        """Refuse what was made from a file that somebody edited meanwhile.

        Raises:
            MeasuredError: names it.
        """
        for part, sha in self._read.items():
            if self._hash_of(part) != sha:
                raise MeasuredError(
                    f"{part} changed while it was in use",
                    expected="files that stay as they are until the work is done",
                    mend="nothing was stored; run it again",
                )

    def _hash_of(self, part: str) -> str:
        return hash_of_part(part, self.root, self._code)

    def _part(
        self, event: str, arguments: tuple[Any, ...], frame: FrameType | None
    ) -> tuple[str, str] | None:
        path = self._inside(arguments[0] if arguments else None)
        if path is None:
            return None
        asking = frame.f_globals.get("__name__", "") if frame is not None else ""
        by_import = asking.startswith(_IMPORTERS)
        importing = _importing(frame, self.root)
        if event in _LISTINGS:
            compiled = "__pycache__" in path.split("/")  # Python fills it meanwhile; nobody reads it as data
            return None if by_import or compiled else (f"folder {path}", importing)
        if event == "open" and _writes(arguments):
            return None
        if path.endswith(".pyc"):
            path = source_from_cache(path) if "__pycache__" in path else path
        if path.endswith(".py") and (by_import or (asking in _SHOWS_SOURCE and not self._quoting)):
            return f"code {path}", "" if by_import else importing
        return f"file {path}", importing

    def _inside(self, name: Any) -> str | None:
        """The path below the root, or None for what is no part of the project as people write it."""
        if isinstance(name, int) or name is None:
            return None
        path = os.path.abspath(os.fsdecode(name))
        if f"{path}{os.sep}".startswith(self._never):
            return None
        below = _below(path, self.root)
        if below is None and not path.startswith(self._elsewhere):
            below = _below(os.path.realpath(path), self.root)
        if below is None or below.split("/", 1)[0] in {".git", ".nox", ".venv", "node_modules"}:
            return None
        return None if f"{self.root}{os.sep}{below}{os.sep}".startswith(self._without) else below


class WholeWatch(Watch):
    """What is opened of a project, each file as it is written, whoever opens it for whatever."""

    def take_over(self, parts: Mapping[str, str]) -> None:
        """Take in what another process has read; where it is not that any more, there is no receipt."""
        for part, sha in parts.items():
            is_same = hash_of_part(part, self.root, self._code) == sha
            super().take_over({as_written(part): self._hash_of(as_written(part)) if is_same else ""})

    def _hash_of(self, part: str) -> str:
        return unchanged.hash_of(part, str(self.root))

    def _part(self, *event: Any) -> tuple[str, str] | None:
        found = super()._part(*event)
        return found and (as_written(found[0]), "")


@contextmanager
def watching(root: Path, without: tuple[Path, ...] = (), code: HashOfCode = hash_of_code) -> Iterator[Watch]:
    """Watch what the block reads of a project."""
    watch = begin_with(Watch(root, without, code=code))
    try:
        yield watch
    finally:
        end(watch)


def begin(root: Path, without: tuple[Path, ...] = (), *, quoting: bool = False) -> Watch:
    """Watch what is read of a project from now on."""
    return begin_with(Watch(root, without, quoting))


def begin_with(watch: W) -> W:
    """Have a watch of one's own told of what is read from now on."""
    _install()
    _watches.append(watch)
    return watch


def end(watch: Watch) -> None:
    """Watch no longer."""
    _watches.remove(watch)


def forget_everybody() -> None:
    """Nobody is told any more, in a fork: whoever watched there watches in the process that forked."""
    _watches.clear()
    os.environ.__class__ = _ENVIRONMENT


def also_read(parts: Mapping[str, str]) -> None:
    """Tell whoever watches what another process has read for this one."""
    for watch in _watches:
        watch.take_over(parts)


@contextmanager
def watching_environment(watch: Watch) -> Iterator[None]:
    """Watch as well which variables of the environment the project's own code and settings ask for."""
    kind = type(os.environ)

    class Watched(kind):
        copied: ClassVar[list[str]] = []

        def __iter__(self):
            names = list(super().__iter__())
            Watched.copied = names[::-1]  # whoever copies all of them, one after another, asks for none
            return iter(names)

        def __getitem__(self, name):
            if Watched.copied and Watched.copied[-1] == name:
                Watched.copied.pop()
            else:
                Watched.copied = []
                watch.notice_variable(name, sys._getframe(1))
            return super().__getitem__(name)

    os.environ.__class__ = Watched
    try:
        yield
    finally:
        os.environ.__class__ = kind


def hash_of_part(part: str, root: Path, code: HashOfCode = hash_of_code) -> str:
    """The hash of a part of a fingerprint that is read from the project, as it is now."""
    kind, _, name = part.partition(" ")
    path = root / name
    if kind == "variable":
        value = os.environ.get(name)
        return ABSENT if value is None else sha256(value.encode())
    if kind == "code":
        return code(path)
    if kind == "folder":
        try:
            names = sorted(n for n in os.listdir(path) if n != "__pycache__" and not n.startswith("."))
        except OSError:
            return ABSENT
        # What is made stands beside what it is made from, and is none of it.
        return sha256("\n".join(n for n in names if name != "." or n not in _MADE).encode())
    return hash_of_file(path)


def is_read(part: str) -> bool:
    """Whether a part of a fingerprint is read from the project."""
    return part.partition(" ")[0] in _READ


def as_written(part: str) -> str:
    """The part that stands for a file as it is written, where it stood for what its code does."""
    return f"file {part.removeprefix('code ')}" if part.startswith("code ") else part


def read_now(stored: Mapping[str, str], root: Path, code: HashOfCode = hash_of_code) -> Fingerprint:
    """The parts of a stored fingerprint that were read from the project, as they are now."""
    return {part: hash_of_part(part, root, code) for part in stored if is_read(part)}


_ENVIRONMENT = type(os.environ)
# Python has no way to take a hook off again, so there is one for the process, and a list of who is watching.
_watches: list[Watch] = []
_installed_hook: list[bool] = []


def _install() -> None:
    if not _installed_hook:
        _installed_hook.append(True)
        sys.addaudithook(_tell)


def _tell(event: str, arguments: tuple[Any, ...]) -> None:
    if _watches and (event == "open" or event in _LISTINGS):
        for watch in tuple(_watches):
            watch.notice(event, arguments, sys._getframe(1))


def _writes(arguments: tuple[Any, ...]) -> bool:
    """Whether a file is opened to be written and not to be read."""
    mode, flags = arguments[1], arguments[2]
    if isinstance(mode, str):
        return "r" not in mode and "+" not in mode
    return isinstance(flags, int) and flags & os.O_ACCMODE == os.O_WRONLY


def _below(path: str, root: Path) -> str | None:
    whole = os.fspath(root)
    if path == whole:
        return "."
    return path[len(whole) + 1 :].replace(os.sep, "/") if path.startswith(whole + os.sep) else None


def _importing(frame: FrameType | None, root: Path) -> str:
    """The project's module whose top level is being run, the innermost one."""
    while frame is not None:
        if frame.f_code.co_name == "<module>" and _below(frame.f_code.co_filename, root):
            return frame.f_globals.get("__name__", "")
        frame = frame.f_back
    return ""


def _installed(root: Path) -> tuple[Path, ...]:
    """Installed packages may lie inside the project's folder; they count by their versions."""
    folders = {
        Path(sys.prefix),
        *(Path(sysconfig.get_path(name)) for name in ("purelib", "platlib", "stdlib")),
    }
    return tuple(f for f in folders if f != root and f.is_relative_to(root))
