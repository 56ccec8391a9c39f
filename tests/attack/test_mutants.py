"""Mutants of the code that decides what may be published: each is a fault that some test must notice.

mutmut makes them and runs, for each, the quick tests that reach it. A fixed sample is tried, drawn by the
hash of a mutant's name, so that it stays the same while its function does. Left out are mutants of words (a
message that says something else decides nothing) and of functions that only show.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DRAWN = 1200
SURVIVORS = 0.05

DECIDING = [
    *("gate/" + name for name in ("accept", "compare", "margins", "prose", "publishable")),
    *("gate/" + name for name in ("stored", "vacuous", "verdicts")),
    *("terms/" + name for name in ("claims", "measurement", "names", "reading")),
    *("making/" + name for name in ("fingerprint", "made", "products", "workflow")),
    *("site/" + name for name in ("allowlist", "checks", "content_policy", "leftovers")),
    "weaving/conditions",
]
TESTS = [
    *("accepting", "allowlist", "claims", "conditions", "decisions", "gate", "gate_mutation", "keys"),
    *("made", "margins", "measurement", "names", "parts", "planning", "verdicts"),
]
SHOWING = re.compile(r"\.(table|tables|_signed|__str__)__mutmut|ǁ(__str__)__mutmut")

SETTINGS = """\
[tool.pytest.ini_options]
pythonpath = ["tests"]
addopts = "--import-mode=importlib -p no:cacheprovider"

[tool.mutmut]
source_paths = ["src"]
only_mutate = {deciding}
pytest_add_cli_args = ["-x", "-q"]
pytest_add_cli_args_test_selection = {tests}
track_dependencies = false
use_git_change_detection = false
"""

# Projects that are measured and built take seconds each; here a test runs in one process or not at all.
IN_PROCESS = """
def pytest_collection_modifyitems(items):
    items[:] = [item for item in items if not {"sample", "accepted", "harmed"} & set(item.fixturenames)]
"""

# All names, and what the first so many change, in the order of the hash of their names.
LIST = """
import glob, hashlib, json
from mutmut.mutation.diff_apply import get_diff_for_mutant
found = [json.load(open(f))["exit_code_by_key"] for f in glob.glob("mutants/src/**/*.meta", recursive=True)]
names = sorted((n for names in found for n in names), key=lambda n: hashlib.sha256(n.encode()).hexdigest())
print(json.dumps([len(names), {name: get_diff_for_mutant(name) for name in names[:%d]}]))
"""


@pytest.fixture
def copy(tmp_path):
    """The engine and its tests in a folder of their own, which mutmut may fill."""
    shutil.copytree(ROOT / "src" / "measured", tmp_path / "src" / "measured")
    shutil.copytree(ROOT / "tests", tmp_path / "tests", ignore=shutil.ignore_patterns("__pycache__", "site"))
    (tmp_path / "tests/measured/conftest.py").write_text(IN_PROCESS)
    deciding = [f"src/measured/{name}.py" for name in DECIDING]
    tests = [f"tests/measured/test_{name}.py" for name in TESTS]
    settings = SETTINGS.format(deciding=json.dumps(deciding), tests=json.dumps(tests))
    (tmp_path / "pyproject.toml").write_text(settings)
    return tmp_path


def test_at_most_a_few_mutants_of_what_decides_survive(copy):
    run(copy, "-m", "mutmut", "run", "--max-children", "2", "measured.terms.claims.x_below__mutmut_1")
    count, drawn = json.loads(run(copy, "-c", LIST % DRAWN))
    chosen = [name for name, diff in drawn.items() if decides(name, diff)]
    assert len(chosen) >= 200
    run(copy, "-m", "mutmut", "run", "--max-children", "2", *chosen)
    outcomes = outcomes_of(copy)
    survived = [name for name in chosen if outcomes[name] in (0, 33)]  # 33: no test reaches it
    print(f"\nmutants: {len(chosen)} of {count} tried, {len(survived)} survived")
    for name in survived:
        print(f"{name}\n" + "\n".join(changed_lines(drawn[name])))
    assert len(survived) <= SURVIVORS * len(chosen)


def run(folder, *arguments):
    path = os.pathsep.join((str(folder / "src"), str(folder / "tests")))
    env = {**os.environ, "PYTHONPATH": path, "COLUMNS": "200"}
    done = subprocess.run([sys.executable, *arguments], cwd=folder, env=env, capture_output=True, text=True)
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
    return done.stdout


def outcomes_of(folder):
    found = {}
    for path in (folder / "mutants" / "src").rglob("*.meta"):
        found |= json.loads(path.read_text())["exit_code_by_key"]
    return found


def decides(name, diff):
    """Whether a mutant changes more than words: a text, or what an error expects and advises."""
    removed, added = ("".join(line[1:] for line in changed_lines(diff) if line[0] == sign) for sign in "-+")
    return _without_words(removed) != _without_words(added) and not SHOWING.search(name)


def _without_words(code):
    code = re.sub(r"\s+", "", STRING.sub('""', code)).replace('f""', '""')
    return re.sub(r'(?:expected|mend)=(?:(?:"")+|None),?|,(?=\))', "", code).rstrip(",)")


def changed_lines(diff):
    return [line for line in diff.splitlines() if line[:1] in ("+", "-") and line[:3] not in ("+++", "---")]


STRING = re.compile(r""""(?:[^"\\\\]|\\\\.)*"|'(?:[^'\\\\]|\\\\.)*\'""")
