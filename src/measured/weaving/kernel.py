"""A kernel for the cells of one page: a process and a folder of its own, and nobody's settings."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from measured.errors import MeasuredError
from measured.making import environment
from measured.making.fingerprint import Fingerprint, HashOfCode, hash_of_code
from measured.making.sources import folders_of

Outputs = list[dict[str, Any]]
WAITING = 2  # kernels more than there are cores: who starts one waits for it, mostly
SOON = 5.0  # seconds: cells that failed in one kernel mostly fail in the other at the same time
_SHOWN = {"_IncompleteInputError": "SyntaxError"}  # Python 3.13 has a private name for some of them


@dataclass(frozen=True)
class Setup:
    """What a kernel is told of the project whose cells it runs.

    Args:
        root: the project's folder.
        build: everything generated; Matplotlib keeps its list of fonts there.
        site: what is published.
        packages: the project's own.
        code: hashes a file of code, where somebody knows some of them.
    """

    root: Path
    build: Path
    site: Path
    packages: tuple[str, ...]
    code: HashOfCode = hash_of_code


@dataclass(frozen=True)
class Ran:
    """What came out of the cells of a page.

    Args:
        outputs: of each cell, as nbformat has them.
        read: what of the project was read meanwhile.
    """

    outputs: list[Outputs]
    read: Fingerprint


class CellFailure(Exception):
    """A cell that did not end well.

    Args:
        index: of the cell.
        problem: what happened.
        expected: what would have been right.
        code_line: of the cell's code; 0 where it is not known.
    """

    def __init__(self, index: int, problem: str, expected: str, code_line: int = 0) -> None:
        super().__init__(problem)
        self.index, self.problem, self.expected, self.code_line = index, problem, expected, code_line


@dataclass(frozen=True)
class Ordered:
    """The cells of a page that are to run.

    Args:
        codes: of the cells.
        limits: seconds that each may take.
        kernelspec: the page's.
    """

    codes: Sequence[str]
    limits: Sequence[int]
    kernelspec: Mapping[str, Any]


def runs(
    pages: Sequence[Ordered], setup: Setup, count: int = 2
) -> list[list[Ran] | CellFailure | MeasuredError]:
    """Run the cells of pages in new kernels: those of a page at once, pages as many as there are cores for.

    Args:
        pages: whose cells, each in kernels of its own.
        setup: the project.
        count: of kernels for a page; two, so that what they give can be compared.

    Returns:
        For each page what its kernels gave, or its error: a cell that raised, hung or killed the kernel, or
        a file of the project that changed meanwhile.
    """
    from jupyter_core.utils import run_sync
    from loky import cpu_count

    async def all_of_them() -> list[list[Ran] | CellFailure | MeasuredError]:
        places = asyncio.Semaphore(max(1, (cpu_count() + WAITING) // count))

        async def in_turn(page: Ordered) -> list[Ran] | CellFailure | MeasuredError:
            async with places:
                try:
                    return await _all_of_one(page, setup, count)
                except (CellFailure, MeasuredError) as error:
                    return error

        return await asyncio.gather(*map(in_turn, pages))

    return run_sync(all_of_them)()


async def _all_of_one(page: Ordered, setup: Setup, count: int) -> list[Ran]:
    begun = [asyncio.ensure_future(_ran(page, setup)) for _ in range(count)]
    try:
        return await asyncio.gather(*begun)
    finally:  # where one failed, the others end by the same fault soon, or because they are told to:
        # whoever is told in the midst of ending leaves half of it to the end of the process
        await asyncio.wait(begun, timeout=SOON)
        for one in begun:
            one.cancel()
        await asyncio.gather(*begun, return_exceptions=True)


async def _ran(page: Ordered, setup: Setup) -> Ran:
    from nbformat import v4

    with tempfile.TemporaryDirectory(prefix="measured-kernel-") as name:
        folder = Path(name)
        cells = [_beginning(setup), *page.codes, _end(folder / "read.json")]
        notebook = v4.new_notebook(metadata={"kernelspec": dict(page.kernelspec)})
        notebook.cells = [v4.new_code_cell(code, id=f"cell-{n}") for n, code in enumerate(cells)]
        await _execute(notebook, [60, *page.limits, 60], folder, setup)
        executed = json.loads(v4.writes(notebook))["cells"][1:-1]
        outputs = [with_whole_streams(cell["outputs"]) for cell in executed]
        return Ran(outputs, json.loads((folder / "read.json").read_text(encoding="utf-8")))


def with_whole_streams(outputs: Outputs) -> Outputs:
    """Outputs in which what was printed in one go is one output.

    A kernel sends what is printed in pieces, cut where its clock says: on a busy machine elsewhere each time.

    Args:
        outputs: of a cell, as nbformat writes them.
    """
    made: Outputs = []
    for output in outputs:
        before = made[-1] if made else {}
        same = [one.get("output_type") == "stream" and one["name"] for one in (before, output)]
        if same[0] and same[0] == same[1]:
            text = "".join((*before["text"], *output["text"]))
            made[-1] = {**before, "text": text.splitlines(keepends=True)}
        else:
            made.append(output)
    return made


def refuse_changing(
    first: Sequence[Outputs], second: Sequence[Outputs], told: Callable[[int, str, str, str], MeasuredError]
) -> None:
    """Compare two runs of the same cells.

    Args:
        first: the outputs of one run.
        second: of another.
        told: makes an error of the cell's index, the problem, what is expected, and how to mend it.

    Raises:
        MeasuredError: a cell gave two outputs without any input having changed.
    """
    for index, (one, other) in enumerate(zip(first, second, strict=True)):
        if one != other:
            raise told(
                index,
                f"the code gives another output each time it runs: {_difference(one, other)}",
                "the same output from the same inputs",
                "seed what is drawn; print no address, no clock and no duration",
            )


def _difference(one: Outputs, other: Outputs) -> str:
    """The first line of text that differs, in both runs."""
    texts = [re.sub(r"\x1b\[[0-9;]*m", "", json.dumps(outputs)).split("\\n") for outputs in (one, other)]
    for here, there in zip(*texts, strict=False):
        if here != there:
            start = next((n for n, (a, b) in enumerate(zip(here, there, strict=False)) if a != b), 0)
            shown = slice(max(0, start - 20), start + 20)
            return f"…{here[shown]}… and …{there[shown]}…"
    return f"{len(one)} outputs and {len(other)}"


def _beginning(setup: Setup) -> str:
    without = [str(setup.build), str(setup.site)]
    told = (str(setup.root), without, list(folders_of(setup.packages)))
    return f"import measured.weaving.in_kernel as _engine\n_engine.begin{told!r}\ndel _engine"


def _end(path: Path) -> str:
    return f"import measured.weaving.in_kernel\nmeasured.weaving.in_kernel.report({str(path)!r})"


async def _execute(notebook: Any, limits: Sequence[int], folder: Path, setup: Setup) -> None:
    from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
    from traitlets.config import Config

    class Alone(NotebookClient):
        """With this Python, whatever kernels an author has installed, and with an environment of its own.

        It is what mkdocs-jupyter runs notebooks with, several layers below: nbconvert's exporters, which it
        brings along, take seconds to import and have nothing to do here.
        """

        def create_kernel_manager(self):
            manager = super().create_kernel_manager()
            manager.kernel_spec_manager = KernelSpecManager(kernel_dirs=[], config=self.config)
            return manager

        async def async_start_new_kernel(self, **options):
            await super().async_start_new_kernel(env=_environment(folder, setup), **options)

    running = {"index": 0}
    config, work = Config(), folder / "work"
    work.mkdir()
    if os.name == "posix":  # talk over files in a folder of its own, not over TCP
        config.KernelManager.transport = "ipc"
        config.KernelManager.connection_file = str(folder / "kernel.json")
    runner = Alone(
        notebook,
        config=config,
        resources={"metadata": {"path": str(work)}},
        record_timing=False,
        store_widget_state=False,
        extra_arguments=["--log-level=50"],
        timeout_func=lambda node: limits[int(node.id.removeprefix("cell-"))],
        on_cell_start=lambda cell, cell_index: running.update(index=cell_index),
    )

    def failure(problem: str, expected: str, code_line: int = 0) -> Exception:
        index = running["index"] - 1
        if 0 <= index < len(limits) - 2:
            return CellFailure(index, problem, expected, code_line)
        return MeasuredError(f"the kernel of a page failed: {problem}", expected=expected)

    try:
        await runner.async_execute()
    except CellExecutionError as error:
        raise failure(
            f"the code raised {_SHOWN.get(error.ename, error.ename)}: {error.evalue}",
            "a cell that runs without an exception",
            _raised_at(str(error), running["index"]),
        ) from None
    except CellTimeoutError:
        limit = limits[running["index"]]
        raise failure(
            f"the code ran longer than {limit} s", "a cell that ends in time, or timeout=…"
        ) from None
    except NoSuchKernel as error:
        raise MeasuredError(
            f"no kernel here is called {error.name!r}",
            expected="kernelspec: name: python3, the kernel of the project's own environment",
        ) from None
    except DeadKernelError:
        raise failure("the code killed its kernel", "a kernel that lives to the end of the page") from None


def _environment(folder: Path, setup: Setup) -> dict[str, str]:
    """Nothing of the author's: no settings of IPython, Jupyter, Matplotlib; what Python needs to start."""
    home = folder / "home"
    home.mkdir(exist_ok=True)
    return {
        **environment.of_worker(home),
        "IPYTHONDIR": str(home / "ipython"),
        "JUPYTER_CONFIG_DIR": str(home / "jupyter"),
        "JUPYTER_NO_CONFIG": "1",
        "MPLCONFIGDIR": str(setup.build / "cache" / "matplotlib"),
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
    }


def _raised_at(trace: str, index: int) -> int:
    """The line of the running cell in a traceback, whose other frames are of other cells and modules."""
    plain = re.sub(r"\x1b\[[0-9;]*m", "", trace)
    frames = [(int(cell), int(line)) for cell, line in re.findall(r"Cell In\[(\d+)\], line (\d+)", plain)]
    own = [line for cell, line in frames if cell == index + 1]
    return own[-1] if own else 0
