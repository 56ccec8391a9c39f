"""Claims that could not fail: those that still hold in a world where their sentence is false."""

from __future__ import annotations

from collections.abc import Mapping

from measured.errors import MeasuredError
from measured.terms.record import Record


def refuse_vacuous(records: Mapping[str, Record]) -> str:
    """Look at what each claim's null worlds found.

    Args:
        records: by experiment.

    Returns:
        What was looked at, in words.

    Raises:
        MeasuredError: names each claim that is vacuous, and what to ask for.
    """
    claims = [claim for record in records.values() for claim in record.claims.values()]
    told = [f"{claim.id}: {problem}" for claim in claims for problem in claim.vacuous]
    if told:
        raise MeasuredError(
            f"{len(told)} faults in what claims rest on; nothing was published\n  " + "\n  ".join(told),
            expected="claims that are false in each world where their sentence is",
            mend="mend the predicate, the null, or the sentence; see CONTRIBUTING.md, Claims that can fail",
        )
    nulls = [null for claim in claims for null in claim.nulls]
    worlds = sum(null["worlds"] for null in nulls)
    exempt = sum(bool(claim.exempt) for claim in claims)
    return (
        f"{len(claims)} claims, each false in its null worlds ({len(nulls)} nulls, {worlds:,} worlds); "
        f"{exempt} have no natural null"
    )
