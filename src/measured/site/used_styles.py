"""What of a style sheet a site uses: rules for what no page and no script names are left out.

A theme styles whatever a site may have: comments, versions, tabs, sixty colours. A page waits for its style
sheet before it shows a line, so what can never match is not sent. A selector is kept if every class, id and
attribute value in it stands somewhere in a page or in a script; a script that puts a name together from a
beginning and an end keeps all names with that beginning. A name that a script only asks for (`.tabbed-set`)
is none that it makes. Then variables go that nothing reads, and blanks that nobody does.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set

from selectolax.lexbor import LexborHTMLParser

_RULE = re.compile(r"([^{}]*)\{([^{}]*)\}")
_EMPTY = re.compile(r"@(?:media|supports|layer|container)[^{};]*\{\s*\}")
_NESTED = r"\([^()]*\)"
for _ in range(4):  # :is(p:not(:has(a:nth-child(2))))
    _NESTED = rf"\((?:[^()]|{_NESTED})*\)"
# Commas between selectors, not those inside of (…), […] or quotes.
_SELECTOR = re.compile(rf"""(?:[^,()\[\]"']|{_NESTED}|\[[^\]]*\]|"[^"]*"|'[^']*')+""")
# What stands in :is(…), :not(…) or :has(…) may be missing, or need not be there.
_OPTIONAL = re.compile(rf":[\w-]+{_NESTED}")
_NAME = re.compile(r"""[.#]((?:[\w-]|\\.)+)|\[[\w-]+[~|^$*]?=["']?([^"'\]]+)["']?\]""")
LONGEST = 200  # letters that a value may have and still be a name
_UNASKED = frozenset(
    ("d", "x", "y", "width", "height", "points", "transform", "content", "alt", "title", "alttext")
)
_WORD = re.compile(r"(?<![.#\w-])[\w-]+")  # not ".tabbed-set", which is asked for, nor a property
_VARIABLE = re.compile(r"""(?<![\w-])(--[\w-]+)\s*:(?:"[^"]*"|'[^']*'|[^;{}"'])*;?""")
_READ = re.compile(r"--[\w-]+(?!\s*:|[\w-])")
_QUOTED = re.compile(r"""("[^"]*"|'[^']*')""")
# What pages say of themselves, and no script changes.
_OF_PAGES = re.compile(r"""\[dir=["']?([\w-]+)""")
# "model-series" in `model-series${i}`, "md-tag--" in "md-tag--" + kind
_BEGINNING = re.compile(r"""(?<![.#\w-])([\w-]{4,})(?:\$\{|["']\s*[+)])""")


def used(sheet: str, named: Set[str], scripts: Sequence[str], absent: tuple[str, ...] = ()) -> str:
    """The rules of a sheet that can match something.

    Args:
        sheet: the style sheet.
        named: what stands in pages (`names_of`).
        scripts: the text of each script.
        absent: how names begin that no script makes on this site, although it could.
    """
    words = {word for script in scripts for word in _WORD.findall(script)}
    read = {name for text in (*named, *scripts) for name in _READ.findall(text)}
    begun = {word for script in scripts for word in _BEGINNING.findall(script) if not word.isalpha()}
    beginnings = tuple(begun)

    def known(name: str) -> bool:
        made = name in words or name.startswith(beginnings)
        return name in named or (made and not name.startswith(absent))

    def kept(match: re.Match[str]) -> str:
        prelude, body = match.groups()
        if prelude.lstrip().startswith("@"):
            return match[0]
        selectors = [s for s in _SELECTOR.findall(prelude) if all(map(known, _names(s)))]
        selectors = [s for s in selectors if named.issuperset(_OF_PAGES.findall(s))]
        return f"{','.join(selectors)}{{{body}}}" if selectors else ""

    sheet = _RULE.sub(kept, sheet)
    while (smaller := _EMPTY.sub("", _without_unread(sheet, read))) != sheet:
        sheet = smaller
    return _tight(sheet)


def _without_unread(sheet: str, read: Set[str]) -> str:
    """The sheet without variables that neither it nor anything else reads."""
    there = read | set(_READ.findall(sheet))
    return _VARIABLE.sub(lambda match: match[0] if match[1] in there else "", sheet)


def _tight(sheet: str) -> str:
    """The sheet on one line, without blanks around what parts it."""
    parts = _QUOTED.split(sheet)
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r" ?([{};,]) ?", r"\1", re.sub(r"\s+", " ", parts[i])).replace(";}", "}")
    return "".join(parts).strip()


def names_of(tree: LexborHTMLParser) -> set[str]:
    """Classes, ids and values of attributes of a page; the long ones are drawings and sentences."""
    found: set[str] = set()
    for node in tree.root.traverse():
        for name, value in node.attributes.items():
            found.update(_READ.findall(value or ""))
            if value and len(value) <= LONGEST and name not in _UNASKED:
                found.add(value)
                found.update(value.split())
    return found


def _names(selector: str) -> list[str]:
    """Classes, ids and attribute values that must exist for a selector to match."""
    found = _NAME.findall(_OPTIONAL.sub("", selector))
    return [name.replace("\\", "") or value for name, value in found]
