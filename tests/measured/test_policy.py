"""What a page may load, and what it may not hold."""

from __future__ import annotations

import base64
import hashlib
import html
import re
from importlib.metadata import version
from pathlib import Path

import pytest
import yaml
from selectolax.lexbor import LexborHTMLParser

from measured.errors import MeasuredError
from measured.site import allowlist, content_policy, drawings, theme_scripts

MATERIAL = theme_scripts.templates_of("material")


@pytest.mark.parametrize(("package", "renderer"), [("mkdocs-material", "mkdocs"), ("zensical", "zensical")])
def test_the_scripts_of_a_theme_are_those_that_were_looked_at_for_its_version(package, renderer):
    kept = yaml.safe_load((Path(__file__).parent / "theme_scripts.yml").read_text(encoding="utf-8"))
    name = f"{package} {version(package)}"
    assert name in kept, "a version whose scripts nobody has looked at: read them, then keep their hashes"
    found = theme_scripts.scripts(theme_scripts.templates_of("material", renderer))
    assert [f"'{sha}'" for sha in kept[name]] == theme_scripts.hashes(found)


def test_the_scripts_of_the_installed_theme_are_known_at_every_depth_and_data_is_no_script():
    known = theme_scripts.scripts(MATERIAL, "/book/")
    for way in (".", "..", "../../..", "/book/"):
        assert any(text.startswith(f'__md_scope=new URL("{way}",location)') for text in known)
    assert not any("{{" in text or "{%" in text for text in known)
    digest = base64.b64encode(hashlib.sha256(b"go()").digest()).decode()
    found = content_policy.policy(["go()"])
    assert f"script-src 'self' 'sha256-{digest}';" in found
    assert found.startswith("default-src 'self'; ")
    assert "unsafe" not in found


ACTIVE = [
    ("<p>x</p><script>go()</script>", "<script>"),
    ("<SCRIPT src=a.js></SCRIPT>", "<script>"),
    ('<p title="x>y"><script>go()</script>', "<script>"),
    ('<p style="color: red">x</p>', "an inline style on <p>"),
    ("<style>p {}</style>", "<style>"),
    ('<img src="x" onerror="go()">', "a handler on <img>: onerror"),
    ("<svg/onload=go()>", "a handler on <svg>: onload"),
    ('<a href=" javascript:go()">x</a>', "a javascript: address"),
    ('<a href="java&#9;script:go()">x</a>', "a javascript: address"),
    ('<a href="&#x6A;avascript&colon;go()">x</a>', "a javascript: address"),
    ('<a href="data:text/html,x">x</a>', "a data: address"),
    ('<a href="vbscript:x">x</a>', "a vbscript: address"),
    ('<svg><a xlink:href="javascript:go()"><text>x</text></a></svg>', "a javascript: address"),
    ('<svg><use href="data:image/svg+xml,x"/></svg>', "an address outside the drawing"),
    ('<svg><animate attributeName="href" to="javascript:go()"/></svg>', "<animate>"),
    ('<svg><set attributeName="href" to="x"/></svg>', "<set>"),
    ("<svg><foreignObject><p>x</p></foreignObject></svg>", "<foreignobject>"),
    ('<svg><rect fill="url(https://x.example/a)"/></svg>', "an address outside the drawing"),
    ('<math><mi href="javascript:go()">x</mi></math>', "the attribute href on <mi>"),
    ('<math><annotation-xml encoding="text/html"><p>x</p></annotation-xml></math>', "<annotation-xml>"),
    ('<math><maction actiontype="statusline">x</maction></math>', "<maction>"),
    ('<iframe src="page.html"></iframe>', "<iframe>"),
    ('<base href="//elsewhere">', "<base>"),
    ('<meta http-equiv="refresh" content="0;url=//x">', "<meta>"),
    ('<link rel="stylesheet" href="//x">', "<link>"),
    ('<form action="//x"><input name=q></form>', "<form>"),
    ('<button formaction="javascript:go()">x</button>', "the attribute formaction"),
    ('<button type="submit">x</button>', '<button type="submit">'),
    ('<input type="password">', '<input type="password">'),
    ('<a href="x" ping="//x">x</a>', "the attribute ping"),
    ('<img src="//x.example/a.png">', "an address outside the site"),
    (r'<img src="\\x.example\a.png">', "an address outside the site"),
    ('<img src="a.png" srcset="a.png 1x, https://x.example/b.png 2x">', "an address outside the site"),
    ('<video poster="https://x.example/a.png"></video>', "an address outside the site"),
    ("<template><script>go()</script></template>", "<template>"),
    ("<noscript><p>x</p></noscript>", "<noscript>"),
    ('<p id="__config">{}</p>', 'the id "__config"'),
    ('<div data-md-component="source">x</div>', "which the theme's script obeys"),
    ('<p is="x-y">x</p>', "the attribute is"),
    ("<x-y>x</x-y>", "<x-y>"),
    ("<p contenteditable>x</p>", "the attribute contenteditable"),
]


@pytest.mark.parametrize(("content", "expected"), ACTIVE)
def test_active_content_is_refused(content, expected):
    with pytest.raises(MeasuredError, match=re.escape(expected)):
        content_policy.refuse_active(content, "page.md")


@pytest.mark.parametrize(
    "content",
    [
        "&lt;script&gt;go()&lt;/script&gt;",
        '<img alt="a > b, onerror=x, style=y" src="x.svg">',
        '<img alt="x" src="data:image/png;base64,AAAA">',
        "<code>style=&quot;x&quot;</code>",
        '<math alttext="a < b" display="block"><mi mathvariant="normal">x</mi></math>',
        '<p class="style">on = off</p>',
        '<a href="https://x.example" rel="noopener" target="_blank">x</a><a href="mailto:a@b.example">y</a>',
        '<svg viewBox="0 0 1 1"><defs><clipPath id="c"><path d="M0 0"/></clipPath></defs>'
        '<g clip-path="url(#c)"><use xlink:href="#c" x="1"/></g></svg>',
        '<details open><summary>x</summary></details><td data-x="1" aria-label="y">z</td>',
    ],
)
def test_text_about_scripts_is_text_and_what_pages_need_passes(content):
    content_policy.refuse_active(content, "page.md")


def page(body: str, head: str = "") -> list[str]:
    text = f"<!doctype html><html><head>{head}</head><body>{body}<article><p>x</p></article></body></html>"
    tree = LexborHTMLParser(text)
    known = theme_scripts.scripts(MATERIAL)
    theme = allowlist.Theme(known.__contains__, lambda address: address == "assets/javascripts/main.js")
    return list(allowlist.problems(tree.root, tree.css_first("article"), theme))


def test_around_the_article_only_the_themes_own_scripts_run():
    own = next(text for text in theme_scripts.scripts(MATERIAL) if "__tabbed_" in text)
    assert page(f'<script>{own}</script><script src="assets/javascripts/main.js"></script>') == []
    assert "does not have" in page("<script>steal()</script>")[0]
    assert "neither the theme's nor named" in page('<script src="data/x.csv"></script>')[0]
    assert page(head='<meta http-equiv="refresh" content="0;url=x">', body="")[0].startswith("the attribute")
    assert page(head='<base href="//x">', body="") == ["<base>"]
    assert page(head="<title>x</title><script>steal()</script>", body="")
    assert page(body='<p id="top">x</p>', head="") == []
    assert page('<form name="search" action="//x"></form>')


DRAWING = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"{}>{}</svg>'


@pytest.mark.parametrize(
    ("attributes", "inside", "expected"),
    [
        ("", "<script>go()</script>", "script"),
        (' onload="go()"', "", "a handler"),
        ("", '<a xlink:href="javascript:go()"/>', "javascript:"),
        ("", "<foreignObject/>", "foreignObject"),
        ("", '<x:p xmlns:x="http://www.w3.org/1999/xhtml"/>', "foreign element"),
        ("", "<style>@import 'https://x.example/a.css'</style>", "fetches"),
        ("", '<rect style="fill: url(https://x.example/a)"/>', "fetches"),
        ("", '<image href="https://x.example/a.png"/>', "outside the site"),
        ("", "<animate/>", "animate"),
    ],
)
def test_a_drawing_that_is_more_is_refused(attributes, inside, expected):
    found = list(drawings.problems(DRAWING.format(attributes, inside).encode()))
    assert any(expected in problem for problem in found), found


@pytest.mark.parametrize("instruction", ['<?xml-stylesheet href="//x.example/a.css"?>', "<?x y?>"])
def test_an_instruction_outside_a_drawings_root_is_refused(instruction):
    plain = DRAWING.format("", "")
    for data in (instruction + plain, plain + instruction):
        assert "instruction" in next(drawings.problems(data.encode()))
    assert list(drawings.problems(f"<!-- x -->{plain}<!-- y -->".encode())) == []


def test_a_drawing_alone_passes_and_a_document_type_does_not():
    inside = '<style>.a { fill: red }</style><g style="fill: none"><path d="M0 0"/></g><use xlink:href="#a"/>'
    assert list(drawings.problems(DRAWING.format("", inside).encode())) == []
    bomb = b'<!DOCTYPE svg [<!ENTITY a "aaaa">]><svg xmlns="http://www.w3.org/2000/svg">&a;</svg>'
    assert "document type" in next(drawings.problems(bomb))


def test_a_style_sheet_that_fetches_from_elsewhere_is_refused(tmp_path):
    sheet = tmp_path / "a.css"
    sheet.write_text("@import 'b.css'; p { background: url(data:image/png;x) }", encoding="utf-8")
    assert content_policy.refuse_foreign_styles(tmp_path) == 1
    sheet.write_text("p { background: url(//x.example/a.png) }", encoding="utf-8")
    with pytest.raises(MeasuredError, match="third party"):
        content_policy.refuse_foreign_styles(tmp_path)


def test_every_page_of_a_site_has_one_policy_that_covers_its_scripts(accepted):
    pages = list((accepted.root / "site").rglob("*.html"))
    policies = set()
    for page in pages:
        text = page.read_text(encoding="utf-8")
        found = re.findall(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', text)
        assert len(found) == 1, page
        assert text.index("Content-Security-Policy") < text.index("<meta charset")
        policies.update(found)
        for script in re.findall(r"<script>(.*?)</script>", text, re.S):
            digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
            assert f"'sha256-{digest}'" in found[0]
    assert len(pages) > 4
    assert len(policies) == 1
    assert "nosniff" in accepted.read("site/_headers")


def test_a_script_in_a_measured_text_reaches_no_page_as_a_script(sample):
    planted = "</td><script>steal()</script><img src=x onerror=steal()>{{ x }}$$"
    sample.edit("src/dice/fair.py", "six <b>sides</b> & |pipes|", planted)
    sample.edit("src/dice/fair.py", '"a text"', repr(planted))
    sample.edit("src/dice/fair.py", 'Exact("a name")', f"Exact({planted!r})")
    for arguments in (("make",), ("accept", "--yes"), ("build",)):
        result = sample.run(*arguments)
        assert result.returncode == 0, result.stdout
    for name in ("index.html", "measurements/index.html"):
        text = sample.read(f"site/{name}")
        assert "steal()" in html.unescape(text)
        assert "<script>steal" not in text
        assert "<img src=x" not in text


def test_a_page_with_a_script_of_its_own_is_refused(sample):
    sample.edit("docs/index.md", "The mean is middling.", "x <span onclick='go()'>y</span>")
    result = sample.build()
    assert result.returncode == 1
    assert "a handler on <span>: onclick" in result.stdout


def test_titles_and_descriptions_are_text_in_every_template(sample):
    title = (
        'title: "</title><script>steal()</script> & <b>dice</b>"\ndescription: \'"><script>steal()</script>\''
    )
    sample.edit("docs/index.md", "title: Dice", title)
    result = sample.build()
    assert result.returncode == 0, result.stdout
    tree = LexborHTMLParser(sample.read("site/index.html"))
    assert "</title><script>steal()</script> & <b>dice</b>" in tree.css_first("title").text()
    assert tree.css_first("meta[name=description]").attributes["content"] == '"><script>steal()</script>'
    assert not [s for s in tree.css("script") if "steal" in s.text()]
