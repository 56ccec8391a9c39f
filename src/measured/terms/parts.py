"""Which parts of a predicate are false of what was measured."""

from __future__ import annotations

from measured.terms.claims import Claim
from measured.terms.experiment import Findings

_SHOWN = 6  # values of a part


def false_parts(claim: Claim, findings: Findings) -> list[str]:
    """The false ones among several parts that `every` joined, each with what it saw; none of one alone.

    Args:
        claim: does not hold of the findings.
        findings: what was measured.
    """
    try:
        legs = claim.predicate(findings).legs
    except Exception:  # noqa: BLE001 - that a predicate raises is told by its judgement
        return []
    return [
        f"part {number} of {len(legs)} is false: "
        + ", ".join(f"{name} = {value}" for name, value in [*leg.saw.items()][-_SHOWN:])
        for number, leg in enumerate(legs, 1)
        if not leg.holds
    ]
