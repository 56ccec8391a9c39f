"""Every correct solution is accepted, every named mistake is rejected by the property that names it."""

import inspect
import subprocess
import sys

import numpy as np
import pytest

import exercise_solutions
from attention_from_scratch import attention as library
from attention_from_scratch import heads, masks
from attention_from_scratch.exercises import starters
from attention_from_scratch.exercises.catalogue import EXERCISES, check, exercise_named
from attention_from_scratch.exercises.checking import Outcome, examine, report, require

BY_NAME = {exercise.name: exercise for exercise in EXERCISES}
MISTAKES = [(exercise, mistake) for exercise in EXERCISES for mistake in exercise.mistakes]
OTHERS = [
    (exercise, function)
    for name, function in inspect.getmembers(exercise_solutions, inspect.isfunction)
    for exercise in EXERCISES
    if name.startswith(f"{exercise.name}_")
]


def broken(outcomes):
    return {outcome.name: outcome.seen for outcome in outcomes if not outcome.holds}


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda e: e.name)
def test_the_worked_solution_has_every_property(exercise):
    assert broken(exercise.check(exercise.solution)) == {}


@pytest.mark.parametrize(("exercise", "mistake"), MISTAKES, ids=lambda x: getattr(x, "name", None))
def test_a_named_mistake_is_rejected_by_its_property(exercise, mistake):
    assert mistake.rejected_by in broken(exercise.check(mistake.function))


@pytest.mark.parametrize(("exercise", "function"), OTHERS, ids=lambda x: getattr(x, "__name__", None))
def test_another_correct_solution_is_accepted(exercise, function):
    assert broken(exercise.check(function)) == {}


def test_each_exercise_is_tried_with_several_other_solutions():
    assert {e.name: sum(other[0] is e for other in OTHERS) >= 3 for e in EXERCISES} == dict.fromkeys(
        BY_NAME, True
    )


def test_every_alternative_belongs_to_an_exercise():
    defined = inspect.getmembers(exercise_solutions, inspect.isfunction)
    assert {function for _, function in defined} == {function for _, function in OTHERS}


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda e: e.name)
def test_every_property_is_needed_by_some_mistake(exercise):
    """A property that no wrong solution breaks would only cost the reader's patience."""
    rejecting = set().union(*(broken(exercise.check(m.function)) for m in exercise.mistakes))
    assert rejecting == {each.__name__ for each in exercise.properties}


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda e: e.name)
def test_the_starter_runs_and_is_not_finished(exercise):
    outcomes = exercise.check(exercise.starter)
    assert outcomes[0].seen.startswith("your function raised") is False
    assert broken(outcomes)


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda e: e.name)
def test_checks_say_the_same_twice(exercise):
    assert exercise.check(exercise.starter) == exercise.check(exercise.starter)


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda e: e.name)
def test_every_property_has_a_sentence_and_a_hint(exercise):
    for outcome in exercise.check(exercise.solution):
        assert outcome.sentence.endswith(".")
        assert len(outcome.hint) > 20


def test_numbers_run_from_one_without_gaps():
    assert [exercise.number for exercise in EXERCISES] == list(range(1, len(EXERCISES) + 1))


def test_a_solution_that_raises_is_told_so():
    outcome = BY_NAME["softmax"].check(lambda scores: 1 / 0)[0]
    assert outcome.seen == "your function raised ZeroDivisionError: division by zero"


def test_a_solution_that_returns_nothing_fails_every_property_and_raises_none():
    for exercise in EXERCISES:
        outcomes = exercise.check(lambda *given: None)
        assert all(not outcome.holds for outcome in outcomes)


def test_a_mistake_is_recognised_by_the_way_it_fails():
    exercise = BY_NAME["attention"]
    for name in ("mask_after_softmax", "scaled_by_value_dim", "transposed_mask"):
        mistake = next(m for m in exercise.mistakes if m.name == name)
        outcomes = exercise.check(lambda *given, m=mistake: m.function(*given))
        assert {m.name for m in exercise.resembling(outcomes)} == {name}
    assert exercise.resembling(exercise.check(exercise.solution)) == []


def test_a_report_shows_what_was_seen_and_a_hint():
    text = report("f", [Outcome("a", "A holds.", "hint a"), Outcome("b", "B holds.", "hint b", "a 3")])
    assert text.splitlines() == [
        "f: 1 of 2 properties hold",
        "  ok    A holds.",
        "  FAIL  B holds.",
        "        seen: a 3",
        "        hint: hint b",
    ]
    folded = report("f", [Outcome("b", "B holds.", "hint b", "a 3")], hints=False)
    assert "a 3" in folded
    assert "hint b" not in folded


def test_checks_stay_awake_when_python_drops_asserts():
    code = (
        "from attention_from_scratch.exercises.catalogue import EXERCISES as all\n"
        "print(sum(not o.holds for e in all for m in e.mistakes for o in e.check(m.function)) > 0)"
    )
    done = subprocess.run([sys.executable, "-O", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"


def test_checks_write_no_warning(recwarn):
    for exercise in EXERCISES:
        for mistake in exercise.mistakes:
            exercise.check(mistake.function)
    assert list(recwarn) == []


def test_require_lets_true_pass():
    def holds(candidate):
        """It holds."""
        require(candidate, "never")

    assert examine(True, [holds])[0].holds
    assert not examine(False, [holds])[0].holds


def test_check_prints_the_report(capsys):
    check(starters.causal_mask)
    assert "no position may attend to a later one" in capsys.readouterr().out.lower()


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(ValueError, match="causal_mask, softmax"):
        exercise_named("layer_norm")


# The library that the pages teach passes its own exercises.


def test_the_library_passes_the_exercises_on_masks_softmax_and_attention():
    assert broken(BY_NAME["causal_mask"].check(masks.causal)) == {}
    assert broken(BY_NAME["softmax"].check(library.softmax)) == {}
    assert broken(BY_NAME["attention"].check(library.attention)) == {}


@pytest.mark.parametrize("masked", [False, True])
def test_the_worked_attention_agrees_with_the_library(masked):
    """The cheat sheet shows one and speaks of the other."""
    rng = np.random.default_rng(1)
    query, key, value = (rng.normal(size=(3, 6, 4)) for _ in range(3))
    given = (query, key, value, masks.causal(6) if masked else None)
    for ours, wanted in zip(BY_NAME["attention"].solution(*given), library.attention(*given), strict=True):
        np.testing.assert_allclose(ours, wanted, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("num_heads", [1, 2, 4])
def test_multi_head_agrees_with_the_library(num_heads):
    rng = np.random.default_rng(0)
    projections = heads.Projections.random(rng, 8, num_heads, 8 // num_heads)
    tokens = rng.normal(size=(5, 8))
    kernels = [getattr(projections, f"{n}_kernel").reshape(8, 8) for n in ("query", "key", "value", "output")]
    mine = BY_NAME["multi_head_attention"].solution(tokens, *kernels, num_heads)
    theirs = heads.multi_head_attention(tokens, tokens, tokens, projections)
    for ours, wanted in zip(mine, theirs, strict=True):
        np.testing.assert_allclose(ours, wanted, rtol=1e-12, atol=1e-12)
