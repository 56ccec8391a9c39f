"""Content security: each page says what it may load, and that is this site alone.

Scripts of the theme stand inline in its templates; their hashes, taken over the whole site since instant
navigation keeps the first page's policy, are all that is allowed beside files of the site. Styles come from
files only. A page's own content may hold neither scripts nor inline styles nor handlers: what leaks into a
page from a measured text would then not run, and the build says so before anyone has to find out.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from measured import files
from measured.errors import MeasuredError

_SCRIPT = re.compile(r"<script\b(?P<attributes>[^>]*)>(?P<body>.*?)</script>", re.S | re.I)
_STYLE = re.compile(r"<style\b[^>]*>(?P<body>.*?)</style>", re.S | re.I)
_VALUE = r"""(?:\"(?P<two>[^\"]*)\"|'(?P<one>[^']*)'|(?P<bare>[^\s>]+))"""
_ATTRIBUTE = re.compile(rf"\s(?P<name>[\w:-]+)\s*=\s*{_VALUE}")
_INSIDE = r"""(?P<attributes>(?:[^<>"']|"[^"]*"|'[^']*')*)>"""
_TAG = re.compile(rf"<(?P<name>[a-zA-Z][\w:-]*){_INSIDE}")
_DATA_TYPES = ("application/json", "application/ld+json", "text/plain")
_FETCHED_LINKS = {
    "stylesheet",
    "preload",
    "modulepreload",
    "icon",
    "prefetch",
    "preconnect",
    "dns-prefetch",
    "manifest",
}
_FETCHING = {
    "script": ("src",),
    "img": ("src", "srcset"),
    "source": ("src", "srcset"),
    "iframe": ("src",),
    "embed": ("src",),
    "video": ("src", "poster"),
    "audio": ("src",),
    "track": ("src",),
    "object": ("data",),
    "image": ("href", "xlink:href"),
    "use": ("href", "xlink:href"),
    "form": ("action",),
}
_FETCHES = re.compile(rf"<(?P<name>link|{'|'.join(_FETCHING)})(?![\w:-]){_INSIDE}", re.I)
_ELSEWHERE = re.compile(r"(?:^|[\s,])(?:https?:)?//", re.I)
_CSS_URL = re.compile(r"url\(\s*['\"]?(?P<url>[^'\")]+)|@import\s+['\"](?P<imported>[^'\"]+)", re.I)


def apply(site: Path) -> str:
    """Write one policy into every page of a built site.

    Returns:
        The policy.
    """
    pages = {path: path.read_text(encoding="utf-8") for path in sorted(site.rglob("*.html"))}
    content = policy(pages.values())
    meta = f'<meta http-equiv="Content-Security-Policy" content="{content}">'
    for path, text in pages.items():
        files.write_text(path, re.sub(r"(<head\b[^>]*>)", lambda m: f"{m[1]}\n{meta}", text, count=1))
    return content


def policy(pages: Iterable[str]) -> str:
    """What the pages of one site need, and nothing more."""
    scripts, styles = set(), set()
    for text in pages:
        scripts |= {_hash(m["body"]) for m in _SCRIPT.finditer(text) if _runs(m["attributes"])}
        styles |= {_hash(m["body"]) for m in _STYLE.finditer(text)}
    return "; ".join(
        [
            "default-src 'self'",
            " ".join(["script-src 'self'", *sorted(scripts)]),
            " ".join(["style-src 'self'", *sorted(styles)]),
            "img-src 'self' data:",  # the theme's icons are masks inside its style sheet
            "object-src 'none'",
            "base-uri 'self'",
            "form-action 'self'",
        ]
    )


def refuse_active(content: str, path: str) -> None:
    """Look at a page's own content, before the theme is around it.

    Raises:
        MeasuredError: a script, an inline style or a handler that the policy would block or, worse, allow.
    """
    for problem in active(content):
        raise MeasuredError(
            f"the page's content holds {problem}",
            path=path,
            expected="scripts and styles in files of the site",
            mend="move it to a file named in extra_javascript or extra_css; escape it where it is text",
        )


def active(content: str) -> Iterator[str]:
    """What in a piece of HTML is active by itself."""
    for tag in _TAG.finditer(content):
        if tag["name"].lower() in ("script", "style", "iframe", "object", "embed", "base"):
            yield f"<{tag['name'].lower()}>"
        for name, value in _attributes(tag["attributes"]):
            if name == "style":
                yield f'an inline style on <{tag["name"]}>: style="{value}"'
            elif name.startswith("on"):
                yield f"a handler on <{tag['name']}>: {name}"
            elif name in ("href", "src", "action") and value.strip().lower().startswith("javascript:"):
                yield f"a javascript: address on <{tag['name']}>"


def third_parties(site: Path) -> list[tuple[Path, str]]:
    """Every address outside the site that a page or a style sheet would fetch by itself."""
    found = []
    for path in sorted([*site.rglob("*.html"), *site.rglob("*.css"), *site.rglob("*.svg")]):
        text = path.read_text(encoding="utf-8")
        found += [(path.relative_to(site), url) for url in _fetched(text, path.suffix)]
    return found


def _fetched(text: str, suffix: str) -> Iterator[str]:
    if suffix != ".css":
        yield from _fetched_by_tags(text)
    for match in _CSS_URL.finditer(text if suffix == ".css" else " ".join(_STYLE.findall(text))):
        url = match["url"] or match["imported"]
        if _ELSEWHERE.search(url):
            yield url


def _fetched_by_tags(text: str) -> Iterator[str]:
    for tag in _FETCHES.finditer(text):
        name = tag["name"].lower()
        attributes = dict(_attributes(tag["attributes"]))
        if name == "link" and _FETCHED_LINKS & set(attributes.get("rel", "").lower().split()):
            wanted = ("href",)
        else:
            wanted = _FETCHING.get(name, ())
        yield from (attributes[a] for a in wanted if _ELSEWHERE.search(attributes.get(a, "")))


def _attributes(text: str) -> Iterator[tuple[str, str]]:
    for match in _ATTRIBUTE.finditer(text):
        yield match["name"].lower(), match["two"] or match["one"] or match["bare"] or ""


def _runs(attributes: str) -> bool:
    """Whether a script element holds code of its own that a browser runs."""
    found = dict(_attributes(attributes))
    return "src" not in found and found.get("type", "") not in _DATA_TYPES


def _hash(body: str) -> str:
    digest = hashlib.sha256(body.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
