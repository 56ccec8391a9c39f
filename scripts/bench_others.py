"""One page of eight cells, built by this engine and by others, timed in turn: ratios of one run.

markdown-exec runs cells inside MkDocs' own process; MyST-NB runs them in a kernel and keeps the outputs.
A page that nobody has built shows what a first build costs, a one-word edit what an author waits for.
Nothing here passes or fails.
"""

from __future__ import annotations

import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SAMPLE = ROOT / "tests" / "measured" / "sample"
LOCK = ROOT / "scripts" / "bench_others.lock"
ROUNDS = 5

CELLS = (
    "import numpy as np",
    "generator = np.random.default_rng(0)",
    "scores = generator.normal(size=(4, 4))\nprint(scores.round(2))",
    "weights = np.exp(scores - scores.max(-1, keepdims=True))",
    "weights = weights / weights.sum(-1, keepdims=True)\nprint(weights.round(2))",
    "values = generator.normal(size=(4, 8))",
    "outputs = weights @ values\nprint(outputs.shape)",
    "print(outputs.mean(-1).round(3))",
)
MKDOCS_SETTINGS = """site_name: Cells
theme:
  name: material
  font: false
plugins:
  - markdown-exec
markdown_extensions:
  - pymdownx.superfences
"""
MYST_SETTINGS = """project = "Cells"
extensions = ["myst_nb"]
nb_execution_mode = "cache"
nb_execution_cache_path = "{cache}"
nb_execution_raise_on_error = True
"""
NOTEBOOK = """---
{title}jupytext:
  text_representation: {{extension: .md, format_name: {format}}}
kernelspec: {{display_name: Python 3, language: python, name: python3}}
---
"""


def main() -> None:
    """Print both ratios."""
    # Compiled code is kept, as on anybody's machine, also where whoever measures has it switched off.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        others = _others(folder / "environment")
        cold(folder, others)
        edited(folder, others)


def cold(folder: Path, others: Path) -> None:
    """A page whose cells have never run, in this engine and in markdown-exec."""
    ours = _sample(folder / "cold")
    theirs = folder / "markdown-exec"
    _write(
        theirs / "docs" / "index.md", "# Cells\n" + _cells('python exec="on" source="above" session="page"')
    )
    _write(theirs / "mkdocs.yml", MKDOCS_SETTINGS)
    environment = {**os.environ, "MKDOCS_CONFIG_DIR": str(theirs), "NO_MKDOCS_2_WARNING": "1"}

    seeds = iter(range(1, 99))

    def first() -> None:
        _build(ours)

    def beside() -> None:
        _run([others / "mkdocs", "build", "--strict"], theirs, environment)  # a cell that fails is a warning

    _build(ours)
    _print(
        "a page of eight new cells ÷ markdown-exec",
        _in_turn(
            (first, lambda: _renew_cells(ours / "docs" / "cells.md", next(seeds))), (beside, lambda: None)
        ),
    )


def edited(folder: Path, others: Path) -> None:
    """The same page after a one-word edit, in this engine and in MyST-NB with its cache."""
    ours = _sample(folder / "edited")
    theirs = folder / "myst-nb" / "source"  # what it makes lies beside, or it would be read as pages
    _write(
        theirs / "index.md", NOTEBOOK.format(title="", format="myst") + "# Cells\n" + _cells("{code-cell}")
    )
    _write(theirs / "conf.py", MYST_SETTINGS.format(cache=theirs.parent / "cache"))
    words = iter(f"\nWord{'x' * n}.\n" for n in range(99))

    def build() -> None:
        _build(ours)

    def beside() -> None:
        _run([others / "sphinx-build", "-q", ".", theirs.parent / "site"], theirs)

    def add(path: Path) -> None:
        path.write_text(path.read_text(encoding="utf-8") + next(words), encoding="utf-8")

    _build(ours), beside()
    _print(
        "a one-word edit ÷ MyST-NB with its cache",
        _in_turn(
            (build, lambda: add(ours / "docs" / "cells.md")), (beside, lambda: add(theirs / "index.md"))
        ),
    )


def _others(folder: Path) -> Path:
    """Where the commands of the others are: in an environment of their own, from the lock."""
    _run([sys.executable, "-m", "venv", folder], ROOT)
    _run([folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--require-hashes", "-r", LOCK], ROOT)
    return folder / "bin"


def _sample(target: Path) -> Path:
    """The engine's small project, measured and accepted, with the page."""
    shutil.copytree(SAMPLE, target, ignore=shutil.ignore_patterns("__pycache__"))
    for arguments in (("make",), ("accept", "--yes")):
        _measured(target, *arguments)
    text = NOTEBOOK.format(title="title: Cells\n", format="markdown").replace(
        "jupytext:", "jupyter:\n  jupytext:", 1
    )
    text = text.replace("  text_representation", "    text_representation").replace(
        "kernelspec", "  kernelspec", 1
    )
    _write(target / "docs" / "cells.md", text + "\n# Cells\n" + _cells("python"))
    return target


def _cells(opening: str) -> str:
    return "".join(f"\n```{opening}\n{code}\n```\n" for code in CELLS)


def _renew_cells(page: Path, seed: int) -> None:
    text = page.read_text(encoding="utf-8")
    page.write_text(re.sub(r"default_rng\(\d+\)", f"default_rng({seed})", text), encoding="utf-8")


def _build(project: Path) -> None:
    _measured(project, "build")


def _measured(project: Path, *arguments: str) -> None:
    path = os.pathsep.join((str(project / "src"), str(ROOT / "src")))
    environment = {**os.environ, "PYTHONPATH": path, "NO_MKDOCS_2_WARNING": "1"}
    _run([sys.executable, "-m", "measured.cli", *arguments], project, environment)


def _in_turn(*acts: tuple[Callable[[], None], Callable[[], None]]) -> list[list[tuple[float, float]]]:
    """Seconds of each act, by the clock and by the processor, in each round, after what prepares it.

    In turn, so that a busy moment meets all.
    """
    rows = []
    for _ in range(ROUNDS):
        rows.append([])
        for act, prepare in acts:
            prepare()
            began, before = time.perf_counter(), os.times()
            act()
            after = os.times()
            used = after.children_user + after.children_system - before.children_user - before.children_system
            rows[-1].append((time.perf_counter() - began, used))
    return [list(column) for column in zip(*rows, strict=True)]


def _print(what: str, seconds: list[list[tuple[float, float]]]) -> None:
    """Both ratios, of medians and of the best of each: what the clock says depends on who else works."""
    for which, name in enumerate(("the clock", "the processor")):
        for choose, words in ((statistics.median, "medians"), (min, "the best")):
            ours, theirs = (choose([one[which] for one in rows]) for rows in seconds)
            print(
                f"{what}, by {name}: {ours / theirs:.2f} "
                f"({ours:.2f} s and {theirs:.2f} s, {words} of {ROUNDS})",
                flush=True,
            )


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _run(command: list[object], folder: Path, environment: dict[str, str] | None = None) -> None:
    done = subprocess.run([*map(str, command)], cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} failed in {folder}:\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    main()
