"""Weaving: a page and the records in, plain Markdown out. No site generator in it.

References, tables, figures and claims are resolved; code cells are replaced by what `cells` made of
them. The result is Markdown that any generator with Python-Markdown's usual extensions renders.
"""

from __future__ import annotations

import difflib
import posixpath
import re
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from jinja2 import StrictUndefined, TemplateSyntaxError, UndefinedError, nodes
from jinja2.ext import Extension
from jinja2.sandbox import SecurityError

from measured.errors import MeasuredError
from measured.terms.claims import Judgement
from measured.terms.experiment import Cell
from measured.weaving.conditions import refuse_conditions
from measured.weaving.conditions_shown import with_conditions
from measured.weaving.page import Fence, PageSource, Piece, block_lines, box_of, opened
from measured.weaving.promises import unsupported
from measured.weaving.references import Library, Number, Shown, UnknownReference, meant
from measured.weaving.renderer import END, HEADINGS
from measured.weaving.sandbox import Sandbox
from measured.weaving.unsearched import with_lasting_marks

# Private-use characters of the weaver's own, beside those of the renderer's tokens: a stretch that is cut
# out, something that the template made, the place of a cell in a notebook, and both ends of a diagram.
_CUT, _MADE, _CELL, _DRAWN = "\ue000", "\ue005", "\ue006", "\ue007"
_CUT_TOKEN = re.compile(f"{_CUT}(\\d+){END}\n*")
_DIAGRAM_TOKENS = re.compile(f"{_DRAWN}(\\d+){END}(.*?){_DRAWN}", re.S)
_REFERENCE = re.compile(
    r"\{\{ *(?P<name>[a-z]\w*(?:\.\w+)+) *"
    r"""(?:\| *fmt\((?P<quote>["'])(?P<format>[^"'\\\n]*)(?P=quote)\) *)?\}\}"""
)
_OF_PROSE = ("claim", "endclaim", "figure", "endfigure")
_CLAIM = re.compile(r"""\{%[-+]?\s*claim\s+["']([^"']+)["']""")
_MADE_TOKEN = re.compile(f"{_MADE}(\\d+){END}")
_UNMEASURED = "Nothing that was measured here decides this sentence"
_UNDECIDED = "What was measured here does not decide this sentence"
# Where a link would stand in a link, or in something that is pressed.
_NO_LINKS = (*HEADINGS, "a", "button", "label")


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
        meta: its front matter, references in its texts resolved.
        formulas: its formulas with their values: line, LaTeX, whether it stands alone.
        diagrams: its diagrams with their values: line of the fence, text.
        given: numbers that it states without measuring them, each with the reason.
    """

    markdown: str
    plain: tuple[tuple[str, str], ...]
    meta: Mapping[str, Any]
    formulas: tuple[tuple[int, str, bool], ...]
    diagrams: tuple[tuple[int, str], ...]
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
        shows_gaps: whether a page says in the place of what is not there what would make it; for quick pages
            and for previews.
        false_parts: says, by the id of a claim that does not hold, which parts of it are false.
    """

    library: Library
    pictures: Mapping[str, Picture] = field(default_factory=dict)
    row_page: str | None = "measurements.md"
    data_folder: str = "data"
    claims_must_hold: bool = True
    shows_gaps: bool = False
    false_parts: Callable[[str], Iterable[str]] = lambda _: ()

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

    def refuse_claims(self, page: PageSource) -> None:
        """Look at the claims of a page before its cells are executed: what is false is known by then.

        Raises:
            MeasuredError: one is unknown, does not hold, failed on fresh seeds, or could not fail; with path
                and line.
        """
        for piece in page.pieces:
            named = _CLAIM.match(piece.text) if piece.tag == "claim" and not piece.is_literal else None
            if named is None or piece.partner is None:
                continue
            said = " ".join(page.body[piece.end : page.pieces[piece.partner].start].split())
            try:
                self.judgement(named[1], said, piece.line)
            except MeasuredError as error:
                raise MeasuredError(
                    error.problem, path=page.path, line=error.line, expected=error.expected, mend=error.mend
                ) from error

    def judgement(self, name: str, said: str, line: int | None) -> Judgement | None:
        """What became of a claim; None where a page may show the gap.

        Raises:
            MeasuredError: no record has it, it does not hold, failed on fresh seeds, or could not fail.
        """
        found = self.library.claims.get(name)
        if found is None and self.shows_gaps:
            return None
        if found is None:
            raise MeasuredError(
                f"no record has a claim {name!r}",
                line=line,
                expected=meant(name, self.library.claims, "the id of a claim that an experiment declares"),
                mend="correct the id; or, where it is declared and its record is missing, run: nox -s build",
            )
        older = (
            "; or, where it was mended since it was measured, run: nox -s build" if self.shows_gaps else ""
        )
        if self.claims_must_hold and not found.holds:
            saw = ", ".join(f"{k} = {v}" for k, v in found.saw.items())
            state = f"cannot be decided ({found.undecidable})" if found.undecidable else "is false"
            parts = "".join(f"\n    {part}" for part in self.false_parts(name))
            raise MeasuredError(
                f"the claim {name} {state}: {said!r}{parts}",
                line=line,
                expected=f"{found.words}; it saw {saw or 'nothing'}",
                mend=f"change the sentence to what was measured, or mend the experiment{older}",
            )
        fresh = self.library.confirmed.get(name)
        if self.claims_must_hold and fresh is not None and fresh.says_too_much:
            raise MeasuredError(
                f"the claim {name} says more than fresh seeds support: {said!r}",
                line=line,
                expected=f"a claim that stands on its fresh seeds; this one is {fresh.in_words()}",
                mend="claim what they support, with a trial of its own; say on the page that it was reworded",
            )
        if self.claims_must_hold and found.vacuous:
            raise MeasuredError(
                f"the claim {name} could not fail: {said!r}",
                line=line,
                expected="a claim that is false in each world where its sentence is",
                mend=found.vacuous[0] + older,
            )
        return found


class _Weaving:
    """The state of weaving one page."""

    def __init__(self, weaver: Weaver, page: PageSource, cells: Mapping[int, str], where: str) -> None:
        self.weaver, self.page, self.cells, self.where = weaver, page, cells, where
        self.cut: list[_Cut] = []
        self.made: list[_Made] = []
        self.ids: dict[str, None] = {}
        self.claims: dict[str, None] = {}
        self.figures: dict[str, int] = {}
        self.tables: dict[str, None] = {}
        self.given: dict[tuple[str, str], None] = {}
        self.in_formulas: dict[int, str] = {}
        self.absent: list[tuple[int, int]] = []  # captions of figures that are not there yet
        self.plain = False
        # Nothing is set, repeated or left out on this page: a name means what it means anywhere.
        self.needs_no_engine = all(p.tag in _OF_PROSE or p.is_literal for p in page.pieces if p.kind == "tag")

    def result(self) -> Woven:
        meta = {key: self._woven_meta(key, value) for key, value in self.page.meta.items()}
        rendered = self._render(self._template(), self.page.lines)
        markdown = self._restore(self._expand(rendered), self._cell)
        scopes = {name: self.weaver.library.claims[name].scope for name in self.claims}
        markdown = with_lasting_marks(with_conditions(markdown, scopes, self._mark))
        drawn = tuple(self._drawn(match) for match in _DIAGRAM_TOKENS.finditer(markdown))
        self.plain = True
        return Woven(
            markdown=_DIAGRAM_TOKENS.sub(r"\2", markdown),
            diagrams=drawn,
            plain=tuple(self._notebook(self._expand(rendered))),
            meta=meta,
            formulas=tuple(self._formulas()),
            ids=tuple(self.ids),
            claims=tuple(self.claims),
            figures=tuple(self.figures),
            tables=tuple(self.tables),
            given=tuple(self.given),
        )

    # The template

    def _template(self) -> str:
        """The page as a template: what must stay as written cut out, every line where it was."""
        body, parts, position = self.page.body, [], 0
        changes = [(f.start, f.end, f) for f in self.page.fences]
        inside = [(f.start, f.end) for f in self.page.fences if not _is_diagram(f)]
        changes += [(p.start, p.end, p) for p in self.page.pieces if not _is_within(p.start, inside)]
        changes += [(m, m, None) for m in self.page.money]
        for start, end, change in sorted(changes, key=lambda c: c[:2]):
            if start < position:
                continue
            parts.append(body[position:start])
            position = end
            if isinstance(change, Piece) and parts[-1].endswith("{"):
                parts[-1:] = [parts[-1][:-1], self._cut("{")]  # or the template would begin there
            if change is None:
                parts.append("\\")
            elif isinstance(change, Piece):
                parts.append(self._cut(change.text) if change.is_literal else self._called(change))
            elif _is_diagram(change):
                parts.append(self._diagram(change))
            else:
                parts.append(self._cut(body[start:end], change))
        return "".join([*parts, body[position:]])

    def _called(self, piece: Piece) -> str:
        """A piece as the template engine gets it; most are one reference, which needs no engine."""
        found = _REFERENCE.fullmatch(piece.text) if self.needs_no_engine else None
        number = self.weaver.library.find(found["name"]) if found else None
        if number is None:
            return _called(piece)
        try:
            value = number if found["format"] is None else number.shown(found["format"])
            return self.at(piece.number, value)
        except MeasuredError as error:
            raise self._at(error, piece.line) from error

    def _cut(self, text: str, fence: Fence | None = None) -> str:
        self.cut.append(_Cut(text, fence))
        return f"{_CUT}{len(self.cut) - 1}{END}" + "\n" * text.count("\n")

    def _diagram(self, fence: Fence) -> str:
        """A diagram's references are woven; the rest of its text means nothing to the template."""
        text = self.page.body[fence.start : fence.end]
        parts, position = [], 0
        for match in re.finditer(r"\{\{.*?\}\}|\{%.*?%\}|\{##.*?##\}", text, re.S):
            parts += [self._cut(text[position : match.start()]), _called_in_diagram(match[0])]
            position = match.end()
        number = self.page.fences.index(fence)
        return "".join([f"{_DRAWN}{number}{END}", *parts, self._cut(text[position:]), _DRAWN])

    def _drawn(self, match: re.Match[str]) -> tuple[int, str]:
        """A diagram's line, and what stands between the lines of its fence."""
        fence = self.page.fences[int(match[1])]
        rows = match[2].split("\n")[1:-1]
        return fence.line, "\n".join(row.expandtabs(4)[len(fence.prefix.expandtabs(4)) :] for row in rows)

    def _render(self, text: str, lines: Sequence[int]) -> str:
        environment = _environment(self)

        def line(number: int | None) -> int | None:
            return lines[min(number, len(lines)) - 1] if number else None

        try:
            template = environment.parse(text)
            refuse_conditions(template)
            return environment.from_string(template).render()
        except TemplateSyntaxError as error:
            raise self._at(_malformed(error), line(error.lineno)) from error
        except UndefinedError as error:
            written = text.split("\n")[(_line_of(error) or 1) - 1]
            raise self._at(self._undefined(error, written), line(_line_of(error))) from error
        except SecurityError as error:
            problem = f"the expression reaches for what is no measurement: {error}"
            raise self._at(
                MeasuredError(problem, expected="references, and arithmetic on them"), line(_line_of(error))
            ) from error
        except UnknownReference as error:
            written = text.split("\n")[(_line_of(error) or 1) - 1]
            raise self._at(self._unknown(error.name, written), line(_line_of(error))) from error
        except MeasuredError as error:
            raise self._at(error, line(error.line or _line_of(error))) from error
        except (TypeError, ValueError, AttributeError, ArithmeticError, LookupError) as error:
            raise self._at(MeasuredError(f"the expression fails: {error}"), line(_line_of(error))) from error

    def _undefined(self, error: UndefinedError, written: str) -> MeasuredError:
        name = re.search(r"'([^']+)' is undefined", error.message or "")
        if name is None:
            return MeasuredError(f"the expression fails: {error.message}")
        return self._unknown(name[1], written)

    def _unknown(self, name: str, written: str) -> MeasuredError:
        """The error for a reference as it stands in the page: what fails may be its beginning."""
        full = re.search(rf"\b{re.escape(name)}(\.\w+)*", written)
        return self.weaver.library.unknown(full[0] if full else name)

    def _at(self, error: MeasuredError, line: int | None) -> MeasuredError:
        return MeasuredError(
            error.problem, path=self.page.path, line=line, expected=error.expected, mend=error.mend
        )

    def _woven_meta(self, key: str, value: Any) -> Any:
        """The front matter's texts may refer to measurements; a title shows the bare value."""
        if not isinstance(value, str) or not re.search(r"\{\{|\{%|\{##", value):
            return value
        line, first = self.page.meta_lines.get(key, 1), len(self.made)
        pieces = re.sub(r"\{\{.*?\}\}", lambda match: _called_in_diagram(match[0]), value, flags=re.S)
        rendered = "" if "{%" in value else self._render(pieces, [line] * (value.count("\n") + 1))
        if "{%" in value or any(not isinstance(made.value, Shown) for made in self.made[first:]):
            raise self._at(
                MeasuredError(
                    f"{key} in the front matter holds text and references alone",
                    expected="{{ … }} with the id of a measurement",
                ),
                line,
            )
        return _MADE_TOKEN.sub(lambda match: self.made[int(match[1])].value.text, rendered)

    # What the template may call

    def at(self, number: int, value: Any) -> str:
        """Every `{{ … }}` passes here, with the number of its piece."""
        if isinstance(value, StrictUndefined):
            return str(value)  # raises, with the name
        if isinstance(value, Number):
            value = value.shown()
        if not isinstance(value, Shown | _Table | _Block | _Gap):
            what = "a group of measurements" if hasattr(value, "_prefix") else f"{value!r}"[:200]
            raise MeasuredError(
                f"{{{{ … }}}} yields {what}, which nobody measured",
                expected="a reference to one measurement, or arithmetic on references",
            )
        if isinstance(value, Shown):
            self.ids.update(dict.fromkeys(value.ids))
        return self._make(number, value)

    def _make(self, number: int, value: Any) -> str:
        self.made.append(_Made(number, value))
        return f"{_MADE}{len(self.made) - 1}{END}"

    def format(self, value: Any, specification: str) -> Shown:
        """The filter `fmt`: another display format."""
        if not isinstance(value, Number):
            raise MeasuredError("the filter fmt stands after something that nobody measured")
        return value.shown(specification)

    def table(self, name: str) -> _Table | _Gap:
        """One of the records' tables."""
        tables = self.weaver.library.tables
        if name not in tables and self.weaver.shows_gaps:
            return _Gap(f"Table {name}")
        if name not in tables:
            raise MeasuredError(
                f"no record has a table {name!r}",
                expected=meant(name, tables, "a table that an experiment declares"),
                mend="correct the name; or, where its record is missing, run: nox -s build",
            )
        self.tables[name] = None
        rows = [[self._table_cell(cell) for cell in row] for row in tables[name].rows]
        return _Table(name, rows)

    def _table_cell(self, cell: str | Cell) -> str | Shown:
        if isinstance(cell, str):
            return cell
        shown = Number.of(self.weaver.library.measurements[cell.id]).shown(cell.format)
        self.ids.update(dict.fromkeys(shown.ids))
        return shown

    def figure(self, number: int, name: str, caption: str, line: int) -> str:
        """`{% figure "name" %}caption{% endfigure %}`: a numbered figure with its alt text and data."""
        pictures = self.weaver.pictures
        if name not in pictures and self.weaver.shows_gaps:
            opening = self.page.pieces[number]
            self.absent.append((opening.start, self.page.pieces[opening.partner].start))
            return self._make(number, _Gap(f"Figure {name}"))
        if name not in pictures:
            raise MeasuredError(
                f"no figure is called {name!r}",
                line=line,
                expected=meant(name, pictures, "a figure in build/figures"),
                mend="correct the name; or, where it is declared and not drawn yet, run: nox -s build",
            )
        if ">" in self.page.pieces[number].prefix:
            caption = re.sub(r"^[> \t]+", "", caption, flags=re.M)  # the marks of the quotation around it
        counted = self.figures.setdefault(name, len(self.figures) + 1)
        before = sum(isinstance(one.value, _Figure) and one.value.name == name for one in self.made)
        return self._make(number, _Figure(name, counted, " ".join(caption.split()), before))

    def claim(self, number: int, name: str, sentence: str, line: int) -> str:
        """`{% claim "name" %}sentence{% endclaim %}`: prose that stands only while its predicate holds."""
        said = _MADE_TOKEN.sub(lambda match: _words(self.made[int(match[1])].value), sentence)
        self._stands(name, " ".join(said.split()), line)
        return self._make(number, _ClaimStart(name)) + sentence + self._make(number, _ClaimEnd(name))

    def holds(self, name: str) -> _Block:
        """A claim's id, for markup that is right only while its predicate holds."""
        self._stands(name, "what is marked as right")
        return _Block(name)

    def _stands(self, name: str, said: str, line: int | None = None) -> None:
        found = self.weaver.judgement(name, said, line)
        if found is None:
            return
        promised = unsupported(said, found, self.weaver.library.measurements)
        if self.weaver.claims_must_hold and promised:
            raise MeasuredError(
                f"the sentence of claim {name} says more than was measured: {promised}: {said!r}",
                line=line,
                expected=found.words,
                mend="say what the predicate asks for, or ask for what the sentence says",
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

    # From tokens to text: each in the form that fits the place where the renderer shows it

    def _expand(self, text: str) -> str:
        return _MADE_TOKEN.sub(lambda match: self._text_of(self.made[int(match[1])]), text)

    def _text_of(self, made: _Made) -> str:
        value = made.value
        if made.number == _DIAGRAM:
            return _in_diagram(_words(value))
        piece = self.page.pieces[made.number]
        if isinstance(value, Shown):
            return self._shown(value, piece)
        if isinstance(value, _Table):
            return block_lines(piece, self._table_lines(value, piece))
        if isinstance(value, _Figure):
            closing = self.page.pieces[piece.partner]
            whole = replace(piece, gaps=(piece.gaps[0], closing.gaps[1]))
            return block_lines(whole, self._figure_lines(value, piece))
        if isinstance(value, _Gap):
            return block_lines(piece, _gap_lines(value, piece))
        if isinstance(value, _ClaimStart):
            return self._claim_start(value.name, piece)
        if isinstance(value, _ClaimEnd):
            return self._claim_end(value.name, self.page.pieces[piece.partner], piece)
        return str(value)

    def _shown(self, shown: Shown, piece: Piece) -> str:
        place = piece.place
        if place.kind == "formula":
            return self.in_formulas.setdefault(piece.number, in_formula(shown))
        if self.plain or place.kind in ("text", "absent") or place.within("svg", "math"):
            return escape(shown.text)
        if place.kind == "raw" or self.page.before_braces(piece):
            return self._in_data(shown, shown.kind)
        if place.within(*_NO_LINKS):
            return self._in_data(shown)
        return self._in_prose(shown)

    def _in_data(self, shown: Shown, kind: str = "") -> str:
        """Six digits are enough for a script that sorts a table; the full value is on the ledger."""
        value = f"{shown.value:.6g}" if isinstance(shown.value, float) else str(shown.value)
        marked = f' class="{kind}"' if kind else ""
        return f'<data{marked} value="{escape(value)}">{escape(shown.text)}</data>'

    def _in_prose(self, shown: Shown) -> str:
        if not shown.ids or self.weaver.row_page is None:
            return self._in_data(shown, shown.kind)
        target = f"{self.to(self.weaver.row_page)}#{shown.ids[0]}"
        others = f' data-ids="{" ".join(shown.ids)}"' if shown.kind == "derived" else ""
        return f"[{self._in_data(shown)}]({target}){{ .measured{others} }}"

    def _table_lines(self, made: _Table, piece: Piece) -> list[str]:
        table = self.weaver.library.tables[made.name]
        numeric = [any(isinstance(row[i], Cell) for row in table.rows) for i in range(len(table.columns))]
        rules = ["---:" if is_numeric else ":---" for is_numeric in numeric]
        in_cell = escape if self.plain else None
        cells = [
            [c if isinstance(c, str) else in_cell(c.text) if in_cell else self._in_prose(c) for c in row]
            for row in made.rows
        ]
        rows = ["| " + " | ".join(row) + " |" for row in (table.columns, rules, *cells)]
        data = self.to(f"{self.weaver.data_folder}/tables/{made.name}.csv")
        opening = opened(piece, box_of(piece), f' class="measured-table" data-table="{made.name}"')
        return [
            *opening,
            "",
            *rows,
            "",
            f"[Data (CSV)]({data}){{ .data-link }}",
            "",
            f"</{box_of(piece)}>",
            "",
        ]

    def _figure_lines(self, made: _Figure, piece: Piece) -> list[str]:
        picture = self.weaver.pictures[made.name]
        folder = f"{self.weaver.data_folder}/figures"
        alt = re.sub(r"([\[\]\\])", r"\\\1", " ".join(picture.alt.split()))
        links = [
            f"[data]({self.to(f'{folder}/{made.name}.csv')}){{ .data-link }}",
            f"[drawing]({self.to(f'{folder}/{made.name}.light.svg')}){{ .data-link }}",
        ]
        if picture.source:
            links.append(f'[code]({self.to(picture.source)}){{ .data-link target="_self" }}')
        anchor = "figure-" + re.sub(r"[^a-z0-9]+", "-", made.name)
        anchor += f"-again-{made.before}" if made.before else ""
        caption = f"**Figure {made.number}.** {self._expand(made.caption)} {' · '.join(links)}"
        reads = "" if piece.prefix else ' markdown="1"'
        # Inside a list or a tab, a caption is a paragraph: Python-Markdown closes none around a tag.
        edge = [""] if piece.prefix else []
        return [
            *opened(piece, "figure", f' class="measured-figure" id="{anchor}"'),
            "",
            f'![{alt}]({self.to(f"{folder}/{made.name}.light.svg")}){{ data-figure="{made.name}" }}',
            "",
            f"<figcaption{reads}>",
            *edge,
            caption,
            *edge,
            "</figcaption>",
            "",
            "</figure>",
            "",
        ]

    def _claim_start(self, name: str, piece: Piece) -> str:
        if piece.place.kind in ("text", "absent"):
            return ""
        attributes = ' class="claim"' + (f' data-claim="{name}"' if name in self.claims else "")
        if piece.block:
            return block_lines(piece, [*opened(piece, box_of(piece), attributes), ""])
        return f"<span{attributes}>"

    def _claim_end(self, name: str, closing: Piece, opening: Piece) -> str:
        if opening.place.kind in ("text", "absent"):
            return ""
        mark = ""
        linked = opening.place.kind == "rich" and not opening.place.within("a", "button", "label")
        if linked and not self.plain:
            mark = self._mark(name)
        if opening.block:
            return block_lines(closing, ["", *([mark] if mark else []), "", f"</{box_of(opening)}>", ""])
        return f"{mark}</span>"

    def _mark(self, name: str) -> str:
        """The link to what a claim rests on; nothing where there is no page of measurements.

        Where results are few or none, as a first look or a preview has them, what they do not decide says so.
        """
        found = self.weaver.library.claims.get(name)
        if found is None:
            return f'<abbr class="claim-undecided" title="{_UNMEASURED}">?</abbr>'
        if self.weaver.row_page is None:
            return ""
        row = f"{self.to(self.weaver.row_page)}#claim-{name}"
        if not found.holds:
            return f'[?]({row}){{ .claim-undecided title="{_UNDECIDED}" }}'
        return f'[]({row}){{ .claim-mark data-claim="{name}" aria-label="What this claim rests on" }}'

    def _formulas(self) -> Iterator[tuple[int, str, bool]]:
        for formula in self.page.formulas:
            if any(start <= formula.start < end for start, end in self.absent):
                continue
            latex = formula.latex
            for piece in self.page.pieces:
                if formula.start <= piece.start < formula.end and piece.number in self.in_formulas:
                    latex = latex.replace(piece.text, self.in_formulas[piece.number], 1)
            yield formula.line, latex, formula.display

    # What was cut out

    def _restore(self, text: str, form: Callable[[_Cut], str]) -> str:
        def put_back(match: re.Match[str]) -> str:
            cut = self.cut[int(match[1])]
            padding = match[0][match[0].index(END) + 1 :]
            return form(cut) + padding[cut.text.count("\n") :]

        return _CUT_TOKEN.sub(put_back, text)

    def _cell(self, cut: _Cut) -> str:
        if cut.fence is None or cut.fence.line not in self.cells:
            return cut.text
        prefix = cut.fence.prefix
        return "\n".join(prefix + line for line in self.cells[cut.fence.line].rstrip("\n").split("\n"))

    def _notebook(self, text: str) -> list[tuple[str, str]]:
        pieces: list[tuple[str, str]] = []
        pieces_text = self._restore(
            text,
            lambda cut: (
                f"{_CELL}{cut.fence.line}{_CELL}"
                if cut.fence is not None and cut.fence.line in self.cells
                else cut.text
            ),
        )
        pieces_text = _DIAGRAM_TOKENS.sub(r"\2", pieces_text)
        for index, piece in enumerate(pieces_text.split(_CELL)):
            if index % 2:
                pieces.append(("cell", piece))
            elif piece.strip():
                pieces.append(("prose", piece.strip("\n")))
        return pieces


@dataclass(frozen=True)
class _Cut:
    """A stretch of the page that the template does not see; of a fence, which."""

    text: str
    fence: Fence | None = None


@dataclass(frozen=True)
class _Made:
    """What the template made at a piece."""

    number: int
    value: Any


@dataclass(frozen=True)
class _Table:
    name: str
    rows: list[list[str | Shown]]


@dataclass(frozen=True)
class _Figure:
    name: str
    number: int
    caption: str
    before: int  # how many times the page has shown it


@dataclass(frozen=True)
class _Gap:
    """What is not there yet."""

    what: str


@dataclass(frozen=True)
class _ClaimStart:
    name: str


@dataclass(frozen=True)
class _ClaimEnd:
    name: str


# In a diagram and in the front matter there is no piece: its text is read by nobody but us.
_DIAGRAM = -1


def _gap_lines(made: _Gap, piece: Piece) -> list[str]:
    """In the place of a table or figure: what is missing, and the command that makes it."""
    said = f"{made.what.replace('_', chr(92) + '_')} is not there yet: `nox -s build` makes it."
    return [*opened(piece, box_of(piece), ' class="gap"'), "", said, "", f"</{box_of(piece)}>", ""]


def _is_diagram(fence: Fence) -> bool:
    return fence.language == "mermaid" and fence.is_shown


def _is_within(position: int, stretches: Sequence[tuple[int, int]]) -> bool:
    return any(start <= position < end for start, end in stretches)


def _called(piece: Piece) -> str:
    """A piece as the template engine gets it: with its number."""
    if piece.kind == "expression":
        return _numbered(piece.text, piece.number)
    if piece.tag in ("claim", "figure"):
        return re.sub(r"(\{%[-+]?\s*\w+)", rf"\1 {piece.number}", piece.text, count=1)
    return piece.text


def _called_in_diagram(text: str) -> str:
    if text.startswith("{{"):
        return _numbered(text, _DIAGRAM)
    return re.sub(r"(\{%[-+]?\s*(?:claim|figure)\b)", rf"\1 {_DIAGRAM}", text, count=1)


def _numbered(expression: str, number: int) -> str:
    return re.sub(
        r"\A\{\{([-+]?)(.*?)([-+]?)\}\}\Z",
        lambda m: f"{{{{{m[1]} _at({number}, ({m[2]})) {m[3]}}}}}",
        expression,
        flags=re.S,
    )


def _words(value: Any) -> str:
    """What something that the template made says, for a message or for a label."""
    if isinstance(value, Shown):
        return value.text
    return str(value) if isinstance(value, _Block) else ""


def _in_diagram(text: str) -> str:
    return re.sub(r"[^\w\s.,%+−-]", lambda m: f"#{ord(m[0])};", text)


def in_formula(shown: Shown) -> str:
    r"""A value inside a formula: its digits, with the marks that LaTeX would take for its own escaped."""
    number = re.fullmatch(r"([-+−]?)([\d.,]+)(?:[eE]([-+]?\d+))?(%?)", shown.text)
    if number is None:
        return r"\text{" + "".join(_LATEX.get(c, c) for c in shown.text) + "}"
    sign, digits, exponent, percent = number.groups()
    power = rf" \times 10^{{{int(exponent)}}}" if exponent else ""
    written = sign.replace("−", "-") + digits.replace(",", "{,}") + power + percent.replace("%", r"\%")
    return f"{{{written}}}" if sign or exponent else written


_LATEX = {
    **{c: f"\\{c}" for c in "#$%&_{}"},
    "\\": r"}\backslash\text{",
    "|": r"}\vert\text{",
    "<": r"}\lt\text{",
    ">": r"}\gt\text{",
    "^": r"}\hat{}\text{",
    "~": r"}\sim\text{",
    "`": "\N{MODIFIER LETTER GRAVE ACCENT}",
}


class _Block(str):
    """Markdown that the engine made itself, so that it needs no display format."""


class _Tags(Extension):
    """`{% claim "id" %}…{% endclaim %}` and `{% figure "name" %}…{% endfigure %}`."""

    tags = frozenset({"claim", "figure"})

    def parse(self, parser: Any) -> nodes.Node:
        token = next(parser.stream)
        number = -1 if parser.stream.skip_if("sub") and parser.stream.expect("integer") else None
        if number is None:
            number = parser.stream.expect("integer").value
        name = parser.parse_expression()
        body = parser.parse_statements([f"name:end{token.value}"], drop_needle=True)
        arguments = [token.value, number, token.lineno]
        call = self.call_method("_made", [*map(nodes.Const, arguments), name])
        return nodes.CallBlock(call, [], [], body).set_lineno(token.lineno)

    def _made(self, tag: str, number: int, line: int, name: str, caller: Callable[[], str]) -> str:
        return getattr(self.environment.weaving, tag)(number, name, caller(), line)


def escape(text: str) -> str:
    """Text that comes from a measurement, inert in HTML and in Markdown."""
    if re.fullmatch(r"[\w\s.,%+−-]*", text) and "_" not in text:
        return text
    return re.sub(r"([\\`*_{}\[\]()#!|~$^=:@/\"'<>&])", lambda m: f"&#{ord(m[0])};", text)


def _environment(weaving: _Weaving) -> Sandbox:
    environment = Sandbox(_Tags)
    environment.weaving = weaving
    functions = {"_at": weaving.at, "table": weaving.table, "given": weaving.give, "holds": weaving.holds}
    names = {**weaving.weaver.library.names(), **functions, "min": _least, "max": _largest}
    environment.give(names, {"fmt": weaving.format, "abs": abs})
    return environment


def _least(*numbers: Number) -> Number:
    return _picked(min(numbers, key=lambda n: n.value), numbers)


def _largest(*numbers: Number) -> Number:
    return _picked(max(numbers, key=lambda n: n.value), numbers)


def _picked(chosen: Number, among: tuple[Number, ...]) -> Number:
    """The chosen number; it depends on all that it was chosen among."""
    ids = dict.fromkeys((*chosen.ids, *(i for number in among for i in number.ids)))
    return Number(chosen.value, tuple(ids), "derived", chosen.format)


def _malformed(error: TemplateSyntaxError) -> MeasuredError:
    """What Jinja says of a tag or filter, in the words of whoever writes a page."""
    said = error.message or ""
    unknown = re.match(r"Encountered unknown tag '(\w+)'", said)
    if unknown:
        tag = unknown[1]
        close = difflib.get_close_matches(tag, _TAGS, n=1)
        meant = f"did you mean {{% {close[0]} … %}}?" if close else f"one of {', '.join(_TAGS)}"
        return MeasuredError(f"no tag is called {tag!r}", expected=meant)
    filter_ = re.match(r"No filter named '(\w+)'", said)
    if filter_:
        return MeasuredError(
            f"no filter is called {filter_[1]!r}", expected='fmt, as in {{ id | fmt(".2f") }}'
        )
    return MeasuredError(f"malformed reference or tag: {said}")


_TAGS = ("claim", "figure", "if")


def _line_of(error: BaseException) -> int | None:
    """The template line where the error was raised."""
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == "<template>"]
    return lines[-1] if lines else None
