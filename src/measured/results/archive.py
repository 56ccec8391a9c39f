"""The form in which results travel: one archive, addressed by content, and an index of it.

The archive holds, for each run, `KEY.json` (its voucher, by the hash of what was known before the work) and
`SHA.npz` (its arrays, by their hash); for each record the same, `KEY.json` being the record as it is stored;
and `index.json`, which says which run and which record has which. Beside a published archive stands the same
index with the archive's own hash, so that one need not fetch it to see what is there.
"""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from measured import archives, files
from measured.errors import MeasuredError
from measured.making.products import RecordProduct, RunProduct
from measured.making.vouchers import LARGEST, LONGEST, Voucher, is_hash, key_of
from measured.terms.record import read_vouched

FOLDER = "runs"  # of a published site
ARCHIVE, INDEX = "runs.zip", "index.json"
SCHEMA = 2
READ = (1, SCHEMA)  # the first had no records
MOST = 20_000  # runs, or records
LARGEST_ARCHIVE = 1 << 30  # bytes of a whole archive
_DIRECTORY = 8 << 20  # bytes of its table of contents
_END = struct.Struct("<4s4H2LH")  # the last record of an archive


@dataclass(frozen=True)
class Entry:
    """One run or one record of an index.

    Args:
        name: `induction/blocks1.seed0`; `induction`.
        key: what is known of it before the work, as one hash.
        arrays: hash of its arrays.
    """

    name: str
    key: str
    arrays: str


@dataclass(frozen=True)
class Index:
    """What an archive holds.

    Args:
        runs: by name.
        records: by name.
        archive: bytes and hash of the archive that it stands beside; None within one.
    """

    runs: Mapping[str, Entry]
    records: Mapping[str, Entry] = field(default_factory=dict)
    archive: Mapping[str, Any] | None = None


def pack(runs: Iterable[RunProduct], records: Iterable[RecordProduct] = ()) -> tuple[bytes, bytes]:
    """Results as they travel: the archive, and the index beside it; the same bytes from the same results."""
    members: dict[str, bytes] = {}
    index = {
        "schema": SCHEMA,
        "runs": _sorted(_packed_run(run, members) for run in runs if run.files[1].exists()),
        "records": _sorted(_packed_record(record, members) for record in records if record.files[0].exists()),
    }
    members[INDEX] = files.json_bytes(archives.sealed(index))
    packed = _zipped(members)
    whole = {**index, "archive": {"bytes": len(packed), "sha256": files.sha256(packed)}}
    return packed, files.json_bytes(archives.sealed(whole))


def _sorted(entries: Iterable[dict[str, str]]) -> list[dict[str, str]]:
    return sorted(entries, key=lambda entry: entry["name"])


def _packed_run(run: RunProduct, members: dict[str, bytes]) -> dict[str, str]:
    """Put a run among the members; its voucher says nothing of who took it over."""
    arrays, path = run.files
    voucher = Voucher.read(path)
    members[f"{voucher.arrays}.npz"] = read_vouched(arrays, voucher.arrays)
    shown = Voucher(voucher.fingerprint, voucher.arrays, voucher.environment)
    members[f"{voucher.key}.json"] = shown.as_bytes()
    return {"name": run.name, "key": voucher.key, "arrays": voucher.arrays}


def _packed_record(record: RecordProduct, members: dict[str, bytes]) -> dict[str, str]:
    """Put a record among the members, as it is stored."""
    path, arrays = record.files
    data = archives.read_sealed(path)
    key, sha = key_of(data["fingerprint"]), data["arrays_sha256"]
    members[f"{sha}.npz"] = read_vouched(arrays, sha)
    members[f"{key}.json"] = archives.read_bytes(path, archives.JSON)
    return {"name": record.name, "key": key, "arrays": sha}


def read_index(data: bytes) -> Index:
    """An index.

    Raises:
        MeasuredError: it is none of ours.
    """
    found = archives.parse_json(data)
    if not isinstance(found, dict) or not archives.is_sealed(found, data):
        raise MeasuredError("is no index of runs, or was changed since it was written")
    schema = found.get("schema")
    if schema not in READ or set(found) - {"schema", "runs", "records", "archive", archives.SEAL}:
        raise MeasuredError(f"is an index of another engine; this one reads schema {SCHEMA}")
    records = _entries(found.get("records", []), "record")
    return Index(_entries(found.get("runs"), "run"), records, _of_archive(found.get("archive")))


def _entries(listed: Any, what: str) -> dict[str, Entry]:
    if not isinstance(listed, list) or len(listed) > MOST:
        raise MeasuredError(f"lists no {what}s, or more than {MOST:,}")
    entries = {entry.name: entry for entry in map(_entry, listed)}
    if len(entries) != len(listed):
        raise MeasuredError(f"lists a {what} twice")
    return entries


@contextmanager
def opened(path: Path) -> Iterator[ResultArchive]:
    """An archive, looked at before anything of it is unpacked.

    Raises:
        MeasuredError: it is damaged, too large, or no archive of runs.
    """
    try:
        _refuse_large_directory(path)
        with zipfile.ZipFile(path) as archive:
            yield ResultArchive(archive)
    # zipfile and zlib have many words for a broken file.
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, struct.error, LookupError) as error:
        raise MeasuredError(f"is cut short or is no archive of runs ({error})", path=path) from error


class ResultArchive:
    """What an archive of runs and records holds; each member is read within its bounds."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        members = archive.infolist()
        self._members = {member.filename: member for member in members}
        if len(members) > 4 * MOST + 1 or len(self._members) != len(members):
            raise MeasuredError("is no archive of runs: too many members, or two of one name")
        for member in members:
            _refuse_odd_member(member)
        self.index = read_index(self._read(INDEX, archives.JSON))

    def voucher(self, entry: Entry) -> bytes:
        """The voucher of a run, as it was sent."""
        return self._read(f"{entry.key}.json", LARGEST)

    def record(self, entry: Entry) -> bytes:
        """A record without its arrays, as it was sent."""
        return self._read(f"{entry.key}.json", archives.JSON)

    def arrays(self, sha: str) -> bytes:
        """The arrays of that hash, packed, as they were sent."""
        return self._read(f"{sha}.npz", archives.ARCHIVE)

    def _read(self, name: str, most: int) -> bytes:
        member = self._members.get(name)
        if member is None:
            raise MeasuredError(f"the archive lacks {name}")
        if member.file_size > most:
            raise MeasuredError(f"{name} would be larger than {most >> 20} MiB")
        try:
            with self._archive.open(member) as stream:
                data = stream.read(member.file_size + 1)  # only at its end is the checksum compared
        except (
            zipfile.BadZipFile,
            zlib.error,
            EOFError,
            RuntimeError,
            OSError,
            ValueError,
            LookupError,
        ) as error:
            raise MeasuredError(f"{name} is damaged ({error})") from error
        if len(data) != member.file_size:
            raise MeasuredError(f"{name} is of another size than the archive says")
        return data


def _zipped(members: Mapping[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name in sorted(members):
            member = zipfile.ZipInfo(name)  # of 1980, whenever it is made
            member.external_attr = 0o644 << 16
            member.create_system = 3
            packed = zipfile.ZIP_STORED if name.endswith(".npz") else zipfile.ZIP_DEFLATED
            archive.writestr(member, members[name], packed, 6)
    return stream.getvalue()


def _entry(found: Any) -> Entry:
    if not isinstance(found, dict) or set(found) != {"name", "key", "arrays"}:
        raise MeasuredError("lists what is no run")
    name = found["name"]
    if (
        not isinstance(name, str)
        or len(name) > LONGEST
        or not (is_hash(found["key"]) and is_hash(found["arrays"]))
    ):
        raise MeasuredError("lists what is no run")
    return Entry(**found)


def _of_archive(found: Any) -> Mapping[str, Any] | None:
    if found is None:
        return None
    if not isinstance(found, dict) or set(found) != {"bytes", "sha256"} or not is_hash(found["sha256"]):
        raise MeasuredError("does not say what its archive is")
    size = found["bytes"]
    if not isinstance(size, int) or isinstance(size, bool) or not 0 < size <= LARGEST_ARCHIVE:
        raise MeasuredError(f"names an archive larger than {LARGEST_ARCHIVE >> 20} MiB, or none")
    return found


def _refuse_large_directory(path: Path) -> None:
    """An archive ends with how long its table of contents is; Python would read it whole, whatever it is."""
    if not path.is_file():
        raise MeasuredError("is no plain file", path=path)
    size = path.stat().st_size
    if size > LARGEST_ARCHIVE:
        raise MeasuredError(f"is larger than {LARGEST_ARCHIVE >> 20} MiB", path=path)
    with path.open("rb") as stream:
        stream.seek(max(0, size - _END.size))
        end = stream.read(_END.size)
    if len(end) < _END.size or not end.startswith(b"PK\x05\x06"):
        raise MeasuredError("is cut short or is no archive of runs", path=path)
    _, _, _, _, _, directory, _, comment = _END.unpack(end)
    if directory > _DIRECTORY or comment:
        raise MeasuredError("has a table of contents as no archive of runs has", path=path)


def _refuse_odd_member(member: zipfile.ZipInfo) -> None:
    name, _, kind = member.filename.partition(".")
    ours = member.filename == INDEX or (is_hash(name) and kind in ("json", "npz"))
    if not ours:
        raise MeasuredError(f"is no archive of runs: it holds {member.filename[:80]!r}")
    if member.flag_bits & 1 or member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise MeasuredError(f"{member.filename} is encrypted, or packed by an unknown method")
