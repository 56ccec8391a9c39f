"""Expressions of pages: references and arithmetic over them, and nothing else of Python.

Pages are text that somebody sends; what stands in their braces must reach no class, no module, no method of
a text, and ask for no more memory or time than a number needs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jinja2 import StrictUndefined
from jinja2.ext import Extension
from jinja2.runtime import LoopContext
from jinja2.sandbox import ImmutableSandboxedEnvironment

from measured.errors import MeasuredError

_LARGEST_POWER = 64


class Sandbox(ImmutableSandboxedEnvironment):
    """An environment whose templates may call what they were given, and calculate with numbers."""

    intercepted_binops = frozenset({"*", "**", "%"})

    def __init__(self, tags: type[Extension]) -> None:
        super().__init__(
            undefined=StrictUndefined,
            comment_start_string="{##",
            comment_end_string="##}",
            keep_trailing_newline=True,
            extensions=[tags],
            autoescape=False,
        )
        self.globals.clear()
        self.filters.clear()
        self.weaving: Any = None  # for the tags; no name of a template's

    def give(self, names: dict[str, Any], filters: dict[str, Callable[..., Any]]) -> None:
        """What templates may name, and call."""
        self.globals.update(names)
        self.filters.update(filters)

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        """Steps of a reference, and the numbers at their ends; no attribute of anything of Python's."""
        own = type(obj).__module__.startswith("measured.") or isinstance(obj, LoopContext)
        return own and not attr.startswith("_")

    def is_safe_callable(self, obj: Any) -> bool:
        """Functions of the engine; no method of a text, a list, a class."""
        module = getattr(obj, "__module__", None) or ""
        return not isinstance(obj, type) and module.startswith(("measured.", "jinja2.runtime"))

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        """Numbers alone are multiplied: a text that is repeated, or a power of powers, fills any memory."""
        if isinstance(left, str | list | tuple | dict) or isinstance(right, str | list | tuple | dict):
            raise MeasuredError(f"the expression applies {operator} to a text or a list", expected="numbers")
        if operator == "**" and not abs(getattr(right, "value", right)) <= _LARGEST_POWER:
            raise MeasuredError(
                f"the expression has a power beyond {_LARGEST_POWER}", expected="a smaller one"
            )
        return super().call_binop(context, operator, left, right)
