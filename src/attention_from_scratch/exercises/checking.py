"""Try a solution against properties, and say which hold, what was seen where one does not, and a hint.

A property is a function that takes the candidate. The first line of its docstring says what holds, the rest
is the hint. It returns when the property holds, and calls `require` with what it saw when not.
"""

import inspect
import textwrap
import warnings
from dataclasses import dataclass

import numpy as np

INDENT, WIDTH = " " * 8, 70


class Broken(AssertionError):
    """A property does not hold; the text says what was seen."""


def require(condition, seen):
    """Go on if `condition` is true; otherwise stop with what was seen.

    Unlike `assert`, this stays awake under `python -O`.
    """
    if not condition:
        raise Broken(seen)


@dataclass(frozen=True)
class Outcome:
    """What became of one property.

    Args:
        name: the property's function.
        sentence: what a correct solution has, in words.
        hint: where to look when it does not hold.
        seen: what was seen instead; empty where the property holds.
    """

    name: str
    sentence: str
    hint: str
    seen: str = ""

    @property
    def holds(self):
        """Whether the candidate has the property."""
        return not self.seen


def examine(candidate, properties):
    """One `Outcome` a property, in order. A candidate that raises does not have the property."""
    return [_examine_one(candidate, each) for each in properties]


def _examine_one(candidate, each):
    sentence, _, hint = inspect.getdoc(each).partition("\n\n")
    try:
        # A wrong solution overflows or divides by zero; the outcome says so once, without warnings.
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            each(candidate)
        seen = ""
    except Broken as broken:
        seen = str(broken)
    except Exception as error:
        text = " ".join(str(error).split())
        seen = f"your function raised {type(error).__name__}: {text}"[:200]
    return Outcome(each.__name__, " ".join(sentence.split()), " ".join(hint.split()), seen)


def report(name, outcomes, hints=True):
    """The outcomes as lines of text for a person; a page that folds its hints shows none here."""
    held = sum(outcome.holds for outcome in outcomes)
    lines = [f"{name}: {held} of {len(outcomes)} properties hold"]
    for outcome in outcomes:
        lines += _wrapped(f"  {'ok  ' if outcome.holds else 'FAIL'}  ", outcome.sentence)
        if not outcome.holds:
            lines += _wrapped(f"{INDENT}seen: ", outcome.seen)
            lines += _wrapped(f"{INDENT}hint: ", outcome.hint) if hints else []
    return "\n".join(lines)


def _wrapped(label, text):
    """The text after its label, in lines that fit beside a narrow page's margins."""
    return textwrap.wrap(
        text, WIDTH, initial_indent=label, subsequent_indent=" " * len(label), break_on_hyphens=False
    )
