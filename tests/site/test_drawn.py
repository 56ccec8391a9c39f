"""Formulas and diagrams as Chromium lays them out: columns meet, limits stand below, labels fit."""

from __future__ import annotations

import html
from pathlib import Path

import pytest
import yaml
from built import ROOT

from measured.terms.drawing import Palette
from measured.weaving import diagrams, formulas

FORMULAS = yaml.safe_load((ROOT / "tests/measured/formulas.yml").read_text(encoding="utf-8"))
FACES = ROOT / "build" / "vendor" / "site" / "fonts.css"
WIDE = "flowchart LR\n" + "\n".join(
    f'  n{i}["label number {i} of some length"] --> n{i + 1}' for i in range(4)
)
BOXES = """flowchart TD
    Q["query: the cue, WWWW mmmm"] --> O{"how many blocks are there?"}
    O -->|one of them| P["the most common symbol<br/>0.55 after 5 epochs"]
    O -.->|two| A["each position looks at the one that stood before it, whatever it holds"]
"""
# The middle of each element, and how far it reaches.
PLACE = "(e) => { const b = e.getBoundingClientRect(); return [b.left, b.top, b.right, b.bottom]; }"


@pytest.fixture
def shown(browser, tmp_path):
    """Opens a page of formulas and diagrams with the site's style sheets and faces."""
    opened = []

    def show(body: str, width: int = 900, scheme: str = "default"):
        styles = [formulas.style_sheet(), diagrams.style_sheet()]
        palette = Palette.load(ROOT / "src/attention_from_scratch/figures/palette.json").css()
        faces = FACES.read_text(encoding="utf-8") if FACES.exists() else ""
        faces = faces.replace("optional", "block").replace('url("', f'url("{FACES.parent.as_uri()}/')
        path = Path(tmp_path) / f"{len(opened)}.html"
        own = (
            "body { font-family: 'Source Serif 4', serif; margin: 8px } math { font-family: 'STIX Two Math' }"
        )
        head = (
            f"<meta charset=utf-8><title>x</title><style>{faces} {palette} {' '.join(styles)} {own}</style>"
        )
        path.write_text(
            f"<!doctype html><html lang=en><head>{head}</head>"
            f"<body data-md-color-scheme={scheme}>{body}</body></html>",
            encoding="utf-8",
        )
        page = browser.new_page(viewport={"width": width, "height": 900})
        opened.append(page)
        page.goto(path.as_uri())
        page.evaluate("document.fonts.ready")
        return page

    yield show
    for page in opened:
        page.close()


def display(name: str) -> str:
    return formulas.mathml(FORMULAS[name]["latex"], True)


def places(page, selector: str) -> list[list[float]]:
    return [element.evaluate(PLACE) for element in page.locator(selector).all()]


def test_every_formula_of_the_list_has_a_size_and_nothing_overlaps_the_next(shown):
    page = shown("".join(f"<p>{name}</p>{display(name)}" for name in FORMULAS))
    boxes = places(page, "math")
    assert len(boxes) == len(FORMULAS)
    for name, (left, top, right, bottom) in zip(FORMULAS, boxes, strict=True):
        assert right > left, name
        assert bottom - top > 8, name
    assert all(below[1] >= above[3] for above, below in zip(boxes, boxes[1:], strict=False))


def test_aligned_lines_meet_at_their_signs(shown):
    page = shown(display("aligned"))
    lefts = [left for left, *_ in places(page, "mtd:nth-child(2) mo:first-child")]
    assert len(lefts) == 2
    assert lefts[0] == pytest.approx(lefts[1], abs=1)
    rights = [right for _, _, right, _ in places(page, "mtd:nth-child(1)")]
    assert rights[0] == pytest.approx(rights[1], abs=1)


@pytest.mark.parametrize("name", ["argmax with limits", "max under", "underset operator"])
def test_limits_stand_below_the_operator(shown, name):
    page = shown(display(name))
    operator, limit = places(page, "munder > :first-child")[0], places(page, "munder > :last-child")[0]
    assert limit[1] >= operator[1] + (operator[3] - operator[1]) / 2
    assert limit[0] < operator[2]
    assert operator[0] < limit[2]


def test_tags_stand_at_the_right_edge_and_lines_over_letters_are_drawn(shown):
    page = shown(display("align with tags") + display("wide accents"), width=600)
    tags = places(page, ".tml-tag")
    assert len(tags) == 2
    assert all(right > 560 for _, _, right, _ in tags)
    line = page.locator(".tml-overline").evaluate("(e) => getComputedStyle(e).borderTopStyle")
    assert line == "solid"


def drawing(source: str) -> str:
    return diagrams.render(f'<pre class="diagram"><code>{html.escape(source)}</code></pre>')


def test_labels_fit_into_their_boxes(shown):
    page = shown(drawing(BOXES))
    overflow = page.evaluate(
        """() => [...document.querySelectorAll(".diagram svg g")]
        .filter((g) => g.querySelector(":scope > rect, :scope > polygon") && g.querySelector("text"))
        .map((g) => {
          const box = g.querySelector(":scope > rect, :scope > polygon").getBoundingClientRect();
          const text = g.querySelector("text").getBoundingClientRect();
          const room = [text.left - box.left, box.right - text.right, box.bottom - text.bottom];
          return [g.textContent, ...room];
        })"""
    )
    assert len(overflow) >= 4
    assert [found for found in overflow if min(found[1:]) < -2] == []


@pytest.mark.parametrize(("width", "shape"), [(900, "wide"), (390, "narrow")])
def test_a_wide_flowchart_runs_downward_in_a_narrow_column(shown, width, shape):
    page = shown(drawing(WIDE), width=width)
    visible = [s for s in page.locator(".diagram svg").all() if s.is_visible()]
    assert len(visible) == 1
    assert shape in visible[0].get_attribute("class").split()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_drawing_follows_the_scheme_and_has_words(shown):
    strokes = []
    for scheme in ("default", "slate"):
        page = shown(drawing(BOXES), scheme=scheme)
        strokes.append(page.locator(".diagram path").first.evaluate("(e) => getComputedStyle(e).stroke"))
        assert page.get_by_role("img", name="Flowchart").is_visible()
    assert strokes[0] != strokes[1]
    assert page.locator(".diagram desc").text_content().startswith("query: the cue")
