"""Take a page apart: front matter, fenced code, inline code, formulas, comments, and the prose between.

Weaving touches prose alone. Code stays as written, and so do LaTeX's braces, because both are cut out
before the template engine sees the page and put back after it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import yaml

from measured import fast_yaml
from measured.errors import MeasuredError

Kind = Literal["prose", "fence", "code", "formula", "comment"]

_FENCE = re.compile(r"^(?P<indent>[ \t]*)(?P<mark>`{3,}|~{3,})(?P<info>[^`\n]*)$", re.M)
_INLINE = re.compile(
    r"""
    (?P<comment><!--.*?-->)
  | (?P<code>(?<![\\`])(?P<ticks>`+)(?!`)(?:(?!\n[ \t]*\n).)+?(?<!`)(?P=ticks)(?!`))
  | (?P<display>(?<!\\)\$\$(?:(?!\n[ \t]*\n).)+?\$\$)
  | (?P<formula>(?<![\\$])\$(?![\s$])(?:(?!\n[ \t]*\n)(?:\\.|[^$\\]))+?(?<!\s)\$(?![\d$]))
    """,
    re.S | re.X,
)
_ATTRIBUTE = re.compile(r"""(?P<key>[a-zA-Z_][\w-]*)=(?P<value>"[^"]*"|'[^']*'|\[[^\]]*\]|[^\s]+)""")


@dataclass(frozen=True)
class Span:
    """A piece of a page.

    Args:
        kind: what it is; a fence is a whole fenced block with its marks.
        text: as written.
        line: of its first character, counted from 1 in the file.
        info: a fence's info string.
        body: a fence's content.
        indent: the blanks before a fence.
    """

    kind: Kind
    text: str
    line: int
    info: str = ""
    body: str = ""
    indent: str = ""

    @property
    def language(self) -> str:
        """A fence's language, the first word of its info string."""
        return self.info.split()[0].strip("{}.") if self.info.split() else ""

    @property
    def attributes(self) -> dict[str, str]:
        """A fence's `key=value` pairs, as text without quotes."""
        return {m["key"]: m["value"].strip("\"'") for m in _ATTRIBUTE.finditer(self.info)}


@dataclass(frozen=True)
class PageSource:
    """A page as an author wrote it.

    Args:
        path: for messages.
        meta: its front matter.
        spans: the rest of it, in order; their texts add up to it.
    """

    path: Path
    meta: dict[str, Any]
    spans: tuple[Span, ...] = field(repr=False)

    @property
    def is_notebook(self) -> bool:
        """Whether the front matter declares a Python kernel, nested under `jupyter:` as jupytext wants it."""
        jupyter = self.meta.get("jupyter") or {}
        return (jupyter.get("kernelspec") or {}).get("language") == "python" and "jupytext" in jupyter


def scan(text: str, path: Path) -> PageSource:
    """Take a page apart.

    Raises:
        MeasuredError: front matter that is no YAML, a fence that is never closed.
    """
    meta, body, first_line = _front_matter(text.replace("\r\n", "\n"), path)
    return PageSource(path, meta, tuple(_spans(body, first_line, path)))


def _front_matter(text: str, path: Path) -> tuple[dict[str, Any], str, int]:
    match = re.match(r"---[ \t]*\n(.*?)^---[ \t]*\n", text, re.S | re.M)
    if match is None:
        return {}, text, 1
    try:
        meta = fast_yaml.load(match[1]) or {}
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        raise MeasuredError(
            f"the front matter is no YAML: {getattr(error, 'problem', error)}",
            path=path,
            line=mark.line + 2 if mark else 1,
            expected="`key: value` lines between two lines of ---",
        ) from error
    if not isinstance(meta, dict):
        raise MeasuredError(
            "the front matter is not a mapping", path=path, line=1, expected="`key: value` lines"
        )
    return meta, text[match.end() :], text.count("\n", 0, match.end()) + 1


def _spans(body: str, line: int, path: Path) -> Iterator[Span]:
    position = 0
    while (opening := _FENCE.search(body, position)) is not None:
        yield from _inline(body[position : opening.start()], line)
        line += body.count("\n", position, opening.start())
        closing = _closing(body, opening, line, path)
        text = body[opening.start() : closing.end()]
        content = body[opening.end() + 1 : closing.start()]
        yield Span("fence", text, line, opening["info"].strip(), content, opening["indent"])
        line += text.count("\n")
        position = closing.end()
    yield from _inline(body[position:], line)


def _closing(body: str, opening: re.Match[str], line: int, path: Path) -> re.Match[str]:
    mark = opening["mark"]
    pattern = re.compile(rf"^[ \t]*{re.escape(mark[0])}{{{len(mark)},}}[ \t]*$", re.M)
    closing = pattern.search(body, opening.end())
    if closing is None:
        raise MeasuredError(
            f"the code block opened by {mark}{opening['info']} is never closed",
            path=path,
            line=line,
            expected=f"a line of {mark} after it",
        )
    return closing


def _inline(text: str, line: int) -> Iterator[Span]:
    position = 0
    for match in _INLINE.finditer(text):
        if match.start() > position:
            yield Span("prose", text[position : match.start()], line + text.count("\n", 0, position))
        kind = {"display": "formula", "ticks": "code"}.get(match.lastgroup, match.lastgroup)
        if match["code"] is not None:
            kind = "code"
        yield Span(kind, match[0], line + text.count("\n", 0, match.start()))
        position = match.end()
    if position < len(text):
        yield Span("prose", text[position:], line + text.count("\n", 0, position))
