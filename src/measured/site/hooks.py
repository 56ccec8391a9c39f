"""What a project adds to its site: files of its own making, and steps of its own on each page.

`hooks = "scripts/site_hooks.py"` in `[tool.measured]` names a Python file. It may define

    def files(project) -> Iterable[tuple[str, str | bytes]]     # place in the site, content
    def finish(page) -> int                                     # changes a page; how much it changed
    SCRIPTS = ("assets/javascripts/x.js",)                      # files that `finish` names as scripts
    INLINE = ("go()",)                                          # texts of scripts that `finish` adds
    ABSENT = ("md-version",)                                    # beginnings of classes that are not here
    KEY = "2026-11-30"                                          # what else `finish` writes into pages

Neither knows a renderer: `files` is called when pages are woven, `finish` when they are rendered
(`measured.site.finish_page.Page`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Any

from measured.errors import MeasuredError
from measured.files import sha256_of_text
from measured.project import Project

if TYPE_CHECKING:
    from measured.site.finish_page import Page


@dataclass(frozen=True)
class Hooks:
    """A project's additions; all of them may be missing.

    Args:
        files: what it publishes besides.
        finish: its steps on each page.
        scripts: files of the site that its steps name as scripts.
        inline: the texts of scripts that its steps add, which the policy allows by hash.
        absent: how classes begin that the theme makes on other sites; their styles are left out.
        key: changes when the additions do.
    """

    files: Callable[[Project], Iterable[tuple[str, str | bytes]]]
    finish: tuple[Callable[[Page], int], ...] = ()
    scripts: tuple[str, ...] = ()
    inline: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    key: str = ""


def load(project: Project) -> Hooks:
    """The additions of a project.

    Raises:
        MeasuredError: the file is missing, or Python cannot run it.
    """
    if not project.hooks:
        return Hooks(lambda _: ())
    path = project.root / project.hooks
    return _load(path, sha256_of_text(path))


def key_of(project: Project) -> str:
    """The hash of the file that makes the additions; empty where there is none."""
    return sha256_of_text(project.root / project.hooks) if project.hooks else ""


@lru_cache(maxsize=8)
def _load(path: Path, key: str) -> Hooks:
    module = _module(path)
    steps = (module.finish,) if hasattr(module, "finish") else ()
    declared = {name: tuple(getattr(module, name.upper(), ())) for name in ("scripts", "inline", "absent")}
    key = f"{key} {getattr(module, 'KEY', '')}"
    return Hooks(getattr(module, "files", lambda _: ()), steps, **declared, key=key)


def _module(path: Path) -> Any:
    spec = spec_from_file_location("site_hooks", path)
    if spec is None or spec.loader is None:
        raise MeasuredError("[tool.measured] hooks names no Python file", path=path)
    module = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except MeasuredError:
        raise
    except Exception as error:  # whatever the project's own code raises
        raise MeasuredError(
            f"the project's hooks fail: {type(error).__name__}: {error}", path=path
        ) from error
    return module
