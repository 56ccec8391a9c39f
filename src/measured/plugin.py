"""The MkDocs plugin: hands pages to the weaver, and the weaver's results to MkDocs. Nothing else."""

from __future__ import annotations

import html
import os
import re
from collections import defaultdict
from pathlib import Path

from mkdocs.config import config_options as c
from mkdocs.config.base import Config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from mkdocs.utils import get_relative_url

from measured import cells, ledger, maths, policy, provenance, publish, reported, sources
from measured.drawing import Palette
from measured.errors import MeasuredError
from measured.project import Project
from measured.reference import Library
from measured.scan import PageSource, scan
from measured.weave import Weaver, Woven

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
        """Find the project, and give every page the palette."""
        root = Path(config.config_file_path).parent
        with _as_plugin_error():
            self.project = Project.load(root, quick=os.environ.get("MEASURED_QUICK") == "1")
        if self.project.palette and "assets/palette.css" not in config.extra_css:
            config.extra_css.insert(0, "assets/palette.css")
        return config

    def on_files(self, files: Files, config: MkDocsConfig) -> Files:
        """Weave all pages, so that everything generated can know where each number is shown."""
        with _as_plugin_error():
            stored = publish.stored_values(self.project) if self.project.quick else ()
            library = Library(self.project.read_records(), absent=stored)
            self.weaver = Weaver(
                library,
                publish.pictures(self.project),
                row_page=ledger.PAGE,
                claims_must_hold=not self.project.quick,
            )
            self.woven: dict[str, Woven] = {}
            self.executed: dict[str, cells.Executed] = {}
            self.meta: dict[str, dict] = {}
            for file in files.documentation_pages():
                self._weave(file)
            for path, content in self._generated(library, config):
                files.append(File.generated(config, path, content=content))
        return files

    def on_page_markdown(self, markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
        """Hand MkDocs the woven page."""
        woven = self.woven.get(page.file.src_uri)
        return markdown if woven is None else woven.markdown

    def on_page_content(self, content: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
        """Formulas become MathML, figures become inline SVG that follows the scheme."""
        with _as_plugin_error():
            content = maths.render(content)
            for link in _links(page.toc):
                link.title = maths.in_title(link.title)
            content = _PICTURE.sub(self._inline, content)
            content = _ALIGNED.sub(lambda match: _CLASSES[match[1]], content)
        return (_BANNER if self.project.quick else "") + content

    def on_page_context(self, context, *, page: Page, config: MkDocsConfig, nav):
        """Refuse a page whose own content is active, before the theme is around it."""
        with _as_plugin_error():
            policy.refuse_active(page.content or "", page.file.src_uri)
        return context

    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Give every page its content policy; a page that is being edited runs the server's script."""
        if not self.serving:
            policy.apply(Path(config.site_dir))

    def on_serve(self, server, *, config: MkDocsConfig, builder):
        """Reload when a record or a figure was made anew."""
        for folder in (self.project.records, self.project.drawings):
            if folder.is_dir():
                server.watch(str(folder))
        return server

    def _weave(self, file: File) -> None:
        text = file.content_string
        page: PageSource = scan(text, Path(file.abs_src_path).relative_to(self.project.root))
        maths.check(page)
        executed = cells.execute(
            page,
            text,
            cache=self.project.build / "cells",
            packages=self.project.packages,
            lock=self.project.lock_file,
        )
        self.executed[file.src_uri] = executed
        self.meta[file.src_uri] = page.meta
        self.woven[file.src_uri] = self.weaver.weave(page, executed.markdown, file.src_uri)

    def _generated(self, library: Library, config: MkDocsConfig):
        pages, claimed = defaultdict(list), defaultdict(list)
        for where, woven in self.woven.items():
            for name in woven.ids:
                pages[name].append(where)
            for name in woven.claims:
                claimed[name].append(where)
        origin = provenance.Provenance(
            library,
            publish.stored_values(self.project),
            provenance.places(library, self.project),
            pages,
            claimed,
            sources.page_of,
            provenance.commit_of(self.project.root, config.repo_url),
        )
        yield from publish.files_of(self.project, origin, pages)
        yield from self._code(origin, config)
        yield ledger.PAGE, self._ledger(origin, config).page()
        for where, woven in self.woven.items():
            folder, stem = where.rpartition("/")[0], where.rpartition("/")[2].removesuffix(".md")
            for name, data in self.executed[where].images.items():
                yield f"{folder}/{name}" if folder else name, data
            if self.executed[where].notebook:
                text = publish.notebook(woven, self.executed[where], self.meta[where])
                yield f"{folder}/{stem}.ipynb" if folder else f"{stem}.ipynb", text
        yield from publish.vendored(self.project.root / self.config.vendor)

    def _code(self, origin: provenance.Provenance, config: MkDocsConfig):
        """The pages of code that cards and rows lead to."""
        records = origin.library.records.values()
        paths = {path for record in records for path in provenance.source_files(record, self.project)}
        plots = self.project.declared_figures.values()
        paths |= {self.project.root / publish.drawn_at(self.project, plot).path for plot in plots}
        shown = sorted(p.relative_to(self.project.root).as_posix() for p in paths if p.exists())
        commit = origin.commit
        hosted = {path: commit.link(sources.Place(path, 1)) for path in shown} if commit else {}
        cache = self.project.build / "code"
        yield from sources.pages(shown, self.project.root, config.site_name, hosted, cache)
        palette = Palette.load(self.project.palette_file) if self.project.palette else None
        yield sources.STYLE, sources.css(palette)

    def _ledger(self, origin: provenance.Provenance, config: MkDocsConfig) -> ledger.Ledger:
        here = File.generated(config, ledger.PAGE, content="").url

        def link(path: str) -> str:
            target = File.generated(config, path, content="").url if path.endswith(".md") else path
            return get_relative_url(target, here)

        return ledger.Ledger(
            origin,
            link,
            reported.compare(self.project.declared_reported, origin.library),
            [(where, *number) for where, woven in self.woven.items() for number in woven.given],
        )

    def _inline(self, match: re.Match[str]) -> str:
        svg = (self.project.drawings / f"{match['name']}.svg").read_text(encoding="utf-8")
        label = html.escape(html.unescape(match["alt"]), quote=True)
        return svg.replace("<svg", f'<svg role="img" aria-label="{label}"', 1)


def _links(toc):
    """Every entry of a table of contents, whatever its depth."""
    for link in toc:
        yield link
        yield from _links(link.children)


_BANNER = (
    '<div class="quick-banner" role="status">Quick build: fewer draws and seeds, for authors. '
    "These numbers are not the published ones.</div>\n"
)


class _as_plugin_error:
    """What a person can mend reaches MkDocs as its own kind of error: told once, no traceback."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind, error, trace) -> None:
        if isinstance(error, MeasuredError):
            raise PluginError(str(error)) from None
