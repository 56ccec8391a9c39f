"""A new site on the plain theme: what the engine brings is shown as its own style sheets say."""

from __future__ import annotations

import os
import sys

import pytest

import browser as browsing
from measured.making import figures, running
from measured.project import OWN_ASSETS, Project
from measured.site import stages
from measured.start import init
from measured.terms.record import write_record

PAGE = """---
title: Circles
description: A page.
---

# Circles

{% claim "pi.error_falls" %}It comes nearer{% endclaim %}, to {{ pi.error.n10000 }}.

{{ table("pi.errors") }}

{% figure "pi.errors" %}
More.
{% endfigure %}

{% figure "pi.errors" %}
Each dot is one of {{ parameters.pi.seeds.count | fmt("words") }} estimates; the line is their mean, and this
caption goes on for longer than a line of the widest page, so that it would stretch whatever is as wide as it.
{% endfigure %}

$$\\pi = 4 \\int_0^1 \\sqrt{1 - x^2} \\, dx$$

Nothing stands last on a page but words.
"""
# Every declaration of the engine's sheets that another sheet overrules where it applies.
OVERRULED = """async (folder) => {
  const own = [...document.styleSheets].filter((sheet) => (sheet.href || "").includes(folder));
  const rules = (list) => [...list].flatMap((rule) =>
    rule instanceof CSSStyleRule ? [rule]
    : rule instanceof CSSMediaRule ? (matchMedia(rule.conditionText).matches ? rules(rule.cssRules) : [])
    : []);
  const lost = [];
  const all = own.flatMap((sheet) => rules(sheet.cssRules));
  for (const rule of all) {
    if (rule.selectorText.includes("::")) continue;
    for (const element of document.querySelectorAll(rule.selectorText)) {
      for (const name of rule.style) {
        const others = all.filter((o) => o !== rule && o.style.getPropertyValue(name)
          && !o.selectorText.includes("::") && element.matches(o.selectorText));
        if (others.length || name === "display" || element.style.getPropertyValue(name)) continue;
        const before = getComputedStyle(element).getPropertyValue(name);
        element.style.setProperty(name, rule.style.getPropertyValue(name));
        const meant = getComputedStyle(element).getPropertyValue(name);
        element.style.removeProperty(name);
        if (before !== meant) lost.push(`${rule.selectorText} {${name}: ${meant}}, shown: ${before}`);
      }
    }
  }
  return [all.length, [...new Set(lost)]];
}"""


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    """The address of a site as `measured init` begins one, with a page of its own."""
    root = tmp_path_factory.mktemp("fresh") / "circles"
    init.init(root)
    (root / "docs" / "index.md").write_text(PAGE, encoding="utf-8")
    sys.path.insert(0, str(root / "src"))
    try:
        project = Project.load(root)
        made = running.make_record(project, project.declared["pi"])
        write_record(project.records, made)
        drawn = figures.files_of(
            "pi.errors", figures.make_figure(project, project.declared_figures["pi.errors"]), {}
        )
        project.drawings.mkdir(parents=True)
        for name, data in drawn.items():
            (project.drawings / name).write_bytes(data)
        stages.make(project, project.site, dict(os.environ))
    finally:
        sys.path.remove(str(root / "src"))
        for name in [name for name in sys.modules if name.partition(".")[0] == "circles"]:
            del sys.modules[name]
    with browsing.served(project.site) as address:
        yield address


@pytest.fixture
def shown(browser, fresh):
    pages = []

    def opened(width, scheme="light"):
        pages.append(browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme))
        pages[-1].goto(fresh)
        return pages[-1]

    yield opened
    for page in pages:
        page.close()


@pytest.mark.parametrize(("width", "form"), [(1440, "wide"), (1920, "wide"), (390, "narrow")])
def test_a_figure_has_the_form_of_its_column_whatever_its_caption(shown, width, form):
    page = shown(width)
    column = page.locator("article > p").first.bounding_box()
    other = {"wide": "narrow", "narrow": "wide"}[form]
    drawings = page.locator(f".measured-figure svg.{form}")
    assert drawings.count() == 2
    assert page.locator(f".measured-figure svg.{other}:visible").count() == 0
    for number in range(2):
        box = drawings.nth(number).bounding_box()
        assert box["x"] == pytest.approx(column["x"], abs=1), "it does not stand at the left edge"
        natural = drawings.nth(number).evaluate("e => e.viewBox.baseVal.width * 4 / 3")
        most = 480 if form == "narrow" else natural
        assert box["width"] == pytest.approx(min(column["width"], most), abs=1), "enlarged, or cut"
        assert form == "narrow" or box["width"] > 675
    caption = page.locator("figcaption").last
    assert caption.evaluate("e => getComputedStyle(e).fontStyle") == "normal"
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("width", [390, 1440])
def test_the_theme_overrules_none_of_what_the_engine_styles(shown, width):
    assert (OWN_ASSETS / "pages.css").is_file()
    count, overruled = shown(width).evaluate(OVERRULED, "assets/measured/pages.css")
    assert count > 10
    assert overruled == [], "\n".join(overruled)
