"""`measured new experiment|figure|page NAME`: a file to start from, listed where its kind is."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from measured import files
from measured.errors import MeasuredError
from measured.files import read_text
from measured.mkdocs_yml import SiteSettings
from measured.names import checked
from measured.project import Project

_LINE = 100  # signs of a line of imports
_TEMPLATES = Path(__file__).parent / "new"


@dataclass(frozen=True)
class Begun:
    """What was begun.

    Args:
        written: the new file.
        changed: the file that lists it; None where there is no list.
        next: what to do now, for people.
    """

    written: Path
    changed: Path | None
    next: str


def experiment(project: Project, name: str) -> Begun:
    """A module that measures, and its place in the registry.

    Raises:
        MeasuredError: a name that cannot be used, or a registry that cannot be added to.
    """
    if "." in checked(name, "an experiment"):
        raise MeasuredError(f"an experiment is called {name!r}", expected="one word")
    registry = _module(project.experiments, "experiments")
    path = registry.with_name(f"{name}.py")
    text = _filled("experiment.py", name=name)
    listed = _listed(registry, "EXPERIMENTS", project.experiments, name, f"{name}.EXPERIMENT")
    _write(path, text)
    files.write_text(registry, listed)
    return Begun(path, registry, "measure it: nox -s build; it stops at the gate: look, then nox -s accept")


def figure(project: Project, name: str) -> Begun:
    """A function that draws, and its place in the registry.

    Args:
        project: whose figure.
        name: `experiment.what`.

    Raises:
        MeasuredError: no such experiment, a name that cannot be used, or a registry that cannot be added to.
    """
    if not project.figures:
        raise MeasuredError("the project lists no figures", path="pyproject.toml", expected='figures = "…"')
    measured_by, _, what = checked(name, "a figure").partition(".")
    if not what or "." in what:
        raise MeasuredError(f"a figure is called {name!r}", expected="experiment.what, such as pi.errors")
    if measured_by not in project.declared:
        raise MeasuredError(
            f"no experiment is called {measured_by!r}", expected=f"one of {', '.join(project.declared)}"
        )
    if name in project.declared_figures:
        raise MeasuredError(f"there is a figure {name} already")
    registry = _module(project.figures, "figures")
    module = f"{measured_by}_{what}"
    path = registry.with_name(f"{module}.py")
    text = _filled("figure.py", name=name, what=what, experiment=measured_by)
    entry = f'Plot("{name}", {module}.{what}, ("{measured_by}",))'
    listed = _listed(registry, "FIGURES", project.figures, module, entry)
    _write(path, text)
    files.write_text(registry, listed)
    return Begun(path, registry, f'show it on a page: {{% figure "{name}" %}} caption {{% endfigure %}}')


def page(project: Project, name: str) -> Begun:
    """A page, and its place in the navigation.

    Args:
        project: whose page.
        name: of its file, without `.md`; `folder/name` for one in a folder.

    Raises:
        MeasuredError: a name that cannot be used, or a page that is there.
    """
    if not re.fullmatch(r"[a-z0-9][a-z0-9_-]*(?:/[a-z0-9][a-z0-9_-]*)*", name):
        raise MeasuredError(f"a page is called {name!r}", expected="lower-case words, joined by - and /")
    settings = SiteSettings.load(project.root)
    title = re.sub(r"[-_]+", " ", name.rpartition("/")[2]).capitalize()
    path = settings.docs / f"{name}.md"
    _write(path, _filled("page.md", title=title))
    changed = (
        _in_navigation(settings.path, settings.docs, title, f"{name}.md") if settings.raw.get("nav") else None
    )
    return Begun(path, changed, "see it: nox -s serve")


KINDS: dict[str, Callable[[Project, str], Begun]] = {"experiment": experiment, "figure": figure, "page": page}


def _filled(template: str, **holes: str) -> str:
    text = (_TEMPLATES / f"{template}.txt").read_text(encoding="utf-8")
    for hole, value in holes.items():
        text = text.replace(f"<{hole}>", value)
    return text


def _module(name: str, what: str) -> Path:
    spec = find_spec(name)
    if spec is None or spec.origin is None:
        raise MeasuredError(f"[tool.measured] {what}: no module {name}", path="pyproject.toml")
    return Path(spec.origin)


def _write(path: Path, text: str) -> None:
    if path.exists():
        raise MeasuredError("this file is there already", path=path, mend="choose another name")
    files.write_text(path, text)


def _listed(registry: Path, name: str, module: str, imported: str, entry: str) -> str:
    """A registry with one more entry in its list, and the import that it needs.

    Raises:
        MeasuredError: the list is not written out, as `NAME = [ … ]`.
    """
    text = read_text(registry)
    tree = ast.parse(text)
    found = [
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and [ast.unparse(target) for target in node.targets] == [name]
    ]
    if not found or not isinstance(found[0], ast.List):
        raise MeasuredError(
            f"no list {name} = [ … ] is written out here",
            path=registry,
            mend=f"add by hand: {entry}, and import {imported}",
        )
    package = module.rpartition(".")[0]
    lines = text.splitlines()
    end = found[0]
    last, column = (end.end_lineno or 1) - 1, (end.end_col_offset or 1) - 1
    before = lines[last].encode()[:column].decode().rstrip()
    after = lines[last].encode()[column:].decode()
    if before.strip():  # on one line, or its last entry beside the bracket
        comma = "" if before.endswith(("[", ",")) else ","
        lines[last : last + 1] = [f"{before}{comma}", f"    {entry},", after]
    else:
        if not lines[last - 1].rstrip().endswith((",", "[")):
            lines[last - 1] += ","
        lines[last:last] = [f"    {entry},"]
    return "\n".join(_with_import(lines, tree, package, imported)) + "\n"


def _with_import(lines: list[str], tree: ast.Module, package: str, name: str) -> list[str]:
    """The lines of a module that imports one more name from a package, as linters want it written."""
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    own = [node for node in imports if isinstance(node, ast.ImportFrom) and node.module == package]
    if own and not any(alias.asname for alias in own[-1].names):
        node = own[-1]
        names = sorted({*(alias.name for alias in node.names), name})
        told = [f"from {package} import {', '.join(names)}"]
        if len(told[0]) > _LINE or node.end_lineno != node.lineno:
            told = [f"from {package} import (", *(f"    {one}," for one in names), ")"]
        return [*lines[: node.lineno - 1], *told, *lines[node.end_lineno :]]
    place = max((node.end_lineno or 0 for node in imports), default=_after_docstring(tree))
    line = f"from {package} import {name}" if package else f"import {name}"
    return [*lines[:place], line if imports else f"\n{line}", *lines[place:]]


def _after_docstring(tree: ast.Module) -> int:
    return (tree.body[0].end_lineno or 0) if ast.get_docstring(tree) is not None else 0


def _in_navigation(path: Path, docs: Path, title: str, place: str) -> Path:
    """The settings with one more page, in the manner of the navigation's other entries.

    It stands at the end, but before pages that are generated: a reader who follows "Next" reads those last.
    """
    lines = read_text(path).splitlines()
    start = next(number for number, line in enumerate(lines) if re.match(r"nav:\s*(#.*)?$", line))
    entries = []
    for number, line in enumerate(lines[start + 1 :], start + 1):
        if line.strip() and not line.startswith((" ", "-", "#")):
            break
        if line.strip():
            entries.append(number)
    indent = re.match(r" *", lines[entries[0]])[0]
    generated = re.compile(rf"{indent}- .*?([\w/.-]+\.md)$")
    after = entries[-1] + 1
    while len(entries) > 1:
        found = generated.match(lines[entries[-1]].rstrip())
        if not found or (docs / found[1]).exists():
            break
        after = entries.pop()
    lines.insert(after, f"{indent}- {title}: {place}")
    files.write_text(path, "\n".join(lines) + "\n")
    return path
