"""The code as the site itself shows it: one page a file, one anchor a line, the asked-for line marked.

Pages of their own, outside the site generator: they carry no navigation to index and cost no build time.
They work without JavaScript; `:target` marks the line.
"""

from __future__ import annotations

import html
import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from measured import files, keeping
from measured.terms.drawing import Palette

FOLDER = "code"
STYLE = "assets/code.css"


@dataclass(frozen=True, order=True)
class Place:
    """A line of a file, relative to the project."""

    path: str
    line: int

    @classmethod
    def read(cls, text: str) -> Place:
        """The inverse of `str`."""
        path, _, line = text.rpartition(":")
        return cls(path, int(line))

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"


def page_of(place: Place) -> str:
    """Where the site shows that line."""
    return f"{FOLDER}/{place.path}.html#L{place.line}"


def pages(
    paths: list[str], root: Path, site_name: str, hosted: Mapping[str, str], cache: Path
) -> Iterator[tuple[str, str]]:
    """Path in the site and HTML of each file's page.

    Args:
        paths: relative to `root`.
        root: the project.
        site_name: for titles.
        hosted: the address of the same file in a hosted repository, where there is one.
        cache: folder of pages that were made before.
    """
    for number, path in enumerate(paths):
        text = files.read_text(root / path).replace("\r\n", "\n")
        beside = (paths[number - 1] if number else "", paths[number + 1] if number + 1 < len(paths) else "")
        page = _page(path, _highlighted(text, cache), site_name, hosted.get(path, ""), beside)
        yield f"{FOLDER}/{path}.html", page
    if paths:
        yield f"{FOLDER}/index.html", _list(paths, site_name)


def _highlighted(text: str, cache: Path) -> str:
    """One element a line, with Pygments' classes; kept, since lexing costs more than all else here."""
    kept = cache / f"{files.sha256(f'{_version()} {text}'.encode())[:32]}.json"
    found = keeping.read(kept)
    if isinstance(found, str):
        return found
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import PythonLexer

    lines = highlight(text, PythonLexer(stripnl=False), HtmlFormatter(nowrap=True)).rstrip("\n").split("\n")
    made = "\n".join(f'<span id="L{n}">{line}</span>' for n, line in enumerate(lines, start=1))
    keeping.write(kept, made)
    return made


def _version() -> str:
    from importlib.metadata import version

    return version("pygments")


def _page(path: str, code: str, site_name: str, hosted: str, beside: tuple[str, str]) -> str:
    where = posixpath.dirname(f"{FOLDER}/{path}")
    link = f'<a href="{html.escape(hosted)}">In the repository</a>' if hosted else ""
    ways = [
        f'<a rel="{rel}" href="{html.escape(posixpath.relpath(f"{FOLDER}/{other}.html", where))}">{arrow}</a>'
        for rel, other, arrow in (
            ("prev", beside[0], f"← {html.escape(beside[0])}"),
            ("next", beside[1], f"{html.escape(beside[1])} →"),
        )
        if other
    ]
    name = html.escape(path)
    article = f'<pre tabindex="0" aria-label="{name}"><code>{code}\n</code></pre>'
    nav = f'<nav aria-label="Other files">{" ".join(ways)}</nav>' if ways else ""
    return _around(where, path, site_name, link, f"<h1>{name}</h1>\n{article}\n{nav}")


def _list(paths: list[str], site_name: str) -> str:
    """All files, folder by folder."""
    folders: dict[str, list[str]] = {}
    for path in paths:
        folders.setdefault(posixpath.dirname(path), []).append(path)
    parts = [
        f"<h2>{html.escape(folder)}/</h2>\n<ul>"
        + "".join(
            f'<li><a href="{html.escape(path)}.html">{html.escape(posixpath.basename(path))}</a></li>'
            for path in held
        )
        + "</ul>"
        for folder, held in folders.items()
    ]
    told = "<h1>Code</h1>\n<p>The files behind the numbers, claims and figures.</p>"
    return _around(FOLDER, "Code", site_name, "", "\n".join([told, *parts]))


def _around(where: str, title: str, site_name: str, link: str, main: str) -> str:
    """A page with the ways to the rest of the site."""
    home = posixpath.relpath(".", where) + "/"
    style = posixpath.relpath(STYLE, where)
    name, site_name = html.escape(title), html.escape(site_name)
    ways = [
        f'<a href="{home}">{site_name}</a>',
        f'<a href="{posixpath.relpath(f"{FOLDER}/index.html", where)}">All code</a>',
        *([link] if link else []),
    ]
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<title>{name} · {site_name}</title>\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="robots" content="noindex">\n<link rel="icon" href="data:,">\n'
        f'<link rel="stylesheet" href="{style}">\n</head>\n<body>\n'
        f'<header><nav aria-label="Site">{" · ".join(ways)}</nav></header>\n<main>\n{main}\n</main>\n'
        "</body>\n</html>\n"
    )


def css(palette: Palette) -> str:
    """The style of these pages, in the palette's colours, light or dark as the reader's system says."""
    variables = [
        f"  --{role}: light-dark({colours['light']}, {colours['dark']});"
        for role, colours in sorted(palette.roles.items())
    ]
    return "\n".join([":root {", "  color-scheme: light dark;", *variables, "}", _RULES])


_RULES = """\
body {
  margin: 0 auto; max-width: 68rem; padding: 1rem;
  color: var(--ink); background: var(--surface); font: 1rem/1.5 system-ui, sans-serif;
}
a { color: var(--accent); }
nav a { display: inline-block; min-height: 1.5rem; overflow-wrap: anywhere; }
main > nav {
  display: flex; flex-wrap: wrap; gap: .5rem 2rem; justify-content: space-between; margin-top: 1rem;
}
h2 { font-size: 1rem; font-weight: 400; }
h1 { font-size: 1rem; font-weight: 600; overflow-wrap: anywhere; }
pre {
  overflow-x: auto; margin: 0; font: .85rem/1.5 "Source Code Pro", ui-monospace, monospace;
  counter-reset: line;
}
pre:focus-visible { outline: 2px solid var(--accent); }
pre code { display: block; width: max-content; min-width: 100%; }
pre code > span::before {
  counter-increment: line; content: counter(line);
  display: inline-block; width: 3.5ch; margin-right: 1.5ch; text-align: right; color: var(--muted);
}
pre code > span { scroll-margin-top: 30vh; }
pre code > span:target {
  display: inline-block; min-width: 100%; background: color-mix(in srgb, var(--accent) 18%, transparent);
}
.c, .c1, .cm, .sd { color: var(--muted); }
.k, .kn, .kc, .kd, .ow { color: var(--series4); }
.s, .s1, .s2, .sa, .sb, .se, .si, .sr { color: var(--series3); }
.m, .mi, .mf, .mh { color: var(--accent); }
.nf, .nc, .fm, .nd { color: var(--series2); }
"""
