"""What the pages of a finished site weigh."""

from __future__ import annotations

import gzip
import zlib
from functools import partial
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser, LexborNode

from measured import keeping
from measured.errors import MeasuredError
from measured.site import claim_rows, ledger

LISTS = (ledger.PAGE, claim_rows.PAGE)
# What makes pages heavy, by what it is for people.
_HEAVY = {
    "svg": "drawings",
    "math": "formulas",
    "table": "tables",
    ".highlight, .cell-output": "code and its output",
    "nav, header, footer": "the theme around the page",
}
_SHOWN = 3


def heaviest(site: Path, budget: int, list_budget: int, kept: Path | None = None) -> int:
    """The bytes of the heaviest page, gzipped.

    Args:
        site: the finished folder.
        budget: how many bytes a page may have that people read.
        list_budget: how many a list may have in which they look things up, one row for each measurement or
            claim.
        kept: where it is kept what pages weighed before.

    Raises:
        MeasuredError: it weighs too much; with what weighs.
    """
    most, answers = 0, keeping.Answers(kept, zlib.ZLIB_RUNTIME_VERSION)
    for path in sorted(site.rglob("*.html"), key=lambda path: path.stat().st_size, reverse=True):
        data = path.read_bytes()
        if len(data) <= min(most, budget):
            break  # compressed they are lighter still
        place = path.relative_to(site)
        key, allowed = ("list_bytes", list_budget) if _is_list(place) else ("page_bytes", budget)
        weight = answers.of(data, "", partial(_weight, data.decode("utf-8")))
        most = max(most, weight)
        if weight > allowed:
            raise MeasuredError(
                f"the page weighs {weight:,} bytes gzipped; {'; '.join(what_weighs(data.decode('utf-8')))}",
                path=place,
                expected=f"at most {allowed:,} ({key} in [tool.measured])",
                mend="make two pages of it, or draw fewer points: thousands of marks are drawn one by one",
            )
    answers.keep()
    return most


def _is_list(place: Path) -> bool:
    stem = place.parent if place.name == "index.html" else place.with_suffix("")
    return f"{stem.as_posix()}.md" in LISTS


def what_weighs(page: str) -> list[str]:
    """The heaviest kinds of things in a page, each with its largest, by what goes without them."""
    whole, found = _weight(page), []
    for selector, words in _HEAVY.items():
        nodes = LexborHTMLParser(page).css(selector)
        if not nodes:
            continue
        weight = whole - _weight(_without(page, selector))
        largest = max(nodes, key=lambda node: len(node.html or ""))
        found.append((weight, f"{words} are {weight:,} of it ({len(nodes)}, the largest: {_name(largest)})"))
    return [words for _, words in sorted(found, reverse=True)[:_SHOWN]]


def _without(page: str, selector: str) -> str:
    tree = LexborHTMLParser(page)
    for node in tree.css(selector):
        node.decompose()
    return tree.html or ""


def _name(node: LexborNode) -> str:
    """What a person may know it by: its label, its id, or its first words."""
    named = (
        node.attributes.get("aria-label") or node.attributes.get("id") or node.text(separator=" ", strip=True)
    )
    return repr(" ".join((named or node.tag or "").split())[:60])


def _weight(page: str) -> int:
    return len(gzip.compress(page.encode("utf-8"), mtime=0))
