"""A figure's drawing in fewer bytes, for the page that holds it: the same picture to the last coordinate."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from functools import lru_cache

_PATH = re.compile(r'(?<= d=")[^"]*(?=")')
_STEP = re.compile(r"([A-Za-z])([^A-Za-z]*)")
_NUMBER = re.compile(r"-?[\d.]+")
# How many numbers a step of a path has that can be written anew.
_NUMBERS = {"M": 2, "L": 2, "H": 1, "V": 1, "C": 6, "Z": 0, "z": 0}
_NOTHING = re.compile(r"<g></g>|<g/>")


@lru_cache(maxsize=64)
def compact(svg: str) -> str:
    """Each step of a line says how far it goes, not where it ends, and groups that hold nothing go."""
    svg = _PATH.sub(lambda match: _shorter(match[0]), svg)
    while (smaller := _NOTHING.sub("", svg)) != svg:
        svg = smaller
    return svg


def _shorter(path: str) -> str:
    """A path of absolute steps, each from the one before; any other path stays as it is."""
    made, here, start = [], (Decimal(0), Decimal(0)), (Decimal(0), Decimal(0))
    for command, rest in _STEP.findall(path):
        numbers = [Decimal(number) for number in _NUMBER.findall(rest)]
        if _NUMBERS.get(command) != len(numbers) or _NUMBER.sub("", rest).strip(" ,\n"):
            return path
        if command == "M":
            made.append(f"M{_joined(numbers)}")
            here = start = (numbers[0], numbers[1])
        elif command in "Zz":
            made.append("z")
            here = start
        else:
            step, here = _step(command, numbers, here)
            made.append(step)
    if not made or "".join(command + rest for command, rest in _STEP.findall(path)) != path:
        return path
    shorter = "".join(made)
    return shorter if len(shorter) < len(path) else path


def _step(
    command: str, numbers: Sequence[Decimal], here: tuple[Decimal, Decimal]
) -> tuple[str, tuple[Decimal, Decimal]]:
    """A step from here, and where it ends; along an axis it names one number."""
    x, y = here
    if command == "H":
        return f"h{_joined([numbers[0] - x])}", (numbers[0], y)
    if command == "V":
        return f"v{_joined([numbers[0] - y])}", (x, numbers[0])
    moved = [number - (y if i % 2 else x) for i, number in enumerate(numbers)]
    end = (numbers[-2], numbers[-1])
    if command == "L" and not moved[1]:
        return f"h{_joined(moved[:1])}", end
    if command == "L" and not moved[0]:
        return f"v{_joined(moved[1:])}", end
    return command.lower() + _joined(moved), end


def _joined(numbers: Sequence[Decimal]) -> str:
    """Numbers without zeros that say nothing, apart where they must be."""
    texts = [re.sub(r"^(-?)0\.", r"\1.", format(number.normalize() + 0, "f")) for number in numbers]
    return texts[0] + "".join(text if text.startswith("-") else f" {text}" for text in texts[1:])
