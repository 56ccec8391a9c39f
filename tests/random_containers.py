"""Pages of references, tables, figures, claims and cells in any nesting, and what must be counted in them.

A page is drawn together with what it asks for; whatever the nesting, the rendered page must hold as many
elements of each kind, in the containers that were asked for, and no marker or Markdown in its text.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import lxml.html
from hypothesis import strategies as st

from measured.weaving import cells
from measured.weaving.page import scan
from measured.weaving.weave import Picture, Weaver
from rendering import USUAL, render
from weaving import LIBRARY

WEAVER = Weaver(LIBRARY, {"dice.f": Picture("faces")})
FRONT = """---
jupyter:
  jupytext: {text_representation: {extension: .md}}
  kernelspec: {display_name: Python 3, language: python, name: python3}
---
"""
# Each with its opening line and what comes first in it; all of it indented by four.
BOXES = {
    "list": ("- item", "li"),
    "numbered": ("1. item", "li"),
    "admonition": ("!!! note", "div"),
    "details": ("??? note", "details"),
    "tab": ('=== "Tab"', "div"),
    "definition": ("Term\n:   item", "dd"),
}
OUTPUTS = (
    "plain text",
    "loading\r# Heading",
    "x = 3 </div> y",
    "\x1b[31mred\x1b[0m and \x1b[1mbold",
    "```\nfence\n```",
    "~~~~ {{ dice.mean }} ~~~~",
    "<!-- open",
    "    indented\n\n\n<script>alert(1)</script>",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "$a$ \\(b\\) [c](d) *e* `f` &amp; {: .x }",
)
CODE = (
    "x = 1",
    "print('```')",
    "s = '''\n```\n# not a heading\n'''",
    "'{{ dice.none }} {% x %} </div> <!--'",
)
INLINE = {
    "paragraph": "Value {{ dice.mean }} here.",
    "derived": 'Value {{ (dice.mean - dice.low) | fmt(".2f") }}',
    "strong": "A **{{ dice.mean }}** value",
}
PLAIN = {
    "formula": "$\\mu = {{ dice.mean }}$ and $x_{{i}}$",
    "link": "[see {{ dice.mean }}](there.md)",
    "alt": "![see {{ dice.mean }}](x.svg)",
    "code": "`{{ dice.nothing }}` code",
}


@dataclass
class Asked:
    """What a page asks for."""

    lines: list[str] = field(default_factory=list)
    counts: Counter = field(default_factory=Counter)
    outputs: list[str] = field(default_factory=list)

    def add(self, indent, *rows):
        self.lines += [(indent + row).rstrip() for row in rows]


leaves = st.one_of(
    st.tuples(st.just("inline"), st.sampled_from(sorted(INLINE))),
    st.tuples(st.just("plain"), st.sampled_from(sorted(PLAIN))),
    st.tuples(st.just("block"), st.sampled_from(("table", "figure"))),
    st.tuples(st.just("claimed"), st.just("")),
    st.tuples(st.just("cell"), st.tuples(st.sampled_from(CODE), st.sampled_from(OUTPUTS))),
    st.tuples(st.just("shown"), st.sampled_from(CODE)),
)
nodes = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.tuples(
            st.sampled_from(("quotation", *sorted(set(BOXES) - {"definition"}))),
            st.lists(inner, min_size=1, max_size=3),
        ),
        st.tuples(st.just("claim"), st.lists(inner, min_size=1, max_size=2)),
    ),
    max_leaves=6,
)
# Python-Markdown takes what follows a definition in a list for code.
defined = st.tuples(st.just("definition"), st.lists(nodes, min_size=1, max_size=2))
pages = st.lists(st.one_of(nodes, nodes, nodes, defined), min_size=1, max_size=5)


def write(page):
    asked = Asked()
    for node in page:
        _write(node, "", asked)
        # Two lists in a row are one list; a comment between them is what an author would write.
        asked.add("", "<!-- -->", "")
    return asked


def _write(node, indent, asked):
    kind, what = node
    if kind == "inline":
        asked.counts["a.measured"] += 1
        asked.add(indent, INLINE[what], "")
    elif kind == "plain":
        asked.counts["formula"] += 2 * (what == "formula")
        asked.counts["img"] += what == "alt"
        asked.add(indent, PLAIN[what], "")
    elif kind == "block" and what == "table":
        asked.counts.update({"*.measured-table": 1, "table": 1, "a.measured": 1, "a.data-link": 1})
        asked.add(indent, '{{ table("dice.t") }}', "")
    elif kind == "block":
        asked.counts.update({"figure": 1, "figcaption": 1, "img": 1, "a.measured": 1, "a.data-link": 2})
        asked.add(indent, '{% figure "dice.f" %}', "faces {{ dice.sides }}", "{% endfigure %}", "")
    elif kind == "claimed":
        asked.counts.update({"*.claim": 1, "a.claim-mark": 1})
        asked.add(indent, 'So {% claim "dice.holds" %}it *is*.{% endclaim %}', "")
    elif kind in ("cell", "shown"):
        code = what[0] if kind == "cell" else what
        asked.counts.update({"pre": 1})
        if kind == "cell":
            asked.counts.update({"pre": 1, "*.cell-output": 1})
            asked.outputs.append(what[1])
        asked.add(indent, "````python" if kind == "cell" else "````py", *code.split("\n"), "````", "")
    elif kind == "claim":
        asked.counts.update({"*.claim": 1, "a.claim-mark": 1})
        asked.add(indent, '{% claim "dice.holds" %}', "")
        for child in what:
            _write(child, indent, asked)
        asked.add(indent, "{% endclaim %}", "")
    elif kind == "quotation":
        asked.counts["box quotation"] += 1
        for child in what:
            _write(child, f"{indent}> ", asked)
        asked.add(indent, "", "<!-- -->", "")
    else:
        opening, element = BOXES[kind]
        asked.counts[f"box {kind}"] += 1
        asked.add(indent, *opening.split("\n"), "")
        for child in what:
            _write(child, indent + "    ", asked)
        asked.add(indent, "<!-- -->", "")


SELECTORS = {
    "box list": ".//ul/li",
    "box numbered": ".//ol/li",
    "box admonition": ".//div[@class='admonition note']",
    "box details": ".//details",
    "box tab": ".//div[@class='tabbed-block']",
    "box definition": ".//dd",
    "box quotation": ".//blockquote",
    "formula": ".//*[@class='arithmatex']",
}
LEFT_OVER = re.compile(
    r"\{\{|\{%|\{ \.|\]\(|```|~~~|\*\*|!!!|\?\?\?|===|measurements\.md"
    r"|</?(?:div|data|span|figure|a)\b|[\ue000-\ue0ff]"
)


def holds_what_it_asks_for(page):
    """Weave and render a page; everything that it asked for is there, and nothing else."""
    asked = write(page)
    text = FRONT + "\n".join(asked.lines)
    source = scan(text, Path("page.md"), USUAL)
    found = cells.cells_of(source)
    assert len(found) == len(asked.outputs), "cells"
    streams = [[{"output_type": "stream", "name": "stdout", "text": output}] for output in asked.outputs]
    executed = cells._shown(found, streams, source, USUAL)
    html = render(WEAVER.weave(source, executed.markdown).markdown)
    tree = lxml.html.fragment_fromstring(html, create_parent="div")
    counts = {name: len(tree.xpath(_selector(name))) for name in (*_KINDS, *SELECTORS)}
    wrong = {
        name: (found, asked.counts[name]) for name, found in counts.items() if found != asked.counts[name]
    }
    assert not wrong, f"{wrong}\n{text}\n{html}"
    for unseen in tree.xpath(".//pre|.//code|.//*[@class='arithmatex']|.//script"):
        unseen.text = ""
        for child in list(unseen):
            unseen.remove(child)
    left = LEFT_OVER.search(tree.text_content())
    assert left is None, (left, text)
    assert not tree.xpath(".//script")
    assert "Heading" not in "".join(tree.xpath(".//h1//text()"))


_KINDS = (
    "a.measured", "a.claim-mark", "a.data-link", "*.claim", "*.measured-table", "table",
    "figure", "figcaption", "img", "pre", "*.cell-output",
)  # fmt: skip


def _selector(name):
    if name in SELECTORS:
        return SELECTORS[name]
    tag, _, kind = name.partition(".")
    return f".//{tag}[contains(concat(' ', @class, ' '), ' {kind} ')]" if kind else f".//{tag}"
