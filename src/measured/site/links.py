"""Broken links, told by the page and the line that hold them, which renderers do not name."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path

from measured.errors import MeasuredError
from measured.mkdocs_yml import SiteSettings

# What MkDocs and its fork say of a page whose link leads nowhere.
_SAID = re.compile(r"Doc file '(?P<place>[^']+)' contains an? [a-z ]*link '(?P<link>[^']+)', (?P<why>[^\n]+)")


def told_by_renderer(said: str, settings: SiteSettings) -> MeasuredError | None:
    """The broken links in what a renderer said, as one error; None where it is about something else.

    Args:
        said: what it printed.
        settings: of the site, whose pages are the author's.
    """
    found = list(_SAID.finditer(said))
    if not found:
        return None
    lines = [f"{_where(match['place'], match['link'], settings)}: {match['link']}" for match in found[1:]]
    more = "".join(f"\n  and {line}" for line in lines[:20])
    first = found[0]
    path, line = place_of(first["place"], first["link"], settings)
    return MeasuredError(
        f"the link {first['link']} leads nowhere: {first['why'].removeprefix('but ').rstrip('.')}{more}",
        path=path,
        line=line,
        expected="a page, a file below the folder of pages, or an anchor that is there",
        mend="correct the link; a page names others by their Markdown files: [text](other.md#anchor)",
    )


def with_line(error: MeasuredError, link: str, place: str, settings: SiteSettings) -> MeasuredError:
    """The same error, told of the page that an author wrote and of its line."""
    path, line = place_of(place, link, settings)
    return MeasuredError(error.problem, path=path, line=line, expected=error.expected, mend=error.mend)


def with_lines_of_anchor(
    error: MeasuredError, anchor: str, place: str, settings: SiteSettings
) -> MeasuredError:
    """An error about an anchor, told of the page that an author wrote, with the lines that name it."""
    named = re.compile(rf"(?:#|id=[\"']?){re.escape(anchor)}(?![\w-])(?!\))")
    shown, _ = place_of(place, f"#{anchor}", settings)
    lines = [n for n, line in enumerate(_lines(settings.docs / place), 1) if named.search(line)]
    others = f" (see line {' and line '.join(map(str, lines[:-1]))})" if lines[:-1] else ""
    return MeasuredError(
        error.problem + others,
        path=shown,
        line=lines[-1] if lines else None,
        expected=error.expected,
        mend=error.mend,
    )


def place_of(place: str, link: str, settings: SiteSettings) -> tuple[Path, int | None]:
    """The file of a page, as shown to people, and the line on which it names a link.

    Args:
        place: of the page, among the pages.
        link: as the page or its renderer writes it.
        settings: of the site.
    """
    path = settings.docs / place
    root = settings.path.parent.resolve()
    shown = path.relative_to(root) if path.is_relative_to(root) else path
    lines = _lines(path)
    for written in _as_written(link):
        for number, line in enumerate(lines, 1):
            if written in line:
                return shown, number
    return shown, None


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return []


def _as_written(link: str) -> Iterator[str]:
    """What an author may have typed for an address, the surest first."""
    address, mark, anchor = link.partition("#")
    yield f"({link}"
    yield f'"{link}"'
    yield link
    if mark:
        yield f"#{anchor}"
    stem = posixpath.basename(address.rstrip("/")) or address
    if stem not in ("", ".", ".."):
        yield stem.removesuffix(".html")


def _where(place: str, link: str, settings: SiteSettings) -> str:
    path, line = place_of(place, link, settings)
    return f"{path}:{line}" if line is not None else str(path)
