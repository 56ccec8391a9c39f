"""The line of a project's own code at which something went wrong, or at which something is declared."""

from __future__ import annotations

import ast
import sys
import traceback
from collections.abc import Iterable, Iterator
from pathlib import Path

from measured.errors import MeasuredError
from measured.files import read_text

_ENGINE = Path(__file__).resolve().parent


def located(error: MeasuredError, root: Path) -> MeasuredError:
    """The same error with file and line, where it names none and the project's own code led to it.

    Args:
        error: as it was caught, with its traceback and its causes.
        root: the project's folder.
    """
    if error.path is None:
        place = line_of(error, root)
    else:  # whoever told it further may have left out the line
        place = next(((str(error.path), n) for n in _lines_in(error) if error.line is None), None)
    if place is None:
        return error
    path, line = place
    return MeasuredError(error.problem, path=path, line=line, expected=error.expected, mend=error.mend)


def line_of(error: BaseException, root: Path) -> tuple[str, int] | None:
    """File, below the root, and line of the deepest call of the project's own code that led to an error."""
    found = None
    for one in _causes(error):
        for frame in traceback.extract_tb(one.__traceback__):
            path = Path(frame.filename).resolve()
            own = is_source(path, root) and not path.is_relative_to(_ENGINE)
            if own and frame.lineno is not None:
                found = path.relative_to(root).as_posix(), frame.lineno
    return found


def declaration_of(
    constructor: str, named: str, packages: Iterable[str], root: Path
) -> tuple[str, int] | None:
    """File, below the root, and line where something is declared; None where its name is put together.

    Args:
        constructor: `Experiment`, `Claim`.
        named: its name or id.
        packages: the project's own, whose modules have been imported.
        root: the project's folder.
    """
    for name, module in list(sys.modules.items()):
        path = Path(getattr(module, "__file__", None) or "").resolve()
        if name.partition(".")[0] not in packages or not is_source(path, root) or path.suffix != ".py":
            continue
        text = read_text(path)
        if f"{constructor}(" not in text or named not in text:
            continue
        for call in (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)):
            given = [*call.args[:1], *(k.value for k in call.keywords if k.arg in ("name", "id"))]
            called = getattr(call.func, "id", getattr(call.func, "attr", ""))
            if called == constructor and named in [getattr(one, "value", None) for one in given]:
                return path.relative_to(root).as_posix(), call.lineno
    return None


def is_source(path: Path, root: Path) -> bool:
    """Whether a file is the project's own: an environment within its folder (`.nox`, `venv`) is not."""
    if not path.is_relative_to(root):
        return False
    parts = path.relative_to(root).parts
    return not any(part.startswith(".") or part in ("site-packages", "dist-packages") for part in parts)


def _lines_in(error: MeasuredError) -> Iterator[int]:
    for one in _causes(error):
        if isinstance(one, MeasuredError) and one.path == error.path and one.line is not None:
            yield one.line


def _causes(error: BaseException) -> Iterator[BaseException]:
    """An error, and what it came from, the first cause last."""
    one: BaseException | None = error
    while one is not None:
        yield one
        one = one.__cause__ or one.__context__
