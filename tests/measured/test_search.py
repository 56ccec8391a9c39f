"""What search knows: sections of finished pages, formulas as one types them, chapters before the rest."""

from __future__ import annotations

import json

from selectolax.lexbor import LexborHTMLParser

from measured.site import search
from measured.weaving import formulas

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
