"""A hook of MkDocs and ProperDocs: what a page of Markdown became is kept from build to build.

Most of a build is Python-Markdown's. What it makes of a page follows from the page, the extensions and their
settings, the list of files (links are checked against it), and the files that it reads meanwhile (snippets,
which an audit hook sees). A page that raised a warning is not kept: it must warn again.
"""

from __future__ import annotations

import hashlib
import logging
import os
import re
import sys
import threading
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from measured import keeping

NAME = "kept_pages.json"
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_opened: set[str] | None = None
_thread: int | None = None


def _watch(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open" and _opened is not None and threading.get_ident() == _thread:
        path, mode = arguments[0], arguments[1]
        if isinstance(path, str) and (mode is None or "r" in mode):
            _opened.add(os.path.abspath(path))


class Kept:
    """Pages of earlier builds, and of this one.

    Args:
        path: the file that they are kept in.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.pages: dict[str, Any] = {}
        self.used: dict[str, Any] = {}
        self.settings = ""
        self.hashes: dict[str, str] = {}
        self.pages = keeping.read(path) or {}
        sys.addaudithook(_watch)

    def begin(self, files: Any, config: Any) -> None:
        """A build begins: note what decides over every page, besides the page."""
        self.used, self.hashes = {}, {}
        parts = [sorted(file.src_uri for file in files), config.markdown_extensions, config.mdx_configs]
        parts += [dict(config.validation.links), config.use_directory_urls]
        names = ("markdown", "pymdown-extensions", "pygments", "mkdocs", "properdocs")
        self.settings = _ADDRESS.sub("", repr((parts, [_version(name) for name in names])))

    def take(self, page: Any, markdown: str) -> None:
        """Let a page render itself from what is kept, where that is right."""
        key = hashlib.sha256(repr((self.settings, page.file.src_uri, markdown)).encode()).hexdigest()
        page.__dict__.pop("render", None)  # a page that is shown again was wrapped before
        page.render = self._renderer(page, key)

    def end(self) -> None:
        """A build ends: keep what it used."""
        if self.used != self.pages:
            self.pages = self.used
            keeping.write(self.path, self.pages)

    def _renderer(self, page: Any, key: str) -> Any:
        own = page.render

        def render(config: Any, files: Any) -> None:
            found = self._found(key)
            if found is not None:
                _restore(page, found, files)
                return
            warned = _Warned()
            logger = logging.getLogger(_package(page))
            logger.addHandler(warned)
            try:
                read = self._reading(own, config, files)
            finally:
                logger.removeHandler(warned)
            if not warned.warned:
                self.used[key] = _stored(page, read)

        return render

    def _found(self, key: str) -> dict[str, Any] | None:
        page = self.pages.get(key)
        if page is None or any(self._hash_of(path) != was for path, was in page["read"].items()):
            return None
        self.used[key] = page
        return page

    def _reading(self, own: Any, config: Any, files: Any) -> dict[str, str]:
        """Render a page; the files that were read, with their hashes. Modules count by their versions."""
        global _opened, _thread
        _opened, _thread = set(), threading.get_ident()
        try:
            own(config, files)
            opened = _opened
        finally:
            _opened = None
        modules = (".py", ".pyc", ".so")
        return {path: self._hash_of(path) for path in sorted(opened) if not path.endswith(modules)}

    def _hash_of(self, path: str) -> str:
        if path not in self.hashes:
            try:
                self.hashes[path] = hashlib.sha256(Path(path).read_bytes()).hexdigest()
            except OSError:
                self.hashes[path] = ""
        return self.hashes[path]


class _Warned(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.warned = False

    def emit(self, record: logging.LogRecord) -> None:
        self.warned = True


_kept: Kept | None = None


def on_files(files: Any, config: Any) -> Any:
    """Called once all files are known; what earlier builds kept lies beside the settings."""
    global _kept
    _kept = Kept(Path(config.config_file_path).parent / NAME)
    _kept.begin(files, config)
    _list_nothing(config)
    return files


def _list_nothing(config: Any) -> None:
    """Have the renderer's index of search stay empty: finishing lists finished pages there (`search`)."""
    for plugin in config.plugins.values():
        index = getattr(plugin, "search_index", None)
        if hasattr(index, "add_entry_from_context"):
            index.add_entry_from_context = lambda page: None


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Called before each page is rendered."""
    if _kept is not None:
        _kept.take(page, markdown)
    return markdown


def on_post_build(config: Any) -> None:
    """Called at the end."""
    if _kept is not None:
        _kept.end()


def _package(page: Any) -> str:
    return type(page).__module__.partition(".")[0]


def _stored(page: Any, read: dict[str, str]) -> dict[str, Any]:
    links = page.links_to_anchors or {}
    return {
        "content": page.content,
        "toc": [_entry(link) for link in page.toc],
        "title": page._title_from_render,
        "anchors": sorted(page.present_anchor_ids or ()),
        "links": {file.src_uri: anchors for file, anchors in links.items()},
        "read": read,
    }


def _entry(link: Any) -> list[Any]:
    return [link.title, link.id, link.level, [_entry(child) for child in link.children]]


def _restore(page: Any, found: dict[str, Any], files: Any) -> None:
    toc = import_module(f"{_package(page)}.structure.toc")
    page.content = found["content"]
    entries = [_link(entry, toc.AnchorLink) for entry in found["toc"]]
    for first in entries[:1]:
        first.active = True
    page.toc = toc.TableOfContents(entries)
    page._title_from_render = found["title"]
    page.present_anchor_ids = set(found["anchors"])
    links = ((files.get_file_from_path(path), anchors) for path, anchors in found["links"].items())
    page.links_to_anchors = {file: anchors for file, anchors in links if file is not None}


def _link(entry: list[Any], kind: Any) -> Any:
    title, name, level, children = entry
    link = kind(title, name, level)
    link.children = [_link(child, kind) for child in children]
    return link


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""
