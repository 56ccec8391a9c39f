"""The live preview: pages as they are being written, in a browser that follows each edit.

A prose edit makes its own page anew and shows it; the rest of the site follows when the author pauses. An
edit of code or of the palette makes nothing: the pages say what is stale, and which command mends it. What
goes wrong is shown in the page's place, until it is mended.
"""

from __future__ import annotations

import html
import os
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import click
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import Abort, BuildError, MkDocsException
from mkdocs.livereload import LiveReloadServer
from watchdog.events import FileSystemEvent, FileSystemEventHandler

from measured.errors import MeasuredError
from measured.gate import publishable
from measured.making.sources import folders_of, forget, read_sources_in
from measured.mkdocs_yml import NAME, SiteSettings
from measured.plugin import MeasuredPlugin, showing
from measured.project import Project
from measured.site.view import host_and_port

POLLING = 0.2  # seconds between two looks at the files
PAUSE = 3.0  # seconds without an edit after which the whole site is made


class PreviewServer(LiveReloadServer):
    """Serves a folder, shows what is unchecked on each page, and an error in the place of all of them.

    Args:
        host: to listen at.
        port: to listen at.
        root: the folder.
        act: called with the files that changed, and with none after a pause; says whether more is to be done
            once the author pauses.
    """

    def __init__(self, host: str, port: int, root: str, act: Callable[[frozenset[Path]], bool]) -> None:
        super().__init__(builder=lambda: None, host=host, port=port, root=root, polling_interval=POLLING)
        self.act = act
        self.error = ""
        self.unchecked: list[str] = []
        self._changed: set[Path] = set()
        self._awaited: set[str] = set()  # watched as soon as they are there

    def watch(self, path: str, func: None = None, *, recursive: bool = True) -> None:
        """Act when a file changes under `path`, also where it is not there yet, or goes and comes back."""
        path = os.path.abspath(path)
        if path in self._watched_paths:
            return
        if not os.path.exists(path):
            self._awaited.add(path)
            return
        self._watched_paths[path] = 1
        handler = FileSystemEventHandler()
        handler.on_any_event = self._note  # type: ignore[method-assign]
        self._watch_refs[path] = self.observer.schedule(handler, path, recursive=recursive)

    def _note(self, event: FileSystemEvent) -> None:
        if event.is_directory or event.event_type in ("opened", "closed_no_write"):
            return
        path = Path(os.fsdecode(event.src_path))
        if path.suffix == ".pyc" or path.name.startswith("."):
            return
        with self._rebuild_cond:
            self._changed.add(path)
            self._want_rebuild = True
            self._rebuild_cond.notify_all()

    def _watch_what_has_come(self) -> None:
        """Watch again what was gone: whoever looks at a path ends with it, without a word."""
        ended = [e.watch.path for e in self.observer.emitters if not e.should_keep_running()]
        for path in ended:
            self.unwatch(path)
            self._awaited.add(path)
            self._changed.add(Path(path))
        for path in [path for path in self._awaited if os.path.exists(path)]:
            self._awaited.discard(path)
            self.watch(path)
            self._changed.add(Path(path))

    def server_activate(self) -> None:
        """Listen, and say so: an address that is in use was told before."""
        super().server_activate()
        click.echo(f"serving {self.url}; an edit is shown at once; Ctrl-C stops")

    def _build_loop(self) -> None:
        """Answer each edit at once; make the whole site when there is a pause."""
        behind, last = False, 0.0  # the first time was before anybody asked
        while not self._shutdown:
            with self._rebuild_cond:
                self._rebuild_cond.wait_for(lambda: self._want_rebuild or self._shutdown, timeout=0.25)
                self._watch_what_has_come()
                changed = frozenset(self._changed)
                self._changed.clear()
                self._want_rebuild = False
            if self._shutdown:
                return
            if changed:
                behind, last = self._acted(changed) or behind, time.monotonic()
            elif behind and time.monotonic() - last > PAUSE:
                behind = self._acted(frozenset())

    def _acted(self, changed: frozenset[Path]) -> bool:
        before = self.error, list(self.unchecked)
        behind = True
        with self._epoch_cond:
            self._wanted_epoch = self._visible_epoch + 1  # whoever asks meanwhile waits for what is finished
        try:
            behind = self.act(changed)
            self.error = ""
        except (MkDocsException, MeasuredError, Abort, BuildError, SystemExit) as error:
            self.error = str(_cause(error))
        except Exception:  # whatever a plugin or an extension raises: the author sees it, the server lives
            self.error = traceback.format_exc()
        if changed or before != (self.error, self.unchecked):
            self._reload()
        with self._epoch_cond:
            self._wanted_epoch = self._visible_epoch
            self._epoch_cond.notify_all()
        return behind and not (self.error and not changed)

    def _reload(self) -> None:
        with self._epoch_cond:
            self._wanted_epoch = self._visible_epoch = max(
                round(time.monotonic() * 1000), self._visible_epoch + 1
            )
            self._epoch_cond.notify_all()

    def _serve_request(self, environ: dict, start_response: Callable) -> Iterable[bytes] | None:
        path = environ["PATH_INFO"]
        if not self.error or path.startswith("/livereload/") or not path.endswith(("/", ".html")):
            return super()._serve_request(environ, start_response)
        page = self._inject_js_into_html(error_page(self.error), self._visible_epoch)
        start_response(
            "500 Internal Server Error",
            [("Content-Type", "text/html; charset=utf-8"), ("Content-Length", str(len(page)))],
        )
        return [page]

    def _inject_js_into_html(self, content: bytes, epoch: int) -> bytes:
        if self.unchecked and not self.error:
            banner = unchecked_banner(self.unchecked).encode()
            content = content.replace(b"<article", banner + b"<article", 1)
        return super()._inject_js_into_html(content, epoch)


def _cause(error: BaseException) -> BaseException:
    """What MkDocs was stopped by, where it says no more than that it was."""
    return error.__context__ if isinstance(error, Abort) and error.__context__ is not None else error


def unchecked_banner(reasons: Iterable[str]) -> str:
    """What each page says while it could not be published."""
    told = html.escape("; ".join(reasons))
    return (
        f'<div class="quick-banner" role="status">Not for publishing: {told}. '
        f"To mend: <code>{publishable.COMMAND}</code></div>"
    )


def error_page(error: str) -> bytes:
    """What stands in the place of every page until the error is mended."""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Error</title><style>'
        ":root{color-scheme:light dark}body{font:1rem/1.5 system-ui;max-width:70rem;margin:2rem auto}"
        "pre{white-space:pre-wrap;overflow-wrap:anywhere;border-left:4px solid #b3261e;padding:.5rem 1rem}"
        '</style></head><body><h1>The site cannot be made</h1><pre role="alert">'
        f"{html.escape(error)}</pre><p>This page goes away when it is mended.</p></body></html>"
    ).encode()


class _Site:
    """What is previewed, and how an edit is answered."""

    def __init__(self, project: Project, folder: str, url: str) -> None:
        self.project, self.folder, self.url = project, folder, url
        self.docs = SiteSettings.load(project.root).docs.resolve()
        self.plugin: MeasuredPlugin | None = None
        self.server: PreviewServer | None = None

    def act(self, changed: frozenset[Path]) -> bool:
        """Answer an edit; whether the rest of the site is behind it afterwards.

        Raises:
            MeasuredError: what was edited cannot be read.
        """
        if not all(path.is_relative_to(self.docs) for path in changed):
            self.project = self._read_again()
        settings = SiteSettings.load(self.project.root)
        pages = {path.resolve(): place for place, path in settings.pages(drafts=True)}
        edited = {pages.get(path.resolve()) for path in changed}
        if not changed or self.plugin is None:
            self.whole()
            return False
        if None not in edited and all(place in self.plugin.site.pages for place in edited):
            for place in sorted(edited):
                self.plugin.show_again(place, settings.docs / place)
            return True
        self.server.unchecked = publishable.reasons_against(self.project)
        return True

    def _read_again(self) -> Project:
        """The project as its files are now: what it lists and how it measures may be others."""
        forget(self.project.packages)
        return Project.load(self.project.root, quick=self.project.quick, output=self.project.output)

    def whole(self) -> None:
        """Make the whole site, beside the one that is shown, and show it."""
        config = self.config()
        plugin = config.plugins["measured"]
        plugin.says_what_is_unchecked = False
        self.plugin = None
        with showing(self.project):
            build(config, serve_url=self.url)
        self.plugin = plugin
        self.server.unchecked = list(plugin.unchecked)

    def config(self) -> MkDocsConfig:
        """MkDocs' settings, for the preview's folder."""
        config = load_config(str(self.project.root / NAME), site_dir=self.folder)
        config.site_url = self.url
        return config


def shown(project: Project) -> Project:
    """The project with the results that there are: quick ones where nothing was measured in full."""
    quick = replace(project, quick=True)
    only_quick = any(quick.records.glob("*.json")) and not any(project.records.glob("*.json"))
    return quick if only_quick else project


def serve(project: Project, address: str) -> None:
    """Serve the project's site until it is told to stop; measures nothing.

    Args:
        project: whose pages are shown.
        address: `host:port`.

    Raises:
        MeasuredError: the address is none, or in use.
    """
    host, port = host_and_port(address)
    read_sources_in(folders_of(project.packages))
    with tempfile.TemporaryDirectory(prefix="measured-preview-") as folder:
        site = _Site(project, folder, f"http://{host}:{port}/")
        config = site.config()
        config.plugins.on_startup(command="serve", dirty=False)
        site.server = server = PreviewServer(host, port, folder, site.act)
        for path in watched(project, config):
            server.watch(str(path))
        server._acted(frozenset())  # the first time, before anybody asks
        try:
            server.serve()
        except OSError as error:
            raise MeasuredError(
                f"cannot serve at {address}: {error.strerror}",
                mend="choose another: --address 127.0.0.1:8001",
            ) from error
        except KeyboardInterrupt:
            pass
        finally:
            server.shutdown()
            config.plugins.on_shutdown()


def watched(project: Project, config: MkDocsConfig) -> list[Path]:
    """What an edit can be made to: pages, settings, code, palette, hooks; and what builds leave."""
    sources = [project.root / "src", *(project.root / name for name in project.packages)]
    custom = config.theme.custom_dir
    paths = [
        Path(config.docs_dir),
        project.root / NAME,
        project.root / "pyproject.toml",
        *(path for path in sources if path.exists()),
        *([project.palette_file] if project.palette else []),
        *([project.root / project.hooks] if project.hooks else []),
        *([Path(custom)] if custom else []),
        project.records,
        project.drawings,
        project.stored,
    ]
    found = [path.resolve() for path in paths]
    return [
        path for path in dict.fromkeys(found) if not any(path.is_relative_to(o) for o in found if o != path)
    ]
