"""Fetching from a published site: within bounds of size and time, from the host that was asked for."""

from __future__ import annotations

import hashlib
import http.client
import tempfile
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TypeVar
from urllib.parse import urlsplit

from measured.errors import MeasuredError
from measured.results.archive import LARGEST_ARCHIVE

Made = TypeVar("Made")

CONNECT = 5.0  # seconds until a site has to begin to answer, and that it may be silent for
PATIENCE = 15.0  # seconds for something small
SLOWEST = 50_000  # bytes a second of something large
_PIECE = 1 << 16
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


class BadAddress(MeasuredError):
    """Whoever gave an address has to mend it: nothing can be there."""


class Unreachable(MeasuredError):
    """A site does not answer, or not in time, or says that it has no such file."""


def refuse_odd_address(address: str) -> None:
    """Refuse what is not fetched from.

    Raises:
        BadAddress: another scheme than https; http where others could listen and answer; or a password.
    """
    try:
        parts = urlsplit(address)
        hostname, _ = parts.hostname, parts.port
    except ValueError as error:
        raise BadAddress(f"{address!r} is no address: {error}") from error
    if parts.scheme != "https" and not (parts.scheme == "http" and hostname in _LOOPBACK):
        raise BadAddress(
            f"results are not fetched from {address}: anybody on the way could answer",
            expected="https://… (http:// on this machine alone), a folder, or an archive",
        )
    if not hostname or parts.username is not None or parts.query or parts.fragment:
        raise BadAddress(
            f"{address!r} is no address of a site", expected="https://host/path, without ?, # and passwords"
        )


def fetch_small(address: str, most: int) -> bytes:
    """The bytes at an address.

    Raises:
        Unreachable: nobody answers in time, or not with that file.
        MeasuredError: it is too large.
    """
    stream = tempfile.SpooledTemporaryFile(max_size=most + 1)  # noqa: SIM115 - a late answer may still write
    _within(PATIENCE, address, lambda: _copy(address, stream, most))
    stream.seek(0)
    return stream.read()


@contextmanager
def fetched(address: str, scratch: Path, size: int = 0, sha: str = "") -> Iterator[Path]:
    """A file from an address, apart from everything else until it was looked at.

    Args:
        address: of the file.
        scratch: the folder in which it lies meanwhile.
        size: how many bytes it is said to have; 0 where nobody said it.
        sha: the hash that it is said to have; empty where nobody said it.

    Raises:
        Unreachable: nobody answers in time, or not with that file.
        MeasuredError: it is not what it was said to be, or the disk cannot be written.
    """
    most = size or LARGEST_ARCHIVE
    try:
        scratch.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=scratch, prefix="fetched-", suffix=".zip") as stream:
            found = _within(PATIENCE + most / SLOWEST, address, lambda: _copy(address, stream, most))
            stream.flush()
            if size and found != (size, sha):
                raise MeasuredError(
                    f"{address} is not the file that its index vouches for (cut short, or altered)"
                )
            yield Path(stream.name)
    except OSError as error:
        raise MeasuredError(
            f"what is fetched cannot be written: {error.strerror}", path=scratch, mend="free some space"
        ) from error


class _SameHost(urllib.request.HTTPRedirectHandler):
    """Follow a site that moves a file, never to another host nor to an address that others can read."""

    def redirect_request(self, req, fp, code, msg, headers, newurl):
        old, new = urlsplit(req.full_url), urlsplit(newurl)
        if (old.scheme, old.hostname, old.port) != (new.scheme, new.hostname, new.port):
            raise MeasuredError(
                f"{req.full_url} leads to another host ({new.hostname}): give that address instead"
            )
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _copy(address: str, stream: BinaryIO, most: int) -> tuple[int, str]:
    """Fetch what is there, as it comes; how many bytes, and their hash."""
    request = urllib.request.Request(
        address, headers={"User-Agent": "measured", "Accept-Encoding": "identity"}
    )
    taken, sha = 0, hashlib.sha256()
    try:
        with urllib.request.build_opener(_SameHost).open(request, timeout=CONNECT) as answer:
            while piece := answer.read1(_PIECE):
                taken += len(piece)
                if taken > most:
                    raise MeasuredError(f"{address} is larger than it may be ({most:,} bytes)")
                sha.update(piece)
                stream.write(piece)
    except urllib.error.HTTPError as error:
        raise Unreachable(f"{address} cannot be had: {error.code} {error.reason}") from error
    except urllib.error.URLError as error:
        raise Unreachable(f"{address} does not answer ({error.reason})") from error
    except (http.client.HTTPException, ConnectionError, TimeoutError) as error:
        raise Unreachable(f"{address} ends in the middle of its answer ({error})") from error
    return taken, sha.hexdigest()


def _within(seconds: float, address: str, act: Callable[[], Made]) -> Made:
    """What an act returns or raises, if it does so in time: to look up a name may take for ever."""
    made: list[Made] = []
    raised: list[BaseException] = []

    def run() -> None:
        try:
            made.append(act())
        except BaseException as error:  # noqa: BLE001 - it is raised where it is waited for
            raised.append(error)

    thread = threading.Thread(target=run, daemon=True, name=f"fetching {address}")
    thread.start()
    thread.join(seconds)
    if raised:
        raise raised[0]
    if not made:
        raise Unreachable(f"{address} did not answer within {seconds:.0f} s")
    return made[0]
