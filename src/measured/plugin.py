"""The MkDocs plugin: hands pages to the weaver, and the weaver's results to MkDocs. Nothing else."""

from __future__ import annotations

import html
import os
import re
from pathlib import Path

from mkdocs.config import config_options as c
from mkdocs.config.base import Config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from mkdocs.utils import get_relative_url

from measured import folders
from measured.errors import MeasuredError
from measured.gate import publishable
from measured.mkdocs_yml import SiteSettings
from measured.project import Project
from measured.site import content_policy, data_files, generated, ledger
from measured.weaving import cells, diagrams, formulas
from measured.weaving.page import PageSource, scan
from measured.weaving.references import Library
from measured.weaving.renderer import Renderer
from measured.weaving.weave import Weaver

_PICTURE = re.compile(r'<img alt="(?P<alt>[^"]*)" data-figure="(?P<name>[^"]+)" src="[^"]*" ?/?>')

# Columns of a table align by class: the content policy allows no inline style.
_ALIGNED = re.compile(r' style="text-align: (left|right|center);"')
_CLASSES = {"left": "", "right": ' class="number"', "center": ' class="centre"'}


class MeasuredConfig(Config):
    """The plugin's settings in mkdocs.yml."""

    vendor = c.Type(str, default="build/vendor/site")
    """Folder of third-party files for the site, relative to the project; published at assets/vendor/."""


class MeasuredPlugin(BasePlugin[MeasuredConfig]):
    """Weaves each page before MkDocs renders it; publishes records, tables, figures and notebooks."""

    serving = False

    def on_startup(self, *, command: str, dirty: bool) -> None:
        """Remember whether pages are only looked at."""
        self.serving = command == "serve"

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Find the project, and give every page the palette and the rules of formulas."""
        root = Path(config.config_file_path).parent
        with _as_plugin_error():
            self.project = Project.load(root, quick=os.environ.get("MEASURED_QUICK") == "1")
            self.renderer = Renderer.of(SiteSettings.load(root), self.project.build / "readings")
            self.unchecked = publishable.reasons_against(self.project)
            if not self._only_looked_at(config):  # before MkDocs empties the site's folder
                publishable.refuse(self.unchecked)
        own = [path for path in data_files.style_sheets(self.project) if path not in config.extra_css]
        config.extra_css[:0] = own
        return config

    def on_files(self, files: Files, config: MkDocsConfig) -> Files:
        """Weave all pages, so that everything generated can know where each number is shown."""
        with _as_plugin_error():
            folders.refuse_links_out(Path(config.docs_dir), self.project.root)
            stored = data_files.stored_values(self.project) if self.project.quick else ()
            library = Library(self.project.read_records(), absent=stored)
            self.weaver = Weaver(
                library,
                data_files.pictures(self.project),
                row_page=ledger.PAGE,
                claims_must_hold=not self.project.quick,
            )
            self.pages = {file.src_uri: self._woven(file) for file in files.documentation_pages()}
            for path, content in generated.files(self.project, library, self.pages, self._site(config)):
                files.append(File.generated(config, path, content=content))
        return files

    def on_page_markdown(self, markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
        """Hand MkDocs the woven page, title and description included."""
        found = self.pages.get(page.file.src_uri)
        if found is None:
            return markdown
        page.meta.update(found.woven.meta)
        return found.woven.markdown

    def on_page_content(self, content: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
        """Formulas become MathML, diagrams are drawn, figures become inline SVG that follows the scheme."""
        with _as_plugin_error():
            content = formulas.render(diagrams.render(content))
            for link in _links(page.toc):
                link.title = formulas.in_title(link.title)
            content = _PICTURE.sub(self._inline, content)
            content = _ALIGNED.sub(lambda match: _CLASSES[match[1]], content)
        return (_banner(self.unchecked) if self.unchecked else "") + content

    def on_page_context(self, context, *, page: Page, config: MkDocsConfig, nav):
        """Refuse a page whose own content is active, before the theme is around it."""
        with _as_plugin_error():
            content_policy.refuse_active(page.content or "", page.file.src_uri)
        return context

    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Give every page its content policy; a page that is being edited runs the server's script."""
        if not self.serving:
            content_policy.apply(Path(config.site_dir))

    def on_serve(self, server, *, config: MkDocsConfig, builder):
        """Reload when a record or a figure was made anew."""
        for folder in (self.project.records, self.project.drawings):
            if folder.is_dir():
                server.watch(str(folder))
        return server

    def _woven(self, file: File) -> generated.Page:
        text = file.content_string
        path = Path(file.abs_src_path).relative_to(self.project.root)
        page: PageSource = scan(text, path, self.renderer)
        executed = cells.execute(
            page,
            cache=self.project.build / "cells",
            packages=self.project.packages,
            lock=self.project.lock_file,
            renderer=self.renderer,
        )
        woven = self.weaver.weave(page, executed.markdown, file.src_uri)
        diagrams.check(page, woven.markdown)
        formulas.check(page.path, woven.formulas)
        return generated.Page(woven, executed, woven.meta)

    def _site(self, config: MkDocsConfig) -> generated.Site:
        here = File.generated(config, ledger.PAGE, content="").url

        def link(path: str) -> str:
            target = File.generated(config, path, content="").url if path.endswith(".md") else path
            return get_relative_url(target, here)

        vendor = self.project.root / self.config.vendor
        return generated.Site(config.site_name, config.repo_url or "", link, vendor)

    def _only_looked_at(self, config: MkDocsConfig) -> bool:
        """Whether nothing is published: pages are served, or quick ones go to the build folder."""
        into = Path(config.site_dir).resolve()
        return self.serving or (self.project.quick and into.is_relative_to(self.project.build))

    def _inline(self, match: re.Match[str]) -> str:
        svg = (self.project.drawings / f"{match['name']}.svg").read_text(encoding="utf-8")
        label = html.escape(html.unescape(match["alt"]), quote=True)
        return svg.replace("<svg", f'<svg role="img" aria-label="{label}"', 1)


def _links(toc):
    """Every entry of a table of contents, whatever its depth."""
    for link in toc:
        yield link
        yield from _links(link.children)


def _banner(reasons: list[str]) -> str:
    """What a page that is only looked at says at its top."""
    told = html.escape("; ".join(reasons))
    return f'<div class="quick-banner" role="status">Not for publishing: {told}.</div>\n'


class _as_plugin_error:
    """What a person can mend reaches MkDocs as its own kind of error: told once, no traceback."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind, error, trace) -> None:
        if isinstance(error, MeasuredError):
            raise PluginError(str(error)) from None
