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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from measured import files
from measured.errors import MeasuredError
from measured.making.fingerprint import closure
from measured.weaving.fences import LIMIT, CellAttributes, cell_attributes
from measured.weaving.outputs import Showing, fenced
from measured.weaving.page import Fence, PageSource
from measured.weaving.renderer import Renderer

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


@dataclass(frozen=True)
class CodeCell:
    """One cell of a page.

    Args:
        line: of its fence.
        code: what runs; the source of functions where the cell pulls it in.
        attributes: what its fence says.
        prefix: what stands before each of its lines in the page: the container that it is in.
        box: the element for what the engine writes there.
        pulled: how many lines of the code the cell pulls in, before its own begin.
    """

    line: int
    code: str
    attributes: CellAttributes = CellAttributes()
    prefix: str = ""
    box: str = "div"
    pulled: int = 0

    @property
    def tags(self) -> tuple[str, ...]:
        """`hide-input`, `hide-output`, `allow-stderr`."""
        return self.attributes.tags

    @property
    def timeout(self) -> int:
        """Seconds."""
        return self.attributes.timeout

    def page_line(self, code_line: int) -> int:
        """The line of the page where a line of the code stands; of what is pulled in, the fence's."""
        return self.line + max(0, code_line - self.pulled)


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
    fences = [fence for fence in page.fences if fence.language == "python" and fence.is_shown]
    if fences and not page.is_notebook:
        raise MeasuredError(
            "the page has Python cells, and its front matter does not make it a notebook",
            path=page.path,
            line=fences[0].line,
            expected="jupyter: with jupytext: and kernelspec: (language: python) nested under it",
            mend="copy the front matter of another page with cells, or mark code that must not run as ```py",
        )
    return [_cell(fence, page.path) for fence in fences]


def execute(
    page: PageSource,
    *,
    cache: Path,
    packages: tuple[str, ...],
    lock: Path,
    renderer: Renderer | None = None,
) -> Executed:
    """Run the cells of a page, or take what an equal run left.

    Args:
        page: as scanned.
        cache: folder of earlier runs.
        packages: the project's own packages.
        lock: the lock file.
        renderer: the site's Markdown.

    Raises:
        MeasuredError: a cell raised, warned, hung or killed its kernel; with page and line.
    """
    cells, renderer = cells_of(page), renderer or Renderer()
    if not cells:
        return Executed()
    kept = cache / f"{_key(cells, packages, lock)}.json"
    outputs = _read(kept, len(cells))
    if outputs is not None:
        return _shown(cells, outputs, page, renderer)
    outputs = _run(cells, page)
    made = _shown(cells, outputs, page, renderer)
    files.write_json(kept, {"outputs": outputs})
    return made


def _shown(
    cells: Sequence[CodeCell], outputs: Sequence[list[dict[str, Any]]], page: PageSource, renderer: Renderer
) -> Executed:
    """What stands in the page in place of each cell."""
    made = Executed()
    for number, (cell, of_cell) in enumerate(zip(cells, outputs, strict=True), start=1):
        for output in of_cell:
            _refuse_stderr(number, cell, output, page)
        showing = Showing(
            f"{page.path.stem}-{number}",
            cell.prefix,
            cell.box,
            cell.attributes.alt,
            cell.attributes.html,
            renderer,
            partial(_error, page, number, cell.line),
        )
        parts = []
        if "hide-input" not in cell.tags:
            parts.append(fenced(cell.code, f"python {cell.attributes.rendered}".strip()))
        if "hide-output" not in cell.tags:
            shown = showing.show(of_cell)
            parts += [shown.markdown.rstrip("\n")] if shown.markdown else []
            made.images.update(shown.pictures)
        made.markdown[cell.line] = "\n\n".join(parts) + "\n" if parts else ""
        made.notebook[cell.line] = {"code": cell.code, "outputs": of_cell}
    return made


def _error(
    page: PageSource, number: int, line: int, problem: str, expected: str, mend: str = "mend the cell"
) -> MeasuredError:
    return MeasuredError(
        f"in cell {number}, {problem}", path=page.path, line=line, expected=expected, mend=mend
    )


def _cell(fence: Fence, path: Path) -> CodeCell:
    attributes = cell_attributes(fence, path)
    code, pulled = fence.body.rstrip("\n"), 0
    if attributes.source:
        source = source_of(attributes.source, path, fence.line)
        pulled = source.count("\n") + (3 if code else 0)
        code = "\n\n\n".join(filter(None, [source, code]))
    return CodeCell(
        fence.line, code, attributes, fence.prefix, fence.place.box if fence.prefix else "div", pulled
    )


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


def _run(cells: Sequence[CodeCell], page: PageSource) -> list[list[dict[str, Any]]]:
    """The outputs of each cell, as nbformat has them."""
    import nbformat
    from mkdocs_jupyter.convert import get_nbconvert_app

    app = get_nbconvert_app(execute=True, allow_errors=False)
    notebook = nbformat.v4.new_notebook(metadata={"kernelspec": page.meta["jupyter"]["kernelspec"]})
    notebook.cells.append(nbformat.v4.new_code_cell(_WATCH_STDERR, id="watch"))
    for index, cell in enumerate(cells):
        notebook.cells.append(nbformat.v4.new_code_cell(cell.code, id=f"cell-{index}"))
    _execute(notebook, cells, page, app.config)
    del notebook.cells[0]
    return [cell["outputs"] for cell in json.loads(nbformat.writes(notebook))["cells"]]


def _execute(notebook: Any, cells: Sequence[CodeCell], page: PageSource, config: Any) -> None:
    from jupyter_client.kernelspec import NoSuchKernel
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
    from nbconvert.preprocessors import ExecutePreprocessor

    running = {"index": 0}
    runner = ExecutePreprocessor(config=config, record_timing=False, store_widget_state=False)
    limits = {f"cell-{index}": cell.timeout for index, cell in enumerate(cells)}
    runner.timeout_func = lambda node: limits.get(node.id, LIMIT)
    runner.on_cell_start = lambda cell, cell_index: running.update(index=max(cell_index - 1, 0))

    def failed(problem: str, expected: str, code_line: int = 0) -> MeasuredError:
        cell = cells[running["index"]]
        return _error(page, running["index"] + 1, cell.page_line(code_line), problem, expected)

    with tempfile.TemporaryDirectory() as empty:
        _keep_private(runner, empty)
        try:
            runner.preprocess(notebook, {"metadata": {"path": empty}})
        except CellExecutionError as error:
            raise failed(
                f"the code raised {error.ename}: {error.evalue}",
                "a cell that runs without an exception",
                _raised_at(str(error), running["index"]),
            ) from None
        except CellTimeoutError:
            limit = cells[running["index"]].timeout
            raise failed(
                f"the code ran longer than {limit} s", "a cell that ends in time, or timeout=…"
            ) from None
        except NoSuchKernel as error:
            raise MeasuredError(
                f"no kernel here is called {error.name!r}",
                path=page.path,
                line=1,
                expected="kernelspec: name: python3, the kernel of the project's own environment",
            ) from None
        except DeadKernelError:
            raise failed("the code killed its kernel", "a kernel that lives to the end of the page") from None


def _raised_at(trace: str, index: int) -> int:
    """The line of the running cell in a traceback, whose other frames are of other cells and modules."""
    plain = re.sub(r"\x1b\[[0-9;]*m", "", trace)
    frames = [(int(cell), int(line)) for cell, line in re.findall(r"Cell In\[(\d+)\], line (\d+)", plain)]
    own = [line for cell, line in frames if cell == index + 2]  # the first one watches stderr
    return own[-1] if own else 0


def _keep_private(runner: Any, folder: str) -> None:
    """Talk to the kernel over files in a folder of its own, not over TCP, where the platform can."""
    if os.name == "posix":
        runner.config.KernelManager.transport = "ipc"
        runner.config.KernelManager.connection_file = f"{folder}/kernel.json"
    runner.extra_arguments = ["--log-level=50"]


def _refuse_stderr(number: int, cell: CodeCell, output: Mapping[str, Any], page: PageSource) -> None:
    if output.get("name") == "stderr" and "allow-stderr" not in cell.tags:
        text = "".join(output["text"])
        raise _error(
            page,
            number,
            cell.line,
            f"the code wrote to stderr: {text.strip().splitlines()[-1] if text.strip() else 'blanks'}",
            "no warning and no log line",
            'mend its cause, or allow it for this cell: ```python tags=["allow-stderr"]',
        )


def _read(kept: Path, count: int) -> list[list[dict[str, Any]]] | None:
    """Outputs by order, not by line: prose above a cell may move it."""
    try:
        outputs = json.loads(kept.read_text(encoding="utf-8"))["outputs"]
        return outputs if len(outputs) == count else None
    except (OSError, ValueError, KeyError, TypeError):
        return None  # absent or half-written: run again
