"""Content security: each page says what it may load, and that is this site alone.

Scripts of the theme stand inline in its templates. Those that the installed theme has, and a page of this
site holds, are allowed by hash, over the whole site, since instant navigation keeps the first page's policy.
Nothing else runs: whatever is not the theme's is refused before (`allowlist`). Styles come from files only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser

from measured import files
from measured.errors import MeasuredError
from measured.site import allowlist, theme_scripts

MARK = "%%CONTENT-POLICY%%"
_META = f'<meta http-equiv="Content-Security-Policy" content="{MARK}">'
_CSS_URL = re.compile(r"url\(\s*['\"]?(?P<url>[^'\")]+)|@import\s+['\"](?P<imported>[^'\"]+)", re.I)
_ELSEWHERE = re.compile(r"^\s*(?:[a-z][a-z0-9+.-]*:)?[/\\]{2}", re.I)

# What a <meta> cannot say, for hosts that read this file; others need it set (README, Publishing).
HEADERS = """\
/*
  X-Content-Type-Options: nosniff
  Referrer-Policy: strict-origin-when-cross-origin
  Content-Security-Policy: frame-ancestors 'none'
  X-Frame-Options: DENY
  Cross-Origin-Opener-Policy: same-origin
  Permissions-Policy: camera=(), geolocation=(), microphone=()
/*.svg
  Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox
/data/*
  Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox
"""


def policy(scripts: Iterable[str]) -> str:
    """What the pages of one site need, and nothing more.

    Args:
        scripts: the text of each inline script that runs; all of them the theme's.
    """
    return "; ".join(
        [
            "default-src 'self'",
            " ".join(["script-src 'self'", *theme_scripts.hashes(scripts)]),
            "style-src 'self'",
            "img-src 'self' data:",  # the theme's icons are masks inside its style sheet
            "object-src 'none'",
            "frame-src 'none'",
            "base-uri 'self'",
            "form-action 'self'",
        ]
    )


def marked(tree: LexborHTMLParser) -> str:
    """The page as text, with a place for its policy before anything that loads."""
    written = tree.html or ""
    return re.sub(r"(<head\b[^>]*>)", lambda match: match[1] + _META, written, count=1)


def with_policy(text: str, content: str) -> str:
    """A marked page with its policy; without one where there is none."""
    return text.replace(MARK, content, 1) if content else text.replace(_META, "", 1)


def refuse_active(content: str, path: str) -> None:
    """Look at a page's own content, before the theme is around it.

    Raises:
        MeasuredError: an element, attribute or address that no page may hold.
    """
    for problem in allowlist.problems_of_fragment(content):
        raise MeasuredError(
            f"the page's content holds {problem}",
            path=path,
            expected="elements, attributes and addresses that pages may hold (README: What a page may hold)",
            mend="move scripts and styles to files named in extra_javascript or extra_css; "
            "escape what is meant as text",
        )


def refuse_foreign_styles(site: Path) -> int:
    """Look at every style sheet for what it would fetch from elsewhere.

    Raises:
        MeasuredError: one that does, with the address.
    """
    sheets = sorted(site.rglob("*.css"))
    for path in sheets:
        for match in _CSS_URL.finditer(files.read_text(path, path.relative_to(site))):
            url = match["url"] or match["imported"]
            if _ELSEWHERE.match(url):
                raise MeasuredError(
                    f"the style sheet fetches {url} from a third party",
                    path=path.relative_to(site),
                    expected="files of the site alone",
                )
    return len(sheets)
