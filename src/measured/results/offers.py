"""Where results may be: a folder, an archive, or the address of a published site."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

from measured import archives
from measured.errors import MeasuredError
from measured.making.vouchers import LARGEST
from measured.results import fetching
from measured.results.archive import ARCHIVE, FOLDER, INDEX, Index, ResultArchive, opened, read_index
from measured.results.fetching import BadAddress

RECORDS = "records"  # beside the runs of a clone
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")


class OtherResult(MeasuredError):
    """A run or a record of that name is there, made from something else."""


@dataclass(frozen=True)
class Found:
    """What an offer has: what vouches for the arrays, and these as soon as they are asked for.

    Args:
        voucher: of a run; a record vouches for its own.
        arrays: by their hash.
    """

    voucher: bytes
    arrays: Callable[[str], bytes]


class Offer(Protocol):
    """Results from elsewhere."""

    def run(self, name: str, key: str) -> Found | None:
        """What there is for a run, by its key or else by its name; None where there is nothing.

        Raises:
            OtherResult: it has one of that name alone, and nobody needs to look at it.
        """

    def record(self, name: str, key: str) -> Found | None:
        """The same for a record."""


@contextmanager
def offered(address: str, root: Path, wanted: Collection[str], scratch: Path) -> Iterator[Offer]:
    """Open an address.

    Args:
        address: a folder (of a project, of its builds, of a published site), an archive, or `https://…`.
        root: the folder below which an address without a beginning lies.
        wanted: the keys of what is missing; a site that has none of it is not asked for its archive.
        scratch: a folder for what is fetched, until it was looked at.

    Raises:
        BadAddress: nothing is at a place of this machine, or it is no place to fetch from.
        MeasuredError: what is there is damaged or something else, or the site does not answer.
    """
    if _SCHEME.match(address):
        with _of_site(address, wanted, scratch) as offer:
            yield offer
        return
    place = root / Path(address).expanduser()
    if place.is_dir():
        with _of_folder(place) as offer:
            yield offer
    elif place.exists():
        with opened(place) as archive:
            yield _Packed(archive)
    else:
        raise BadAddress(
            f"there are no results at {address}",
            expected="a folder, an archive (runs.zip), or the address of a published site",
            mend="mend the address, or leave --from out; then everything is measured here",
        )


@contextmanager
def _of_folder(place: Path) -> Iterator[Offer]:
    for folder in (place / "build" / FOLDER, place / FOLDER, place):
        if (folder / ARCHIVE).is_file():
            with opened(folder / ARCHIVE) as archive:
                yield _Packed(archive)
            return
        if folder.is_dir() and any(folder.glob("*/*.npz")):
            yield _Loose(folder, folder.parent / RECORDS)
            return
    published = place / "site" / FOLDER / ARCHIVE
    if not published.is_file():
        raise BadAddress(
            "there are no results in this folder",
            path=place,
            expected="a project with build/runs or a built site, or a folder with runs.zip",
        )
    with opened(published) as archive:
        yield _Packed(archive)


@contextmanager
def _of_site(address: str, wanted: Collection[str], scratch: Path) -> Iterator[Offer]:
    fetching.refuse_odd_address(address)
    if urlsplit(address).path.endswith(".zip"):
        with fetching.fetched(address, scratch) as path, opened(path) as archive:
            yield _Packed(archive)
        return
    below = f"{address.rstrip('/')}/{FOLDER}/"
    data = fetching.fetch_small(below + INDEX, archives.JSON)
    try:
        index = read_index(data)
    except MeasuredError as error:
        raise MeasuredError(f"{below}{INDEX} {error.problem}") from error
    there = {entry.key for entry in (*index.runs.values(), *index.records.values())}
    if index.archive is None or not there.intersection(wanted):
        yield _Listed(index)
        return
    with (
        fetching.fetched(below + ARCHIVE, scratch, index.archive["bytes"], index.archive["sha256"]) as path,
        opened(path) as archive,
    ):
        yield _Packed(archive)


class _Packed:
    """What an archive holds."""

    def __init__(self, archive: ResultArchive) -> None:
        self._archive = archive
        self._runs = {entry.key: entry for entry in archive.index.runs.values()}
        self._records = {entry.key: entry for entry in archive.index.records.values()}

    def run(self, name: str, key: str) -> Found | None:
        entry = self._runs.get(key) or self._archive.index.runs.get(name)
        return entry and Found(self._archive.voucher(entry), self._archive.arrays)

    def record(self, name: str, key: str) -> Found | None:
        entry = self._records.get(key) or self._archive.index.records.get(name)
        return entry and Found(self._archive.record(entry), self._archive.arrays)


class _Listed:
    """A site that has none of what is wanted: it was only asked for its index."""

    def __init__(self, index: Index) -> None:
        self._index = index

    def run(self, name: str, key: str) -> None:
        _refuse_other(name, self._index.runs)

    def record(self, name: str, key: str) -> None:
        _refuse_other(name, self._index.records)


def _refuse_other(name: str, there: Mapping[str, object]) -> None:
    if name in there:
        raise OtherResult("code, parameters or versions changed")


class _Loose:
    """The folders of runs and of records of another clone, as its builds leave them."""

    def __init__(self, runs: Path, records: Path) -> None:
        self._runs, self._records = runs, records

    def run(self, name: str, key: str) -> Found | None:
        return _beside(self._runs / name, LARGEST)

    def record(self, name: str, key: str) -> Found | None:
        return _beside(self._records / name, archives.JSON)


def _beside(stem: Path, most: int) -> Found | None:
    """A JSON file of no more than so many bytes, and the arrays beside it."""
    voucher = stem.with_name(stem.name + ".json")
    if not voucher.exists():
        return None
    arrays = stem.with_name(stem.name + ".npz")
    return Found(archives.read_bytes(voucher, most), lambda _: archives.read_bytes(arrays))
