"""The formulas of pages: found where the renderer marked them, checked before, replaced by MathML after.

`check` reads a page as its author wrote it, and says the line; `render` and `in_title` work on the HTML of
any renderer that marks formulas as pymdownx.arithmatex does when it is told to be generic.
"""

from __future__ import annotations

import html
import re
from itertools import count

from measured.errors import MeasuredError
from measured.weaving.mathml import NUMBERED, as_text, convert, style_sheet
from measured.weaving.page import PageSource

__all__ = ["STYLE", "as_text", "check", "in_title", "mathml", "plain", "render", "style_sheet"]

STYLE = "assets/formulas.css"
"""Where the site keeps the rules that formulas need."""

_FORMULA = re.compile(
    r'<(?P<tag>span|div) class="arithmatex">\s*\\(?P<open>[(\[])(?P<latex>.*?)\\[)\]]\s*</(?P=tag)>', re.S
)
_MATH = re.compile(r"<math\b.*?</math>", re.S)
_NUMBER = f'<mtext class="{NUMBERED}"></mtext>'
_DELIMITERS = re.compile(
    r"\s*(?:\$\$(?P<dollars>.*)\$\$|\\\[(?P<square>.*)\\\]"
    r"|\$(?P<dollar>.*)\$|\\\((?P<round>.*)\\\))\s*",
    re.S,
)


def check(page: PageSource) -> None:
    """Read every formula of a page before anything is rendered.

    Raises:
        MeasuredError: LaTeX that cannot be shown as TeX would show it; with path and line.
    """
    for span in page.spans:
        if span.kind == "formula":
            latex, display = undelimited(span.text)
            try:
                mathml(latex, display)
            except MeasuredError as error:
                before = span.text[: span.text.find(latex.strip())]
                raise MeasuredError(
                    error.problem,
                    path=page.path,
                    line=span.line + before.count("\n") + (error.line or 1) - 1,
                    expected=error.expected,
                    mend=error.mend,
                ) from error


def undelimited(written: str) -> tuple[str, bool]:
    r"""A formula without its `$…$`, `$$…$$`, `\(…\)` or `\[…\]`, and whether it has lines of its own."""
    match = _DELIMITERS.fullmatch(written)
    if match is None:  # \begin{align} … \end{align} stands for itself
        return written, True
    latex = next(text for text in match.groups() if text is not None)
    return latex, match["dollars"] is not None or match["square"] is not None


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
