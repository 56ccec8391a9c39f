"""Formulas rendered when the site is built: LaTeX in, MathML out, nothing for the browser to load."""

from __future__ import annotations

import html
import re
from functools import lru_cache

from measured.errors import MeasuredError
from measured.weaving.page import PageSource

# What pymdownx.arithmatex leaves in the page when it is told to be generic.
_FORMULA = re.compile(
    r'<(?P<tag>span|div) class="arithmatex">\\(?P<open>[(\[])(?P<latex>.*?)\\[)\]]</(?P=tag)>', re.S
)

# `\\mathrm{softmax}` arrives letter by letter; one word is one identifier, for eyes and for screen readers.
_UPRIGHT = re.compile(r'(?:<mi mathvariant="normal">\w</mi>){2,}')


def check(page: PageSource) -> None:
    """Read every formula of a page before anything is rendered.

    Raises:
        MeasuredError: LaTeX that cannot be read; with path and line.
    """
    for span in page.spans:
        if span.kind == "formula":
            try:
                mathml(span.text.strip("$").strip(), span.text.startswith("$$"))
            except MeasuredError as error:
                raise MeasuredError(
                    error.problem, path=page.path, line=span.line, expected=error.expected
                ) from error


def render(page_html: str) -> str:
    """Replace every formula of a page, as Python-Markdown left it, by MathML.

    Raises:
        MeasuredError: LaTeX that cannot be read.
    """

    def formula(match: re.Match[str]) -> str:
        return mathml(html.unescape(match["latex"]).strip(), match["open"] == "[")

    return _FORMULA.sub(formula, page_html)


def in_title(title: str) -> str:
    """A heading as a table of contents shows it, where a formula arrives as bare LaTeX."""
    return re.sub(r"\\\((.+?)\\\)", lambda match: mathml(html.unescape(match[1]).strip(), False), title)


@lru_cache(maxsize=4096)
def mathml(latex: str, display: bool) -> str:
    """One formula as MathML that keeps its LaTeX as `alttext`.

    Raises:
        MeasuredError: LaTeX that cannot be read.
    """
    from latex2mathml.converter import convert

    bare = re.sub(r"\\[\\{}]", "", latex)
    if bare.count("{") != bare.count("}"):
        raise MeasuredError(f"the formula {latex!r} has a brace without its partner")
    try:
        markup = convert(latex, display="block" if display else "inline")
    except Exception as error:  # the library raises many kinds, without a common one
        raise MeasuredError(
            f"the formula {latex!r} cannot be read: {type(error).__name__} {error}",
            expected="LaTeX that latex2mathml knows",
        ) from error
    unread = re.search(r"<mi>\\(\w+)</mi>|<mtext>\\(\w+)</mtext>", markup)
    if unread:
        raise MeasuredError(
            f"the formula {latex!r} uses \\{unread[1] or unread[2]}, which latex2mathml does not know"
        )
    markup = _UPRIGHT.sub(lambda run: f"<mi>{re.sub('<[^>]+>', '', run[0])}</mi>", markup)
    annotated = f'<math alttext="{html.escape(latex, quote=True)}"'
    return markup.replace("<math", annotated, 1).replace(' xmlns="http://www.w3.org/1998/Math/MathML"', "", 1)
