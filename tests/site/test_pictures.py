"""Pictures of the pages: by mouse, finger and keyboard, whole without scripts, and as they were stored."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect

sys.path.insert(0, str(Path(__file__).parent))

import sketch_page  # noqa: E402
from test_sketches import address, open_page, ready  # noqa: E402, F401

WIDTHS = (1440, 390)
SCHEMES = {"light": "default", "dark": "slate"}
STORED = Path(__file__).parent / "pictures"
# Means over squares of so many pixels are compared, each channel: how far one may move, how many may.
SQUARE, MOVED, SHARE = 4, 40, 0.004
PICTURES = {
    "pictures.html": ["hand", "dimensions", "heads", "positions", "shift", "block", "parts", "tiles"],
    "words.html": ["sentence", "shapes", "mask"],
    "circuits.html": ["circuits", "training"],
    "index.html": ["model"],
}


def picture(page, name):
    return ready(page, f"#{name}")


# --- walks


@pytest.mark.parametrize("width", WIDTHS)
def test_by_hand_is_walked_with_buttons_and_with_keys(open_page, width):  # noqa: F811
    page = open_page("pictures.html", width=width)
    root = picture(page, "hand")
    later = root.locator("li.is-later")
    expect(later).to_have_count(5)
    step = root.get_by_role("button", name="Next step")
    step.click()
    expect(later).to_have_count(4)
    expect(root.locator("td.is-made")).to_have_text("4")
    expect(root.locator("td.is-source")).to_have_count(4)
    expect(root.get_by_role("status")).to_contain_text("4 · 1 + 0 · 0 = 4")
    for _ in range(6):
        page.keyboard.press("ArrowRight")
    expect(later).to_have_count(0)
    expect(root.locator("li.is-now")).to_contain_text("weights @ value")
    expect(step).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(root.locator("li.is-now")).to_contain_text("exponentials / sums")
    root.get_by_role("button", name="Back").press("Enter")
    expect(root.locator(".walk-place")).to_have_text("4 of 6")


def test_by_hand_is_walked_with_a_finger(open_page):  # noqa: F811
    page = open_page("pictures.html", width=390, has_touch=True, is_mobile=True)
    root = picture(page, "hand")
    root.get_by_role("button", name="Next step").tap()
    expect(root.locator(".walk-place")).to_have_text("2 of 6")
    root.get_by_role("button", name="Show all").tap()
    expect(root.locator(".is-later")).to_have_count(0)


@pytest.mark.parametrize("name", ["hand", "block"])
def test_each_step_is_on_a_phones_screen_with_the_button_for_the_next(open_page, name):  # noqa: F811
    page = open_page("pictures.html", width=390, has_touch=True, is_mobile=True)
    page.set_viewport_size({"width": 390, "height": 844})
    root = picture(page, name)
    root.evaluate("e => scrollTo(0, e.getBoundingClientRect().top + scrollY - 60)")
    bar, now = root.locator(".walk-bar"), root.locator("li.is-now")
    step, height = root.get_by_role("button", name="Next step"), root.bounding_box()["height"]

    def seen() -> None:
        buttons, told = bar.bounding_box(), now.bounding_box()
        assert buttons["y"] + buttons["height"] <= 844 + 1
        assert told["y"] >= 0, "above the screen"
        assert told["y"] + told["height"] <= buttons["y"] + 1, "behind the buttons, or below the screen"
        assert now.locator(".walk-words").is_visible()

    seen()
    steps = root.locator("li").count()
    for _ in range(steps - 1):
        step.tap()
        seen()
    expect(step).to_have_attribute("aria-disabled", "true")
    for _ in range(steps - 1):
        page.keyboard.press("ArrowLeft")
        seen()
    assert root.bounding_box()["height"] == pytest.approx(height, abs=1), "something below has moved"


@pytest.mark.parametrize("name", ["hand", "block", "tiles"])
def test_buttons_lie_on_no_picture_that_comes_into_view(open_page, name):  # noqa: F811
    page = open_page("pictures.html", width=390)
    root = picture(page, name)
    first, bar = root.locator("li, svg").first, root.locator(".walk-bar")
    for below in (60, 200, 1500):  # how much of the first step is in the window
        first.evaluate(f"e => scrollTo(0, e.getBoundingClientRect().top + scrollY + {below} - innerHeight)")
        page.wait_for_timeout(200)
        step, buttons = first.bounding_box(), bar.bounding_box()
        shown = bar.evaluate("e => getComputedStyle(e).opacity") != "0"
        assert buttons["y"] >= step["y"] + step["height"] - 2 or not shown
    assert shown
    root.get_by_role("button", name="Next step").focus()
    assert bar.evaluate("e => getComputedStyle(e).opacity") == "1"


def test_the_task_matches_then_reads_and_has_other_sequences(open_page):  # noqa: F811
    page = open_page("pictures.html")
    root = picture(page, "tiles")
    visible = root.locator(".tiles:visible")
    expect(visible).to_have_count(1)
    expect(visible.locator(".tiles-read-word")).to_be_hidden()
    step = root.get_by_role("button", name="Next step")
    step.click()
    expect(visible.locator(".tiles-match-word")).to_be_visible()
    expect(visible.locator(".tiles-read-word")).to_be_hidden()
    step.click()
    expect(visible.locator(".tiles-read-word")).to_be_visible()
    before = visible.get_attribute("aria-label")
    root.get_by_role("button", name="Another one").click()
    assert visible.get_attribute("aria-label") != before
    expect(visible.locator(".tiles-match-word")).to_be_hidden()


def test_the_block_lights_a_line_and_its_part_of_the_drawing(open_page):  # noqa: F811
    page = open_page("pictures.html")
    root = picture(page, "block")
    for _ in range(3):
        root.get_by_role("button", name="Next step").press("Enter")
    expect(root.locator("li.is-now")).to_contain_text("np.maximum(x @ up, 0)")
    expect(root.locator("g.is-now text")).to_have_text("feed-forward")


# --- choices


@pytest.mark.parametrize("width", WIDTHS)
def test_a_word_is_chosen_for_all_heads_at_once(open_page, width):  # noqa: F811
    page = open_page("pictures.html", width=width)
    root = picture(page, "heads")
    shown = root.locator(".heads-panel g.is-current")
    expect(shown).to_have_count(2)
    root.get_by_role("button", name="street").click()
    assert shown.evaluate_all("all => all.map((g) => g.dataset.choice)") == ["street", "street"]
    expect(root.locator("tr.is-current th")).to_have_text(["street"])
    expect(root.locator(".picture-words:visible")).to_contain_text("“street”: head 1 gives")
    page.keyboard.press("ArrowRight")
    expect(root.get_by_role("button", name="it", exact=True)).to_be_focused()
    expect(root.get_by_role("status")).to_contain_text("head 2 gives 0.65 to “tired”")


def test_a_shuffle_moves_words_and_only_positions_notice(open_page):  # noqa: F811
    page = open_page("pictures.html", width=390, has_touch=True, is_mobile=True)
    root = picture(page, "positions")
    words = lambda: root.locator("g.is-current text").all_text_contents()  # noqa: E731
    first = words()
    shuffle = root.get_by_role("button", name="Shuffle")
    shuffle.tap()
    assert words() != first
    assert sorted(words()) == sorted(first)
    rows = root.locator("tbody tr")
    assert len(set(rows.locator("td:nth-of-type(1)").all_text_contents())) == 1
    assert len(set(rows.locator("td:nth-of-type(2)").all_text_contents())) == rows.count()
    for _ in range(3):
        shuffle.tap()
    expect(root.locator("tr.is-current th")).to_have_text("Shuffled 1")
    root.get_by_role("button", name="In order").tap()
    assert words() == first


def test_an_offset_is_chosen(open_page):  # noqa: F811
    root = picture(open_page("pictures.html"), "shift")
    root.get_by_role("button", name="+3").click()
    expect(root.locator("svg g.is-current text").last).to_have_text("place 7")
    expect(root.get_by_role("status")).to_contain_text("takes place 4 to place 7")


# --- the scale


@pytest.mark.parametrize("width", WIDTHS)
def test_the_slider_of_d_k_moves_the_bars_and_says_the_largest(open_page, width):  # noqa: F811
    page = open_page("pictures.html", width=width)
    root = picture(page, "dimensions")
    bars = root.locator(".is-without .dimensions-bar")
    heights = lambda: [float(bar.get_attribute("height")) for bar in bars.all()]  # noqa: E731
    drawn = heights()
    slider = root.get_by_role("slider")
    expect(slider).to_have_attribute("aria-valuetext", "4")
    slider.press("End")
    expect(slider).to_have_attribute("aria-valuetext", "256")
    assert max(heights()) == pytest.approx(150, abs=0.5)
    expect(root.get_by_role("status")).to_contain_text("d_k = 256: the best of 12 keys gets 1.00 without")
    expect(root.get_by_role("status")).to_contain_text("On average over 20,000 draws: 0.93 and 0.29.")
    expect(root.locator(".dimensions-mean-number")).to_have_text(["0.93", "0.29"])
    slider.press("Home")
    expect(slider).to_have_attribute("aria-valuetext", "2")
    slider.press("ArrowRight")
    assert heights() == pytest.approx(drawn, abs=0.8), "what the script draws is what stood there before"


# --- all of them


@pytest.mark.parametrize("width", WIDTHS)
def test_without_scripts_every_picture_is_whole(open_page, width):  # noqa: F811
    page = open_page("pictures.html", width=width, java_script_enabled=False)
    for name in PICTURES["pictures.html"]:
        assert page.locator(f"#{name} :is(svg, table)").first.is_visible(), name
    assert page.locator(".is-later").count() == 0
    expect(page.get_by_text("weights @ value")).to_be_visible()
    expect(page.locator("#heads .picture-words").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_pictures_look_as_they_were_stored_and_axe_finds_nothing(open_page, width, scheme):  # noqa: F811
    axe = sketch_page.vendor.install(sketch_page.ROOT, development=True) / "node_modules/axe-core/axe.min.js"
    wrong = []
    for path, names in PICTURES.items():
        page = open_page(path, width=width)
        page.evaluate(f"document.body.dataset.mdColorScheme = '{SCHEMES[scheme]}'")
        for name in names:
            root = page.locator(f"#{name}, [data-sketch='{name}']").first
            root.scroll_into_view_if_needed()
            if root.get_attribute("data-sketch"):  # others are drawn as they stay
                expect(root).to_have_attribute("data-mounted", "ready")
            for button in root.get_by_role("button", name="Show all").all():
                button.click()
        page.evaluate("document.activeElement.blur()")
        page.mouse.move(0, 0)
        page.evaluate("document.fonts.ready")
        for name in names:
            root = page.locator(f"#{name}, [data-sketch='{name}']").first
            wrong += compared(root.screenshot(), f"{name}-{width}-{scheme}")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert too_small(page) == []
        page.evaluate(axe.read_text())
        found = "axe.run().then(r => r.violations.map(v => [v.id, v.nodes.map(n => n.html.slice(0, 120))]))"
        assert page.evaluate(found) == []
    assert wrong == []


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_predictions_look_as_they_were_stored(open_page, width, scheme):  # noqa: F811
    page = open_page(width=width)
    page.evaluate(f"document.body.dataset.mdColorScheme = '{SCHEMES[scheme]}'")
    wrong = []
    for kind in ("slider", "curve"):
        root = ready(page, f'.predict[data-kind="{kind}"]')
        at_rest(page, root)
        wrong += compared(root.screenshot(), f"predict-{kind}-before-{width}-{scheme}")
        for point in root.get_by_role("slider").all():
            point.press("PageDown")
        root.get_by_role("button", name="Compare").click()
        page.evaluate("document.activeElement.blur()")
        page.mouse.move(0, 0)
        wrong += compared(root.screenshot(), f"predict-{kind}-after-{width}-{scheme}")
    assert wrong == []


def at_rest(page, root) -> None:
    """Wait until nothing above still takes its place: a picture that is taken meanwhile is cut elsewhere."""
    page.wait_for_load_state("networkidle")
    before = None
    while (box := root.bounding_box()) != before:
        before = box
        page.wait_for_timeout(200)


def too_small(page) -> list[str]:
    """Texts that are drawn below 11 px."""
    return page.evaluate(
        """() => {
          const found = [];
          for (const e of document.querySelectorAll("main *")) {
            const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
            if (!own || !e.checkVisibility() || e.closest(".sketch-unseen")) continue;
            const drawing = e.closest("svg");
            const box = drawing?.viewBox.baseVal;
            const scale = box?.width ? drawing.getBoundingClientRect().width / box.width : 1;
            const size = parseFloat(getComputedStyle(e).fontSize) * scale;
            if (size < 10.99) found.push(`${size.toFixed(1)} ${e.outerHTML.slice(0, 90)}`);
          }
          return found;
        }"""
    )


def compared(png: bytes, name: str) -> list[str]:
    """What is wrong with a picture beside the stored one; stores one that is missing, to be looked at."""
    path = STORED / f"{name}.png"
    now = Image.open(io.BytesIO(png)).convert("RGB")
    if not path.exists():
        path.parent.mkdir(exist_ok=True)
        now.quantize(255, dither=Image.Dither.NONE).save(path, optimize=True)
        return [f"{path.name}: was missing and is stored now; look at it, and run again"]
    stored = Image.open(path).convert("RGB")
    if abs(stored.width - now.width) > 2 or abs(stored.height - now.height) > 12:
        return [f"{path.name}: {now.size}, stored {stored.size}; delete it to store it anew"]
    size = (min(stored.width, now.width) // SQUARE, min(stored.height, now.height) // SQUARE)
    crop = (0, 0, size[0] * SQUARE, size[1] * SQUARE)
    old, new = (np.asarray(i.crop(crop).resize(size, Image.Resampling.BOX), int) for i in (stored, now))
    share = float((np.abs(old - new).max(axis=2) > MOVED).mean())
    if share <= SHARE:
        return []
    return [f"{path.name}: {share:.1%} of it looks otherwise; if that is right, delete it to store it anew"]


def test_a_ribbon_that_is_missing_is_seen():
    path = STORED / "heads-390-light.png"
    image = Image.open(path).convert("RGB")
    box = (0, 0, image.width, image.height // 3)
    image.paste(Image.new("RGB", (box[2], box[3]), image.getpixel((5, 5))), box)
    png = io.BytesIO()
    image.save(png, "png")
    assert re.search("looks otherwise", " ".join(compared(png.getvalue(), path.stem)))
    assert compared(path.read_bytes(), path.stem) == []
