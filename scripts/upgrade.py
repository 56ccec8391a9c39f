"""What newer versions would move, before anything is kept.

A copy of the project gets new locks and an environment of its own; there a plan says what would be made anew
of what was measured here, and the values of every experiment that trains nothing are compared with the stored
ones. The project itself stays as it is. `python scripts/upgrade.py numpy` looks at one package alone.
"""

from __future__ import annotations

import difflib
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COPY = ROOT / "build" / "upgrade"
LOCKS = ("requirements", "requirements-site", "requirements-lint", "requirements-cluster")
COMPILE = "uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header"
MEASURED = ("runs", "records", "figures")  # what a build leaves that a plan compares

Pins = Mapping[str, str]


def main(packages: Sequence[str]) -> int:
    """Show; 1 where a stored value would not hold."""
    old = pins(ROOT)
    refuse_unknown(packages, old)
    project = COPY / "project"
    _copy(project)
    chosen = [part for name in packages for part in ("--upgrade-package", name)] or ["--upgrade"]
    for name in LOCKS:
        _said(*COMPILE.split(), "--quiet", *chosen, f"{name}.in", "-o", f"{name}.lock", at=project)
    new = pins(project)
    moved = [name for name in sorted(old.keys() | new.keys()) if old.get(name) != new.get(name)]
    print("\n".join([*changes(old, new), *staying(packages, old, new)]) or "no version is newer")
    if not moved:
        return 0
    print(what_computes(moved, ROOT / "pyproject.toml"))
    python = _environment(project)
    print("\nwhat a build would make anew with them, what is stale already included:", flush=True)
    if any((ROOT / "build" / name).is_dir() for name in MEASURED):
        print(in_short(_said(python, "-m", "measured.cli", "plan", at=project, bare=True)))
    else:
        print("  all of it: nothing has been measured in this clone yet (nox -s build)")
    print("\nstored values of what trains nothing:", flush=True)
    compare = [python, "scripts/light_values.py"]
    code = subprocess.run(compare, cwd=project, env=_bare(), check=False).returncode
    print(f"\nnothing was kept; to keep it: nox -s lock -- {' '.join(chosen)}, then nox -s build")
    return code


def pins(root: Path) -> dict[str, str]:
    """The versions that a project's locks pin, by package; several where Pythons need different ones."""
    found: dict[str, set[str]] = {}
    for lock in LOCKS:
        text = (root / f"{lock}.lock").read_text(encoding="utf-8")
        for name, version in re.findall(r"^([\w.-]+)==([^\s;]+)", text, re.M):
            found.setdefault(name, set()).add(version)
    return {name: " and ".join(sorted(versions)) for name, versions in found.items()}


def refuse_unknown(packages: Iterable[str], pinned: Pins) -> None:
    """Say which of the packages no lock pins, and what may have been meant."""
    for name in packages:
        if name not in pinned:
            near = difflib.get_close_matches(name, pinned, n=1)
            meant = f"; did you mean {near[0]}?" if near else ": the .in files name what we ask for"
            sys.exit(f"no lock pins a package called {name}{meant}")


def changes(old: Pins, new: Pins) -> list[str]:
    """Old and new version of whatever differs, one a line."""
    names = sorted(old.keys() | new.keys())
    return [f"  {n} {old.get(n, 'none')} → {new.get(n, 'none')}" for n in names if old.get(n) != new.get(n)]


def staying(packages: Iterable[str], old: Pins, new: Pins) -> list[str]:
    """Those that were asked for and stay, one a line, with what may hold them."""
    return [
        f"  {name} stays at {old[name]}: the newest that the .in files and the other packages allow"
        for name in packages
        if old[name] == new.get(name)
    ]


def what_computes(moved: Iterable[str], settings: Path) -> str:
    """Whether a package moves that is part of each result's key."""
    computing = tomllib.loads(settings.read_text(encoding="utf-8"))["tool"]["measured"]["versions"]
    among = [name for name in moved if name in computing]
    if among:
        return f"{', '.join(among)} computes, so each training, record and figure would be made anew"
    return f"none of them computes ({', '.join(computing)} do), so nothing is measured anew"


def in_short(plan: str) -> str:
    """A plan with a line for each reason, not for each thing."""
    first, *lines = plan.splitlines()
    names: dict[str, list[str]] = {}
    for line in lines:
        name, _, why = line.strip().partition(": ")
        names.setdefault(why, []).append(name)
    told = [
        f"  {of[0]}{f' and {len(of) - 1} more' if len(of) > 1 else ''}: {why}" for why, of in names.items()
    ]
    return "\n".join([f"  {first}", *told])


def _copy(project: Path) -> None:
    """The project's tracked files as they are now, and what was measured here."""
    shutil.rmtree(project, ignore_errors=True)
    for name in filter(None, _said("git", "ls-files", "-z", at=ROOT).split("\0")):
        if (ROOT / name).is_file():
            (project / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, project / name)
    for name in MEASURED:
        if (ROOT / "build" / name).is_dir():
            shutil.copytree(ROOT / "build" / name, project / "build" / name)


def _environment(project: Path) -> str:
    folder = COPY / "environment"
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    _said("uv", "venv", "--quiet", "--clear", "--python", sys.executable, str(folder), at=project)
    locks = [part for name in LOCKS[:2] for part in ("-r", f"{name}.lock")]
    _said("uv", "pip", "sync", "--quiet", "--python", str(python), *locks[1::2], at=project)
    own = ("-e", "src/measured", "-e", ".")
    pip = ("uv", "pip", "install", "--quiet", "--python", str(python), "--no-deps", "--no-build-isolation")
    _said(*pip, *own, at=project)
    return str(python)


def _bare() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return {**kept, "PYTHONHASHSEED": "0"}


def _said(*command: str, at: Path, bare: bool = False) -> str:
    done = subprocess.run(
        command, cwd=at, env=_bare() if bare else None, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{' '.join(command[:4])} failed:\n{done.stderr[-2000:]}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
