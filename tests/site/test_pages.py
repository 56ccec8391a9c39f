"""Each page in both schemes: it fits every width, says nothing to the console, and axe finds nothing."""

import pytest
from built import ROOT, settle

import vendor

WIDTHS = (390, 768, 1440)
SCHEMES = {"light": "default", "dark": "slate"}
TOO_WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
CUT = """() => [...document.querySelectorAll("article .md-typeset__scrollwrap")]
  .filter((box) => box.scrollWidth > box.clientWidth + 1)
  .map((box) => `${box.scrollWidth - box.clientWidth} px: ${box.textContent.trim().slice(0, 60)}`)"""
# Folds open, and everything laid out: what is far away must be as fit for readers when they come to it.
OPEN = """() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("* { content-visibility: visible !important; }");
  document.adoptedStyleSheets.push(sheet);
  for (const fold of document.querySelectorAll("article details")) fold.open = true;
}"""
# The rows of a long table come from one template: axe looks at the first and the last dozen.
SHORTEN = """() => {
  for (const body of document.querySelectorAll("tbody"))
    for (const row of [...body.rows].slice(12, -12)) row.remove();
}"""
RUN = """async (options) => {
  const { violations } = await axe.run(document, { resultTypes: ["violations"], ...options });
  return violations.flatMap((v) => v.nodes.map((n) => `${v.id}: ${n.target} ${n.any[0]?.message ?? v.help}`));
}"""
# Colours do not depend on the width, nor the outline on the scheme: everything is asked once, and no more.
COLOURS = ["color-contrast", "link-in-text-block"]
QUESTIONS = {
    ("light", 390): {"rules": {name: {"enabled": False} for name in COLOURS}},
    ("light", 1440): {},
    ("dark", 1440): {"runOnly": {"type": "rule", "values": COLOURS}},
}


@pytest.fixture(scope="module")
def axe() -> str:
    tools = vendor.install(ROOT, development=True)
    return (tools / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")


def resize(page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.wait_for_timeout(80)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_page_fits_and_axe_finds_nothing(visit, text_path, scheme, axe):
    page = visit(text_path, scheme=scheme)
    assert page.locator("body").get_attribute("data-md-color-scheme") == SCHEMES[scheme]
    settle(page)
    page.evaluate(OPEN)
    for width in WIDTHS:
        resize(page, width)
        assert page.evaluate(TOO_WIDE) <= 0, f"at {width} px"
        assert page.evaluate(CUT) == [], f"tables that one must scroll sideways, at {width} px"
    page.evaluate(SHORTEN)
    page.evaluate(axe)
    found = []
    for (asked, width), options in QUESTIONS.items():
        if asked == scheme:
            resize(page, width)
            found += page.evaluate(RUN, options)
    assert not found, "\n".join(sorted(set(found)))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_listings_of_code_fit_and_axe_finds_nothing(visit, listing_path, scheme, axe):
    page = visit(listing_path, scheme=scheme, width=390)
    assert page.evaluate(TOO_WIDE) <= 0
    page.evaluate(axe)
    assert page.evaluate(RUN, {}) == []


HIDDEN = """() => [...document.querySelectorAll("article :is(h1, h2, h3, p, li, td, figure, pre, summary)")]
  .filter((e) => !e.closest("details:not([open]) > :not(summary), .tabbed-content, .footnote"))
  .filter((e) => e.textContent.trim() && !e.getClientRects().length)
  .map((e) => e.outerHTML.slice(0, 120))"""


def test_without_scripts_everything_is_there(visit, text_path):
    page = visit(text_path, java_script_enabled=False, width=390)
    assert page.evaluate(HIDDEN) == []
    assert page.evaluate(TOO_WIDE) <= 0
    assert page.locator("article h1").is_visible()
