"""What an earlier build has left to be taken again: as it was written, or not at all.

Outputs of cells, readings and finished pages go from here to readers, so a file that somebody has edited, or
half of one, counts as none. It is compared with its hash before anything of it is looked at.
"""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

from measured import files

LARGEST = 1 << 26  # bytes of one file

_HEAD = b'{"sha256": "%s", "kept":'
_TAIL = b"\n}\n"


def write(path: Path, data: Any) -> None:
    """Keep plain data."""
    body = json.dumps(data, ensure_ascii=False).encode("utf-8")
    files.write_bytes(path, (_HEAD % files.sha256(body).encode()) + b"\n" + body + _TAIL)


def read(path: Path) -> Any:
    """Plain data that were kept; None where there are none, or others than were written."""
    try:
        head, _, rest = _bytes_of(path).partition(b"\n")
        body = rest.removesuffix(_TAIL)
        return json.loads(body) if head == _HEAD % files.sha256(body).encode() else None
    except (OSError, ValueError, RecursionError):
        return None


def _bytes_of(path: Path) -> bytes:
    """Of a plain file within bounds: a pipe would be waited for. To ask `archives` would import NumPy."""
    found = path.stat()
    if not stat.S_ISREG(found.st_mode) or found.st_size > LARGEST:
        return b""
    with path.open("rb") as stream:
        return stream.read(LARGEST)
