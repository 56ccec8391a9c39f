"""What of a style sheet a site uses: rules for what no page and no script names are left out.

A theme styles whatever a site may have: comments, versions, tabs, sixty colours. A page waits for its style
sheet before it shows a line, so what can never match is not sent. A selector is kept if every class, id and
attribute value in it stands somewhere in a page or in a script; a script that puts a name together from a
beginning and an end keeps all names with that beginning.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_RULE = re.compile(r"([^{}]*)\{([^{}]*)\}")
_EMPTY = re.compile(r"@(?:media|supports|layer|container)[^{};]*\{\s*\}")
# Commas between selectors, not those inside of (…), […] or quotes.
_SELECTOR = re.compile(r"""(?:[^,()\[\]"']|\((?:[^()]|\([^()]*\))*\)|\[[^\]]*\]|"[^"]*"|'[^']*')+""")
# What stands in :is(…), :not(…) or :has(…) may be missing, or need not be there.
_OPTIONAL = re.compile(r":[\w-]+\((?:[^()]|\([^()]*\))*\)")
_NAME = re.compile(r"""[.#]((?:[\w-]|\\.)+)|\[[\w-]+[~|^$*]?=["']?([^"'\]]+)["']?\]""")
_VALUE = re.compile(r"""=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
_WORD = re.compile(r"[\w-]+")
# "model-series" in `model-series${i}`, "md-tag--" in "md-tag--" + kind
_BEGINNING = re.compile(r"""([\w-]{4,})(?:\$\{|["']\s*[+)])""")


def used(sheet: str, pages: Sequence[str], scripts: Sequence[str]) -> str:
    """The rules of a sheet that can match something."""
    names, beginnings = _named(pages, scripts)

    def known(name: str) -> bool:
        return name in names or any(map(name.startswith, beginnings))

    def kept(match: re.Match[str]) -> str:
        prelude, body = match.groups()
        if prelude.lstrip().startswith("@"):
            return match[0]
        selectors = [s for s in _SELECTOR.findall(prelude) if all(map(known, _names(s)))]
        return f"{','.join(selectors)}{{{body}}}" if selectors else ""

    sheet = _RULE.sub(kept, sheet)
    while (smaller := _EMPTY.sub("", sheet)) != sheet:
        sheet = smaller
    return sheet


def _named(pages: Sequence[str], scripts: Sequence[str]) -> tuple[set[str], tuple[str, ...]]:
    values = {value for page in pages for found in set(_VALUE.findall(page)) for value in found}
    names = values | {name for value in values for name in value.split()}
    words = {word for script in scripts for word in _WORD.findall(script)}
    beginnings = {word for script in scripts for word in _BEGINNING.findall(script) if not word.isalpha()}
    return names | words, tuple(beginnings)


def _names(selector: str) -> list[str]:
    """Classes, ids and attribute values that must exist for a selector to match."""
    found = _NAME.findall(_OPTIONAL.sub("", selector))
    return [name.replace("\\", "") or value for name, value in found]
