"""The quiz keeps its contract: one right choice a question, and feedback for every choice."""

import re
from pathlib import Path

import pytest

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "quiz.md").read_text(encoding="utf-8")
QUESTIONS = dict(re.findall(r'^<div class="quiz" id="quiz-(\w+)" markdown>$(.*?)^</div>$', PAGE, re.S | re.M))
CHOICE = re.compile(
    r'^<details class="choice"( data-right(?:="[^\n]*?")?)? markdown>'
    r'<summary markdown="span">(.+?)</summary>$'
    r"\n(.*?)^</details>$",
    re.S | re.M,
)


def test_the_five_subjects_are_there():
    assert {"scale", "masks", "depth", "circuit", "heads"} <= QUESTIONS.keys()
    assert len(QUESTIONS) == PAGE.count('class="quiz"')


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_has_one_right_choice_among_several(name):
    choices = CHOICE.findall(QUESTIONS[name])
    assert len(choices) == QUESTIONS[name].count("<details") >= 3
    assert sum(bool(right) for right, _, _ in choices) == 1


@pytest.mark.parametrize("name", QUESTIONS)
def test_feedback_says_whether_and_why(name):
    for right, _, feedback in CHOICE.findall(QUESTIONS[name]):
        assert re.match(r"Yes\b" if right else r"No\b", feedback.strip())
        assert len(feedback.split()) >= 10


def test_the_right_choice_does_not_always_stand_in_the_same_place():
    places = [[bool(r) for r, _, _ in CHOICE.findall(q)].index(True) for q in QUESTIONS.values()]
    assert max(places.count(place) for place in places) < len(places) / 2


def test_every_number_is_a_reference():
    prose = re.sub(
        r"\{\{.*?\}\}|\$.*?\$|\]\(.*?\)|<[^>]*>|\b(19|20)\d\d\b", "", PAGE.partition("# Quiz")[2], flags=re.S
    )
    assert re.findall(r".*\d.*", prose) == []
