"""One style sheet for a site, with no style that can match nothing on it.

Each style sheet that a page waits for costs a reader on a slow line a journey to the host and back; and a
theme styles whatever a site may have. Pages name one sheet in the place of all that the renderer named.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence, Set
from pathlib import Path
from typing import TYPE_CHECKING

from measured import files, keeping
from measured.errors import MeasuredError
from measured.site import used_styles

if TYPE_CHECKING:
    from measured.site.finish_page import Page

SHEET = "assets/stylesheets/all.css"
SCRIPTS = ("assets/javascripts/**/*.js", "assets/measured/*.js")
_COMMENT = re.compile(r"/\*.*?\*/\s*", re.S)
_SOURCE_MAP = re.compile(r"\s*/\*# sourceMappingURL=.*?\*/")
_URL = re.compile(r"url\((['\"]?)(?!data:|#|https?:|/)([^'\")]+)\1\)")


def sheets_of(page: Page) -> list[str]:
    """The style sheets that a page names, by their places in the site."""
    folder = posixpath.dirname(page.path)
    return [
        posixpath.normpath(posixpath.join(folder, link.attributes["href"] or ""))
        for link in page.tree.css('link[rel="stylesheet"]')
    ]


def join(
    site: Path, sheets: Sequence[str], names: Set[str], kept: Path, absent: tuple[str, ...] = ()
) -> None:
    """Write the one sheet: all of them, in order, less what no page and no script names.

    Args:
        site: the built folder.
        sheets: their places in it.
        names: what pages have that a style may ask for.
        kept: where the sheet of an earlier build is.
        absent: how classes begin that no script makes on this site.

    Raises:
        MeasuredError: a style sheet is missing.
    """
    whole = "\n".join(_part(site, path) for path in sheets)
    whole = whole.replace("table:not([class])", "table.plain")  # tables have a class once they are finished
    found = sorted(path for pattern in SCRIPTS for path in site.glob(pattern) if _draws(path))
    scripts = [path.read_text(encoding="utf-8") for path in found]
    parts = (whole, sorted(names), scripts, absent, files.sha256_of_text(Path(used_styles.__file__)))
    key = files.sha256(repr(parts).encode())
    try:
        stored = keeping.read(kept)
        made = stored["sheet"] if stored["of"] == key else None
    except (KeyError, TypeError):
        made = None
    if made is None:
        made = used_styles.used(whole, names, scripts, absent)
        keeping.write(kept, {"of": key, "sheet": made})
    files.write_text(site / SHEET, made)


def _draws(script: Path) -> bool:
    """Search's own scripts run apart from the page."""
    return not {"workers", "lunr"} & set(script.parts)


def _part(site: Path, path: str) -> str:
    """A style sheet without comments, its addresses as seen from the joined one."""
    try:
        text = (site / path).read_text(encoding="utf-8")
    except OSError as error:
        raise MeasuredError(
            f"extra_css: no file {path}", path="mkdocs.yml", mend="correct the path, or: nox -s build"
        ) from error
    folder, here = posixpath.dirname(path), posixpath.dirname(SHEET)

    def moved(match: re.Match[str]) -> str:
        return f'url("{posixpath.relpath(posixpath.join(folder, match[2]), here)}")'

    return _URL.sub(moved, _COMMENT.sub("", _SOURCE_MAP.sub("", text)))
