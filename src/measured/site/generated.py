"""What a site has besides the pages that authors write, made from woven pages and records.

Data and cards, the pages of code that they lead to, the list of measurements, notebooks and their pictures,
and third-party files that were installed for the site.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from measured.files import sha256 as digest
from measured.making import confirming
from measured.project import Project
from measured.site import claim_rows, code_pages, data_files, ledger, notebooks, provenance, reported
from measured.site.notebooks import Elsewhere
from measured.site.remembered import Remembered
from measured.site.results import Results
from measured.weaving.cells import Executed
from measured.weaving.references import Library
from measured.weaving.weave import Woven

Files = Iterator[tuple[str, str | bytes]]


@dataclass(frozen=True)
class Page:
    """A page of an author's: woven, with its cells executed, and its front matter."""

    woven: Woven
    executed: Executed
    meta: Mapping[str, Any]


@dataclass(frozen=True)
class Site:
    """What generated pages say of the site that they are part of.

    Args:
        name: its title.
        repository: the address of its repository; empty where there is none.
        link: from the list of measurements to a page or file, as an address.
        vendor: folder of third-party files; published at `assets/vendor/`.
        elsewhere: what notebooks say of the place that they come from.
        commit: what is hosted of the code, where that is known.
        remembered: what the last build generated.
    """

    name: str
    repository: str
    link: Callable[[str], str]
    vendor: Path
    elsewhere: Elsewhere
    commit: provenance.Commit | None
    remembered: Remembered


def files(project: Project, library: Library, pages: Mapping[str, Page], site: Site) -> Files:
    """Path in the site, and content, of everything generated."""
    sentences = _sentences(pages)
    shown = [[where, page.woven.ids, page.woven.claims, page.woven.given] for where, page in pages.items()]
    commit = [site.name, site.repository, site.link(""), repr(site.commit)]
    yield from site.remembered.files(
        "site", [shown, sentences, commit], lambda: _of_site(project, library, pages, site, sentences)
    )
    for where, page in pages.items():
        cells = [page.woven.plain, dict(page.woven.meta), page.executed.notebook, site.elsewhere.said]
        pictures = {name: digest(data) for name, data in page.executed.images.items()}
        yield from site.remembered.files(
            f"beside {where}", [cells, pictures], partial(_beside, where, page, site.elsewhere)
        )
    yield from data_files.vendored(site.vendor)


def _of_site(
    project: Project,
    library: Library,
    pages: Mapping[str, Page],
    site: Site,
    sentences: Mapping[str, Mapping[str, str]],
) -> Files:
    """What follows from records and from which page shows what."""
    shown, claimed = defaultdict(list), defaultdict(list)
    for where, page in pages.items():
        for name in page.woven.ids:
            shown[name].append(where)
        for name in page.woven.claims:
            claimed[name].append(where)
    results = Results.of(project)
    origin = provenance.Provenance(
        library,
        data_files.stored_values(project),
        provenance.places(library, project),
        shown,
        claimed,
        code_pages.page_of,
        site.commit,
        library.confirmed,
        results.taken_in_words(),
    )
    yield from results.files()
    yield from data_files.files_of(project, origin, shown, sentences)
    yield claim_rows.PAGE, _confirmations(project, origin, site)
    yield from _code(project, origin, site)
    yield ledger.PAGE, _ledger(project, origin, pages, site).page()


def _code(project: Project, origin: provenance.Provenance, site: Site) -> Files:
    """The pages of code that cards, rows and captions lead to."""
    paths = {
        path
        for record in origin.library.records.values()
        for path in provenance.source_files(record, project)
    }
    paths |= {
        project.root / data_files.drawn_at(project, plot).path for plot in project.declared_figures.values()
    }
    paths |= {project.root / place.path for place in origin.places.values()}
    shown = sorted(p.relative_to(project.root).as_posix() for p in paths if p.exists())
    commit = origin.commit
    hosted = {path: commit.link(code_pages.Place(path, 1)) for path in shown} if commit else {}
    yield from code_pages.pages(shown, project.root, site.name, hosted, project.build / "code")
    yield code_pages.STYLE, code_pages.css(project.read_palette())


def _ledger(
    project: Project, origin: provenance.Provenance, pages: Mapping[str, Page], site: Site
) -> ledger.Ledger:
    return ledger.Ledger(
        origin,
        site.link,
        reported.compare(_comparable(project, origin), origin.library),
        [(where, *number) for where, page in pages.items() for number in page.woven.given],
    )


def _comparable(project: Project, origin: provenance.Provenance) -> list[Any]:
    """The reported figures; a quick site and a preview have but those that something was measured beside."""
    measured = origin.library.measurements
    return [
        one
        for one in project.declared_reported
        if not origin.library.is_partial
        or {one.id, one.error or one.id, one.own_error or one.id} <= measured.keys()
    ]


def _sentences(pages: Mapping[str, Page]) -> dict[str, dict[str, str]]:
    """For each page, the sentence of each claim that it makes."""
    return {
        where: claim_rows.sentences_of(text for kind, text in page.woven.plain if kind == "prose")
        for where, page in pages.items()
    }


def _confirmations(project: Project, origin: provenance.Provenance, site: Site) -> str:
    questions = {
        claim.id: trial.question for trial, claims in confirming.trials(project).values() for claim in claims
    }
    studies = [study for experiment in project.declared.values() for study in experiment.studies]
    claims = origin.library.claims.values()
    return claim_rows.confirmations_page(
        claims, origin.confirmed, questions, studies, site.link, origin.claimed
    )


def _beside(where: str, page: Page, elsewhere: Elsewhere) -> Files:
    """Pictures that a page's cells have made, and the page as a notebook."""
    folder, _, _ = where.rpartition("/")
    beside = f"{folder}/" if folder else ""
    for picture, data in page.executed.images.items():
        yield f"{beside}{picture}", data
    if page.executed.notebook:
        yield notebooks.place_of(where), notebooks.notebook(where, page.woven, page.executed, elsewhere)
