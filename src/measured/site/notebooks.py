"""A page as a notebook that opens and runs elsewhere: outputs inside, and first of all what to install."""

from __future__ import annotations

import ast
import json
import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import metadata
from importlib.util import find_spec
from typing import Any

from measured.making.fingerprint import ENGINE, Sources
from measured.site.finish_page import address_of
from measured.site.plain_markdown import PlainMarkdown, encoded
from measured.weaving.cells import Executed
from measured.weaving.weave import Woven

ENGINE_DISTRIBUTION = "measured-site"
_CELL = "\ue003"


@dataclass(frozen=True)
class Elsewhere:
    """What a notebook must know of the place that it comes from.

    Args:
        name: of the site.
        url: its address; empty where nobody knows it.
        packages: the project's own packages.
        distribution: the name under which the project installs.
        repository: what pip installs the project from; empty where nobody knows it.
        engine: what pip installs the engine from, where its source is part of the project; else empty.
        picture: the bytes of a picture by its place in the site; None where there is none.
        directory_urls: whether `a.md` becomes `a/`.
    """

    name: str
    url: str = ""
    packages: tuple[str, ...] = ()
    distribution: str = ""
    repository: str = ""
    engine: str = ""
    picture: Callable[[str], bytes | None] = field(default=lambda place: None)
    directory_urls: bool = True

    @property
    def said(self) -> list[Any]:
        """What of it a notebook says, as plain data."""
        texts = [self.name, self.url, self.distribution, self.repository, self.engine]
        return [*texts, list(self.packages), self.directory_urls]

    @cached_property
    def sources(self) -> Sources:
        """What imports what, read once for all notebooks."""
        return Sources(self.packages)


def place_of(where: str) -> str:
    """Where the notebook of a page is."""
    return re.sub(r"\.\w+$", ".ipynb", where)


def notebook(where: str, woven: Woven, executed: Executed, elsewhere: Elsewhere) -> str:
    """The page as a notebook: prose with its values, cells with their outputs; the same bytes each time."""
    url = f"{elsewhere.url.rstrip('/')}/" if elsewhere.url else ""
    prose = PlainMarkdown(where, url, elsewhere.picture, elsewhere.directory_urls, _CELL)
    whole = "\n\n".join(f"{_CELL}{text}{_CELL}" if kind == "cell" else text for kind, text in woven.plain)
    pieces = prose.of(whole).split(_CELL)
    title = str(woven.meta.get("title") or _heading(pieces[0]) or where)
    code = [run["code"] for run in executed.notebook.values()]
    cells = [_markdown(_preface(title, where, url, code, elsewhere), prose)]
    for index, piece in enumerate(pieces):
        if index % 2:
            cells.append(
                _code(executed.notebook[int(piece)], sum(c["cell_type"] == "code" for c in cells) + 1)
            )
        elif text := textwrap.dedent(re.sub(r"\A(?:[ \t>]*\n)+|(?:\n[ \t>]*)+\Z", "", piece)).strip("\n> \t"):
            cells.append(_markdown(text, prose))
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    content = {
        "cells": cells,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


@dataclass(frozen=True)
class Needs:
    """What cells need.

    Args:
        distributions: at the versions here; never the engine, which no package index has under its name.
        project: whether the project itself.
        engine: whether the engine.
    """

    distributions: list[str]
    project: bool = False
    engine: bool = False


def requirements(code: Iterable[str], packages: tuple[str, ...], sources: Sources | None = None) -> Needs:
    """What cells need; imports are followed through the project's own modules."""
    named = {module for text in code for module in _imports(text)}
    found = {module.split(".")[0] for module in named}
    ours = [module for module in sorted(named) if module.split(".")[0] in packages and _exists(module)]
    own = (sources or Sources(packages)).closure(ours) if ours else {}
    for path in own.values():
        found |= {module.split(".")[0] for module in _imports(path.read_text(encoding="utf-8"))}
    known = {*sys.stdlib_module_names, *packages, ENGINE}
    distributions = {_distributions()[m] for m in found - known if m in _distributions()}
    pinned = sorted({f"{d.metadata['Name']}=={d.version}" for d in distributions}, key=str.lower)
    is_ours = any(module.partition(".")[0] != ENGINE for module in own)
    return Needs(pinned, is_ours, ENGINE in found or any(m.partition(".")[0] == ENGINE for m in own))


def _preface(title: str, where: str, url: str, code: list[str], elsewhere: Elsewhere) -> str:
    page = f"[{title}]({url}{address_of(where, elsewhere.directory_urls)})" if url else f"*{title}*"
    needs = requirements(code, elsewhere.packages, elsewhere.sources)
    lines = [
        f"This notebook is the page {page} of *{elsewhere.name}*, executed, with its outputs. To run it"
        f" yourself, install Python {'.'.join(map(str, sys.version_info[:2]))} or later, and:",
        "",
        "```sh",
        f"python -m pip install jupyterlab {' '.join(needs.distributions)}".rstrip(),
    ]
    parts = [
        (needs.engine, "the engine", ENGINE_DISTRIBUTION, elsewhere.engine),
        (needs.project, "the project itself", elsewhere.distribution, elsewhere.repository),
    ]
    for needed, _, name, source in parts:
        if needed and source:
            lines.append(f'python -m pip install "{name} @ {source}"')
    lines.append("```")
    for needed, words, name, source in parts:
        if needed and not source:
            lines += [
                "",
                f"Some cells import {words}, `{name}`: install it from its wheel, or from a copy of the"
                " repository, with `python -m pip install PATH`.",
            ]
    return "\n".join(lines)


def _markdown(text: str, prose: PlainMarkdown) -> dict[str, Any]:
    named = dict.fromkeys(re.findall(r"\]\(attachment:([^)\s]+)\)", text))
    attached = {name: encoded(prose.attachments[name]) for name in named if name in prose.attachments}
    cell: dict[str, Any] = {"id": "", "metadata": {}, "cell_type": "markdown", "source": text}
    return {**cell, "attachments": attached} if attached else cell


def _code(run: Mapping[str, Any], count: int) -> dict[str, Any]:
    outputs = [{**o, "execution_count": count} if "execution_count" in o else o for o in run["outputs"]]
    return {
        "id": "",
        "metadata": {},
        "cell_type": "code",
        "execution_count": count,
        "source": run["code"],
        "outputs": outputs,
    }


def _heading(text: str) -> str:
    match = re.search(r"^#[ \t]+(.+)$", text, re.M)
    return match[1].strip() if match else ""


@cache
def _imports(code: str) -> tuple[str, ...]:
    """The modules that code imports; asked once of each module, whatever pages use it."""
    try:
        tree = ast.parse(re.sub(r"^[ \t]*[%!?].*$", "", code, flags=re.M))
    except SyntaxError:
        return ()
    found: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return tuple(found)


def _exists(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):
        return False


@cache
def _distributions() -> Mapping[str, metadata.Distribution]:
    """Whose each top-level module is; the first distribution that has it, as `packages_distributions` finds.

    That one makes a path of every installed file, which took half of the time of a small site's build.
    """
    found: dict[str, metadata.Distribution] = {}
    for distribution in metadata.distributions():
        declared = (distribution.read_text("top_level.txt") or "").split()
        for module in declared or _first_parts(distribution.read_text("RECORD") or ""):
            found.setdefault(module, distribution)
    return found


def _first_parts(record: str) -> set[str]:
    """The packages and modules of a list of installed files: `numpy/linalg.py,sha256=…` is numpy's."""
    firsts = {line.partition("/")[0].partition(",")[0] for line in record.splitlines()}
    modules = {
        first.partition(".")[0] if first.endswith((".py", ".so", ".pyd")) else first for first in firsts
    }
    return {module for module in modules if module.isidentifier()}
