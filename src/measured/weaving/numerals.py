"""No number by hand: whatever numeral a page shows is a reference, code, a formula, or of a declared kind.

What a page shows is read from what the renderer makes of it (snippets, alt texts and tooltips included).
Declared kinds need no mark: the years of citations and dates, sections (§3.2), numbered things (Figure 2,
Exercise 4), identifiers of papers (arXiv, DOI), names that contain digits (`float32`). Any other number that
nobody measures says why it may stand: `{{ given("12", "the example's length") }}`. A page that only lists
literature says `numerals: literature` in its front matter. Counting words up to twelve are left to authors.

Words that promise something about every case ("never", "only") are listed where no claim carries them; in a
page whose front matter says `promises: claims`, they are errors.
"""

from __future__ import annotations

import ast
import inspect as introspection
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from measured import files, keeping
from measured.counting import counted
from measured.errors import MeasuredError
from measured.mkdocs_yml import SiteSettings
from measured.project import Project
from measured.weaving.page import PageSource, scan
from measured.weaving.page_text import read_text
from measured.weaving.references import Library
from measured.weaving.renderer import TOKEN, Renderer, passages_between


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
        broken: those of them in pages that promise nothing outside claims.
        unused: measurements that no page shows.
        idle: claims that no page makes.
        pages: how many pages were read.
    """

    by_hand: tuple[Finding, ...]
    promises: tuple[Finding, ...]
    broken: tuple[Finding, ...]
    unused: tuple[str, ...]
    idle: tuple[str, ...]
    pages: int

    def refuse(self) -> None:
        """Stop where a number was typed by hand, or a page promises what no claim carries.

        Raises:
            MeasuredError: names each of them, with page and line.
        """
        if self.by_hand:
            raise _refusal(
                self.by_hand,
                f"the number {self.by_hand[0].text} is typed by hand",
                "a reference to a measurement, code, a formula, or a declared kind of number",
                'refer to a measurement: {{ id }}; or say why it may stand: {{ given("12", "its reason") }}',
            )
        if self.broken:
            raise _refusal(
                self.broken,
                f"the page promises something outside a claim: {self.broken[0].text}",
                "such words inside a claim, as the page's front matter says (promises: claims)",
                'put the sentence inside {% claim "…" %} … {% endclaim %}, or say what was seen and where',
            )

    def __str__(self) -> str:
        return (
            f"{counted(self.pages, 'page')}, {counted(len(self.by_hand), 'number')} by hand; "
            f"{counted(len(self.promises), 'promising word')} outside a claim, "
            f"{counted(len(self.unused), 'measurement')} on no page, "
            f"{counted(len(self.idle), 'claim')} not made"
        )


def _refusal(found: tuple[Finding, ...], problem: str, expected: str, mend: str) -> MeasuredError:
    also = "".join(f"\n  also {finding}" for finding in found[1:])
    return MeasuredError(problem + also, path=found[0].path, line=found[0].line, expected=expected, mend=mend)


def inspect_project(project: Project) -> Report:
    """Read all pages of a project, and the texts of its figures."""
    settings = SiteSettings.load(project.root)
    figures = {name: plot.draw for name, plot in project.declared_figures.items()}
    library = Library(project.read_records())
    renderer = Renderer.of(settings, project.build / "readings")
    code = [files.sha256_of_text(path) for path in sorted(Path(__file__).parent.glob("*.py"))]
    key = files.sha256(repr((renderer.key, renderer.appended(), code)).encode())
    answers = keeping.Answers(project.build / "prose.json", key)
    found = inspect(settings, library, renderer, figures, answers)
    answers.keep()
    return found


def read_state(project: Project) -> dict[str, str]:
    """Hashes of what `inspect_project` reads: settings, pages with what they include, code of figures."""
    settings = SiteSettings.load(project.root)
    renderer = Renderer.of(settings)
    drawing = (introspection.getsourcefile(plot.draw) for plot in project.declared_figures.values())
    paths = {settings.path, *(Path(name) for name in drawing if name)}
    state = {str(_below(path, project.root)): files.sha256_of_text(path) for path in sorted(paths)}
    for _, path in settings.pages():
        text = path.read_bytes()
        text += _included(text.decode("utf-8", "replace"), renderer).encode()
        state[str(_below(path, project.root))] = files.sha256(text)
    return {**state, "appended": files.sha256(renderer.appended().encode())}


def inspect(
    settings: SiteSettings,
    library: Library | None = None,
    renderer: Renderer | None = None,
    figures: Mapping[str, Any] | None = None,
    answers: keeping.Answers | None = None,
) -> Report:
    """Read all pages that a site publishes.

    Args:
        settings: of the site; findings name paths relative to its folder.
        library: the records, to tell which measurements and claims no page uses.
        renderer: the site's Markdown.
        figures: the functions that draw, by the name of their figure.
        answers: what was found in pages before.

    Raises:
        MeasuredError: a page that cannot be read, or no page at all.
    """
    root = settings.path.parent.resolve()
    renderer = renderer or Renderer.of(settings)
    by_hand: list[Finding] = []
    promises: list[Finding] = []
    broken: list[Finding] = []
    appended = {_below(path, root): read_text(path, _below(path, root)) for path in renderer.appended_files()}
    used, claimed, count = set(), set(), 0
    answers = answers or keeping.Answers()
    for _, path in settings.pages():
        shown = _below(path, root)
        text = read_text(path, shown)
        whole = f"{text}\n{_included(text, renderer)}".encode()
        found = answers.of(whole, str(shown), partial(_read_page, text, shown, renderer, appended))
        count += 1
        by_hand += _findings(found["by_hand"])
        promises += _findings(found["promises"])
        broken += _findings(found["broken"])
        used |= {*found["ids"], *_of_tables(found["tables"], library)}
        claimed.update(found["claims"])
    if not count:
        raise MeasuredError(
            "no page was read",
            path=settings.path,
            expected=f"pages in {settings.docs}; zero checks never pass",
        )
    by_hand += [finding for draw in (figures or {}).values() for finding in numbers_in_figure(draw, root)]
    unused = [i for i in library.measurements if i not in used] if library else []
    idle = [c for c in library.claims if c not in claimed] if library else []
    # What is appended to every page is told once.
    found = (tuple(dict.fromkeys(each)) for each in (by_hand, promises, broken))
    return Report(*found, tuple(unused), tuple(idle), count)


def _read_page(text: str, path: Path, renderer: Renderer, appended: Mapping[Path, str]) -> dict[str, Any]:
    """What is found in one page, as plain data."""
    page = scan(text, path, renderer)
    _check_declared(page)
    promised = promising_words(page, appended)
    broken = [f for f in promised if f.path == page.path and page.meta.get("promises") == "claims"]
    ids, tables, claims = _names(page)
    numbers = numbers_by_hand(page, appended)
    found = {"by_hand": numbers, "promises": promised, "broken": broken}
    plain = {name: [[str(f.path), f.line, f.text] for f in some] for name, some in found.items()}
    return {**plain, "ids": sorted(ids), "tables": sorted(tables), "claims": sorted(claims)}


def _findings(plain: Iterable[Sequence[Any]]) -> list[Finding]:
    return [Finding(Path(path), line, text) for path, line, text in plain]


def _included(text: str, renderer: Renderer) -> str:
    """What a page includes of other files; their lines are read with its own."""
    return "\n".join(renderer.included(text.split("\n"))) if "8<" in text else ""


def _of_tables(names: Iterable[str], library: Library | None) -> set[str]:
    """The measurements that tables show."""
    tables = [library.tables.get(name) for name in names] if library else []
    return {cell.id for table in tables if table for row in table.rows for cell in row if hasattr(cell, "id")}


def _check_declared(page: PageSource) -> None:
    for key, known in _DECLARED.items():
        said = page.meta.get(key, known)
        if said != known:
            raise MeasuredError(
                f"{key}: {said} means nothing",
                path=page.path,
                line=page.meta_lines.get(key, 1),
                expected=f"{key}: {known}, or no such line",
            )


def _below(path: Path, root: Path) -> Path:
    return path.relative_to(root) if path.is_relative_to(root) else path


def numbers_by_hand(page: PageSource, appended: Mapping[Path, str] | None = None) -> list[Finding]:
    """Numerals of a page that are neither measured nor explained, nor of a declared kind.

    Args:
        page: as scanned.
        appended: the files that the site appends to every page.
    """
    if page.meta.get("numerals") == "literature":
        return []
    places = _Places(page, appended or {})
    found = [*_in_front_matter(page), *_in_diagrams(page), *_on_fences(page)]
    for passage in page.reading.passages:
        shown = TOKEN.sub(_stand_in(page), passage)
        found += [places.finding(shown, match, match[0].strip()) for match in _numerals(shown)]
    return sorted(found, key=lambda finding: finding.line)


def promising_words(page: PageSource, appended: Mapping[Path, str] | None = None) -> list[Finding]:
    """Words that promise something about all cases, outside a claim."""
    if page.meta.get("numerals") == "literature":
        return []
    claims = [piece for piece in page.pieces if piece.tag == "claim" and piece.partner is not None]
    opening, closing = {p.number for p in claims}, {p.partner for p in claims}
    places = _Places(page, appended or {})
    description = str(page.meta.get("description") or "")
    line = page.meta_lines.get("description", 1)
    found = [
        Finding(page.path, line, _around(description, match)) for match in _PROMISE.finditer(description)
    ]
    for passage in passages_between(page.reading.passages, opening, closing):
        shown = TOKEN.sub(_stand_in(page), passage)
        found += [places.finding(shown, match, _around(shown, match)) for match in _PROMISE.finditer(shown)]
    return sorted(found, key=lambda finding: finding.line)


def uses(page: PageSource, library: Library | None) -> tuple[set[str], set[str]]:
    """The measurements and the claims that a page refers to, read without weaving it."""
    ids, tables, claims = _names(page)
    return ids | _of_tables(tables, library), claims


def _names(page: PageSource) -> tuple[set[str], set[str], set[str]]:
    """The measurements, the tables and the claims that a page names."""
    pieces = [piece.text for piece in page.pieces if not piece.is_literal]
    pieces += [text for fence in page.fences if _is_diagram(fence) for text in _PIECE.findall(fence.body)]
    pieces += [t for v in page.meta.values() if isinstance(v, str) for t in _PIECE.findall(v)]
    expressions = " ".join(pieces)
    tables = set(re.findall(r"""table\(\s*["']([^"']+)["']""", expressions))
    held = re.findall(r"""holds\(\s*["']([^"']+)["']""", expressions)
    return set(_DOTTED.findall(expressions)), tables, {*_CLAIM_ID.findall(expressions), *held}


def numbers_in_figure(draw: Any, root: Path) -> list[Finding]:
    """Numerals in the texts of the function that draws a figure: its titles, labels and alt text."""
    path = Path(introspection.getsourcefile(draw) or "").resolve()
    lines, first = introspection.getsourcelines(draw)
    tree = ast.parse(introspection.cleandoc("".join(lines)) if lines[0][:1].isspace() else "".join(lines))
    return [
        Finding(_below(path, root), first + line - 1, match[0].strip())
        for line, text in sorted(_texts_of(tree))
        for match in _numerals(text)
    ]


def _texts_of(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Strings that a reader sees: words with blanks between them, or what is called a label."""
    skipped: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and ast.get_docstring(node) is not None:
            skipped.add(id(node.body[0].value))
        if isinstance(node, ast.FormattedValue) and node.format_spec is not None:
            skipped.update(id(part) for part in ast.walk(node.format_spec))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "given":
            skipped.update(id(part) for part in ast.walk(node))
        if isinstance(node, ast.Subscript):
            skipped.update(id(part) for part in ast.walk(node.slice))
    labels = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.keyword) and node.arg in _LABELS
        for part in ast.walk(node.value)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            skipped.update(id(part) for part in node.values)
            parts = [
                part.value if isinstance(part, ast.Constant) else "\N{OBJECT REPLACEMENT CHARACTER}"
                for part in node.values
            ]
            if id(node) not in skipped and (" " in "".join(parts).strip() or id(node) in labels):
                yield node.lineno, "".join(parts)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in skipped:
            yield from [(node.lineno, node.value)] if " " in node.value.strip() or id(node) in labels else []


def _stand_in(page: PageSource) -> Any:
    """What is read where a token stands: a tag is nothing, a value is a word of its own."""

    def text(match: re.Match[str]) -> str:
        number = int(match[1])
        shown = number < len(page.pieces) and page.pieces[number].kind in ("expression", "stray")
        return "\N{OBJECT REPLACEMENT CHARACTER}" if shown else ""

    return text


def _numerals(text: str) -> Iterator[re.Match[str]]:
    return _NUMERAL.finditer(_without(_KINDS, text))


def _in_front_matter(page: PageSource) -> Iterator[Finding]:
    """Title and description reach readers too; a title may count what its page is about (The 3 masks)."""
    for key in ("title", "description"):
        text = page.meta.get(key)
        if isinstance(text, int | float) and not isinstance(text, bool):
            text = str(text)
        if isinstance(text, str):
            for match in _numerals(_PIECE.sub("\N{OBJECT REPLACEMENT CHARACTER}", text)):
                if not (key == "title" and re.fullmatch(r"[1-9]\d?", match[0])):
                    yield Finding(page.path, page.meta_lines.get(key, 1), match[0])


def _in_diagrams(page: PageSource) -> Iterator[Finding]:
    for fence in page.fences:
        if _is_diagram(fence):
            shown = _PIECE.sub(_blank, _labels(fence.body))
            for match in _numerals(shown):
                yield Finding(page.path, fence.line + 1 + shown.count("\n", 0, match.start()), match[0])


def _on_fences(page: PageSource) -> Iterator[Finding]:
    for fence in page.fences:
        if fence.is_shown:
            for match in re.finditer(r"""\b(?:alt|title)=(?:"([^"]*)"|'([^']*)')""", fence.info):
                for number in _numerals(match[1] or match[2] or ""):
                    yield Finding(page.path, fence.line, number[0])


def _is_diagram(fence: Any) -> bool:
    return fence.is_shown and fence.language == "mermaid"


def _labels(diagram: str) -> str:
    """Of a diagram, what stands in quotes, brackets or bars; names of nodes are not shown."""
    kept = [" " if c != "\n" else c for c in diagram]
    for match in re.finditer(r'"[^"\n]*"|\[[^\]\n"]*\]|\|[^|\n"]*\||\([^()\n"]*\)|:[^\n"]*$', diagram, re.M):
        kept[match.start() : match.end()] = match[0]
    return "".join(kept)


class _Places:
    """The lines in the source of what was found in the rendered page."""

    def __init__(self, page: PageSource, appended: Mapping[Path, str]) -> None:
        self.page, self.taken = page, set()
        self.sources = {page.path: page.body, **appended}

    def finding(self, passage: str, match: re.Match[str], text: str) -> Finding:
        """What was found, at the place whose neighbourhood has most of the words around it."""
        best, best_score = None, (-1, -1, False)
        for path, source in self.sources.items():
            for found in re.finditer(re.escape(match[0].strip()), source):
                score = _likeness(passage, match, source, found)
                if score > best_score and (path, found.start()) not in self.taken:
                    best, best_score = (path, found.start()), score
        if best is None:
            return Finding(self.page.path, self.page.lines[-1], text)
        path, position = best
        if path == self.page.path:
            self.taken.add(best)
            return Finding(path, self.page.line_at(position), text)
        return Finding(path, self.sources[path].count("\n", 0, position) + 1, text)


def _likeness(passage: str, match: re.Match[str], source: str, found: re.Match[str]) -> tuple[int, int, bool]:
    """How many words two places share: close by, farther around; and whether the word stands alone."""
    near, far = (_words_around(passage, match, width) for width in (16, 80))
    alone = not any(
        c.isalnum()
        for c in (source[found.start() - 1 : found.start()], source[found.end() : found.end() + 1])
    )
    return (
        len(near & _words_around(source, found, 24)),
        len(far & _words_around(source, found, 110)),
        alone,
    )


def _words_around(text: str, match: re.Match[str], width: int) -> set[str]:
    return set(_WORD.findall(text[max(0, match.start() - width) : match.end() + width]))


def _without(patterns: Iterable[re.Pattern[str]], prose: str) -> str:
    for pattern in patterns:
        prose = pattern.sub(_blank, prose)
    return prose


def _blank(match: re.Match[str]) -> str:
    """Blanks in place of a match, with its line ends."""
    return re.sub(r"[^\n]", " ", match[0])


def _around(prose: str, match: re.Match[str]) -> str:
    begin, end = max(0, match.start() - 30), match.end() + 30
    before, after = prose[begin : match.start()].split("\n")[-1], prose[match.end() : end].split("\n")[0]
    shown = f"{before}{match[0]}{after}".replace("\N{OBJECT REPLACEMENT CHARACTER}", "…")
    return shown.strip()


# What a page may say of itself, and how.
_DECLARED = {"numerals": "literature", "promises": "claims"}
_WORD = re.compile(r"[^\W_]+")
_LABELS = frozenset({"label", "labels", "title", "xlabel", "ylabel", "alt", "text", "suptitle", "s"})
_PIECE = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{##.*?##\}", re.S)
_DOTTED = re.compile(r"\b[a-z]\w*(?:\.\w+)+")
_CLAIM_ID = re.compile(r"""\{%-?\s*claim\s+["']([^"']+)["']""")
_PROMISE = re.compile(
    r"\b(?:never|always|jump(?:s|ed|ing)?|exactly zero|holds near|only|all|every|everyone|everywhere|"
    r"everything|none|nobody|nowhere|impossible|guarantee[sd]?|without exception)\b",
    re.I,
)

# Numbered things: one of them, and several. Those in the plural are things that one counts, too, "figures 300
# and 400", unless they are written with a capital.
_THING = (
    r"§|figure|fig\.|table|section|sec\.|equation|eq\.|footnote|theorem|lemma|proposition|corollary|chapter|"
    r"appendix|page|p\.|vol\."
)
_THINGS = (
    r"§{1,2}|figs\.|secs\.|eqs\.|pp\.|(?-i:Figures|Tables|Sections|Equations|Footnotes|Theorems|Lemmas|"
    r"Propositions|Corollaries|Chapters|Appendices|Pages)"
)
_ONE = r"\(?(?:[A-Z]\.)?\d{1,3}(?:\.\d+)*[a-z]?\)?(?![\d,.]*\d)"
# Words of every day, too: parts and steps are numbered where they have a capital, and there are few of them.
_PART = r"(?-i:Exercise|Question|Quiz|Pitfall|Step|Part|Volume|Issue|No\.)"
_PARTS = r"(?-i:Exercises|Questions|Pitfalls|Steps|Parts|Volumes|Issues)"
_SMALL = r"\d{1,2}(?![\d,.]*\d)"
_YEAR = r"(?:1[6-9]\d\d|20[0-3]\d)[a-z]?"
_MONTH = (
    r"(?:Jan(?:uary|\.)?|Feb(?:ruary|\.)?|Mar(?:ch|\.)?|Apr(?:il|\.)?|May|June?|July?|Aug(?:ust|\.)?|"
    r"Sep(?:t(?:ember|\.)?|\.)?|Oct(?:ober|\.)?|Nov(?:ember|\.)?|Dec(?:ember|\.)?)"
)
# A name that a year may follow: written with a capital, and no word that merely begins a sentence.
_COMMON = (
    r"(?:The|This|That|These|Those|An?|In|At|On|Of|For|From|To|By|With|Over|Under|After|Before|About|Around|Nearly|"
    r"Almost|Roughly|Exactly|Only|Just|Some|All|Every|Each|Any|No|Up|Until|Since|Between|Beyond|Past|And|Or|But|"
    r"Its?|They|We|Nobody|Everybody|Everyone|None|Both|Most|Many|Few|Several|Other|Such|Here|Now|Not|So|How|What|Where|"
    r"Who|Why|Which|You|He|She|There|Then|When|While|If|As|Batch(?:es)?|Steps?|Epochs?|Seeds?|Tokens?|Parts?|"
    r"Layers?|Heads?|Widths?|Length|Size|Keys?|Queries|Values?|Sequences?|Samples?|Draws?|Words?|Vocabulary|"
    r"Parameters?|Weights?|Iterations?|Trials?|Runs?|Rows?|Columns?|Bytes?|Lines?|Figures?|Tables?|Pages?)"
)
_NAME = rf"(?-i:(?<!\w)(?!{_COMMON}\b)[^\W\d_a-z][\w'’.-]*[^\W\d_A-Z])"

# What may stand without a mark.
_KINDS = (
    re.compile(r"(?:https?|mailto):[^\s)>\]]+"),
    re.compile(r":[a-z][\w+-]*:"),
    re.compile(r"arXiv:\s*\d{4}\.\d{4,5}(?:v\d+)?|(?<!\d)10\.\d{4,9}/\S+|ISBN[ :]*[\d-]+X?", re.I),
    re.compile(rf"(?<!\w)(?:{_THINGS})\s*{_ONE}(?:(?:\s*(?:,|–|-|to|and|or)\s*)+{_ONE})*", re.I),
    re.compile(rf"(?<!\w)(?:{_THING})\s*{_ONE}(?:[–-]{_ONE})?", re.I),
    re.compile(rf"(?<!\w){_PARTS}\s*{_SMALL}(?:(?:\s*(?:,|–|-|to|and|or)\s*)+{_SMALL})*"),
    re.compile(rf"(?<!\w){_PART}\s*{_SMALL}(?:[–-]{_SMALL})?"),
    # A date.
    re.compile(
        rf"\b(?:\d{{1,2}}(?:st|nd|rd|th)?\s+)?{_MONTH}\s+(?:\d{{1,2}}(?:st|nd|rd|th)?,?\s+)?{_YEAR}\b"
    ),
    re.compile(rf"\b{_MONTH}\s+\d{{1,2}}\b|\b\d{{1,2}}\s+{_MONTH}\b|\b{_YEAR}-\d\d-\d\d\b"),
    re.compile(
        r"\b(?:[Ii]n|[Ss]ince|[Uu]ntil|[Dd]uring)\s+(?:the year\s+)?(?:1[89]\d\d|20[0-3]\d)"
        r"(?=[,;:.)]|$|\s+(?:and|or|by|it|he|she|they|when)\b)"
    ),
    # A citation: names, then years.
    re.compile(rf"(?:al\.|others|colleagues),?\s+\(?{_YEAR}(?:[,;]\s*{_YEAR})*\)?"),
    re.compile(rf"{_NAME},?\s+{_YEAR}(?:[,;]\s*{_YEAR})*(?=\s*(?:[),.;:\]’]|$|and\b|or\b|[a-z]+(?:s|ed)\b))"),
    re.compile(rf"{_NAME},?\s+\({_YEAR}(?:[,;]\s*{_YEAR})*(?=\s*[),.;:\]])"),
)

_TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
_WORDS = (
    r"(?<![\w-])(?:"
    r"(?:thir|four|fif|six|seven|eigh|nine)teen(?:th)?|"
    rf"(?:{_TENS})(?:[- ](?:one|two|three|four|five|six|seven|eight|nine))?|"
    r"(?:twent|thirt|fort|fift|sixt|sevent|eight|ninet)ieth|"
    rf"(?:{_TENS})-(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth)|"
    r"(?:hundred|thousand|million|billion|trillion)(?:fold)?|"
    r"(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)[- ]dozen"
    r")(?![\w-])"
)
# Digits inside a name (`float32`, `d4`, `GPT-2`) are the name's.
_NUMERAL = re.compile(
    rf"(?<![\w.])(?<![A-Z]-)\d+(?:[.,]\d+)*(?:[eE][+-]?\d+)?(?:%|\w*)|(?<![\w.])\.\d+|[¼½¾⅐-↉①-⒛⓪-⓿❶-➓]|(?i:{_WORDS})"
)
