"""What the engine has left in its folders under names that it gave: only that is ever removed from them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from pathlib import Path

from measured.archives import read_json
from measured.errors import MeasuredError

# A voucher is a JSON file that says under this key what it is called; these files lie beside it.
RECORD = ("experiment", (".taken", ".npz", ".json"))
FIGURE = ("name", (".svg", ".narrow.svg", ".light.svg", ".dark.svg", ".csv", ".json"))
# What a write leaves that was killed before its renaming (see `files.write_bytes`).
_UNFINISHED = re.compile(r"\.[a-z0-9_.]+\.(?:json|npz|svg|csv)\.[a-z0-9_]{8}")


def undeclared(folder: Path, kind: tuple[str, tuple[str, ...]], kept: Collection[Path]) -> Iterator[Path]:
    """Files of ours that nothing declares any more.

    Args:
        folder: of records or of figures.
        kind: `RECORD` or `FIGURE`.
        kept: the files of all that is declared.
    """
    if not folder.is_dir():
        return
    for path in sorted(folder.iterdir()):
        if path.is_symlink() or not path.is_file():
            continue
        if _UNFINISHED.fullmatch(path.name):
            yield path
        elif path.suffix == ".json" and path not in kept and _calls_itself(path, kind[0]) == path.stem:
            beside = [path.with_name(path.stem + suffix) for suffix in kind[1]]
            yield from (p for p in beside if p.is_file() and p not in kept)


def _calls_itself(voucher: Path, key: str) -> object:
    try:
        found = read_json(voucher)
    except MeasuredError:
        return None
    return found.get(key) if isinstance(found, dict) and "fingerprint" in found else None
