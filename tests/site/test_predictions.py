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
        details = prediction.locator("details")
        assert details.get_attribute("open") is None
        control = prediction.locator("input:visible").first
        control.focus()
        page.keyboard.press("ArrowRight" if prediction.get_attribute("data-kind") == "slider" else "Space")
        commit = prediction.get_by_role("button", name="Compare with the measurement")
        commit.focus()
        page.keyboard.press("Enter")
        expect(prediction.locator(".predict-result")).to_contain_text("You said")
        assert details.get_attribute("open") is not None


@pytest.mark.parametrize("path", CHAPTERS)
def test_what_was_measured_lies_within_the_slider(visit, path):
    page = visit(path)
    for prediction in page.locator('.predict[data-kind="slider"]').all():
        low, high = (float(prediction.get_attribute(f"data-{end}")) for end in ("min", "max"))
        assert low < float(prediction.locator("details data").first.get_attribute("value")) <= high


def test_comparing_without_a_choice_asks_for_one(visit):
    page = visit("attention/")
    settle(page)
    prediction = page.locator('.predict[data-kind="choice"]').first
    prediction.get_by_role("button", name="Compare with the measurement").click()
    expect(prediction.locator(".predict-result")).to_have_text("Choose an answer first.")
    assert prediction.locator("details").get_attribute("open") is None
