"""The table of what pages may hold, rule by rule: each lets something pass and stops its neighbour."""

from __future__ import annotations

import pytest
from selectolax.lexbor import LexborHTMLParser

from measured.errors import MeasuredError
from measured.site import allowlist, content_policy, leftovers


def told(html):
    return list(allowlist.problems_of_fragment(html))


@pytest.mark.parametrize(
    ("passes", "stops"),
    [
        ('<input name="__tabbed_1" type="radio">', '<input name="a b">'),
        ('<details name="one">x</details>', '<details name="one()">x</details>'),
        ('<p id="figure-1">x</p>', '<p id="__md_scope">x</p>'),
        ('<p id="__tabbed_1_2">x</p>', "<p id='a\"b'>x</p>"),
        ('<input type="checkbox">', '<input type="file">'),
        ('<button type="button">x</button>', '<button type="reset">x</button>'),
        (
            '<math><semantics><annotation encoding="application/x-tex">x</annotation></semantics></math>',
            '<math><semantics><annotation encoding="text/html">x</annotation></semantics></math>',
        ),
        ('<p aria-label="x" data-a="y">x</p>', '<p data-md-component="search">x</p>'),
        (
            '<img alt="a" src="a.png" srcset="a.png 1x, b.png 2x">',
            '<img alt="a" srcset="a.png, //x.example/b">',
        ),
        ('<img alt="a" src="data:image/png;base64,AA">', '<img alt="a" src="data:image/svg+xml,x">'),
        ('<img alt="a" srcset="a.png,b.png">', '<img alt="a" srcset="a.png,//x.example/b">'),
        ('<img alt="a" src="a.png">', r'<img alt="a" src="\\x.example\b.png">'),
        ('<a href="mailto:a@b.example">x</a>', '<a href="ftp://b.example">x</a>'),
        ('<a href="https://b.example">x</a>', '<a href="blob:x">x</a>'),
        ('<svg><use href="#a"></use></svg>', '<svg><use href="a.svg#a"></use></svg>'),
        ('<svg><rect fill="url(#a)"></rect></svg>', '<svg><rect fill="url(a.svg#a)"></rect></svg>'),
        ('<svg><image href="a.png"></image></svg>', '<svg><image href="//x.example/a.png"></image></svg>'),
        ('<video src="a.mp4" controls></video>', '<video src="https://x.example/a.mp4"></video>'),
        ('<a href="#a">x</a>', '<a href="data:,">x</a>'),
        ("<ol start=3><li>x</li></ol>", "<ul start=3><li>x</li></ul>"),
    ],
)
def test_a_rule_lets_one_pass_and_stops_the_other(passes, stops):
    assert told(passes) == []
    assert len(told(stops)) == 1, told(stops)


PAGE = """<!doctype html><html><head><meta name="viewport" content="x">{head}</head>
<body><a href="#x" id="top">x</a>{around}<article>{article}</article></body></html>"""


def problems(head="", around="", article="", theme=None):
    tree = LexborHTMLParser(PAGE.format(head=head, around=around, article=article))
    theme = theme or allowlist.Theme()
    return list(allowlist.problems(tree.root, tree.css_first("article"), theme))


def test_around_the_article_the_theme_may_do_a_little_more():
    known = allowlist.Theme(runs=lambda text: text == "go()", fetches=lambda address: address == "a.js")
    assert problems() == []
    for fine in ("<script>go()</script>", '<script src="a.js"></script>', "<form name=search></form>"):
        assert problems(around=fine, theme=known) == []
        assert len(problems(around=fine.replace("go", "no").replace("a.js", "b.js").replace("form", "canvas"),
                            theme=known)) == 1  # fmt: skip
        assert problems(article=fine, theme=known)
    assert problems(around='<script type="application/json">{}</script>') == []
    assert len(problems(around="<style>p {}</style>")) == 1
    assert len(problems(around="<p onclick='go()'>x</p>")) == 1
    assert len(problems(around='<a href="javascript:go()">x</a>')) == 1


def test_a_page_may_say_that_it_has_no_icon_and_give_no_other_data_for_one():
    assert problems(head='<link rel="icon" href="data:,">') == []
    assert len(problems(head='<link rel="icon" href="data:text/css,x">')) == 1


def test_only_named_metas_are_the_themes():
    assert problems(head='<meta name="description" content="x"><meta property="og:title" content="x">') == []
    assert problems(head='<meta name="twitter:card" content="x"><meta charset="utf-8">') == []
    assert problems(head='<meta name="referrer" content="x">') == ['<meta name="referrer">']
    assert len(problems(head='<meta http-equiv="refresh" content="0">')) == 1
    assert problems(head='<meta http-equiv="X-UA-Compatible" content="ie=edge">') == []


def test_an_id_that_the_theme_has_is_not_an_authors():
    assert problems(article='<p id="mine">x</p>') == []
    assert problems(article='<p id="top">x</p>') == ['the id "top", which the theme has already']


def test_a_page_without_an_article_that_leads_elsewhere_is_stopped():
    page = '<!doctype html><html><head><meta http-equiv="refresh" content="0"></head><body></body></html>'
    found = list(allowlist.problems(LexborHTMLParser(page).root, None, allowlist.Theme()))
    assert len(found) == 1
    assert "refresh" in found[0]


def test_a_page_without_an_article_is_an_authors_as_a_whole():
    tree = LexborHTMLParser("<!doctype html><html><head><title>x</title></head><body><p>x</p></body></html>")
    assert list(allowlist.problems(tree.root, None, allowlist.Theme())) == []
    bad = LexborHTMLParser("<!doctype html><html><body><script>go()</script><dialog>x</dialog></body></html>")
    assert list(allowlist.problems(bad.root, None, allowlist.Theme(runs=lambda text: True))) == [
        "<script>",
        "<dialog>",
    ]


def test_a_refused_page_is_named():
    with pytest.raises(MeasuredError) as caught:
        content_policy.refuse_active("<p onclick='go()'>x</p>", "more/page.md")
    assert str(caught.value).startswith("more/page.md: the page's content holds a handler on <p>: onclick")
    content_policy.refuse_active("<p>x</p>", "page.md")


def test_the_policy_stands_once_before_anything_that_loads_or_not_at_all():
    text = content_policy.marked(LexborHTMLParser("<html><head><link href=a.css></head><body></body></html>"))
    with_one = content_policy.with_policy(text, "default-src 'self'")
    assert with_one.count("Content-Security-Policy") == 1
    assert with_one.index("default-src 'self'") < with_one.index("<link")
    assert "Content-Security-Policy" not in content_policy.with_policy(text, "")


def test_the_policy_names_every_kind_of_source():
    found = dict(part.split(" ", 1) for part in content_policy.policy([]).split("; "))
    assert found == {
        "default-src": "'self'",
        "script-src": "'self'",
        "style-src": "'self'",
        "img-src": "'self' data:",
        "object-src": "'none'",
        "frame-src": "'none'",
        "base-uri": "'self'",
        "form-action": "'self'",
    }


def test_style_sheets_are_counted_and_named(tmp_path):
    (tmp_path / "a.css").write_text("p { background: url(a.png) } /* é */", encoding="utf-8")
    (tmp_path / "b.css").write_text("@import 'c.css';", encoding="utf-8")
    assert content_policy.refuse_foreign_styles(tmp_path) == 2
    (tmp_path / "b.css").write_text('@import "//x.example/c.css";', encoding="utf-8")
    with pytest.raises(MeasuredError, match=r"^b\.css: the style sheet fetches //x\.example/c\.css"):
        content_policy.refuse_foreign_styles(tmp_path)


def test_a_leftover_is_told_with_the_words_around_it():
    html = "<html><body><p>The mean of the throws is {{ dice.mean }}, over many seeds.</p></body></html>"
    (found,) = leftovers.problems(LexborHTMLParser(html), html)
    assert found.startswith("an unresolved reference is left in the page: ")
    assert "of the throws is {{ dice.mean }}, over many" in found
    assert "The mean" not in found
    assert list(leftovers.problems(LexborHTMLParser("<p>fine</p>"), "<p>fine</p>")) == []
    code = "<pre>{{ x }}</pre>"
    assert list(leftovers.problems(LexborHTMLParser(code), code)) == []


def test_attributes_of_drawings_are_told_by_element_name_and_value():
    assert list(allowlist.drawing_problems("RECT", "Fill", "url(#a)")) == []
    (found,) = allowlist.drawing_problems("rect", "fill", "url(a.svg#a)")
    assert found.startswith("an address outside the drawing on <rect>: fill=")
    assert list(allowlist.drawing_problems("rect", "onclick", "go()")) == ["a handler on <rect>: onclick"]
    assert list(allowlist.drawing_problems("rect", "odd", "x")) == ['the attribute odd on <rect>: odd="x"']


def test_a_page_without_an_article_may_hold_the_head_of_a_page():
    head = '<meta charset="utf-8"><link rel="icon" href="a.png">'
    tree = LexborHTMLParser(f"<!doctype html><html><head>{head}</head><body></body></html>")
    assert list(allowlist.problems(tree.root, None, allowlist.Theme())) == []


def test_every_attribute_is_looked_at():
    attributes = 'http-equiv="X-UA-Compatible" content="ie=edge" onclick="go()"'
    assert problems(head=f"<meta {attributes}>") == ["a handler on <meta>: onclick"]


def test_the_element_of_a_refused_picture_is_named():
    assert told('<img alt="a" srcset="//x.example/b">') == [
        'an address outside the site on <img>: srcset="//x.example/b"'
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{ a }}", "an unresolved reference"),
        ("Type pch.search_now here", "an untranslated key is left in the page: pch.search_now"),
        ("\ue000", "the private-use character U\\+E000"),
    ],
)
def test_each_kind_of_leftover_is_told_alone_wherever_it_begins(text, expected):
    html = f"<html><body><p>{text}</p></body></html>"
    (found,) = leftovers.problems(LexborHTMLParser(html), html)
    assert expected.replace("\\", "") in found


def test_a_style_sheet_in_another_encoding_is_named_below_the_site(tmp_path):
    (tmp_path / "a.css").write_bytes(b"/* caf\xe9 */")
    with pytest.raises(MeasuredError, match=r"^a\.css:1: the byte 0xE9"):
        content_policy.refuse_foreign_styles(tmp_path)
