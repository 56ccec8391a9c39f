"""The theme's script comes at the first sign of a reader, and nothing that was done before is lost."""

from io import BytesIO

import numpy as np
import pytest
from built import until
from matplotlib import image
from playwright.sync_api import expect


def pixels(png: bytes) -> np.ndarray:
    return image.imread(BytesIO(png), format="png")


THERE = "Boolean(window.document$)"
SCHEME = "document.body.getAttribute('data-md-color-scheme')"


@pytest.fixture
def untouched(visit):
    """A page that nobody has touched yet, and stays so for longer than it takes to load."""
    page = visit("attention/", touched=False)
    page.wait_for_load_state("networkidle")
    assert page.evaluate(THERE) is False
    return page


@pytest.mark.parametrize(
    "sign",
    [
        lambda page: page.mouse.move(300, 300),
        lambda page: page.mouse.wheel(0, 200),
        lambda page: page.keyboard.press("Tab"),
        lambda page: page.evaluate("scrollTo(0, 500)"),
    ],
    ids=["pointer", "wheel", "key", "scroll"],
)
def test_each_sign_of_a_reader_brings_the_script(untouched, sign):
    sign(untouched)
    until(untouched, THERE)


def test_a_late_script_does_all_that_an_early_one_does(untouched):
    untouched.keyboard.press("Tab")
    expect(untouched.locator("article .md-code__button").first).to_be_attached()
    untouched.evaluate("document.getElementById('masks').scrollIntoView()")
    expect(untouched.locator(".md-nav__link--active[href$='#masks']")).to_be_attached()


def test_an_address_that_asks_for_a_place_is_a_sign(visit):
    until(visit("attention/#masks", touched=False), THERE)


def test_the_page_looks_the_same_before_and_after(untouched):
    before = untouched.screenshot()
    untouched.mouse.move(1, 1)
    until(untouched, THERE)
    untouched.wait_for_timeout(500)
    # A layer of its own rounds a few edges differently, by less than anybody sees.
    assert np.abs(pixels(untouched.screenshot()) - pixels(before)).max() <= 2 / 255


def test_a_dark_machine_gets_the_dark_scheme_from_the_first_line_on(visit):
    page = visit("attention/", touched=False, scheme="dark")
    assert page.evaluate(SCHEME) == "slate"
    assert page.evaluate(THERE) is False


def test_an_early_click_on_the_switch_of_schemes_is_repeated(untouched):
    untouched.evaluate("document.querySelector('.md-header__button[for=__palette_1]').click()")
    until(untouched, f"{SCHEME} === 'slate'")
    untouched.reload()
    untouched.wait_for_load_state("networkidle")
    assert untouched.evaluate(SCHEME) == "slate", "the choice is kept, before the script and without it"
    assert untouched.evaluate(THERE) is False


def test_an_early_shortcut_opens_search(untouched):
    untouched.keyboard.press("/")
    expect(untouched.locator("[data-md-toggle=search]")).to_be_checked()
    untouched.keyboard.type("mask")
    expect(untouched.locator(".md-search-result__item a").first).to_be_visible()


def test_what_is_typed_before_the_script_is_there_is_searched_for(visit):
    page = visit("attention/", touched=False)
    asked = []
    page.route("**/javascripts/theme.js", lambda route: asked.append(route))
    page.keyboard.press("/")
    page.keyboard.type("causal mask")
    assert page.evaluate(THERE) is False
    asked[0].continue_()
    expect(page.locator(".md-search-result__item a").first).to_be_visible()
    assert page.locator(".md-search__input").input_value() == "causal mask"


@pytest.mark.parametrize(
    "name", ["XMLHttpRequest", "Worker", "fetch", "addEventListener", "history.pushState"]
)
def test_what_the_browser_offers_is_its_own(visit, name):
    page = visit("attention/")
    page.wait_for_load_state("networkidle")
    assert "[native code]" in page.evaluate(f"String({name})")


def test_an_early_focus_on_the_search_field_opens_search(untouched):
    untouched.evaluate("document.querySelector('.md-search__input').focus()")
    expect(untouched.locator("[data-md-toggle=search]")).to_be_checked()


def test_what_is_typed_into_a_control_of_a_page_is_not_held_back(untouched):
    untouched.evaluate("document.querySelector('[data-sketch=dimensions]').scrollIntoView()")
    slider = untouched.locator("[data-sketch=dimensions] input[type=range]")
    slider.focus()
    before = slider.input_value()
    untouched.keyboard.press("ArrowRight")
    assert slider.input_value() != before
