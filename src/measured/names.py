"""Names that become files: what an experiment, a run, a table, a figure, a claim may be called.

A name from a record or from an archive is somebody's text until it has been looked at here.
"""

from __future__ import annotations

import re

from measured.errors import MeasuredError

LONGEST = 100
_NAME = re.compile(r"[a-z0-9][a-z0-9_]*(?:\.[a-z0-9][a-z0-9_]*)*", re.ASCII)
_ARRAY = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_+-]*(?:\.[A-Za-z0-9_+-]+)*", re.ASCII)
# Names that Windows gives to devices, whatever follows the first dot.
_DEVICES = {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))}


def checked(name: object, what: str) -> str:
    """The name of a thing of which a file will carry the name.

    Args:
        name: as somebody gave it.
        what: what it names, for the message: `table`.

    Raises:
        MeasuredError: it is no such name: it could lead elsewhere, or no file system would take it.
    """
    if not isinstance(name, str) or len(name) > LONGEST or not _NAME.fullmatch(name):
        raise MeasuredError(
            f"{what} has the name {_shortened(name)}",
            expected=f"lower-case words joined by dots, {LONGEST} characters at most: scale.max_weight",
        )
    if name.split(".")[0] in _DEVICES:
        raise MeasuredError(f"{what} has the name {name!r}, which is a device on Windows")
    return name


def checked_array(name: object) -> str:
    """The name of an array: a member of an archive, never a file of its own.

    Raises:
        MeasuredError: it holds what could lead out of an archive.
    """
    if not isinstance(name, str) or len(name) > LONGEST or not _ARRAY.fullmatch(name) or name == "file":
        raise MeasuredError(
            f"an array has the name {_shortened(name)}",
            expected=f"letters, digits, _, + and - in words joined by dots, {LONGEST} characters at most",
        )
    return name


def _shortened(name: object) -> str:
    shown = repr(name[:60] if isinstance(name, str) else type(name).__name__)
    return f"{shown} …" if isinstance(name, str) and len(name) > 60 else shown
