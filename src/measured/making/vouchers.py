"""What stands beside a run's arrays: what they were made from, what they are, and on which machine.

A voucher is written where the run was made, and read wherever its arrays are taken to. So nothing in it is
believed before its form was looked at.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from measured import archives, files
from measured.errors import MeasuredError
from measured.making.fingerprint import Fingerprint, digest

LARGEST = 1 << 20  # bytes of one voucher
LONGEST = 300  # characters of a part's name, and of a text about a machine
MOST = 4096  # parts, or entries of one kind
READ = ("code", "file", "folder", "variable")  # parts that are read from the project
TAKEN = b'"taken": true'  # stands in the file of a voucher whose arrays were taken over
_KNOWN = ("module", "package", "parameters", "python", "settings", *READ)
_KEYS = {"fingerprint", "arrays_sha256", "environment", "taken", archives.SEAL}
_TEXTS, _TABLES = ("python", "system", "machine"), ("versions", "settings")
_MACHINE = {*_TEXTS, *_TABLES, "cpu_features"}


@dataclass(frozen=True)
class Voucher:
    """What vouches for the arrays of one run.

    Args:
        fingerprint: what they were made from.
        arrays: their hash, packed.
        environment: Python, versions, CPU class and settings of the process that made them; None where an
            earlier engine did not write it down.
        taken: whether they were made elsewhere and taken over.
    """

    fingerprint: Fingerprint
    arrays: str
    environment: Mapping[str, Any] | None = None
    taken: bool = False

    @property
    def key(self) -> str:
        """What is known of the fingerprint before the work, as one hash."""
        return key_of(self.fingerprint)

    def as_bytes(self) -> bytes:
        """As it is stored."""
        data: dict[str, Any] = {"fingerprint": dict(self.fingerprint), "arrays_sha256": self.arrays}
        if self.environment is not None:
            data["environment"] = dict(self.environment)
        if self.taken:
            data["taken"] = True
        return files.json_bytes(archives.sealed(data))

    @classmethod
    def read(cls, path: Path) -> Voucher:
        """A voucher from its file.

        Raises:
            MeasuredError: it is absent, or none of ours.
        """
        try:
            return cls.parse(archives.read_bytes(path, LARGEST))
        except MeasuredError as error:
            raise MeasuredError(error.problem, path=path) from error

    @classmethod
    def parse(cls, data: bytes) -> Voucher:
        """A voucher from bytes that anybody may have sent.

        Raises:
            MeasuredError: it has another form, other values than of their kinds, or another seal.
        """
        if len(data) > LARGEST:
            raise MeasuredError(f"is larger than {LARGEST >> 20} MiB")
        found = archives.parse_json(data)
        if (
            not isinstance(found, dict)
            or set(found) - _KEYS
            or not {"fingerprint", "arrays_sha256"} <= set(found)
        ):
            raise MeasuredError("is no voucher of a run")
        if not archives.is_sealed(found, data):
            raise MeasuredError("was changed since it was written")
        fingerprint, arrays = found["fingerprint"], found["arrays_sha256"]
        _refuse_no_texts(fingerprint, "fingerprint")
        if any(part.partition(" ")[0] not in _KNOWN for part in fingerprint) or not is_hash(arrays):
            raise MeasuredError("is no voucher of a run of this engine")
        environment, taken = found.get("environment"), found.get("taken", False)
        if environment is not None:
            refuse_odd_machine(environment, fingerprint)
        if not isinstance(taken, bool):
            raise MeasuredError("is no voucher of a run of this engine")
        return cls(fingerprint, arrays, environment, taken)


def key_of(fingerprint: Mapping[str, str]) -> str:
    """What is known before the work, as one hash: code, parameters, versions, settings."""
    return digest({part: sha for part, sha in fingerprint.items() if part.partition(" ")[0] not in READ})


def is_hash(text: object) -> bool:
    """Whether it is the SHA-256 of something, as it is written everywhere here."""
    return isinstance(text, str) and len(text) == 64 and set(text) <= set("0123456789abcdef")


def refuse_odd_machine(found: Any, fingerprint: Mapping[str, str]) -> None:
    """Refuse what no process says of itself, or another one than the key does.

    Raises:
        MeasuredError: says what is odd.
    """
    if not isinstance(found, dict) or set(found) != _MACHINE:
        raise MeasuredError("describes no machine")
    for name in _TABLES:
        _refuse_no_texts(found[name], name)
    _refuse_no_texts({name: found[name] for name in _TEXTS}, "machine")
    features = found["cpu_features"]
    if not isinstance(features, list):
        raise MeasuredError("describes no machine")
    _refuse_no_texts(dict.fromkeys(map(str, features), ""), "cpu_features")
    said = {f"package {name}": version for name, version in found["versions"].items()}
    keyed = {part: version for part, version in fingerprint.items() if part.startswith("package ")}
    if said != keyed or not fingerprint.get("python", "").endswith(f" {found['python']}"):
        raise MeasuredError("says that it was made with other versions than its key does")


def _refuse_no_texts(found: Any, what: str) -> None:
    if not isinstance(found, dict) or len(found) > MOST:
        raise MeasuredError(f"has no {what} as this engine writes one")
    for text in (*found, *found.values()):
        if not isinstance(text, str) or len(text) > LONGEST:
            raise MeasuredError(f"has no {what} as this engine writes one")
