"""Scopes: under which conditions something was measured, in one plain sentence.

    Scope("One head with key_dim {key_dim}, embeddings that start as N(0, 1), {steps} updates with Adam.")

The sentence is the author's; every number in it comes from the experiment's parameters, so that it cannot
disagree with what was done. A sentence that holds a number typed by hand is refused. What a sentence does
not say, the parameters do: they are listed after it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from string import Formatter
from typing import Any

from measured.errors import MeasuredError

_TYPED = re.compile(r"(?<![\w(.,])\d[\d.,]*")
# A name and not a measure: N(0, 1), float32, x86_64.
_NAMES = re.compile(r"N\(0, 1\)|[A-Za-z_]+\d+\w*")


@dataclass(frozen=True)
class Scope:
    """The conditions of a measurement.

    Args:
        words: one sentence; `{name}` stands for a parameter of the experiment, `{name.count}` for how many it
            lists, `{name.first}` and `{name.last}` for the ends of a list.
        trained: whether models were trained; the seeds of others were drawn and looked at, no more.
        seeds: the parameters that hold the seeds of these trainings, for measurements that name none of
            their own (a count of models, one model alone); `{name.first}` is written `name.first`.

    Raises:
        MeasuredError: a number in the sentence that comes from no parameter.
    """

    words: str
    trained: bool = True
    seeds: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        text = "".join(literal for literal, *_ in Formatter().parse(self.words))
        typed = _TYPED.search(_NAMES.sub("", text))
        if typed:
            raise MeasuredError(
                f"the scope {self.words!r} holds {typed[0]!r}, typed by hand",
                expected="a parameter of the experiment in braces: {steps}",
            )

    def text(self, parameters: Mapping[str, Any]) -> str:
        """The sentence, with the experiment's parameters in it.

        Raises:
            MeasuredError: it names a parameter that the experiment does not have.
        """
        found = {name for _, name, _, _ in Formatter().parse(self.words) if name}
        filled = {name: _shown(_looked_up(name, parameters, self.words)) for name in found}
        return re.sub(r"\{([a-z0-9_.]+)\}", lambda m: filled[m[1]], self.words)

    def formed_on(self, parameters: Mapping[str, Any]) -> tuple[int, ...]:
        """The seeds of these trainings, where the scope says by which parameters.

        Raises:
            MeasuredError: it names a parameter that the experiment does not have.
        """
        held = [_looked_up(name, parameters, self.words) for name in self.seeds]
        return tuple(
            seed for value in held for seed in (value if isinstance(value, list | tuple) else [value])
        )


def of_parameters(parameters: Mapping[str, Any]) -> str:
    """The conditions of what has no sentence of its own: its experiment's parameters, listed."""
    listed = [
        f"{name.replace('_', ' ')} {_shown(value)}"
        for name, value in parameters.items()
        if not isinstance(value, Mapping)
    ]
    return (
        f"Computed with {', '.join(listed)}." if listed else "No parameter: the same wherever it is computed."
    )


def _looked_up(name: str, parameters: Mapping[str, Any], words: str) -> Any:
    key, _, part = name.partition(".")
    if key not in parameters:
        raise MeasuredError(
            f"the scope {words!r} names {key}, which is no parameter of its experiment",
            expected=f"one of {', '.join(parameters)}",
        )
    value = parameters[key]
    parts = {"": lambda v: v, "count": len, "first": lambda v: v[0], "last": lambda v: v[-1]}
    if part not in parts:
        raise MeasuredError(f"the scope {words!r} asks for {name}", expected=f"{key}.count, .first or .last")
    return parts[part](value)


def _shown(value: Any) -> str:
    """A parameter as prose shows it: 20,000; 0.003; 8, 12 and 16; 0 to 4."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, list | tuple):
        return _listed(value)
    return str(value)


def _listed(values: list | tuple) -> str:
    numbers = all(isinstance(v, int) and not isinstance(v, bool) for v in values)
    if numbers and len(values) > 2 and list(values) == list(range(values[0], values[0] + len(values))):
        return f"{values[0]:,} to {values[-1]:,}"
    shown = [_shown(v) for v in values]
    return " and ".join([*([", ".join(shown[:-1])] if shown[:-1] else []), *shown[-1:]])
