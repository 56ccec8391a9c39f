"""`python -m attention_from_scratch.exercises FILE`."""

import inspect
import subprocess
import sys

import pytest

from attention_from_scratch.exercises import solutions
from attention_from_scratch.exercises.__main__ import main
from attention_from_scratch.exercises.catalogue import EXERCISES
from attention_from_scratch.exercises.mistakes import attention as mistakes


@pytest.fixture
def solution(tmp_path):
    def write(*parts):
        path = tmp_path / "solution.py"
        path.write_text("\n\n\n".join(["import numpy as np", *parts]), encoding="utf-8")
        return str(path)

    return write


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda e: e.name)
def test_a_right_file_is_recognised_and_passes(solution, capsys, exercise):
    assert main([solution(inspect.getsource(exercise.solution))]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"{exercise.name}: ")
    assert "FAIL" not in out


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda e: e.name)
def test_a_starter_fails_with_hints(solution, capsys, exercise):
    assert main([solution(inspect.getsource(exercise.starter))]) == 1
    assert "hint: " in capsys.readouterr().out


def test_a_common_mistake_is_called_by_its_name(solution, capsys):
    wrong = inspect.getsource(mistakes.mask_after_softmax).replace("mask_after_softmax", "attention")
    assert main([solution(inspect.getsource(mistakes._attention), wrong)]) == 1
    assert "just as a common mistake does: The mask comes after the softmax" in capsys.readouterr().out


def test_of_several_functions_the_latest_exercise_counts(solution, capsys):
    path = solution(
        *(inspect.getsource(getattr(solutions, n)) for n in ("softmax", "attention", "causal_mask"))
    )
    assert main([path]) == 0
    out = capsys.readouterr().out
    assert out.startswith("attention: ")
    assert "also defines causal_mask, softmax" in out
    assert main([path, "--exercise", "causal-mask"]) == 0
    assert capsys.readouterr().out.startswith("causal_mask: ")


@pytest.mark.parametrize(
    ("text", "arguments", "message"),
    [
        ("x = 1", [], "defines no function that an exercise asks for"),
        ("def softmax(s): return s", ["--exercise", "attention"], "defines no function attention"),
        (
            "def softmax(s): return s",
            ["--exercise", "nonsense"],
            "no exercise asks for a function 'nonsense'",
        ),
        ("def softmax(s: return s", [], "solution.py:3: the file raised SyntaxError"),
        ("x = 1\n1 / 0", [], "solution.py:4: the file raised ZeroDivisionError"),
        ("raise SystemExit(0)", [], "the file raised SystemExit"),
    ],
)
def test_what_cannot_be_checked_is_an_error_and_no_traceback(solution, capsys, text, arguments, message):
    path = solution()
    with open(path, "a", encoding="utf-8") as file:
        file.write("\n\n" + text)
    assert main([path, *arguments]) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.out == ""


def test_a_missing_file_is_named(capsys):
    assert main(["nowhere.py"]) == 2
    assert "nowhere.py: there is no such file" in capsys.readouterr().err


def test_the_list_names_every_exercise(capsys):
    assert main(["--list"]) == 0
    assert [line.split()[1] for line in capsys.readouterr().out.splitlines()] == [e.name for e in EXERCISES]


def test_no_file_is_an_error(capsys):
    assert main([]) == 2
    assert "--list" in capsys.readouterr().err


def test_the_module_runs_and_its_exit_code_reaches_the_shell(solution):
    path = solution("def softmax(scores):\n    return scores")
    done = subprocess.run(
        [sys.executable, "-m", "attention_from_scratch.exercises", path], capture_output=True, text=True
    )
    assert done.returncode == 1
    assert "FAIL" in done.stdout
    assert done.stderr == ""


def test_importing_the_package_imports_nothing():
    code = "import sys, attention_from_scratch.exercises; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
