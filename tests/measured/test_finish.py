"""Finishing a page that a renderer has made, and a folder of them."""

from __future__ import annotations

import json
from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import pytest
from selectolax.lexbor import LexborHTMLParser

from measured.errors import MeasuredError
from measured.files import write_text
from measured.site import checks, styles, theme_scripts
from measured.site.finish import finish
from measured.site.finish_page import Expected, Page, Setting, address_of, file_of, finish_page

SETTING = Setting(
    figures=lambda name: (
        f'<svg viewBox="0 0 1 1"><title>{name}</title></svg>',
        '<svg viewBox="0 0 1 2"/>' if name == "x.two" else "",
    ),
    expected={},
    templates=theme_scripts.templates_of("material"),
)
SHELL = "<!doctype html><html><head><title>T</title>{}</head><body>{}<article>{}</article></body></html>"


def finished(article: str, path: str = "a/index.html", head: str = "", around: str = "", **changes):
    return finish_page(SHELL.format(head, around, article), path, replace(SETTING, **changes))


def test_blank_lines_of_templates_go_and_those_of_authors_stay():
    page = finished(
        "<pre>a\n\n  b</pre>", around='<nav aria-label="x">\n\n   <a href="#a">\n  to\n\n a</a>\n</nav>'
    )
    assert '<nav aria-label="x">\n<a href="#a">\nto\na</a>\n</nav>' in page.html
    assert "<pre>a\n\n  b</pre>" in page.html


def test_of_two_drawings_one_is_shown_and_one_is_searched():
    page = finished('<p><img alt="a" data-figure="x.two" src="x.svg"></p>')
    drawn = LexborHTMLParser(page.html).css("article svg")
    assert [svg.attributes["class"] for svg in drawn] == ["wide", "narrow"]
    assert ["data-search-exclude" in svg.attributes for svg in drawn] == [False, True]
    assert [svg.attributes["aria-label"] for svg in drawn] == ["a", "a"]


def test_figures_become_drawings_that_follow_the_scheme_and_keep_their_words():
    page = finished('<p><img alt="a &lt; &quot;b&quot;" data-figure="x.y" src="x.svg"></p>')
    drawing = LexborHTMLParser(page.html).css_first("article svg")
    assert drawing.attributes["aria-label"] == 'a < "b"'
    assert drawing.attributes["role"] == "img"
    assert page.counts["figures"] == 1
    assert "viewBox" in page.html


def test_formulas_become_mathml_in_the_page_in_outlines_and_in_labels():
    outline = r'<nav class="md-nav" aria-label="of \(d_k\)"><a href="#a">The root of \(d_k\)</a></nav>'
    page = finished(
        r'<h1 id="a">x</h1><p><span class="arithmatex">\(a &lt; b\)</span></p>'
        r'<div class="arithmatex">\[c\]</div>',
        around=outline,
        head=r'<meta name="description" content="of \(d_k\)">',
    )
    tree = LexborHTMLParser(page.html)
    assert len(tree.css("article math")) == 2
    assert len(tree.css("nav math")) == 1
    assert "\\(" not in tree.css_first("nav").attributes["aria-label"]
    assert tree.css_first("meta[name=description]").attributes["content"] == "of d_k"
    assert page.counts["formulas"] == 2


def test_a_list_of_the_navigation_is_named_by_its_title_where_its_label_says_nothing():
    """Else all of them are called the same, nothing; one whose label has words keeps it."""
    part = (
        '<label id="{0}_label"><span class="md-icon"></span>{1}</label>'
        '<nav class="md-nav" aria-labelledby="{0}_label">'
        '<label class="md-nav__title"> Do \n it </label></nav>'
    )
    page = finished("", around=part.format("one", "") + part.format("two", "Words"))
    unnamed, named = LexborHTMLParser(page.html).css("nav")
    assert unnamed.attributes == {"class": "md-nav", "aria-label": "Do it"}
    assert named.attributes == {"class": "md-nav", "aria-labelledby": "two_label"}


def test_tables_scroll_in_a_box_and_align_by_class():
    page = finished(
        '<table><tr><td style="text-align: right;">1</td><td style="text-align:left">2</td></tr></table>'
    )
    table = LexborHTMLParser(page.html).css_first("div.md-typeset__scrollwrap > div > table.plain")
    assert [cell.attributes.get("class") for cell in table.css("td")] == ["number", None]
    assert "style=" not in page.html


@pytest.mark.parametrize(
    ("path", "urls", "expected"),
    [
        ("a/b/index.html", True, ["../../c/#x", "../../data/y.csv", "../../"]),
        ("index.html", True, ["c/#x", "data/y.csv", "./"]),
        ("404.html", True, ["/book/c/#x", "/book/data/y.csv", "/book/"]),
    ],
)
def test_neutral_addresses_lead_from_every_page_to_the_same_places(path, urls, expected):
    links = [address_of("c.md", urls) + "#x", "data/y.csv", address_of("index.md", urls)]
    article = "".join(f'<a href="site:/{link}">x</a>' for link in links)
    page = finished(article, path, root_path="/book/", directory_urls=urls)
    tree = LexborHTMLParser(page.html)
    assert [a.attributes["href"] for a in tree.css("article a")] == expected


def test_a_page_has_its_address_whether_or_not_it_has_a_folder_of_its_own():
    assert [file_of(name) for name in ("index.md", "a.md", "b/index.md", "b/README.md", "b/c.md")] == [
        "index.html",
        "a/index.html",
        "b/index.html",
        "b/index.html",
        "b/c/index.html",
    ]
    assert [file_of(name, False) for name in ("index.md", "a.md", "b/index.md")] == [
        "index.html",
        "a.html",
        "b/index.html",
    ]


def test_what_weaving_left_and_a_renderer_lost_is_an_error():
    lost = {"a/index.html": Expected(figures=1)}
    with pytest.raises(MeasuredError, match=r"a/index\.html: of 1 figures .* 0 are in what was rendered"):
        finished("<p>x</p>", expected=lost)


def test_dialogs_have_names_and_nobody_is_asked_how_many_stars_there_are():
    around = (
        '<div role="dialog"><input aria-label="Search"></div>'
        '<a data-md-component="source" href="https://x.example">x</a><a href="javascript:void(0)">y</a>'
    )
    tree = LexborHTMLParser(finished("<p>x</p>", around=around).html)
    assert tree.css_first("[role=dialog]").attributes["aria-label"] == "Search"
    assert "data-md-component" not in tree.css_first("a").attributes
    assert "javascript:" not in (tree.html or "")


def test_a_generated_page_offers_no_edit():
    article = '<a class="md-content__button" rel="edit" href="https://x.example/edit">x</a><p>y</p>'
    assert "edit" in finished(article).html
    assert "edit" not in finished(article, generated=frozenset(["a/index.html"])).html


def test_comments_are_not_published():
    assert "secret" not in finished("<p>x</p><!-- secret -->").html


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<p>{{ x }}</p>", "an unresolved reference"),
        ('<img alt="{% figure %}" src="x.png">', "an unresolved tag"),
        ("<p>np.float64(0.1)</p>", "NumPy's repr"),
        ("<p>$$x$$</p>", "an unrendered formula"),
        (r"<a>of \(d_k\)</a>", "an unrendered formula"),
        ("<p>pch.quizTag</p>", "an untranslated key"),
        ("<p>Traceback (most recent call last)</p>", "a traceback"),
        ("<p>[3.6](measurements.md#x){ .measured }</p>", "an attribute list that no extension read"),
        ("<p>\ue001</p>", "private-use"),
    ],
)
def test_leftovers_are_told(body, expected):
    with pytest.raises(MeasuredError, match=expected):
        finished(body)


def test_code_may_show_what_prose_may_not():
    finished('<pre>{{ x }} $$</pre><math alttext="\\frac{{a}}{b}"><mi>x</mi></math>')


def test_a_heavy_page_is_told(tmp_path):
    write_text(tmp_path / "index.html", "<p>x</p>")
    assert checks.heaviest(tmp_path, 60_000, 0) < 100
    write_text(tmp_path / "a.html", f"<p>{np.random.default_rng(0).bytes(100_000).hex()}</p>")
    with pytest.raises(MeasuredError, match="bytes gzipped"):
        checks.heaviest(tmp_path, 60_000, 0)
    dots = "".join(f'<path d="M{i * 7919 % 997} {i * 31 % 89}h0"/>' for i in range(400))
    write_text(
        tmp_path / "a.html", f"<svg aria-label='many dots'>{dots}</svg><math><mi>x</mi></math><p>y</p>"
    )
    with pytest.raises(
        MeasuredError, match=r"drawings are [\d,]+ of it \(1, the largest: 'many dots'\)"
    ) as told:
        checks.heaviest(tmp_path, 300, 300)
    assert "page_bytes" in str(told.value)


@pytest.mark.parametrize("name", ["measurements/index.html", "measurements.html", "confirmations/index.html"])
def test_a_list_has_a_budget_of_its_own_and_hides_no_heavy_page(tmp_path, name):
    rows = np.random.default_rng(0).bytes(2_000).hex()
    write_text(tmp_path / name, f"<p>{rows}</p>")
    assert 1_000 < checks.heaviest(tmp_path, 500, 5_000) < 5_000
    with pytest.raises(MeasuredError, match="list_bytes"):
        checks.heaviest(tmp_path, 500, 1_000)
    write_text(tmp_path / "a.html", f"<p>{rows[:1_500]}</p>")
    with pytest.raises(MeasuredError, match=r"(?s)a\.html.*page_bytes"):
        checks.heaviest(tmp_path, 500, 5_000)


@pytest.fixture
def folder(tmp_path):
    """A site of two pages as a renderer leaves it."""
    site = tmp_path / "site"
    sheets = '<link rel="stylesheet" href="{0}assets/a.css"><link rel="stylesheet" href="{0}assets/b.css">'
    write_text(
        site / "index.html",
        SHELL.format(
            sheets.format(""), "", '<h1 id="t">Top</h1><p>Prose.</p><pre>code</pre><h2 id="u">More</h2>'
        ),
    )
    write_text(site / "b" / "index.html", SHELL.format(sheets.format("../"), "", '<a href="../#u">x</a>'))
    write_text(site / "assets/a.css", "p{x:y}.never{x:y}/* remark */")
    write_text(site / "assets/b.css", 'h1{mask:url("c.svg");fill:url(#a)}')
    write_text(site / "search/search_index.json", json.dumps({"config": {"lang": ["en"]}, "docs": [1]}))
    return site


def built(folder, **options):
    expected = {"index.html": Expected(), "b/index.html": Expected(searched=False)}
    setting = replace(SETTING, expected=expected)
    return finish(folder, setting, folder.parent / "kept", one_sheet=True, **options)


def test_a_folder_gets_one_policy_one_sheet_and_an_index_of_its_prose(folder):
    report = built(folder)
    assert report.pages == 2
    index = json.loads((folder / "search/search_index.json").read_text(encoding="utf-8"))
    assert index["config"] == {"lang": ["en"]}
    assert index["docs"] == [
        {"location": "", "title": "Top", "text": "<p>Prose.</p>"},
        {"location": "#u", "title": "More", "text": ""},
    ]
    sheet = (folder / styles.SHEET).read_text(encoding="utf-8")
    assert sheet.strip() == 'p{x:y}h1{mask:url("../c.svg");fill:url(#a)}'
    tree = LexborHTMLParser((folder / "b/index.html").read_text(encoding="utf-8"))
    assert [link.attributes["href"] for link in tree.css("link")] == ["../assets/stylesheets/all.css"]
    assert len(tree.css("meta[http-equiv]")) == 1


def test_formulas_and_hard_blanks_are_text_in_the_index():
    page = finished(r'<h1 id="a">x</h1><p>of <span class="arithmatex">\(\text{a b}~d_k\)</span></p>')
    assert "d_k" in page.sections[0].paragraphs[0]


def test_a_page_that_did_not_change_is_not_read_again(folder, monkeypatch):
    before = {path: path.read_text(encoding="utf-8") for path in folder.rglob("*.html")}
    built(folder)
    first = {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
    for path, text in before.items():
        path.write_text(text, encoding="utf-8")
    write_text(folder / "search/search_index.json", json.dumps({"config": {"lang": ["en"]}, "docs": []}))
    monkeypatch.setattr("measured.site.finish.finish_page", None)
    built(folder)
    assert {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()} == first


def test_finishing_again_changes_nothing_and_a_foreign_policy_is_none(folder):
    report = built(folder)
    once = {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
    assert built(folder) == report
    assert {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()} == once
    page = folder / "index.html"
    page.write_text(page.read_text(encoding="utf-8") + "<script>steal()</script>", encoding="utf-8")
    with pytest.raises(MeasuredError, match="which no renderer gives it"):
        built(folder)


def test_a_preview_has_no_policy(folder):
    built(folder, with_policy=False)
    assert "Content-Security-Policy" not in (folder / "index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("link", ["../nowhere/", "../#nowhere", "c.png", "../../x"])
def test_a_link_that_leads_nowhere_is_told(folder, link):
    write_text(folder / "b/index.html", SHELL.format("", "", f'<a href="{link}">x</a>'))
    with pytest.raises(MeasuredError, match=r"b/index\.html: the link"):
        built(folder)


@pytest.mark.parametrize(
    ("body", "shared"),
    [
        ('<h2 id="x">a</h2><h2 id="x">b</h2>', "x"),
        ('<h2 id="x">a</h2><p><a id="x"></a></p>', "x"),
        ('<h2 id="x">a</h2><svg><g id="x"></g></svg>', "x"),
        ('<svg><g id="x"></g></svg><svg><g id="x"></g></svg>', ""),
        ('<h2 id="x">a</h2><h2 id="y">b</h2>', ""),
    ],
)
def test_two_elements_of_one_name_are_told_but_for_those_of_equal_drawings(folder, body, shared):
    write_text(folder / "b/index.html", SHELL.format("", "", body))
    told = pytest.raises(MeasuredError, match=r"b/index\.html: two elements of the page are called 'x'")
    with told if shared else nullcontext():
        built(folder)


def test_a_missing_style_sheet_is_named(folder):
    (folder / "assets/b.css").unlink()
    with pytest.raises(MeasuredError, match=r"extra_css: no file assets/b\.css"):
        built(folder)


def test_a_page_of_the_projects_own_steps_is_changed_by_them():
    def step(page: Page) -> int:
        page.tree.css_first("p").attrs["class"] = "own"
        return 1

    page = finished("<p>x</p>", hooks=(step,))
    assert '<p class="own">' in page.html
    assert page.counts["hooks"] == 1
