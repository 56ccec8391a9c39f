"""The scripts that stand inline in the installed theme's own templates: the only ones that a page may run.

They are read from the theme's folder as it was installed, by hash, from the lock; a template that a project
puts in a theme template's place adds none. A theme writes a page's way to the site's root into one script;
all such ways are known, so that each script of each page is known, too, before a page is looked at.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path

from measured.errors import MeasuredError

_SCRIPT = re.compile(r"<script>(.*?)</script>", re.S)
_ROOT = re.compile(r"\{\{ (?:config\.extra\.scope \| d\(base_url(?:, true)?\)|base_url) \}\}")
DEEPEST = 12  # folders in which a page may stand


def templates_of(theme: str, renderer: str = "mkdocs") -> Path:
    """The folder of an installed theme.

    Raises:
        MeasuredError: it is not installed.
    """
    if renderer == "zensical":
        spec = find_spec("zensical")
        if spec is not None and spec.origin:
            return Path(spec.origin).parent / "templates"
    for entry in entry_points(group=f"{renderer}.themes", name=theme) or entry_points(
        group="mkdocs.themes", name=theme
    ):
        spec = find_spec(entry.value)
        if spec is not None and spec.submodule_search_locations:
            return Path(next(iter(spec.submodule_search_locations)))
    raise MeasuredError(
        f"the theme {theme} is not installed",
        path="mkdocs.yml",
        mend="install it: the lock of the project names it",
    )


@cache
def scripts(templates: Path, root_path: str = "/") -> frozenset[str]:
    """The text of every script that pages of this theme may hold.

    Args:
        templates: the theme's folder.
        root_path: the path of the site on its host, which its error page names.
    """
    ways = [".", *("/".join([".."] * depth) for depth in range(1, DEEPEST + 1)), root_path]
    ways += [root_path.rstrip("/") or "/"]
    found = set()
    for text in _templates(templates):
        for body in _SCRIPT.findall(text):
            for way in ways:
                filled = _ROOT.sub(lambda match, way=way: way, body)
                if "{{" not in filled and "{%" not in filled:
                    found.add(filled)
    return frozenset(found)


def hashes(texts: Iterable[str]) -> list[str]:
    """As a content policy names them."""
    digests = {hashlib.sha256(text.encode("utf-8")).digest() for text in texts}
    return sorted(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)


def _templates(folder: Path) -> Iterator[str]:
    for where, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name != "assets")
        for name in sorted(names):
            if name.endswith(".html"):
                yield (Path(where) / name).read_text(encoding="utf-8")
