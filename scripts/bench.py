"""Ratios measured in one run: builds against bare MkDocs, page weight, weaving, training.

Seconds depend on the machine; ratios of two things timed beside each other do so far less. Nothing
here passes or fails.
"""

from __future__ import annotations

import gzip
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent
ROUNDS = 7
PAGE = "docs/attention.md"
TRAINED_BY = "src/attention_from_scratch/training.py"


def main() -> None:
    """Print every ratio."""
    if not (ROOT / "site").is_dir():
        sys.exit("there is no site to measure: run nox -s build first")
    with tempfile.TemporaryDirectory() as folder:
        builds(Path(folder))
    weight()
    weaving()
    subprocess.run([sys.executable, str(ROOT / "scripts" / "bench_training.py")], check=False, cwd=ROOT)


def builds(folder: Path) -> None:
    """A build that changes nothing, and one after a one-word edit, against bare MkDocs on the woven pages."""
    project = folder / "project"
    skipped = shutil.ignore_patterns(".git", ".nox", "__pycache__", "node", "tools", "lock", "quick")
    shutil.copytree(ROOT, project, ignore=skipped)
    bare = _bare(project, folder / "bare")
    page = project / PAGE
    text = page.read_text(encoding="utf-8")
    words = iter(f"\n\nWord{'x' * n}.\n" for n in range(99))

    def unchanged() -> None:
        _run("measured.cli", "build", cwd=project)

    def edited() -> None:
        page.write_text(text + next(words), encoding="utf-8")
        _run("measured.cli", "build", cwd=project)

    def plain() -> None:
        _run("mkdocs", "build", "--quiet", "--strict", cwd=bare)

    unchanged()
    timed = {name: [] for name in ("unchanged", "edited", "plain")}
    for _ in range(ROUNDS):  # in turn, so that a busy moment meets all three
        for name, act in (("plain", plain), ("unchanged", unchanged), ("edited", edited)):
            timed[name].append(_both_seconds(act))
    middle = {
        name: [statistics.median(column) for column in zip(*rows, strict=True)]
        for name, rows in timed.items()
    }
    wall, processor = middle["plain"]
    print(f"bare mkdocs build of the woven pages: {wall:.2f} s, {processor:.2f} of the processor's")
    for name, what in (("unchanged", "no-change build"), ("edited", "build after a one-word edit")):
        by_wall, by_processor = middle[name][0] / wall, middle[name][1] / processor
        print(f"{what} ÷ bare mkdocs build: {by_wall:.2f}; by the processor's seconds {by_processor:.2f}")
    comment(project)


def comment(project: Path) -> None:
    """How many trainings an edited comment makes again, in a module that all of them import."""
    path = project / TRAINED_BY
    text = path.read_text(encoding="utf-8")
    path.write_text(
        "# A comment more.\n" + text.replace("def train(", "# And one here.\ndef train("), encoding="utf-8"
    )
    stale = [line for line in _run("measured.cli", "plan", cwd=project).splitlines() if "/" in line]
    print(f"a comment edited in {TRAINED_BY}: {len(stale)} trainings made again")
    path.write_text(text, encoding="utf-8")


def _bare(project: Path, target: Path) -> Path:
    """A MkDocs project of the woven pages, without the engine."""
    _run("measured.cli", "export", str(target / "docs"), cwd=project)
    config = yaml.unsafe_load((project / "mkdocs.yml").read_text(encoding="utf-8").replace("!ENV", ""))
    config["plugins"] = [p for p in config["plugins"] if p != "measured" and "measured" not in p]
    config["extra_css"] = [
        "assets/formulas.css",
        "assets/diagrams.css",
        "assets/cells.css",
        "assets/palette.css",
        *config.get("extra_css", []),
    ]
    config.pop("site_url", None), config.pop("repo_url", None), config.pop("edit_uri", None)
    config.pop("validation", None), config.pop("hooks", None), config.pop("exclude_docs", None)
    for extension in config["markdown_extensions"]:
        if isinstance(extension, dict) and "pymdownx.snippets" in extension:
            extension["pymdownx.snippets"]["base_path"] = [str(project / "docs" / "includes")]
    if "custom_dir" in config["theme"]:
        config["theme"]["custom_dir"] = str(project / config["theme"]["custom_dir"])
    (target / "mkdocs.yml").write_text(yaml.dump(config), encoding="utf-8")
    return target


def weight() -> None:
    """The attention page as it travels."""
    page = ROOT / "site" / "attention" / "index.html"
    print(f"attention page, HTML gzipped: {len(gzip.compress(page.read_bytes(), mtime=0)):,} bytes")


def weaving() -> None:
    """Time to weave a page of 10, 100 and 1,000 references."""
    from measured.project import Project
    from measured.weaving.page import scan
    from measured.weaving.references import Library
    from measured.weaving.weave import Weaver

    library = Library(Project.load(ROOT).read_records())
    ids = [m.id for m in library.measurements.values()]
    weaver = Weaver(library)
    each = {}
    for count in (10, 100, 1000):
        text = "\n\n".join(f"The value is {{{{ {ids[n % len(ids)]} }}}} here." for n in range(count))
        page = scan(text, Path("page.md"))
        each[count] = min(_seconds(lambda page=page: weaver.weave(page)) for _ in range(ROUNDS)) / count
        print(f"weaving {count:>5,} references: {each[count] * count * 1000:.1f} ms")
    print(f"time a reference, at 1,000 ÷ at 100: {each[1000] / each[100]:.2f} (1 is linear)")


def _both_seconds(act: Callable[[], object]) -> tuple[float, float]:
    """By the clock, and by the processor in the processes that it starts."""
    before = os.times()
    wall = _seconds(act)
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return wall, used


def _seconds(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


def _run(*arguments: str, cwd: Path) -> str:
    # Compiled code is kept, as on anybody's machine, also where whoever measures has it switched off.
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    env = {**kept, "NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(cwd / "src")}
    done = subprocess.run(
        [sys.executable, "-m", *arguments], cwd=cwd, env=env, capture_output=True, text=True
    )
    if done.returncode:
        sys.exit(f"{' '.join(arguments)} failed in {cwd}:\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    main()
