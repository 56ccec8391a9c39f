"""Records: everything one experiment measured in one run, on disk, whole or not at all.

A record is two files: `<experiment>.json` (measurements, tables, fingerprint, environment) and
`<experiment>.npz` (arrays), whose hash the first one holds. Seconds differ from run to run, so they
live in a file of their own (`timings/<experiment>.json`) and the record stays byte-identical.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from measured import files
from measured.errors import MeasuredError
from measured.terms.claims import Judgement
from measured.terms.experiment import Cell, Table
from measured.terms.measurement import Measurement
from measured.terms.names import refuse_shared

SCHEMA = 1


@dataclass(frozen=True)
class Record:
    """One experiment's record.

    Args:
        experiment: its name.
        question: what it asked.
        source: `file:line` of the measuring function, relative to the project.
        mode: `full`, or `quick` for authors; a quick record is never published.
        parameters: what the experiment was called with.
        fingerprint: hash of each thing that can change the record, by name.
        environment: versions, CPU, threads.
        measurements: by id, in the experiment's order.
        tables: by name.
        claims: what became of each claim, by id.
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
    packed = pack_arrays(record.arrays)
    files.write_bytes(folder / f"{record.experiment}.npz", packed)
    files.write_json(
        folder / f"{record.experiment}.json",
        {
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
        },
    )


def read_record(path: Path) -> Record:
    """Read a record, given the path of its JSON file.

    Raises:
        MeasuredError: the file is missing, cut short, not a record, of another schema, or its arrays
            are not the ones that it vouches for.
    """
    data = _read_json(path)
    try:
        return Record(
            experiment=data["experiment"],
            question=data["question"],
            source=data["source"],
            mode=data["mode"],
            parameters=data["parameters"],
            fingerprint=data["fingerprint"],
            environment=data["environment"],
            measurements={m["id"]: Measurement.from_dict(m) for m in data["measurements"]},
            tables={t["name"]: _table_from_dict(t) for t in data["tables"]},
            claims={c["id"]: Judgement(**c) for c in data["claims"]},
            arrays=LazyArrays(path.with_suffix(".npz"), data["arrays_sha256"]),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise _foreign(path, f"lacks or garbles {error}") from error
    except MeasuredError as error:
        raise _foreign(path, error.problem) from error


def read_records(folder: Path, lock: str | None = None) -> dict[str, Record]:
    """All records of a folder, by experiment.

    Args:
        folder: where they are.
        lock: hash of the lock file in force; None asks nobody.

    Raises:
        MeasuredError: a record cannot be read, is kept under another name, was made with other
            versions than the lock's, or shares an id with another one.
    """
    records = {}
    for path in sorted(folder.glob("*.json")):
        record = records[path.stem] = read_record(path)
        if record.experiment != path.stem:
            raise _foreign(path, f"is that of {record.experiment}, under another name")
        if lock is not None and record.fingerprint.get("lock") != lock:
            raise MeasuredError(
                "the record was made with another lock file",
                path=path,
                expected="records made with the versions that the lock file pins",
                mend="run: nox -s build",
            )
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
        data = path.read_bytes()
    except OSError as error:
        raise _foreign(path, f"cannot be read ({error.strerror})") from error
    if files.sha256(data) != sha:
        raise _foreign(path, "is not the file that its JSON vouches for (cut short, or of another run)")
    return data


def pack_arrays(arrays: Mapping[str, Any]) -> bytes:
    """Arrays as the bytes of an `.npz`, the same bytes each time."""
    stream = io.BytesIO()
    np.savez_compressed(stream, **{name: np.asarray(arrays[name]) for name in sorted(arrays)})
    return stream.getvalue()


def unpack_arrays(data: bytes, path: Path) -> dict[str, np.ndarray]:
    """The inverse of `pack_arrays`; `path` is named where the bytes are no such file."""
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}
    except (ValueError, OSError, zipfile.BadZipFile, EOFError) as error:
        raise _foreign(path, f"is no .npz file ({error})") from error


def _read_json(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise _foreign(path, f"cannot be read ({error.strerror})") from error
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise _foreign(path, f"is cut short or is no JSON ({error})") from error
    if not isinstance(data, dict) or "schema" not in data:
        raise _foreign(path, "is not a record of this engine")
    if data["schema"] != SCHEMA:
        raise _foreign(path, f"has schema {data['schema']!r}, this engine reads {SCHEMA}")
    return data


def _foreign(path: Path, what: str) -> MeasuredError:
    return MeasuredError(
        f"the record {what}",
        path=path,
        expected="a record that this engine wrote",
        mend=f"delete {path.name} and run: nox -s build",
    )


def _table_as_dict(table: Table) -> dict[str, Any]:
    rows = [[c if isinstance(c, str) else {"id": c.id, "format": c.format} for c in r] for r in table.rows]
    return {"name": table.name, "columns": list(table.columns), "rows": rows}


def _table_from_dict(data: Mapping[str, Any]) -> Table:
    rows = tuple(tuple(c if isinstance(c, str) else Cell(**c) for c in row) for row in data["rows"])
    return Table(data["name"], tuple(data["columns"]), rows)
