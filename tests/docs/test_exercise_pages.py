"""Each exercise has its page, and the page shows the tested source."""

import re
from pathlib import Path

import numpy as np
import pytest

import live_models
from attention_from_scratch.exercises import solutions
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
    assert f"check({exercise.name}, hints=False)" in text  # hints are folded, further down
    assert text.count(f"check({exercise.name}") == 2
    assert f"](notebooks/{exercise.slug}.ipynb)" in text
    assert text.count("??? tip ") >= 3


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda e: e.name)
def test_the_solution_is_folded_away(exercise):
    before, _, folded = text_of(exercise.slug).partition("<summary>Show a solution</summary>")
    assert "exercises.solutions:" not in before
    assert "exercises.solutions:" in folded.partition("</details>")[0]


def test_the_code_for_a_trained_model_runs(tmp_path, monkeypatch, capsys):
    """It is not a cell of the page, because the page has no trained model; here it gets a random one."""
    live_models.export_random(tmp_path, 2, "two-blocks", 16)
    monkeypatch.chdir(tmp_path)
    code = re.search(r"^```py\n(.*?)^```", text_of("07-find-shift"), re.S | re.M)[1]
    exec(code, {"np": np, "find_shift": solutions.find_shift})
    head, offset, accuracy = capsys.readouterr().out.split()
    assert offset in {"-1", "1"}
    assert 0 <= float(accuracy) <= 1


def test_the_code_for_a_trained_vision_transformer_runs(tmp_path, monkeypatch, capsys):
    live_models.export_digits(tmp_path)
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```py\n(.*?)^```", text_of("10-rollout"), re.S | re.M)
    exec(blocks[0], {"np": np, "rollout": solutions.rollout})
    label, said, named, found = map(int, capsys.readouterr().out.split())
    assert {label, said} <= set(range(10))
    assert named != found


def test_the_index_lists_them_in_order():
    linked = re.findall(r"^\d+\. \[(.+?)\]\((.+?)\.md\)", text_of("index"), re.M)
    assert linked == [(exercise.title, exercise.slug) for exercise in EXERCISES]
