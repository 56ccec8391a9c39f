"""What search knows: sections of finished pages, formulas as one types them, chapters before the rest."""

from __future__ import annotations

import json
import re

import markdown
from selectolax.lexbor import LexborHTMLParser

from measured.site import search
from measured.weaving import formulas
from weaving import LIBRARY, Weaver, scan

SCALE = formulas.render(
    r'<article><h1 id="top">About <span class="arithmatex">\(d_k\)</span><a class="headerlink">#</a></h1>'
    r"<p>One <em>soft</em>max.</p>"
    r'<h2 id="scale">Why <span class="arithmatex">\(\sqrt{d_k}\)</span></h2>'
    r'<p>Take <data value="1">0.5</data> of <span class="arithmatex">\(\mathrm{softmax}(x)\)</span>.</p>'
    r'<div class="arithmatex">\[\mathrm{softmax}\left(\frac{Q K^T}{\sqrt{d_k}}\right) V\]</div></article>'
)


def sections():
    return tuple(search.sections(LexborHTMLParser(SCALE).css_first("article")))


def test_formulas_are_found_as_one_types_them():
    top, scale = sections()
    assert top.title == "About d_k"
    assert scale.title == "Why sqrt(d_k)"
    assert scale.paragraphs == ("Take 0.5 of softmax(x).", "softmax((Q K^T)/(sqrt(d_k)))V")


def test_a_chapter_weighs_more(tmp_path):
    (tmp_path / "search").mkdir()
    index = tmp_path / "search" / "search_index.json"
    index.write_text('{"config": {}, "docs": []}')
    search.write(tmp_path, {"a/": sections(), "b/": sections()}, {"a/": 4})
    found = json.loads(index.read_text(encoding="utf-8"))["docs"]
    assert [entry.get("boost", 1) for entry in found] == [4, 4, 1, 1]


def test_what_an_author_leaves_out_stays_out_with_markdown_and_material_between():
    page = """# Odds

Found.

<details markdown="1" data-search-exclude><summary>Show it</summary>

Not found.

</details>

<p class="conditions">Seeds 0 to 4.</p>

<table><tr><td>−0.25</td><td>1</td></tr></table>
"""
    woven = Weaver(LIBRARY).weave(scan(page, "page.md")).markdown
    rendered = markdown.markdown(woven, extensions=["md_in_html"])
    after_material = re.sub(r"\s?data-search-\w+=\"[^\"]+\"", "", rendered)  # its plugin's own expression
    (found,) = search.sections(LexborHTMLParser(f"<article>{after_material}</article>").css_first("article"))
    assert found.paragraphs == ("Found.",)
