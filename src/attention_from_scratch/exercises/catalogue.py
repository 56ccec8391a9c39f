"""The exercises, from easy to hard."""

from __future__ import annotations

from importlib import import_module

from attention_from_scratch.exercises import solutions, starters
from attention_from_scratch.exercises.exercise import Exercise

_PACKAGE = __package__

TITLES = {
    "causal_mask": "Finish the mask",
    "softmax": "A softmax that survives large scores",
    "attention": "Attention from its formula",
    "decoder_weights": "Two masks and an empty row",
    "multi_head_attention": "Split into heads and merge",
    "online_attention": "Attention block by block",
    "find_shift": "Find the head that carries the shift",
}


def _exercise(number: int, name: str, title: str) -> Exercise:
    properties = import_module(f"{_PACKAGE}.properties.{name}")
    mistakes = import_module(f"{_PACKAGE}.mistakes.{name}")
    return Exercise(
        number=number,
        title=title,
        starter=getattr(starters, name),
        solution=getattr(solutions, name),
        properties=properties.PROPERTIES,
        mistakes=mistakes.MISTAKES,
    )


EXERCISES = tuple(_exercise(n, name, title) for n, (name, title) in enumerate(TITLES.items(), start=1))


def exercise_named(name: str) -> Exercise:
    """The exercise whose function is called `name`.

    Raises:
        ValueError: there is none.
    """
    for exercise in EXERCISES:
        if exercise.name == name:
            return exercise
    raise ValueError(f"no exercise asks for a function {name!r}; they ask for {', '.join(TITLES)}")


def check(candidate) -> None:
    """Try `candidate` against the exercise that asks for a function of its name, and print what came of it.

    Raises:
        ValueError: no exercise asks for a function of that name.
    """
    from attention_from_scratch.exercises.checking import report

    name = getattr(candidate, "__name__", str(candidate))
    print(report(name, exercise_named(name).check(candidate)))
