"""No number by hand: whatever numeral a page shows is a reference, code, a formula, or of a declared kind.

Declared kinds need no mark: years of citations, sections (§3.2), numbered things (Figure 2, Exercise 4),
list numbers, identifiers of papers (arXiv, DOI), names that contain digits (`float32`). Any other number that
nobody measures says why it may stand: `{{ given("12", "the example's length") }}`. A page that only lists
literature says `numerals: literature` in its front matter. Spelled-out counting words are left to authors.

Words that promise something about every case ("never", "only") are reported where no claim carries them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from measured.errors import MeasuredError
from measured.weaving.page import PageSource, Span, scan
from measured.weaving.references import Library


@dataclass(frozen=True)
class Finding:
    """Something in a page that an author should look at: where, and the words themselves."""

    path: Path
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.text}"


@dataclass(frozen=True)
class Report:
    """What was found in the pages of a site.

    Args:
        by_hand: numerals that nobody measured and nobody explained.
        promises: words such as "never" outside a claim.
        unused: measurements that no page shows.
        idle: claims that no page makes.
        pages: how many pages were read.
    """

    by_hand: tuple[Finding, ...]
    promises: tuple[Finding, ...]
    unused: tuple[str, ...]
    idle: tuple[str, ...]
    pages: int

    def refuse(self) -> None:
        """Stop where a number was typed by hand.

        Raises:
            MeasuredError: names each of them, with page and line.
        """
        if not self.by_hand:
            return
        first, *others = self.by_hand
        also = "".join(f"\n  also {finding}" for finding in others)
        raise MeasuredError(
            f"the number {first.text} is typed by hand{also}",
            path=first.path,
            line=first.line,
            expected="a reference to a measurement, code, a formula, or a declared kind of number",
            mend='refer to a measurement: {{ id }}; or say why it may stand: {{ given("12", "its reason") }}',
        )

    def __str__(self) -> str:
        return (
            f"{self.pages} pages, {len(self.by_hand)} numbers by hand; "
            f"{len(self.promises)} promising words outside a claim, "
            f"{len(self.unused)} measurements on no page, {len(self.idle)} claims not made"
        )


def inspect(folder: Path, root: Path, library: Library | None = None) -> Report:
    """Read all pages below a folder.

    Args:
        folder: of the pages.
        root: of the project; findings name paths relative to it.
        library: the records, to tell which measurements and claims no page uses.
    """
    by_hand: list[Finding] = []
    promises: list[Finding] = []
    used, claimed, count = set(), set(), 0
    for path in pages_of(folder):
        text = path.read_text(encoding="utf-8").replace("\r\n", "\n")
        page = scan(text, path.relative_to(root))
        count += 1
        by_hand += numbers_by_hand(page, text)
        promises += promising_words(page)
        references, claims = uses(page, library)
        used |= references
        claimed |= claims
    unused = [i for i in library.measurements if i not in used] if library else []
    idle = [c for c in library.claims if c not in claimed] if library else []
    return Report(tuple(by_hand), tuple(promises), tuple(unused), tuple(idle), count)


def pages_of(folder: Path) -> list[Path]:
    """The pages that are read."""
    return sorted(folder.rglob("*.md"))


def numbers_by_hand(page: PageSource, text: str) -> list[Finding]:
    """Numerals of a page that are neither measured nor explained, nor of a declared kind."""
    if page.meta.get("numerals") == "literature":
        return []
    found = [
        Finding(page.path, line, match[0])
        for line, prose in _front_matter(text)
        for match in _NUMERAL.finditer(_without(_KINDS, prose))
    ]
    prose = _without(_KINDS, _without(_MARKUP, _visible(page)))
    first = page.spans[0].line if page.spans else 1
    return found + [
        Finding(page.path, first + prose.count("\n", 0, match.start()), match[0])
        for match in _NUMERAL.finditer(prose)
    ]


def promising_words(page: PageSource) -> list[Finding]:
    """Words that promise something about all cases, outside a claim."""
    prose = _without(_MARKUP, _CLAIM.sub(_blank, _visible(page)))
    first = page.spans[0].line if page.spans else 1
    return [
        Finding(page.path, first + prose.count("\n", 0, match.start()), _around(prose, match))
        for match in _PROMISE.finditer(prose)
    ]


def uses(page: PageSource, library: Library | None) -> tuple[set[str], set[str]]:
    """The measurements and the claims that a page refers to, read without weaving it."""
    prose = "".join(s.text for s in page.spans if s.kind == "prose" or _is_mermaid(s))
    expressions = " ".join(_EXPRESSION.findall(prose))
    used = set(_DOTTED.findall(expressions))
    for name in re.findall(r"""table\(\s*["']([^"']+)["']""", expressions):
        table = library.tables.get(name) if library else None
        used |= {cell.id for row in table.rows for cell in row if hasattr(cell, "id")} if table else set()
    held = re.findall(r"""holds\(\s*["']([^"']+)["']""", expressions)
    return used, {*_CLAIM_ID.findall(prose), *held}


def _front_matter(text: str) -> Iterator[tuple[int, str]]:
    """Title and description reach readers too."""
    match = re.match(r"---[ \t]*\n(.*?)^---[ \t]*\n", text, re.S | re.M)
    for number, line in enumerate((match[1] if match else "").split("\n"), start=2):
        if re.match(r"(title|description):", line):
            yield number, line


def _visible(page: PageSource) -> str:
    """The page's prose and diagram labels; everything else blank, every line where it was."""
    return "".join(_span(span) for span in page.spans)


def _span(span: Span) -> str:
    if span.kind == "prose":
        return span.text
    return _labels(span.text) if _is_mermaid(span) else _blank(span.text)


def _is_mermaid(span: Span) -> bool:
    return span.kind == "fence" and span.language == "mermaid"


def _labels(diagram: str) -> str:
    """Of a diagram, what stands in quotes, brackets or bars; names of nodes are not shown."""
    kept = [" " if c != "\n" else c for c in diagram]
    for match in re.finditer(r'"[^"\n]*"|\[[^\]\n"]*\]|\|[^|\n"]*\||\([^()\n"]*\)|:[^\n"]*$', diagram, re.M):
        kept[match.start() : match.end()] = match[0]
    return "".join(kept)


def _without(patterns: Iterable[re.Pattern[str]], prose: str) -> str:
    for pattern in patterns:
        prose = pattern.sub(_blank, prose)
    return prose


def _blank(match: re.Match[str] | str) -> str:
    """Blanks in place of a match, with its line ends; what the pattern calls `kept` stays."""
    if isinstance(match, str):
        return _NOT_NEWLINE.sub(" ", match)
    whole = _NOT_NEWLINE.sub(" ", match[0])
    for name in match.re.groupindex:
        if match[name]:
            begin, end = match.start(name) - match.start(), match.end(name) - match.start()
            whole = whole[:begin] + match[name] + whole[end:]
    return whole


def _around(prose: str, match: re.Match[str]) -> str:
    begin, end = max(0, match.start() - 30), match.end() + 30
    before, after = prose[begin : match.start()].split("\n")[-1], prose[match.end() : end].split("\n")[0]
    return f"{before}{match[0]}{after}".strip()


_NOT_NEWLINE = re.compile(r"[^\n]")
_EXPRESSION = re.compile(r"\{\{(.*?)\}\}", re.S)
_DOTTED = re.compile(r"\b[a-z]\w*(?:\.\w+)+")
_CLAIM = re.compile(r"\{%-?\s*claim\b.*?%\}.*?\{%-?\s*endclaim\s*-?%\}", re.S)
_CLAIM_ID = re.compile(r"""\{%-?\s*claim\s+["']([^"']+)["']""")
_PROMISE = re.compile(r"\b(?:never|always|jump(?:s|ed)?|exactly zero|holds near|only)\b", re.I)

# What a template, Markdown or HTML does not show. Text in attributes that a reader meets is kept.
_MARKUP = (
    re.compile(r"\{##.*?##\}|\{\{.*?\}\}|\{%.*?%\}", re.S),
    re.compile(r"^[ \t]*--8<--.*$|^[ \t]*;--8<--.*$", re.M),
    re.compile(
        r"<[a-zA-Z/!](?:[^<>]*?\b(?:alt|title|aria-label|placeholder|data-question)=\"(?P<kept>[^\"]*)\")?[^<>]*>"
    ),
    re.compile(r"(?<=\])\((?:[^()\s]|\([^()]*\))*(?:\s+\"(?P<kept>[^\"]*)\")?\s*\)"),
    re.compile(r"^[ \t]*\[[^\]^]+\]:\s*\S+", re.M),
    re.compile(r"(?<=\])\[[^\]]*\]"),
    re.compile(r"(?:https?|mailto):[^\s)>\]]+"),
    re.compile(r"\[\^[^\]]+\]:?"),
    re.compile(r"\{[^{}\n]*\}"),
    re.compile(r"&#?\w+;"),
    re.compile(r":[a-z][\w+-]*:"),
)

_THINGS = (
    r"§{1,2}|figures?|figs?\.|tables?|sections?|secs?\.|equations?|eqs?\.|footnotes?|theorems?|lemmas?|"
    r"propositions?|corollar(?:y|ies)|chapters?|appendix|appendices|pages?|pp?\.|exercises?|questions?|quiz|"
    r"pitfalls?|steps?|parts?|volumes?|vol\.|issues?|no\."
)
_ONE = r"\(?(?:[A-Z]\.)?\d+(?:\.\d+)*[a-z]?\)?"
_YEAR = r"(?:1[6-9]|20)\d\d[a-z]?"

# What may stand without a mark.
_KINDS = (
    re.compile(r"^[ \t>]*\d+[.)](?=\s)", re.M),
    re.compile(r"arXiv:\s*\d{4}\.\d{4,5}(?:v\d+)?|(?<!\d)10\.\d{4,9}/\S+|ISBN[ :]*[\d-]+X?", re.I),
    re.compile(rf"(?<!\w)(?:{_THINGS})\s*{_ONE}(?:(?:\s*(?:,|–|-|to|and|or)\s*)+{_ONE})*", re.I),
    re.compile(rf"(?:(?<=\w)|(?<=[.,]))\s+\(?{_YEAR}(?:,\s+{_YEAR})*(?=\s*(?:[),.;:\]]|and\b|or\b))"),
    re.compile(rf"(?<=al\.)\s+\(?{_YEAR}|\({_YEAR}(?:[,;]\s*{_YEAR})*\)"),
)

# Digits inside a name (`float32`, `d4`, `GPT-2`) are the name's.
_NUMERAL = re.compile(r"(?<![\w.])(?<![A-Z]-)\d+(?:[.,]\d+)*(?:[eE][+-]?\d+)?(?:%|\w*)|[½⅓⅔¼¾⅕⅙⅛]")
