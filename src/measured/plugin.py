"""The MkDocs plugin: an author's live preview. It calls what the build's stages call, inside MkDocs."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from jinja2 import Environment
from mkdocs.commands import build
from mkdocs.config import config_options as c
from mkdocs.config.base import Config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin, event_priority
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page

from measured.errors import MeasuredError
from measured.gate import publishable
from measured.mkdocs_yml import SiteSettings, with_notebooks_as_pages
from measured.project import Project
from measured.site import content_policy, finish, own_files, render, stages
from measured.site.finish_page import Setting, finish_page
from measured.site.kept_pages import Kept
from measured.site.weave_site import VENDOR, inert, weave_site

_shown: ContextVar[Project | None] = ContextVar("project that is shown", default=None)


@contextmanager
def showing(project: Project) -> Iterator[None]:
    """Show this project, quick or not, to whoever has MkDocs build inside the block."""
    token = _shown.set(project)
    try:
        yield
    finally:
        _shown.reset(token)


class MeasuredConfig(Config):
    """The plugin's settings in mkdocs.yml."""

    vendor = c.Type(str, default=VENDOR)
    """Folder of third-party files for the site, relative to the project; published at assets/vendor/."""


class MeasuredPlugin(BasePlugin[MeasuredConfig]):
    """Weaves each page before MkDocs renders it, and finishes the site that MkDocs has made."""

    serving = False
    kept: Kept | None = None
    says_what_is_unchecked = True

    def on_startup(self, *, command: str, dirty: bool) -> None:
        """Remember whether pages are only looked at; with this event, an instance lives on between builds."""
        self.serving = command == "serve"

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Find the project, and give every page the palette and the rules of formulas."""
        root = Path(config.config_file_path).parent
        with _as_plugin_error():
            self.project = _shown.get() or Project.load(root)
            self.unchecked = publishable.reasons_against(self.project)
            if not self._only_looked_at(config):  # before MkDocs empties the site's folder
                publishable.refuse(self.unchecked)
        if self.kept is None:
            self.kept = Kept(self.project.build / "kept_pages.preview.json")
        _take_over(config)
        own = [path for path in own_files.style_sheets() if path not in config.extra_css]
        config.extra_css[:0] = own
        scripts = [c.ExtraScript().run_validation(one) for one in render.own_scripts(config.extra_javascript)]
        config.extra_javascript[:0] = scripts
        return config

    def on_files(self, files: Files, config: MkDocsConfig) -> Files:
        """Weave all pages, so that everything generated can know where each number is shown."""
        with _as_plugin_error():
            settings = SiteSettings.load(self.project.root)
            self.site = weave_site(self.project, settings, drafts=self.serving)
        there = {file.src_uri: file for file in files}
        for place in self.site.pages:
            notebook = there.get(f"{place.removesuffix('.md')}.ipynb")
            if place in there or notebook is None:
                continue
            files.remove(notebook)  # a page, as MkDocs knows pages
            files.append(File.generated(config, place, content=self.site.pages[place].woven.markdown))
        for path, content in self.site.made.items():
            files.append(File.generated(config, path, content=content))
        self.kept.begin(files, config)
        return files

    def on_page_markdown(self, markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
        """Hand MkDocs the woven page, title and description included."""
        found = self.site.pages.get(page.file.src_uri)
        page.meta = inert({**page.meta, **(found.meta if found else {})})
        woven = markdown if found is None else found.woven.markdown
        self.kept.take(page, woven)
        return woven

    @event_priority(-100)  # the index that search leaves is finished, too
    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Finish the pages; one that is being edited runs the server's script, which no policy knows."""
        with _as_plugin_error():
            report = finish.finish(
                Path(config.site_dir),
                self._setting(),
                self.project.build / "finished" / ("preview" if self.serving else "plugin"),
                one_sheet=self.project.one_style_sheet,
                with_policy=not self.serving,
                with_links=not self.serving or bool(self.project.read_records()),
            )
        self.sheets = tuple(report.sheets)
        self.kept.end()

    def on_nav(self, nav: Navigation, *, config: MkDocsConfig, files: Files) -> Navigation:
        """Keep what a single page needs to be shown again."""
        self.nav = nav
        return nav

    def on_env(self, env: Environment, *, config: MkDocsConfig, files: Files) -> Environment:
        """Keep the rest of it."""
        self.env, self.built_config, self.built_files = env, config, files
        return env

    def show_again(self, place: str, path: Path) -> None:
        """Make one page anew, as its author has just left it; the rest of the site stays as it was.

        Args:
            place: of the page, among the pages.
            path: its file.

        Raises:
            MeasuredError: it cannot be woven, or not be shown.
        """
        config, files = self.built_config, self.built_files
        page = files.get_file_from_path(place).page
        self.site = self.site.with_page(place, path)
        build._populate_page(page, config, files)
        build._build_page(page, config, files.documentation_pages(), self.nav, self.env)
        target = Path(page.file.abs_dest_path)
        setting = dataclasses.replace(self._setting(), sheets=self.sheets)
        where = target.relative_to(config.site_dir).as_posix()
        finished = finish_page(target.read_text(encoding="utf-8"), where, setting)
        target.write_text(content_policy.with_policy(finished.html, ""), encoding="utf-8")

    def _setting(self) -> Setting:
        unchecked = self.unchecked if self.says_what_is_unchecked else ()
        return stages.setting_of(self.project, self.site, unchecked=unchecked)

    def on_serve(self, server, *, config: MkDocsConfig, builder):
        """Reload when a record or a figure was made anew."""
        for folder in (self.project.records, self.project.drawings):
            if folder.is_dir():
                server.watch(str(folder))
        return server

    def _only_looked_at(self, config: MkDocsConfig) -> bool:
        """Whether nothing is published: pages are served, or quick ones go to the build folder."""
        into = Path(config.site_dir).resolve()
        return self.serving or (self.project.quick and into.is_relative_to(self.project.build))


def _take_over(config: MkDocsConfig) -> None:
    """Notebooks are pages of ours; mkdocs-jupyter, where it stands beside, would execute them again."""
    for name in render.WOVEN:
        other = config.plugins.get(name)
        if other is None or isinstance(other, MeasuredPlugin):
            continue
        for event, methods in config.plugins.events.items():
            config.plugins.events[event] = [m for m in methods if getattr(m, "__self__", None) is not other]
    config.nav = with_notebooks_as_pages(config.nav)


class _as_plugin_error:
    """What a person can mend reaches MkDocs as its own kind of error: told once, no traceback."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind, error, trace) -> None:
        if isinstance(error, MeasuredError):
            raise PluginError(str(error)) from None
