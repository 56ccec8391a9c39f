"""Whether pages may be published from what stands in the build folder, whoever asks to build them.

The whole way (`nox -s build`) measures, compares and reads before it renders. Every other way into the site
generator finds the same question here: a page is no better checked for having been built by another command.
"""

from __future__ import annotations

from collections.abc import Iterable

from measured.errors import MeasuredError
from measured.gate import prose, verdicts
from measured.making import workflow
from measured.project import Project
from measured.terms.record import Record

COMMAND = "nox -s build"


def reasons_against(project: Project) -> list[str]:
    """What stands between these records and pages and a site, in words; empty where nothing does."""
    if project.quick:
        return ["quick records hold fewer draws and seeds, for authors"]
    reasons = []
    if stale := workflow.stale(project):
        first, *others = (f"{name}: {why}" for name, why in stale.items())
        reasons.append(
            f"records or figures are stale ({first}{f' and {len(others)} more' if others else ''})"
        )
    if not verdicts.passed(project):
        reasons.append("the gate has not passed for these records and stored values")
    if any(claim.vacuous for record in _records(project) for claim in record.claims.values()):
        reasons.append("a claim could not fail")
    if not prose.passed(project):
        reasons.append("these pages have not been read for numbers typed by hand")
    return reasons


def _records(project: Project) -> Iterable[Record]:
    """The records, where they can be read; where they cannot, they are stale, or the gate has not passed."""
    try:
        return project.read_records().values()
    except MeasuredError:
        return ()


def refuse(reasons: list[str]) -> None:
    """Stop a build that would publish what nobody checked.

    Raises:
        MeasuredError: names all that is missing, and the one command that does it.
    """
    if reasons:
        raise MeasuredError(
            f"nothing may be published from this: {'; '.join(reasons)}",
            expected="fresh records, a gate that passed for them, and pages that were read",
            mend=f"run: {COMMAND}",
        )
