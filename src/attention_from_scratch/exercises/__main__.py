"""Check a file with a solution: `python -m attention_from_scratch.exercises solution.py`."""

from __future__ import annotations

import argparse
import runpy
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from attention_from_scratch.exercises.catalogue import EXERCISES, exercise_named
from attention_from_scratch.exercises.checking import report
from attention_from_scratch.exercises.exercise import Exercise

DONE, NOT_YET, CANNOT_CHECK = 0, 1, 2


class CannotCheck(Exception):
    """Nothing to check; the text says why, and what to do."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Check a solution file; 0 if every property holds, 1 if one does not, 2 if nothing could be checked."""
    asked = _parser().parse_args(arguments)
    if asked.list:
        print("\n".join(f"{e.number}  {e.name:22}{e.title}" for e in EXERCISES))
        return DONE
    try:
        if asked.file is None:
            raise CannotCheck("no file given; give one, or --list")
        exercise, candidate, notes = _pick(_run(asked.file), asked.exercise, asked.file)
    except CannotCheck as problem:
        print(problem, file=sys.stderr)
        return CANNOT_CHECK
    outcomes = exercise.check(candidate)
    print(report(exercise.name, outcomes))
    for sentence in dict.fromkeys(mistake.sentence for mistake in exercise.resembling(outcomes)):
        print(f"This fails just as a common mistake does: {sentence}")
    if notes:
        print(notes)
    return DONE if all(outcome.holds for outcome in outcomes) else NOT_YET


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m attention_from_scratch.exercises",
        description="Check a solution: the exercise is recognised by the function that the file defines.",
        epilog="Exit code: 0 if every property holds, 1 if one does not, 2 if nothing could be checked.",
    )
    parser.add_argument("file", nargs="?", type=Path, help="a Python file that defines the function")
    parser.add_argument("--exercise", metavar="NAME", help="which one, where the file defines several")
    parser.add_argument("--list", action="store_true", help="list the exercises and stop")
    return parser


def _run(path: Path) -> dict[str, Any]:
    """Run the file, and return what it defines."""
    if not path.is_file():
        raise CannotCheck(f"{path}: there is no such file")
    try:
        return runpy.run_path(str(path))
    except (Exception, SystemExit) as error:
        frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == str(path)]
        line = getattr(error, "lineno", None) or (frames[-1].lineno if frames else None)
        where = f"{path}:{line}" if line else str(path)
        raise CannotCheck(f"{where}: the file raised {type(error).__name__}: {error}") from error


def _pick(defined: dict[str, Any], name: str | None, path: Path) -> tuple[Exercise, Callable, str]:
    """The exercise, the candidate, and a remark.

    A later exercise may use an earlier one's function as a helper, so the latest one counts.
    """
    found = [e for e in EXERCISES if callable(defined.get(e.name))]
    if name is not None:
        try:
            exercise = exercise_named(name.replace("-", "_"))
        except ValueError as error:
            raise CannotCheck(str(error)) from error
        if exercise not in found:
            raise CannotCheck(f"{path}: it defines no function {exercise.name}")
        return exercise, defined[exercise.name], ""
    if not found:
        names = ", ".join(e.name for e in EXERCISES)
        raise CannotCheck(f"{path}: it defines no function that an exercise asks for; they are {names}")
    others = ", ".join(e.name for e in found[:-1])
    notes = f"The file also defines {others}; check it with --exercise." if others else ""
    return found[-1], defined[found[-1].name], notes


if __name__ == "__main__":
    sys.exit(main())
