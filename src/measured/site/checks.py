"""Checks of a built site: nothing left over that a reader should not see, nothing heavy, no third party."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from pathlib import Path

from measured.errors import MeasuredError
from measured.project import Project
from measured.site import content_policy

_LEFTOVERS = {
    "{{": "an unresolved reference",
    "{%": "an unresolved tag",
    "Traceback (most recent call last)": "a traceback",
    "np.float64": "NumPy's repr",
    "np.float32": "NumPy's repr",
    "$$": "an unrendered formula",
    r"\(": "an unrendered formula",
}
_KEYS = ("pch.", "i18n.")
_KEY = re.compile(rf"\b(?:{'|'.join(map(re.escape, _KEYS))})[a-z]\w+\b")
# Code is shown as written, and a formula keeps its LaTeX, braces and all, as an attribute.
_CODE = re.compile(r"<(pre|code|script|style)\b.*?</\1>|<math\b[^>]*>", re.S)
PAGE_BUDGET = 60_000  # bytes, gzipped


def check(site: Path, project: Project) -> str:
    """Look at every page of a built site.

    Returns:
        One line that says what was looked at.

    Raises:
        MeasuredError: a page shows what no reader should see, or weighs too much.
    """
    pages = sorted(site.rglob("*.html"), key=lambda path: path.stat().st_size, reverse=True)
    if not pages:
        raise MeasuredError("the site has no page", path=site)
    heaviest = 0
    for path in pages:
        data = path.read_bytes()
        for problem in _problems(data.decode("utf-8")):
            raise MeasuredError(problem, path=path.relative_to(site), expected="a page fit for readers")
        if len(data) <= heaviest:
            continue  # compressed it is lighter still
        weight = len(gzip.compress(data, mtime=0))
        heaviest = max(heaviest, weight)
        if weight > PAGE_BUDGET:
            raise MeasuredError(
                f"the page weighs {weight:,} bytes gzipped",
                path=path.relative_to(site),
                expected=f"at most {PAGE_BUDGET:,}",
            )
    for path, url in content_policy.third_parties(site):
        raise MeasuredError(
            f"the site fetches {url} from a third party", path=path, expected="files of the site alone"
        )
    return f"{len(pages)} pages, the heaviest {heaviest:,} bytes gzipped"


def _problems(text: str) -> Iterator[str]:
    if not any(mark in text for mark in (*_LEFTOVERS, *_KEYS)):
        return  # most pages: what is in no text is in no prose
    prose = _CODE.sub("", text)
    for leftover, what in _LEFTOVERS.items():
        if leftover in prose:
            line = text.count("\n", 0, text.find(leftover)) + 1
            yield f"{what} is left in the page near line {line}: {leftover}"
    key = _KEY.search(prose)
    if key:
        yield f"an untranslated key is left in the page: {key[0]}"
