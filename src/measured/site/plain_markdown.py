"""Woven prose as the Markdown that every notebook program reads: no attributes, containers or relative links.

Pages are written in Python-Markdown with its extensions. What they have beyond common Markdown is said with
common means: an admonition is a quotation with a bold title, a tab its title and its content, a formula
stands between dollars, a picture travels inside of the notebook, a link is an address or its words.
"""

from __future__ import annotations

import base64
import posixpath
import re
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from measured.errors import MeasuredError
from measured.site.finish_page import address_of
from measured.weaving import mermaid
from measured.weaving.diagrams import LANGUAGE

_FENCE = re.compile(r"^(?P<indent>[ \t]*)(?P<mark>`{3,}|~{3,})(?P<info>.*)$")
_ADMONITION = re.compile(r'^(?P<indent> *)(?:!!!|\?\?\?\+?) +(?P<kind>[\w-]+)[^"\n]*(?:"(?P<title>.*)")?\s*$')
_TAB = re.compile(r'^(?P<indent> *)===[!+]* +"(?P<title>.*)"\s*$')
_FOOTNOTE = re.compile(r"^\[\^(?P<name>[^\]]+)\]:[ \t]*(?P<text>.*)$")
_DROPPED = re.compile(r"^(?:\*\[[^\]]+\]:.*|[ \t]*\{:[^{}]*\}[ \t]*)$")
_ATTRIBUTE = r"""(?:[#.][\w:-]+|[\w:-]+=(?:"[^"]*"|'[^']*'|[^\s"'{}]+))"""
_ATTRIBUTES = re.compile(rf"[ \t]*\{{:?[ ]*{_ATTRIBUTE}(?:[ ]+{_ATTRIBUTE})*[ ]*\}}")
_PROTECTED = re.compile(
    r"(?<![\\`])(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`)|(?<!\\)\$\$.+?\$\$|(?<![\\$])\$(?![\s$])[^$]+?(?<!\s)\$"
    r"|\\\(.+?\\\)|\\\[.+?\\\]|\\begin\{(?P<name>[a-z]+\*?)\}.+?\\end\{(?P=name)\}",
    re.S,
)
_INSIDE = r"(?:[^\[\]]|\[[^\[\]]*\])*"
_TARGET = r"\((?P<target>[^()\s]*(?:\([^()\s]*\)[^()\s]*)?)(?:[ \t]+(?:\"[^\"]*\"|'[^']*'))?\)"
_IMAGE = re.compile(rf"!\[(?P<text>{_INSIDE})\]{_TARGET}")
_LINK = re.compile(rf"(?<!!)\[(?P<text>{_INSIDE})\]{_TARGET}")
_DATA_LINK = re.compile(
    rf"(?P<before>[ \t]*·?[ \t]*)(?P<link>\[{_INSIDE}\]{_TARGET})\{{[ ]*\.data-link[^{{}}]*\}}"
)
_ANCHOR = re.compile(r'<a\b[^>]*\bhref="(?P<target>[^"]*)"[^>]*>(?P<text>.*?)</a>', re.S)
_DEFINITION = re.compile(r"^(?P<before>[ ]{0,3}\[[^\]^]+\]:[ \t]+)(?P<target>\S+)", re.M)
_SUMMARY = re.compile(r"<summary\b[^>]*>(?P<text>.*?)</summary>", re.S)
_ITEM = re.compile(r"\s*<li\b[^>]*>(?P<text>[^<]*(?:<(?!/?(?:li|ul|ol)\b)[^<]*)*)</li>")
_TAGS = re.compile(
    r"</?(?:div|span|figure|figcaption|section|data|details|nav|abbr|mark|small|p|article|aside|cite|ul|ol)\b"
    r"(?:[^<>\"]|\"[^\"]*\")*>"
)
_REFERENCE = re.compile(r"\[\^(?P<name>[^\]]+)\]")
_STANDS = re.compile("\ue020(\\d+)\ue021")


@dataclass
class PlainMarkdown:
    """Turns the prose of one page into plain Markdown.

    Args:
        where: the page's place.
        url: the site's address, with `/` at its end; empty where nobody knows it.
        picture: the bytes of a picture by its place in the site; None where there is none.
        directory_urls: whether `a.md` becomes `a/`.
        keep: what marks a line that is somebody else's and stays as it is.
        attachments: pictures by name: type and bytes. Filled on the way.
    """

    where: str
    url: str
    picture: Callable[[str], bytes | None]
    directory_urls: bool = True
    keep: str = "\ue003"
    attachments: dict[str, tuple[str, bytes]] = field(default_factory=dict)

    def of(self, text: str) -> str:
        """A page's prose, or a part of it."""
        plain = "\n".join(self._blocks(text.split("\n")))
        return re.sub(r"\n{3,}", "\n\n", re.sub(r"[ \t]+$", "", plain, flags=re.M)).strip("\n")

    # Blocks

    def _blocks(self, lines: Sequence[str]) -> Iterator[str]:
        prose: list[str] = []
        position = 0
        while position < len(lines):
            line = lines[position]
            taken = 0
            made: Iterator[str] | None = None
            if fence := _FENCE.match(line):
                taken, made = self._fence(fence, lines, position)
            elif box := _ADMONITION.match(line):
                title = box["title"] if box["title"] is not None else box["kind"].capitalize()
                taken, made = self._box(title, box["indent"], lines, position, quoted=True)
            elif tab := _TAB.match(line):
                taken, made = self._box(tab["title"], tab["indent"], lines, position, quoted=False)
            elif note := _FOOTNOTE.match(line):
                inside = _content("", lines, position + 1)
                first = f"<sup>{note['name']}</sup> {note['text']}"
                taken, made = 1 + len(inside), self._blocks([first, *_dedented(inside)])
            elif _DROPPED.match(line):
                taken, made = 1, iter(())
            if made is None:
                prose.append(line)
                position += 1
                continue
            yield from self._prose(prose)
            prose = []
            yield from made
            position += taken
        yield from self._prose(prose)

    def _prose(self, lines: list[str]) -> Iterator[str]:
        if lines:
            yield self._inline("\n".join(lines))

    def _fence(self, fence: re.Match[str], lines: Sequence[str], start: int) -> tuple[int, Iterator[str]]:
        closing = re.compile(rf"^[ \t]*{re.escape(fence['mark'][0])}{{{len(fence['mark'])},}}[ \t]*$")
        end = next((i for i in range(start + 1, len(lines)) if closing.match(lines[i])), len(lines) - 1)
        words = fence["info"].replace("{", " ").replace("}", " ").split()
        language = words[0].strip(".") if words else ""
        body = lines[start + 1 : end]
        if language == LANGUAGE and (drawn := self._diagram("\n".join(_dedented(body)))):
            return end - start + 1, iter([fence["indent"] + drawn])
        return end - start + 1, iter([f"{fence['indent']}{fence['mark']}{language}", *body, lines[end]])

    def _diagram(self, source: str) -> str:
        name = f"diagram-{1 + sum(n.startswith('diagram-') for n in self.attachments)}.svg"
        try:
            svg = mermaid.draw(source)
        except MeasuredError:
            return ""  # the page shows it as code, or would have been refused
        self.attachments[name] = ("image/svg+xml", svg.encode("utf-8"))
        said = re.search(r"<desc[^>]*>(.*?)</desc>", svg, re.S)
        return f"![{_in_brackets(said[1] if said else 'Diagram')}](attachment:{name})"

    def _box(
        self, title: str, indent: str, lines: Sequence[str], start: int, *, quoted: bool
    ) -> tuple[int, Iterator[str]]:
        inside = _content(indent, lines, start + 1)
        content = list(self._blocks(["", *([f"**{title}**", ""] if title else []), *_dedented(inside)]))
        whole = "\n".join(content).strip("\n").split("\n")
        if quoted and not any(self.keep in line for line in whole):
            whole = [f"> {line}".rstrip() for line in whole]
        return 1 + len(inside), iter(["", *(indent + line for line in whole), ""])

    # Inside of blocks

    def _inline(self, text: str) -> str:
        kept: list[str] = []

        def protect(match: re.Match[str]) -> str:
            kept.append(_between_dollars(match[0]))
            return f"\ue020{len(kept) - 1}\ue021"

        text = _PROTECTED.sub(protect, text)
        text = _DATA_LINK.sub(self._data_link, text)
        text = _ATTRIBUTES.sub("", text)
        text = _SUMMARY.sub(lambda m: f"\n\n**{m['text'].strip()}**\n\n", text)
        text = _ITEM.sub(lambda m: f"\n- {m['text'].strip()}", text)
        text = _ANCHOR.sub(self._link, text)
        text = _TAGS.sub("", text)
        text = _IMAGE.sub(self._image, text)
        text = _LINK.sub(self._link, text)
        text = _DEFINITION.sub(lambda m: m["before"] + (self.address(m["target"]) or "#"), text)
        text = _REFERENCE.sub(lambda m: f"<sup>{m['name']}</sup>", text)
        while _STANDS.search(text):
            text = _STANDS.sub(lambda m: kept[int(m[1])], text)
        return text

    def _data_link(self, match: re.Match[str]) -> str:
        """Files beside the page, where they have an address."""
        return match["before"] + match["link"] if self.address(match["target"]) else ""

    def _link(self, match: re.Match[str]) -> str:
        address = self.address(match["target"])
        return f"[{match['text']}]({address})" if address else match["text"]

    def _image(self, match: re.Match[str]) -> str:
        if re.match(r"[a-z][a-z+.-]*:", match["target"], re.I):
            return match[0]
        place = posixpath.normpath(posixpath.join(posixpath.dirname(self.where), match["target"]))
        data = self.picture(place)
        if data is None:
            return match["text"]
        name = posixpath.basename(place)
        self.attachments[name] = (_TYPES.get(posixpath.splitext(name)[1].lower(), "image/png"), data)
        return f"![{match['text']}](attachment:{name})"

    def address(self, target: str) -> str:
        """A link's address wherever the notebook is opened; empty where it has none."""
        if re.match(r"[a-z][a-z+.-]*:", target, re.I):
            return target
        if not self.url:
            return ""
        path, mark, anchor = target.partition("#")
        place = (
            posixpath.normpath(posixpath.join(posixpath.dirname(self.where), path)) if path else self.where
        )
        shown = address_of(place, self.directory_urls) if place.endswith(".md") else place
        return f"{self.url}{shown}{mark}{anchor}"


_TYPES = {
    ".svg": "image/svg+xml", ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg",
    ".gif": "image/gif", ".webp": "image/webp",
}  # fmt: skip


def encoded(attachment: tuple[str, bytes]) -> dict[str, str]:
    """A picture as a notebook's cell holds it."""
    kind, data = attachment
    return {kind: base64.b64encode(data).decode("ascii")}


def _content(indent: str, lines: Sequence[str], start: int) -> list[str]:
    """The lines that belong to a container: blank, or indented further; it does not end in blank ones."""
    inside: list[str] = []
    for line in lines[start:]:
        if line.strip() and not line.startswith(indent + "    "):
            break
        inside.append(line)
    while inside and not inside[-1].strip():
        inside.pop()
    return inside


def _dedented(lines: Sequence[str]) -> list[str]:
    return textwrap.dedent("\n".join(lines)).split("\n")


def _between_dollars(text: str) -> str:
    if text.startswith("\\("):
        return f"${text[2:-2].strip()}$"
    if text.startswith("\\["):
        return f"$${text[2:-2]}$$"
    return text


def _in_brackets(text: str) -> str:
    return re.sub(r"([\[\]])", r"\\\1", " ".join(text.split()))
