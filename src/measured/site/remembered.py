"""Generated files that need not be generated again: what they were made from is as it was.

An edit of a page changes one notebook of a site, and neither its data nor its pages of code. Whatever
generates files says what it makes them from; what it opens of the project meanwhile is seen. The contents lie
where the last build wrote them, among the woven pages, and are taken from there as long as they are whole.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from measured import files, folders, keeping, unchanged
from measured.errors import MeasuredError
from measured.making import watching
from measured.making.watching import WholeWatch
from measured.mkdocs_yml import is_page

Contents = Iterable[tuple[str, str | bytes]]


@dataclass(frozen=True)
class Remembered:
    """What the last build generated.

    Args:
        root: the project's folder.
        woven: the folder in which contents lie.
        kept: the file that says what they were made from.
        apart: folders of the project that are made, and the engine's.
        state: of all that was measured, code and engine included; empty where nobody knows it, and nothing
            is taken.
    """

    root: Path
    woven: Path
    kept: Path
    apart: tuple[Path, ...] = ()
    state: str = ""
    _now: dict[str, Any] = field(default_factory=dict)

    def files(self, name: str, made_from: Any, generate: Callable[[], Contents]) -> Iterator[Any]:
        """What something generates, now or before.

        Args:
            name: of what generates.
            made_from: what it makes them from, besides what was measured and what it opens: plain data.
            generate: makes them.
        """
        if not self.state:
            yield from generate()
            return
        key = files.sha256(json.dumps([self.state, made_from], sort_keys=True, default=str).encode())
        found = self._found(name, key)
        if found is None:
            watch = watching.begin_with(WholeWatch(self.root, self.apart))
            try:
                with watching.watching_environment(watch):
                    found = [(place, _in_one_form(place, content)) for place, content in generate()]
            finally:
                watching.end(watch)
            hashes = [[place, files.sha256(_as_bytes(content))] for place, content in found]
            self._now[name] = {"key": key, "read": watch.read, "files": hashes}
        yield from found

    def keep(self) -> None:
        """Keep what was generated, and forget what nobody asked for."""
        if self.state and self._now != self._before:
            keeping.write(self.kept, self._now)

    @cached_property
    def _before(self) -> dict[str, Any]:
        return keeping.read(self.kept) or {}

    def _found(self, name: str, key: str) -> list[tuple[str, str | bytes]] | None:
        entry = self._before.get(name)
        if entry is None or entry["key"] != key or not unchanged.is_as_it_was(entry["read"], str(self.root)):
            return None
        contents = []
        for place, sha in entry["files"]:
            try:
                data = folders.inside(self.woven, place).read_bytes()
            except (OSError, MeasuredError):
                return None
            if files.sha256(data) != sha:
                return None
            contents.append((place, _in_one_form(place, data)))
        self._now[name] = entry
        return contents


def _as_bytes(content: str | bytes) -> bytes:
    return content.encode("utf-8") if isinstance(content, str) else content


def _in_one_form(place: str, content: str | bytes) -> str | bytes:
    """Pages as text, all else as bytes, whether it was made now or before."""
    if is_page(place):
        return content if isinstance(content, str) else content.decode("utf-8")
    return _as_bytes(content)
