"""Two files for one place in the site: no author's file is replaced by a generated one, nor by another's.

Places are compared as hosts and file systems may: `a.md` and `a/index.md` become one file, and capital
letters make no difference.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from measured.errors import MeasuredError
from measured.mkdocs_yml import SiteSettings, is_page
from measured.site import styles
from measured.site.finish_page import file_of

# What finishing and publishing put beside the pages.
_FINISHED = ("_headers", styles.SHEET)


def refuse_among(authored: Iterable[tuple[str, Path]], settings: SiteSettings) -> None:
    """Look at the files of authors alone.

    Args:
        authored: places among the pages, and the files.
        settings: of the site.

    Raises:
        MeasuredError: two of them become one file of the site, or one stands where the engine puts its own.
    """
    taken: dict[str, Path] = {}
    for place, path in authored:
        target = _target(place, settings)
        if target in taken:
            raise MeasuredError(
                f"{_shown(taken[target], settings)} becomes the same file of the site: {target}",
                path=_shown(path, settings),
                expected="one file for each place in the site",
                mend="rename one of them",
            )
        taken[target] = path
        if target in _FINISHED:
            raise _taken(path, target, settings)


def collect(
    sources: Iterable[Iterable[tuple[str, str | bytes]]], authored: Mapping[str, Path], settings: SiteSettings
) -> dict[str, str | bytes]:
    """Everything generated, by place.

    Args:
        sources: places and contents, from each that generates.
        authored: the files of authors, by place among the pages.
        settings: of the site.

    Raises:
        MeasuredError: something would be put where an author's file is, or where something else is.
    """
    theirs = {_target(place, settings): path for place, path in authored.items()}
    made: dict[str, str | bytes] = {}
    places: dict[str, str] = {}
    for source in sources:
        for place, content in source:
            target = _target(place, settings)
            if target in theirs:
                raise _taken(theirs[target], target, settings)
            if places.setdefault(target, place) != place or (place in made and made[place] != content):
                raise MeasuredError(
                    f"the site would hold two generated files at {target}",
                    expected="one file for each place in the site",
                    mend="rename what the project's hooks generate",
                )
            made[place] = content
    return made


def _taken(path: Path, target: str, settings: SiteSettings) -> MeasuredError:
    return MeasuredError(
        f"the site puts a generated file in this place: {target}",
        path=_shown(path, settings),
        expected="a name that nothing generated has",
        mend="rename the file, and the links to it",
    )


def _target(place: str, settings: SiteSettings) -> str:
    return (file_of(place, settings.directory_urls) if is_page(place) else place).casefold()


def _shown(path: Path, settings: SiteSettings) -> Path:
    root = settings.path.parent.resolve()
    return path.relative_to(root) if path.is_relative_to(root) else path
