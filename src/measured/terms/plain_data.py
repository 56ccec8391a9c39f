"""From plain data, as JSON holds it, to the engine's own terms: every field of its type, none unknown.

The types are those of the dataclass itself, so that a field is declared once.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Any, TypeVar

from measured.errors import MeasuredError

Term = TypeVar("Term")


def build(kind: type[Term], data: Any, **ready: Any) -> Term:
    """A term from its fields.

    Args:
        kind: a dataclass.
        data: its fields by name, as JSON gives them; a field with a default may be absent.
        ready: fields that were built elsewhere.

    Raises:
        MeasuredError: a field is missing, unknown, or of another type.
    """
    fields = {field.name: field for field in dataclasses.fields(kind)}  # type: ignore[arg-type]
    needed = {
        name
        for name, field in fields.items()
        if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
    }
    what = f"a {kind.__name__.lower()}"
    check_keys(data, needed - set(ready), what, may=set(fields) - set(ready))
    values = {}
    for name, value in data.items():
        if not _fits(value, _types_of(kind)[name]):
            raise MeasuredError(f"gives {what} a {name} of another type: {str(value)[:60]!r}")
        values[name] = tuple(value) if isinstance(value, list) else value
    return kind(**values, **ready)


def check_keys(data: Any, needed: Collection[str], what: str, may: Collection[str] = ()) -> None:
    """Refuse anything but an object with these keys.

    Raises:
        MeasuredError: one is missing or unknown.
    """
    if not isinstance(data, dict):
        raise MeasuredError(f"has {what} that is no object")
    missing, unknown = sorted(set(needed) - set(data)), sorted(set(data) - set(needed) - set(may))
    if missing:
        raise MeasuredError(f"lacks or garbles {what}: no {', '.join(missing)}")
    if unknown:
        raise MeasuredError(f"has {what} with {str(unknown[0])[:60]!r}, which this engine does not know")


def items(data: Any, what: str) -> list[Any]:
    """The items of a list.

    Raises:
        MeasuredError: it is none.
    """
    if not isinstance(data, list):
        raise MeasuredError(f"lacks or garbles {what}")
    return data


def text(data: Any, what: str) -> str:
    """A text.

    Raises:
        MeasuredError: it is none.
    """
    if not isinstance(data, str):
        raise MeasuredError(f"lacks or garbles {what}")
    return data


@cache
def _types_of(kind: type) -> dict[str, Any]:
    return typing.get_type_hints(kind)


def _fits(value: Any, wanted: Any) -> bool:
    """Whether plain data is what an annotation says; a whole number may stand for a float."""
    origin, of = typing.get_origin(wanted), typing.get_args(wanted)
    if wanted is Any:
        return True
    if origin in (typing.Union, types.UnionType):
        return any(_fits(value, one) for one in of)
    if origin is not None and issubclass(origin, Mapping):
        return isinstance(value, dict) and all(_fits(v, of[1]) for v in value.values())
    if origin is not None and issubclass(origin, Sequence):
        return isinstance(value, list) and all(_fits(item, of[0]) for item in value)
    if wanted is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if wanted is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, wanted)
