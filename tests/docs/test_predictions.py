"""Predictions on the pages: each can be answered, and what counts as right rests on a claim."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
PREDICTION = re.compile(r'^<div class="predict" data-kind="(\w+)"([^>]*)>$(.*?)^</div>$', re.S | re.M)
FOUND = [
    pytest.param(*found, id=f"{page.stem}-{number}")
    for page in sorted(DOCS.glob("*.md"))
    for number, found in enumerate(PREDICTION.findall(page.read_text(encoding="utf-8")))
]


def test_the_main_results_are_predicted_first():
    pages = [(DOCS / f"{name}.md").read_text(encoding="utf-8") for name in ("attention", "recurrence")]
    assert all(len(PREDICTION.findall(page)) >= 5 for page in pages)
    chapters = [(DOCS / f"{name}.md").read_text(encoding="utf-8") for name in ("steps", "circuits")]
    assert all(PREDICTION.search(page) for page in chapters)
    assert not re.search(r'^\?\?\? question "Predict', "".join(pages + chapters), re.M), (
        "a fold takes no answer"
    )


@pytest.mark.parametrize(("kind", "settings", "body"), FOUND)
def test_a_prediction_can_be_answered_and_is_compared_with_a_measurement(kind, settings, body):
    assert body.lstrip().startswith("**Predict.**")
    revealed = body.partition("<details")[2]
    if kind == "slider":
        assert re.search(r"data-min=.*data-max=.*data-step=", settings)
        assert "{{ " in revealed, "the slider is compared with the first measured value of the fold"
    elif kind == "curve":
        points = re.search(r'data-points="([\d ]+)"', settings)[1].split()
        assert len(points) >= 3
        shown = re.findall(r"\{\{ [a-z][\w.]+ \}\}", revealed.partition("{%")[0])
        assert len(shown) >= len(points), (
            "each point is compared with a measured value of the fold's beginning"
        )
    else:
        choices = re.findall(r"<li( data-right=\"([^\n]*?)\")?>", body)
        assert len(choices) >= 3
        (right,) = [reason for marked, reason in choices if marked]
        assert right == "arithmetic" or "holds(" in right, "right only while a claim holds"
