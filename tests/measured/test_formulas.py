"""Formulas: shown as TeX would, or refused with the line; never misread."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
import yaml

from measured.errors import MeasuredError
from measured.site import allowlist
from measured.weaving import formulas, mathml
from measured.weaving.page import scan

FORMULAS = yaml.safe_load((Path(__file__).parent / "formulas.yml").read_text(encoding="utf-8"))


def inline(latex):
    return formulas.render(rf'<p><span class="arithmatex">\({latex}\)</span></p>')


def tree(latex, display=True):
    return ET.fromstring(mathml.convert(latex, display))


@pytest.mark.parametrize("name", FORMULAS)
def test_a_formula_of_a_paper_says_what_tex_says(name):
    markup = mathml.convert(FORMULAS[name]["latex"], True)
    assert formulas.as_text(markup) == FORMULAS[name]["text"]
    assert not list(allowlist.problems_of_fragment(markup))
    assert not re.search(
        r"mathcolor|mathbackground|merror|\\(?!frac)[a-z]", re.sub('alttext="[^"]*"', "", markup)
    )


def test_the_list_is_long_enough_to_choose_by():
    assert len(FORMULAS) >= 50


@pytest.mark.parametrize(
    ("name", "element", "count"),
    [
        ("aligned", "mtr", 2),
        ("argmax with limits", "munder", 1),
        ("max under", "munder", 1),
        ("cases", "mtd", 4),
        ("small matrix", "mtd", 4),
        ("substack", "munderover", 1),
        ("underset operator", "munder", 1),
        ("binomial", "mfrac", 2),
        ("wide accents", "menclose", 2),
        ("above a letter", "mover", 3),
        ("above a letter", "msup", 0),
    ],
)
def test_a_formula_has_the_shape_that_tex_gives_it(name, element, count):
    assert len(list(tree(FORMULAS[name]["latex"]).iter(element))) == count


def test_limits_stand_beside_the_operator_inside_a_line():
    assert tree(r"\max_{j} s_j", False).find(".//munder") is None
    assert tree(r"\max_{j} s_j", True).find(".//munder") is not None


def test_the_two_columns_of_aligned_lines_meet():
    left, right = tree(FORMULAS["aligned"]["latex"]).findall(".//mtr[1]/mtd")
    assert {"tml-right", "tml-padding-right-0em"} <= set(left.get("class").split())
    assert {"tml-left", "tml-padding-left-0em"} <= set(right.get("class").split())


def test_each_class_of_a_formula_has_a_rule():
    used = {
        name
        for formula in FORMULAS.values()
        for element in tree(formula["latex"]).iter()
        for name in element.get("class", "").split()
    }
    sheet = formulas.style_sheet()
    assert {name for name in used if f".{name}" not in sheet} == set()


def test_equations_are_numbered_through_the_page():
    block = r'<div class="arithmatex">\[\begin{align} a &= b \\ c &= d \notag \\ e &= f \end{align}\]</div>'
    page = formulas.render(f"{block}<p>between</p>{block}")
    assert re.findall(r"<mtext>\((\d)\)</mtext>", page) == ["1", "2", "3", "4"]


def test_formulas_become_mathml_that_keeps_its_latex():
    page = inline(r"\frac{a}{b} &lt; 1")
    assert "<mfrac>" in page
    assert 'alttext="\\frac{a}{b} &lt; 1"' in page
    assert 'display="block"' in formulas.render(r'<div class="arithmatex">\[x\]</div>')
    assert 'display="block"' in formulas.render('<div class="arithmatex">\n\\[\nx\n\\]\n</div>')


def test_a_word_in_a_formula_is_one_identifier():
    assert "<mi>softmax</mi>" in inline(r"\mathrm{softmax}")


def test_a_definition_ends_with_its_formula():
    assert "<mi>x</mi>" in inline(r"\gdef\attn{x}\attn")
    with pytest.raises(MeasuredError, match="attn"):
        inline(r"\attn")


REFUSED = {
    "an unknown command": r"\nosuchcommand{a}",
    "an argument that is missing": r"\frac{a}",
    "a script that is missing": "x^",
    "a brace that stays open": r"\frac{a",
    "a brace that closes nothing": "a}",
    "a column outside of rows": "a & b",
    "a row outside of rows": r"a = b \\ c = d",
    "a comment that hides the rest": "50% of heads",
    "a bracket without its partner": r"\left( a",
    "an environment that does not end": r"\begin{aligned} a",
    "two exponents": "x^2^3",
    "a reference to an equation": r"\eqref{loss}",
    "a colour of its own": r"\textcolor{red}{x}",
    "a colour by another way": r"\def\c{\color} \c{red} x",
    "a link": r"\href{https://example.org}{x}",
    "markup": r"\class{x}{y}",
    "a picture": r"\includegraphics{x.png}",
    "a command of text only": r"\text{x_1}",
    "a length without a rule": r"\hspace{-3em} x",
    "a macro without an end": r"\def\a{\a\a}\a",
    "what stands above without braces": r"\overset ab",
    "lines inside a line": r"\begin{align} a \end{align}",
}


@pytest.mark.parametrize("latex", REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_shown_as_tex_would_is_refused(latex):
    with pytest.raises(MeasuredError, match="the formula"):
        inline(latex.replace("&", "&amp;"))


def test_a_comment_at_the_end_of_a_line_of_a_display_is_tex():
    assert formulas.as_text(mathml.convert("a % why\n+ b", True)) == "a + b"
    with pytest.raises(MeasuredError, match=r"write \\%"):
        mathml.convert("50% why\n+ b", True)


@pytest.mark.parametrize(
    ("written", "line"),
    [
        ("Fine: $a$.\n\n$$\n\\frac{a\n$$\n", 8),
        ("$$\na = b \\\\\nc\n$$\n", 6),
        ("Text $x$ and\n$\\nosuch$.\n", 6),
        ("$$\n\\begin{aligned}\na &= b \\\\\n&= \\nosuch\n\\end{aligned}\n$$\n", 8),
    ],
)
def test_a_formula_that_cannot_be_read_is_told_with_its_line(written, line):
    page = scan(f"---\ntitle: x\n---\n\n{written}", Path("page.md"))
    with pytest.raises(MeasuredError, match=rf"page\.md:{line}: the formula"):
        formulas.check(page.path, [(f.line, f.latex, f.display) for f in page.formulas])


def test_every_way_to_write_a_formula_is_read():
    page = scan("$a$ and \\(b\\)\n\n$$\nc\n$$\n\n\\[d\\]\n\n\\begin{align}e\\end{align}\n", Path("page.md"))
    assert [(f.line, f.latex, f.display) for f in page.formulas] == [
        (1, "a", False),
        (1, "b", False),
        (4, "c", True),
        (7, "d", True),
        (9, "\\begin{align}e\\end{align}", True),
    ]


def test_a_formula_in_a_table_of_contents_is_rendered():
    assert formulas.in_title(r"The root of \(d_k\)").startswith('The root of <math alttext="d_k"')


def test_formulas_are_text_where_there_is_no_markup():
    page = inline(r"\mathrm{softmax}(Q K^T / \sqrt{d_k}) &lt; 1")
    assert formulas.plain(page) == "<p>softmax(Q K^T/sqrt(d_k)) &lt; 1</p>"


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("as <math><mi>k</mi></math>, and", 'as <span class="unbroken"><math><mi>k</mi></math>,</span> and'),
        ("(<math><mn>1</mn></math>).", '<span class="unbroken">(<math><mn>1</mn></math>).</span>'),
        ("<math><mi>k</mi></math> and", "<math><mi>k</mi></math> and"),
        ('<math display="block"><mi>k</mi></math>.', '<math display="block"><mi>k</mi></math>.'),
    ],
)
def test_no_line_ends_between_a_formula_and_its_punctuation(written, kept):
    assert formulas.unbroken(written) == kept
