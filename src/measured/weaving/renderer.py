"""What the renderer makes of a page: Python-Markdown, with the site's own extensions, decides.

MkDocs and its successors render with Python-Markdown. To know whether a piece of a page is prose, code, a
formula, a comment or raw HTML, no second parser is asked that would have to agree with it: the page is
rendered once with a token in the place of each piece, and where a token comes out is what its piece is.
"""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import lxml.html
import markdown
import pymdownx
from markdown.extensions.tables import TableProcessor
from markdown.inlinepatterns import InlineProcessor

from measured import files, keeping
from measured.errors import MeasuredError
from measured.mkdocs_yml import NAME, SiteSettings, Tagged

# Private-use characters: no page contains them, no template engine or Markdown parser minds them.
RAW, INLINE, FENCE, END = "\ue001", "\ue002", "\ue003", "\ue004"
TOKEN = re.compile(f"[{RAW}{INLINE}](\\d+){END}")
_ANY_TOKEN = re.compile(f"([{RAW}{INLINE}{FENCE}])(\\d+){END}")

# Footnotes, abbreviations and the targets of links hold for a whole page.
_DEFINITION = re.compile(r"^ {0,3}(?:\[[^\]\n]+\]:|\*\[)", re.M)

USUAL: tuple[str, ...] = (
    "abbr",
    "admonition",
    "attr_list",
    "def_list",
    "footnotes",
    "md_in_html",
    "tables",
    "toc",
    "pymdownx.arithmatex",
    "pymdownx.details",
    "pymdownx.highlight",
    "pymdownx.superfences",
    "pymdownx.tabbed",
)
_DEFAULT = ("toc", "tables", "fenced_code")
_USUAL_SETTINGS = {"pymdownx.arithmatex": {"generic": True}, "pymdownx.tabbed": {"alternate_style": True}}

HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
CODE = frozenset({"code", "pre"})
_SILENT = frozenset({"script", "style", "template", "noscript"})
_PLAIN = frozenset({"option", "textarea", "title"})
_BLOCKS = frozenset(
    re.findall(
        r"\w+",
        "address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption"
        " figure footer form h1 h2 h3 h4 h5 h6 header hr label legend li main menu nav ol option p pre search"
        " section summary table tbody td tfoot th thead tr ul",
    )
)
_BOXES = frozenset(
    {"admonition", "tabbed-set", "tabbed-content", "tabbed-block", "tabbed-labels", "footnote", "highlight"}
)
# Stands for whatever the engine will write at the left edge; the containers around it are the author's.
STAND_IN = "article"
_READ_ATTRIBUTES = ("alt", "title", "aria-label", "placeholder", "data-question")
_REPEATED = frozenset({"headerlink", "footnote-ref", "footnote-backref", "linenos"})


@dataclass(frozen=True)
class Place:
    """Where a token came out.

    Args:
        kind: `rich` (Markdown is read there), `raw` (the text of raw HTML), `text` (an attribute, or an
            element that holds text alone), `formula`, `code`, `quoted` (a fence inside code), `silent` (a
            script or a style), `comment`, `absent`.
        chain: the elements around it, from the outside in; a box that the renderer makes of Markdown, such as
            an admonition, with its class.
        block: which block it stands in, by its number in the page.
        element: which element it stands in, by its number in the page.
    """

    kind: str
    chain: tuple[str, ...] = ()
    block: int = 0
    element: int = 0

    def within(self, *tags: str) -> bool:
        """Whether one of these elements is around it."""
        return any(tag in self.chain for tag in tags)

    @property
    def box(self) -> str:
        """The element for a box that the engine writes here, inside a list or the like.

        Python-Markdown takes the end of a `div` there for the end of one at the left edge that is around it.
        """
        return "section" if "div" in self.chain[1:] or STAND_IN in self.chain else "div"


@dataclass(frozen=True)
class Formula:
    """A formula as the renderer found it: LaTeX without its marks, and whether it stands alone."""

    latex: str
    display: bool


@dataclass(frozen=True)
class Reading:
    """A page as the renderer reads it.

    Args:
        places: of each token.
        fences: of each fence's token.
        formulas: in order.
        passages: what a reader reads, block by block, tokens included; attributes that are read out, too.
        headings: how many headings there are.
    """

    places: Mapping[int, Place]
    fences: Mapping[int, Place]
    formulas: tuple[Formula, ...]
    passages: tuple[str, ...]
    headings: int

    def place(self, number: int) -> Place:
        """Of a token; what came out nowhere is absent."""
        return self.places.get(number, Place("absent"))

    def fence(self, number: int) -> Place:
        """Of a fence's token."""
        return self.fences.get(number, Place("absent"))


class _Seen(InlineProcessor):
    """Marks the tokens that Markdown's own inline patterns meet: there, markup is read."""

    def handleMatch(self, match, data):  # noqa: N802 - Python-Markdown's name
        return f"{INLINE}{match[1]}{END}", match.start(0), match.end(0)


class LostCells(Exception):
    """A row of a table that has more cells than the table has columns: the renderer would drop them.

    Args:
        row: as the renderer met it.
    """

    def __init__(self, row: str) -> None:
        super().__init__(row)
        self.row = row


class _WholeRows(TableProcessor):
    """Tables whose rows lose nothing."""

    def _build_row(self, row, parent, align):
        if len(self._split_row(row)) > len(align):
            raise LostCells(row.strip())
        return super()._build_row(row, parent, align)


@dataclass(frozen=True)
class Renderer:
    """Python-Markdown as a site has it configured.

    Args:
        extensions: its extensions, as in MkDocs' configuration.
        settings: of each extension.
        root: the folder that relative paths in the settings start from; None for the current one.
        cache: folder of earlier readings; None to keep none.
    """

    extensions: Sequence[Any] = USUAL
    settings: Mapping[str, Any] = field(default_factory=lambda: _USUAL_SETTINGS)
    root: Path | None = None
    cache: Path | None = None

    @classmethod
    def of(cls, settings: SiteSettings, cache: Path | None = None) -> Renderer:
        """As mkdocs.yml configures it, MkDocs' own defaults included."""
        names: dict[str, Any] = dict.fromkeys(_DEFAULT)
        for item in settings.raw.get("markdown_extensions") or []:
            pairs = item.items() if isinstance(item, Mapping) else [(item, None)]
            names.update({str(name): _resolved(value) for name, value in pairs})
        return cls(tuple(names), {n: v for n, v in names.items() if v}, settings.path.parent, cache)

    @cached_property
    def key(self) -> str:
        """What decides a reading besides the text."""
        modules = (Path(__file__), Path(__file__).with_name("page.py"))
        parts = [markdown.__version__, pymdownx.__version__, *map(files.sha256_of_text, modules)]
        return files.sha256(repr((parts, list(self.extensions), _plain(self.settings))).encode())

    @cached_property
    def _markdown(self) -> markdown.Markdown:
        """The site's Markdown, without snippets, which are put in before, and without colours."""
        extensions = [name for name in self.extensions if "snippets" not in str(name)]
        settings = {name: dict(value or {}) for name, value in self.settings.items()}
        if any("superfences" in str(name) for name in extensions):
            extensions.append("pymdownx.highlight")
            settings.setdefault("pymdownx.highlight", {})["use_pygments"] = False
        settings.setdefault("toc", {}).pop("permalink", None)
        try:
            made = markdown.Markdown(extensions=extensions, extension_configs=settings)
        except (ImportError, AttributeError, KeyError, TypeError, ValueError) as error:
            raise MeasuredError(
                f"Python-Markdown refuses the site's extensions: {error}",
                path=NAME,
                expected="markdown_extensions that are installed, with settings that they know",
            ) from error
        if "smarty" in made.treeprocessors:
            made.treeprocessors.deregister("smarty")
        if "table" in made.parser.blockprocessors:
            theirs = made.parser.blockprocessors["table"]
            made.parser.blockprocessors.register(_WholeRows(made.parser, theirs.config), "table", 75)
        made.inlinePatterns.register(_Seen(f"{RAW}(\\d+){END}", made), "measured-token", 185)
        return made

    @cached_property
    def _snippets(self) -> Any:
        """The site's own preprocessor for snippets, if it has one."""
        if not any("snippets" in str(name) for name in self.extensions):
            return None
        settings = {name: dict(value or {}) for name, value in self.settings.items() if "snippets" in name}
        for value in settings.values():
            base = value.get("base_path", ["."])
            folder = self.root or Path.cwd()
            value["base_path"] = [str(folder / b) for b in ([base] if isinstance(base, str) else base)]
        names = [name for name in self.extensions if "snippets" in str(name)]
        return markdown.Markdown(extensions=names, extension_configs=settings).preprocessors["snippet"]

    def included(self, lines: list[str]) -> list[str]:
        """Some lines of a page with the snippets that they name in place; nothing appended."""
        if self._snippets is None:
            return lines
        appended, self._snippets.auto_append = self._snippets.auto_append, []
        try:
            return self._snippets.run(list(lines))
        finally:
            self._snippets.auto_append = appended

    def appended(self) -> str:
        """What the site appends to every page: abbreviations, usually."""
        return "" if self._snippets is None else "\n".join(self._snippets.run([]))

    def appended_files(self) -> list[Path]:
        """The files that the site appends to every page."""
        snippets = self._snippets
        if snippets is None:
            return []
        snippets.bases = None
        found = (snippets.get_snippet_path(name) for name in snippets.auto_append or [])
        return [Path(name) for name in found if name]

    def read(self, text: str) -> Reading:
        """Render a page that has tokens in it, and see where they come out; an equal page is read once."""
        name = files.sha256(f"{self.key}{text}".encode())[:32]
        if name not in self._readings:
            kept = self.cache / f"{name}.json" if self.cache else None
            found = _stored(kept)
            if found is None:
                self._markdown.reset()
                found = _Reader(self._markdown.convert(text)).reading()
                if kept is not None:
                    keeping.write(kept, asdict(found))
            self._readings[name] = found
        return self._readings[name]

    @cached_property
    def _readings(self) -> dict[str, Reading]:
        return {}

    def keeps_to_itself(self, text: str) -> bool:
        """Whether Markdown that is put into a page, in an element of its own, stays in that element.

        Raises:
            LostCells: it holds a table that would lose some.
        """
        if TOKEN.search(text) or _DEFINITION.search(text):
            return False
        before, after = (f"{RAW}{number}{END}" for number in (0, 1))
        reading = self.read(f'{before}\n\n<div markdown="1">\n\n{text}\n\n{after}\n\n</div>\n')
        return reading.place(1).chain == ("div", "div", "p") and not reading.headings

    def forget_others(self) -> None:
        """Remove earlier readings that no page of this run asked for."""
        for path in self.cache.glob(f"{'[0-9a-f]' * 32}.json") if self.cache else ():
            if path.stem not in self._readings:
                path.unlink(missing_ok=True)


def _resolved(value: Any) -> Any:
    """Settings with the Python objects that their tags name."""
    if isinstance(value, Mapping):
        return {key: _resolved(v) for key, v in value.items()}
    if isinstance(value, list):
        return [_resolved(v) for v in value]
    if isinstance(value, Tagged):
        _, _, name = value.tag.partition("python/name:")
        try:
            return pkgutil.resolve_name(name) if name else _resolved(value.value)
        except (ImportError, AttributeError, ValueError) as error:
            raise MeasuredError(f"{value.tag} names nothing: {error}", path=NAME) from error
    return value


def _stored(path: Path | None) -> Reading | None:
    """An earlier reading; None where there is none, or half of one."""
    try:
        data = keeping.read(path)
        places, fences = (
            {int(n): Place(**{**p, "chain": tuple(p["chain"])}) for n, p in data[name].items()}
            for name in ("places", "fences")
        )
        formulas = tuple(Formula(**f) for f in data["formulas"])
        return Reading(places, fences, formulas, tuple(data["passages"]), data["headings"])
    except (AttributeError, OSError, ValueError, KeyError, TypeError):
        return None


def _plain(value: Any) -> Any:
    """Settings without addresses of functions, which differ from one process to the next."""
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    return getattr(value, "__qualname__", None) or str(value)


class _Reader:
    """One walk over the rendered page."""

    def __init__(self, rendered: str) -> None:
        self.tree = lxml.html.fragment_fromstring(rendered or "<p></p>", create_parent="div")
        self.places: dict[int, Place] = {}
        self.fences: dict[int, Place] = {}
        self.formulas: list[Formula] = []
        self.passages: list[list[str]] = [[]]
        self.read_out: set[str] = set()
        self.blocks = 0
        self.elements = 0
        self.headings = 0

    def reading(self) -> Reading:
        self._element(self.tree, ())
        passages = (" ".join("".join(parts).split()) for parts in self.passages)
        return Reading(
            self.places,
            self.fences,
            tuple(self.formulas),
            tuple(filter(None, passages)),
            self.headings,
        )

    def _element(self, element: Any, chain: tuple[str, ...]) -> None:
        self.elements += 1
        number = self.elements
        if not isinstance(element.tag, str):
            self._text(element.text, (*chain, "#comment"), "comment", number)
            return
        chain = (*chain, _named(element))
        block = element.tag in _BLOCKS
        if block:
            self._new_block()
        self.headings += element.tag in HEADINGS
        self._attributes(element, chain)
        if element.tag == "pre":
            self._text(element.text_content(), chain, "code", number)
        elif "arithmatex" in (element.get("class") or "").split():
            self._formula(element, chain)
        elif not _REPEATED.intersection((element.get("class") or "").split()):
            kind = _kind(chain)
            self._text(element.text, chain, kind, number)
            for child in element:
                self._element(child, chain)
                self._text(child.tail, chain, kind, number)
        if block:
            self._new_block()

    def _new_block(self) -> None:
        self.blocks += 1
        if self.passages[-1]:
            self.passages.append([])

    def _attributes(self, element: Any, chain: tuple[str, ...]) -> None:
        for name, value in element.attrib.items():
            for match in TOKEN.finditer(value):
                self._put(int(match[1]), Place("text", chain, self.blocks))
            if name in _READ_ATTRIBUTES and not CODE.intersection(chain) and value not in self.read_out:
                self.read_out.add(value)  # an abbreviation says the same wherever it stands
                self.passages.insert(-1, [value])

    def _formula(self, element: Any, chain: tuple[str, ...]) -> None:
        content = element.text_content()
        for match in TOKEN.finditer(content):
            self._put(int(match[1]), Place("formula", chain, self.blocks))
        display = element.tag == "div"
        self.formulas.append(Formula(re.sub(r"^\\[(\[]|\\[)\]]$", "", content), display))
        self.passages[-1].append(" \N{OBJECT REPLACEMENT CHARACTER} ")

    def _text(self, text: str | None, chain: tuple[str, ...], kind: str, element: int) -> None:
        if not text:
            return
        for mark, number in _ANY_TOKEN.findall(text):
            found = kind if mark != RAW or kind != "rich" else "raw"
            place = Place(found, chain, self.blocks, element)
            if mark == FENCE and kind == "code" and text.strip() != f"{FENCE}{number}{END}":
                place = replace(
                    place, kind="quoted"
                )  # its marks are shown: code that shows how code is written
            if mark == FENCE:
                self.fences.setdefault(int(number), place)
            else:
                self._put(int(number), place)
        if kind in ("rich", "text"):
            self.passages[-1].append(text)
        elif kind == "code":
            self.passages[-1].append(" \N{OBJECT REPLACEMENT CHARACTER} ")

    def _put(self, number: int, place: Place) -> None:
        """A piece that comes out twice (in a heading and in a list of contents) takes the plainer form."""
        before = self.places.get(number)
        if before is None or _PLAINNESS.index(place.kind) > _PLAINNESS.index(before.kind):
            self.places[number] = place


_PLAINNESS = ("comment", "absent", "rich", "raw", "text", "formula", "silent", "code")


def _named(element: Any) -> str:
    kinds = _BOXES.intersection((element.get("class") or "").split()) if element.tag == "div" else ()
    return f"div.{min(kinds)}" if kinds else element.tag


def _kind(chain: tuple[str, ...]) -> str:
    if CODE.intersection(chain):
        return "code"
    if _SILENT.intersection(chain):
        return "silent"
    return "text" if _PLAIN.intersection(chain) else "rich"


def passages_between(passages: Sequence[str], opening: set[int], closing: set[int]) -> Iterator[str]:
    """What a reader reads outside the tokens that open and those that close."""
    depth = 0
    for passage in passages:
        kept, position = [], 0
        for match in TOKEN.finditer(passage):
            if depth == 0:
                kept.append(passage[position : match.end()])
            position = match.end()
            depth += (int(match[1]) in opening) - (int(match[1]) in closing)
        if depth == 0:
            kept.append(passage[position:])
        yield "".join(kept)
