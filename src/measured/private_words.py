"""Nothing published says on whose machine, or where on it, a site was made.

Paths of the project, of a home, of temporary files, the host's name and the user's are looked for in every
file of a finished site: in pages, notebooks, records, figures, arrays. What an author has written into the
project's own files is theirs to say, the paths of this machine aside.
"""

from __future__ import annotations

import getpass
import html
import io
import os
import re
import socket
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from urllib.parse import unquote

import numpy as np

from measured import archives, files, keeping
from measured.errors import MeasuredError

SHORTEST = 2  # letters of what is looked for
_PACKED = {".npz", ".zip"}
_SOURCES = {".md", ".py", ".yml", ".yaml", ".toml", ".json", ".bib", ".cff", ".html", ".js", ".css", ".txt"}
# Names are looked for where machines write; in scripts and styles any short word may stand. What a cell
# prints or a record holds is in its notebook and in its JSON, whatever pages make of it.
_WRITTEN_BY_MACHINES = {".ipynb", ".json", ".csv", ".svg", ".npz"}
_THIRD_PARTY = "assets"


@dataclass(frozen=True)
class Secret:
    """Something that must not be published.

    Args:
        what: in words, for the message.
        needles: one of them stands there, in lower case, where it does; quickly looked for.
        pattern: what finds it, in bytes.
        is_name: a name; it may stand where the project's own files say it.
    """

    what: str
    needles: tuple[bytes, ...]
    pattern: re.Pattern[bytes]
    is_name: bool = False


def refuse(site: Path, root: Path, kept: Path | None = None) -> int:
    """Look into every file of a finished site.

    Args:
        site: the folder.
        root: the project's folder.
        kept: where it is kept which contents were looked into before, and hold nothing private.

    Returns:
        How many files were looked at.

    Raises:
        MeasuredError: one says something private; names it, with the line.
    """
    secrets = of_this_machine(root)
    found = sorted(path for path in site.rglob("*") if path.is_file())
    code = [files.sha256_of_text(Path(module.__file__)) for module in (archives, sys.modules[__name__])]
    answers = keeping.Answers(kept, files.sha256(repr((secrets, code)).encode()))
    for path in found:
        shown, whole = path.relative_to(site), path.read_bytes()
        names = path.suffix in _WRITTEN_BY_MACHINES and shown.parts[0] != _THIRD_PARTY
        asked = [secret for secret in secrets if names or not secret.is_name]
        look = partial(_look_into, path.suffix, whole, asked, root, shown)
        answers.of(whole, f"{path.suffix} {names}", look)
    answers.keep()
    return len(found)


def _look_into(suffix: str, whole: bytes, secrets: list[Secret], root: Path, shown: Path) -> bool | None:
    """Look into a file; true where nothing private stands in it, None where the project says it itself."""
    excused = [refuse_text(data, secrets, root, shown, place) for place, data in _texts(suffix, whole)]
    return None if any(excused) else True


def refuse_text(
    data: bytes, secrets: list[Secret], root: Path, path: Path, place: str = "", line: int = 0
) -> bool:
    """Look into one text.

    Args:
        data: what would be published.
        secrets: of this machine.
        root: the project's folder.
        path: the file that holds the text.
        place: where inside the file, in words.
        line: of the file; 0 for that of the text.

    Returns:
        Whether a name of this machine stands there that the project's own files say, too.

    Raises:
        MeasuredError: it says something private.
    """
    lower, excused = data.lower(), False
    for secret in secrets:
        stands = any(needle in lower for needle in secret.needles)
        match = secret.pattern.search(data) if stands else None
        if match and secret.is_name and _is_written(secret, root):
            excused = True
        elif match:
            raise MeasuredError(
                f"{secret.what} would be published{place}: {_around(data, match)}",
                path=path,
                line=line or data.count(b"\n", 0, match.start()) + 1,
                expected="nothing that says where, or by whom, the site was made",
                mend="take it out of the cell, figure or record that holds it",
            )
    return excused


@cache
def of_this_machine(root: Path) -> list[Secret]:
    """What is private here: paths first, then names."""
    temporary = {tempfile.gettempdir(), os.path.realpath(tempfile.gettempdir()), "/tmp", "/var/tmp"}
    paths = [("a path of the project", str(root)), ("a path of a home", str(Path.home()))]
    paths += [
        ("a path of a home", str(Path.home().resolve())),
        ("a path of the project", str(root.resolve())),
    ]
    paths += [("a path of a temporary file", path) for path in sorted(temporary)]
    found = [_path(what, path) for what, path in dict.fromkeys(paths) if len(path) > SHORTEST]
    host = socket.gethostname()
    names = [("the name of this host", host), ("the name of this host", host.split(".")[0])]
    names += [("the name of the user", _user())]
    return found + [
        _name(what, name)
        for what, name in dict.fromkeys(names)
        if len(name) >= SHORTEST and name.lower() != "localhost"
    ]


def _path(what: str, text: str) -> Secret:
    """A path as such: not the middle of an address, not the beginning of another name."""
    parts = [re.escape(part.encode()) for part in re.split(r"[/\\]", text)]
    path = rb"(?:/|\\{1,4})".join(parts)
    # A folder of temporary files may be spoken of; a file in it is somebody's.
    end = rb"(?:/|\\{1,4})\w" if "temporary" in what else rb"(?![\w-])"
    written = {text, text.replace("\\", "/"), text.replace("\\", "\\\\")}
    needles = tuple(sorted(form.lower().encode() for form in written))
    return Secret(what, needles, re.compile(rb"(?:(?<=file://)|(?<![\w./%-]))" + path + end))


def _name(what: str, name: str) -> Secret:
    pattern = re.compile(rb"(?<![\w.-])" + re.escape(name.encode()) + rb"(?![\w-])", re.I)
    return Secret(what, (name.lower().encode(),), pattern, is_name=True)


def _texts(suffix: str, data: bytes) -> Iterator[tuple[str, bytes]]:
    """The contents of a file, each with where inside it stands; as written, and as a reader sees them."""
    if suffix in _PACKED:
        yield from _packed(suffix, data)
        return
    if suffix in (".json", ".ipynb"):
        # Before a name, the end of a line is a letter n, as JSON writes it.
        data = data.replace(rb"\n", b"  ").replace(rb"\/", b"/").replace(rb"\u002f", b"/")
    yield "", data
    if suffix in (".html", ".svg", ".xml") and b"&#" in data:
        yield "", html.unescape(data.decode("utf-8", "replace")).encode()
    if b"%2F" in data or b"%2f" in data:
        yield "", unquote(data.decode("utf-8", "replace")).encode()


def _packed(suffix: str, data: bytes) -> Iterator[tuple[str, bytes]]:
    if suffix == ".npz":
        for name, array in archives.unpack_arrays(data).items():
            if array.dtype.kind in "SU":
                yield f" in the array {name}", "\n".join(map(_plain, np.ravel(array))).encode()
            yield " as the name of an array", name.encode()
        return
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for member in archive.infolist():
            inner, content = Path(member.filename).suffix, archive.read(member)
            texts = _packed(inner, content) if inner in _PACKED else [("", content)]
            yield from ((f" in {member.filename}{place}", text) for place, text in texts)


def _plain(text: str | bytes) -> str:
    return text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text)


@cache
def _is_written(secret: Secret, root: Path) -> bool:
    """Whether the project's own files say it."""
    own = [*root.glob("*.*"), *(root / "docs").rglob("*.*"), *(root / "src").rglob("*.*")]
    return any(
        path.suffix in _SOURCES and path.is_file() and secret.pattern.search(path.read_bytes())
        for path in own
    )


def _around(data: bytes, match: re.Match[bytes]) -> str:
    start, end = max(match.start() - 20, 0), match.end() + 20
    return repr(" ".join(data[start:end].decode("utf-8", "replace").split()))


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):  # a container's user without a name
        return ""
