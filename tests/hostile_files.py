"""Archives and records as no engine of ours writes them: each with what is wrong about it."""

from __future__ import annotations

import contextlib
import io
import json
import struct
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from measured import archives, files
from measured.terms import record
from measured.terms.claims import Judgement
from measured.terms.experiment import Cell, Table
from measured.terms.measurement import Exact, Measurement


def good_record(**changes: Any) -> record.Record:
    """A record of a die, small and whole."""
    mean = Measurement("dice.mean", 0.5, "a mean", Exact("why"), ".2f")
    name = Measurement("dice.name", "six sides", "a text", Exact("why"))
    fields = {
        "experiment": "dice",
        "question": "Fair?",
        "source": "src/dice.py:1",
        "mode": "full",
        "parameters": {"draws": 10},
        "fingerprint": {"lock": "abc"},
        "environment": {"python": "3"},
        "measurements": {mean.id: mean, name.id: name},
        "tables": {"dice.t": Table("dice.t", ("a", "b"), (("x", Cell(mean.id, ".1f")),))},
        "claims": {"dice.c": Judgement("dice.c", "words", True, 0.5, {"mean": 0.5})},
        "arrays": {"faces": np.arange(6), "names": np.array(["a", "bc"]), "empty": np.zeros((0, 3))},
        **changes,
    }
    return record.Record(**fields)


def good_files(folder: Path) -> tuple[dict[str, Any], bytes]:
    """The record's JSON as data, and its archive, after they were written to `folder`."""
    record.write_record(folder, good_record())
    return json.loads((folder / "dice.json").read_text("utf-8")), (folder / "dice.npz").read_bytes()


def write_sealed(path: Path, data: Any) -> None:
    """Write a record's JSON as one who knows the engine would: with a seal, where any can be made."""
    if isinstance(data, dict):
        with contextlib.suppress(UnicodeEncodeError):
            data = archives.sealed(data)
    path.write_text(json.dumps(data), "utf-8")


def npy(header: str, content: bytes = b"", magic: bytes = b"\x93NUMPY\x01\x00") -> bytes:
    """A member with any header."""
    text = header.encode("latin-1") + b"\n"
    return magic + struct.pack("<H", len(text)) + text + content


def header(descr: str = "'<f8'", shape: str = "(2,)", fortran: str = "False", more: str = "") -> str:
    return f"{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, {more}}}"


def archive(*members: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip file of any members."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as made:
        for name, content in members:
            made.writestr(zipfile.ZipInfo(name), content, method)
    return stream.getvalue()


GOOD = npy(header(), bytes(16))


def bomb(megabytes: int) -> bytes:
    """Zeros that pack a thousand times; written piece by piece."""
    stream = io.BytesIO()
    with (
        zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as made,
        made.open("a.npy", "w", force_zip64=True) as one,
    ):
        one.write(npy(header("'|i1'", f"({megabytes << 20},)")))
        for _ in range(megabytes):
            one.write(bytes(1 << 20))
    return stream.getvalue()


def _lying(data: bytes, size: int) -> bytes:
    """The central directory says another expanded size."""
    at = data.rindex(b"PK\x01\x02")
    return data[: at + 24] + struct.pack("<I", size) + data[at + 28 :]


def _flagged(data: bytes, local: int, central: int, value: int) -> bytes:
    """A field of two bytes set in the local and the central header."""
    there = bytearray(data)
    struct.pack_into("<H", there, data.index(b"PK\x03\x04") + local, value)
    struct.pack_into("<H", there, data.rindex(b"PK\x01\x02") + central, value)
    return bytes(there)


def _spoiled(data: bytes) -> bytes:
    """A deflate stream with its middle turned over."""
    there = bytearray(data)
    start = 30 + struct.unpack_from("<H", data, 26)[0] + struct.unpack_from("<H", data, 28)[0]
    for at in range(start, start + 8):
        there[at] ^= 0xFF
    return bytes(there)


def hostile_archives() -> Iterator[tuple[str, bytes]]:
    """By name: archives that must be refused."""
    good = archive(("a.npy", GOOD))
    objects = io.BytesIO()
    np.save(objects, np.array([{"x": 1}], dtype=object), allow_pickle=True)
    yield "nothing", b""
    yield "no zip", b"not a zip at all" * 9
    yield "cut in half", good[: len(good) // 2]
    yield "without its directory", good[: good.index(b"PK\x01\x02")]
    yield "broken deflate", _spoiled(good)
    yield (
        "wrong checksum",
        good.replace(struct.pack("<I", zipfile.ZipFile(io.BytesIO(good)).infolist()[0].CRC), b"abcd"),
    )
    yield "encrypted", _flagged(good, 6, 8, 1)
    yield "packed by an unknown method", _flagged(good, 8, 10, 99)
    yield "packed by lzma", archive(("a.npy", GOOD), method=zipfile.ZIP_LZMA)
    yield "packed by bzip2", archive(("a.npy", GOOD), method=zipfile.ZIP_BZIP2)
    yield "one name twice", archive(("a.npy", GOOD), ("a.npy", GOOD))
    yield "a member that climbs", archive(("../a.npy", GOOD))
    yield "an absolute member", archive(("/etc/a.npy", GOOD))
    yield "a member of Windows", archive(("..\\a.npy", GOOD))
    yield "a member that is no array", archive(("a.txt", b"x"))
    yield "a folder", archive(("a/", b""))
    yield "an empty name", archive((".npy", GOOD))
    yield "a long name", archive((f"{'a' * 5000}.npy", GOOD))
    yield (
        "five thousand members",
        archive(*((f"a{n}.npy", GOOD) for n in range(5000)), method=zipfile.ZIP_STORED),
    )
    yield "a pickle", archive(("a.npy", objects.getvalue()))
    yield "a pickle without a header", archive(("a.npy", b"cos\nsystem\n(S'true'\ntR."))
    yield "objects by type", archive(("a.npy", npy(header("'|O'"), bytes(16))))
    yield "a structure", archive(("a.npy", npy(header("[('x', '<f8')]"), bytes(16))))
    yield "a date", archive(("a.npy", npy(header("'<M8[s]'"), bytes(16))))
    yield "a header of nine tebibytes", archive(("a.npy", npy(header(shape="(1234567890123,)"), bytes(16))))
    yield "a header of many dimensions", archive(("a.npy", npy(header(shape=f"({'1, ' * 60})"), bytes(8))))
    yield "a negative shape", archive(("a.npy", npy(header(shape="(-2,)"), bytes(16))))
    yield "a shape larger than its bytes", archive(("a.npy", npy(header(shape="(3,)"), bytes(16))))
    yield "a shape smaller than its bytes", archive(("a.npy", npy(header(shape="(1,)"), bytes(16))))
    yield (
        "a shape that calls",
        archive(("a.npy", npy(header(shape="(__import__('os').getpid(),)"), bytes(16)))),
    )
    yield "a header nested deep", archive(("a.npy", npy("(" * 2000, bytes(16))))
    yield "a header that is long", archive(("a.npy", npy(header() + " " * 60_000, bytes(16))))
    yield "a header with more keys", archive(("a.npy", npy(header(more="'x': 1, "), bytes(16))))
    yield "an unknown version", archive(("a.npy", npy(header(), bytes(16), b"\x93NUMPY\x09\x00")))
    yield "no magic", archive(("a.npy", bytes(200)))
    yield "an empty member", archive(("a.npy", b""))
    yield "a directory that says less", _lying(good, 20)
    yield "a directory that says four gibibytes", _lying(good, 0xFFFFFFF0)
    yield "a zip within a zip", archive(("a.npy", good))
    yield "zeros that pack too well", bomb(40)


def _with(path: str, value: Any) -> Callable[[dict[str, Any]], Any]:
    """A change of one value of the record's JSON, by the path that leads to it."""

    def change(data: dict[str, Any]) -> Any:
        *way, last = [int(p) if p.isdigit() else p for p in path.split("/")]
        there: Any = data
        for step in way:
            there = there[step]
        there[last] = value
        return data

    return change


def _twice(name: str) -> Callable[[dict[str, Any]], Any]:
    return lambda data: {**data, name: data[name] * 2}


def _without(name: str) -> Callable[[dict[str, Any]], Any]:
    return lambda data: {key: value for key, value in data.items() if key != name}


CHANGES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "a table that climbs": _with("tables/0/name", "../../x"),
    "a table on a device": _with("tables/0/name", "con.t"),
    "a table of a name with a slash": _with("tables/0/name", "dice/t"),
    "a claim that climbs": _with("claims/0/id", "../x"),
    "an experiment that climbs": _with("experiment", "../dice"),
    "a measurement that climbs": _with("measurements/0/id", "../dice.mean"),
    "a long name": _with("tables/0/name", "d" * 5000),
    "a source elsewhere": _with("source", "../../etc/passwd:1"),
    "an absolute source": _with("source", "/etc/passwd:1"),
    "a source without a line": _with("source", "src/dice.py"),
    "a hidden source": _with("source", ".git/config:1"),
    "a table over an unknown id": _with("tables/0/rows/0/1/id", "dice.nothing"),
    "a row of another length": _with("tables/0/rows/0", ["x"]),
    "a row that is a number": _with("tables/0/rows/0", 7),
    "a cell with another field": _with("tables/0/rows/0/1", {"id": "dice.mean", "format": None, "x": 1}),
    "a table without columns": _with("tables/0", {"name": "dice.t", "rows": []}),
    "the same measurement twice": _twice("measurements"),
    "the same claim twice": _twice("claims"),
    "the same table twice": _twice("tables"),
    "a value that is a list": _with("measurements/0/value", [1]),
    "a value that is null": _with("measurements/0/value", None),
    "a value of another text": _with("measurements/0/display", "0.51"),
    "a format of a gibibyte": _with("measurements/0/format", "1073741824d"),
    "a precision of a gibibyte": _with("measurements/0/format", ".1073741824f"),
    "a format that does not fit": _with("measurements/0/format", "d"),
    "a format that is a number": _with("measurements/0/format", 3),
    "a unit that is a list": _with("measurements/0/unit", ["nats"]),
    "seeds that are texts": _with("measurements/0/seeds", ["0"]),
    "samples without seeds": _with("measurements/0/samples", [1.0]),
    "a text where NaN is measured": lambda d: _with("measurements/0/value", "x")(
        _with("measurements/0/non_finite", True)(d)
    ),
    "a tolerance of no kind": _with("measurements/0/tolerance", {}),
    "a tolerance that is a list": _with("measurements/0/tolerance", []),
    "a tolerance whose kind is a list": _with("measurements/0/tolerance/kind", []),
    "a tolerance with a text for a number": _with(
        "measurements/0/tolerance", {"kind": "close", "reason": "r", "atol": "1"}
    ),
    "a measurement with another field": _with("measurements/0/script", "x"),
    "a claim that holds by text": _with("claims/0/holds", "yes"),
    "a claim without words": _with("claims/0", {"id": "dice.c", "holds": True}),
    "a claim with another field": _with("claims/0/script", 1),
    "a fingerprint of numbers": _with("fingerprint", {"lock": 3}),
    "a hash that is a number": _with("arrays_sha256", 3),
    "parameters that are a list": _with("parameters", []),
    "a half of a letter": _with("question", "\ud800"),
    "a zero byte": _with("question", "a\0b"),
    "an escape of a terminal": _with("measurements/0/description", "\x1b[2J"),
    "a text of a megabyte": _with("question", "x" * 1_000_000),
    "another field": _with("script", "x"),
    "another schema": _with("schema", 99),
    "a schema that is true": _with("schema", True),
    "no measurements": _without("measurements"),
    "no hash": _without("arrays_sha256"),
    "a list": lambda data: [data],
    "a text": lambda data: "x",
    "null": lambda data: None,
}


def hostile_texts(good: str) -> Iterator[tuple[str, bytes]]:
    """By name: the bytes of JSON files that no `json.dumps` writes."""
    yield "nothing", b""
    yield "Latin-1", good.replace("Fair?", "Fär?").encode("latin-1")
    yield "nested 200,000 deep", b'{"schema": ' + b"[" * 200_000 + b"]" * 200_000 + b"}"
    yield "objects nested 200,000 deep", b'{"a":' * 200_000 + b"1" + b"}" * 200_000
    yield "nested 60 deep", good.replace('"draws": 10', '"draws": ' + "[" * 60 + "]" * 60).encode()
    yield "a number of 5,000 digits", good.replace('"draws": 10', '"draws": ' + "9" * 5000).encode()
    yield "a number of 60 digits", good.replace('"draws": 10', '"draws": ' + "9" * 60).encode()
    yield "a number beyond floats", good.replace('"draws": 10', '"draws": 1e999').encode()
    yield "a float of a thousand digits", good.replace('"draws": 10', '"draws": 0.' + "1" * 1000).encode()
    yield "NaN", good.replace('"draws": 10', '"draws": NaN').encode()
    yield "infinity", good.replace('"draws": 10', '"draws": -Infinity').encode()
    yield "a key twice", good.replace('"draws": 10', '"draws": 10, "draws": 11').encode()
    yield "two million lists", b'{"schema": [' + b"[]," * 2_000_000 + b"[]]}"
    yield "seventeen megabytes", good.replace("Fair?", "x" * (17 << 20)).encode()
    yield "a byte order of UTF-16", good.encode("utf-16")
    yield "something behind it", good.encode() + b"{}"


def vouched(data: dict[str, Any], packed: bytes) -> dict[str, Any]:
    """The record's JSON, made to vouch for other arrays."""
    return archives.sealed({**data, "arrays_sha256": files.sha256(packed)})
