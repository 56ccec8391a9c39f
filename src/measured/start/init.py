"""`measured init FOLDER`: a small, complete site, which builds and passes its tests at once."""

from __future__ import annotations

import keyword
import re
import sys
from pathlib import Path

from measured import files
from measured.errors import MeasuredError
from measured.start import wheel

_FILES = Path(__file__).parent / "project"
_LOCK = Path(__file__).parent / "requirements.lock"
# A wheel is no place for names with a dot: some tools leave such files out.
_DOTTED = {"gitignore": ".gitignore", "github": ".github"}
_PACKAGE, _TITLE, _WHEEL = "subject_package", "Subject Title", "ENGINE_WHEEL"


def init(folder: Path, title: str = "", package: str = "") -> list[str]:
    """Write a site.

    Args:
        folder: absent, or empty but for hidden files.
        title: of the site; else the folder's name.
        package: of its code; else the folder's name.

    Returns:
        The names of the files, below the folder.

    Raises:
        MeasuredError: the folder holds something, or the package cannot be called so.
    """
    folder = folder.resolve()  # `new/..` is looked at as what it will be, not as what is not there yet
    package = package or re.sub(r"\W+", "_", folder.name.lower()).strip("_")
    _refuse_package(package)
    held = (
        [path.name for path in folder.iterdir() if not path.name.startswith(".")] if folder.is_dir() else []
    )
    if held or (folder.exists() and not folder.is_dir()):
        raise MeasuredError(
            f"{folder} holds {', '.join(sorted(held)[:3]) or 'a file'}",
            expected="a folder that is empty, or none yet",
            mend="measured init ANOTHER_FOLDER",
        )
    title = title or re.sub(r"[\W_]+", " ", folder.name).strip().capitalize()
    engine = wheel.engine()
    written = {}
    for path in sorted(path for path in _FILES.rglob("*") if path.is_file() and path.suffix != ".pyc"):
        parts = [_DOTTED.get(part, part) for part in path.relative_to(_FILES).parts]
        place = "/".join(parts).replace(_PACKAGE, package)
        text = path.read_text(encoding="utf-8").replace(_PACKAGE, package).replace(_TITLE, title)
        text = text.replace(_PACKAGE.replace("_", "-"), package.replace("_", "-"))
        written[place] = text.replace(_WHEEL, engine.name).encode()
    written[f"wheels/{engine.name}"] = engine.data
    written["requirements.lock"] = lock(engine).encode()
    for place, data in written.items():
        files.write_bytes(folder / place, data)
    return sorted(written)


def lock(engine: wheel.Wheel) -> str:
    """The versions that the engine was tried with, by hash, and the engine itself."""
    pinned = _LOCK.read_text(encoding="utf-8")
    return f"{pinned}./wheels/{engine.name} \\\n    --hash=sha256:{engine.sha256}\n"


def next_steps(folder: Path) -> str:
    """What to do with it."""
    return (
        f"a site is in {folder}\n"
        f"  cd {folder}\n"
        "  nox -s build      measures, compares, and leaves the site in site/\n"
        "  nox -s serve      shows it while you edit\n"
        "  nox -l            lists the rest"
    )


def _refuse_package(package: str) -> None:
    taken = package in sys.stdlib_module_names or package in ("measured", "numpy", "mkdocs", "tests", "docs")
    if not re.fullmatch(r"[a-z][a-z0-9_]*", package) or keyword.iskeyword(package) or taken:
        raise MeasuredError(
            f"no package of Python's can be called {package!r} here",
            expected="a lower-case word that begins with a letter and is no module's name yet",
            mend="measured init FOLDER --package NAME",
        )
