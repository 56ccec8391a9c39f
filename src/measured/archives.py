"""Reading what may be damaged or hostile: JSON and arrays, within stated bounds, or refused in one sentence.

Files under `build/` are ours, until a disk fails, a merge goes wrong, or somebody else's results are put
there. So nothing is believed: sizes are looked at before memory is asked for, and only what this engine
writes is read. To read one file, however it was made, takes no more than `MEMORY` bytes.
"""

from __future__ import annotations

import io
import json
import math
import re
import stat
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from measured.errors import MeasuredError
from measured.files import json_bytes, sha256
from measured.names import checked_array

MEGABYTE = 1 << 20
MEMORY = 768 * MEGABYTE
ARCHIVE = 64 * MEGABYTE  # bytes of an archive as it lies on the disk
EXPANDED = 256 * MEGABYTE  # bytes of all its arrays together
SMALL = 32 * MEGABYTE  # what expands to less than this may do so by any factor: zeros pack well
RATIO = 100  # how many times its packed size anything larger may expand to
MEMBERS = 4096  # arrays of one archive
JSON = 16 * MEGABYTE  # bytes of a JSON file
VALUES = 1_000_000  # commas and opening brackets of a JSON file, which bound what it holds
DEPTH = 40  # lists and objects inside one another
DIGITS = 40  # digits of a whole number
SEAL = "sha256"
TEXT = 100_000  # characters of one text

# An array as numpy.save writes it: numbers, truth values and texts, no Python object, no structure.
_HEADER = re.compile(
    rb"\{'descr': '(?P<type>[<>|=][biufcSU]\d{1,6})', 'fortran_order': (?P<fortran>True|False), "
    rb"'shape': \((?P<shape>(?:\d{1,12}, ?)*(?:\d{1,12})?)\), \} *\n"
)
_LARGEST_HEADER = 4096
_ENCRYPTED = 0x1
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")


def read_bytes(path: Path, most: int = ARCHIVE) -> bytes:
    """The bytes of a plain file, no more than `most`.

    Raises:
        MeasuredError: it is absent, no plain file (a pipe would be waited for), or too large.
    """
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise MeasuredError("is no plain file", path=path)
        if found.st_size > most:
            raise MeasuredError(f"is larger than {most >> 20} MiB", path=path)
        with path.open("rb") as stream:
            data = stream.read(most + 1)
    except OSError as error:
        raise MeasuredError(f"cannot be read ({error.strerror})", path=path) from error
    if len(data) > most:
        raise MeasuredError(f"is larger than {most >> 20} MiB", path=path)
    return data


def read_json(path: Path, most: int = JSON) -> Any:
    """The content of a JSON file.

    Raises:
        MeasuredError: it is absent, no JSON, or beyond the bounds; names the file.
    """
    return _read(path, most)[1]


def read_sealed(path: Path) -> dict[str, Any]:
    """The content of a JSON file that vouches for something: what was made, from what.

    Raises:
        MeasuredError: it cannot be read, or is not as it was written; names the file.
    """
    text, found = _read(path, JSON)
    if not isinstance(found, dict) or not is_sealed(found, text):
        raise MeasuredError("was changed since it was written", path=path)
    return found


def _read(path: Path, most: int) -> tuple[bytes, Any]:
    try:
        text = read_bytes(path, most)
        return text, parse_json(text)
    except MeasuredError as error:
        raise MeasuredError(error.problem, path=path, expected=error.expected) from error


def sealed(data: Mapping[str, Any]) -> dict[str, Any]:
    """Data with their own hash: what was made is bound to what it was made from, and an edit shows."""
    content = {key: value for key, value in data.items() if key != SEAL}
    return {**content, SEAL: sha256(json_bytes(content))}


def is_sealed(data: Mapping[str, Any], text: bytes = b"") -> bool:
    """Whether data are as they were sealed.

    Args:
        data: what was read.
        text: the file that they were read from. Where its last line is the seal, as `json_bytes` writes it,
            what stands before is hashed as it is: to write a large record out again takes longer.
    """
    if SEAL not in data:
        return False
    last = json_bytes({SEAL: data[SEAL]}).removeprefix(b"{")
    before = text.removesuffix(b"," + last)
    if before != text and sha256(before + b"\n}\n") == data[SEAL]:
        return True
    return data[SEAL] == sealed(data)[SEAL]


def parse_json(data: bytes) -> Any:
    """Plain data from JSON: finite numbers, texts without control characters, no key twice.

    Raises:
        MeasuredError: it is no such JSON, or beyond the bounds.
    """
    if sum(map(data.count, (b",", b"[", b"{"))) > VALUES:
        raise MeasuredError(f"holds more than {VALUES:,} values")
    try:
        found = json.loads(
            data.decode("utf-8"),
            parse_int=_whole_number,
            parse_float=_number,
            parse_constant=_no_number,
            object_pairs_hook=_object,
        )
    except RecursionError:
        raise MeasuredError(f"is nested deeper than {DEPTH}") from None
    except ValueError as error:
        raise MeasuredError(f"is cut short or is no JSON ({error})") from error
    refuse_odd(found)
    return found


def refuse_odd(data: Any, depth: int = 0) -> None:
    """Refuse what no page could show: deep nesting, endless or unprintable text.

    Raises:
        MeasuredError: as soon as one such thing is met.
    """
    if depth > DEPTH:
        raise MeasuredError(f"is nested deeper than {DEPTH}")
    if isinstance(data, str):
        _refuse_odd_text(data)
    elif isinstance(data, dict):
        for key, value in data.items():
            _refuse_odd_text(key)
            refuse_odd(value, depth + 1)
    elif isinstance(data, list | tuple):
        for value in data:
            refuse_odd(value, depth + 1)


def pack_arrays(arrays: Mapping[str, Any]) -> bytes:
    """Arrays as the bytes of an `.npz`, the same bytes each time.

    Raises:
        MeasuredError: what could not be read again: a Python object, a name or a size beyond the bounds.
    """
    plain = {checked_array(name): np.asarray(arrays[name]) for name in sorted(arrays)}
    for name, array in plain.items():
        if array.dtype.kind not in "biufcSU" or array.dtype.metadata:
            raise MeasuredError(
                f"array {name} holds values of type {array.dtype}", expected="numbers, truth values or texts"
            )
    if sum(array.nbytes for array in plain.values()) > EXPANDED:
        raise MeasuredError(f"its arrays would need more than {EXPANDED >> 20} MiB")
    stream = io.BytesIO()
    np.savez_compressed(stream, **plain)
    data = stream.getvalue()
    with zipfile.ZipFile(stream) as archive:
        _refuse_members(archive.infolist(), len(data))
    return data


def unpack_arrays(data: bytes) -> dict[str, np.ndarray]:
    """The inverse of `pack_arrays`.

    Raises:
        MeasuredError: anything else than what `pack_arrays` writes.
    """
    if data.count(b"PK\x01\x02") > MEMBERS:
        raise MeasuredError(f"is no .npz file (more than {MEMBERS} members)")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
            _refuse_members(members, len(data))
            return {member.filename.removesuffix(".npy"): _array(archive, member) for member in members}
    except MeasuredError as error:
        raise MeasuredError(f"is no .npz file of ours ({error.problem})") from error
    # zipfile and zlib have many words for a broken file; a lying one may name what Python lacks.
    except (zipfile.BadZipFile, zlib.error, ValueError, OSError, EOFError, RuntimeError) as error:
        raise MeasuredError(f"is no .npz file ({error})") from error
    except (LookupError, OverflowError, MemoryError, NotImplementedError, TypeError) as error:
        raise MeasuredError(f"is no .npz file ({type(error).__name__})") from error


def _refuse_members(members: list[zipfile.ZipInfo], size: int) -> None:
    """Look at what an archive says of itself before any of it is unpacked."""
    if size > ARCHIVE:
        raise MeasuredError(f"it is larger than {ARCHIVE >> 20} MiB")
    names = [member.filename for member in members]
    if len(names) > MEMBERS:
        raise MeasuredError(f"more than {MEMBERS} members")
    if len(set(names)) != len(names):
        raise MeasuredError("two members of one name")
    for member in members:
        checked_array(member.filename.removesuffix(".npy"))
        if not member.filename.endswith(".npy"):
            raise MeasuredError(f"a member {member.filename!r} that is no array")
        if member.flag_bits & _ENCRYPTED:
            raise MeasuredError(f"{member.filename} is encrypted")
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise MeasuredError(f"{member.filename} is packed by an unknown method")
    expanded = sum(member.file_size for member in members)
    if expanded > EXPANDED:
        raise MeasuredError(f"its arrays would need more than {EXPANDED >> 20} MiB")
    if expanded > max(SMALL, RATIO * size):
        raise MeasuredError(f"its arrays would need more than {RATIO} times its size")


def _array(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> np.ndarray:
    """One array; its header is held against the member's size before memory is asked for."""
    with archive.open(member) as stream:
        magic = stream.read(8)
        if magic[:6] != b"\x93NUMPY" or magic[6:] not in (b"\x01\x00", b"\x02\x00"):
            raise MeasuredError(f"{member.filename} is no array")
        width = 2 if magic[6] == 1 else 4
        length = int.from_bytes(stream.read(width), "little")
        if length > _LARGEST_HEADER:
            raise MeasuredError(f"{member.filename} has a header of {length:,} bytes")
        header = _HEADER.fullmatch(stream.read(length))
        if header is None:
            raise MeasuredError(f"{member.filename} holds something else than numbers, truth values or texts")
        kind = np.dtype(header["type"].decode("ascii"))
        shape = tuple(int(n) for n in header["shape"].replace(b" ", b"").split(b",") if n)
        needed = math.prod(shape) * kind.itemsize
        if needed != member.file_size - 8 - width - length or len(shape) > 32:
            raise MeasuredError(f"{member.filename} says that it is larger or smaller than it is")
        # One byte more: only at its end is a member's checksum compared.
        content = stream.read(needed + 1)
    if len(content) != needed:
        raise MeasuredError(f"{member.filename} is cut short")
    order = "F" if header["fortran"] == b"True" else "C"
    return np.frombuffer(bytearray(content), kind, math.prod(shape)).reshape(shape, order=order)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key twice in one object")
    return found


def _whole_number(text: str) -> int:
    if len(text) > DIGITS:
        raise ValueError(f"a whole number of {len(text):,} digits")
    return int(text)


def _number(text: str) -> float:
    found = float(text) if len(text) <= 2 * DIGITS else math.inf
    if not math.isfinite(found):
        raise ValueError(f"a number that is not finite or has too many digits: {text[:DIGITS]}")
    return found


def _no_number(text: str) -> float:
    raise ValueError(f"{text}, which is no JSON")


def _refuse_odd_text(text: str) -> None:
    if len(text) > TEXT:
        raise MeasuredError(f"holds a text of {len(text):,} characters")
    odd = _CONTROL.search(text)
    if odd:
        raise MeasuredError(f"holds a text with the character U+{ord(odd[0]):04X}")
