"""What the newest versions would move, before anything is kept.

A copy of the project gets new locks and an environment of its own; there a plan says what would be made anew,
and the values of every experiment that trains nothing are compared with the stored ones. The project itself
stays as it is. `python scripts/upgrade.py [PACKAGE …]` looks at some packages alone.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COPY = ROOT / "build" / "upgrade"
LOCKS = ("requirements", "requirements-site", "requirements-lint", "requirements-cluster")
COMPILE = "uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header"


def main(packages: list[str]) -> int:
    """Show; 1 where a stored value would not hold."""
    project = COPY / "project"
    shutil.rmtree(project, ignore_errors=True)
    tracked = _said("git", "ls-files", "-z", at=ROOT).split("\0")
    for name in filter(None, tracked):
        if (ROOT / name).is_file():
            (project / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, project / name)
    chosen = [part for name in packages for part in ("--upgrade-package", name)] or ["--upgrade"]
    for name in LOCKS:
        _said(*COMPILE.split(), "--quiet", *chosen, f"{name}.in", "-o", f"{name}.lock", at=project)
    moved = changes(_pins(ROOT), _pins(project))
    print("\n".join(moved) or "no version is newer")
    if not moved:
        return 0
    computing = re.search(r"^versions = (\[.*\])$", (ROOT / "pyproject.toml").read_text("utf-8"), re.M)
    print(f"those that compute, and so measure all anew: {computing[1] if computing else 'unknown'}")
    python = _environment(project)
    for what, command in (
        ("what would be made anew", [python, "-m", "measured.cli", "plan"]),
        ("stored values", [python, "scripts/light_values.py"]),
    ):
        print(f"\n{what}:", flush=True)
        code = subprocess.run(command, cwd=project, env=_bare(project), check=False).returncode
    print("\nnothing was kept; to keep it: nox -s lock -- --upgrade, then nox -s build")
    return code


def changes(old: dict[str, str], new: dict[str, str]) -> list[str]:
    """Old and new version of whatever differs, one a line."""
    names = sorted(old.keys() | new.keys())
    return [f"  {n} {old.get(n, 'none')} → {new.get(n, 'none')}" for n in names if old.get(n) != new.get(n)]


def _pins(root: Path) -> dict[str, str]:
    texts = ((root / f"{name}.lock").read_text(encoding="utf-8") for name in LOCKS)
    return dict(pair for text in texts for pair in re.findall(r"^([\w.-]+)==(\S+)", text, re.M))


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


def _bare(project: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return {**kept, "PYTHONHASHSEED": "0"}


def _said(*command: str, at: Path) -> str:
    done = subprocess.run(command, cwd=at, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command[:4])} failed:\n{done.stderr[-2000:]}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
