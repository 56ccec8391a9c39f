"""What a release hands out, in build/release/: both wheels, the site's archive, hashes, and what changed.

The same commit gives the same bytes. Nothing is uploaded: the workflow, or a person, does that.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import re
import shutil
import sys
import tarfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

from hatchling.builders.wheel import WheelBuilder

from measured.errors import MeasuredError

ROOT = Path(__file__).resolve().parents[1]
PROJECTS = (ROOT / "src" / "measured", ROOT)
LONG_AGO = 315532800  # 1980-01-01, the first day that archives know


def main(root: Path, target: Path) -> int:
    """Make the folder anew."""
    version = version_of(root)
    notes = notes_of((root / "CHANGELOG.md").read_text(encoding="utf-8"), version)
    if not (root / "site" / "index.html").is_file():
        raise MeasuredError("there is no site to release", mend="nox -s build")
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    for project in PROJECTS:
        list(WheelBuilder(str(project)).build(directory=str(target), versions=["standard"]))
    (target / f"site-{version}.tar.gz").write_bytes(archive_of(root / "site"))
    (target / "NOTES.md").write_text(notes, encoding="utf-8")
    sums = [f"{hashlib.sha256(p.read_bytes()).hexdigest()}  {p.name}" for p in sorted(target.iterdir())]
    (target / "SHA256SUMS").write_text("\n".join([*sums, ""]), encoding="utf-8")
    for path in sorted(target.iterdir()):
        print(f"{path.stat().st_size:>12,} {path.relative_to(root)}")
    return 0


def version_of(root: Path) -> str:
    """The one version of engine, subject and citation.

    Raises:
        MeasuredError: they have several.
    """
    named = {
        str(path.relative_to(root)): tomllib.loads(path.read_text(encoding="utf-8"))["project"]["version"]
        for path in (root / "pyproject.toml", root / "src" / "measured" / "pyproject.toml")
    }
    cited = re.search(r"^version: (\S+)$", (root / "CITATION.cff").read_text(encoding="utf-8"), re.M)
    named["CITATION.cff"] = cited[1] if cited else ""
    if len(set(named.values())) != 1:
        raise MeasuredError(f"the versions differ: {named}", expected="one version for all three")
    return named["CITATION.cff"]


def notes_of(changelog: str, version: str) -> str:
    """What the changelog says of a version.

    Raises:
        MeasuredError: nothing.
    """
    found = re.search(rf"^## {re.escape(version)}(?:[ \t][^\n]*)?\n(.*?)(?=^## |\Z)", changelog, re.M | re.S)
    if found is None or not found[1].strip():
        raise MeasuredError(
            f"nothing is said of version {version}",
            path="CHANGELOG.md",
            expected=f"a section: ## {version}",
            mend='rename "Unreleased", and begin a new one above it',
        )
    return found[1].strip() + "\n"


def archive_of(folder: Path) -> bytes:
    """A folder as tar.gz, the same bytes for the same files."""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w") as archive:
        for path in _files(folder):
            data = path.read_bytes()
            entry = tarfile.TarInfo(f"site/{path.relative_to(folder).as_posix()}")
            entry.size, entry.mtime, entry.mode = len(data), LONG_AGO, 0o644
            archive.addfile(entry, io.BytesIO(data))
    return gzip.compress(plain.getvalue(), mtime=0)


def _files(folder: Path) -> Iterator[Path]:
    yield from sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


if __name__ == "__main__":
    try:
        sys.exit(main(ROOT, ROOT / "build" / "release"))
    except MeasuredError as error:
        sys.exit(str(error))
