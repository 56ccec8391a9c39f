"""Code cells of a page: run in a kernel, and kept until something changes that they are made from.

That is the code of the cells, whatever of the project they import or read while they run, the versions of
what computes, the settings of the process, and the engine's own part. Prose is not among it, so that editing
a sentence starts no kernel. A page that fails leaves nothing behind.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from measured import files, keeping
from measured.errors import MeasuredError
from measured.making import environment
from measured.making.fingerprint import Fingerprint, file_of, of_software
from measured.making.made import Fresh, made
from measured.weaving import kernel
from measured.weaving.fences import CellAttributes, cell_attributes, refuse_odd_marks
from measured.weaving.kernel import Setup
from measured.weaving.outputs import Showing, fenced
from measured.weaving.page import Fence, PageSource
from measured.weaving.renderer import Renderer

# What of the engine, and of what runs kernels, can change an output.
_ENGINE = ("measured.making.environment", "measured.weaving.in_kernel", "measured.weaving.kernel")
_OTHER_NAMES = ("python", "python3", "ipython", "ipython3")
_RUNNING = ("ipykernel", "ipython", "nbclient")


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
        """The line of the page where a line of the code stands; of what is pulled in, the fence's.

        IPython does not count the blank lines that code begins with.
        """
        blank = len(self.code) - len(self.code.lstrip("\n")) if code_line else 0
        return self.line + max(0, code_line + blank - self.pulled)


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
    if page.is_notebook:
        _refuse_other_names(page)
    return [_cell(fence, page.path) for fence in fences]


def _refuse_other_names(page: PageSource) -> None:
    """Who writes Python or python3 on a page with cells means a cell, and would read that it had run."""
    for fence in page.fences:
        if fence.is_shown and fence.language != "python" and fence.language.lower() in _OTHER_NAMES:
            raise MeasuredError(
                f"code in {fence.language} is shown on this page and not run",
                path=page.path,
                line=fence.line,
                expected="```python for a cell, ```py for code that must not run",
            )


def execute(
    pages: Sequence[PageSource],
    setup: Setup,
    *,
    distributions: tuple[str, ...] = (),
    renderer: Renderer | None = None,
    twice: bool = True,
) -> list[Executed]:
    """Run the cells of pages, or take what an equal run left; several pages at the same time.

    Cells that are new or changed run twice, each time in a kernel of their own.

    Args:
        pages: as scanned.
        setup: the project.
        distributions: installed packages that compute.
        renderer: the site's Markdown.
        twice: whether new cells run twice, as they do for all that is published.

    Raises:
        MeasuredError: a cell raised, warned, hung, killed its kernel, or gave two outputs; with its line. Of
            several pages that failed the first is told; what the others gave is kept.
    """
    renderer = renderer or Renderer()
    products = [CellsProduct(page.path, tuple(cells_of(page)), setup, distributions) for page in pages]
    fresh = [not one.cells or isinstance(made(one, setup.root, setup.code), Fresh) for one in products]
    stale = [index for index, is_fresh in enumerate(fresh) if not is_fresh]
    before = [products[index].inputs() for index in stale]
    ran = kernel.runs([products[index].ordered(pages[index]) for index in stale], setup, 2 if twice else 1)
    shown: dict[int, Executed] = {}
    failed: list[MeasuredError] = []
    for index, inputs, of_page in zip(stale, before, ran, strict=True):
        try:
            shown[index] = _keep(products[index], pages[index], of_page, inputs, renderer)
        except MeasuredError as error:
            failed.append(error)
    if failed:
        raise failed[0]
    for index, (page, product) in enumerate(zip(pages, products, strict=True)):
        if index not in shown:
            outputs = product.outputs() if product.cells else []
            shown[index] = _shown(product.cells, outputs, page, renderer)
    return [shown[index] for index in range(len(pages))]


def _keep(
    product: CellsProduct,
    page: PageSource,
    ran: list[kernel.Ran] | kernel.CellFailure | MeasuredError,
    before: Fingerprint,
    renderer: Renderer,
) -> Executed:
    """Look at what the kernels of a page gave, and keep it.

    Raises:
        MeasuredError: they failed, or gave what no page may show.
    """
    cells = product.cells
    if isinstance(ran, Exception):
        raise _failure(cells, page, ran) from None
    first, *again = ran
    shown = _shown(cells, first.outputs, page, renderer)
    for other in again:
        kernel.refuse_changing(
            first.outputs,
            other.outputs,
            lambda index, *words: _error(page, index + 1, cells[index].line, *words),
        )
    fingerprint = dict(sorted({**first.read, **before}.items()))
    keeping.write(product.files[0], {"fingerprint": fingerprint, "outputs": first.outputs})
    return shown


@dataclass(frozen=True)
class CellsProduct:
    """The outputs of a page's cells.

    Args:
        page: its path.
        cells: in order.
        setup: the project.
        distributions: installed packages that compute.
    """

    page: Path
    cells: tuple[CodeCell, ...]
    setup: Setup
    distributions: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """As people see it."""
        return f"cells of {self.page.as_posix()}"

    @property
    def files(self) -> tuple[Path, ...]:
        """Where outputs are kept, a file a page."""
        return (self.setup.build / "cells" / f"{self.page.as_posix().replace('/', '.')}.json",)

    def inputs(self) -> Fingerprint:
        """Code, versions and settings; what the code imports and reads is seen while it runs."""
        code = [[cell.code, cell.tags, cell.timeout] for cell in self.cells]
        modules = {f"module {name}": self.setup.code(file_of(name)) for name in _ENGINE}
        settings = files.sha256(environment.settings_in_words().encode())
        software = of_software((*self.distributions, *_RUNNING))
        return {"cells": files.sha256(json.dumps(code).encode()), "settings": settings, **modules, **software}

    def ordered(self, page: PageSource) -> kernel.Ordered:
        """What a kernel is told to run."""
        codes, limits = [cell.code for cell in self.cells], [cell.timeout for cell in self.cells]
        return kernel.Ordered(codes, limits, page.meta["jupyter"]["kernelspec"])

    def found(self) -> Fingerprint | None:
        """What the outputs that are kept were made from; nothing if they are not whole: they run again."""
        try:
            data = keeping.read(self.files[0])
            return dict(data["fingerprint"]) if len(data["outputs"]) == len(self.cells) else None
        except (ValueError, KeyError, TypeError):
            return None

    def outputs(self) -> list[kernel.Outputs]:
        """Those that are kept, by order, not by line: prose above a cell may move it."""
        return keeping.read(self.files[0])["outputs"]


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
    refuse_odd_marks(attributes.marked, code, path, fence.line)
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
        origin = files.read_text(Path(spec.origin))
    except (ImportError, AttributeError, TypeError, ValueError, OSError, MeasuredError) as error:
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


def _failure(
    cells: Sequence[CodeCell], page: PageSource, failure: kernel.CellFailure | MeasuredError
) -> MeasuredError:
    """What went wrong in a kernel, with page and line."""
    if isinstance(failure, kernel.CellFailure):
        cell = cells[failure.index]
        told = (page, failure.index + 1, cell.page_line(failure.code_line), failure.problem, failure.expected)
        return _error(*told, *_missing_import(cell, failure.problem))
    return MeasuredError(
        failure.problem, path=page.path, line=1, expected=failure.expected, mend=failure.mend
    )


def _missing_import(cell: CodeCell, problem: str) -> list[str]:
    """How to mend a pulled function that uses what only its module imports."""
    missing = re.search(r"NameError: name '(\w+)'", problem)
    if not missing or not cell.attributes.source:
        return []
    module = cell.attributes.source.partition(":")[0]
    return [f"import {missing[1]} in a cell above: the function comes without the imports of {module}"]


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
