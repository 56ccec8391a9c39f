"""Weaving: a page and the records in, plain Markdown out. No site generator in it.

References, tables, figures and claims are resolved; code cells are replaced by what `cells` made of
them. The result is Markdown that any generator with Python-Markdown's usual extensions renders.
"""

from __future__ import annotations

import posixpath
import re
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from jinja2 import Environment, StrictUndefined, TemplateSyntaxError, UndefinedError, nodes
from jinja2.ext import Extension

from measured.errors import MeasuredError
from measured.terms.experiment import Cell
from measured.weaving.conditions import refuse_conditions
from measured.weaving.page import PageSource, Span
from measured.weaving.references import Library, Number, Shown

# Private-use characters: no page contains them, no template engine or Markdown parser minds them.
_CUT, _REF, _END = "\ue000", "\ue001", "\ue002"
_CUT_TOKEN = re.compile(f"{_CUT}(\\d+){_END}\n*")
_REF_TOKEN = re.compile(f"{_REF}(\\d+){_END}")
_MERMAID = re.compile(r"^[ \t]*(`{3,}|~{3,})[ \t]*mermaid\b.*?^[ \t]*\1[ \t]*$", re.S | re.M)
_HEADING = re.compile(r"^ {0,3}#{1,6} .*$", re.M)
_ALT = re.compile(r"!\[[^\]]*\]")
_TAG = re.compile(r"<[a-zA-Z/][^<>]*>")
_CLAIM_MARK = re.compile(r"\[\]\([^()]*\)\{ \.claim-mark [^{}]*\}")
_LINK = re.compile(r"(?<!!)\[[^\[\]]*\](?=[(\[])")


@dataclass(frozen=True)
class Picture:
    """What weaving needs of a finished figure: its alt text, and what stands beside it."""

    alt: str
    source: str = ""


@dataclass(frozen=True)
class Woven:
    """A page, woven.

    Args:
        markdown: what the site generator renders, without front matter.
        plain: prose and cells in order, for the notebook that a reader downloads: `(kind, text)`.
        ids: the measurements that the page shows or computes from.
        claims: the claims it makes.
        figures: the figures it shows, in order.
        tables: the tables it shows.
        given: numbers that it states without measuring them, each with the reason.
    """

    markdown: str
    plain: tuple[tuple[str, str], ...]
    ids: tuple[str, ...]
    claims: tuple[str, ...]
    figures: tuple[str, ...]
    tables: tuple[str, ...]
    given: tuple[tuple[str, str], ...] = ()


@dataclass
class Weaver:
    """Weaves the pages of one site.

    Args:
        library: the records.
        pictures: finished figures by name.
        row_page: the page with a row for each measurement, whose anchors are the ids; None for no links.
        data_folder: where tables and figures are published, as pages see it from the site's root.
        claims_must_hold: off for quick records, whose few draws and seeds decide nothing.
    """

    library: Library
    pictures: Mapping[str, Picture] = field(default_factory=dict)
    row_page: str | None = "measurements.md"
    data_folder: str = "data"
    claims_must_hold: bool = True

    def weave(
        self, page: PageSource, cells: Mapping[int, str] | None = None, where: str = "index.md"
    ) -> Woven:
        """Weave one page.

        Args:
            page: as scanned.
            cells: Markdown of each executed cell, by the line of its fence.
            where: the page's place among the pages, with `/`; links are made relative to it.

        Raises:
            MeasuredError: an unknown reference, a format that does not fit, a claim that does not
                hold, malformed template code; with path and line.
        """
        return _Weaving(self, page, cells or {}, where).result()


class _Weaving:
    """The state of weaving one page."""

    def __init__(self, weaver: Weaver, page: PageSource, cells: Mapping[int, str], where: str) -> None:
        self.weaver, self.page, self.cells, self.where = weaver, page, cells, where
        self.cut: list[Span] = []
        self.shown: list[Shown] = []
        self.ids: dict[str, None] = {}
        self.claims: dict[str, None] = {}
        self.figures: dict[str, None] = {}
        self.tables: dict[str, None] = {}
        self.given: dict[tuple[str, str], None] = {}

    def result(self) -> Woven:
        rendered = self._render(self._with_cuts())
        return Woven(
            markdown=self._restore(self._place(rendered), self._cell),
            plain=tuple(self._notebook(self._place(_CLAIM_MARK.sub("", rendered), link=False))),
            ids=tuple(self.ids),
            claims=tuple(self.claims),
            figures=tuple(self.figures),
            tables=tuple(self.tables),
            given=tuple(self.given),
        )

    def _with_cuts(self) -> str:
        """The page with code and formulas cut out, every line where it was."""
        parts = []
        for span in self.page.spans:
            stray = next((c for c in (_CUT, _REF, _END) if c in span.text), None)
            if stray:
                raise MeasuredError(
                    f"the page holds the private-use character U+{ord(stray):04X}",
                    path=self.page.path,
                    line=span.line + span.text[: span.text.index(stray)].count("\n"),
                    mend="delete it",
                )
            if span.kind == "prose" or (span.kind == "fence" and span.language == "mermaid"):
                parts.append(span.text)
            else:
                self.cut.append(span)
                parts.append(f"{_CUT}{len(self.cut) - 1}{_END}" + "\n" * span.text.count("\n"))
        return "".join(parts)

    def _render(self, text: str) -> str:
        first = self.page.spans[0].line if self.page.spans else 1
        environment = _environment(self)
        try:
            template = environment.parse("\n" * (first - 1) + text)
            refuse_conditions(template)
            return environment.from_string(template).render()[first - 1 :]
        except TemplateSyntaxError as error:
            raise self._at(
                MeasuredError(f"malformed reference or tag: {error.message}"), error.lineno
            ) from error
        except UndefinedError as error:
            line = _line_of(error)
            raise self._at(self._undefined(error, line), line) from error
        except MeasuredError as error:
            raise self._at(error, error.line or _line_of(error)) from error
        except (TypeError, ValueError, AttributeError, ArithmeticError, LookupError) as error:
            raise self._at(MeasuredError(f"the expression fails: {error}"), _line_of(error)) from error

    def _undefined(self, error: UndefinedError, line: int | None) -> MeasuredError:
        name = re.search(r"'([^']+)' is undefined", error.message or "")
        if name is None:
            return MeasuredError(f"the expression fails: {error.message}")
        written = self._line_text(line)
        full = re.search(rf"\b{re.escape(name[1])}(\.\w+)*", written)
        return self.weaver.library.unknown(full[0] if full else name[1])

    def _line_text(self, line: int | None) -> str:
        whole = "".join(span.text for span in self.page.spans).split("\n")
        index = (line or 0) - (self.page.spans[0].line if self.page.spans else 1)
        return whole[index] if 0 <= index < len(whole) else ""

    def _at(self, error: MeasuredError, line: int | None) -> MeasuredError:
        return MeasuredError(
            error.problem, path=self.page.path, line=line, expected=error.expected, mend=error.mend
        )

    # What the template may call

    def show(self, value: Any) -> str:
        """Jinja's finalize: every `{{ … }}` passes here."""
        if isinstance(value, _Block):
            return str(value)
        if isinstance(value, StrictUndefined):
            return str(value)  # raises, with the name
        if isinstance(value, Number):
            value = value.shown()
        if not isinstance(value, Shown):
            what = "a group of measurements" if hasattr(value, "_prefix") else f"{value!r}"
            raise MeasuredError(
                f"{{{{ … }}}} yields {what}, which nobody measured",
                expected="a reference to one measurement, or arithmetic on references",
            )
        self.ids.update(dict.fromkeys(value.ids))
        self.shown.append(value)
        return f"{_REF}{len(self.shown) - 1}{_END}"

    def format(self, value: Any, specification: str) -> Shown:
        """The filter `fmt`: another display format."""
        if not isinstance(value, Number):
            raise MeasuredError("the filter fmt stands after something that nobody measured")
        return value.shown(specification)

    def table(self, name: str) -> _Block:
        """One of the records' tables, as Markdown, with a link to its data."""
        tables = self.weaver.library.tables
        if name not in tables:
            raise MeasuredError(
                f"no record has a table {name!r}", expected=f"one of {', '.join(sorted(tables))}"
            )
        self.tables[name] = None
        table = tables[name]
        numeric = [any(isinstance(row[i], Cell) for row in table.rows) for i in range(len(table.columns))]
        rules = ["---:" if is_numeric else ":---" for is_numeric in numeric]
        rows = [table.columns, rules, *([self._table_cell(c) for c in row] for row in table.rows)]
        lines = ["| " + " | ".join(row) + " |" for row in rows]
        link = f"[Data (CSV)]({self.to(f'{self.weaver.data_folder}/tables/{name}.csv')}){{ .data-link }}"
        opening = f'<div class="measured-table" data-table="{name}" markdown="1">'
        return _Block("\n".join(["", opening, "", *lines, "", link, "", "</div>", ""]))

    def _table_cell(self, cell: str | Cell) -> str:
        if isinstance(cell, str):
            return cell
        return self.show(Number.of(self.weaver.library.measurements[cell.id]).shown(cell.format))

    def figure(self, name: str, caption: str, line: int) -> str:
        """`{% figure "name" %}caption{% endfigure %}`: a numbered figure with its alt text and data."""
        pictures = self.weaver.pictures
        if name not in pictures:
            raise MeasuredError(
                f"no figure is called {name!r}",
                line=line,
                expected=f"one of {', '.join(sorted(pictures))}" if pictures else "a figure in build/figures",
                mend="correct the name; or, where it is declared and not drawn yet, run: nox -s build",
            )
        self.figures[name] = None
        number = len(self.figures)
        folder = f"{self.weaver.data_folder}/figures"
        alt = re.sub(r"([\[\]\\])", r"\\\1", " ".join(pictures[name].alt.split()))
        links = [f"[data]({self.to(f'{folder}/{name}.csv')}){{ .data-link }}"]
        if pictures[name].source:
            code = self.to(pictures[name].source)
            links.append(f'[code]({code}){{ .data-link target="_self" }}')
        anchor = "figure-" + re.sub(r"[^a-z0-9]+", "-", name)
        return "\n".join(
            [
                "",
                f'<figure class="measured-figure" id="{anchor}" markdown="1">',
                "",
                f'![{alt}]({self.to(f"{folder}/{name}.light.svg")}){{ data-figure="{name}" }}',
                "",
                '<figcaption markdown="1">',
                f"**Figure {number}.** {' '.join(caption.split())} {' · '.join(links)}",
                "</figcaption>",
                "",
                "</figure>",
                "",
            ]
        )

    def claim(self, name: str, sentence: str, line: int) -> str:
        """`{% claim "name" %}sentence{% endclaim %}`: prose that stands only while its predicate holds."""
        self._stands(name, " ".join(sentence.split()), line)
        mark = ""
        if self.weaver.row_page is not None:
            row = f"{self.to(self.weaver.row_page)}#claim-{name}"
            mark = f'[]({row}){{ .claim-mark data-claim="{name}" aria-label="What this claim rests on" }}'
        return f'<span class="claim" data-claim="{name}">{sentence}{mark}</span>'

    def holds(self, name: str) -> _Block:
        """A claim's id, for markup that is right only while its predicate holds."""
        self._stands(name, "what is marked as right")
        return _Block(name)

    def _stands(self, name: str, said: str, line: int | None = None) -> None:
        found = self.weaver.library.claims.get(name)
        if found is None:
            raise MeasuredError(
                f"no record has a claim {name!r}",
                line=line,
                expected="the id of a claim that an experiment declares",
                mend="correct the id; or, where it is declared and its record is missing, run: nox -s build",
            )
        if self.weaver.claims_must_hold and not found.holds:
            saw = ", ".join(f"{k} = {v}" for k, v in found.saw.items())
            state = f"cannot be decided ({found.undecidable})" if found.undecidable else "is false"
            raise MeasuredError(
                f"the claim {name} {state}: {said!r}",
                line=line,
                expected=f"{found.words}; it saw {saw or 'nothing'}",
                mend="change the sentence to what was measured, or mend the experiment",
            )
        self.claims[name] = None

    def give(self, text: str, reason: str = "") -> Shown:
        """A number that nobody measures, and why it may stand: `{{ given("12", "the length") }}`."""
        if not isinstance(text, str) or not isinstance(reason, str) or not text.strip() or not reason.strip():
            raise MeasuredError(
                "a given number states no reason",
                expected="""the number as text, and why it may stand: {{ given("12", "its reason") }}""",
            )
        self.given[text, reason] = None
        return Shown(text, text, (), "given")

    def to(self, target: str) -> str:
        """A path from this page to another place in the site."""
        return posixpath.relpath(target, posixpath.dirname(self.where) or ".")

    # From tokens to text

    def _place(self, text: str, link: bool = True) -> str:
        """Each value in the form that its surroundings bear: a link in prose, plain in alt text."""
        for pattern, form in (
            (_MERMAID, self._in_mermaid),
            (_ALT, self._in_text),
            (_TAG, self._in_text),
            (_HEADING, self._in_data if link else self._in_text),
            (_LINK, self._in_data if link else self._in_text),
        ):
            text = pattern.sub(lambda match, form=form: self._tokens(match[0], form), text)
        return self._tokens(text, self._in_prose if link else self._in_text)

    def _tokens(self, text: str, form: Callable[[Shown], str]) -> str:
        return _REF_TOKEN.sub(lambda match: form(self.shown[int(match[1])]), text)

    def _in_mermaid(self, shown: Shown) -> str:
        return re.sub(r"[^\w\s.,%+−-]", lambda m: f"#{ord(m[0])};", shown.text)

    def _in_text(self, shown: Shown) -> str:
        return escape(shown.text)

    def _in_data(self, shown: Shown) -> str:
        """Six digits are enough for a script that sorts a table; the full value is on the ledger."""
        value = f"{shown.value:.6g}" if isinstance(shown.value, float) else str(shown.value)
        return f'<data value="{escape(value)}">{escape(shown.text)}</data>'

    def _in_prose(self, shown: Shown) -> str:
        if not shown.ids or self.weaver.row_page is None:
            return self._in_data(shown).replace("<data", f'<data class="{shown.kind}"', 1)
        target = f"{self.to(self.weaver.row_page)}#{shown.ids[0]}"
        others = f' data-ids="{" ".join(shown.ids)}"' if shown.kind == "derived" else ""
        return f"[{self._in_data(shown)}]({target}){{ .measured{others} }}"

    def _restore(self, text: str, form: Callable[[Span], str]) -> str:
        def put_back(match: re.Match[str]) -> str:
            span = self.cut[int(match[1])]
            padding = match[0][match[0].index(_END) + 1 :]
            return form(span) + padding[span.text.count("\n") :]

        return _CUT_TOKEN.sub(put_back, text)

    def _cell(self, span: Span) -> str:
        return self.cells.get(span.line, span.text) if span.kind == "fence" else span.text

    def _notebook(self, text: str) -> list[tuple[str, str]]:
        pieces: list[tuple[str, str]] = []
        mark = "\ue003"
        pieces_text = self._restore(
            text, lambda s: f"{mark}{s.line}{mark}" if s.kind == "fence" and s.line in self.cells else s.text
        )
        for index, piece in enumerate(pieces_text.split(mark)):
            if index % 2:
                pieces.append(("cell", piece))
            elif piece.strip():
                pieces.append(("prose", piece.strip("\n")))
        return pieces


class _Block(str):
    """Markdown that the engine made itself, so that it needs no display format."""


class _Tags(Extension):
    """`{% claim "id" %}…{% endclaim %}` and `{% figure "name" %}…{% endfigure %}`."""

    tags = frozenset({"claim", "figure"})

    def parse(self, parser: Any) -> nodes.Node:
        token = next(parser.stream)
        name = parser.parse_expression()
        body = parser.parse_statements([f"name:end{token.value}"], drop_needle=True)
        call = self.call_method("_made", [nodes.Const(token.value), name, nodes.Const(token.lineno)])
        return nodes.CallBlock(call, [], [], body).set_lineno(token.lineno)

    def _made(self, tag: str, name: str, line: int, caller: Callable[[], str]) -> str:
        return getattr(self.environment.globals["_weaving"], tag)(name, caller(), line)


def escape(text: str) -> str:
    """Text that comes from a measurement, inert in HTML and in Markdown."""
    if re.fullmatch(r"[\w\s.,%+−-]*", text) and "_" not in text:
        return text
    return re.sub(r"([\\`*_{}\[\]()#!|~$^=:@/\"'<>&])", lambda m: f"&#{ord(m[0])};", text)


def _environment(weaving: _Weaving) -> Environment:
    environment = Environment(
        undefined=StrictUndefined,
        comment_start_string="{##",
        comment_end_string="##}",
        keep_trailing_newline=True,
        finalize=weaving.show,
        extensions=[_Tags],
        autoescape=False,
    )
    environment.globals.clear()
    environment.globals.update(weaving.weaver.library.names())
    environment.globals.update(
        {
            "_weaving": weaving,
            "table": weaving.table,
            "given": weaving.give,
            "holds": weaving.holds,
            "min": _least,
            "max": _largest,
        }
    )
    environment.filters = {"fmt": weaving.format, "abs": abs}
    return environment


def _least(*numbers: Number) -> Number:
    return _picked(min(numbers, key=lambda n: n.value), numbers)


def _largest(*numbers: Number) -> Number:
    return _picked(max(numbers, key=lambda n: n.value), numbers)


def _picked(chosen: Number, among: tuple[Number, ...]) -> Number:
    """The chosen number; it depends on all that it was chosen among."""
    ids = dict.fromkeys((*chosen.ids, *(i for number in among for i in number.ids)))
    return Number(chosen.value, tuple(ids), "derived", chosen.format)


def _line_of(error: BaseException) -> int | None:
    """The template line where the error was raised."""
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == "<template>"]
    return lines[-1] if lines else None
