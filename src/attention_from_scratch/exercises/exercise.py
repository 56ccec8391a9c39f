"""The words of an exercise: what it asks for, and the mistakes that its properties must reject."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from attention_from_scratch.exercises.checking import Outcome, examine


@dataclass(frozen=True)
class Mistake:
    """A wrong solution that people write.

    Args:
        function: the wrong solution; its docstring says what is wrong in one sentence.
        rejected_by: the name of the property that must reject it (others may do so too).
    """

    function: Callable
    rejected_by: str

    @property
    def name(self) -> str:
        """The mistake in a word or three."""
        return self.function.__name__

    @property
    def sentence(self) -> str:
        """What is wrong, in a sentence."""
        return self.function.__doc__.strip().splitlines()[0]


@dataclass(frozen=True)
class Exercise:
    """One exercise.

    Args:
        number: its place in the series, from easy to hard.
        title: what to do, in a few words.
        starter: where the reader begins; its name is the name that a solution must have.
        solution: a worked solution.
        properties: what every correct solution has.
        mistakes: wrong solutions, each rejected by a property.
    """

    number: int
    title: str
    starter: Callable
    solution: Callable
    properties: tuple[Callable, ...]
    mistakes: tuple[Mistake, ...]

    @property
    def name(self) -> str:
        """The name of the function to write."""
        return self.starter.__name__

    @property
    def slug(self) -> str:
        """The name of its page and of its notebook: `01-causal-mask`."""
        return f"{self.number:02d}-{self.name.replace('_', '-')}"

    def check(self, candidate: Callable) -> list[Outcome]:
        """What becomes of each property when `candidate` is the solution."""
        return examine(candidate, self.properties)

    def resembling(self, outcomes: list[Outcome]) -> list[Mistake]:
        """The named mistakes that fail just as `outcomes` do: the same properties, the same things seen."""
        if all(outcome.holds for outcome in outcomes):
            return []
        return [mistake for mistake in self.mistakes if self.check(mistake.function) == outcomes]
