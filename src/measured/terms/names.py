"""Names that are one thing's alone: of two measurements, claims, tables or runs the last would win."""

from __future__ import annotations

from collections.abc import Iterable

from measured.errors import MeasuredError


def refuse_shared(named: Iterable[tuple[str, str]], what: str) -> None:
    """Refuse a name that two things bear, also where only capitals tell them apart: files may not.

    Args:
        named: each name, and who declares it.
        what: what is named: "measurement", "claim".

    Raises:
        MeasuredError: names both, and who declares them.
    """
    seen: dict[str, tuple[str, str]] = {}
    for name, owner in named:
        if name.casefold() not in seen:
            seen[name.casefold()] = name, owner
            continue
        first, first_owner = seen[name.casefold()]
        names = f"{name!r}" if name == first else f"{first!r} and {name!r}, which differ in capitals alone"
        owners = f"{owner}, twice" if owner == first_owner else f"{first_owner} and {owner}"
        raise MeasuredError(
            f"two {what}s are called {names}: in {owners}",
            expected=f"a name of its own for each {what}: of two, the last would win in silence",
            mend="rename one of them, or remove it",
        )
