"""The exercises, from easy to hard."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

from attention_from_scratch.exercises import solutions, starters
from attention_from_scratch.exercises.checking import report
from attention_from_scratch.exercises.exercise import Exercise
from attention_from_scratch.exercises.mistakes import attention as attention_mistakes
from attention_from_scratch.exercises.mistakes import cached_attention as cached_attention_mistakes
from attention_from_scratch.exercises.mistakes import causal_mask as causal_mask_mistakes
from attention_from_scratch.exercises.mistakes import cross_attention_mask as cross_attention_mask_mistakes
from attention_from_scratch.exercises.mistakes import decoder_weights as decoder_weights_mistakes
from attention_from_scratch.exercises.mistakes import find_shift as find_shift_mistakes
from attention_from_scratch.exercises.mistakes import multi_head_attention as multi_head_attention_mistakes
from attention_from_scratch.exercises.mistakes import online_attention as online_attention_mistakes
from attention_from_scratch.exercises.mistakes import rollout as rollout_mistakes
from attention_from_scratch.exercises.mistakes import score_gradient as score_gradient_mistakes
from attention_from_scratch.exercises.mistakes import softmax as softmax_mistakes
from attention_from_scratch.exercises.properties import (
    attention,
    cached_attention,
    causal_mask,
    cross_attention_mask,
    decoder_weights,
    find_shift,
    multi_head_attention,
    online_attention,
    rollout,
    score_gradient,
    softmax,
)


def _exercise(number: int, title: str, properties: ModuleType, mistakes: ModuleType) -> Exercise:
    name = properties.__name__.rpartition(".")[2]
    return Exercise(
        number=number,
        title=title,
        starter=getattr(starters, name),
        solution=getattr(solutions, name),
        properties=properties.PROPERTIES,
        mistakes=mistakes.MISTAKES,
    )


EXERCISES = (
    _exercise(1, "Finish the mask", causal_mask, causal_mask_mistakes),
    _exercise(2, "A softmax that survives large scores", softmax, softmax_mistakes),
    _exercise(3, "Attention from its formula", attention, attention_mistakes),
    _exercise(4, "Two masks and an empty row", decoder_weights, decoder_weights_mistakes),
    _exercise(5, "Split into heads and merge", multi_head_attention, multi_head_attention_mistakes),
    _exercise(6, "Attention block by block", online_attention, online_attention_mistakes),
    _exercise(7, "Find the head that carries the shift", find_shift, find_shift_mistakes),
    _exercise(8, "Keep keys and values", cached_attention, cached_attention_mistakes),
    _exercise(9, "A mask between two sequences", cross_attention_mask, cross_attention_mask_mistakes),
    _exercise(10, "Roll attention out, and find where it misleads", rollout, rollout_mistakes),
    _exercise(11, "The way back from weights to scores", score_gradient, score_gradient_mistakes),
)


def exercise_named(name: str) -> Exercise:
    """The exercise whose function is called `name`.

    Raises:
        ValueError: there is none.
    """
    for exercise in EXERCISES:
        if exercise.name == name:
            return exercise
    names = ", ".join(exercise.name for exercise in EXERCISES)
    raise ValueError(f"no exercise asks for a function {name!r}; they ask for {names}")


def check(candidate: Callable, *, hints: bool = True) -> None:
    """Try `candidate` against the exercise that asks for a function of its name, and print what came of it.

    Raises:
        ValueError: no exercise asks for a function of that name.
    """
    name = getattr(candidate, "__name__", str(candidate))
    print(report(name, exercise_named(name).check(candidate), hints))


def mistakes_in_words(name: str) -> str:
    """The named mistakes of an exercise as a Markdown list, for its page."""
    sentences = dict.fromkeys(mistake.sentence for mistake in exercise_named(name).mistakes)
    return "\n".join(f"- {sentence}" for sentence in sentences)
