"""An MkDocs hook: one style sheet, search of prose and captions, tables that scroll without a script."""

from __future__ import annotations

import posixpath
import re
import sys
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

sys.path.insert(0, str(Path(__file__).parent))

import used_styles  # noqa: E402

# Each style sheet that a page waits for costs a reader on a slow line a journey to the host and back.
STYLES = "assets/stylesheets/all.css"
SCRIPTS = "assets/javascripts/**/*.js"
_THEME_STYLES = re.compile(r"assets/stylesheets/(main|palette)\.[0-9a-f]+\.min\.css")
_COMMENT = re.compile(r"/\*.*?\*/\s*", re.S)
_SOURCE_MAP = re.compile(r"\s*/\*# sourceMappingURL=.*?\*/")
_URL = re.compile(r"url\((['\"]?)(?!data:|#|https?:|/)([^'\")]+)\1\)")

# Code, outputs, drawings, formulas and measured tables are looked at; nobody searches for a digit in them.
_NOT_SEARCHED = re.compile(r"<(pre|svg|math)(?=[ >])|<(table)(?=>\s*<thead>)")
# Material's script wraps each table without a class, when it comes. These are wrapped here, and have a class.
_TABLE = re.compile(r"<table( data-search-exclude)?>(.*?)</table>", re.S)
_WRAPPED = (
    r'<div class="md-typeset__scrollwrap"><div class="md-typeset__table">'
    r'<table class="plain"\1>\2</table></div></div>'
)
# A row for each measurement: the numbers stand in prose already, where search finds them.
_UNSEARCHED_PAGES = {"measurements.md"}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Join the theme's style sheets and those of extra_css, in this order, into one."""
    theme = sorted(file.src_uri for file in files if _THEME_STYLES.fullmatch(file.src_uri))
    parts = [*theme, *map(str, config.extra_css)]
    text = "\n".join(_part(files, path) for path in parts).replace("table:not([class])", "table.plain")
    files.append(File.generated(config, STYLES, content=text))
    config.extra_css = []  # the template links the joined one
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Keep generated lists out of the search index."""
    if page.file.src_uri in _UNSEARCHED_PAGES:
        page.meta["search"] = {"exclude": True}
    return markdown


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Mark what search leaves out; tables get the box that they scroll in."""
    html = _NOT_SEARCHED.sub(lambda match: f"{match[0]} data-search-exclude", html)
    return _TABLE.sub(_WRAPPED, html)


def on_post_build(config: MkDocsConfig) -> None:
    """Send no style that can match nothing on this site."""
    site = Path(config.site_dir)
    pages = [path.read_text(encoding="utf-8") for path in sorted(site.rglob("*.html"))]
    scripts = [path.read_text(encoding="utf-8") for path in sorted(site.glob(SCRIPTS)) if _draws(path)]
    sheet = site / STYLES
    sheet.write_text(used_styles.used(sheet.read_text(encoding="utf-8"), pages, scripts), encoding="utf-8")


def _draws(script: Path) -> bool:
    """Search's own scripts run apart from the page."""
    return not {"workers", "lunr"} & set(script.parts)


def _part(files: Files, path: str) -> str:
    """A style sheet without comments, its addresses as seen from the joined one."""
    file = files.get_file_from_path(path)
    if file is None:
        raise PluginError(
            f"mkdocs.yml, extra_css: no file {path}\n  to mend: correct the path, or: nox -s build"
        )
    folder, here = posixpath.dirname(path), posixpath.dirname(STYLES)

    def moved(match: re.Match[str]) -> str:
        return f'url("{posixpath.relpath(posixpath.join(folder, match[2]), here)}")'

    return _URL.sub(moved, _COMMENT.sub("", _SOURCE_MAP.sub("", file.content_string)))
