"""How many of something, for people: 1 claim, 2 claims."""

from __future__ import annotations


def counted(number: int, noun: str, several: str = "") -> str:
    """The number and the noun, in its plural where there is not one.

    Args:
        number: how many.
        noun: in the singular.
        several: its plural, where that is no `s` more.
    """
    return f"{number:,} {noun if number == 1 else several or f'{noun}s'}"
