"""References, tables, figures and claims wherever an author can write them, as they are rendered."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from measured.errors import MeasuredError
from measured.weaving.page import scan
from measured.weaving.renderer import Renderer
from measured.weaving.weave import Picture
from rendering import html_of, text_of, tree_of
from weaving import weave

PICTURES = {"dice.f": Picture("Bars")}


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("$\\mu = {{ dice.mean }}$", "\\(\\mu = 3.62\\)"),
        ("$$\n\\mu = {{ dice.mean }}\n$$", "\\mu = 3.62"),
        ("\\(\\mu = {{ dice.mean }}\\)", "\\(\\mu = 3.62\\)"),
        ("\\[\n\\mu = {{ dice.mean }}\n\\]", "\\mu = 3.62"),
        ("$p = {{ dice.mean | fmt('.0%') }}$", "\\(p = 362\\%\\)"),
        ("$x = {{ (dice.low - 3.5) | fmt('.1f') }}^2$", "\\(x = {-2.5}^2\\)"),
        ("$x = {{ (dice.low / 1000) | fmt('.0e') }}$", "{1 \\times 10^{-3}}"),
        ("$x = {{ given('17,673', 'why') }}$", "\\(x = 17{,}673\\)"),
        ("$\\frac{{a}}{b} {% x %}$", "\\(\\frac{{a}}{b} {% x %}\\)"),
        ("$x_{{{ dice.sides }}}$", "\\(x_{6}\\)"),
        ("{ {{ dice.mean }} } and {{{ dice.low }}} {", "{ 3.62 } and {1.0} {"),
        ("A set { {{ dice.mean }}, {{ dice.low }} }, $\\frac{a}{b}$", "A set { 3.62, 1.0 }, \\(\\frac"),
        ("<svg><text>{{ dice.mean }}</text></svg>", "3.62"),
        ("US${{ dice.mean }} to US${{ dice.low }}", "US$3.62 to US$1.0"),
        ("{% claim 'dice.holds' %}At $x_{{i}}${% endclaim %} {{ dice.sides }}", "At \\(x_{{i}}\\) 6"),
        ("US$5 to US$6 and ${{ dice.mean }}, $x$", "US$5 to US$6 and $3.62, \\(x\\)"),
        ("<p>In a paragraph {{ dice.mean }}.</p>", "In a paragraph 3.62."),
        ("<table><tr><td>{{ dice.mean }}</td></tr></table>", "3.62"),
        ("<details><summary>About {{ dice.mean }}</summary>x</details>", "About 3.62x"),
        ("<figure><figcaption>{{ dice.mean }}</figcaption></figure>", "3.62"),
        ("Text with <b>{{ dice.mean }}</b>", "Text with 3.62"),
        ("# Heading {{ dice.mean }}", "Heading 3.62"),
        ("Heading {{ dice.mean }}\n===", "Heading 3.62"),
        ("- item {{ dice.mean }}\n    - inner {{ dice.low }}", "item 3.62 inner 1.0"),
        ("| a | b |\n|---|---|\n| {{ dice.mean | fmt('.3f') }} | $x$ |", "a b 3.618 \\(x\\)"),
        ("Text[^1]\n\n[^1]: Note {{ dice.mean }}", "Text1 Note 3.62 ↩"),
        ("Term\n:   Definition {{ dice.mean }}", "Term Definition 3.62"),
        ("[see {{ dice.mean }}](there.md)", "see 3.62"),
        ("[see [{{ dice.mean }}] it](there.md)", "see [3.62] it"),
        ("[see {% claim 'dice.holds' %}[so] it is{% endclaim %} it](there.md)", "see [so] it is it"),
        ("> quoted {{ dice.mean }}", "quoted 3.62"),
        ("!!! note \"About {{ dice.mean }}\"\n\n    Text {{ dice.low }}", "About 3.62 Text 1.0"),
        ("??? note \"About {{ dice.mean }}\"\n\n    Text {{ dice.low }}", "About 3.62 Text 1.0"),
        ("=== \"Tab {{ dice.mean }}\"\n\n    Text {{ dice.low }}", "Tab 3.62 Text 1.0"),
        ("<div markdown>\n\nText {{ dice.mean }}\n\n</div>", "Text 3.62"),
        ("*{{ dice.mean }}* and **{{ dice.low }}** and ~{{ dice.sides }}~", "3.62 and 1.0 and ~6~"),
        ("<span>{{ dice.mean }}</span> <kbd>{{ dice.sides }}</kbd>", "3.62 6"),
        ("{{ dice.mean }}{{ dice.low }}", "3.621.0"),
        ("    {{ dice.mean }}", "{{ dice.mean }}"),
        ("- item\n\n        {{ dice.mean }}", "item{{ dice.mean }}"),
        ("`{{ dice.mean }}` and ``a ` {{ dice.low }}``", "{{ dice.mean }} and a ` {{ dice.low }}"),
        ("<pre>{{ dice.mean }}</pre>", "{{ dice.mean }}"),
        ("<code>{{ dice.mean }}</code>", "{{ dice.mean }}"),
        ("a {## {{ dice.nothing }} ##}b", "a b"),
        ("`{##` opens and `##}` closes", "{## opens and ##} closes"),
        ("`{{` and `}}`, `{%` and `%}`", "{{ and }}, {% and %}"),
    ],
)  # fmt: skip
def test_a_reference_is_read_where_it_stands(text, seen):
    assert seen in text_of(text)
    assert "measurements.md" not in text_of(text)
    assert "{ .measured" not in html_of(text)


@pytest.mark.parametrize(
    ("text", "element", "attribute", "value"),
    [
        ("![mean {{ dice.mean }}](x.svg)", "img", "alt", "mean 3.62"),
        ('![x](x.svg "mean {{ dice.mean }}")', "img", "title", "mean 3.62"),
        ('[x](y.md "mean {{ dice.mean }}")', "a", "title", "mean 3.62"),
        ('[x][y]\n\n[y]: z.md "mean {{ dice.mean }}"', "a", "title", "mean 3.62"),
        ("The HTML\n\n*[HTML]: mean {{ dice.mean }}", "abbr", "title", "mean 3.62"),
        ('<img alt="mean {{ dice.mean }}">', "img", "alt", "mean 3.62"),
        ('<p title="mean {{ dice.mean }}">x</p>', "p", "title", "mean 3.62"),
        ('Text <span title="mean {{ dice.mean }}">x</span>', "span", "title", "mean 3.62"),
        ('text\n{: title="mean {{ dice.mean }}" }', "p", "title", "mean 3.62"),
        ("![{% claim 'dice.holds' %}so{% endclaim %}](x.svg)", "img", "alt", "so"),
    ],
)
def test_an_attribute_gets_the_bare_value(text, element, attribute, value):
    assert tree_of(text).find(f".//{element}").get(attribute) == value


def test_a_value_in_a_picture_is_text_alone():
    assert tree_of("<svg><text>{{ dice.mean }}</text></svg>").find(".//text").text == "3.62"


def test_a_value_in_an_attribute_cannot_leave_it():
    (element,) = tree_of('<p title="{{ dice.name }}">x</p>').findall("p")
    assert element.get("title").startswith('<script>alert("x")</script>')
    assert tree_of("[x](y.md '{{ dice.name }}')").find(".//script") is None


CONTAINERS = {
    "nothing": "{}",
    "admonition": "!!! note\n\n{1}\n\n    after",
    "details": "??? note\n\n{1}\n\n    after",
    "tab": '=== "A"\n\n{1}\n\n=== "B"\n\n    b',
    "numbered list": "1. one\n\n{1}\n\n2. two",
    "list": "- one\n\n{1}\n\n- two",
    "list in an admonition": "!!! note\n\n    - one\n\n{2}\n\n    - two",
    "admonition in a tab": '=== "A"\n\n    !!! note\n\n{2}\n\n    after',
    "footnote": "Text[^1]\n\n[^1]: one\n\n{1}\n",
    "definition": "Term\n:   one\n\n{1}\n\nafter",
}
BLOCKS = {
    "table": ('{{ table("dice.t") }}', "table"),
    "figure": ('{% figure "dice.f" %}\nOf {{ dice.sides }}.\n{% endfigure %}', "figure"),
    "claim": (
        '{% claim "dice.holds" %}\n\nOne {{ dice.mean }}.\n\n- two\n- three\n\n{% endclaim %}',
        "div[@class='claim']",
    ),
}


def inside(container, block):
    """A block in a container, every line of it indented as the container wants it."""
    rows = block.split("\n")
    for depth in (1, 2):
        indented = "\n".join(" " * 4 * depth + row if row else row for row in rows)
        container = container.replace(f"{{{depth}}}", indented)
    return container.replace("{}", block)


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("container", CONTAINERS)
def test_a_block_stays_in_its_container(container, block):
    written, element = BLOCKS[block]
    tree = tree_of(inside(CONTAINERS[container], written), pictures=PICTURES)
    plain = tree_of(inside(CONTAINERS[container], "MARK"))
    (found,) = tree.findall(f".//{element}")
    meant = next(e for e in plain.iter() if (e.text or "").strip() == "MARK")

    def chain(e):
        return [a.tag for a in e.iterancestors() if a.tag != "p" and not a.get("data-table")]

    assert chain(found) == chain(meant)
    assert tree.find(".//pre") is None
    for tag in ("ol", "ul", "li", "section", "label", "details"):
        more = {"ul": 1, "li": 2}.get(tag, 0) if block == "claim" else 0
        assert len(tree.findall(f".//{tag}")) == len(plain.findall(f".//{tag}")) + more, tag


@pytest.mark.parametrize("around", ["{}", "a\n\n{}\n\nb", "!!! note\n\n    {}\n\n    b", "> {}\n>\n> b"])
@pytest.mark.parametrize("block", BLOCKS)
def test_a_block_stays_in_its_quotation(around, block):
    written, element = BLOCKS[block]
    before, indent = re.search(r"(.*)\{\}", around)[0][:-2], "> "
    rows = [indent + row for row in written.split("\n")]
    tree = tree_of(around.replace("{}", f"\n{before}".join(rows)), pictures=PICTURES)
    (found,) = tree.findall(f".//{element}")
    assert found.getparent().tag == "blockquote" or found.getparent().get("data-table")
    assert ">" not in tree.text_content()
    assert not [p for p in tree.iter("p") if not len(p) and not (p.text or "").strip()]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('- one\n{{ table("dice.t") }}\n- two', 2),
        ('1. one\n\n   {{ table("dice.t") }}\n\n2. two', 3),
        ('See {{ table("dice.t") }} here', 1),
        ('- {{ table("dice.t") }}', 1),
        ('# {{ table("dice.t") }}', 1),
        ('| a |\n|---|\n| {{ table("dice.t") }} |', 3),
        ('a\n\n- {% figure "dice.f" %}\n  x\n  {% endfigure %}', 3),
        ('{% claim "dice.holds" %}One.\n\nTwo.{% endclaim %}', 1),
        ('- {% claim "dice.holds" %}One\n- two{% endclaim %}', 1),
        ('$a {% claim "dice.holds" %}b{% endclaim %}$', 1),
        ("a\n<script>{{ dice.mean }}</script>", 2),
        ("a\n\n```{ x\ny\n```", 3),
        ("a {{ dice.mean", 1),
        ("a \\{{ dice.mean }}", 1),
        ('a\n\n<div>\n{{ table("dice.t") }}\n</div>', 4),
        ('<div>\n{% figure "dice.f" %}\nx\n{% endfigure %}\n</div>', 2),
        ("a {% x", 1),
        ("x\n\n{% raw %}{{ dice.mean }}{% endraw %}", 3),
        ("a\n\n| a |\n|---|\n| $|x| = {{ dice.mean }}$ |", 5),
        ("| a |\n|---|\n| $p(a|b)$ |", 3),
        ("<p {{ dice.sides }}>x</p>", 1),
        ("[^{{ dice.sides }}]\n\n[^{{ dice.sides }}]: x", 3),
        ("[{{ dice.sides }}]\n\n[{{ dice.sides }}]: x.md", 3),
        ("**{% claim 'dice.holds' %}so** it{% endclaim %}", 1),
        ("[a {% claim 'dice.holds' %}so](x.md) it{% endclaim %}", 1),
        ("a\n<b>{% claim 'dice.holds' %}so</b> it{% endclaim %}", 2),
    ],
)  # fmt: skip
def test_what_cannot_work_is_refused_with_its_line(text, line):
    with pytest.raises(MeasuredError) as caught:
        weave(text, pictures=PICTURES)
    assert caught.value.line == line, caught.value


@pytest.mark.parametrize(
    "text",
    [
        'text\n\n[y]: z.md "mean {{ dice.mean }}"',
        "text\n\n*[HTML]: mean {{ dice.mean }}",
        "*{% claim 'dice.holds' %}so{% endclaim %}* it is",
        "{% claim 'dice.holds' %}**so** `it` [is](x.md){% endclaim %}",
        "| a |\n|---|\n| $\\vert x \\vert = {{ dice.mean }}$, $\\|x\\|$, `a|b`, \\| |",
    ],
)
def test_what_nothing_is_lost_of_may_stand(text):
    assert "dice" not in text_of(text)


def test_snippets_are_woven_where_they_are_included_and_refused_where_they_are_appended(tmp_path):
    (tmp_path / "one.md").write_text("Of {{ dice.mean }}\n\n;--8<-- 'x'\n")
    (tmp_path / "all.md").write_text("*[HTML]: words\n*[CSS]: {{ dice.mean }}\n")
    base = {"base_path": [str(tmp_path)]}
    included = Renderer(("abbr", "pymdownx.snippets"), {"pymdownx.snippets": base})
    page = scan('a\n\n--8<-- "one.md"\n\n{{ dice.low }}\n', Path("page.md"), included)
    assert [(piece.text, piece.line) for piece in page.pieces] == [
        ("{{ dice.mean }}", 3),
        ("{{ dice.low }}", 5),
    ]
    appended = {**base, "auto_append": ["all.md"]}
    with pytest.raises(
        MeasuredError, match=r"all\.md:2: \{\{ dice.mean \}\} stands in a file that is appended"
    ):
        scan("x", Path("page.md"), Renderer(("abbr", "pymdownx.snippets"), {"pymdownx.snippets": appended}))


def test_title_and_description_show_bare_values():
    page = '---\ntitle: "A die with {{ dice.sides }} sides"\ndescription: Mean {{ dice.mean }}\n---\n\nx'
    woven = weave(page)
    assert woven.meta == {"title": "A die with 6 sides", "description": "Mean 3.62"}
    assert woven.ids == ("dice.sides", "dice.mean")


@pytest.mark.parametrize(
    ("front", "line", "problem"),
    [
        ("title: x\ndescription: a {{ dice.none }}", 3, "no record has dice.none"),
        ("title: a {% claim 'dice.holds' %}x{% endclaim %}", 2, "holds text and references alone"),
        ("title: '{{ table(\"dice.t\") }}'", 2, "holds text and references alone"),
        ("title: {{ dice.sides }} sides", 2, "no YAML"),
    ],
)
def test_what_cannot_work_in_the_front_matter_is_refused_with_its_line(front, line, problem):
    with pytest.raises(MeasuredError, match=problem) as caught:
        weave(f"---\n{front}\n---\n\nx")
    assert caught.value.line == line


def test_a_page_with_a_byte_order_mark_and_foreign_line_ends_is_read():
    assert weave("\N{BYTE ORDER MARK}---\r\ntitle: x\r\n---\r\n\r\n{{ dice.sides }}\r\n").meta == {
        "title": "x"
    }
