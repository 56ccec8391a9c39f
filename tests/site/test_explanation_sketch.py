"""Covering patches of a digit by mouse, touch and keys; the answer shown is that of the patches shown."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

sys.path.insert(0, str(Path(__file__).parent))

import sketch_page  # noqa: E402
from test_sketches import SCHEMES, WIDTHS, address, open_page, ready  # noqa: E402, F401

import live_models  # noqa: E402
from attention_from_scratch import export, vision  # noqa: E402
from attention_from_scratch.tasks import digits  # noqa: E402

SELECTOR = '[data-sketch="explanation"]'
READ = """root => {
  const all = (selector) => [...root.querySelectorAll(selector)];
  return {
    chances: all(".explanation-bars tbody td:last-child").map((e) => Number(e.textContent)),
    covered: all(".explanation-patch").map((e) => e.getAttribute("aria-pressed") === "true"),
  };
}"""
FOCUSED = "r => [...r.querySelectorAll('.explanation-patch')].indexOf(document.activeElement)"
SMALLEST = """r => Math.min(
  ...[...r.querySelectorAll("*")].map((e) => parseFloat(getComputedStyle(e).fontSize))
)"""


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    manifest = live_models.export_digits(tmp_path_factory.mktemp("digits"))
    return json.loads(manifest.read_text()), export.read(manifest)


def expected(model, at: int, covered: list[bool]) -> np.ndarray:
    manifest, weights = model
    pixels = np.array(manifest["images"][at]["pixels"], np.float32).reshape(1, digits.SIDE, digits.SIDE)
    patches = digits.patches_of(pixels / manifest["brightest"])
    shown = np.where(np.array(covered)[:, np.newaxis], np.array(manifest["mean"], np.float32), patches)
    return vision.probabilities(vision.forward(weights, shown).logits)[0]


def agrees(root, model, at: int, covered: set[int]) -> None:
    """What is shown now, without waiting, is the answer to the patches that are shown now."""
    state = root.evaluate(READ)
    assert {i for i, on in enumerate(state["covered"]) if on} == covered
    np.testing.assert_allclose(state["chances"], expected(model, at, state["covered"]), atol=6e-4)


def guessed(page: Page):
    root = ready(page, SELECTOR)
    root.get_by_role("button", name="Show without a guess").click()
    return root


def patch(root, index: int):
    return root.locator(".explanation-patch").nth(index)


def middle(root, index: int) -> tuple[float, float]:
    box = patch(root, index).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


@pytest.mark.parametrize("width", WIDTHS)
def test_click_drag_and_keys_cover_and_the_answer_is_never_that_of_another_state(open_page, model, width):  # noqa: F811
    page = open_page("explanation.html", width=width)
    root = guessed(page)
    agrees(root, model, 0, set())
    patch(root, 5).click()
    agrees(root, model, 0, {5})
    patch(root, 5).click()
    agrees(root, model, 0, set())
    page.mouse.move(*middle(root, 4))
    page.mouse.down()
    for index in (5, 6):
        page.mouse.move(*middle(root, index), steps=4)
    page.mouse.up()
    agrees(root, model, 0, {4, 5, 6})
    page.mouse.move(*middle(root, 15))
    agrees(root, model, 0, {4, 5, 6})
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Space")
    focused = root.evaluate(FOCUSED)
    assert focused in (8, 9, 10)
    agrees(root, model, 0, {4, 5, 6, focused})
    page.keyboard.press("Home")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    agrees(root, model, 0, {0, 4, 5, 6, focused})
    page.keyboard.press("Escape")
    agrees(root, model, 0, set())


def test_all_covered_is_the_mean_image_and_says_so(open_page, model):  # noqa: F811
    root = guessed(open_page("explanation.html"))
    root.get_by_role("button", name="Cover all", exact=True).click()
    agrees(root, model, 0, set(range(16)))
    expect(root.locator(".explanation-verdict")).to_have_text("Nothing is left to cover.")
    expect(root.locator(".sketch-words")).to_contain_text("nothing of this one")
    expect(root.get_by_role("button", name="Cover all", exact=True)).to_be_disabled()
    root.get_by_role("button", name="Uncover all").click()
    agrees(root, model, 0, set())


def test_quick_changes_and_another_image_leave_no_stale_answer(open_page, model):  # noqa: F811
    root = guessed(open_page("explanation.html"))
    root.evaluate(
        "r => { const p = r.querySelectorAll('.explanation-patch');"
        " for (let i = 0; i < 40; i += 1) p[(7 * i) % 16].click(); }"
    )
    counts = np.bincount([(7 * i) % 16 for i in range(40)], minlength=16)
    agrees(root, model, 0, {i for i in range(16) if counts[i] % 2})
    root.get_by_role("button", name="Next").click()
    agrees(root, model, 1, set())
    expect(root.get_by_role("button", name="Show without a guess")).to_be_visible()
    root.get_by_role("combobox").select_option("3")
    agrees(root, model, 3, set())
    root.get_by_role("button", name="Previous").click()
    agrees(root, model, 2, set())


def test_the_first_press_is_a_guess_and_covering_answers_only_then(open_page, model):  # noqa: F811
    root = ready(open_page("explanation.html"), SELECTOR)
    covering = root.locator("figure", has_text="What covering says")
    expect(covering).to_be_hidden()
    expect(root.get_by_role("button", name="Cover all", exact=True)).to_be_disabled()
    patch(root, 9).click()
    agrees(root, model, 0, set())
    expect(covering).to_be_visible()
    expect(patch(root, 9)).to_have_attribute("aria-label", "Row 3, column 2, your guess")
    expect(root.locator(".explanation-verdict")).to_contain_text("Your patch is number")
    patch(root, 9).click()
    agrees(root, model, 0, {9})
    expect(root.locator(".explanation-verdict")).to_contain_text("Your patch is covered")


def test_a_finger_taps_to_cover(open_page, model):  # noqa: F811
    page = open_page("explanation.html", width=390, has_touch=True)
    root = ready(page, SELECTOR)
    patch(root, 3).tap()
    agrees(root, model, 0, set())
    patch(root, 3).tap()
    agrees(root, model, 0, {3})


def test_a_model_without_images_leaves_the_text(browser, address):  # noqa: F811
    page = browser.new_page()
    page.goto(address + "explanation-broken.html")
    root = page.locator(SELECTOR)
    expect(page.locator(f'{SELECTOR}[data-mounted="failed"]')).to_be_attached()
    expect(root.get_by_text("The digits need scripts.")).to_be_visible()
    expect(root.locator("table")).to_have_count(0)
    page.close()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_it_fits_and_axe_finds_nothing(open_page, width, scheme):  # noqa: F811
    page = open_page("explanation.html", width=width)
    root = guessed(page)
    patch(root, 5).click()
    page.evaluate(f"document.body.dataset.mdColorScheme = '{scheme}'")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    tools = sketch_page.vendor.install(sketch_page.ROOT, development=True)
    page.evaluate((tools / "node_modules/axe-core/axe.min.js").read_text())
    found = page.evaluate(
        "axe.run().then(r => r.violations.map(v => [v.id, v.nodes.map(n => n.html.slice(0, 120))]))"
    )
    assert found == []
    assert root.evaluate(SMALLEST) >= 11
