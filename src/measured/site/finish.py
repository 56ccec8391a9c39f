"""Finishing a built folder: each of its pages, then what only the whole site can have.

The folder may come from any renderer. What a page became is kept by the hash of what it was, so that an edit
costs one page; a folder that is finished is known by the hashes of its pages, and finishing it again changes
nothing.
"""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from urllib.parse import unquote, urlsplit

from measured import files, keeping
from measured.counting import counted
from measured.errors import MeasuredError
from measured.site import content_policy, documents, drawings, lean_scripts, search, styles
from measured.site.finish_page import Finished, Page, Setting, finish_page

FINISHED = 'http-equiv="Content-Security-Policy"'
HEADERS = "_headers"


class DeadLink(MeasuredError):
    """A link of a finished page that leads nowhere.

    Args:
        link: as the page writes it.
        page: the page's file in the site.
        what: what is wrong with it.
    """

    def __init__(self, link: str, page: str, what: str) -> None:
        self.link, self.page = link, page
        super().__init__(f"the link {link} {what}", path=page, expected="links that lead somewhere")

    def __reduce__(self):
        return DeadLink, (self.link, self.page, self.problem.removeprefix(f"the link {self.link} "))


class SharedAnchor(MeasuredError):
    """Two elements of a page with the same id: a link to it finds the first, whichever was meant.

    Args:
        anchor: the id.
        page: the page's file in the site.
    """

    def __init__(self, anchor: str, page: str) -> None:
        self.anchor, self.page = anchor, page
        super().__init__(
            f"two elements of the page are called {anchor!r}",
            path=page,
            expected="an id of its own for each: a link to it finds the first of them alone",
            mend="rename or remove one: {#another-name} behind a heading, or its id=…",
        )

    def __reduce__(self):
        return SharedAnchor, (self.anchor, self.page)


@dataclass(frozen=True)
class Report:
    """What finishing did: pages, sections that search lists, changes by step, the sheets that became one."""

    pages: int
    sections: int
    counts: Mapping[str, int]
    sheets: Sequence[str] = ()

    def __str__(self) -> str:
        done = ", ".join(f"{count} {name}" for name, count in self.counts.items() if count)
        return f"{counted(self.pages, 'page')}, {counted(self.sections, 'section')} to search; {done}"


def finish(
    site: Path,
    setting: Setting,
    cache: Path,
    *,
    one_sheet: bool = False,
    with_policy: bool = True,
    with_links: bool = True,
) -> Report:
    """Finish a built folder, in place.

    Args:
        site: what a renderer has made.
        setting: what finishing must know of it.
        cache: folder of pages that were finished before.
        one_sheet: whether the style sheets of its pages become one, and scripts are lean.
        with_policy: off for a preview, whose server adds a script of its own.
        with_links: off for a preview of nothing measured: what is generated from results is not there to be
            linked to.

    Raises:
        MeasuredError: a page, a drawing or a style sheet holds what it may not, or leads nowhere.
    """
    rendered = {path.relative_to(site).as_posix(): path for path in sorted(site.rglob("*.html"))}
    if not rendered:
        raise MeasuredError("the site has no page", path=site)
    done = cache / "finished.json"
    before = _read_report(done, _hashes(rendered))
    if before is not None:
        return before  # this folder, as it is, came from here
    if one_sheet:
        setting = replace(setting, sheets=tuple(styles.sheets_of(_first(rendered, setting))))
    pages = dict(_finished(rendered, setting, cache))
    if one_sheet:
        names = {name for page in pages.values() for name in page.names}
        styles.join(site, setting.sheets, names, cache / "sheet.json", setting.absent)
        lean_scripts.write(site, ("assets/javascripts", "assets/measured"), setting.theme_files)
    refuse_shared_anchors(pages)
    if with_links:
        refuse_dead_links(pages, site, setting)
    policy = content_policy.policy(text for page in pages.values() for text in page.scripts)
    for path, page in pages.items():
        finished = content_policy.with_policy(page.html, policy if with_policy else "")
        rendered[path].write_text(finished, encoding="utf-8")
    searched = [path for path, expected in setting.expected.items() if expected.searched and path in pages]
    boosts = {address(path): setting.expected[path].boost for path in searched}
    sections = search.write(site, {address(path): pages[path].sections for path in searched}, boosts)
    content_policy.refuse_foreign_styles(site)
    answers = keeping.Answers(cache / "drawings.json", setting.of)
    drawings.refuse(site, answers)
    answers.keep()
    documents.refuse(site)
    files.write_text(site / HEADERS, content_policy.HEADERS)
    counts = sum((Counter(page.counts) for page in pages.values()), Counter())
    report = Report(len(pages), sections, dict(counts), list(setting.sheets))
    keeping.write(done, {"pages": _hashes(rendered), "report": asdict(report)})
    return report


def _hashes(pages: Mapping[str, Path]) -> dict[str, str]:
    return {path: files.sha256(file.read_bytes()) for path, file in pages.items()}


def _read_report(done: Path, pages: Mapping[str, str]) -> Report | None:
    try:
        stored = keeping.read(done)
        return Report(**stored["report"]) if stored["pages"] == pages else None
    except (KeyError, TypeError):
        return None  # never made, or not as it was written


def _first(rendered: Mapping[str, Path], setting: Setting) -> Page:
    """The page whose style sheets are those of the theme's other pages: one that an author wrote."""
    path = next((path for path in rendered if path in setting.expected), next(iter(rendered)))
    return Page(rendered[path].read_text(encoding="utf-8"), path, setting)


def _finished(rendered: Mapping[str, Path], setting: Setting, cache: Path) -> Iterator[tuple[str, Finished]]:
    """Each page, made or kept; what nobody asked for any more is forgotten."""
    used = set()
    for path, file in rendered.items():
        text = file.read_text(encoding="utf-8")
        if FINISHED in text.partition("</head>")[0]:
            raise MeasuredError(
                "the page has a content policy, which no renderer gives it", path=path, mend="build again"
            )
        expected, generated = setting.expected.get(path), path in setting.generated
        key = files.sha256(repr((text, path, setting.of, setting.sheets, expected, generated)).encode())
        kept = cache / f"{key[:40]}.json"
        used.add(kept.name)
        page = _read(kept)
        if page is None:
            page = finish_page(text, path, setting)
            keeping.write(kept, asdict(page))
        yield path, page
    for old in cache.glob(f"{'[0-9a-f]' * 40}.json"):
        if old.name not in used:
            old.unlink()


def _read(kept: Path) -> Finished | None:
    try:
        data = keeping.read(kept)
        sections = tuple(
            search.Section(**{**section, "paragraphs": tuple(section["paragraphs"])})
            for section in data.pop("sections")
        )
        lists = {name: tuple(data.pop(name)) for name in ("scripts", "ids", "shared", "links", "names")}
        return Finished(**data, **lists, sections=sections)
    except (AttributeError, KeyError, TypeError):
        return None  # never made, or half-written


def address(path: str) -> str:
    """The address of a file of the site, from its root."""
    folder, _, name = path.rpartition("/")
    return path if name != "index.html" else f"{folder}/" if folder else ""


def refuse_shared_anchors(pages: Mapping[str, Finished]) -> None:
    """Look for ids that two elements of a page have.

    Raises:
        SharedAnchor: names one.
    """
    for path, page in pages.items():
        for anchor in page.shared:
            raise SharedAnchor(anchor, path)


def refuse_dead_links(pages: Mapping[str, Finished], site: Path, setting: Setting) -> None:
    """Follow every link of every page inside the site, to the place in the page.

    Raises:
        MeasuredError: one leads nowhere.
    """
    places = {path: frozenset(page.ids) for path, page in pages.items()}
    there: dict[str, str | None] = {}

    def target(path: str) -> str | None:
        if path not in there:
            file = site / path
            index = posixpath.join(path, "index.html") if path != "." else "index.html"
            there[path] = index if file.is_dir() and index in places else path if file.is_file() else None
        return there[path]

    for path, page in pages.items():
        folder = posixpath.dirname(path)
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            where = unquote(parts.path)
            if where.startswith("/"):
                where = where.removeprefix(setting.root_path.rstrip("/")).lstrip("/") or "."
            else:
                where = posixpath.normpath(posixpath.join(folder, where)) if where else path
            found = None if where.startswith("..") else target(where)
            anchor = unquote(parts.fragment)
            if found is None or (anchor and found in places and anchor not in places[found]):
                what = "leads to no file of the site" if found is None else f"finds no #{anchor} there"
                raise DeadLink(link, path, what)
