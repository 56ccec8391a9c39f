"""Circuits side by side, and a training scrubbed: by mouse, touch and keyboard, wide and narrow."""

from __future__ import annotations

import re

import circuits_page
import pytest
import sketch_page
from playwright.sync_api import expect
from test_sketches import SCHEMES, WIDTHS, address, open_page, ready  # noqa: F401

from attention_from_scratch import watched

NUMBERS = circuits_page.NUMBERS


def panel_of(root, name: str):
    return root.locator(".circuit").filter(has_text=name)


def shown(panel) -> list[float]:
    return [float(text) for text in panel.locator(".circuit-share b").all_inner_texts()]


@pytest.mark.parametrize("way", ["mouse", "touch", "keyboard"])
@pytest.mark.parametrize("width", WIDTHS)
def test_cutting_an_edge_shows_the_accuracy_that_was_measured_after_it(open_page, width, way):  # noqa: F811
    page = open_page("circuits.html", width=width, has_touch=way == "touch")
    root = ready(page, '[data-sketch="circuits"]')
    press = {
        "mouse": lambda e: e.click(),
        "touch": lambda e: e.tap(),
        "keyboard": lambda e: e.press("Enter"),
    }[way]
    answer, pointer = panel_of(root, "Answer circuit"), panel_of(root, "Pointer")
    assert shown(answer) == shown(pointer) == [1.0]
    for panel, name in ((answer, "answer"), (pointer, "pointer")):
        press(panel.get_by_role("button", name="Cut: block 1: E may not look at ★"))
        assert shown(panel) == [NUMBERS[name]["answer_to_cue"]]
    expect(answer.locator(".is-large")).to_have_text("?")
    expect(pointer.locator(".is-large")).to_have_text("E")
    expect(answer.locator(".circuit-arrow.is-cut")).to_have_count(1)
    for panel, title in ((answer, "Answer circuit"), (pointer, "Pointer")):
        expect(panel.get_by_role("status")).to_contain_text(f"{title}, block 1: E may not look at ★")
    press(answer.get_by_role("button", name="leave it whole"))
    assert shown(answer) == [1.0]
    expect(answer.locator(".circuit-arrow.is-cut")).to_have_count(0)


def test_a_transplant_moves_the_pointer_and_not_the_answer_circuit(open_page):  # noqa: F811
    root = ready(open_page("circuits.html"), '[data-sketch="circuits"]')
    for name, title, symbol in (("answer", "Answer circuit", "E"), ("pointer", "Pointer", "D")):
        panel = panel_of(root, title)
        panel.get_by_role("button", name=re.compile("give the last")).click()
        assert shown(panel) == [NUMBERS[name]["pointed_own"], NUMBERS[name]["pointed_place"]]
        expect(panel.locator(".is-large")).to_have_text(symbol)


def test_arrows_are_as_wide_as_their_weights(open_page):  # noqa: F811
    root = ready(open_page("circuits.html"), '[data-sketch="circuits"]')
    widths = [
        float(path.get_attribute("stroke-width"))
        for path in panel_of(root, "Answer circuit").locator(".circuit-arrow .circuit-edge").all()
    ]
    weights = [NUMBERS["answer"][what] for what in ("answer_looks_at_cue", "cue_looks_at_answer", "weight")]
    assert widths == pytest.approx([0.5 + 6 * weight for weight in weights], abs=0.01)


def test_the_files_of_a_training_hold_what_was_seen():
    data, manifest = circuits_page.watched_training()
    assert manifest["bytes"] == len(data) == circuits_page.COUNT * (4 * 144 + 4 * 12)
    assert manifest["epochs"] == [float(epoch) for epoch in range(1, circuits_page.COUNT + 1)]
    assert watched.packed.__doc__


@pytest.mark.parametrize("width", WIDTHS)
def test_the_slider_brings_curve_map_and_words_to_a_checkpoint(open_page, width):  # noqa: F811
    page = open_page("circuits.html", width=width)
    root = ready(page, '[data-sketch="training"]')
    slider, title = root.get_by_role("slider"), root.locator(".training-title")
    expect(title).to_have_text("After epoch 1.0: accuracy 0.31")
    before = root.locator(".training-map .model-weight").nth(40).get_attribute("fill-opacity")
    for _ in range(4):
        slider.press("ArrowRight")
    expect(title).to_have_text("After epoch 5.0: accuracy 1.00")
    assert slider.get_attribute("aria-valuetext") == "epoch 5.0: accuracy 1.00"
    assert root.locator(".training-map .model-weight").nth(40).get_attribute("fill-opacity") != before
    expect(root.get_by_role("status")).to_contain_text("epoch 5.0")
    expect(root.get_by_role("status")).to_contain_text("on average over 2,000 others")
    root.get_by_role("button", name="Head 3").press("Enter")
    expect(root.locator(".training-map svg")).to_have_attribute("aria-label", re.compile("Block 1, head 3"))
    root.locator(".training-curve").scroll_into_view_if_needed()
    curve = root.locator(".training-curve").bounding_box()
    page.mouse.click(curve["x"] + 0.95 * curve["width"], curve["y"] + 40)
    expect(title).to_contain_text("After epoch 12.0")
    root.get_by_role("button", name="Restart").click()
    root.get_by_role("button", name="Play").click()
    expect(title).to_contain_text("After epoch 12.0")
    expect(root.get_by_role("button", name="Play")).to_be_visible()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_they_fit_and_axe_finds_nothing(open_page, width, scheme):  # noqa: F811
    tools = sketch_page.vendor.install(sketch_page.ROOT, development=True)
    page = open_page("circuits.html", width=width)
    page.evaluate(f"document.body.dataset.mdColorScheme = '{scheme}'")
    for name in ("circuits", "training"):
        ready(page, f'[data-sketch="{name}"]')
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    small = page.evaluate(
        """[...document.querySelectorAll('.sketch svg text')].filter(text => {
          const svg = text.closest('svg');
          const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
          return parseFloat(getComputedStyle(text).fontSize) * scale < 11;
        }).map(text => text.textContent)"""
    )
    assert small == []
    page.evaluate((tools / "node_modules/axe-core/axe.min.js").read_text())
    found = page.evaluate(
        "axe.run().then(r => r.violations.map(v => [v.id, v.nodes.map(n => n.html.slice(0, 120))]))"
    )
    assert found == []


def test_without_scripts_their_text_stands(open_page):  # noqa: F811
    page = open_page("circuits.html", java_script_enabled=False)
    expect(page.get_by_text("The circuits need scripts.")).to_be_visible()
    expect(page.get_by_text("The training needs scripts.")).to_be_visible()
