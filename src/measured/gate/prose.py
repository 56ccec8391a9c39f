"""The prose check, and for which pages it has passed: no number typed by hand."""

from __future__ import annotations

from pathlib import Path

from measured import files
from measured.making import fingerprint
from measured.project import Project
from measured.weaving import numerals


def pass_prose(project: Project) -> str:
    """Read the pages before anything is woven, unless they were read as they are.

    Returns:
        One line that says what was read.

    Raises:
        MeasuredError: a numeral that nobody measured and nobody explained, with page and line.
    """
    state = _state(project)
    was, report = _read_stamp(project)
    if was == state:
        return report
    stamp_of(project).unlink(missing_ok=True)
    found = numerals.inspect_project(project)
    found.refuse()
    files.write_text(stamp_of(project), f"{state}\n{found}\n")
    return str(found)


def passed(project: Project) -> bool:
    """Whether the check has passed for exactly these pages."""
    return _read_stamp(project)[0] == _state(project)


def stamp_of(project: Project) -> Path:
    """The file that says which pages were read."""
    return project.build / "prose.passed"


def _state(project: Project) -> str:
    """Hash of all that is read, and of the code that reads it."""
    parts = numerals.read_state(project)
    engine = fingerprint.closure(numerals.__name__, project.packages)
    parts |= {f"module {name}": files.sha256_of_text(path) for name, path in engine.items()}
    return fingerprint.digest(parts)


def _read_stamp(project: Project) -> tuple[str, str]:
    """What was read when the check passed, and what it found."""
    try:
        state, _, report = stamp_of(project).read_text(encoding="utf-8").partition("\n")
    except OSError:
        return "", ""
    return state, report.strip()
