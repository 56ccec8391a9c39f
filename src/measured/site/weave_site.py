"""The first stage: pages woven, and everything generated, in a folder of plain Markdown. No renderer here.

What renderers disagree about is settled before they see it: references, cells, figures and claims are plain
Markdown; raw HTML names other pages neutrally (`site:/attention/`), which finishing resolves; texts of the
front matter, which templates write as they are, are escaped.
"""

from __future__ import annotations

import html
import posixpath
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import measured
from measured import fast_yaml, files, folders
from measured.errors import MeasuredError
from measured.making import confirming, workflow
from measured.making.fingerprint import HashOfCode
from measured.mkdocs_yml import SiteSettings, is_page
from measured.project import Project
from measured.site import collisions, data_files, generated, hooks, ledger, notebooks, provenance
from measured.site.finish_page import NEUTRAL, Expected, address_of, file_of
from measured.site.product import vendor_folder
from measured.site.remembered import Remembered
from measured.terms.parts import false_parts
from measured.terms.reading import findings_of
from measured.terms.record import Record
from measured.weaving import cells, diagrams, formulas
from measured.weaving.kernel import Setup
from measured.weaving.page import PageSource, scan
from measured.weaving.page_text import read_text
from measured.weaving.references import Library
from measured.weaving.renderer import Renderer
from measured.weaving.weave import Weaver

VENDOR = "build/vendor/site"
WOVEN = "woven"  # the folder of woven pages, below that of everything generated

_THEME_FILE = re.compile(r"\w[\w.-]*(?:/\w[\w.-]*)*")


@dataclass(frozen=True)
class WovenSite:
    """A site before it is rendered.

    Args:
        settings: of the site.
        pages: what authors wrote, woven, by place among the pages.
        made: what is generated, by place.
        copied: the authors' other files, by place.
        weave_page: weaves a page, by its place and file, with all that the others were woven with.
    """

    settings: SiteSettings
    pages: Mapping[str, generated.Page]
    made: Mapping[str, str | bytes]
    copied: Mapping[str, Path]
    weave_page: Callable[[str, Path], generated.Page] = field(repr=False)

    def with_page(self, place: str, path: Path) -> WovenSite:
        """The site with one page woven anew, as it is now; what follows from it elsewhere is as before.

        Raises:
            MeasuredError: it cannot be woven; with path and line.
        """
        return replace(self, pages={**self.pages, place: self.weave_page(place, path)})

    def expected(self) -> dict[str, Expected]:
        """What finishing must find in each page, by the page's file in the site."""
        found = {}
        for place, page in self.pages.items():
            woven = page.woven
            found[place] = Expected(
                figures=len(woven.figures),
                formulas=len(woven.formulas),
                diagrams=len(woven.diagrams),
                tables=len(woven.tables),
                searched=not (page.meta.get("search") or {}).get("exclude", False),
                boost=float((page.meta.get("search") or {}).get("boost", 1)),
            )
        for place, text in self.made.items():
            if is_page(place) and isinstance(text, str):
                found[place] = Expected(links=text.count(f'"{NEUTRAL}'), searched=False)
        return {file_of(place, self.settings.directory_urls): one for place, one in found.items()}

    def contents(self) -> Iterator[tuple[str, str | bytes | Path]]:
        """Every file of the folder: its place, and what it holds or is copied from."""
        for place, page in self.pages.items():
            yield place, front_matter(page.meta) + page.woven.markdown
        yield from self.made.items()
        yield from self.copied.items()

    def write(self, folder: Path) -> int:
        """Write the folder; what is there already stays as it is, and what nothing asks for goes.

        Args:
            folder: one that the engine has made, or none yet.

        Returns:
            How many pages an author wrote.

        Raises:
            MeasuredError: the folder is somebody else's, or a name leads out of it.
        """
        if not (folder / folders.LIST).is_file():
            folders.fresh(folder)
        before, wanted = folders.listed(folder), set()
        for place, content in self.contents():
            path = folders.inside(folder, place)
            wanted.add(place)
            if isinstance(content, Path):
                _copy(content, path)
                continue
            data = content.encode("utf-8") if isinstance(content, str) else content
            if not path.is_file() or path.read_bytes() != data:
                files.write_bytes(path, data)
        folders.drop(folder, before - wanted)
        folders.write_list(folder, wanted)
        return len(self.pages)


def weave_site(
    project: Project,
    settings: SiteSettings,
    drafts: bool = False,
    state: str = "",
    code: HashOfCode | None = None,
) -> WovenSite:
    """Weave all pages, and make everything that follows from them.

    Args:
        project: measured and drawn.
        settings: of its site.
        drafts: with pages that are only previewed.
        state: of all that was measured; with it, what follows from that alone is generated once.
        code: hashes a file of code, where somebody knows some of them; None for those that a build has kept.

    Raises:
        MeasuredError: a page that cannot be woven; with path and line.
    """
    gaps = project.quick or drafts
    declared = {e.name: e.settings(project.quick) for e in project.declared.values()} if gaps else {}
    stored = data_files.stored_values(project) if gaps else ()
    confirmed = confirming.confirmations(project)
    # A preview may find the record of an experiment that is declared no more; a build removes it.
    records = {name: found for name, found in project.read_records().items() if name in project.declared}
    library = Library(records, absent=stored, declared=declared, confirmed=confirmed)
    weaver = Weaver(
        library,
        data_files.pictures(project),
        row_page=ledger.PAGE,
        claims_must_hold=not project.quick,
        shows_gaps=gaps,
        false_parts=lambda name: _false_parts(project, records, name),
    )
    renderer = Renderer.of(settings, project.build / "readings")
    code = code or workflow.code_of(project).of
    setup = Setup(project.root, project.build, project.site, project.packages, code)

    def executed(pages: list[PageSource]) -> list[cells.Executed]:
        twice = not project.quick
        return cells.execute(pages, setup, distributions=project.versions, renderer=renderer, twice=twice)

    def weave_page(place: str, path: Path) -> generated.Page:
        source = read_page(path, project.root, renderer)
        _refuse_odd_names(source)
        weaver.refuse_claims(source)
        return _woven(weaver, source, place, *executed([source]))

    pages, copied, sources = {}, {}, {}
    found = list(settings.files(drafts))
    collisions.refuse_among(found, settings)
    authored = dict(found)
    for place, path in authored.items():
        if not is_page(place):
            copied[place] = path
            continue
        sources[place] = read_page(path, project.root, renderer)
        _refuse_odd_names(sources[place])
        weaver.refuse_claims(sources[place])  # of each page, before the first cell is executed
    for (place, source), ran in zip(sources.items(), executed(list(sources.values())), strict=True):
        pages[place] = _woven(weaver, source, place, ran)
    renderer.forget_others()

    def link(place: str) -> str:
        return NEUTRAL + (address_of(place, settings.directory_urls) if is_page(place) else place)

    commit = provenance.commit_of(project.root, settings.repository)
    elsewhere = _elsewhere(project, settings, copied, commit)
    vendor = vendor_folder(project, settings)
    apart = (project.build, project.site, Path(measured.__file__).parent)
    kept = project.build / "generated.json"
    state = state and files.sha256(f"{state} {settings.raw!r}".encode())
    remembered = Remembered(project.root, project.build / WOVEN, kept, apart, state)
    site = generated.Site(settings.name, settings.repository, link, vendor, elsewhere, commit, remembered)
    added = remembered.files("hooks", hooks.key_of(project), lambda: hooks.load(project).files(project))
    made = collisions.collect((generated.files(project, library, pages, site), added), authored, settings)
    remembered.keep()
    return WovenSite(settings, pages, made, copied, weave_page)


def _false_parts(project: Project, records: Mapping[str, Record], name: str) -> list[str]:
    """Which parts of a claim that does not hold are false, by the predicate as it is now."""
    for experiment in project.declared.values():
        for claim in experiment.claims:
            if claim.id == name and experiment.name in records:
                return false_parts(claim, findings_of(records[experiment.name]))
    return []


def read_page(path: Path, root: Path, renderer: Renderer) -> PageSource:
    """A page as an author wrote it, taken apart.

    Raises:
        MeasuredError: it is no text in UTF-8, no notebook, or cannot be taken apart.
    """
    shown = path.relative_to(root) if path.is_relative_to(root) else path
    return scan(read_text(path, shown), shown, renderer)


def _refuse_odd_names(source: PageSource) -> None:
    """What the front matter calls a file of the theme is the name of one: themes include it unseen."""
    for key in ("icon", "template"):
        value = source.meta.get(key)
        if value is not None and not (isinstance(value, str) and _THEME_FILE.fullmatch(value)):
            raise MeasuredError(
                f"the front matter's {key} is no name of a file: {str(value)[:60]!r}",
                path=source.path,
                line=source.meta_lines.get(key, 1),
                expected="letters, digits, _, - and . in names joined by /",
            )


def _woven(weaver: Weaver, source: PageSource, place: str, executed: cells.Executed) -> generated.Page:
    woven = weaver.weave(source, executed.markdown, place)
    diagrams.check(source.path, woven.diagrams)
    formulas.check(source.path, woven.formulas)
    if executed.notebook:
        name = posixpath.basename(notebooks.place_of(place))
        link = f"[This page as a notebook, with its outputs]({name}){{ .data-link .notebook-link }}"
        woven = replace(woven, markdown=f"{woven.markdown.rstrip()}\n\n{link}\n")
    return generated.Page(woven, executed, woven.meta)


def _elsewhere(
    project: Project,
    settings: SiteSettings,
    copied: Mapping[str, Path],
    commit: provenance.Commit | None,
) -> notebooks.Elsewhere:
    figures = f"{data_files.DATA}/figures/"

    def picture(place: str) -> bytes | None:
        path = (
            project.drawings / place.removeprefix(figures) if place.startswith(figures) else copied.get(place)
        )
        return path.read_bytes() if path is not None and path.is_file() else None

    return notebooks.Elsewhere(
        settings.name,
        str(settings.raw.get("site_url") or ""),
        project.packages,
        project.distribution,
        f"git+{commit.repository}@{commit.sha}" if commit else "",
        _engine_at(project, commit),
        picture,
        settings.directory_urls,
    )


def _engine_at(project: Project, commit: provenance.Commit | None) -> str:
    """What pip installs the engine from, where the project's repository holds its source."""
    engine = Path(measured.__file__).resolve().parent
    if commit is None or not engine.is_relative_to(project.root):
        return ""
    below = engine.relative_to(project.root).as_posix()
    return f"git+{commit.repository}@{commit.sha}#subdirectory={below}"


def front_matter(meta: Mapping[str, Any]) -> str:
    """What a page says of itself, without the notebook's part: the cells have run."""
    kept = inert({key: value for key, value in meta.items() if key != "jupyter"})
    return f"---\n{fast_yaml.dump(kept)}---\n\n" if kept else ""


def inert(value: Any) -> Any:
    """Data whose texts are escaped, for templates that write them as they are."""
    if isinstance(value, str):
        return html.escape(html.unescape(value), quote=True)
    if isinstance(value, Mapping):
        return {key: inert(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [inert(one) for one in value]
    return value


def _copy(source: Path, path: Path) -> None:
    if path.is_file() and path.read_bytes() == source.read_bytes():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, path)
    shutil.copystat(source, path)
