"""What an author leaves out of search stays marked until the index is written.

Markdown gives an attribute without a value its own name as its value, and Material's search takes attributes
of that form out of the page before the engine reads it. With an empty value the mark outlives both.
"""

from __future__ import annotations

import re

_MARK = re.compile(r"^([ \t]*<[a-z][^>\n]*?\sdata-search-exclude)(?=[\s>])", re.M)


def with_lasting_marks(markdown: str) -> str:
    """A woven page, with an empty value at each `data-search-exclude` that has none."""
    return _MARK.sub(r'\1=""', markdown)
