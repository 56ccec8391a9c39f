"""Take a page apart: front matter, fenced code, references and tags, formulas, and the prose between.

What is found here are candidates: where `{{ … }}` stands, where a fence opens. What each of them is, code or
prose or part of a formula, is decided by the renderer (see `renderer`), which reads the page with a token in
the place of each candidate.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import yaml

from measured import fast_yaml, files
from measured.errors import MeasuredError
from measured.weaving.renderer import (
    END,
    FENCE,
    INLINE,
    RAW,
    STAND_IN,
    TOKEN,
    LostCells,
    Place,
    Reading,
    Renderer,
)

_OF_COLOURING = re.compile(r"""\s(?:title|hl_lines|linenums)=(?:"[^"]*"|'[^']*')""")

Kind = Literal["prose", "fence", "code", "formula", "comment"]

_FENCE = re.compile(r"^(?P<prefix>[> \t]*)(?P<mark>`{3,}|~{3,})(?P<info>[^\n]*)$", re.M)
_PIECE = re.compile(
    r"""
    (?P<comment>\{\#\#.*?\#\#\})
  | (?P<expression>\{\{(?!\{)(?:[^{}"'$`\\\n]|\n(?![ \t]*\n)|"[^"\n]*"|'[^'\n]*')*?\}\})
  | (?P<tag>\{%(?:[^{}%"'`\\\n]|\n(?![ \t]*\n)|"[^"\n]*"|'[^'\n]*'|%(?!\}))*?%\})
  | (?P<stray>\{\{(?!\{)|\{%|\{\#\#)
    """,
    re.S | re.X,
)
_TAG_NAME = re.compile(r"\{%[-+]?\s*(\w*)")
_SNIPPET = re.compile(r"^[ \t]*-+8<-+(?P<inline>[ \t]+\S)?")
_REFERS = re.compile(r"\b[a-z]\w*\.\w|\b(?:given|table|holds|min|max)\s*\(")
_ELEMENT = re.compile(r"[`$]|\]\(")
_BLOCK_CALL = re.compile(r"\{\{[-+]?\s*table\s*\(")
_AMOUNT = re.compile(f"\\d|{RAW}(?P<piece>\\d+){END}")
_LABEL_BEFORE = re.compile(r"^[> \t]*\*?\[[^\]]*$")
_LABEL_AFTER = re.compile(r"[^\[\]]*\]:")
_DEFINED = re.compile(r"[> \t]*\*?\[[^\]]+\]:")
_PAIRS = {"claim": "endclaim", "figure": "endfigure"}
_BLOCKS = {**_PAIRS, "if": "endif"}
# A pass marks the dollars that are money; more passes than this only a page of dollars needs.
_PASSES = 30


@dataclass(frozen=True)
class Span:
    """A stretch of a page, for whoever reads all of it.

    Args:
        kind: what it is; a fence is a whole fenced block with its marks.
        text: as written.
        line: of its first character, counted from 1 in the file.
        info: a fence's info string.
        body: a fence's content, without the indentation of the container that it stands in.
        indent: what stands before a fence on its lines: blanks, or the marks of a quotation.
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
        return language_of(self.info)


@dataclass(frozen=True)
class Piece:
    """Something between `{{ }}`, `{% %}` or `{## ##}`.

    Args:
        number: of its token.
        kind: `expression`, `tag`, `comment`, or `stray`: an opening without its end.
        text: as written.
        start: where it begins in the page's body.
        line: in the file.
        prefix: what stands before it on its line.
        alone: whether nothing but blanks (or the marks of a quotation) shares its lines.
        gaps: whether there is a blank line, or the end of the page, before it and after it.
        place: where the renderer shows it.
        partner: the number of the tag that ends it.
        block: whether it makes blocks of its own, as tables, figures and claims around paragraphs do.
    """

    number: int
    kind: str
    text: str
    start: int
    line: int
    prefix: str
    alone: bool
    gaps: tuple[bool, bool]
    place: Place = field(default_factory=lambda: Place("absent"))
    partner: int | None = None
    block: bool = False

    @property
    def end(self) -> int:
        """Where it ends in the page's body."""
        return self.start + len(self.text)

    @property
    def tag(self) -> str:
        """The word of a tag."""
        return _TAG_NAME.match(self.text)[1] if self.kind == "tag" else ""

    @property
    def is_literal(self) -> bool:
        """Whether it is shown as written: in code and comments, and as the braces of LaTeX."""
        if self.place.kind == "formula":
            refers = self.kind == "expression" and _REFERS.search(self.text) is not None
            return not refers and self.kind != "comment" and self.tag not in (*_PAIRS, *_PAIRS.values())
        return self.place.kind in ("code", "comment")


@dataclass(frozen=True)
class Fence:
    """A fenced block.

    Args:
        number: of its token.
        start: where it begins in the page's body.
        end: where it ends there.
        line: of its first line, in the file.
        prefix: what stands before each of its lines.
        mark: of backticks or tildes.
        info: what follows them.
        body: its content, without the prefix.
        place: where the renderer shows it.
    """

    number: int
    start: int
    end: int
    line: int
    prefix: str
    mark: str
    info: str
    body: str
    place: Place = field(default_factory=lambda: Place("absent"))

    @property
    def language(self) -> str:
        """Its language, the first word of its info string."""
        return language_of(self.info)

    @property
    def is_shown(self) -> bool:
        """Whether the renderer shows it as a block of code."""
        return self.place.kind == "code" and self.place.within("pre")


@dataclass(frozen=True)
class FormulaSource:
    """A formula: where it is, its LaTeX as written, and whether it stands alone."""

    start: int
    end: int
    line: int
    latex: str
    display: bool


@dataclass(frozen=True)
class PageSource:
    """A page as an author wrote it, and as the renderer reads it.

    Args:
        path: for messages.
        meta: its front matter.
        meta_lines: the line of each key of it.
        body: the rest of it, snippets in place.
        lines: the line in the file of each line of the body.
        pieces: references and tags, in order.
        fences: blocks of code, in order.
        formulas: in order.
        money: where a dollar stands that must not open a formula.
        reading: what the renderer made of it.
    """

    path: Path
    meta: dict[str, Any]
    meta_lines: dict[str, int] = field(repr=False)
    body: str = field(repr=False)
    lines: tuple[int, ...] = field(repr=False)
    pieces: tuple[Piece, ...] = field(repr=False)
    fences: tuple[Fence, ...] = field(repr=False)
    formulas: tuple[FormulaSource, ...] = field(repr=False)
    money: tuple[int, ...] = field(repr=False)
    reading: Reading = field(repr=False)

    @property
    def is_notebook(self) -> bool:
        """Whether the front matter declares a Python kernel, nested under `jupyter:` as jupytext wants it."""
        jupyter = self.meta.get("jupyter") or {}
        return (jupyter.get("kernelspec") or {}).get("language") == "python" and "jupytext" in jupyter

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer("\n", self.body))]

    def before_braces(self, piece: Piece) -> bool:
        """Whether the text after a piece holds a brace, up to where another element begins.

        Python-Markdown takes all of it, from the attributes after a link to the last brace, for one list.
        """
        rest = _PIECE.sub("", self.body[piece.end : _line_end(self.body, piece.end)])
        return "}" in _ELEMENT.split(rest, maxsplit=1)[0]

    def line_at(self, position: int) -> int:
        """The line in the file of a position in the body."""
        return self.lines[bisect.bisect_right(self._line_starts, position) - 1]

    @cached_property
    def spans(self) -> tuple[Span, ...]:
        """The body as stretches whose texts add up to it: fences, formulas, comments, and the rest."""
        return tuple(self._spans())

    def _spans(self) -> Iterator[Span]:
        position = 0
        for start, end, kind, fence in sorted(self._stretches(), key=lambda stretch: stretch[0]):
            if start < position:
                continue
            if start > position:
                yield Span("prose", self.body[position:start], self.line_at(position))
            more = {"info": fence.info, "body": fence.body, "indent": fence.prefix} if fence else {}
            yield Span(kind, self.body[start:end], self.line_at(start), **more)
            position = end
        if position < len(self.body):
            yield Span("prose", self.body[position:], self.line_at(position))

    def _stretches(self) -> Iterator[tuple[int, int, Kind, Fence | None]]:
        for fence in self.fences:
            yield fence.start, fence.end, "fence" if fence.is_shown else "comment", fence
        for formula in self.formulas:
            yield formula.start, formula.end, "formula", None
        for piece in self.pieces:
            if piece.kind == "comment" or piece.is_literal:
                yield piece.start, piece.end, "comment", None


def language_of(info: str) -> str:
    """The first word of a fence's info string."""
    return info.split()[0].strip("{}.") if info.split() else ""


def scan(text: str, path: Path, renderer: Renderer | None = None) -> PageSource:
    """Take a page apart.

    Args:
        text: as written.
        path: for messages.
        renderer: the site's Markdown; by default with the extensions that the engine's own pages use.

    Raises:
        MeasuredError: front matter that is no YAML, a fence that is never closed, something that cannot stand
            where it stands.
    """
    renderer = renderer or _usual()
    text = text.removeprefix("\N{BYTE ORDER MARK}").replace("\r\n", "\n").replace("\r", "\n")
    _refuse_tokens(text, path)
    _refuse_appended(renderer)
    meta, keys, body, first_line = _front_matter(text, path)
    body, lines = _with_snippets(body, first_line, renderer)
    return _Scan(path, meta, keys, body, lines, renderer).page()


_USUAL: list[Renderer] = []


def _usual() -> Renderer:
    if not _USUAL:
        _USUAL.append(Renderer())
    return _USUAL[0]


def _refuse_tokens(text: str, path: Path) -> None:
    ours = (RAW, INLINE, FENCE, END, "\ue000", "\ue005", "\ue006", "\ue007")
    stray = next((c for c in ours if c in text), None)
    if stray:
        raise MeasuredError(
            f"the page holds the private-use character U+{ord(stray):04X}",
            path=path,
            line=text.count("\n", 0, text.index(stray)) + 1,
            mend="delete it",
        )


def _refuse_appended(renderer: Renderer) -> None:
    """The renderer itself appends these files to every page, after weaving: nothing in them is woven."""
    for path in renderer.appended_files():
        text = files.read_text(path)
        found = _PIECE.search(text)
        if found:
            root = renderer.root or path.parent
            raise MeasuredError(
                f"{found[0]} stands in a file that is appended to every page, where nothing is woven",
                path=path.relative_to(root) if path.is_relative_to(root) else path,
                line=text.count("\n", 0, found.start()) + 1,
                expected="a reference in a page, or in a file that a page includes",
            )


def _front_matter(text: str, path: Path) -> tuple[dict[str, Any], dict[str, int], str, int]:
    match = re.match(r"---[ \t]*\n(.*?)^---[ \t]*(?:\n|\Z)", text, re.S | re.M)
    if match is None:
        return {}, {}, text, 1
    try:
        meta = fast_yaml.load(match[1]) or {}
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        raise MeasuredError(
            f"the front matter is no YAML: {getattr(error, 'problem', error)}",
            path=path,
            line=mark.line + 2 if mark else 1,
            expected="`key: value` lines between two lines of ---",
            mend='put quotes around a value that holds a colon or begins with {{: title: "One: two"',
        ) from error
    if not isinstance(meta, dict):
        raise MeasuredError(
            "the front matter is not a mapping", path=path, line=1, expected="`key: value` lines"
        )
    keys = {m[1]: text.count("\n", 0, m.start()) + 1 for m in re.finditer(r"^(\w+):", match[0], re.M)}
    return meta, keys, text[match.end() :], text.count("\n", 0, match.end()) + 1


def _with_snippets(body: str, first_line: int, renderer: Renderer) -> tuple[str, tuple[int, ...]]:
    """The body with snippets in place, and the line in the file of each of its lines."""
    written = body.split("\n")
    numbers = range(first_line, first_line + len(written))
    if "8<" not in body:
        return body, tuple(numbers)
    lines: list[str] = []
    origins: list[int] = []
    pending = list(zip(numbers, written, strict=True))
    while pending:
        number, line = pending.pop(0)
        taken, marker = [line], _SNIPPET.match(line)
        if marker and not marker["inline"]:
            while pending and (len(taken) == 1 or not _SNIPPET.match(taken[-1])):
                taken.append(pending.pop(0)[1])
        # A snippet that shows how a snippet is written must not be put in a second time.
        put = [_SNIPPET.sub(r";\g<0>", new) for new in renderer.included(taken)] if marker else taken
        lines += put
        origins += [number] * len(put)
    return "\n".join(lines), tuple(origins) or (first_line,)


class _Scan:
    """The state of taking one page apart."""

    def __init__(self, path, meta, keys, body, lines, renderer) -> None:
        self.path, self.renderer = path, renderer
        nothing = Reading({}, {}, (), (), 0)
        self.source = PageSource(path, meta, keys, body, lines, (), (), (), (), nothing)

    def page(self) -> PageSource:
        pieces, fences = self._candidates()
        pieces = _paired(pieces)
        self.source = replace(self.source, pieces=tuple(pieces), fences=tuple(fences))
        formulas, money, reading = self._read()
        self.source = replace(
            self.source,
            pieces=tuple(self._placed(piece, reading) for piece in pieces),
            fences=tuple(replace(fence, place=reading.fence(fence.number)) for fence in fences),
            formulas=formulas,
            money=money,
            reading=reading,
        )
        for fence in self.source.fences:
            self._check_fence(fence)
            if fence.is_shown and fence.language == "python":
                self._check_output(fence)
        self._check_pairs()
        for piece in self.source.pieces:
            self._check_piece(piece)
        self._check_containers()
        return self.source

    def _error(self, problem: str, line: int, expected: str, mend: str = "") -> MeasuredError:
        return MeasuredError(problem, path=self.path, line=line, expected=expected, mend=mend)

    # Candidates

    def _candidates(self) -> tuple[list[Piece], list[Fence]]:
        body, position = self.source.body, 0
        pieces: list[Piece] = []
        fences: list[Fence] = []
        opening, found = _FENCE.search(body), _PIECE.search(body)
        while opening or found:
            if opening and (found is None or opening.start() <= found.start()):
                fence = self._fence(opening, len(fences))
                position = opening.end()
                if fence is not None:
                    fences.append(fence)
                    position = fence.end
            else:
                pieces.append(self._piece(found, len(pieces)))
                position = found.end()
            if opening and opening.start() < position:
                opening = _FENCE.search(body, position)
            if found and found.start() < position:
                found = _PIECE.search(body, position)
        return pieces, fences

    def _piece(self, match: re.Match[str], number: int) -> Piece:
        body = self.source.body
        prefix = body[body.rfind("\n", 0, match.start()) + 1 : match.start()]
        begin, end = match.start() - len(prefix), _line_end(body, match.end())
        alone = not prefix.strip("> \t") and not body[match.end() : end].strip()
        before = body[body.rfind("\n", 0, max(begin - 1, 0)) + 1 : max(begin - 1, 0)]
        after = body[end + 1 : _line_end(body, end + 1)]
        gaps = not before.strip("> \t"), not after.strip("> \t")
        line = self.source.line_at(match.start())
        return Piece(number, match.lastgroup, match[0], match.start(), line, prefix, alone, gaps)

    def _fence(self, opening: re.Match[str], number: int) -> Fence | None:
        """The block that a fence opens, by the rules of superfences; None where it opens none."""
        mark, info, prefix = opening["mark"], opening["info"].strip(), opening["prefix"]
        if mark[0] == "`" and "`" in info:
            return None
        body, line = self.source.body, self.source.line_at(opening.start())
        width, content = len(prefix.expandtabs(4)), []
        position = opening.end() + 1
        while position <= len(body):
            end = body.find("\n", position)
            end = len(body) if end < 0 else end
            written = body[position:end]
            inner = _dedented(written, width)
            if inner is None:
                raise self._error(
                    f"a line of the code block opened by {mark}{info} is indented less than its fence",
                    self.source.line_at(position),
                    f"every line of it indented like the fence in line {line}",
                )
            if re.fullmatch(rf"{re.escape(mark)}[ \t]*", inner):
                text = "".join(f"{row}\n" for row in content)
                return Fence(number, opening.start(), end, line, prefix, mark, info, text)
            content.append(inner)
            position = end + 1
        raise self._error(
            f"the code block opened by {mark}{info} is never closed", line, f"a line of {mark} after it"
        )

    # The renderer's reading

    def _read(self):
        """Formulas, dollars that are money, and the reading in which they are told apart."""
        money: tuple[int, ...] = ()
        for _ in range(_PASSES):
            probe = _Probe(self.source, money)
            reading = self._reading(probe)
            formulas, more = self._formulas(reading, probe)
            if not more:
                return formulas, money, reading
            money = tuple(sorted({*money, *more}))
        raise self._error(
            "dollars that are money and dollars of formulas cannot be told apart",
            self.source.line_at(money[0]),
            "a backslash before each dollar that is money: \\$",
        )

    def _reading(self, probe: _Probe) -> Reading:
        try:
            return self.renderer.read(f"{probe.text}\n\n{self.renderer.appended()}")
        except LostCells as error:
            at = probe.text.find(error.row)
            raise self._error(
                "a row of the table has more cells than the table has columns, and would lose them",
                self.source.line_at(probe.origin(at)) if at >= 0 else 1,
                "as many cells in each row as in the first one",
                r"where a bar is no edge of a cell, write \vert in a formula, \| in text",
            ) from error

    def _formulas(self, reading: Reading, probe: _Probe) -> tuple[tuple[FormulaSource, ...], list[int]]:
        found: list[FormulaSource] = []
        money: list[int] = []
        after: dict[str, int] = {}
        for formula in reading.formulas:
            latex = formula.latex.replace(INLINE, RAW)
            if not latex.strip():
                continue
            match = _pattern(latex, formula.display).search(probe.text, after.get(latex, 0))
            if match is None:
                continue  # of a snippet that the site appends
            after[latex] = match.end()
            start, end = probe.origin(match.start()), probe.origin(match.end())
            if match["open"] == "$" and self._is_money(probe.text, match):
                money.append(start)
                continue
            source = TOKEN.sub(lambda token: self.source.pieces[int(token[1])].text, formula.latex)
            # A library counts lines from the first one that says something.
            line = self.source.line_at(probe.origin(match.start("first")))
            found.append(FormulaSource(start, end, line, source.strip(), formula.display))
        return tuple(found), money

    def _is_money(self, text: str, match: re.Match[str]) -> bool:
        """Whether the dollars of a match are money: pandoc's rule, and a country before the first one."""
        closes_on_number = self._is_amount(text, match.end())
        begins_with_number = self._is_amount(text, match.start() + 1)
        country = match.start() > 0 and text[match.start() - 1].isupper()
        return closes_on_number or (country and begins_with_number)

    def _is_amount(self, text: str, position: int) -> bool:
        found = _AMOUNT.match(text, position)
        if found is None or found["piece"] is None:
            return found is not None
        return self.source.pieces[int(found["piece"])].kind == "expression"

    def _placed(self, piece: Piece, reading: Reading) -> Piece:
        return replace(piece, place=reading.place(piece.number))

    # What cannot stand where it stands

    def _check_fence(self, fence: Fence) -> None:
        read = fence.place.kind in ("code", "quoted") and fence.place.within("pre")
        if not read and fence.place.kind not in ("comment", "silent"):
            raise self._error(
                f"the renderer does not read {fence.mark}{fence.info} as a block of code",
                fence.line,
                "a fence that starts its line, indented by four for each list, admonition or tab around it",
                "mend its indentation, or what follows the language",
            )

    def _check_output(self, fence: Fence) -> None:
        """A cell's output stands where its code stands."""
        chain = _containers(fence.place)
        while chain[-1:] and chain[-1] in ("code", "pre", "div.highlight"):
            chain = chain[:-1]
        output = self.source.reading.place(output_token(self.source, fence))
        if "pre" in chain or _containers(output) != chain or output.kind not in ("rich", "raw"):
            raise self._error(
                "the output of this cell would leave the list, admonition or tab that the cell stands in",
                fence.line,
                "a blank line before the cell, and four blanks for each list, admonition or tab around it",
                "indent it by four, or mark code that must not run as ```py",
            )

    def _check_pairs(self) -> None:
        """Each tag that opens something is closed, in the order in which they stand."""
        opened: list[Piece] = []
        for piece in self.source.pieces:
            if piece.is_literal:
                continue
            if piece.tag in _BLOCKS:
                opened.append(piece)
            elif piece.tag in _BLOCKS.values():
                if not any(_BLOCKS[one.tag] == piece.tag for one in opened):
                    begins = piece.tag.removeprefix("end")
                    raise self._error(
                        f"{piece.text} closes nothing", piece.line, f"{{% {begins} … %}} before it"
                    )
                if _BLOCKS[opened[-1].tag] != piece.tag:
                    raise self._unclosed(opened[-1], f"before the {piece.text} of line {piece.line}")
                opened.pop()
        if opened:
            raise self._unclosed(opened[-1], "after what it holds")

    def _unclosed(self, piece: Piece, where: str) -> MeasuredError:
        return self._error(
            f"{' '.join(piece.text.split())} opens here and is never closed",
            piece.line,
            f"{{% {_BLOCKS[piece.tag]} %}} {where}",
        )

    def _check_piece(self, piece: Piece) -> None:
        if piece.is_literal or piece.kind == "comment":
            return
        if piece.tag in ("raw", "endraw"):
            raise self._error(
                f"{piece.text} is no tag of a page",
                piece.line,
                "code between backticks, or a fence, which are shown as written",
            )
        if piece.kind == "stray":
            raise self._error(
                f"malformed reference or tag: {piece.text} without its end",
                piece.line,
                "{{ … }}, {% … %} or {## … ##}, or code between backticks",
            )
        if piece.place.kind in ("rich", "text", "absent") and self._is_in_label(piece):
            raise self._error(
                f"{piece.text} stands in a label, by which another place of the page names this one",
                piece.line,
                "a label of letters, digits and hyphens; the reference in the text that it stands for",
            )
        if piece.place.kind == "absent" and piece.kind == "expression" and not self._is_in_definition(piece):
            raise self._error(
                f"{piece.text} comes out nowhere on the page",
                piece.line,
                "a reference in text, in the value of an attribute, or in a formula",
            )
        if piece.place.kind == "rich" and piece.prefix.endswith("\\"):
            raise self._error(
                f"a backslash stands before {piece.text}",
                piece.line,
                "the reference alone; or code between backticks, which is shown as written",
            )
        if piece.place.kind == "silent":
            raise self._error(
                f"{piece.text} stands in <{piece.place.chain[-1]}>, where nothing is woven",
                piece.line,
                "a reference in text, an attribute or a formula",
            )
        if piece.block and piece.place.kind == "raw":
            raise self._error(
                f"{piece.text} stands in raw HTML, where no Markdown is read",
                piece.line,
                "md_in_html among the site's markdown_extensions; the element around it with markdown: "
                "<div markdown>",
            )
        partner = self.source.pieces[piece.partner] if piece.partner is not None else None
        if piece.tag == "figure" and partner is not None and not piece.block:
            raise self._not_alone(piece, "a figure")
        if piece.kind == "expression" and _BLOCK_CALL.match(piece.text) and not piece.block:
            raise self._not_alone(piece, "a table")
        if piece.tag == "claim" and partner is not None:
            self._check_claim(piece, partner)

    def _is_in_label(self, piece: Piece) -> bool:
        """Whether it is part of what the definition of a footnote, a link or an abbreviation defines."""
        rest = self.source.body[piece.end : _line_end(self.source.body, piece.end)]
        return bool(_LABEL_BEFORE.search(piece.prefix) and _LABEL_AFTER.match(rest))

    def _is_in_definition(self, piece: Piece) -> bool:
        """Whether it stands behind a label that nothing on the page names."""
        return _DEFINED.match(piece.prefix) is not None

    def _not_alone(self, piece: Piece, what: str) -> MeasuredError:
        return self._error(
            f"{what} stands in the middle of a line",
            piece.line,
            f"{what} on a line of its own, indented by four for each list, admonition or tab around it",
        )

    def _check_claim(self, opening: Piece, closing: Piece) -> None:
        if "formula" in (opening.place.kind, closing.place.kind):
            raise self._error("a claim stands in a formula", opening.line, "the formula inside the claim")
        if not opening.block and opening.place.block != closing.place.block:
            raise self._error(
                "the claim begins in one paragraph and ends in another",
                opening.line,
                "both tags in one paragraph; or each on a line of its own, around whole paragraphs",
            )
        if not opening.block and opening.place.element != closing.place.element:
            raise self._error(
                "the claim begins inside of bold text, a link or the like, and ends outside, or the reverse",
                opening.line,
                "both tags inside of it, or both outside",
            )

    def _check_containers(self) -> None:
        """Blocks that the engine writes stay in the list, admonition or tab in which an author put them."""
        blocks = [piece for piece in self.source.pieces if piece.block and piece.place.kind != "comment"]
        if not any(piece.prefix or not piece.gaps[0] for piece in blocks):
            return
        bare = _Probe(self.source, self.source.money, blocks=False)
        reading = self._reading(bare)
        for piece in blocks:
            before = reading.place(piece.number)
            if before.kind == "code" == piece.place.kind:
                continue  # shown as written
            meant, became = (_containers(place) for place in (before, piece.place))
            taken_out = piece.prefix and not piece.prefix.strip() and not became[1:]
            if taken_out or became != meant or piece.place.kind == "code":
                what = {"figure": "the figure", "claim": "the claim"}.get(piece.tag, "the table")
                raise self._error(
                    f"{what} would leave the list, admonition or tab that it stands in",
                    piece.line,
                    "a blank line before it, and four blanks for each list, admonition or tab around it",
                )


def _pattern(latex: str, display: bool) -> re.Pattern[str]:
    """A formula as it is written in a page, blanks and the marks of quotations between its words."""
    first, *words = (re.escape(word) for word in latex.split())
    content = r"[\s>]*".join((f"(?P<first>{first})", *words))
    opening, closing = (r"\$\$|\\\[", r"\$\$|\\\]") if display else (r"\$|\\\(", r"\$|\\\)")
    if latex.lstrip().startswith("\\begin"):
        opening, closing = f"{opening}|", f"{closing}|"
    return re.compile(rf"(?P<open>{opening})[\s>]*{content}[\s>]*(?:{closing})")


def _line_end(text: str, position: int) -> int:
    found = text.find("\n", position)
    return found if found >= 0 else len(text)


def _containers(place: Place) -> tuple[str, ...]:
    return tuple(tag for tag in place.chain if tag not in ("p", "section", STAND_IN))


def _dedented(line: str, width: int) -> str | None:
    """A line without the first `width` columns, if they are blanks or marks of a quotation."""
    if not line.strip("> \t"):
        return line.expandtabs(4)[width:] if width else line
    if not width:
        return line
    wide = line.expandtabs(4)
    return wide[width:] if not wide[:width].strip("> ") else None


def _paired(pieces: list[Piece]) -> list[Piece]:
    """Tags with the tags that end them, and which of them make blocks of their own."""
    found, open_tags = list(pieces), []
    for piece in pieces:
        if piece.tag in _PAIRS:
            open_tags.append(piece)
        elif open_tags and piece.tag == _PAIRS[open_tags[-1].tag]:
            opening = open_tags.pop()
            block = _is_block(opening, piece)
            found[opening.number] = replace(opening, partner=piece.number, block=block)
            found[piece.number] = replace(piece, partner=opening.number, block=block)
        elif piece.kind == "expression" and _BLOCK_CALL.match(piece.text) and piece.alone:
            found[piece.number] = replace(piece, block=True)
    return found


def _is_block(opening: Piece, closing: Piece) -> bool:
    starts = not opening.prefix.strip("> \t")
    if opening.tag == "figure":
        return starts
    return opening.alone and closing.alone


class _Probe:
    """A page with tokens in place of its pieces and of the content of its fences."""

    def __init__(self, page: PageSource, money: tuple[int, ...], blocks: bool = True) -> None:
        self.page, self.blocks = page, blocks
        self.parts: list[str] = []
        self.length = 0
        self.marks: list[tuple[int, int]] = []  # where each part starts, here and in the page
        changes = [(p.start, p.end, self._piece(p)) for p in page.pieces]
        changes += [(f.start, f.end, _bare(f) + self._output(f)) for f in page.fences]
        changes += [(m, m, "\\") for m in money]
        position = 0
        for start, end, text in sorted(changes):
            self._add(page.body[position:start], position)
            self._add(text, start)
            position = end
        self._add(page.body[position:], position)
        self.text = "".join(self.parts)

    def _output(self, fence: Fence) -> str:
        """A token in the place of a cell's output."""
        if fence.language != "python":
            return ""
        token = f"{RAW}{output_token(self.page, fence)}{END}"
        element = "section" if fence.prefix else f'{STAND_IN} markdown="1"'
        rows = ("", "", f"<{element}>", "", token, "", f"</{element.split()[0]}>", "")
        return f"\n{fence.prefix}".join(rows)

    def _add(self, text: str, origin: int) -> None:
        self.parts.append(text)
        self.marks.append((self.length, origin))
        self.length += len(text)

    def origin(self, position: int) -> int:
        """Where a position of the probe is in the page."""
        index = bisect.bisect_right(self.marks, (position, len(self.page.body) + 1)) - 1
        here, there = self.marks[index]
        limit = self.marks[index + 1][1] if index + 1 < len(self.marks) else len(self.page.body)
        return min(there + position - here, limit)

    def _piece(self, piece: Piece) -> str:
        token = f"{RAW}{piece.number}{END}"
        if piece.block and self.blocks:
            return block_lines(piece, _skeleton(piece, token))
        if piece.kind == "comment" and piece.alone and len(piece.prefix) < 4:
            return ""
        return token


def output_token(page: PageSource, fence: Fence) -> int:
    """The number of the token in the place of a cell's output."""
    return len(page.pieces) + fence.number


def _skeleton(piece: Piece, token: str) -> list[str]:
    element = "section" if piece.prefix else STAND_IN
    closed = [f"</{element}>", ""]
    if piece.tag == "figure":
        return [*opened(piece, element), "", token]
    if piece.tag == "endfigure":
        return [token, "", *closed]
    if piece.tag == "claim":
        return [*opened(piece, element), "", token, ""]
    if piece.tag == "endclaim":
        return ["", token, "", *closed]
    return [*opened(piece, element), "", token, "", *closed]


def opened(piece: Piece, element: str, attributes: str = "") -> list[str]:
    """Lines that open an element around Markdown where a piece stands.

    At the left edge Python-Markdown wants to be told that there is Markdown in it; further in, it reads the
    tag as part of the text, and its content as usual.
    """
    reads = "" if piece.prefix else ' markdown="1"'
    return ["", f"<{element}{attributes}{reads}>"]


def box_of(piece: Piece) -> str:
    """The element for a box that the engine writes where a piece stands."""
    return piece.place.box if piece.prefix else "div"


def block_lines(piece: Piece, lines: list[str]) -> str:
    """Lines that the engine writes where a piece stands, in the container that the piece stands in.

    Blank lines at their edges join those that an author left: two of them would end a footnote.
    """
    first = 1 if piece.gaps[0] and lines[0] == "" else 0
    last = len(lines) - 1 if piece.gaps[1] and lines[-1] == "" else len(lines)
    return f"\n{piece.prefix}".join(lines[first:last])


def _bare(fence: Fence) -> str:
    """A fence with a token for its content; a cell's attributes are the engine's, not the renderer's.

    What only colouring reads is left out: the reading is made without colours, and refuses it.
    """
    info = "python" if fence.language == "python" else _OF_COLOURING.sub("", fence.info)
    rows = (f"{fence.mark}{info}", f"{FENCE}{fence.number}{END}", fence.mark)
    return "\n".join(fence.prefix + row for row in rows)
