"""The formulas of pages: found where the renderer marked them, checked before, replaced by MathML after.

`check` reads a page as its author wrote it, and says the line; `render` and `in_title` work on the HTML of
any renderer that marks formulas as pymdownx.arithmatex does when it is told to be generic.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from itertools import count
from pathlib import Path

from measured.errors import MeasuredError
from measured.weaving.mathml import NUMBERED, as_text, convert, style_sheet

__all__ = ["STYLE", "as_text", "check", "in_title", "mathml", "plain", "render", "style_sheet", "unbroken"]

STYLE = "assets/formulas.css"
"""Where the site keeps the rules that formulas need."""

_FORMULA = re.compile(
    r'<(?P<tag>span|div) class="arithmatex">\s*\\(?P<open>[(\[])(?P<latex>.*?)\\[)\]]\s*</(?P=tag)>', re.S
)
_MATH = re.compile(r"<math\b.*?</math>", re.S)
_IN_LINE = re.compile(r"""([(“‘]*)(<math\b(?!\s+display=).*?</math>)([.,;:!?)’”]*)""", re.S)
_NUMBER = f'<mtext class="{NUMBERED}"></mtext>'


def unbroken(page: str) -> str:
    """A page whose lines do not end between a formula and the punctuation that belongs to it."""

    def kept(found: re.Match[str]) -> str:
        before, formula, after = found.groups()
        return f'<span class="unbroken">{found[0]}</span>' if before or after else formula

    return _IN_LINE.sub(kept, page)


def check(path: Path, found: Iterable[tuple[int, str, bool]]) -> None:
    """Read every formula of a page before anything is rendered.

    Args:
        path: of the page.
        found: line, LaTeX, and whether it stands alone, of each formula.

    Raises:
        MeasuredError: LaTeX that cannot be shown as TeX would show it; with path and line.
    """
    for line, latex, display in found:
        try:
            mathml(latex, display)
        except MeasuredError as error:
            raise MeasuredError(
                error.problem,
                path=path,
                line=line + (error.line or 1) - 1,
                expected=error.expected,
                mend=error.mend,
            ) from error


def render(page_html: str) -> str:
    """Replace every formula of a page, as the renderer left it, by MathML; number the equations that want it.

    Raises:
        MeasuredError: LaTeX that cannot be shown as TeX would show it.
    """

    def formula(match: re.Match[str]) -> str:
        return convert(html.unescape(match["latex"]), match["open"] == "[")

    numbers = count(1)
    return re.sub(
        re.escape(_NUMBER), lambda _: f"<mtext>({next(numbers)})</mtext>", _FORMULA.sub(formula, page_html)
    )


def in_title(title: str) -> str:
    """A heading as a table of contents shows it, where a formula arrives as bare LaTeX."""
    return re.sub(r"\\\((.+?)\\\)", lambda match: convert(html.unescape(match[1]), False), title)


def plain(page_html: str) -> str:
    """HTML with each formula as text, for what shows no markup: search, titles, descriptions."""
    return _MATH.sub(lambda match: html.escape(as_text(match[0])), page_html)


def mathml(latex: str, display: bool) -> str:
    """One formula as MathML; see `mathml.convert`."""
    return convert(latex, display)
