"""Every control of every component, by mouse and by keyboard, wide and narrow, under the strict policy."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

sys.path.insert(0, str(Path(__file__).parent))

import sketch_page  # noqa: E402
import words_page  # noqa: E402
from built import until  # noqa: E402

from attention_from_scratch import sentence  # noqa: E402
from attention_from_scratch.attention import attention  # noqa: E402

WIDTHS = (1440, 390)
SCHEMES = ("default", "slate")


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    sketch_page.make_site(folder)
    server, url = sketch_page.serve(folder)
    yield url
    server.shutdown()


@pytest.fixture
def open_page(browser, address):
    """Opens a page; at the end, nothing was complained of and nothing came from elsewhere."""
    contexts, complaints, asked = [], [], []

    def opened(path: str = "index.html", width: int = 1440, **options) -> Page:
        options = {"reduced_motion": "reduce", "viewport": {"width": width, "height": 900}, **options}
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(15_000)
        page.on("console", lambda m: complaints.append(m.text) if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: asked.append(request.url))
        page.asked = asked
        page.goto(address + path)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert not complaints
    assert [url for url in asked if not url.startswith(address)] == []


def ready(page: Page, selector: str):
    """Scrolls to a component and waits until it stands."""
    element = page.locator(selector).first
    element.scroll_into_view_if_needed()
    expect(page.locator(f'{selector}[data-mounted="ready"]').first).to_be_attached()
    return element


def lookup_of(page: Page):
    root = ready(page, '[data-sketch="lookup"]')
    expect(root.locator("canvas")).to_have_count(1)
    return root


def weights(root) -> list[float]:
    return [float(t) for t in root.locator("tbody td:nth-of-type(4)").all_inner_texts()]


def query(root) -> list[float]:
    return [float(t.replace("−", "-")) for t in root.locator(".sketch-number").all_inner_texts()]


# --- fetched when needed


def test_nothing_heavy_is_fetched_before_a_reader_comes_near(open_page):
    page = open_page("far.html")
    page.wait_for_timeout(500)
    assert not re.search("p5|view.js|two-blocks", " ".join(page.asked))
    lookup_of(page)
    until(page, "performance.getEntriesByType('resource').some(e => e.name.includes('lookup/view.js'))")


def test_a_lookup_is_drawn_and_moved_by_hand_without_p5_which_play_fetches(open_page):
    page = open_page("lookup.html", reduced_motion="no-preference")
    root = lookup_of(page)
    page.wait_for_timeout(400)
    assert not any("p5" in url for url in page.asked)
    drawn = "c => c.getContext('2d').getImageData(0, 0, c.width, c.height).data.some(x => x > 0)"
    assert root.locator("canvas").evaluate(drawn)
    assert query(root) == [1.6, 1.2]
    expect(root.get_by_text("A soft lookup.")).to_be_visible()
    expect(root.get_by_text("The lookup needs scripts.")).to_have_count(0)
    root.get_by_label("Query, across").press("ArrowLeft")
    root.locator("canvas").click()
    root.get_by_role("button", name="Restart").click()
    page.wait_for_timeout(200)
    assert not any("p5" in url for url in page.asked)
    root.get_by_role("button", name="Play").click()
    until(page, "!!globalThis.p5")
    expect(root.get_by_role("button", name="Pause")).to_be_visible()
    until(page, "document.querySelector('.sketch-number').textContent !== '1.60'")


def test_the_text_below_a_sketch_stays_where_it_is_when_the_sketch_arrives(browser, address):
    count = "new PerformanceObserver(l => l.getEntries().forEach(e => (globalThis.moved += e.value)))"
    for width in (1440, 412):
        page = browser.new_page(viewport={"width": width, "height": 823})
        page.add_init_script(
            f"globalThis.moved = 0; {count}.observe({{type: 'layout-shift', buffered: true}})"
        )
        page.goto(address + "lookup.html")
        lookup_of(page)
        page.wait_for_timeout(300)
        assert page.evaluate("moved") < 0.02
        page.close()


# --- the page around them


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_everything_stands_without_complaint_or_sideways_scrolling(open_page, width, scheme):
    page = open_page(width=width)
    page.evaluate(f"document.body.dataset.mdColorScheme = '{scheme}'")
    for selector in (
        '[data-sketch="lookup"]',
        ".measured-table table",
        '[data-sketch="model"]',
        ".predict",
        ".quiz",
    ):
        ready(page, selector)
    page.locator(".ranked-heading").first.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    small = page.evaluate(
        """[...document.querySelectorAll('button, select, summary, label, input[type=range]')]
        .filter(e => e.offsetParent && e.getBoundingClientRect().height < 43.9)
        .map(e => e.outerHTML.slice(0, 80))"""
    )
    assert small == []


@pytest.mark.parametrize("scheme", SCHEMES)
def test_axe_finds_nothing(open_page, scheme):
    tools = sketch_page.vendor.install(sketch_page.ROOT, development=True)
    page = open_page()
    page.evaluate(f"document.body.dataset.mdColorScheme = '{scheme}'")
    for selector in (
        '[data-sketch="lookup"]',
        ".measured-table table",
        '[data-sketch="model"]',
        ".predict",
        ".quiz",
    ):
        ready(page, selector)
    page.locator(".ranked-heading").first.click()
    page.get_by_role("button", name="Compare with the measurement").first.click()
    page.locator(".quiz summary").nth(1).click()
    page.evaluate((tools / "node_modules/axe-core/axe.min.js").read_text())
    found = page.evaluate(
        "axe.run().then(r => r.violations.map(v => [v.id, v.nodes.map(n => n.html.slice(0, 120))]))"
    )
    assert found == []


def test_without_scripts_everything_can_be_read_and_revealed(open_page):
    page = open_page(java_script_enabled=False)
    expect(page.get_by_text("The lookup needs scripts.")).to_be_visible()
    expect(page.get_by_text("The model needs scripts.")).to_be_visible()
    page.get_by_text("Show the measured value").first.click()
    expect(page.get_by_text("It is 0.929.")).to_be_visible()
    page.get_by_text("To save memory").click()
    expect(page.get_by_text("No: a division saves nothing.")).to_be_visible()


def test_after_instant_navigation_everything_works_on_the_second_page(open_page):
    page = open_page("instant.html")
    page.evaluate("go('index.html')")
    root = lookup_of(page)
    root.get_by_label("Query, across").press("ArrowRight")
    assert query(root)[0] == 1.7
    ready(page, '[data-sketch="model"]')
    page.evaluate("go('instant.html')")
    page.evaluate("go('index.html')")
    ready(page, ".measured-table table")
    page.locator(".ranked-heading").first.click()
    expect(page.locator(".ranked-cell").first).to_be_visible()


# --- the soft lookup


@pytest.mark.parametrize("width", WIDTHS)
def test_the_query_moves_by_slider_by_arrow_keys_and_by_hand(open_page, width):
    page = open_page(width=width)
    root = lookup_of(page)
    before = weights(root)
    assert sum(before) == pytest.approx(1, abs=0.003)
    across, up = root.get_by_label("Query, across"), root.get_by_label("Query, up")
    across.press("ArrowRight")
    up.press("ArrowDown")
    assert query(root) == [1.7, 1.1]
    assert weights(root) != before
    handle = root.get_by_role("button", name=re.compile("Query: drag"))
    handle.press("ArrowLeft")
    handle.press("Shift+ArrowUp")
    assert query(root) == [1.6, 1.6]
    box = handle.bounding_box()
    page.mouse.move(box["x"] + 22, box["y"] + 22)
    page.mouse.down()
    page.mouse.move(box["x"] - 30, box["y"] + 60, steps=4)
    page.mouse.up()
    x, y = query(root)
    assert x < 1.4
    assert y < 1.2
    assert handle.bounding_box()["x"] == pytest.approx(box["x"] - 52, abs=2), "the handle follows the hand"
    canvas = root.locator("canvas").bounding_box()
    page.mouse.click(canvas["x"] + 40, canvas["y"] + 60)
    assert query(root)[0] < -1, "a click in the plane brings the query there"
    expect(root.locator(".sketch-words")).to_contain_text(re.compile("weighs most: 0\\.\\d\\d of 1"))
    root.get_by_role("button", name="Restart").click()
    assert query(root) == [1.6, 1.2]
    for _ in range(12):
        handle.press("Shift+ArrowRight")
    assert query(root) == [3.0, 1.2], "the query stays inside the plane"


def test_scale_and_mask_are_switches_and_the_numbers_follow(open_page):
    page = open_page()
    root = lookup_of(page)
    products = root.locator("tbody td:nth-of-type(1)")
    scores = root.locator("tbody td:nth-of-type(2)")
    soft = weights(root)
    assert scores.all_inner_texts() != products.all_inner_texts()
    root.get_by_label(re.compile("Divide the scores")).press("Space")
    assert scores.all_inner_texts() == products.all_inner_texts()
    assert max(weights(root)) > max(soft)
    root.get_by_text("Mask keys D and E").click()
    assert weights(root)[3:] == [0, 0]
    assert scores.all_inner_texts()[3:] == ["−∞", "−∞"]
    assert root.locator("tfoot td:nth-of-type(4)").inner_text() == "1.000"


def test_the_words_below_a_sketch_follow_at_once_and_are_read_aloud_later(open_page):
    root = lookup_of(open_page())
    followed = root.evaluate(
        """root => {
          const handle = root.querySelector(".sketch-handle");
          const now = () => root.querySelector(".sketch-words").textContent;
          const aloud = () => root.querySelector("[role=status]").textContent;
          const before = [now(), aloud()];
          handle.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowLeft", bubbles: true }));
          return [now() !== before[0], aloud() !== before[1]];
        }"""
    )
    assert followed == [True, False]
    expect(root.get_by_role("status")).to_contain_text("Query (1.50")


def test_restart_puts_back_query_scale_and_mask(open_page):
    root = lookup_of(open_page())
    before = weights(root)
    root.get_by_label(re.compile("Divide the scores")).uncheck()
    root.get_by_label(re.compile("Mask keys")).check()
    root.get_by_label("Query, up").press("ArrowDown")
    assert weights(root) != before
    root.get_by_role("button", name="Restart").click()
    assert weights(root) == before
    expect(root.get_by_label(re.compile("Divide the scores"))).to_be_checked()
    expect(root.get_by_label(re.compile("Mask keys"))).not_to_be_checked()


def test_the_idle_query_plays_pauses_and_gives_way_to_the_hand(open_page):
    page = open_page(reduced_motion="no-preference")
    root = lookup_of(page)
    page.wait_for_timeout(300)
    assert query(root) == [1.6, 1.2], "nothing moves by itself"
    root.get_by_role("button", name="Play").click()
    until(page, "document.querySelector('.sketch-number').textContent !== '1.60'")
    assert root.get_by_role("status").get_attribute("aria-live") == "off"
    root.get_by_role("button", name="Pause").press("Enter")
    still = query(root)
    page.wait_for_timeout(300)
    assert query(root) == still
    root.get_by_role("button", name="Play").click()
    until(page, f"document.querySelector('.sketch-number').textContent !== '{still[0]:.2f}'")
    root.get_by_label("Query, up").press("ArrowUp")
    expect(root.get_by_role("button", name="Play")).to_be_visible()
    assert root.get_by_role("status").get_attribute("aria-live") == "polite"


# --- the measured table, ranked


@pytest.mark.parametrize("width", WIDTHS)
def test_a_heading_ranks_the_rows_both_ways_and_back(open_page, width):
    page = open_page(width=width)
    table = ready(page, ".measured-table table")
    first = table.locator("tbody td:first-child")
    words = page.locator(".measured-table [role=status]")
    unscaled = table.get_by_role("button", name="Weight, unscaled")
    assert table.get_by_role("button").count() == 2, "only columns with numbers can be ranked"
    unscaled.click()
    expect(first).to_have_text(["256", "64", "16", "4"])
    expect(table.locator("th").nth(1)).to_have_attribute("aria-sort", "descending")
    expect(words).to_contain_text("Highest: 0.929 (d_k 256). Lowest: 0.464 (d_k 4).")
    unscaled.press("Enter")
    expect(first).to_have_text(["4", "16", "64", "256"])
    expect(words).to_contain_text("lowest first")
    scaled = table.get_by_role("button", name="Weight, scaled")
    scaled.press("Space")
    expect(first).to_have_text(["64", "16", "4", "256"])
    expect(table.locator("th[aria-sort]")).to_have_count(1)
    expect(table.locator(".ranked-cell")).to_have_count(3)  # one row has no number
    for _ in range(2):
        scaled.press("Enter")
    expect(first).to_have_text(["4", "16", "64", "256"])
    expect(table.locator("th[aria-sort], .ranked-cell")).to_have_count(0)
    expect(words).to_contain_text("original order")


def test_ranking_fetches_nothing_and_moves_nothing(open_page):
    page = open_page()
    table = ready(page, ".measured-table table")
    page.wait_for_load_state("networkidle")
    asked, box = len(page.asked), table.bounding_box()
    below = page.locator(".predict").first.bounding_box()
    table.locator(".ranked-heading").first.click()
    page.wait_for_timeout(200)
    assert page.asked[asked:] == []
    assert table.bounding_box() == box
    assert page.locator(".predict").first.bounding_box() == below


# --- the live model


def probabilities(root) -> list[str]:
    return root.locator(".model-answer tbody td:last-child").all_inner_texts()


def tile(root, position: int):
    return root.locator(".model-tile").nth(position - 1)


@pytest.mark.parametrize("width", WIDTHS)
def test_the_sequence_is_edited_by_keyboard_and_the_focus_stays(open_page, width):
    page = open_page(width=width)
    root = ready(page, '[data-sketch="model"]')
    assert root.locator(".model-tile").count() == 12
    expect(tile(root, 4)).to_have_attribute("aria-label", "Position 4: the cue")
    before = probabilities(root)
    assert sum(map(float, before)) <= 1.04
    tile(root, 5).focus()
    page.keyboard.press("g")
    expect(root.locator(".sketch-words")).to_contain_text("G follows the first ★")
    expect(tile(root, 5)).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(tile(root, 5)).to_have_attribute("aria-label", "Position 5: A")
    assert probabilities(root) != before
    page.keyboard.press("ArrowRight")
    expect(tile(root, 6)).to_be_focused()
    page.keyboard.press("*")
    expect(tile(root, 6)).to_have_attribute("aria-label", "Position 6: the cue")
    page.keyboard.press("b")
    expect(tile(root, 6)).to_have_attribute("aria-label", "Position 6: the cue")  # the cue is moved, not lost
    page.keyboard.press("End")
    expect(tile(root, 12)).to_be_focused()
    page.keyboard.press("c")
    expect(tile(root, 12)).to_have_attribute("aria-label", "Position 12: the cue again")
    root.get_by_role("button", name="Restart").click()
    assert probabilities(root) == before


@pytest.mark.parametrize("touch", [False, True])
def test_the_sequence_is_edited_by_hand(open_page, touch):
    page = open_page(width=390, has_touch=touch, is_mobile=touch)
    root = ready(page, '[data-sketch="model"]')
    press = (lambda e: e.tap()) if touch else (lambda e: e.click())  # noqa: E731
    before = probabilities(root)
    press(tile(root, 5))
    symbols = root.get_by_role("group", name="The symbol at position 5")
    press(symbols.get_by_role("button", name="G"))
    expect(tile(root, 5)).to_have_attribute("aria-label", "Position 5: G")
    press(tile(root, 9))
    press(root.locator(".model-symbol", has_text="★"))
    expect(tile(root, 9)).to_have_attribute("aria-label", "Position 9: the cue")
    assert probabilities(root) != before
    drawn = root.locator(".model-head.is-current .model-map")
    drawn.scroll_into_view_if_needed()
    box = drawn.bounding_box()
    at = (box["x"] + box["width"] / 2, box["y"] + box["height"] - 3)
    page.touchscreen.tap(*at) if touch else page.mouse.click(*at)
    expect(tile(root, 12)).to_have_attribute("aria-pressed", "true")


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (390, 844)])
def test_sequence_answer_maps_and_switches_stand_on_one_screen(open_page, width, height):
    page = open_page(width=width, viewport={"width": width, "height": height})
    panel = ready(page, '[data-sketch="model"]').locator(".model-panel")
    assert panel.bounding_box()["height"] <= height
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_press_leaves_the_focus_where_it_was(open_page):
    page = open_page()
    root = ready(page, '[data-sketch="model"]')
    for control in root.locator("button:visible, input[type=checkbox]:visible").all():
        control.focus()
        page.keyboard.press("Space")
        expect(control).to_be_focused()


@pytest.mark.parametrize("width", WIDTHS)
def test_heads_are_switched_off_tested_and_compared_with_one_block(open_page, width):
    page = open_page(width=width)
    root = ready(page, '[data-sketch="model"]')
    assert root.locator(".model-map").count() == 8
    before, drawn = probabilities(root), root.locator(".model-arc").count()
    if width == 390:
        root.get_by_role("button", name="Head 2").click()
    head = root.get_by_role("checkbox", name="Block 1, head 2")
    head.press("Space")
    assert probabilities(root) != before
    assert root.locator(".model-arc").count() != drawn
    expect(root.locator(".model-off")).to_have_count(1)
    root.get_by_role("button", name="Test on 500 fresh sequences").click()
    expect(root.locator(".model-tested")).to_contain_text(
        re.compile(r"Two blocks, with 1 of 8 heads off: \d+ of 500 right"), timeout=60_000
    )
    head.click()
    assert probabilities(root) == before
    expect(root.locator(".model-tested")).to_be_empty()
    root.get_by_label("Two blocks").press("ArrowRight")
    assert root.locator(".model-map").count() == 4
    assert probabilities(root) != before
    root.get_by_text("Two blocks", exact=True).click()
    assert probabilities(root) == before


# --- predictions and the quiz


@pytest.mark.parametrize("width", WIDTHS)
def test_a_guess_is_compared_kept_and_taken_back(open_page, width):
    page = open_page(width=width)
    root = ready(page, '.predict[data-kind="slider"]')
    measured = root.get_by_text("It is 0.929.")
    expect(measured).to_be_hidden()
    guess = root.get_by_role("slider")
    expect(guess).to_have_attribute("aria-valuetext", "not set yet")
    root.get_by_role("button", name="Compare with the measurement").press("Enter")
    expect(root.get_by_role("status")).to_contain_text("Set the point first")
    expect(measured).to_be_hidden()
    expect(guess).to_be_focused()
    guess.press("ArrowRight")
    expect(guess).to_have_attribute("aria-valuetext", "0.51")
    root.get_by_role("button", name="Compare with the measurement").press("Enter")
    expect(measured).to_be_visible()
    expect(root.locator(".predict-measured")).to_have_text("0.929")
    said = "You said 0.51; measured: 0.929. Your guess was too low. Off by 0.419."
    expect(root.get_by_role("status")).to_have_text(said)
    page.reload()
    root = ready(page, '.predict[data-kind="slider"]')
    expect(root.get_by_role("status")).to_have_text(said)
    expect(guess).to_be_disabled()
    root.get_by_role("button", name="Guess again").click()
    expect(measured).to_be_hidden()
    expect(guess).to_be_focused()
    expect(guess).to_have_attribute("aria-valuetext", "not set yet")


def test_a_press_in_the_middle_of_the_axis_is_an_answer(open_page):
    root = ready(open_page(), '.predict[data-kind="slider"]')
    guess = root.get_by_role("slider")
    guess.click()
    expect(guess).to_have_attribute("aria-valuetext", "0.50")


@pytest.mark.parametrize("width", WIDTHS)
def test_a_curve_is_drawn_compared_kept_and_taken_back(open_page, width):
    page = open_page(width=width)
    root = ready(page, '.predict[data-kind="curve"]')
    commit = root.get_by_role("button", name="Compare with the measurement")
    points = root.get_by_role("slider")
    commit.click()
    expect(root.get_by_role("status")).to_contain_text("Set each point first")
    expect(points.first).to_be_focused()
    points.first.press("ArrowUp")
    points.first.press("PageUp")
    expect(points.first).to_have_attribute("aria-valuetext", "0.61")
    commit.press("Enter")
    expect(root.locator("details")).not_to_have_attribute("open", re.compile(".*"))
    for i in (1, 2):
        box = points.nth(i).locator(".curve-hit").bounding_box()
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    drawn = points.evaluate_all("all => all.map((e) => e.getAttribute('aria-valuetext'))")
    assert all(re.fullmatch(r"0\.\d\d", text) for text in drawn)
    assert not root.locator(".curve-measured").get_attribute("d")
    points.nth(2).press("Enter")
    said = re.compile(r"Measured: 0\.464 at 4, 0\.712 at 16, 0\.858 at 64\. You were nearest at (4|16)")
    expect(root.get_by_role("status")).to_have_text(said)
    assert root.locator(".curve-measured").get_attribute("d")
    page.reload()
    root = ready(page, '.predict[data-kind="curve"]')
    expect(root.get_by_role("status")).to_have_text(said)
    points.first.press("ArrowUp")
    expect(points.first).to_have_attribute("aria-valuetext", drawn[0])
    root.get_by_role("button", name="Guess again").click()
    expect(points.first).to_have_attribute("aria-valuetext", "not set yet")


def test_a_finger_sets_a_point_by_a_tap_and_a_swipe_scrolls(open_page):
    page = open_page(width=390, has_touch=True, is_mobile=True)
    root = ready(page, '.predict[data-kind="curve"]')
    box = root.locator(".curve-hit").nth(1).bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + 60
    page.touchscreen.tap(x, y)
    point = root.get_by_role("slider").nth(1)
    expect(point).to_have_attribute("aria-valuetext", re.compile(r"0\.\d\d"))
    before, set_to = page.evaluate("scrollY"), point.get_attribute("aria-valuetext")
    session = page.context.new_cdp_session(page)
    places = [{"x": x + box["width"], "y": y + moved} for moved in range(0, 180, 20)]
    session.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": places[:1]})
    for place in places[1:]:
        session.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [place]})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    until(page, f"scrollY < {before}", seconds=10)
    expect(point).to_have_attribute("aria-valuetext", set_to)


def test_a_choice_is_compared_with_what_was_measured(open_page):
    page = open_page()
    root = ready(page, '.predict[data-kind="choice"]')
    commit = root.get_by_role("button", name="Compare with the measurement")
    commit.click()
    expect(root.get_by_label("It rises.")).to_be_focused()
    root.get_by_label("It falls.").check()
    commit.click()
    expect(root.get_by_role("status")).to_have_text("You said “It falls”. Measured: “It rises”.")
    root.get_by_role("button", name="Guess again").press("Enter")
    root.get_by_label("It rises.").press("Space")
    commit.press("Enter")
    expect(root.get_by_role("status")).to_have_text("You said “It rises”. That is what was measured.")


@pytest.mark.parametrize("width", WIDTHS)
def test_the_first_choice_is_the_answer_and_is_remembered(open_page, width):
    page = open_page(width=width)
    root = ready(page, ".quiz")
    score = page.locator(".quiz-score")
    expect(score).to_have_text("1 questions; none answered yet.")
    root.get_by_text("To save memory").focus()
    page.keyboard.press("Enter")
    expect(root.get_by_role("status")).to_have_text("Not right: “To save memory”.")
    root.get_by_text("To keep the variance").click()
    expect(root.get_by_text("Yes: it grows with d_k.")).to_be_visible()
    expect(score).to_have_text("0 of 1 answered rightly.")
    page.reload()
    root = ready(page, ".quiz")
    expect(root.get_by_role("status")).to_have_text("Not right: “To save memory”.")
    root.get_by_role("button", name="Answer again").press("Enter")
    expect(root.get_by_text("To keep the variance")).to_be_focused()
    page.keyboard.press("Enter")
    expect(root.get_by_role("status")).to_contain_text("Right: “To keep the variance")
    expect(score).to_have_text("1 of 1 answered rightly.")


# --- words, matrices, masks


def words_sketch(page: Page, name: str):
    return ready(page, f'[data-sketch="{name}"]')


def shown_weights(root) -> list[float]:
    return [float(text) for text in root.locator(".sentence-weight").all_text_contents()]


def test_each_word_of_the_sentence_looks_with_the_weights_of_the_six_lines(open_page):
    query, key = sentence.queries_and_keys(sentence.SENTENCE)
    _, expected = attention(query, key, key)
    root = words_sketch(open_page("words.html"), "sentence")
    for i, word in enumerate(root.locator(".sentence-word").all()):
        word.click()
        assert word.get_attribute("aria-pressed") == "true"
        assert np.allclose(shown_weights(root), expected[i], atol=0.0051)
    widths = [float(p.get_attribute("stroke-width")) for p in root.locator(".sentence-ribbon").all()]
    assert np.argmax(widths) == np.argmax(expected[-1])


def test_the_sentence_and_its_query_answer_to_the_keyboard(open_page):
    page = open_page("words.html")
    root = words_sketch(page, "sentence")
    root.get_by_role("button", name="it", exact=False).first.focus()
    for key, word in (("Home", "The"), ("End", "tired"), ("ArrowRight", "The"), ("ArrowRight", "animal")):
        page.keyboard.press(key)
        expect(root.locator('[aria-pressed="true"]')).to_contain_text(word)
    before = shown_weights(root)
    handle = root.get_by_label("Query: drag it")
    for _ in range(6):
        handle.press("ArrowDown")
    moved = shown_weights(root)
    street = sentence.SENTENCE.index("street")
    assert moved[street] > before[street]
    expect(root.get_by_role("button", name="Put it back")).to_be_enabled()
    handle.press("Escape")
    assert shown_weights(root) == before
    expect(root.get_by_role("button", name="Put it back")).to_be_disabled()


def test_a_button_that_switches_itself_off_hands_the_focus_on(open_page):
    page = open_page("words.html")
    root = words_sketch(page, "sentence")
    root.get_by_label("Query: drag it").press("ArrowDown")
    back = root.get_by_role("button", name="Put it back")
    back.press("Enter")
    expect(back).to_be_disabled()
    assert page.evaluate("document.activeElement !== document.body")
    assert page.evaluate("document.activeElement.closest('.sketch') !== null")


def test_a_word_without_a_query_says_so_and_shows_no_arrow(open_page):
    root = words_sketch(open_page("words.html"), "sentence")
    root.get_by_role("button", name="because").click()
    expect(root.get_by_role("status")).to_contain_text("asks nothing")
    expect(root.get_by_label("Query: drag it")).to_be_hidden()
    assert len(set(shown_weights(root))) == 1


def test_a_cell_lights_what_it_was_made_from_and_its_line(open_page):
    page = open_page("words.html")
    root = words_sketch(page, "shapes")
    root.get_by_label("output, it, 1").click()
    lit = {e.get_attribute("aria-label").split(":")[0] for e in root.locator(".is-source").all()}
    expected = {f"weights, it, {word}" for word in words_page.ASKED}
    assert lit == expected | {f"V, {word}, 1" for word in words_page.ASKED}
    expect(root.locator(".shapes-line.is-lit")).to_contain_text("output = weights @ V")
    page.keyboard.press("ArrowRight")
    expect(root.locator(".is-chosen")).to_have_attribute("aria-label", re.compile("^output, it, 2"))
    page.keyboard.press("ArrowUp")
    expect(root.locator(".is-chosen")).to_have_attribute("aria-label", re.compile("^output, street, 2"))


def test_the_matrices_are_those_of_numpy(open_page):
    x = sentence.tokens(words_page.ASKED)
    output, weights = attention(x @ sentence.QUERY_KERNEL, x @ sentence.KEY_KERNEL, x @ sentence.VALUE_KERNEL)
    root = words_sketch(open_page("words.html"), "shapes")
    for name, matrix in (("weights", weights), ("output", output)):
        cells = root.locator(f'[aria-label^="{name},"]').all_text_contents()
        shown = np.array([float(text.replace("−", "-")) for text in cells]).reshape(matrix.shape)
        assert np.allclose(shown, matrix, atol=0.0051)


def test_masking_too_late_lets_the_future_through_and_a_mask_in_time_does_not(open_page):
    root = words_sketch(open_page("words.html"), "mask")
    sums = lambda: [float(t) for t in root.locator(".mask-sum").all_text_contents()]  # noqa: E731
    blocked = len(sentence.PADDED) ** 2 - sum(range(1, 8)) - 14
    expect(root.locator(".is-blocked")).to_have_count(blocked)
    assert set(sums()) == {1.0}
    root.get_by_role("button", name="Change the last word to “lost”").click()
    expect(root.get_by_role("status")).to_contain_text("no weight of an earlier word moved")
    expect(root.get_by_role("button", name="Change the last word back to “tired”")).to_be_visible()
    root.get_by_role("button", name="Mistake").click()
    expect(root.get_by_role("status")).to_contain_text("the future shows through")
    assert min(sums()) < 0.9
    assert root.locator(".is-moved").count() > 0
    root.get_by_label("Causal mask").uncheck()
    expect(root.get_by_role("status")).to_contain_text("as it should be")


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_word_sketches_fit_and_axe_finds_nothing(open_page, width, scheme):
    tools = sketch_page.vendor.install(sketch_page.ROOT, development=True)
    page = open_page("words.html", width=width)
    page.evaluate(f"document.body.dataset.mdColorScheme = '{scheme}'")
    for name in ("sentence", "shapes", "mask"):
        words_sketch(page, name)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.evaluate((tools / "node_modules/axe-core/axe.min.js").read_text())
    found = page.evaluate(
        "axe.run().then(r => r.violations.map(v => [v.id, v.nodes.map(n => n.html.slice(0, 120))]))"
    )
    assert found == []
