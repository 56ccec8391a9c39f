"""A figure's drawing in fewer bytes, for the page that holds it: the same picture to the last coordinate."""

from __future__ import annotations

import re
from functools import lru_cache

_PATH = re.compile(r'(?<= d=")[^"]*(?=")')
_STEP = re.compile(r"([A-Za-z])([^A-Za-z]*)")
_NOTHING = re.compile(r"<g></g>|<g/>")


@lru_cache(maxsize=64)
def compact(svg: str) -> str:
    """Lines along an axis name one coordinate, and groups that hold nothing go."""
    svg = _PATH.sub(lambda match: _shorter(match[0]), svg)
    while (smaller := _NOTHING.sub("", svg)) != svg:
        svg = smaller
    return svg


def _shorter(path: str) -> str:
    """A path of absolute steps; any other stays as it is."""
    steps = _STEP.findall(path)
    if "".join(command + rest for command, rest in steps) != path:
        return path
    made, here = [], None
    for command, rest in steps:
        numbers = re.findall(r"-?[\d.]+(?:e-?\d+)?", rest)
        if command == "L" and len(numbers) == 2 and here is not None:
            x, y = numbers
            made.append(f"H{x}" if y == here[1] else f"V{y}" if x == here[0] else f"L{x} {y}")
        else:
            made.append(command + rest)
        here = numbers[-2:] if command in "MLCQ" and len(numbers) >= 2 else None
    return "".join(made)
