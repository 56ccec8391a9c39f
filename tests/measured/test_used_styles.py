"""A page is sent the styles that can match, and all of them."""

import pytest
from selectolax.lexbor import LexborHTMLParser

from measured.site import used_styles

PAGE = '<body dir="ltr" data-md-color-scheme=default><p class="lead note" id=top>x</p></body>'
NAMES = used_styles.names_of(LexborHTMLParser(PAGE))
SCRIPT = 'e.classList.toggle("open");e.className=`series-${i}`;f("md-tag--"+kind)'


@pytest.mark.parametrize(
    "rule",
    [
        "p{}",
        ".lead:hover>a::before{}",
        ".lead.note{}",
        "#top{}",
        "[dir=ltr] p{}",
        '[data-md-color-scheme="default"]{}',
        "p.open{}",
        ".series-3{}",
        ".md-tag--new{}",
        "p:not(.other){}",
        ".lead :is(.k,.kn){}",
        ".lead :is(p:not(:has(a:nth-child(5))),details p){}",
        "@font-face{src:url(a.woff2)}",
        "@keyframes x{0%{opacity:0}to{opacity:1}}",
        "@media print{.lead{color:red}}",
        "[hidden]{}",
    ],
)
def test_what_may_match_stays(rule):
    assert used_styles.used(rule, NAMES, [SCRIPT]) == rule


def test_what_a_script_makes_elsewhere_goes_unless_a_page_has_it():
    rules = ".md-tag--new{a:b}.lead{c:d}"
    assert used_styles.used(rules, NAMES, [SCRIPT], ("md-tag", "lead")) == ".lead{c:d}"


@pytest.mark.parametrize(
    ("sheet", "left"),
    [
        (":root{--a:1;--b:2}.lead{x:var(--b)}", ":root{--b:2}.lead{x:var(--b)}"),
        (':root{--a:url("data:x;y,z");--b:2}.lead{x:var(--b)}', ":root{--b:2}.lead{x:var(--b)}"),
        (".lead{--a:1;--b:var(--a)}", ".lead{}"),  # one that only another unread one reads
        (":root{--of-page:1;--of-script:2}", ":root{--of-page:1;--of-script:2}"),
    ],
)
def test_variables_that_nothing_reads_go(sheet, left):
    page = LexborHTMLParser('<p class=lead><svg><path fill="var(--of-page)"/></svg></p>')
    names = used_styles.names_of(page)
    assert used_styles.used(sheet, names, ['e.style.setProperty("--of-script", 1)']) == left


def test_blanks_go_where_they_part_nothing():
    sheet = (
        '.lead {\n  a: calc(1px + 2px);\n  b: "x ;  y";\n}\n\n.lead > .note ,\n.lead :is(.k, .kn) { c: d; }\n'
    )
    left = '.lead{a: calc(1px + 2px);b: "x ;  y"}.lead > .note,.lead :is(.k,.kn){c: d}'
    assert used_styles.used(sheet, NAMES, []) == left


@pytest.mark.parametrize("rule", [".tabbed-set{}", "#tabbed-set{}"])
def test_a_name_that_a_script_only_asks_for_is_none_that_it_makes(rule):
    asks = f"document.querySelectorAll('{rule[:-2]}')"
    assert used_styles.used(rule, NAMES, [asks]) == ""
    assert used_styles.used(rule, NAMES, [asks + ';e.className="tabbed-set"']) == rule


def test_the_other_direction_goes_although_a_script_knows_it():
    assert used_styles.used("[dir=rtl] p{}[dir=ltr] p{}", NAMES, ['if(d==="rtl")x()']) == "[dir=ltr] p{}"


@pytest.mark.parametrize(
    ("rule", "left"),
    [
        (".tabs{}", ""),
        ("[dir=rtl] p{}", ""),
        (".lead .tabs{}", ""),
        (".tabs,.lead,:is(.a,.b) .tabs{x:y}", ".lead{x:y}"),
        ("@media print{.tabs{}.more{}}p{}", "p{}"),
        ("@supports (a:b){@media print{.tabs{}}}", ""),
        ("[data-md-color-primary=indigo]{}", ""),
    ],
)
def test_what_cannot_match_goes(rule, left):
    assert used_styles.used(rule, NAMES, [SCRIPT]) == left
