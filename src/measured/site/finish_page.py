"""Finishing: the pages that a renderer has made become the site that readers get.

Each page is read as a browser reads it, changed by steps that count what they change, written, read again,
and only then checked: what was checked is what is served. A step that finds fewer things than weaving left
for it refuses the page, since a renderer that changes its markup would otherwise undo it in silence.
"""

from __future__ import annotations

import html
import posixpath
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

from measured.errors import MeasuredError
from measured.site import allowlist, content_policy, leftovers, search, styles, theme_scripts, used_styles
from measured.site.compact_svg import compact
from measured.weaving import diagrams, formulas

# What a private-use character begins and another ends is replaced by markup once the tree is text again.
_TOKEN = re.compile("\ue010(\\d+)\ue011")
_ALIGNED = re.compile(r"text-align:\s*(left|right|center);?")
_CLASSES = {"left": "", "right": "number", "center": "centre"}
_KEPT_AS_IT_IS = re.compile(r"<(script|style|article|pre|textarea)\b.*?</\1>", re.S)
_BLANKS = re.compile(r"\s*\n\s*")
_BETWEEN = "\ue012"
NEUTRAL = "site:/"
STEPS = ("figures", "formulas", "diagrams", "tables", "links", "theme", "styles")


@dataclass(frozen=True)
class Expected:
    """What weaving left in a page for these steps to find.

    Args:
        figures: pictures of figures.
        formulas: formulas that the renderer leaves as LaTeX.
        diagrams: texts of diagrams.
        tables: tables without a class of their own.
        links: neutral addresses.
        searched: whether search lists the page.
        boost: how much more than another page's its hits weigh.
    """

    figures: int = 0
    formulas: int = 0
    diagrams: int = 0
    tables: int = 0
    links: int = 0
    searched: bool = True
    boost: float = 1.0


@dataclass(frozen=True)
class Setting:
    """What finishing must know of a site.

    Args:
        figures: markup of each finished figure, by name: wide, and narrow where that is another drawing.
        expected: what weaving left in each page, by its file in the site.
        templates: the folder of the installed theme.
        scripts: files of the site that pages may fetch as scripts, besides the theme's.
        inline: texts of scripts that pages may hold, besides the theme's.
        absent: how classes begin that no script makes on this site (see `measured.site.hooks`).
        root_path: the path of the site on its host.
        directory_urls: whether `a.md` becomes `a/index.html`.
        generated: pages that stand in no repository, by their files in the site.
        sheets: the style sheets that one takes the place of, by their places in the site.
        banner: markup that stands before each article.
        hooks: the project's own steps, called with each page; they return how much they changed.
        of: what else decides over a finished page, as text: versions of the steps.
    """

    figures: Callable[[str], tuple[str, str]]
    expected: Mapping[str, Expected]
    templates: Path
    scripts: tuple[str, ...] = ()
    inline: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    root_path: str = "/"
    directory_urls: bool = True
    generated: frozenset[str] = frozenset()
    sheets: tuple[str, ...] = ()
    banner: str = ""
    hooks: tuple[Callable[[Page], int], ...] = ()
    of: str = ""

    @cached_property
    def theme_files(self) -> frozenset[str]:
        """The theme's own scripts, by their place in the site."""
        found = self.templates.glob("assets/javascripts/**/*.js")
        return frozenset(path.relative_to(self.templates).as_posix() for path in found)


@dataclass(frozen=True)
class Finished:
    """A page as readers get it, and what the site's own steps need of it.

    Args:
        html: the page, with a mark where the content policy stands.
        scripts: the text of its inline scripts, all of them the theme's.
        ids: its anchors.
        shared: those that two elements have, drawings aside, whose own parts alone refer to them.
        links: the addresses that it leads to or fetches, as written.
        names: classes, ids and values of attributes, which a style may ask for.
        sections: what search finds in it.
        counts: how much each step changed.
    """

    html: str
    scripts: tuple[str, ...]
    ids: tuple[str, ...]
    shared: tuple[str, ...]
    links: tuple[str, ...]
    names: tuple[str, ...]
    sections: tuple[search.Section, ...]
    counts: Mapping[str, int] = field(default_factory=dict)


class Page:
    """A page while it is finished.

    Args:
        text: as the renderer wrote it.
        path: its file in the site, with `/`.
        setting: of the site.
    """

    def __init__(self, text: str, path: str, setting: Setting) -> None:
        self.tree = LexborHTMLParser(text)
        self.path, self.setting = path, setting
        self.expected = setting.expected.get(path, Expected())
        self._put: list[str] = []

    @property
    def article(self) -> LexborNode | None:
        """The element that holds what authors wrote."""
        return article_of(self.tree)

    def put(self, node: LexborNode, markup: str) -> None:
        """Put markup in the place of a node."""
        node.replace_with(self.token(markup))

    def token(self, markup: str) -> str:
        """Text that becomes this markup when the page is written."""
        self._put.append(markup)
        return f"\ue010{len(self._put) - 1}\ue011"

    def rewrite(self, change: Callable[[str], str]) -> None:
        """Change each piece of markup that was put: formulas, figures, diagrams."""
        self._put[:] = map(change, self._put)

    def text(self) -> str:
        """The page as it is now."""
        return self.written(self.tree.html or "")

    def written(self, part: str) -> str:
        """A part of the page's text with the markup that its tokens stand for."""
        return _TOKEN.sub(lambda match: self._put[int(match[1])], part)

    def way_to(self, target: str) -> str:
        """The address of a place of the site, as this page must write it; the error page stands anywhere."""
        path, mark, place = target.partition("#")
        if self.path == "404.html":
            return self.setting.root_path + quote(path) + mark + place
        way = posixpath.relpath(path or ".", posixpath.dirname(self.path) or ".")
        way += "/" if path.endswith("/") or not path else ""
        return quote("./" if way == "./" else way) + mark + place


def article_of(tree: LexborHTMLParser) -> LexborNode | None:
    """The element around what authors wrote, in the themes of MkDocs and its successors."""
    for selector in ("article.md-content__inner", "article", "[role=main]", "main"):
        found = tree.css_first(selector)
        if found is not None:
            return found
    return None


def address_of(source: str, directory_urls: bool = True) -> str:
    """The address that a Markdown file of the site has, from the site's root."""
    stem = posixpath.splitext(source)[0]
    folder, _, name = stem.rpartition("/")
    if name in ("index", "README"):
        return (f"{folder}/" if folder else "") if directory_urls else f"{folder}/index.html".lstrip("/")
    return f"{stem}/" if directory_urls else f"{stem}.html"


def file_of(source: str, directory_urls: bool = True) -> str:
    """The file that a Markdown file of the site becomes."""
    address = address_of(source, directory_urls)
    return f"{address}index.html" if not address.endswith(".html") else address


def finish_page(text: str, path: str, setting: Setting) -> Finished:
    """Finish one page.

    Args:
        text: as the renderer wrote it.
        path: its file in the site.
        setting: of the site.

    Raises:
        MeasuredError: the page holds what it may not, or lacks what weaving left for a step.
    """
    try:
        return _all_steps(text, path, setting)
    except MeasuredError as error:
        if error.path is not None:
            raise
        raise MeasuredError(error.problem, path=path, expected=error.expected, mend=error.mend) from error


def _all_steps(text: str, path: str, setting: Setting) -> Finished:
    page = Page(text, path, setting)
    counts = {name: step(page) for name, step in zip(STEPS, _steps(), strict=True)}
    counts["hooks"] = sum(hook(page) for hook in setting.hooks)
    for name in ("figures", "formulas", "diagrams", "tables", "links"):
        wanted = getattr(page.expected, name)
        if counts[name] < wanted:
            raise MeasuredError(
                f"of {wanted} {name} that were woven into the page, {counts[name]} are in what was rendered",
                path=path,
                expected="each of them; among the markdown_extensions attr_list, md_in_html, tables, "
                "pymdownx.arithmatex and superfences, as in the mkdocs.yml that `measured init` writes",
            )
    written = formulas.unbroken(_without_blank_lines(page.text()))
    final = LexborHTMLParser(written)
    _drop_comments(final)
    _refuse(final, path, setting)
    return _finished(final, text, path, counts)


def _without_blank_lines(text: str) -> str:
    """What templates of a theme leave between their elements goes; authors' articles stay as they are."""
    made, end = [], 0
    for kept in _KEPT_AS_IT_IS.finditer(text):
        made += [_BLANKS.sub("\n", text[end : kept.start()]), kept[0]]
        end = kept.end()
    return "".join([*made, _BLANKS.sub("\n", text[end:])])


def _steps() -> tuple[Callable[[Page], int], ...]:
    return (
        _inline_figures,
        _write_formulas,
        _draw_diagrams,
        _classes_of_tables,
        _resolve_links,
        _mend_theme,
        _name_one_sheet,
    )


def _inline_figures(page: Page) -> int:
    """Figures become inline SVG, which follows the reader's scheme; of two drawings one is shown."""
    found = page.tree.css("img[data-figure]")
    for image in found:
        label = html.escape(image.attributes.get("alt") or "", quote=True)
        drawn = [svg for svg in page.setting.figures(image.attributes["data-figure"] or "") if svg]
        shapes = ("wide", "narrow data-search-exclude") if len(drawn) == 2 else ("alone",)
        page.put(
            image,
            "".join(
                compact(svg.strip()).replace("<svg", f'<svg class={shape} role="img" aria-label="{label}"', 1)
                for svg, shape in zip(drawn, shapes, strict=True)
            ),
        )
    return len(found)


def _write_formulas(page: Page) -> int:
    """LaTeX becomes MathML; in outlines it has lost its element, and in labels it is text."""
    found = page.tree.css(".arithmatex")
    rendered = formulas.render(_BETWEEN.join(element.html or "" for element in found)).split(_BETWEEN)
    for element, markup in zip(found, rendered, strict=False):
        page.put(element, markup)
    for node in page.tree.css(".md-nav, .md-header, .md-footer"):
        for text in _texts(node):
            if "\\(" in (text.text_content or ""):
                page.put(text, formulas.in_title(html.escape(text.text_content, quote=False)))
        for element in node.css("[aria-label], [title]"):
            for name in ("aria-label", "title"):
                value = element.attributes.get(name)
                if value and "\\(" in value:
                    element.attrs[name] = in_words(value)
    for element in page.tree.css("title, meta[name=description]"):
        value = element.attributes.get("content")
        if value and "\\(" in value:
            element.attrs["content"] = in_words(value)
        if element.tag == "title" and "\\(" in element.text():
            page.put(element, f"<title>{html.escape(in_words(element.text()), quote=False)}</title>")
    return len(found)


def _draw_diagrams(page: Page) -> int:
    """The texts of diagrams become drawings, numbered through the page."""
    found = page.tree.css("pre.diagram")
    drawn = diagrams.render(_BETWEEN.join(element.html or "" for element in found)).split(_BETWEEN)
    for element, markup in zip(found, drawn, strict=False):
        page.put(element, markup)
    return len(found)


def in_words(text: str) -> str:
    """Text with its formulas as text, for what shows no markup."""
    return html.unescape(formulas.plain(formulas.in_title(html.escape(text, quote=False))))


def _texts(node: LexborNode) -> Iterator[LexborNode]:
    return iter([found for found in node.traverse(include_text=True) if found.tag == "-text"])


def _classes_of_tables(page: Page) -> int:
    """Columns align by class, since the policy allows no inline style; wide tables scroll in a box."""
    article = page.article
    if article is None:
        return 0
    for cell in article.css("td[style], th[style]"):
        align = _ALIGNED.fullmatch((cell.attributes.get("style") or "").strip())
        if align:
            del cell.attrs["style"]
            names = " ".join(filter(None, [cell.attributes.get("class"), _CLASSES[align[1]]]))
            if names:
                cell.attrs["class"] = names
    plain = [table for table in article.css("table") if "class" not in table.attributes]
    for table in plain:
        table.attrs["class"] = "plain"
        table.insert_before(page.token('<div class="md-typeset__scrollwrap"><div class="md-typeset__table">'))
        table.insert_after(page.token("</div></div>"))
    return len(plain)


def _resolve_links(page: Page) -> int:
    """Raw HTML names other places from the site's root, since renderers disagree about what is relative."""
    count = 0
    for name in ("href", "src"):
        for element in page.tree.css(f'[{name}*="{NEUTRAL}"]'):
            value = element.attributes[name] or ""
            if value.startswith(NEUTRAL):
                element.attrs[name] = page.way_to(value.removeprefix(NEUTRAL))
                count += 1
    return count


def _mend_theme(page: Page) -> int:
    """What the theme leaves out, as names of dialogs and lists, or does too much, as asking others."""
    count = 0
    for dialog in page.tree.css("[role=dialog]:not([aria-label]):not([aria-labelledby])"):
        field_ = dialog.css_first("[aria-label]")
        dialog.attrs["aria-label"] = (field_.attributes["aria-label"] if field_ else "") or "Dialog"
        count += 1
    for part in page.tree.css("nav[aria-labelledby]"):
        count += _name_part_of_navigation(page, part)
    title = page.tree.css_first("head > title")
    name, _, site = (title.text() if title is not None else "").rpartition(" - ")
    if title is not None and name and name.casefold() == site.casefold():
        page.put(title, f"<title>{html.escape(site, quote=False)}</title>")  # the theme says it twice
        count += 1
    for link in page.tree.css("a[data-md-component=source]"):
        del link.attrs["data-md-component"]  # the theme's script would ask how many stars there are
        count += 1
    for element in page.tree.css('[href="javascript:void(0)"]'):
        element.decompose()
        count += 1
    if page.path in page.setting.generated:
        for link in page.tree.css('a[rel="edit"], a.md-content__button'):
            link.decompose()
            count += 1
    article = page.article
    if article is not None and article.css_first("a.measured, a.claim-mark") is not None:
        heading = article.css_first("h1")
        if heading is not None:
            heading.insert_after(page.token('<div class="sources-switch"></div>'))
            count += 1
    if article is not None and page.setting.banner:
        article.insert_before(page.token(page.setting.banner))
    return count


def _name_part_of_navigation(page: Page, part: LexborNode) -> int:
    """The theme names the list of a section that has a page of its own by an icon, which says nothing."""
    label = page.tree.css_first(f'[id="{part.attributes["aria-labelledby"]}"]')
    name = part.css_first(".md-nav__title")
    if name is None or (label is not None and label.text(strip=True)):
        return 0
    del part.attrs["aria-labelledby"]
    part.attrs["aria-label"] = " ".join(name.text().split())
    return 1


def _name_one_sheet(page: Page) -> int:
    """The one style sheet, where the page names all that it is made of."""
    links = page.tree.css('link[rel="stylesheet"]')
    if not links or tuple(styles.sheets_of(page)) != page.setting.sheets:
        return 0
    links[0].attrs["href"] = page.way_to(styles.SHEET)
    for link in links[1:]:
        link.decompose()
    return 1


def _drop_comments(tree: LexborHTMLParser) -> None:
    """Nobody reads them, and parsers disagree about what they hide."""
    for node in [n for n in tree.root.traverse(include_text=True) if n.tag == "-comment"]:
        node.decompose()


def _refuse(tree: LexborHTMLParser, path: str, setting: Setting) -> None:
    known = theme_scripts.scripts(setting.templates, setting.root_path) | set(setting.inline)

    def fetches(address: str) -> bool:
        if urlsplit(address).scheme or address.startswith(("//", "\\")):
            return False
        place = posixpath.normpath(posixpath.join(posixpath.dirname(path), unquote(urlsplit(address).path)))
        if path == "404.html":
            place = unquote(urlsplit(address).path).removeprefix(setting.root_path)
        return place in setting.theme_files or place in setting.scripts

    theme = allowlist.Theme(known.__contains__, fetches)
    for problem in allowlist.problems(tree.root, article_of(tree), theme):
        raise MeasuredError(
            f"the page holds {problem}",
            path=path,
            expected="elements, attributes and addresses that pages may hold (README: What a page may hold)",
            mend="move scripts and styles to files named in extra_javascript or extra_css; "
            "escape what is meant as text",
        )


def _finished(tree: LexborHTMLParser, rendered: str, path: str, counts: dict[str, int]) -> Finished:
    article = article_of(tree)
    for problem in leftovers.problems(tree, rendered):
        raise MeasuredError(problem, path=path, expected="a page fit for readers")
    sections = tuple(search.sections(article)) if article is not None and path != "404.html" else ()
    scripts = [s for s in tree.css("script:not([src])") if "json" not in (s.attributes.get("type") or "")]
    ids = Counter(name for n in tree.css("[id]") if (name := n.attributes.get("id")))
    drawn = Counter(name for n in tree.css("svg [id]") if (name := n.attributes.get("id")))
    shared = tuple(name for name, count in ids.items() if count > max(drawn[name], 1))
    links = dict.fromkeys(
        value for name in ("href", "src") for n in tree.css(f"[{name}]") if (value := n.attributes.get(name))
    )
    texts = tuple(s.text(deep=True, strip=False) for s in scripts)
    written = content_policy.marked(tree)
    if LexborHTMLParser(written).html != written:
        raise MeasuredError("the page reads differently once it is written", path=path,
                            expected="elements that close as they open")  # fmt: skip
    names = tuple(sorted(used_styles.names_of(tree)))
    return Finished(written, texts, tuple(ids), shared, tuple(links), names, sections, counts)
