"""Claims that could not fail: those that still hold in a world where their sentence is false."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from difflib import get_close_matches

from measured.counting import counted
from measured.errors import MeasuredError
from measured.located import declaration_of
from measured.project import Project
from measured.terms.claims import Judgement

_ID = re.compile(r"[a-z]\w*(?:\.\w+)+")


def refuse_vacuous(project: Project) -> str:
    """Look at what each claim's null worlds found.

    Args:
        project: whose claims; measured.

    Returns:
        What was looked at, in words.

    Raises:
        MeasuredError: names each claim that is vacuous, where it is declared, and what to ask for.
    """
    records = project.read_records().values()
    claims = [claim for record in records for claim in record.claims.values()]
    known = {name for record in records for name in record.measurements}
    told = [line for claim in claims for line in _told(claim, known, project)]
    if told:
        raise MeasuredError(
            f"{counted(len(told), 'fault')} in what claims rest on; nothing was published\n  "
            + "\n  ".join(told),
            expected="claims that are false in each world where their sentence is",
            mend="mend the predicate, the null, or the sentence; the nulls, and what each is for, are in the "
            "engine's reference, and in: python -m pydoc measured.terms.null",
        )
    tried = [claim for claim in claims if claim.holds]
    nulls = [null for claim in tried for null in claim.nulls]
    worlds = counted(sum(null["worlds"] for null in nulls), "world")
    exempt = sum(bool(claim.exempt) for claim in tried)
    false = [claim.id for claim in claims if not claim.holds]
    hold = counted(len(tried), "claim that holds", "claims that hold")
    return (
        f"{hold}, each false in its null worlds ({counted(len(nulls), 'null')}, {worlds}); "
        f"{exempt} without a natural null"
        + (f"; no page may make what does not hold: {', '.join(false)}" if false else "")
    )


def _told(claim: Judgement, known: Set[str], project: Project) -> Iterator[str]:
    if not claim.vacuous:
        return
    place = declaration_of("Claim", claim.id, project.packages, project.root)
    where = f"{place[0]}:{place[1]}: " if place else ""
    # That the only part of a predicate holds in every null world, each null has said by then.
    problems = [said for said in claim.vacuous if not said.startswith("part 1 of 1 ")]
    for problem in problems or claim.vacuous:
        yield f"{where}{claim.id}: {problem}{_perhaps(problem, known)}"


def _perhaps(problem: str, known: Set[str]) -> str:
    """Which measurements may have been meant by an id that is none."""
    ids = [word for word in _ID.findall(problem) if word not in known]
    close = dict.fromkeys(near for word in ids for near in get_close_matches(word, known, 1))
    return f"; did you mean {', '.join(close)}?" if "nothing of that id" in problem and close else ""
