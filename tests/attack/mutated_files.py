"""Read ten thousand mutations of good records and archives under a cap of memory; a helper process.

    python mutated_files.py FOLDER COUNT MEBIBYTES

Prints what became of them as JSON. What is neither read nor refused in one sentence is listed.
"""

from __future__ import annotations

import json
import random
import resource
import sys
import traceback
from collections import Counter
from pathlib import Path
from typing import Any

import hostile_files
from measured import archives, files
from measured.errors import MeasuredError
from measured.terms import record

ODD: list[Any] = [
    None, True, False, 0, -1, 10**30, 1e308, -0.0, "", "../x", "a\0b", "\ud800", "</script>", "x" * 5000,
    "nan",
    [], {}, [[]], {"id": "dice.mean"}, {"": ""}, [None] * 50, "9" * 400, ".400f", "1000000000d",
]  # fmt: skip


def main(folder: Path, count: int, mebibytes: int) -> None:
    """Mutate, read, count."""
    good, packed = hostile_files.good_files(folder)
    text = (folder / "dice.json").read_bytes()
    resource.setrlimit(resource.RLIMIT_AS, (_now() + (mebibytes << 20), resource.RLIM_INFINITY))
    draw, seen, unforeseen = random.Random(0), Counter(), []
    for number in range(count):
        kind = number % 4
        if kind == 0:
            (folder / "dice.json").write_bytes(_bytes_changed(draw, text))
        elif kind == 1:
            data = _value_changed(draw, json.loads(text))
            hostile_files.write_sealed(folder / "dice.json", data)
        else:
            changed = _bytes_changed(draw, packed) if kind == 2 else _member_changed(draw)
            (folder / "dice.npz").write_bytes(changed)
            # A liar vouches for what it has changed: so the archive itself is looked at.
            vouching = {**good, "arrays_sha256": files.sha256(changed)}
            hostile_files.write_sealed(folder / "dice.json", vouching)
        seen[_read(folder, unforeseen, number)] += 1
        (folder / "dice.npz").write_bytes(packed)
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    print(json.dumps({"seen": seen, "unforeseen": unforeseen[:5], "resident MiB": most}))


def _read(folder: Path, unforeseen: list[str], number: int) -> str:
    """What became of one: read whole, or refused."""
    try:
        found = record.read_record(folder / "dice.json")
        total = sum(array.nbytes for array in found.arrays.values())
        json.dumps([m.as_dict() for m in found.measurements.values()], allow_nan=False).encode("utf-8")
        assert total <= archives.EXPANDED
    except MeasuredError as error:
        if len(str(error)) > 2000 or "\n\n" in str(error):
            unforeseen.append(f"{number}: {str(error)[:300]}")
        return "refused"
    except BaseException:  # noqa: BLE001 - whatever it is, it is what must not be
        unforeseen.append(f"{number}: {traceback.format_exc()[-600:]}")
        return "tracebacks"
    return "read"


def _bytes_changed(draw: random.Random, data: bytes) -> bytes:
    """A few bytes turned, cut, doubled, or put in."""
    there = bytearray(data)
    for _ in range(draw.choice((1, 1, 2, 8))):
        at = draw.randrange(len(there) or 1)
        how = draw.randrange(5)
        if how == 0 and there:
            there[min(at, len(there) - 1)] = draw.randrange(256)
        elif how == 1:
            del there[at : at + draw.choice((1, 4, 100))]
        elif how == 2:
            there[at:at] = there[at : at + draw.choice((1, 20, 400))]
        elif how == 3:
            there[at:at] = draw.choice(
                (b"\0", b"\xff" * 4, b"[" * 50, b"9" * 50, b'"', b"PK\x01\x02", b"NaN")
            )
        else:
            there[at : at + 4] = draw.randbytes(4)
    return bytes(there)


def _value_changed(draw: random.Random, data: dict[str, Any]) -> Any:
    """One value anywhere in a record replaced, dropped, doubled, or given another key."""
    places = list(_places(data))
    there, key = draw.choice(places)
    how = draw.randrange(4)
    if how == 0:
        del there[key]
    elif how == 1 and isinstance(there, dict):
        there[draw.choice(("x", "../x", "", "__class__", key * 2))] = there[key]
    elif how == 2 and isinstance(there, list):
        there.insert(key, there[key])
    else:
        there[key] = draw.choice(ODD)
    return data


def _places(data: Any):
    keys = list(data) if isinstance(data, dict) else range(len(data)) if isinstance(data, list) else ()
    for key in keys:
        yield data, key
        yield from _places(data[key])


def _member_changed(draw: random.Random) -> bytes:
    """An archive whose one member has any header, within and beyond what it says."""
    kind = draw.choice(
        ("'<f8'", "'|O'", "'<U9999'", "'|S1'", "[('a', '<f8')]", "'<f2'", "'>i4'", "'|b1'", "'<c16'", "'<f3'")
    )
    shape = draw.choice(
        ("()", "(2,)", "(2, 3)", "(99999999999,)", "(0,)", "(0, 99999999999)", "(-1,)", "(1,)*9", "2")
    )
    order = draw.choice(("False", "True", "1"))
    header = hostile_files.header(kind, shape, order)
    member = hostile_files.npy(header, bytes(draw.choice((0, 1, 16, 48, 4096))))
    name = draw.choice(("a.npy", "faces.npy", "../a.npy", "a", "b/c.npy", "A-1.npy"))
    return hostile_files.archive((name, _bytes_changed(draw, member) if draw.random() < 0.3 else member))


def _now() -> int:
    """The address space of this process, in bytes."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    return pages * resource.getpagesize()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
