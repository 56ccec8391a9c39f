"""Each notebook of the built site runs in an empty environment, with what its first cell names and the wheel.

Needs a site (`nox -s build`) and the package index. What a notebook printed here, it prints there.
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
SITE = Path(os.environ.get("SITE", ROOT / "site")).resolve()
NOTEBOOKS = sorted(p for p in SITE.rglob("*.ipynb") if "exercises" not in p.parts)
RUN = """
import sys, nbformat, nbclient
notebook = nbformat.read(sys.argv[1], as_version=4)
nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3").execute()
nbformat.write(notebook, sys.argv[2])
"""


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheels(tmp_path_factory):
    """The wheels of the engine and of this project."""
    folder = tmp_path_factory.mktemp("wheels")
    code = "import sys; from hatchling.build import build_wheel; print(build_wheel(sys.argv[1]))"
    for project in (ROOT / "src" / "measured", ROOT):
        run(sys.executable, "-c", code, str(folder), cwd=project)
    return sorted(map(str, folder.glob("*.whl")))


def what_to_install(notebook):
    first = "".join(notebook["cells"][0]["source"])
    (line,) = re.findall(r"^python -m pip install jupyterlab(.*)$", first, re.M)
    return line.split(), "install it from its wheel" in first or " @ git+" in first


def texts(notebook):
    """What each cell shows, addresses of objects aside."""
    shown = []
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            shown.append("".join(output.get("text", data.get("text/plain", []))))
    return [re.sub(r"0x[0-9a-f]+", "0x", text) for text in shown]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.relative_to(SITE).as_posix())
def test_a_notebook_runs_elsewhere(path, wheels, tmp_path):
    notebook = json.loads(path.read_text(encoding="utf-8"))
    packages, with_project = what_to_install(notebook)
    python = tmp_path / "empty" / "bin" / "python"
    run(sys.executable, "-m", "venv", str(python.parents[1]))
    wanted = [*packages, "nbclient", "ipykernel", *(wheels if with_project else [])]
    run(str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wanted)
    here, there = tmp_path / "here.ipynb", tmp_path / "there.ipynb"
    shutil.copyfile(path, here)
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    run(str(python), "-c", RUN, str(here), str(there), cwd=tmp_path, env=environment)
    assert texts(json.loads(there.read_text(encoding="utf-8"))) == texts(notebook)


def test_there_are_notebooks():
    assert NOTEBOOKS, f"no site at {SITE}; build it with: nox -s build"
