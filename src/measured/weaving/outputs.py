"""What a cell printed, drew and returned, as Markdown that stays what it is, whatever it holds.

Text is text: it reaches the page escaped, with the last state of a line that was drawn over (progress bars)
and with terminal colours as classes. A table of pandas becomes one of our tables. Markdown stays Markdown if
it keeps to itself. HTML passes a sanitiser, unless its fence says `html="as-is"`. A picture has the words of
its fence's `alt`.
"""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

import lxml.html
import nh3

from measured.errors import MeasuredError
from measured.weaving import mathml
from measured.weaving.renderer import LostCells, Renderer

STYLE = "assets/cells.css"
"""Where the site keeps the rules that outputs need."""

_PICTURES = {"image/svg+xml": "svg", "image/png": "png", "image/jpeg": "jpeg", "image/gif": "gif"}
# What is shown of an output that comes in several forms.
_PREFERRED = ("text/html", "text/markdown", "image/svg+xml", "text/latex", *_PICTURES, "text/plain")

_ESCAPES = re.compile(
    r"(?:\x1b\[|\x9b)(?P<codes>[\d;:]*)m"  # colours
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # other controls: the cursor, clearing
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?"  # titles and links
    r"|\x1b[ -/]+[0-~]"  # sets of characters
    r"|\x1b[@-Z\\^_]?|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x9f]"
)
# A move to another line, or the end of one; what is below is taken away.
_MOVES = re.compile(r"\n|\x1b\[(?P<count>\d*)(?P<way>[ABEF])|(?P<below>\x1b\[0?J)")
_COLOURS = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
_STYLES = {1: "bold", 2: "faint", 3: "italic", 4: "underline", 7: "inverse", 9: "struck"}
_ENDS = {22: ("bold", "faint"), 23: ("italic",), 24: ("underline",), 27: ("inverse",), 29: ("struck",)}

# Headings would enter the page's contents, scripts and frames its reader's browser.
_SEEN = frozenset(
    ("svg", "math", "iframe", "canvas", "video", "audio", "object", "embed", "input", "select", "textarea")
)
_WORDLESS = re.compile(r"!\[\s*\]\(")
_FARTHEST = 1000  # lines that a cursor moves at once
_TAGS = nh3.ALLOWED_TAGS - {"h1", "h2", "h3", "h4", "h5", "h6"}


@dataclass(frozen=True)
class Shown:
    """A cell's outputs, ready for the page: Markdown, and the pictures that it refers to."""

    markdown: str
    pictures: Mapping[str, bytes]


@dataclass(frozen=True)
class Showing:
    """How the outputs of one cell are shown.

    Args:
        name: what its pictures' names begin with.
        prefix: what stands before each line of the cell in its page: the container that it is in.
        box: the element for what the engine writes there.
        alt: what its pictures show, in words.
        html: `sanitised` or `as-is`.
        renderer: the site's Markdown.
        error: makes the error that names the page, the cell and its line.
    """

    name: str
    prefix: str
    box: str
    alt: str
    html: str
    renderer: Renderer
    error: Any

    def show(self, outputs: Sequence[Mapping[str, Any]]) -> Shown:
        """All outputs of the cell, one after the other, each apart."""
        pictures: dict[str, bytes] = {}
        blocks = [block for output in outputs for block in self._blocks(output, pictures)]
        if not blocks:
            return Shown("", pictures)
        return Shown("\n\n".join(blocks) + "\n", pictures)

    def _blocks(self, output: Mapping[str, Any], pictures: dict[str, bytes]) -> Iterator[str]:
        if output["output_type"] == "stream":
            text = last_state(_joined(output["text"]))
            if text.strip():
                yield self._text(text)
            return
        data = output.get("data") or {}
        kind = next((kind for kind in _PREFERRED if kind in data), None)
        if kind is None and not data:
            return
        if kind is None:
            raise self.error(
                f"the cell shows {' and '.join(sorted(data))}, which no page can show",
                "text, HTML, Markdown, LaTeX, or a picture (SVG, PNG, JPEG, GIF)",
            )
        content = _joined(data[kind])
        if kind == "text/plain":
            yield self._text(last_state(content))
        elif kind in _PICTURES:
            yield self._picture(kind, content, pictures)
        elif kind == "text/latex":
            yield self._latex(content)
        elif kind == "text/markdown":
            yield self._markdown(content)
        else:
            table = pandas_table(content)
            yield self._table(table) if table else self._html(content)

    def _text(self, text: str) -> str:
        if self.prefix:
            return self._wrapped(fenced(_ESCAPES.sub("", text), "text"))
        inner = coloured(text.rstrip("\n"))
        pre = f"<pre><span></span><code>{inner}\n</code></pre>"
        return f'<div class="cell-output">\n<div class="highlight">{pre}</div>\n</div>'

    def _wrapped(self, markdown: str) -> str:
        """Markdown in the box of an output; further in, Python-Markdown reads it without being told."""
        reads = "" if self.prefix else ' markdown="1"'
        return f'<{self.box} class="cell-output"{reads}>\n\n{markdown}\n\n</{self.box}>'

    def _picture(self, kind: str, content: str, pictures: dict[str, bytes]) -> str:
        if not self.alt.strip():
            raise self._without_words()
        data = content.encode() if kind == "image/svg+xml" else base64.b64decode(content)
        name = f"{self.name}-{len(pictures)}.{_PICTURES[kind]}"
        pictures[name] = data
        alt = re.sub(r"[\\\[\]`*_<>&$\"{}!|]", lambda match: f"&#{ord(match[0])};", self.alt)
        return self._wrapped(f"![{alt}]({name})")

    def _without_words(self) -> Exception:
        return self.error(
            "the cell shows a picture that has no words for those who do not see it",
            'its alt text on the fence: ```python alt="What the picture shows."',
        )

    def _latex(self, content: str) -> str:
        latex = re.sub(r"^\s*(\$\$?|\\displaystyle\b)+\s*|\s*\$\$?\s*$", "", content)
        latex = re.sub(r"^\\displaystyle\s*", "", latex)
        try:
            mathml.convert(latex.strip(), True)
        except MeasuredError as error:
            raise self.error(error.problem, error.expected, error.mend or "mend the cell") from error
        return self._wrapped(f"$$\n{latex.strip()}\n$$")

    def _markdown(self, content: str) -> str:
        content = content.strip("\n")
        if _WORDLESS.search(content):
            raise self._without_words()
        try:
            if self.renderer.keeps_to_itself(content):
                return self._wrapped(content)
        except LostCells as error:
            raise self.error(
                f"a row of the table that the cell shows has more cells than the table: {error.row[:60]}",
                "as many cells in each row as in the first one",
                r"write \| for a bar that is no edge of a cell",
            ) from error
        return self._html(_rendered(content))

    def _html(self, content: str) -> str:
        if self.prefix:
            raise self.error(
                "the cell shows HTML inside a list, an admonition or a tab",
                "text, a picture or a table there; or the cell at the page's left edge",
            )
        clean = content if self.html == "as-is" else self._sanitised(content)
        inner = _without_fences(_without_blank_lines(clean.strip()))
        return f'<div class="cell-output">\n{inner}\n</div>'

    def _sanitised(self, content: str) -> str:
        """HTML that may stand in any page; what would vanish though a reader would see it is told."""
        lost = sorted({element.tag for element in _elements(content)} & _SEEN)
        if lost:
            raise self.error(
                f"the cell's HTML holds <{lost[0]}>, which the sanitiser takes away",
                'other HTML; or html="as-is" on the fence, which hands it on as it is',
            )
        clean = sanitised(content)
        for picture in (element for element in _elements(clean) if element.tag == "img"):
            if not picture.get("src"):
                raise self.error(
                    "the cell's HTML holds a picture whose address the sanitiser takes away",
                    'a picture that the cell itself shows; or html="as-is" on the fence',
                )
            if picture.get("alt") is None and not self.alt.strip():
                raise self._without_words()
        said = html.escape(self.alt, quote=True)
        return re.sub(r"<img (?![^>]*\balt=)", lambda _: f'<img alt="{said}" ', clean)

    def _table(self, table: list[list[str]]) -> str:
        reads = "" if self.prefix else ' markdown="1"'
        head, *rows = table
        numeric = [all(_is_number(row[i]) for row in rows) and bool(rows) for i in range(len(head))]
        rules = ["---:" if right else ":---" for right in numeric]
        lines = ["| " + " | ".join(_in_cell(cell) for cell in row) + " |" for row in (head, *rows)]
        lines.insert(1, "| " + " | ".join(rules) + " |")
        inner = "\n".join(lines)
        return f'<{self.box} class="cell-output measured-table"{reads}>\n\n{inner}\n\n</{self.box}>'


def _elements(content: str) -> Iterator[Any]:
    tree = lxml.html.fragment_fromstring(content, create_parent="div")
    return (element for element in tree.iter() if isinstance(element.tag, str))


def _without_blank_lines(content: str) -> str:
    """HTML in which no blank line ends what Markdown takes for raw; in `<pre>` they stay what they are."""
    parts = re.split(r"(<pre\b.*?</pre\s*>)", content, flags=re.S | re.I)
    return "".join(
        part.replace("\n", "&#10;") if n % 2 else re.sub(r"\n\s*\n", "\n", part)
        for n, part in enumerate(parts)
    )


def style_sheet() -> str:
    """The rules that outputs need."""
    return (resources.files(__package__) / "cells.css").read_text(encoding="utf-8")


def fenced(code: str, info: str) -> str:
    """Code in a fence that it cannot end."""
    longest = max((len(run) for run in re.findall(r"`+", code)), default=0)
    mark = "`" * max(3, longest + 1)
    return f"{mark}{info}\n{code.rstrip()}\n{mark}"


def last_state(text: str) -> str:
    """Text as a terminal shows it at the end: of a line that was written over, what was written last."""
    return "\n".join(_last_written(line) for line in _lines(text.replace("\r\n", "\n")))


def _lines(text: str) -> list[str]:
    """The lines of a terminal, each with all that was written to it; several bars move up and down."""
    lines, at, position = [""], 0, 0
    for move in _MOVES.finditer(text):
        lines[at] += text[position : move.start()]
        position = move.end()
        if move["below"]:
            lines[at + 1 :] = []
            continue
        count = int(move["count"] or 1)
        at = max(0, at - count) if move["way"] in ("A", "F") else min(at + count, at + _FARTHEST)
        lines += [""] * (at + 1 - len(lines))
        if lines[at]:
            lines[at] += "\r"
    lines[at] += text[position:]
    return lines


def _last_written(line: str) -> str:
    states = [state for state in line.split("\r") if state.strip()]
    line = states[-1] if states else ""
    while "\b" in line:
        before, line = line, re.sub("[^\b]\b|^\b", "", line)
        if line == before:
            break
    return line


def coloured(text: str) -> str:
    """Text as HTML, with a terminal's colours and styles as classes; other controls are dropped."""
    parts: list[str] = []
    style: dict[str, None] = {}
    position = 0
    for match in _ESCAPES.finditer(text):
        parts.append(_styled(text[position : match.start()], style))
        position = match.end()
        if match["codes"] is not None:
            _apply(match["codes"], style)
    return "".join([*parts, _styled(text[position:], style)])


def _styled(text: str, style: Mapping[str, None]) -> str:
    if not text:
        return ""
    escaped = inert(text)
    return f'<span class="{" ".join(style)}">{escaped}</span>' if style else escaped


def inert(text: str) -> str:
    """Text that neither HTML nor whatever reads Markdown before it takes for more than text."""
    return _without_fences(html.escape(text, quote=False))


def _without_fences(text: str) -> str:
    """Fences are looked for before anything else, in raw HTML too."""
    return re.sub(
        r"^([> \t]*)([`~])(?=\2\2)", lambda match: f"{match[1]}&#{ord(match[2])};", text, flags=re.M
    )


def _apply(codes: str, style: dict[str, None]) -> None:
    numbers = [int(code or 0) for code in re.split("[;:]", codes)]
    while numbers:
        code = numbers.pop(0)
        if code == 0:
            style.clear()
        elif code in _STYLES:
            style[f"ansi-{_STYLES[code]}"] = None
        elif code in _ENDS:
            for name in _ENDS[code]:
                style.pop(f"ansi-{name}", None)
        elif code in (38, 48):
            # A palette's number or a mix of three: no class for each of millions, so the text keeps its own.
            del numbers[: 2 if numbers[:1] == [5] else 4]
            _recolour(style, "fg" if code == 38 else "bg", "")
        elif 30 <= code <= 39 or 90 <= code <= 97:
            _recolour(style, "fg", _colour(code % 10 if code != 39 else 9, code >= 90))
        elif 40 <= code <= 49 or 100 <= code <= 107:
            _recolour(style, "bg", _colour(code % 10 if code != 49 else 9, code >= 100))


def _colour(index: int, bright: bool) -> str:
    return "" if index > 7 else f"{'bright-' if bright else ''}{_COLOURS[index]}"


def _recolour(style: dict[str, None], ground: str, colour: str) -> None:
    for name in [name for name in style if name.startswith(f"ansi-{ground}-")]:
        del style[name]
    if colour:
        style[f"ansi-{ground}-{colour}"] = None


def sanitised(content: str) -> str:
    """HTML without scripts, styles, frames, handlers and headings."""
    return nh3.clean(content, tags=_TAGS, link_rel=None)


def pandas_table(content: str) -> list[list[str]] | None:
    """The rows of a table as pandas writes it, the head first; None for other HTML."""
    if 'class="dataframe' not in content:
        return None
    tables = lxml.html.fragment_fromstring(content, create_parent="div").xpath(
        './/table[contains(concat(" ", @class, " "), " dataframe ")]'
    )
    if len(tables) != 1:
        return None
    heads = _grid(tables[0].xpath("./thead/tr"))
    rows = _grid(tables[0].xpath("./tbody/tr"))
    width = max((len(row) for row in (*heads, *rows)), default=0)
    if not width or not heads:
        return None
    heads = [[*row, *[""] * (width - len(row))] for row in heads]
    head = [" · ".join(dict.fromkeys(filter(None, column))) for column in zip(*heads, strict=True)]
    return [head, *([*row, *[""] * (width - len(row))] for row in rows)]


def _grid(rows: Sequence[Any]) -> list[list[str]]:
    """Cells by row and column; one that spans several stands in the first of its rows."""
    grid: list[list[str]] = []
    spanned: dict[int, int] = {}
    for row in rows:
        found: list[str] = []
        for cell in row.xpath("./th|./td"):
            while spanned.get(len(found), 0) > 0:
                spanned[len(found)] -= 1
                found.append("")
            text = " ".join(cell.text_content().split())
            for _ in range(int(cell.get("colspan") or 1)):
                spanned[len(found)] = int(cell.get("rowspan") or 1) - 1
                found.append(text)
        while spanned.get(len(found), 0) > 0:
            spanned[len(found)] -= 1
            found.append("")
        grid.append(found)
    return grid


def _is_number(text: str) -> bool:
    return re.fullmatch(r"[-+−]?[\d.,]+(?:[eE][-+]?\d+)?%?|NaN|nan|inf|-inf|", text) is not None


def _in_cell(text: str) -> str:
    """Text inert in a table of Markdown."""
    return re.sub(r"[^\w\s.,%+−-]|_", lambda match: f"&#{ord(match[0])};", text)


def _rendered(markdown_text: str) -> str:
    import markdown

    return markdown.markdown(markdown_text, extensions=["tables"])


def _joined(content: Any) -> str:
    return content if isinstance(content, str) else "".join(content)
