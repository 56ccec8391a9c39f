"""Whether a result that was made elsewhere is what would be made here, compared part by part."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from measured import archives, files, folders
from measured.errors import MeasuredError
from measured.making.fingerprint import changes
from measured.making.vouchers import Voucher
from measured.making.watching import read_now

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_SHOWN = 2


def misfit(fingerprint: Mapping[str, str], inputs: Mapping[str, str], root: Path) -> str:
    """In what it was made from something else than it would be made from here; empty where in nothing.

    Args:
        fingerprint: what it was made from, as somebody sent it.
        inputs: what the plan knows before the work.
        root: the project's folder; what was read of it elsewhere is read here, and compared.

    Raises:
        MeasuredError: it names files outside of the project.
    """
    for part in fingerprint:
        _refuse_outside(part, root)
    now = {**read_now(fingerprint, root), **inputs}
    return ", ".join(changes(fingerprint, now)[:_SHOWN])


def refuse_other_arrays(voucher: Voucher, packed: bytes) -> None:
    """Refuse arrays that are not those vouched for, or nothing that this engine packs.

    Raises:
        MeasuredError: they are damaged, or others.
    """
    if files.sha256(packed) != voucher.arrays:
        raise MeasuredError("its arrays are not those that its voucher vouches for")
    archives.unpack_arrays(packed)


def _refuse_outside(part: str, root: Path) -> None:
    kind, _, name = part.partition(" ")
    if kind in ("code", "file") or (kind == "folder" and name != "."):
        path = folders.inside(root, name)
        if kind != "folder" and path.exists() and not path.is_file():
            raise MeasuredError(f"its key names {name[:80]!r}, which is no plain file")
    elif kind == "variable" and not _VARIABLE.fullmatch(name):
        raise MeasuredError(f"its key names the variable {name[:80]!r}")
