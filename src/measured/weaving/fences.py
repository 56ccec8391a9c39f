"""What an author may say on the fence of a cell: ```` ```python tags=["hide-input"] timeout=120 ````."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from measured.counting import counted
from measured.errors import MeasuredError
from measured.weaving.page import Fence

LIMIT = 60  # seconds that a cell may take, unless it says timeout=…
TAGS = ("hide-input", "hide-output", "allow-stderr")
# What the renderer itself knows.
RENDERED = ("title", "hl_lines", "linenums")
_SHAPES = {
    "tags": r"\[[^\]]*\]|[\w-]+(?:[ ,]+[\w-]+)*",
    "source": r"[\w.]+:\w+(?:,\w+)*",
    "timeout": r"[1-9]\d{0,5}",
    "alt": r"(?s:.+)",
    "html": "sanitised|as-is",
    "title": r"(?s:.+)",
    "hl_lines": r"\d+(?:-\d+)?(?: +\d+(?:-\d+)?)*",
    "linenums": r"\d+(?: +\d+){0,2}",
}
_EXPECTED = {
    "tags": f"tags={list(TAGS)!r}, or some of them".replace("'", '"'),
    "source": 'source="package.module:name,name"',
    "timeout": "timeout=120, in whole seconds",
    "alt": 'alt="What the picture shows."',
    "html": 'html="sanitised" or html="as-is"',
    "title": 'title="average.py"',
    "hl_lines": 'hl_lines="2 4-5"',
    "linenums": 'linenums="1"',
}
_ATTRIBUTE = re.compile(
    r"""\s*(?:(?P<key>[^\s=]+)=(?P<value>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\[[^\]]*\]|[^\s"'\[\]]+)|(?P<stray>\S+))"""
)


@dataclass(frozen=True)
class CellAttributes:
    """What the fence of a cell says, checked.

    Args:
        tags: of `TAGS`.
        source: `module:name,name`; empty for none.
        timeout: seconds.
        alt: what its pictures show.
        html: how its HTML is shown.
        rendered: what the renderer gets, as written.
        marked: which lines are marked, as written.
    """

    tags: tuple[str, ...] = ()
    source: str = ""
    timeout: int = LIMIT
    alt: str = ""
    html: str = "sanitised"
    rendered: str = ""
    marked: str = ""


def cell_attributes(fence: Fence, path: Path) -> CellAttributes:
    """Read and check what the fence of a cell says.

    Raises:
        MeasuredError: an attribute that nobody knows, or one that cannot be read; with page and line.
    """

    def refuse(problem: str, expected: str) -> MeasuredError:
        return MeasuredError(problem, path=path, line=fence.line, expected=expected, mend="mend the fence")

    said = _said(fence.info, refuse)
    tags = tuple(re.findall(r"[\w-]+", said.get("tags", "")))
    for tag in tags:
        if tag not in TAGS:
            raise refuse(
                f"unknown tag {tag}{_meant(tag, TAGS)}", " or ".join((", ".join(TAGS[:-1]), TAGS[-1]))
            )
    shown = " ".join(f'{key}="{said[key]}"' for key in RENDERED if key in said)
    return CellAttributes(
        tags,
        said.get("source", ""),
        int(said.get("timeout", LIMIT)),
        said.get("alt", ""),
        said.get("html", "sanitised"),
        shown,
        said.get("hl_lines", ""),
    )


def refuse_odd_marks(marked: str, code: str, path: Path, line: int) -> None:
    """Refuse marks on lines that code does not have.

    Args:
        marked: what `hl_lines` says, well-formed: `2 4-5`.
        code: all that is shown.
        path: of the page.
        line: of the fence.

    Raises:
        MeasuredError: a range that counts down, or a line before the first or behind the last.
    """
    count = code.count("\n") + 1
    for first, last in re.findall(r"(\d+)(?:-(\d+))?", marked):
        numbers = [int(first), int(last or first)]
        if numbers != sorted(numbers):
            problem, expected = f"hl_lines={marked!r} counts down", _EXPECTED["hl_lines"]
        elif outside := [number for number in numbers if not 1 <= number <= count]:
            problem = f"hl_lines marks line {outside[0]} of code that has {counted(count, 'line')}"
            expected = "lines of the cell, counted from 1"
        else:
            continue
        raise MeasuredError(problem, path=path, line=line, expected=expected, mend="mend the fence")


def _said(info: str, refuse: Callable[[str, str], MeasuredError]) -> dict[str, str]:
    rest = info.strip().removeprefix("{").removesuffix("}").strip().removeprefix(".").removeprefix("python")
    said: dict[str, str] = {}
    for match in _ATTRIBUTE.finditer(rest):
        if match["stray"]:
            raise refuse(
                f"{match['stray']} on the fence of a cell cannot be read",
                'key="value" for each of ' + ", ".join(_SHAPES),
            )
        key, value = match["key"], _unquoted(match["value"])
        if key not in _SHAPES:
            known = f"one of {', '.join(_SHAPES)}"
            raise refuse(f"a cell has no attribute {key}{_meant(key, tuple(_SHAPES))}", known)
        if key in said:
            raise refuse(f"the cell says {key} twice", f"one {key}")
        if not re.fullmatch(_SHAPES[key], value) or (key == "title" and '"' in value):
            raise refuse(f"{key}={match['value']} cannot be read", _EXPECTED[key])
        if key in ("alt", "title") and re.search(r"\{\{|\{%", value):
            raise refuse(
                f"{key} on the fence of a cell holds a reference, and nothing is woven there", "text"
            )
        said[key] = value
    return said


def _unquoted(value: str) -> str:
    if value[:1] not in "\"'":
        return value
    return re.sub(r"\\(.)", r"\1", value[1:-1])


def _meant(word: str, known: tuple[str, ...]) -> str:
    close = difflib.get_close_matches(word, known, n=1, cutoff=0.5)
    return f"; did you mean {close[0]}?" if close else ""
