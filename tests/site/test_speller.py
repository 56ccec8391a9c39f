"""The speller by mouse, keyboard and touch: words of one's own, odd ones, ribbons, the cache, numbers."""

from __future__ import annotations

import re

import pytest
import sketch_page
from playwright.sync_api import expect
from test_sketches import address, open_page, ready  # noqa: F401

import live_spellers
import vendor
from attention_from_scratch.tasks import spelling

SKETCH = '[data-sketch="speller"]'


@pytest.fixture
def said(tmp_path):
    return live_spellers.export_random(tmp_path)


def speller_of(page):
    return ready(page, SKETCH)


def names(root):
    return root.locator(".speller-sound .speller-name").all_inner_texts()


def test_a_word_is_said_as_python_says_it(open_page, said):  # noqa: F811
    root = speller_of(open_page("speller.html"))
    for index, word in enumerate(live_spellers.WORDS[:4]):
        root.get_by_label("A word of your own").fill(word.upper())
        expected = list(spelling.sounds_of(said["transformer"][index]))
        assert [name for name in names(root) if name != "end"] == expected
        without = " ".join(spelling.sounds_of(said["lstm"][index])) or "nothing"
        expect(root.locator(".speller-verdict").nth(1)).to_contain_text(f"LSTM without attention: {without}")


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("", "nothing is written yet"),
        ("   ", "nothing is written yet"),
        ("naïve", "not “ï”"),
        ("r2d2", "not “2”"),
        ("two words", "not a blank"),
        ("слово", "and others"),
        ("x" * 60, "That is 60 letters"),
        ("<b>hi</b>", "not “<”"),
    ],
)
def test_what_it_cannot_say_gets_a_sentence_and_nothing_breaks(open_page, typed, sentence):  # noqa: F811
    root = speller_of(open_page("speller.html"))
    field = root.get_by_label("A word of your own")
    field.fill(typed)
    expect(root.get_by_role("alert")).to_contain_text(sentence)
    expect(root.locator(".speller-stage")).to_be_hidden()
    field.fill("tea")
    expect(root.locator(".speller-stage")).to_be_visible()
    assert root.locator(".speller-letter").all_inner_texts() == ["t", "e", "a"]


def test_wrong_words_are_offered_first_and_a_click_takes_one(open_page, said):  # noqa: F811
    root = speller_of(open_page("speller.html"))
    offered = root.locator(".speller-offers button").all_inner_texts()
    assert offered[0] == live_spellers.WORDS[0]  # a random model gets each of them wrong
    assert offered[-1] == "Other words"
    root.locator(".speller-offers button").nth(1).click()
    expect(root.get_by_label("A word of your own")).to_have_value(live_spellers.WORDS[1])
    expect(root.locator(".speller-verdict").first).to_have_class(re.compile("is-wrong"))
    expect(root.locator(".speller-listed")).to_contain_text("T IY; or N")


def test_a_sound_shows_its_ribbons_alone_by_mouse_and_by_keyboard(open_page):  # noqa: F811
    page = open_page("speller.html")
    root = speller_of(page)
    ribbons = root.locator(".speller-ribbon")
    every = ribbons.count()
    root.locator(".speller-sound").nth(1).click()
    assert 0 < ribbons.count() < every
    expect(root.locator(".speller-sound").nth(1)).to_have_attribute("aria-pressed", "true")
    expect(root.get_by_role("status")).to_contain_text("looks most at")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(root.locator(".speller-sound").nth(2)).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Home")
    expect(root.locator(".speller-sound").first).to_be_focused()


def test_a_tap_chooses_a_sound_that_is_large_enough_for_a_finger(open_page):  # noqa: F811
    root = speller_of(open_page("speller.html", 390, has_touch=True))
    sound = root.locator(".speller-sound").nth(1)
    sound.tap()
    expect(sound).to_have_attribute("aria-pressed", "true")
    assert sound.bounding_box()["height"] >= 44
    sound.tap()
    expect(sound).to_have_attribute("aria-pressed", "false")


def test_heads_and_blocks_have_weights_of_their_own_and_stand_as_numbers(open_page):  # noqa: F811
    root = speller_of(open_page("speller.html"))
    root.get_by_text("The weights as numbers").click()
    seen = set()
    for block in ("0", "1"):
        root.locator("select").nth(0).select_option(block)
        for head in ("mean", "0", "3"):
            root.locator("select").nth(1).select_option(head)
            cells = root.locator("tbody tr").first.locator("td").all_inner_texts()
            assert abs(sum(map(float, cells)) - 1) < 0.04
            seen.add(tuple(cells))
    assert len(seen) == 6


def test_the_cache_fills_a_step_at_a_time(open_page):  # noqa: F811
    root = speller_of(open_page("speller.html"))
    root.get_by_role("button", name="From the first sound").click()
    kept = root.locator(".speller-cache-cell.is-kept, .speller-cache-cell.is-new")
    expect(root.locator(".speller-sound")).to_have_count(1)
    expect(kept).to_have_count(4)  # keys and values, two blocks
    bytes_a_step = 2 * 2 * live_spellers.WIDTH * 4
    expect(root.locator(".speller-kept")).to_contain_text(
        f"After 1 step the cache holds 1 key and value in each block: {bytes_a_step} bytes"
    )
    root.get_by_role("button", name="Next sound").click()
    expect(kept).to_have_count(8)
    expect(root.locator(".speller-sound")).to_have_count(2)
    root.get_by_role("button", name="One sound back").click()
    expect(kept).to_have_count(4)
    expect(root.get_by_role("button", name="One sound back")).to_be_disabled()
    root.get_by_role("button", name="The whole word").click()
    expect(root.get_by_role("button", name="Next sound")).to_be_disabled()


def test_weights_that_disagree_with_keras_show_nothing(open_page, tmp_path):  # noqa: F811
    page = open_page("far.html")
    page.route("**/models/speller/transformer.json", lambda route: route.fulfill(json=spoilt(tmp_path)))
    told = page.evaluate(
        """async () => {
            const { loadSpeller } = await import("/assets/javascripts/speller/load.js");
            try { await loadSpeller(new URL("/models/speller/transformer.json", location)); return "loaded"; }
            catch (error) { return error.message; }
        }"""
    )
    assert "apart from Keras" in told


def spoilt(folder):
    import json

    live_spellers.export_random(folder)
    manifest = json.loads((folder / "transformer.json").read_text())
    manifest["test"]["logits"][0][0] += 0.01
    return manifest


@pytest.mark.parametrize("scheme", ["default", "slate"])
@pytest.mark.parametrize("width", [1440, 390])
def test_it_fits_and_axe_finds_nothing(open_page, width, scheme):  # noqa: F811
    page = open_page("speller.html", width)
    page.evaluate(f"document.body.setAttribute('data-md-color-scheme', '{scheme}')")
    root = speller_of(page)
    root.get_by_label("A word of your own").fill("onomatopee")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    small = page.evaluate(
        """() => [...document.querySelectorAll('.sketch *')].filter((e) => e.childNodes.length &&
            [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim()) &&
            parseFloat(getComputedStyle(e).fontSize) < 11).map((e) => e.className)"""
    )
    assert small == []
    tools = vendor.install(sketch_page.ROOT, development=True)
    page.evaluate((tools / "node_modules/axe-core/axe.min.js").read_text())
    found = page.evaluate(
        "async () => (await axe.run('.sketch')).violations.map((v) => [v.id, v.nodes[0].html])"
    )
    assert found == []
