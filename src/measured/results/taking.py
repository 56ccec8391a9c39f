"""Taking runs over instead of making them: those whose key is the wanted one, whole, and nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from measured import files
from measured.errors import MeasuredError
from measured.making import fitting
from measured.making.products import RunProduct
from measured.making.vouchers import Voucher, key_of
from measured.making.workflow import Job
from measured.project import Project
from measured.results.fetching import BadAddress
from measured.results.offers import Offer, OtherRun, offered

Say = Callable[[str], None]

SHOWN = 3  # refusals that are told one by one


@dataclass
class Taken:
    """What became of the runs that were asked for."""

    taken: list[str] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)
    other: dict[str, str] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)


def take_over(project: Project, stale: Sequence[Job], address: str, say: Say) -> int:
    """Take over what is missing here and can be had; what cannot is measured by whoever asked.

    Args:
        project: which lacks them.
        stale: what would be made; only runs are taken.
        address: a folder, an archive, or the address of a published site.
        say: receives what was taken, from where, and what was refused.

    Returns:
        How many were taken.

    Raises:
        MeasuredError: a folder or an archive is not there, or the disk cannot be written.
    """
    runs = [job.product for job in stale if isinstance(job.product, RunProduct)]
    if not runs:
        return 0
    wanted = {run.name: key_of(run.inputs()) for run in runs}
    found = Taken()
    try:
        with offered(address, project.root, wanted, project.build / "fetched") as offer:
            for run in runs:
                _take(project, run, wanted[run.name], offer, found)
    except (BadAddress, _NotStored):
        raise
    except MeasuredError as error:
        say(f"taken over: {len(found.taken) or 'nothing'} from {address}: {error}")
        say("  what is missing is measured here")
        return len(found.taken)
    _tell(found, len(runs), address, say)
    return len(found.taken)


class _NotStored(MeasuredError):
    """The disk cannot be written: nothing that a sender could mend."""


def _take(project: Project, run: RunProduct, key: str, offer: Offer, found: Taken) -> None:
    try:
        there = offer.find(run.name, key)
        if there is None:
            found.absent.append(run.name)
            return
        voucher = Voucher.parse(there.voucher)
        misfit = fitting.misfit(voucher, run.inputs(), project.root)
        if misfit:
            found.other[run.name] = misfit
            return
        arrays = there.arrays(voucher.arrays)
        fitting.refuse_other_arrays(voucher, arrays)
    except OtherRun as error:
        found.other[run.name] = error.problem
        return
    except MeasuredError as error:
        found.refused[run.name] = error.problem
        return
    _store(run, arrays, voucher)
    found.taken.append(run.name)


def _store(run: RunProduct, arrays: bytes, voucher: Voucher) -> None:
    place, vouching = run.files
    try:
        files.write_bytes(place, arrays)
        files.write_bytes(vouching, replace(voucher, taken=True).as_bytes())
    except MeasuredError as error:
        raise _NotStored(error.problem, path=error.path, mend=error.mend) from error


def _tell(found: Taken, asked: int, address: str, say: Say) -> None:
    left = [f"{len(found.absent)} are not there"] if found.absent else []
    if found.other:
        left.append(f"{len(found.other)} are of other code, data or versions")
    if found.refused:
        left.append(f"{len(found.refused)} are refused")
    say(
        f"taken over: {len(found.taken)} of {asked} runs from {address}" + "".join(f"; {one}" for one in left)
    )
    for name in list(found.other)[:1]:
        say(f"  other: {name}: {found.other[name]}")
    counted = Counter(found.refused.values())
    for reason, count in counted.most_common(SHOWN):
        name = next(name for name, why in found.refused.items() if why == reason)
        say(f"  refused: {name}{f' and {count - 1} more' if count > 1 else ''}: {reason}")
