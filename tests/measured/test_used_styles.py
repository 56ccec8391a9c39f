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
        "@font-face{src:url(a.woff2)}",
        "@keyframes x{0%{opacity:0}to{opacity:1}}",
        "@media print{.lead{color:red}}",
        "[hidden]{}",
    ],
)
def test_what_may_match_stays(rule):
    assert used_styles.used(rule, NAMES, [SCRIPT]) == rule


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
