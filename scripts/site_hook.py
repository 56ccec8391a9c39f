"""An MkDocs hook: search finds prose and captions, and numbers align without inline styles."""

import re

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page

# Code, outputs, drawings, formulas and measured tables are looked at; nobody searches for a digit in them.
_NOT_SEARCHED = re.compile(r"<(pre|svg|math)(?=[ >])|<(table)(?=>\s*<thead>)")
_ALIGNED = re.compile(r' style="text-align: (left|right|center);"')
_CLASSES = {"left": "", "right": ' class="number"', "center": ' class="centre"'}
# A row for each measurement: the numbers stand in prose already, where search finds them.
_UNSEARCHED_PAGES = {"measurements.md"}


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Keep generated lists out of the search index."""
    if page.file.src_uri in _UNSEARCHED_PAGES:
        page.meta["search"] = {"exclude": True}
    return markdown


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Mark what search leaves out; alignment becomes a class."""
    html = _NOT_SEARCHED.sub(lambda match: f"{match[0]} data-search-exclude", html)
    return _ALIGNED.sub(lambda match: _CLASSES[match[1]], html)
