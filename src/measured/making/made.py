"""The one question that everything made is asked: whether this is still what made it.

Whatever is made (a run, a record, a figure, a page's cells, the site) leaves beside it a fingerprint of
what it was made from, taken before the work. It is fresh while that is what there is now.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from measured.errors import MeasuredError
from measured.making.fingerprint import Fingerprint, HashOfCode, changes, hash_of_code
from measured.making.watching import read_now

SHOWN = 3  # changes that are named; the others are counted


@dataclass(frozen=True)
class Fresh:
    """It is what its inputs make.

    Args:
        found: what it was made from.
    """

    found: Fingerprint = field(default_factory=dict, compare=False)


@dataclass(frozen=True)
class Stale:
    """It has to be made anew.

    Args:
        why: what changed, in words.
    """

    why: str


class Product(Protocol):
    """Something that is made from something else."""

    name: str
    files: tuple[Path, ...]

    def inputs(self) -> Fingerprint:
        """What it would be made from now, as far as that is known before the work."""

    def found(self) -> Fingerprint | None:
        """What the one that is there was made from; None where there is none.

        Raises:
            MeasuredError: it is not whole, or somebody changed it by hand.
        """


def made(product: Product, root: Path, code: HashOfCode = hash_of_code) -> Fresh | Stale:
    """Whether a product is still what its inputs make.

    Args:
        product: a run, a record, a figure, a page's cells, the site.
        root: the project's folder; what was read of it while the product was made is read again.
        code: hashes a file of code, where somebody knows some of them.
    """
    try:
        found = product.found()
    except MeasuredError as error:
        return Stale(error.problem)
    if found is None:
        return Stale("never made")
    now = {**read_now(found, root, code), **product.inputs()}
    different = changes(found, now)
    if not different:
        return Fresh(found)
    more = f" and {len(different) - SHOWN} more" if len(different) > SHOWN else ""
    return Stale(", ".join(different[:SHOWN]) + more)
