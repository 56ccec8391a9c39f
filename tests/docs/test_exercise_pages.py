"""Each exercise has its page, and the page shows the tested source."""

import re
from pathlib import Path

import pytest

from attention_from_scratch.exercises.catalogue import EXERCISES

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "exercises"


def text_of(name):
    return (FOLDER / f"{name}.md").read_text(encoding="utf-8")


def test_there_is_a_page_for_each_exercise_and_no_other():
    pages = {page.stem for page in FOLDER.glob("*.md")}
    assert pages == {"index", *(exercise.slug for exercise in EXERCISES)}


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda e: e.name)
def test_a_page_shows_starter_checks_hints_and_solution(exercise):
    text = text_of(exercise.slug)
    assert f"# {exercise.title}\n" in text
    assert f'source="attention_from_scratch.exercises.starters:{exercise.name}"' in text
    assert f'source="attention_from_scratch.exercises.solutions:{exercise.name}"' in text
    assert text.count(f"check({exercise.name})") == 2
    assert f"](notebooks/{exercise.slug}.ipynb)" in text
    assert text.count("??? tip ") >= 3


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda e: e.name)
def test_the_solution_is_folded_away(exercise):
    before, _, folded = text_of(exercise.slug).partition("<summary>Show a solution</summary>")
    assert "exercises.solutions:" not in before
    assert "exercises.solutions:" in folded.partition("</details>")[0]


def test_the_index_lists_them_in_order():
    linked = re.findall(r"^\d\. \[(.+?)\]\((.+?)\.md\)", text_of("index"), re.M)
    assert linked == [(exercise.title, exercise.slug) for exercise in EXERCISES]
