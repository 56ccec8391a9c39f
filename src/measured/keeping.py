"""What an earlier build has left to be taken again: as it was written, or not at all.

Outputs of cells, readings and finished pages go from here to readers, so a file that somebody has edited, or
half of one, counts as none. It is compared with its hash before anything of it is looked at.
"""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

from measured import files, vouched_json

LARGEST = 1 << 26  # bytes of one file


def write(path: Path, data: Any) -> None:
    """Keep plain data."""
    files.write_bytes(path, vouched_json.as_bytes(data))


def read(path: Path) -> Any:
    """Plain data that were kept; None where there are none, or others than were written."""
    try:
        return vouched_json.data_of(_bytes_of(path))
    except OSError:
        return None


class Answers:
    """What was found out of contents before, by their hashes: whatever is as it was has the same answer.

    Args:
        path: where answers are kept; None to keep none.
        key: of whatever decides over the answers besides the contents, the code that gives them included.
    """

    def __init__(self, path: Path | None = None, key: str = "") -> None:
        self._path, self._key = path, key
        found = read(path) if path is not None else None
        known = found if isinstance(found, dict) and found.get("key") == key else {}
        self._before: dict[str, Any] = known.get("answers", {})
        self._now: dict[str, Any] = {}

    def of(self, content: bytes, how: str, answer: Callable[[], Any]) -> Any:
        """The answer for a content; None is asked again.

        Args:
            content: what it is about.
            how: what else it depends on.
            answer: finds it out.
        """
        name = f"{files.sha256(content)} {how}"
        found = self._before.get(name)
        found = answer() if found is None else found
        if found is not None:
            self._now[name] = found
        return found

    def keep(self) -> None:
        """Keep the answers that were asked for, for the next time."""
        if self._path is not None and self._now != self._before:
            write(self._path, {"key": self._key, "answers": self._now})


def _bytes_of(path: Path) -> bytes:
    """Of a plain file within bounds: a pipe would be waited for. To ask `archives` would import NumPy."""
    found = path.stat()
    if not stat.S_ISREG(found.st_mode) or found.st_size > LARGEST:
        return b""
    with path.open("rb") as stream:
        return stream.read(LARGEST)
