"""Cells run in a real kernel; what fails is told with page and line, and nothing of it is kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from measured.errors import MeasuredError
from measured.weaving import cells
from measured.weaving.page import scan

FRONT = """---
jupyter:
  jupytext:
    text_representation: {extension: .md, format_name: markdown}
  kernelspec: {display_name: Python 3, language: python, name: python3}
---
"""


@pytest.fixture
def run(tmp_path):
    lock = tmp_path / "requirements.lock"
    lock.write_text("numpy==0\n")

    def execute(body, front=FRONT):
        text = front + body
        page = scan(text, Path("page.md"))
        return cells.execute(page, cache=tmp_path / "cache", packages=("measured",), lock=lock)

    execute.cache, execute.lock = tmp_path / "cache", lock
    return execute


def test_cells_share_one_kernel_and_their_output_is_in_place(run):
    made = run("One\n\n```python\nx = 20\nprint('out')\n```\n\nTwo\n\n```python\nx + 1\n```\n")
    assert list(made.markdown) == [9, 16]
    assert "print('out')" in made.markdown[9]
    assert "<pre><span></span><code>out\n</code></pre>" in made.markdown[9]
    assert "<pre><span></span><code>21\n</code></pre>" in made.markdown[16]
    assert 'class="cell-output"' in made.markdown[16]


def test_tags_hide_input_or_output(run):
    hiding = '```python tags=["hide-{}"]\n{}\n```\n\n'
    made = run(hiding.format("input", 'print("shown")') + hiding.format("output", 'print("hidden " + "x")'))
    first, second = made.markdown.values()
    assert "print(" not in first
    assert "shown" in first
    assert "print(" in second
    assert "hidden x" not in second


def test_a_figure_in_an_output_becomes_a_file(run):
    made = run(
        "```python alt='A dot'\nfrom IPython.display import SVG\nSVG('<svg xmlns=\"http://www.w3.org/2000/svg\"/>')\n```\n"
    )
    (name,) = made.images
    assert name.endswith(".svg")
    assert name in made.markdown[7]


def test_a_cell_pulls_in_tested_source_without_its_docstring(run):
    made = run(
        '```python\nimport hashlib\n```\n\n```python source="measured.files:sha256"\nsha256(b"")[:8]\n```\n'
    )
    assert "def sha256(data: bytes) -> str:" in made.markdown[11]
    assert "return hashlib.sha256(data).hexdigest()" in made.markdown[11]
    assert '"""' not in made.markdown[11]
    assert "e3b0c442" in made.markdown[11]


def test_equal_cells_are_run_once_and_follow_their_page(run):
    body = "```python\nimport os\nprint(os.getpid())\n```\n"
    first = run(body)
    moved = run("A sentence more.\n\n" + body)
    assert list(first.markdown.values()) == list(moved.markdown.values())
    assert list(moved.markdown) == [9]


@pytest.mark.parametrize("change", ["code", "lock"])
def test_what_can_change_an_output_runs_the_cells_again(run, change):
    body = "```python\nimport os\nprint(os.getpid())\n```\n"
    first = run(body)
    if change == "lock":
        run.lock.write_text("numpy==1\n")
    second = run(body.replace("import os", "import os, sys") if change == "code" else body)
    assert list(first.markdown.values()) != list(second.markdown.values())


def test_an_imported_module_is_part_of_the_key(tmp_path, monkeypatch):
    package = tmp_path / "src" / "loaded"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text('"""x"""\n')
    (package / "a.py").write_text("from loaded import b\n")
    (package / "b.py").write_text("VALUE = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path / "src"))
    lock = tmp_path / "lock"
    lock.write_text("")
    cell = [cells.CodeCell(1, "from loaded.a import b")]
    before = cells._key(cell, ("loaded",), lock)
    (package / "b.py").write_text("VALUE = 2\n")
    assert cells._key(cell, ("loaded",), lock) != before


@pytest.mark.parametrize(
    ("body", "line", "expected"),
    [
        ("\n```python\nx = 1\n1 / 0\n```\n", 10, "raised ZeroDivisionError: division by zero"),
        ("```python\nx = (\n```\n", 8, "raised SyntaxError"),
        ("```python\nimport sys; print('careful', file=sys.stderr)\n```\n", 7, "wrote to stderr: careful"),
        ("```python\nimport os; os.write(2, b'from C')\n```\n", 7, "wrote to stderr: from C"),
        ("```python\nimport warnings; warnings.warn('old')\n```\n", 7, "wrote to stderr"),
        (
            "```python\n1\n```\n\n```python timeout=1\nimport time; time.sleep(60)\n```\n",
            11,
            "longer than 1 s",
        ),
        ("```python\nimport os; os._exit(1)\n```\n", 7, "killed its kernel"),
        ("```python tags=['shout']\n1\n```\n", 7, "unknown tag shout"),
        ("```python source='measured.nothing:x'\n```\n", 7, "cannot be found"),
        ("```python source='measured.files:nothing'\n```\n", 7, "defines no nothing"),
    ],
)
def test_a_bad_cell_is_told_with_its_line_and_not_kept(run, body, line, expected):
    with pytest.raises(MeasuredError, match=expected) as caught:
        run(body)
    assert (caught.value.path, caught.value.line) == (Path("page.md"), line)
    assert not list(run.cache.glob("*.json")) if run.cache.exists() else True


def test_stderr_can_be_allowed_for_one_cell(run):
    made = run("```python tags=[\"allow-stderr\"]\nimport sys; print('careful', file=sys.stderr)\n```\n")
    assert "careful" in made.markdown[7]


@pytest.mark.parametrize("front", ["", "---\ntitle: x\n---\n", "---\nkernelspec: {language: python}\n---\n"])
def test_cells_without_the_notebook_header_are_told(run, front):
    with pytest.raises(MeasuredError, match="does not make it a notebook"):
        run("```python\n1\n```\n", front=front)


def test_code_that_must_not_run_does_not(run):
    assert run("```py\n1 / 0\n```\n\n    ```python\n    1 / 0\n    ```\n").markdown == {}


def test_a_half_written_cache_is_made_again(run):
    body = "```python\n40 + 2\n```\n"
    run(body)
    (kept,) = run.cache.glob("*.json")
    kept.write_text(kept.read_text()[:40])
    assert "42" in run(body).markdown[7]
