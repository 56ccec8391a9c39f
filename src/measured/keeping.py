"""What an earlier build has left to be taken again: as it was written, or not at all.

Outputs of cells, readings and finished pages go from here to readers, so a file that somebody has edited, or
half of one, counts as none. It is compared with its hash before anything of it is looked at.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from measured import archives, files
from measured.errors import MeasuredError

_HEAD = b'{"sha256": "%s", "kept":'
_TAIL = b"\n}\n"


def write(path: Path, data: Any) -> None:
    """Keep plain data."""
    body = json.dumps(data, ensure_ascii=False).encode("utf-8")
    files.write_bytes(path, (_HEAD % files.sha256(body).encode()) + b"\n" + body + _TAIL)


def read(path: Path) -> Any:
    """Plain data that were kept; None where there are none, or others than were written."""
    try:
        head, _, rest = archives.read_bytes(path).partition(b"\n")
        body = rest.removesuffix(_TAIL)
        return json.loads(body) if head == _HEAD % files.sha256(body).encode() else None
    except (MeasuredError, ValueError, RecursionError):
        return None
