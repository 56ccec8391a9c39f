"""Cells run in a real kernel; what fails is told with page and line, and nothing of it is kept."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

from measured.errors import MeasuredError
from measured.making import environment, fingerprint
from measured.making.made import Fresh, Stale, made
from measured.weaving import cells
from measured.weaving.kernel import Setup
from measured.weaving.page import scan

FRONT = """---
jupyter:
  jupytext:
    text_representation: {extension: .md, format_name: markdown}
  kernelspec: {display_name: Python 3, language: python, name: python3}
---
"""


@pytest.fixture
def run(run_twice):
    """Cells that run once, as in a first look: most tests look at what they give."""
    once = partial(run_twice, twice=False)
    once.__dict__.update(run_twice.__dict__)
    return once


@pytest.fixture
def run_twice(tmp_path):
    root = tmp_path / "project"
    (root / "data").mkdir(parents=True)

    def execute(body, front=FRONT, packages=("measured",), twice=True):
        page = scan(front + body, Path("page.md"))
        (made,) = cells.execute([page], Setup(root, root / "build", root / "site", packages), twice=twice)
        return made

    execute.root, execute.cache = root, root / "build" / "cells"
    execute.ran = tmp_path / "ran.txt"
    execute.counted = f"with open({str(execute.ran)!r}, 'a') as _ran: _ = _ran.write('x')\n"
    execute.count = lambda: len(execute.ran.read_text())
    return execute


def test_both_kernels_of_new_cells_run_at_the_same_time(run_twice):
    wait = f"import time\nwhile len(open({str(run_twice.ran)!r}).read()) < 2:\n    time.sleep(0.01)\n"
    run_twice(f"```python timeout=60\n{run_twice.counted}{wait}```\n")
    assert run_twice.count() == 2


def test_pages_run_at_the_same_time_and_those_before_and_behind_one_that_fails_are_kept(run):
    wait = f"import time\nwhile len(open({str(run.ran)!r}).read()) < 3:\n    time.sleep(0.01)\n"
    body = f"```python timeout=60\n{run.counted}{wait}{{}}\n```\n"
    bodies = {"a": body.format("1"), "b": body.format("1 / 0"), "c": body.format("3"), "d": "No cells.\n"}
    setup = Setup(run.root, run.root / "build", run.root / "site", ("measured",))
    pages = [scan(FRONT + text, Path(f"{name}.md")) for name, text in bodies.items()]
    with pytest.raises(MeasuredError, match="ZeroDivisionError") as caught:
        cells.execute(pages, setup, twice=False)
    assert caught.value.path == Path("b.md")
    assert {path.name for path in run.cache.iterdir()} == {"a.md.json", "c.md.json"}
    first, third, last = cells.execute([pages[0], pages[2], pages[3]], setup, twice=False)
    assert run.count() == 3
    shown = ["".join(page.markdown.values()) for page in (first, third, last)]
    assert ["<code>1\n" in shown[0], "<code>3\n" in shown[1], shown[2]] == [True, True, ""]


def test_where_both_kernels_fail_nothing_is_left_to_the_end_of_the_process(run_twice, monkeypatch):
    left = set()
    registry = SimpleNamespace(register=left.add, unregister=left.discard)
    monkeypatch.setattr("nbclient.client.atexit", registry)
    for _ in range(3):
        with pytest.raises(MeasuredError, match="ZeroDivisionError"):
            run_twice("```python\n1 / 0\n```\n")
    assert left == set()


PAGE = {
    "first": "One\n\n```python\nx = 20\nprint('out')\n```\n\nTwo\n\n```python\nx + 1\n```\n",
    "tags": """
```python tags=["hide-input"]
print("shown")
```

```python tags=["hide-output"]
print("hidden " + "x")
```
""",
    "figure": """
```python alt='A dot'
from IPython.display import SVG
SVG('<svg xmlns="http://www.w3.org/2000/svg"/>')
```
""",
    "source": """
```python
import hashlib
```

```python source="measured.files:sha256"
sha256(b"")[:8]
```
""",
    "stderr": """
```python tags=["allow-stderr"]
import sys; print('careful', file=sys.stderr)
```
""",
    "inert": """
```python
print('loading\\r# Heading')
print('x = 3 </div> y \\x1b[31mred\\x1b[0m')
class Frame:
    def _repr_html_(self):
        head = '<thead><tr><th></th><th>a</th></tr></thead>'
        return f'<table class="dataframe">{head}<tbody><tr><th>0</th><td>1</td></tr></tbody></table>'
Frame()
```
""",
}


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """What cells of one page, run once, give: by the part of the page, in order; and its images."""
    root = tmp_path_factory.mktemp("shown") / "project"
    root.mkdir()
    page = scan(FRONT + "".join(PAGE.values()), Path("page.md"))
    (made,) = cells.execute([page], Setup(root, root / "build", root / "site", ("measured",)), twice=False)
    parts, end = {}, FRONT.count("\n")
    for name, text in PAGE.items():
        begin, end = end, end + text.count("\n")
        parts[name] = {line: found for line, found in made.markdown.items() if begin < line <= end}
    assert sum(map(len, parts.values())) == len(made.markdown)
    return SimpleNamespace(parts=parts, images=made.images)


def test_cells_share_one_kernel_and_their_output_is_in_place(shown):
    made = shown.parts["first"]
    assert list(made) == [9, 16]
    assert "print('out')" in made[9]
    assert "<pre><span></span><code>out\n</code></pre>" in made[9]
    assert "<pre><span></span><code>21\n</code></pre>" in made[16]
    assert 'class="cell-output"' in made[16]


def test_tags_hide_input_or_output(shown):
    first, second = shown.parts["tags"].values()
    assert "print(" not in first
    assert "shown" in first
    assert "print(" in second
    assert "hidden x" not in second


def test_a_figure_in_an_output_becomes_a_file(shown):
    (name,) = shown.images
    assert name.endswith(".svg")
    (markdown,) = shown.parts["figure"].values()
    assert name in markdown


def test_a_cell_pulls_in_tested_source_without_its_docstring(shown):
    _, markdown = shown.parts["source"].values()
    assert "def sha256(data: bytes) -> str:" in markdown
    assert "return hashlib.sha256(data).hexdigest()" in markdown
    assert '"""' not in markdown
    assert "e3b0c442" in markdown


def test_stderr_can_be_allowed_for_one_cell(shown):
    (markdown,) = shown.parts["stderr"].values()
    assert "careful" in markdown


def test_real_outputs_are_inert(shown):
    (markdown,) = shown.parts["inert"].values()
    assert "loading\\r# Heading" in markdown  # the code itself
    assert "\n# Heading" not in markdown.split("cell-output")[0]
    assert 'x = 3 &lt;/div&gt; y <span class="ansi-fg-red">red</span>' in markdown
    assert "| 0 | 1 |" in markdown


def test_equal_cells_are_kept_and_follow_their_page(run_twice):
    body = f"```python\n{run_twice.counted}print(1)\n```\n"
    first = run_twice(body)
    assert run_twice.count() == 2  # what is new runs twice
    moved = run_twice("A sentence more.\n\n" + body)
    assert list(first.markdown.values()) == list(moved.markdown.values())
    assert list(moved.markdown) == [9]
    assert run_twice.count() == 2


def test_what_cells_import_and_read_runs_them_again(run, monkeypatch):
    package = run.root / "src" / "loaded"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text('"""x"""\n')
    (package / "a.py").write_text("from loaded import b\n")
    (package / "b.py").write_text("VALUE = 1\n")
    (run.root / "data" / "x.csv").write_text("1\n")
    monkeypatch.syspath_prepend(str(run.root / "src"))
    reading = f"open({str(run.root / 'data' / 'x.csv')!r}).read()"
    body = f"```python\n{run.counted}%precision 3\nfrom loaded import a\n{reading}, a.b.VALUE\n```\n"
    counts = []
    for name, text in (
        ("", ""),
        ("src/loaded/b.py", "VALUE = 1  # a comment\n"),
        ("src/loaded/b.py", "VALUE = 2\n"),
        ("data/x.csv", "2\n"),
    ):
        if name:
            (run.root / name).write_text(text)
        shown = run(body, packages=("loaded",)).markdown[7]
        counts.append(run.count())
    assert counts == [1, 1, 2, 3]
    assert "2" in shown


def test_versions_and_settings_count(run, monkeypatch):
    run("```python\n1\n```\n")
    page = scan(FRONT + "```python\n1\n```\n", Path("page.md"))
    setup = Setup(run.root, run.root / "build", run.root / "site", ("measured",))
    product = cells.CellsProduct(page.path, tuple(cells.cells_of(page)), setup)
    assert made(product, run.root) == Fresh()
    for owner, name, value in (
        (fingerprint, "python_version", lambda: "CPython 4"),
        (environment, "settings_in_words", lambda: "others"),
        (fingerprint, "installed", lambda distribution: "99"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(owner, name, value)
            assert isinstance(made(product, run.root), Stale)


@pytest.mark.parametrize(
    "code",
    [
        "object()",
        "import random; random.random()",
    ],
)
def test_an_output_that_changes_by_itself_is_told(run_twice, code):
    with pytest.raises(MeasuredError, match="in cell 2, the code gives another output each time") as caught:
        run_twice(f"```python\n1\n```\n\n```python\n{code}\n```\n")
    assert caught.value.line == 11
    assert not list(run_twice.cache.glob("*.json")) if run_twice.cache.exists() else True


def test_a_first_look_runs_cells_once(run):
    run(f"```python\n{run.counted}import uuid; uuid.uuid4()\n```\n")
    assert run.count() == 1


def test_no_setting_of_an_author_reaches_a_kernel(run, tmp_path, monkeypatch):
    home = tmp_path / "home"
    startup = home / ".ipython" / "profile_default" / "startup"
    startup.mkdir(parents=True)
    (startup / "00.py").write_text("mine = 1\n")
    (home / ".config" / "matplotlib").mkdir(parents=True)
    (home / ".config" / "matplotlib" / "matplotlibrc").write_text("lines.linewidth: 9\n")
    kernels = home / ".local" / "share" / "jupyter" / "kernels" / "python3"
    kernels.mkdir(parents=True)
    (kernels / "kernel.json").write_text('{"argv": ["false"], "display_name": "mine", "language": "python"}')
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("AUTHORS_OWN", "1")
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    made = run(
        "```python\nimport os, matplotlib\n"
        "print('mine' in globals(), matplotlib.rcParams['lines.linewidth'], os.environ['OMP_NUM_THREADS'],\n"
        "      'AUTHORS_OWN' in os.environ)\n```\n"
    )
    assert "False 1.5 1 False" in made.markdown[7]


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


@pytest.mark.parametrize(
    ("body", "line", "cell"),
    [
        ("```python source='measured.files:sha256'\nx = 1\n1 / 0\n```\n", 9, 1),
        ("- a\n\n    ```python\n    x = 1\n    1 / 0\n    ```\n", 11, 1),
        ("```python\ndef f():\n    1 / 0\n```\n\nText\n\n```python\n\nf()\n```\n", 16, 2),
        ("```python\nx = 1\n```\n\n```python\nimport json\njson.loads('{')\n```\n", 13, 2),
    ],
)
def test_an_error_names_the_cell_and_the_line_of_the_page(run, body, line, cell):
    with pytest.raises(MeasuredError, match=f"in cell {cell}, the code raised") as caught:
        run(body)
    assert caught.value.line == line
