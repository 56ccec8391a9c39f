"""The three stages, one after another: weave, render, finish."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from importlib.metadata import version
from pathlib import Path

import measured
from measured import files
from measured.errors import MeasuredError
from measured.gate import publishable
from measured.making.fingerprint import HashOfCode
from measured.mkdocs_yml import SiteSettings, is_page
from measured.project import Project
from measured.site import finish, hooks, links, own_files, render, theme_scripts
from measured.site.finish_page import Setting, file_of
from measured.site.weave_site import WOVEN, WovenSite, weave_site


def make(
    project: Project,
    target: Path,
    environment: dict[str, str],
    state: str = "",
    code: HashOfCode | None = None,
) -> finish.Report:
    """Make a site from measured records and drawn figures.

    Args:
        project: whose site.
        target: the folder it goes to; emptied first.
        environment: variables for the renderer.
        state: of all that was measured; empty where it is not known.
        code: hashes a file of code, where somebody knows some of them.

    Raises:
        MeasuredError: a stage refused; nothing of `target` is fit to be published.
    """
    settings = SiteSettings.load(project.root)
    chosen = render.renderer_named(project.renderer)
    site = weave_site(project, settings, state=state, code=code)
    woven = project.build / WOVEN
    site.write(woven)
    render.render(settings, chosen, woven, target, environment=environment)
    unchecked = publishable.reasons_against(project) if project.quick else ()
    setting = setting_of(project, site, project.renderer, unchecked)
    kept = project.build / "finished"
    places = {file_of(place, settings.directory_urls): place for place in site.pages}
    try:
        return finish.finish(target, setting, kept, one_sheet=project.one_style_sheet)
    except finish.DeadLink as error:
        if error.page not in places:
            raise
        raise links.with_line(error, error.link, places[error.page], settings) from error
    except finish.SharedAnchor as error:
        if error.page not in places:
            raise
        raise links.with_lines_of_anchor(error, error.anchor, places[error.page], settings) from error


def setting_of(
    project: Project, site: WovenSite, renderer: str = "mkdocs", unchecked: Sequence[str] = ()
) -> Setting:
    """What finishing must know of a project's site.

    Args:
        project: whose site.
        site: woven.
        renderer: which one makes its pages.
        unchecked: why its pages are only looked at, which each of them says at its top.
    """
    settings, added = site.settings, hooks.load(project)
    directory_urls = settings.directory_urls
    made = Setting(
        figures=_figures(project),
        expected=site.expected(),
        templates=theme_scripts.templates_of(str(settings.theme.get("name") or "mkdocs"), renderer),
        scripts=(*own_files.SCRIPTS, *settings.scripts, *added.scripts),
        inline=added.inline,
        absent=added.absent,
        root_path=settings.root_path,
        directory_urls=directory_urls,
        generated=frozenset(file_of(place, directory_urls) for place in site.made if is_page(place)),
        banner=_banner(unchecked) if unchecked else "",
        hooks=added.finish,
    )
    return replace(made, of=_key(project, made, added.key))


def _banner(reasons: Sequence[str]) -> str:
    told = html.escape("; ".join(reasons))
    return f'<div class="quick-banner" role="status">Not for publishing: {told}.</div>\n'


def _figures(project: Project) -> Callable[[str], tuple[str, str]]:
    @cache
    def markup(name: str) -> tuple[str, str]:
        ends = (".svg", ".narrow.svg")
        try:
            wide, narrow = ((project.drawings / f"{name}{end}").read_text(encoding="utf-8") for end in ends)
            return wide, narrow
        except OSError as error:
            raise MeasuredError(f"no figure is drawn under the name {name}", mend="nox -s build") from error

    return markup


def _key(project: Project, setting: Setting, added: str) -> str:
    """What decides over finished pages besides the pages: the steps, the figures, the theme."""
    engine = sorted(
        p for p in Path(measured.__file__).parent.rglob("*") if p.suffix in (".py", ".js", ".css")
    )
    figures = sorted(project.drawings.glob("*.svg"))
    hashes = [files.sha256_of_text(path) for path in (*engine, *figures)]
    packages = [version(name) for name in ("selectolax", "quickjs-ng", "mmdr", "cssselect2")]
    theme = sorted(setting.theme_files)
    parts = (hashes, packages, theme, setting.scripts, setting.root_path, setting.banner, added)
    return files.sha256(repr(parts).encode())
