"""The second stage: a folder of plain Markdown becomes pages, by a renderer of the reader's choice.

MkDocs, ProperDocs and Zensical are programs that are run, not modules that are imported; each gets the
project's mkdocs.yml, less what weaving has done. MkDocs and its fork keep what a page of Markdown became
from one build to the next (`kept_pages`): that is most of what they do.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import measured
from measured import archives, files, folders, mkdocs_yml
from measured.errors import MeasuredError
from measured.making import watching
from measured.making.watched import Program
from measured.mkdocs_yml import SiteSettings
from measured.site import kept_pages, links, own_files

# Plugins whose work weaving has done: a notebook is a page, executed once, whoever else would execute it.
WOVEN = ("measured", "mkdocs-jupyter")

# Plugins that Zensical takes over by itself; it ignores all others in silence.
_OF_ZENSICAL = frozenset(("search", "offline"))
_ADDRESSES = frozenset(("site_url", "repo_url", "edit_uri"))


@dataclass(frozen=True)
class Renderer:
    """A program that makes pages from Markdown.

    Args:
        name: of its module, and in the settings.
        strict: what makes it fail on a warning; MkDocs counts none where it is told to be quiet.
        adapted: the settings as this renderer needs them.
        may_fork: whether it bears what this process may have imported; the others take MkDocs' names.
    """

    name: str
    strict: tuple[str, ...]
    adapted: Callable[[dict[str, Any], Path], dict[str, Any]]
    may_fork: bool = False

    def command(self, configuration: Path) -> list[str]:
        """What is run, after the module's name."""
        return ["build", "-f", str(configuration), *self.strict]


def _for_mkdocs(raw: dict[str, Any], root: Path) -> dict[str, Any]:
    hooks = [str((root / str(getattr(hook, "value", hook))).resolve()) for hook in raw.get("hooks") or []]
    return {**raw, "hooks": [*hooks, str(Path(kept_pages.__file__))]}


def _for_zensical(raw: dict[str, Any], root: Path) -> dict[str, Any]:
    foreign = [name for name in SiteSettings(root / mkdocs_yml.NAME, raw).plugins if name not in _OF_ZENSICAL]
    if foreign or raw.get("hooks"):
        raise MeasuredError(
            f"Zensical runs no {', '.join(foreign) or 'hooks'}, and would say nothing of it",
            path=mkdocs_yml.NAME,
            expected="plugins: search and measured alone; no hooks",
            mend="remove them, or choose another renderer",
        )
    theme = raw.get("theme")
    theme = dict(theme) if isinstance(theme, Mapping) else {"name": theme}
    # An address that is not known is absent there: an empty one would be linked to.
    known = {key: value for key, value in raw.items() if value != "" or key not in _ADDRESSES}
    return {**known, "theme": {"variant": "classic", **theme}}


RENDERERS = {
    "mkdocs": Renderer("mkdocs", ("--strict",), _for_mkdocs, may_fork=True),
    "properdocs": Renderer("properdocs", ("--strict",), _for_mkdocs),
    "zensical": Renderer("zensical", ("--strict",), _for_zensical),
}


def renderer_named(name: str) -> Renderer:
    """The renderer of that name.

    Raises:
        MeasuredError: nobody knows it, or it is not installed.
    """
    if name not in RENDERERS:
        raise MeasuredError(
            f"no renderer is called {name!r}",
            path="pyproject.toml",
            expected=f"one of {', '.join(RENDERERS)}",
        )
    if find_spec(name) is None:
        raise MeasuredError(
            f"the renderer {name} is not installed", mend="install it: the lock of the project names it"
        )
    return RENDERERS[name]


def configuration(settings: SiteSettings, renderer: Renderer, woven: Path, target: Path) -> dict[str, Any]:
    """The site's settings for a renderer that finds everything woven."""
    root = settings.path.parent
    raw = {key: value for key, value in settings.raw.items() if key not in ("exclude_docs", "draft_docs")}
    theme = dict(settings.theme)
    if theme.get("custom_dir"):
        theme["custom_dir"] = str((root / str(theme["custom_dir"])).resolve())
    kept = {name: of for name, of in settings.plugins.items() if name not in WOVEN}
    plugins = [{name: of} if of else name for name, of in kept.items()]
    styles = [str(path) for path in raw.get("extra_css") or []]
    styles = [*(path for path in own_files.style_sheets() if path not in styles), *styles]
    scripts = list(raw.get("extra_javascript") or [])
    raw |= {
        "docs_dir": woven.name,
        "site_dir": os.path.relpath(target, woven.parent),
        "theme": theme,
        "plugins": plugins,
        "extra_css": styles,
        "extra_javascript": [*own_scripts(scripts), *scripts],
    }
    if raw.get("nav"):
        raw["nav"] = mkdocs_yml.with_notebooks_as_pages(raw["nav"])
    return renderer.adapted(raw, root)


def own_scripts(named: Sequence[Any]) -> list[dict[str, str]]:
    """The engine's scripts, as extra_javascript names modules, less what an author names already."""
    theirs = {str(one.get("path") if isinstance(one, Mapping) else one) for one in named}
    return [{"path": path, "type": "module"} for path in own_files.SCRIPTS if path not in theirs]


def render(
    settings: SiteSettings,
    renderer: Renderer,
    woven: Path,
    target: Path,
    *,
    environment: Mapping[str, str],
) -> None:
    """Make the pages of a woven folder.

    Args:
        settings: of the site.
        renderer: which of them.
        woven: the folder of Markdown.
        target: where the pages go; emptied first.
        environment: variables for the program, besides this one's.

    Raises:
        MeasuredError: it refused, or warned; with what it said.
    """
    folders.fresh(target)
    # Zensical wants pages and site below the folder of its settings.
    path = woven.parent / f"{renderer.name}.yml"
    files.write_text(path, mkdocs_yml.dump(configuration(settings, renderer, woven, target)))
    root, report = settings.path.parent, woven.parent / "rendered.json"
    made = (woven.parent, target, Path(measured.__file__).parent)
    report.unlink(missing_ok=True)
    command = renderer.command(path)
    program = Program(renderer.name, command, root, report, made, environment, renderer.may_fork)
    code, told = program.run()
    if report.exists():
        watching.also_read(archives.read_json(report))
    if code != 0 or not (target / "index.html").is_file():
        broken = links.told_by_renderer(told, settings)
        if broken is not None:
            raise broken
        said = "\n".join(line for line in told.splitlines() if line.strip())
        raise MeasuredError(
            f"{renderer.name} made no site:\n{_without_traceback(said)[-3000:]}",
            expected="pages that it renders without a warning",
        )


def _without_traceback(said: str) -> str:
    """What a program said for people: of a traceback, the error at its end."""
    before, found, trace = said.partition("Traceback (most recent call last)")
    return before + trace.splitlines()[-1] if found else said
