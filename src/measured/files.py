"""Files that are whole or not there: written under a temporary name, then renamed."""

from __future__ import annotations

import hashlib
import io
import json
import os
import tempfile
import tokenize
from pathlib import Path
from typing import Any

from measured.errors import MeasuredError


def write_bytes(path: Path, data: bytes) -> None:
    """Write `data` to `path` at once.

    Raises:
        MeasuredError: the disk cannot be written; whatever stood at `path` still stands.
    """
    temporary = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except OSError as error:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)
        raise MeasuredError(
            f"cannot write: {error.strerror}",
            path=path,
            mend="free some space, or mend the folder's permissions",
        ) from error


def write_text(path: Path, text: str) -> None:
    """Write `text` to `path` at once, as UTF-8 with plain line ends."""
    write_bytes(path, text.encode("utf-8"))


def write_json(path: Path, data: Any) -> None:
    """Write plain data to `path` at once; NaN is refused, since browsers cannot read it."""
    write_bytes(path, json_bytes(data))


def json_bytes(data: Any) -> bytes:
    """Plain data as the bytes of a file of JSON; NaN is refused."""
    return (json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode("utf-8")


def csv_cell(value: object) -> object:
    """A value for CSV: spreadsheets take a text that starts like a formula for one, and would run it."""
    return (
        f"'{value}"
        if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r"))
        else value
    )


def read_text(path: Path, shown: Path | str | None = None) -> str:
    """The text of a file that a person wrote: UTF-8, or, of Python, what the file itself declares.

    Args:
        path: the file.
        shown: its name in messages, where that is another one.

    Raises:
        MeasuredError: it is not there, or no such text; with the line of the first byte that is none.
    """
    shown = path if shown is None else shown
    try:
        data = path.read_bytes()
    except OSError as error:
        raise MeasuredError(f"cannot read: {error.strerror}", path=shown, expected="a text file") from error
    try:
        return data.decode(_encoding_of(data) if path.suffix == ".py" else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise MeasuredError(
            f"the byte 0x{data[error.start]:02X} is no {error.encoding.upper().removesuffix('-SIG')}",
            path=shown,
            line=data.count(b"\n", 0, error.start) + 1,
            expected="a text file in UTF-8",
            mend="save it as UTF-8 in the editor that wrote it",
        ) from error


def _encoding_of(data: bytes) -> str:
    try:
        return tokenize.detect_encoding(io.BytesIO(data).readline)[0]
    except SyntaxError:
        return "utf-8-sig"


def sha256(data: bytes) -> str:
    """Hash of bytes as they are."""
    return hashlib.sha256(data).hexdigest()


def sha256_of_text(path: Path) -> str:
    """Hash of a text file, whatever its line ends.

    Raises:
        MeasuredError: the file cannot be read.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise MeasuredError(f"cannot read: {error.strerror}", path=path) from error
    return sha256(data.replace(b"\r\n", b"\n"))
