"""Predictions on the real pages, with the measured values: each takes an answer by keyboard."""

import pytest
from built import settle
from playwright.sync_api import expect

CHAPTERS = [f"{name}/index.html" for name in ("attention", "steps", "circuits", "recurrence")]


@pytest.mark.parametrize("path", CHAPTERS)
def test_every_prediction_takes_an_answer_and_reveals_the_measurement(visit, path):
    page = visit(path)
    settle(page)
    predictions = page.locator(".predict").all()
    assert predictions
    for prediction in predictions:
        details = prediction.locator("> details")
        assert details.get_attribute("open") is None
        kind = prediction.get_attribute("data-kind")
        for control in prediction.locator(
            {"choice": "input:visible >> nth=0"}.get(kind, "[role=slider], [type=range]")
        ).all():
            control.focus()
            page.keyboard.press("Space" if kind == "choice" else "ArrowRight")
        commit = prediction.get_by_role("button", name="Compare with the measurement")
        commit.focus()
        page.keyboard.press("Enter")
        expect(prediction.locator(".predict-result")).to_contain_text(
            "You were" if kind == "curve" else "You said"
        )
        assert details.get_attribute("open") is not None


@pytest.mark.parametrize("path", CHAPTERS)
def test_what_was_measured_lies_within_the_slider(visit, path):
    page = visit(path)
    for prediction in page.locator('.predict[data-kind="slider"]').all():
        low, high = (float(prediction.get_attribute(f"data-{end}")) for end in ("min", "max"))
        assert low < float(prediction.locator("> details data").first.get_attribute("value")) <= high


def test_comparing_without_a_choice_asks_for_one(visit):
    page = visit("attention/")
    settle(page)
    prediction = page.locator('.predict[data-kind="choice"]').first
    prediction.get_by_role("button", name="Compare with the measurement").click()
    expect(prediction.locator(".predict-result")).to_have_text("Choose an answer first.")
    assert prediction.locator("> details").get_attribute("open") is None


@pytest.mark.parametrize("path", CHAPTERS)
def test_the_answer_is_not_on_screen_before(visit, path):
    page = visit(path)
    settle(page)
    for prediction in page.locator('.predict:is([data-kind="slider"], [data-kind="curve"])').all():
        prediction.evaluate("(e) => e.scrollIntoView({ block: 'start' })")
        seen = prediction.evaluate(
            """(e) => {
              const count = e.dataset.kind === "curve" ? e.dataset.points.split(" ").length : 1;
              const measured = [...e.querySelectorAll(":scope > details data")].slice(0, count);
              const answers = measured.map((d) => d.textContent.trim()).filter((a) => a.length > 2);
              const texts = [...document.querySelectorAll("article :is(p, li, td, figcaption, text)")];
              const screen = texts.filter((t) => {
                const { top, bottom } = t.getBoundingClientRect();
                const shown = t.checkVisibility({ contentVisibilityAuto: true, visibilityProperty: true });
                return shown && bottom > 0 && top < innerHeight;
              });
              const words = screen.map((t) => t.textContent).join(" ");
              return answers.filter((a) => new RegExp(`(^|[^\\d.])${a}($|[^\\d])`).test(words));
            }"""
        )
        assert seen == [], prediction.inner_text()[:120]
