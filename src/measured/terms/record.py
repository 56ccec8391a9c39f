"""Records: everything one experiment measured in one run, on disk, whole or not at all.

A record is two files: `<experiment>.json` (measurements, tables, fingerprint, environment) and
`<experiment>.npz` (arrays), whose hash the first one holds. Seconds differ from run to run, so they
live in a file of their own (`timings/<experiment>.json`) and the record stays byte-identical.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from measured import archives, files
from measured.errors import MeasuredError
from measured.names import checked
from measured.terms import plain_data
from measured.terms.claims import Judgement
from measured.terms.experiment import Cell, Table
from measured.terms.measurement import Measurement
from measured.terms.names import refuse_shared

SCHEMA = 1
_LONGEST_MESSAGE = 400  # characters: what a file holds may be quoted in it
_PLAIN = ("experiment", "question", "source", "mode", "parameters", "fingerprint", "environment", "scopes")
_KEYS = {"schema", *_PLAIN, "arrays_sha256", "measurements", "tables", "claims", "sha256"}
# A function of a file of the project: its page of code is published.
_SOURCE = re.compile(r"(?:[A-Za-z0-9_-][A-Za-z0-9_.-]*/)*[A-Za-z0-9_-][A-Za-z0-9_.-]*:[A-Za-z0-9_.<>]{1,200}")


@dataclass(frozen=True)
class Record:
    """One experiment's record.

    Args:
        experiment: its name.
        question: what it asked.
        source: `file:name` of the measuring function, relative to the project.
        mode: `full`, or `quick` for authors; a quick record is never published.
        parameters: what the experiment was called with.
        fingerprint: hash of each thing that can change the record, by name.
        environment: versions, CPU, threads.
        measurements: by id, in the experiment's order.
        tables: by name.
        claims: what became of each claim, by id.
        scopes: under which conditions each measurement was made, by id.
        arrays: by name.
    """

    experiment: str
    question: str
    source: str
    mode: str
    parameters: Mapping[str, Any]
    fingerprint: Mapping[str, str]
    environment: Mapping[str, Any]
    measurements: Mapping[str, Measurement]
    tables: Mapping[str, Table] = field(default_factory=dict)
    claims: Mapping[str, Judgement] = field(default_factory=dict)
    scopes: Mapping[str, str] = field(default_factory=dict)
    arrays: Mapping[str, np.ndarray] = field(default_factory=dict, repr=False)

    def __getitem__(self, name: str) -> Any:
        """The value of a measurement."""
        return self.measurement(name).value

    def measurement(self, name: str) -> Measurement:
        """The measurement of that id.

        Raises:
            MeasuredError: the record has none.
        """
        if name not in self.measurements:
            raise MeasuredError(
                f"record {self.experiment} has no measurement {name}",
                expected=f"one of {', '.join(self.measurements)}",
            )
        return self.measurements[name]

    def display(self, name: str, specification: str | None = None) -> str:
        """The measurement as text, for alt texts and labels."""
        return self.measurement(name).display(specification)


def write_record(folder: Path, record: Record) -> None:
    """Write both files; the JSON last, since it vouches for the arrays."""
    for name, data in files_of(record).items():
        files.write_bytes(folder / name, data)


def files_of(record: Record) -> dict[str, bytes]:
    """The two files of a record by name, the one that vouches for the other last."""
    packed = pack_arrays(record.arrays)
    data = {
        "schema": SCHEMA,
        "experiment": record.experiment,
        "question": record.question,
        "source": record.source,
        "mode": record.mode,
        "parameters": dict(record.parameters),
        "fingerprint": dict(record.fingerprint),
        "environment": dict(record.environment),
        "arrays_sha256": files.sha256(packed),
        "measurements": [m.as_dict() for m in record.measurements.values()],
        "tables": [_table_as_dict(t) for t in record.tables.values()],
        "claims": [c.as_dict() for c in record.claims.values()],
        "scopes": dict(record.scopes),
    }
    return {
        f"{record.experiment}.npz": packed,
        f"{record.experiment}.json": files.json_bytes(archives.sealed(data)),
    }


def read_record(path: Path) -> Record:
    """Read a record, given the path of its JSON file.

    Raises:
        MeasuredError: the file is missing, cut short, not a record, of another schema, changed by hand, or
            its arrays are not the ones that it vouches for.
    """
    try:
        data = archives.read_bytes(path, archives.JSON)
    except MeasuredError as error:
        raise _foreign(path, error.problem) from error
    found, arrays = _read_once(path, data)
    return replace(found, arrays=LazyArrays(path.with_suffix(".npz"), arrays))


@lru_cache(maxsize=32)
def _read_once(path: Path, content: bytes) -> tuple[Record, str]:
    """A record and the hash of its arrays: a build asks for each several times, and takes it apart once."""
    data = _parsed(path, content)
    try:
        found = _record_from(data, path)
    # What a constructor says to values of the right type that do not go together.
    except (MeasuredError, ValueError, TypeError, LookupError, ArithmeticError) as error:
        raise _foreign(path, getattr(error, "problem", f"lacks or garbles {error}")) from error
    if not archives.is_sealed(data, content):
        raise _foreign(path, "was changed since it was written")
    return found, data["arrays_sha256"]


def _record_from(data: dict[str, Any], path: Path) -> Record:
    plain_data.check_keys(data, _KEYS, "it")
    record = plain_data.build(
        Record,
        {key: data[key] for key in _PLAIN},
        measurements=_by_name("id", data["measurements"], Measurement.from_dict),
        tables=_by_name("name", data["tables"], _table_from_dict),
        claims=_by_name("id", data["claims"], lambda claim: plain_data.build(Judgement, claim)),
        arrays=LazyArrays(path.with_suffix(".npz"), plain_data.text(data["arrays_sha256"], "arrays_sha256")),
    )
    checked(record.experiment, "an experiment")
    for name in (*record.tables, *record.claims):
        checked(name, "a table or a claim")
    if not _SOURCE.fullmatch(record.source):
        raise MeasuredError(f"names a function of the source as {record.source[:80]!r}")
    for table in record.tables.values():
        for cell in (c for row in table.rows for c in row if isinstance(c, Cell)):
            if cell.id not in record.measurements:
                raise MeasuredError(
                    f"has a table {table.name} over {cell.id[:80]!r}, which it does not measure"
                )
            record.display(cell.id, cell.format)
    return record


def _by_name(key: str, items: Any, read: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
    """Things of a list by name, none twice."""
    found = {}
    for item in plain_data.items(items, f"a list of things with {key}"):
        thing = read(item)
        name = getattr(thing, key)
        if name in found:
            raise MeasuredError(f"holds {name} twice")
        found[name] = thing
    return found


def read_records(folder: Path) -> dict[str, Record]:
    """All records of a folder, by experiment.

    Raises:
        MeasuredError: a record cannot be read, is kept under another name, or shares an id with another one.
    """
    records = {}
    for path in sorted(folder.glob("*.json")):
        record = records[path.stem] = read_record(path)
        if record.experiment != path.stem:
            raise _foreign(path, f"is that of {record.experiment}, under another name")
    for what, found in (("measurement", "measurements"), ("table", "tables"), ("claim", "claims")):
        refuse_shared(((i, f"record {n}") for n, r in records.items() for i in getattr(r, found)), what)
    return records


class LazyArrays(Mapping[str, np.ndarray]):
    """Arrays of a record that are read, and checked against their hash, when first asked for."""

    def __init__(self, path: Path, sha: str) -> None:
        self._path, self._sha, self._arrays = path, sha, None

    def _loaded(self) -> dict[str, np.ndarray]:
        if self._arrays is None:
            self._arrays = unpack_arrays(read_vouched(self._path, self._sha), self._path)
        return self._arrays

    def __getitem__(self, name: str) -> np.ndarray:
        return self._loaded()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._loaded())

    def __len__(self) -> int:
        return len(self._loaded())


def read_vouched(path: Path, sha: str) -> bytes:
    """The bytes of a file that another one vouches for.

    Raises:
        MeasuredError: missing, or not the bytes vouched for.
    """
    try:
        data = archives.read_bytes(path)
    except MeasuredError as error:
        raise _foreign(path, error.problem) from error
    if files.sha256(data) != sha:
        raise _foreign(path, "is not the file that its JSON vouches for (cut short, or of another run)")
    return data


def pack_arrays(arrays: Mapping[str, Any]) -> bytes:
    """Arrays as the bytes of an `.npz`, the same bytes each time."""
    return archives.pack_arrays(arrays)


def unpack_arrays(data: bytes, path: Path) -> dict[str, np.ndarray]:
    """The inverse of `pack_arrays`; `path` is named where the bytes are no such file."""
    try:
        return archives.unpack_arrays(data)
    except MeasuredError as error:
        raise _foreign(path, error.problem) from error


def _parsed(path: Path, content: bytes) -> dict[str, Any]:
    try:
        data = archives.parse_json(content)
    except MeasuredError as error:
        raise _foreign(path, error.problem) from error
    if not isinstance(data, dict) or "schema" not in data:
        raise _foreign(path, "is not a record of this engine")
    if data["schema"] != SCHEMA or isinstance(data["schema"], bool):
        raise _foreign(path, f"has schema {str(data['schema'])[:20]!r}, this engine reads {SCHEMA}")
    return data


def _foreign(path: Path, what: str) -> MeasuredError:
    return MeasuredError(
        f"the record {what if len(what) < _LONGEST_MESSAGE else what[:_LONGEST_MESSAGE] + ' …'}",
        path=path,
        expected="a record that this engine wrote",
        mend=f"delete {path.name} and run: nox -s build",
    )


def _table_as_dict(table: Table) -> dict[str, Any]:
    rows = [[c if isinstance(c, str) else {"id": c.id, "format": c.format} for c in r] for r in table.rows]
    return {"name": table.name, "columns": list(table.columns), "rows": rows}


def _table_from_dict(data: Mapping[str, Any]) -> Table:
    plain_data.check_keys(data, {"name", "columns", "rows"}, "a table")
    rows = tuple(
        tuple(c if isinstance(c, str) else plain_data.build(Cell, c) for c in plain_data.items(row, "a row"))
        for row in plain_data.items(data["rows"], "rows")
    )
    return plain_data.build(Table, {key: data[key] for key in ("name", "columns")}, rows=rows)
