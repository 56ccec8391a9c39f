"""Where results may be: a folder, an archive, or the address of a published site."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

from measured import archives
from measured.errors import MeasuredError
from measured.making.vouchers import LARGEST
from measured.results import fetching
from measured.results.archive import ARCHIVE, FOLDER, INDEX, Entry, RunArchive, opened, read_index
from measured.results.fetching import BadAddress

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
Wanted = Mapping[str, str]  # keys of runs by name


class OtherRun(MeasuredError):
    """A run of that name is there, made from something else."""


@dataclass(frozen=True)
class Found:
    """What an offer has for a run: its voucher, and its arrays as soon as they are asked for."""

    voucher: bytes
    arrays: Callable[[str], bytes]


class Offer(Protocol):
    """Results from elsewhere."""

    def find(self, name: str, key: str) -> Found | None:
        """What there is for a run, by its key or else by its name; None where there is nothing.

        Raises:
            OtherRun: it has one of that name alone, and nobody needs to look at it.
        """


@contextmanager
def offered(address: str, root: Path, wanted: Wanted, scratch: Path) -> Iterator[Offer]:
    """Open an address.

    Args:
        address: a folder (of a project, of its builds, of a published site), an archive, or `https://…`.
        root: the folder below which an address without a beginning lies.
        wanted: the keys of the runs that are missing; a site that has none is not asked for its archive.
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
            yield _Loose(folder)
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
def _of_site(address: str, wanted: Wanted, scratch: Path) -> Iterator[Offer]:
    fetching.refuse_odd_address(address)
    if urlsplit(address).path.endswith(".zip"):
        with fetching.fetched(address, scratch) as path, opened(path) as archive:
            yield _Packed(archive)
        return
    below = f"{address.rstrip('/')}/{FOLDER}/"
    data = fetching.fetch_small(below + INDEX, archives.JSON)
    try:
        entries, of_archive = read_index(data)
    except MeasuredError as error:
        raise MeasuredError(f"{below}{INDEX} {error.problem}") from error
    if of_archive is None or not {entry.key for entry in entries.values()} & set(wanted.values()):
        yield _Listed(entries)
        return
    with (
        fetching.fetched(below + ARCHIVE, scratch, of_archive["bytes"], of_archive["sha256"]) as path,
        opened(path) as archive,
    ):
        yield _Packed(archive)


class _Packed:
    """An archive's runs."""

    def __init__(self, archive: RunArchive) -> None:
        self._archive = archive
        self._by_key = {entry.key: entry for entry in archive.entries.values()}

    def find(self, name: str, key: str) -> Found | None:
        entry = self._by_key.get(key) or self._archive.entries.get(name)
        if entry is None:
            return None
        return Found(self._archive.voucher(entry), self._archive.arrays)


class _Listed:
    """A site that has none of what is wanted: it was only asked for its index."""

    def __init__(self, entries: Mapping[str, Entry]) -> None:
        self._entries = entries

    def find(self, name: str, key: str) -> Found | None:
        if name in self._entries:
            raise OtherRun("code, parameters or versions changed")
        return None


class _Loose:
    """The folder of runs of another clone, as its builds leave it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def find(self, name: str, key: str) -> Found | None:
        stem = self._folder / name
        voucher = stem.with_name(stem.name + ".json")
        if not voucher.exists():
            return None
        arrays = stem.with_name(stem.name + ".npz")
        return Found(archives.read_bytes(voucher, LARGEST), lambda _: archives.read_bytes(arrays))
