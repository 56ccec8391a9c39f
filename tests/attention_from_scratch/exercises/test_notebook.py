"""The notebook of an exercise runs by itself."""

import inspect
import json
import subprocess
import sys

import nbformat
import pytest

from attention_from_scratch.exercises.catalogue import EXERCISES
from attention_from_scratch.exercises.notebook import as_text, notebook, published


def code_of(content):
    return ["".join(cell["source"]) for cell in content["cells"] if cell["cell_type"] == "code"]


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda e: e.name)
def test_it_is_valid_and_the_same_bytes_twice(exercise):
    first, second = as_text(notebook(exercise)), as_text(notebook(exercise))
    assert first == second
    nbformat.validate(nbformat.reads(first, as_version=nbformat.NO_CONVERT))


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda e: e.name)
def test_it_needs_numpy_and_the_standard_library_only(exercise):
    """Run as a script, with this project and everything but NumPy made unimportable."""
    guard = (
        "import sys\n"
        "class Refuse:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.split('.')[0] not in {'numpy', *sys.stdlib_module_names}:\n"
        "            raise ImportError(name)\n"
        "sys.meta_path.insert(0, Refuse())\n"
    )
    starter, checks, run, solution = code_of(notebook(exercise))
    script = "\n".join([guard, starter, checks, run, solution, run])
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stderr == ""
    count = len(exercise.properties)
    assert f"{exercise.name}: {count} of {count} properties hold" in done.stdout
    assert "FAIL" in done.stdout


def test_it_runs_in_a_fresh_kernel(tmp_path, monkeypatch):
    from nbclient import NotebookClient

    monkeypatch.chdir(tmp_path)
    book = nbformat.reads(as_text(notebook(EXERCISES[2])), as_version=4)
    NotebookClient(book, timeout=60, resources={"metadata": {"path": str(tmp_path)}}).execute()
    printed = [o["text"] for c in book.cells if c.cell_type == "code" for o in c.outputs]
    assert len(printed) == 1
    assert printed[0].startswith("attention: ")


def test_one_notebook_an_exercise_is_published():
    found = dict(published())
    assert list(found) == [f"exercises/notebooks/{e.slug}.ipynb" for e in EXERCISES]
    for text, exercise in zip(found.values(), EXERCISES, strict=True):
        assert inspect.getsource(exercise.starter).strip() in code_of(json.loads(text))[0]


def test_cell_ids_are_unique_and_stable():
    ids = [cell["id"] for cell in notebook(EXERCISES[0])["cells"]]
    assert len(set(ids)) == len(ids)
    assert ids[0] == "cell-0"
