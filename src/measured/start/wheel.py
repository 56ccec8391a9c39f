"""The engine as a wheel, made from what is installed: a project keeps the very engine that it began with."""

from __future__ import annotations

import base64
import hashlib
import io
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

import measured
from measured.errors import MeasuredError

NAME = "measured-site"
# What an installer adds to what was in the wheel.
_OF_INSTALLER = frozenset(("RECORD", "INSTALLER", "REQUESTED", "direct_url.json", "uv_cache.json"))
_LONG_AGO = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True)
class Wheel:
    """A wheel in memory.

    Args:
        name: of its file.
        data: its bytes; the same for the same engine.
    """

    name: str
    data: bytes

    @property
    def sha256(self) -> str:
        """What a lock says of it."""
        return hashlib.sha256(self.data).hexdigest()


def engine() -> Wheel:
    """The engine that runs, as a wheel.

    Raises:
        MeasuredError: it is neither installed nor a checkout from which one can be built.
    """
    source = Path(measured.__file__).parent / "pyproject.toml"
    return _built(source.parent) if source.is_file() else _packed(_installed())


def _installed() -> Distribution:
    try:
        return distribution(NAME)
    except PackageNotFoundError as error:
        raise MeasuredError(
            f"the engine is not installed as {NAME}", mend="install its wheel: pip install PATH"
        ) from error


def _packed(found: Distribution) -> Wheel:
    """An installed distribution as the wheel that it came from, less what its installer added."""
    members = dict(_members(found))
    info = next(name.partition("/")[0] for name in members if name.partition("/")[0].endswith(".dist-info"))
    lines = [f"{name},sha256={_digest(data)},{len(data)}" for name, data in members.items()]
    members[f"{info}/RECORD"] = "\n".join([*lines, f"{info}/RECORD,,", ""]).encode()
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            entry = zipfile.ZipInfo(name, _LONG_AGO)
            entry.external_attr = 0o100644 << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return Wheel(f"{NAME.replace('-', '_')}-{found.version}-py3-none-any.whl", stream.getvalue())


def _members(found: Distribution) -> Iterator[tuple[str, bytes]]:
    for path in sorted(found.files or [], key=str):
        name = path.as_posix()
        is_added = path.name in _OF_INSTALLER and path.parent.name.endswith(".dist-info")
        if ".." in path.parts or is_added or "__pycache__" in path.parts:
            continue  # the command, and compiled modules, are made anew wherever it is installed
        yield name, Path(str(found.locate_file(path))).read_bytes()


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")


def _built(folder: Path) -> Wheel:
    """The wheel of a checkout."""
    import tempfile

    try:
        from hatchling.builders.wheel import WheelBuilder
    except ImportError as error:
        raise MeasuredError(
            "no hatchling, which builds the engine's wheel", mend="pip install hatchling"
        ) from error
    with tempfile.TemporaryDirectory() as target:
        (made,) = WheelBuilder(str(folder)).build(directory=target, versions=["standard"])
        return Wheel(Path(made).name, Path(made).read_bytes())
