"""Taking results over instead of making them: those whose key is the wanted one, whole, and nothing else.

Runs come first: what a record is measured from is part of its key.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from measured import files
from measured.errors import MeasuredError
from measured.making import fitting
from measured.making.made import Stale, made
from measured.making.products import RecordProduct, RunProduct
from measured.making.vouchers import Voucher, key_of
from measured.making.workflow import Job
from measured.project import Project
from measured.results.fetching import BadAddress
from measured.results.offers import Found, Offer, OtherResult, offered
from measured.results.records import read_sent

Say = Callable[[str], None]

SHOWN = 3  # refusals that are told one by one


@dataclass
class Taken:
    """What became of the runs, or of the records, that were asked for."""

    asked: int = 0
    taken: list[str] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)
    other: dict[str, str] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)


def take_over(project: Project, stale: Sequence[Job], address: str, say: Say) -> int:
    """Take over what is missing here and can be had; what cannot is measured by whoever asked.

    Args:
        project: which lacks it.
        stale: what would be made; runs and records are taken, figures are drawn here.
        address: a folder, an archive, or the address of a published site.
        say: receives what was taken, from where, and what was refused.

    Returns:
        How many runs and records were taken.

    Raises:
        MeasuredError: a folder or an archive is not there, or the disk cannot be written.
    """
    runs = [job.product for job in stale if isinstance(job.product, RunProduct)]
    records = [job.product for job in stale if isinstance(job.product, RecordProduct)]
    if not runs and not records:
        return 0
    of_runs, of_records = Taken(), Taken()
    wanted = {key_of(product.inputs()) for product in (*runs, *records)}
    try:
        with offered(address, project.root, wanted, project.build / "fetched") as offer:
            for run in runs:
                _take_run(project, run, offer, of_runs)
            for record in _still_missing(project, records, runs, of_runs):
                _take_record(project, record, offer, of_records)
    except (BadAddress, _NotStored):
        raise
    except MeasuredError as error:
        say(f"taken over: {_counted(of_runs, of_records) or 'nothing'} from {address}: {error}")
        say("  what is missing is measured here")
    else:
        _tell(of_runs, of_records, address, say)
    return len(of_runs.taken) + len(of_records.taken)


class _NotStored(MeasuredError):
    """The disk cannot be written: nothing that a sender could mend."""


def _still_missing(
    project: Project, records: Sequence[RecordProduct], stale: Sequence[RunProduct], found: Taken
) -> Iterator[RecordProduct]:
    """The records whose runs are all here and that fit none that is stored.

    Whose run is missing still is measured after it.
    """
    missing = {run.name for run in stale} - set(found.taken)
    for record in records:
        waits = missing.intersection(run.name for run in record.runs)
        if not waits and isinstance(made(record, project.root), Stale):
            yield record


def _take_run(project: Project, run: RunProduct, offer: Offer, found: Taken) -> None:
    with _counting(run.name, found):
        there = _there(offer.run(run.name, key_of(run.inputs())))
        voucher = Voucher.parse(there.voucher)
        _refuse_misfit(fitting.misfit(voucher.fingerprint, run.inputs(), project.root))
        arrays = there.arrays(voucher.arrays)
        fitting.refuse_other_arrays(voucher, arrays)
        place, vouching = run.files
        _store({place: arrays, vouching: replace(voucher, taken=True).as_bytes()})


def _take_record(project: Project, record: RecordProduct, offer: Offer, found: Taken) -> None:
    with _counting(record.name, found):
        there = _there(offer.record(record.name, key_of(record.inputs())))
        sent = read_sent(there, record, project.build / "fetched")
        _refuse_misfit(fitting.misfit(sent.record.fingerprint, record.inputs(), project.root))
        sent.refuse_other_words()
        vouching, arrays = record.files
        _store({record.mark: files.sha256(sent.data).encode(), arrays: sent.arrays, vouching: sent.data})


class _Absent(Exception):
    """Nobody offers it."""


def _there(offered_here: Found | None) -> Found:
    if offered_here is None:
        raise _Absent
    return offered_here


def _refuse_misfit(misfit: str) -> None:
    if misfit:
        raise OtherResult(misfit)


@contextmanager
def _counting(name: str, found: Taken) -> Iterator[None]:
    """Write down what became of one of them."""
    found.asked += 1
    try:
        yield
    except _Absent:
        found.absent.append(name)
    except OtherResult as error:
        found.other[name] = error.problem
    except _NotStored:
        raise
    except MeasuredError as error:
        found.refused[name] = error.problem
    else:
        found.taken.append(name)


def _store(contents: dict) -> None:
    """Write files, the one that vouches for the others last."""
    try:
        for place, data in contents.items():
            files.write_bytes(place, data)
    except MeasuredError as error:
        raise _NotStored(error.problem, path=error.path, mend=error.mend) from error


def _counted(of_runs: Taken, of_records: Taken) -> str:
    kinds = ((of_runs, "runs"), (of_records, "records"))
    return " and ".join(f"{len(found.taken)} {what}" for found, what in kinds if found.taken)


def _tell(of_runs: Taken, of_records: Taken, address: str, say: Say) -> None:
    told = [
        f"{len(found.taken)} of {found.asked} {what}{_left(found)}"
        for found, what in ((of_runs, "runs"), (of_records, "records"))
        if found.asked
    ]
    say(f"taken over from {address}: {', and '.join(told)}")
    for found in (of_runs, of_records):
        for name in list(found.other)[:1]:
            say(f"  other: {name}: {found.other[name]}")
        counted = Counter(found.refused.values())
        for reason, count in counted.most_common(SHOWN):
            name = next(name for name, why in found.refused.items() if why == reason)
            say(f"  refused: {name}{f' and {count - 1} more' if count > 1 else ''}: {reason}")


def _left(found: Taken) -> str:
    left = [f"{len(found.absent)} are not there"] if found.absent else []
    if found.other:
        left.append(f"{len(found.other)} are of other code, data or versions")
    if found.refused:
        left.append(f"{len(found.refused)} are refused")
    return f" ({'; '.join(left)})" if left else ""
