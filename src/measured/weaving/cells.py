"""Code cells of a page: run once in a kernel by mkdocs-jupyter's machinery, kept until something changes.

What can change an output is the code of the cells, the project modules that they import (transitively),
the source that they pull in, the lock, and this module: the key of the cache. Prose is not part of it,
so that editing a sentence starts no kernel. A page that fails leaves nothing behind.
"""

from __future__ import annotations

import ast
import json
import os
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from measured import files
from measured.errors import MeasuredError
from measured.making.fingerprint import closure
from measured.weaving.page import PageSource, Span

LIMIT = 60  # seconds that a cell may take, unless it says timeout=…

# Libraries in C write to file descriptor 2, behind Python's back. The kernel forwards it from a thread,
# late enough to miss its cell; so it goes to a file, which is read when the cell ends.
_WATCH_STDERR = """
def _watch():
    import os, sys, tempfile
    caught = tempfile.TemporaryFile()
    os.dup2(caught.fileno(), 2)
    def tell():
        text = os.pread(caught.fileno(), 1 << 20, tell.seen)
        tell.seen += len(text)
        if text:
            sys.stderr.write(text.decode("utf-8", "replace"))
    tell.seen = 0
    get_ipython().events.register("post_execute", tell)
_watch()
del _watch
"""
_MARK = "\ue004"


@dataclass(frozen=True)
class CodeCell:
    """One cell of a page.

    Args:
        line: of its fence.
        code: what runs; the source of functions where the cell pulls it in.
        tags: `hide-input`, `hide-output`, `allow-stderr`.
        timeout: seconds.
    """

    line: int
    code: str
    tags: tuple[str, ...] = ()
    timeout: int = LIMIT


@dataclass(frozen=True)
class Executed:
    """The cells of a page after their run.

    Args:
        markdown: what stands in the page in place of each cell, by line.
        notebook: each cell's code and outputs (nbformat), by line, for the download.
        images: files that outputs refer to, by name.
    """

    markdown: dict[int, str] = field(default_factory=dict)
    notebook: dict[int, dict[str, Any]] = field(default_factory=dict)
    images: dict[str, bytes] = field(default_factory=dict)


def cells_of(page: PageSource) -> list[CodeCell]:
    """The cells of a page, in order.

    Raises:
        MeasuredError: cells without the notebook header, a tag or source that nobody knows.
    """
    spans = [s for s in page.spans if s.kind == "fence" and s.language == "python" and not s.indent]
    if spans and not page.is_notebook:
        raise MeasuredError(
            "the page has Python cells, and its front matter does not make it a notebook",
            path=page.path,
            line=spans[0].line,
            expected="jupyter: with jupytext: and kernelspec: (language: python) nested under it",
            mend="copy the front matter of another page with cells, or mark code that must not run as ```py",
        )
    return [_cell(span, page.path) for span in spans]


def execute(page: PageSource, text: str, *, cache: Path, packages: tuple[str, ...], lock: Path) -> Executed:
    """Run the cells of a page, or take what an equal run left.

    Args:
        page: as scanned.
        text: the page as written.
        cache: folder of earlier runs.
        packages: the project's own packages.
        lock: the lock file.

    Raises:
        MeasuredError: a cell raised, warned, hung or killed its kernel; with page and line.
    """
    cells = cells_of(page)
    if not cells:
        return Executed()
    kept = cache / f"{_key(cells, packages, lock)}.json"
    stored = _read(kept, cells)
    if stored is not None:
        return stored
    made = _run(cells, page, text)
    files.write_json(kept, _as_json(made, cells))
    return made


def _cell(span: Span, path: Path) -> CodeCell:
    attributes = span.attributes
    tags = tuple(re.findall(r"[\w-]+", attributes.get("tags", "")))
    unknown = set(tags) - {"hide-input", "hide-output", "allow-stderr"}
    if unknown:
        raise MeasuredError(
            f"unknown tag {', '.join(sorted(unknown))}",
            path=path,
            line=span.line,
            expected="hide-input, hide-output or allow-stderr",
        )
    code = span.body.rstrip("\n")
    if "source" in attributes:
        code = "\n\n\n".join(filter(None, [source_of(attributes["source"], path, span.line), code]))
    return CodeCell(span.line, code, tags, int(attributes.get("timeout", LIMIT)))


def source_of(reference: str, path: Path, line: int) -> str:
    """The source of functions, from `package.module:name,name`, without importing the module.

    Raises:
        MeasuredError: no such module or function.
    """
    module, _, names = reference.partition(":")
    try:
        spec = find_spec(module)
        origin = Path(spec.origin).read_text(encoding="utf-8")
    except (ImportError, AttributeError, TypeError, ValueError, OSError) as error:
        raise MeasuredError(
            f"source={reference!r}: module {module} cannot be found", path=path, line=line
        ) from error
    defined = {n.name: n for n in ast.parse(origin).body if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    missing = [name for name in names.split(",") if name not in defined]
    if missing or not names:
        raise MeasuredError(
            f"source={reference!r}: {module} defines no {', '.join(missing)}",
            path=path,
            line=line,
            expected=f"one of {', '.join(defined)}",
        )
    return "\n\n\n".join(_without_docstring(origin, defined[name]) for name in names.split(","))


def _without_docstring(origin: str, node: Any) -> str:
    """The lines as they stand in the file; the docstring is prose, and the page has its own."""
    lines = origin.splitlines()
    first = min([node.lineno, *(d.lineno for d in node.decorator_list)]) - 1
    body = lines[first : node.end_lineno]
    if ast.get_docstring(node) is not None and len(node.body) > 1:
        doc = node.body[0]
        del body[doc.lineno - 1 - first : doc.end_lineno - first]
        while body[doc.lineno - 1 - first].strip() == "":
            del body[doc.lineno - 1 - first]
    return "\n".join(body)


def _key(cells: Sequence[CodeCell], packages: tuple[str, ...], lock: Path) -> str:
    modules: dict[str, str] = {}
    for name in sorted({*_imported(cells, packages), __name__}):
        modules.update({m: files.sha256_of_text(p) for m, p in closure(name, packages).items()})
    code = [[c.code, c.tags, c.timeout] for c in cells]
    return files.sha256(json.dumps([code, modules, files.sha256_of_text(lock)], sort_keys=True).encode())[:32]


def _imported(cells: Sequence[CodeCell], packages: tuple[str, ...]) -> set[str]:
    """Project modules that the cells import."""
    found: set[str] = set()
    for cell in cells:
        try:
            tree = ast.parse(cell.code)
        except SyntaxError:
            continue  # the kernel will say so, with the line
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                found.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                found.add(node.module)
                found.update(f"{node.module}.{alias.name}" for alias in node.names)
    return {name for name in found if name.split(".")[0] in packages and _is_module(name)}


def _is_module(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def _run(cells: Sequence[CodeCell], page: PageSource, text: str) -> Executed:
    import nbformat
    from mkdocs_jupyter.convert import get_nbconvert_app

    _agree_with_jupytext(cells, page, text)
    app = get_nbconvert_app(execute=True, allow_errors=False)
    notebook = nbformat.v4.new_notebook(metadata={"kernelspec": page.meta["jupyter"]["kernelspec"]})
    notebook.cells.append(nbformat.v4.new_code_cell(_WATCH_STDERR, id="watch"))
    for index, cell in enumerate(cells):
        notebook.cells.append(nbformat.v4.new_code_cell(cell.code, id=f"cell-{index}"))
    _execute(notebook, cells, page, app.config)
    del notebook.cells[0]
    for cell, node in zip(cells, notebook.cells, strict=True):
        _refuse_stderr(cell, node, page)
    return _exported(cells, notebook, app.config, page.path.stem)


def _agree_with_jupytext(cells: Sequence[CodeCell], page: PageSource, text: str) -> None:
    """Every other tool reads the page through jupytext: it must see the same cells."""
    import jupytext

    theirs = [c for c in jupytext.reads(text, fmt="md").cells if c.cell_type == "code"]
    if len(theirs) != len(cells):
        raise MeasuredError(
            f"jupytext sees {len(theirs)} cells where this engine sees {len(cells)}",
            path=page.path,
            line=cells[0].line,
            expected="cells as ```python fences that start a line",
        )


def _execute(notebook: Any, cells: Sequence[CodeCell], page: PageSource, config: Any) -> None:
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
    from nbconvert.preprocessors import ExecutePreprocessor

    running = {"index": 0}
    runner = ExecutePreprocessor(config=config, record_timing=False, store_widget_state=False)
    limits = {f"cell-{index}": cell.timeout for index, cell in enumerate(cells)}
    runner.timeout_func = lambda node: limits.get(node.id, LIMIT)
    runner.on_cell_start = lambda cell, cell_index: running.update(index=max(cell_index - 1, 0))

    def failed(problem: str, expected: str, offset: int = 0) -> MeasuredError:
        line = cells[running["index"]].line + offset
        return MeasuredError(problem, path=page.path, line=line, expected=expected, mend="mend the cell")

    with tempfile.TemporaryDirectory() as empty:
        _keep_private(runner, empty)
        try:
            runner.preprocess(notebook, {"metadata": {"path": empty}})
        except CellExecutionError as error:
            inside = re.findall(r"(?:line |-+> ?)(\d+)", re.sub(r"\x1b\[[0-9;]*m", "", str(error)))
            raise failed(
                f"the cell raised {error.ename}: {error.evalue}",
                "a cell that runs without an exception",
                int(inside[0]) if inside else 0,
            ) from None
        except CellTimeoutError:
            limit = cells[running["index"]].timeout
            raise failed(
                f"the cell ran longer than {limit} s", "a cell that ends in time, or timeout=…"
            ) from None
        except DeadKernelError:
            raise failed("the cell killed its kernel", "a kernel that lives to the end of the page") from None


def _keep_private(runner: Any, folder: str) -> None:
    """Talk to the kernel over files in a folder of its own, not over TCP, where the platform can."""
    if os.name == "posix":
        runner.config.KernelManager.transport = "ipc"
        runner.config.KernelManager.connection_file = f"{folder}/kernel.json"
    runner.extra_arguments = ["--log-level=50"]


def _refuse_stderr(cell: CodeCell, node: Any, page: PageSource) -> None:
    for output in node.outputs:
        if output.get("name") == "stderr" and "allow-stderr" not in cell.tags:
            raise MeasuredError(
                f"the cell wrote to stderr: {output['text'].strip().splitlines()[-1]}",
                path=page.path,
                line=cell.line,
                expected="no warning and no log line",
                mend='mend its cause, or allow it for this cell: ```python tags=["allow-stderr"]',
            )


def _exported(cells: Sequence[CodeCell], notebook: Any, config: Any, stem: str) -> Executed:
    """Outputs through nbconvert's Markdown exporter, cell by cell."""
    import nbformat
    from nbconvert import MarkdownExporter

    config = config.copy()
    config.ExecutePreprocessor.enabled = False
    exporter = MarkdownExporter(config=config, exclude_input=True)
    made = Executed()
    for index, (cell, node) in enumerate(zip(cells, notebook.cells, strict=True)):
        alone = nbformat.v4.new_notebook(cells=[node])
        naming = {"unique_key": f"{stem}-{index}", "output_files_dir": "."}
        output, resources = exporter.from_notebook_node(alone, naming)
        made.images.update({Path(name).name: data for name, data in resources["outputs"].items()})
        made.markdown[cell.line] = _in_page(cell, output.strip("\n"))
        outputs = json.loads(nbformat.writes(alone))["cells"][0]["outputs"]
        made.notebook[cell.line] = {"code": cell.code, "outputs": outputs}
    return made


def _in_page(cell: CodeCell, output: str) -> str:
    parts = []
    if "hide-input" not in cell.tags:
        parts.append(f"```python\n{cell.code}\n```")
    if output.strip() and "hide-output" not in cell.tags:
        parts.append(f'<div class="cell-output" markdown="1">\n\n{output}\n\n</div>')
    return "\n\n".join(parts) + "\n" if parts else ""


def _as_json(made: Executed, cells: Sequence[CodeCell]) -> dict[str, Any]:
    """By order, not by line: prose above a cell may move it."""
    return {
        "markdown": [made.markdown[c.line] for c in cells],
        "notebook": [made.notebook[c.line] for c in cells],
        "images": {name: data.hex() for name, data in made.images.items()},
    }


def _read(kept: Path, cells: Sequence[CodeCell]) -> Executed | None:
    try:
        data = json.loads(kept.read_text(encoding="utf-8"))
        lines = [c.line for c in cells]
        return Executed(
            markdown=dict(zip(lines, data["markdown"], strict=True)),
            notebook=dict(zip(lines, data["notebook"], strict=True)),
            images={name: bytes.fromhex(text) for name, text in data["images"].items()},
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None  # absent or half-written: run again
