"""What mkdocs.yml says, read without a renderer: which pages a site has, and how it is set up.

MkDocs, ProperDocs and Zensical read the same file. It is read here as they read it (`!ENV`, `INHERIT`,
exclusions, drafts, README beside index), so that weaving, checking and finishing see the pages that are
published, whichever of them renders. Python objects and other tags stay what they are: a name and a value.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml

from measured.errors import MeasuredError
from measured.files import read_text
from measured.folders import refuse_links_out

MARKDOWN = (".md", ".markdown", ".mdown", ".mkdn", ".mkd")
NAME = "mkdocs.yml"


@dataclass(frozen=True)
class Tagged:
    """A value under a tag that only a renderer understands, `!!python/name:…` or `!relative`."""

    tag: str
    value: Any


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
    """YAML with the tags that renderers know."""


class _Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):
    """The inverse."""


def _environment_value(loader: yaml.Loader, node: yaml.Node) -> Any:
    """`!ENV NAME` or `!ENV [NAME, OTHER, default]`, as pyyaml-env-tag has it."""
    if isinstance(node, yaml.ScalarNode):
        names, default = [loader.construct_scalar(node)], None
    else:
        names = [loader.construct_object(child) for child in node.value]
        default = names.pop() if len(names) > 1 else None
    for name in names:
        if name in os.environ:
            value = os.environ[name]
            tag = loader.resolve(yaml.ScalarNode, value, (True, False))
            return loader.construct_object(yaml.ScalarNode(tag, value))
    return default


def _tagged(loader: yaml.Loader, suffix: str, node: yaml.Node) -> Tagged:
    if isinstance(node, yaml.MappingNode):
        value = loader.construct_mapping(node, deep=True)
    elif isinstance(node, yaml.SequenceNode):
        value = loader.construct_sequence(node, deep=True)
    else:
        value = loader.construct_scalar(node)
    return Tagged(node.tag, value)


def _node_of(dumper: yaml.Dumper, tagged: Tagged) -> yaml.Node:
    if isinstance(tagged.value, dict):
        return dumper.represent_mapping(tagged.tag, tagged.value)
    if isinstance(tagged.value, list):
        return dumper.represent_sequence(tagged.tag, tagged.value)
    return dumper.represent_scalar(tagged.tag, str(tagged.value))


_Loader.add_constructor("!ENV", _environment_value)
_Loader.add_multi_constructor("!", _tagged)
_Loader.add_multi_constructor("tag:yaml.org,2002:python/", _tagged)
_Dumper.add_representer(Tagged, _node_of)


def dump(settings: Mapping[str, Any]) -> str:
    """Settings as YAML, tags and all."""
    return yaml.dump(dict(settings), Dumper=_Dumper, sort_keys=False, allow_unicode=True)


@dataclass(frozen=True)
class SiteSettings:
    """A site's settings.

    Args:
        path: the file.
        raw: what it says, with what it inherits.
    """

    path: Path
    raw: Mapping[str, Any] = field(repr=False)

    @classmethod
    def load(cls, root: Path) -> SiteSettings:
        """Read the mkdocs.yml of a project.

        Raises:
            MeasuredError: no such file, or it cannot be read.
        """
        path = root / NAME
        return cls(path, _read(path, ()))

    @property
    def name(self) -> str:
        """The site's title."""
        return str(self.raw.get("site_name") or "")

    @property
    def repository(self) -> str:
        """The address of the site's repository; empty where there is none."""
        return str(self.raw.get("repo_url") or "")

    @property
    def root_path(self) -> str:
        """The path of the site on its host, with `/` at both ends."""
        path = urlsplit(str(self.raw.get("site_url") or "")).path
        return f"/{path.strip('/')}/" if path.strip("/") else "/"

    @property
    def directory_urls(self) -> bool:
        """Whether `a.md` becomes `a/index.html`."""
        return bool(self.raw.get("use_directory_urls", True))

    @property
    def docs(self) -> Path:
        """The folder of pages."""
        return self._docs_as_named.resolve()

    @property
    def _docs_as_named(self) -> Path:
        return self.path.parent / str(self.raw.get("docs_dir") or "docs")

    @property
    def theme(self) -> Mapping[str, Any]:
        """The theme's settings; its name under `name`."""
        theme = self.raw.get("theme") or "mkdocs"
        return theme if isinstance(theme, Mapping) else {"name": theme}

    @cached_property
    def plugins(self) -> dict[str, dict[str, Any]]:
        """Each plugin's settings by its name, in order."""
        listed = self.raw.get("plugins", ["search"]) or []
        pairs = listed.items() if isinstance(listed, Mapping) else map(_pair, listed)
        return {str(name): dict(settings or {}) for name, settings in pairs}

    @property
    def scripts(self) -> tuple[str, ...]:
        """The files of extra_javascript, by their places in the site."""
        listed = self.raw.get("extra_javascript") or []
        return tuple(str(item["path"] if isinstance(item, Mapping) else item) for item in listed)

    def files(self, drafts: bool = False) -> Iterator[tuple[str, Path]]:
        """Every file that the site is made from: its place among the pages, with `/`, and where it is.

        A notebook is a page, in the place of a Markdown file of its name.

        Args:
            drafts: with those of draft_docs, which are shown in a preview alone.

        Raises:
            MeasuredError: the folder of pages is missing, or a link in it leads out of the project.
        """
        if not self.docs.is_dir():
            raise MeasuredError(f"no folder of pages at {self.docs}", path=self.path, expected="docs_dir")
        refuse_links_out(self._docs_as_named, self.path.parent)
        left_out = [self._excluded, *([] if drafts else [self._drafts])]
        for folder, names, found in os.walk(self.docs, followlinks=True):
            names.sort()
            where = Path(folder).relative_to(self.docs).as_posix()
            places = {name: posixpath.normpath(posixpath.join(where, name)) for name in sorted(found)}
            kept = {n: p for n, p in places.items() if not any(spec.match_file(p) for spec in left_out)}
            if any(name in kept for name in _named("index")):
                kept = {n: p for n, p in kept.items() if n not in _named("README")}
            yield from ((page_of_notebook(place), Path(folder) / name) for name, place in kept.items())

    def pages(self, drafts: bool = False) -> Iterator[tuple[str, Path]]:
        """Those of the files that become pages."""
        return ((place, path) for place, path in self.files(drafts) if is_page(place))

    @cached_property
    def _excluded(self) -> Any:
        return _patterns(".*\n/templates/\n" + str(self.raw.get("exclude_docs") or ""))

    @cached_property
    def _drafts(self) -> Any:
        return _patterns(str(self.raw.get("draft_docs") or ""))


def is_page(place: str) -> bool:
    """Whether renderers make a page of this file."""
    return place.endswith(MARKDOWN)


def page_of_notebook(place: str) -> str:
    """The page that a notebook becomes; other places stay as they are."""
    return f"{place.removesuffix('.ipynb')}.md" if place.endswith(".ipynb") else place


def with_notebooks_as_pages(nav: Any) -> Any:
    """A navigation whose notebooks are the pages that they become."""
    if isinstance(nav, Mapping):
        return {title: with_notebooks_as_pages(one) for title, one in nav.items()}
    if isinstance(nav, list):
        return [with_notebooks_as_pages(one) for one in nav]
    return page_of_notebook(nav) if isinstance(nav, str) else nav


def _named(stem: str) -> tuple[str, ...]:
    return tuple(stem + suffix for suffix in MARKDOWN)


def _patterns(lines: str) -> Any:
    from pathspec.gitignore import GitIgnoreSpec

    return GitIgnoreSpec.from_lines(lines.splitlines())


def _pair(item: Any) -> tuple[str, Any]:
    return next(iter(item.items())) if isinstance(item, Mapping) else (item, {})


def _read(path: Path, seen: tuple[Path, ...]) -> dict[str, Any]:
    if path in seen:
        raise MeasuredError(f"INHERIT goes round in a circle through {path}", path=seen[0])
    try:
        found = yaml.load(read_text(path), Loader=_Loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        raise MeasuredError(
            f"no YAML: {getattr(error, 'problem', None) or error}",
            path=path,
            line=mark.line + 1 if mark else None,
            expected="the settings of a site, as MkDocs documents them",
        ) from error
    if not isinstance(found, dict):
        raise MeasuredError("the site's settings are no mapping", path=path, expected="site_name: …")
    parent = found.pop("INHERIT", None)
    if parent is None:
        return found
    return _merged(_read((path.parent / str(parent)).resolve(), (*seen, path)), found)


def _merged(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    both = {
        key: _merged(below[key], value)
        if isinstance(value, dict) and isinstance(below.get(key), dict)
        else value
        for key, value in above.items()
    }
    return {**below, **both}
