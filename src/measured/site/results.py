"""What a site says and publishes of the results behind its numbers: where they were made, and an archive."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from measured.making.fingerprint import Sources
from measured.making.products import RecordProduct, RunProduct
from measured.project import Project
from measured.results.archive import ARCHIVE, FOLDER, INDEX, pack
from measured.site.provenance import run_in_words
from measured.terms.record import read_record


@dataclass(frozen=True)
class Results:
    """The runs and records of a project, as they are stored.

    Args:
        records: of every experiment, each with its runs.
    """

    records: tuple[RecordProduct, ...]

    @classmethod
    def of(cls, project: Project) -> Results:
        """All that are declared; in quick mode none, since nobody could take them over."""
        if project.quick:
            return cls(())
        sources = Sources(project.packages)  # nobody asks what they would be made from
        return cls(
            tuple(
                RecordProduct(
                    project,
                    experiment,
                    tuple(RunProduct(project, experiment, run, sources) for run in experiment.runs),
                    sources,
                )
                for experiment in project.declared.values()
            )
        )

    def files(self) -> Iterator[tuple[str, bytes]]:
        """One archive, and its index: a clone of the published site can start from them."""
        if self.records:
            archive, index = pack([run for record in self.records for run in record.runs], self.records)
            yield f"{FOLDER}/{ARCHIVE}", archive
            yield f"{FOLDER}/{INDEX}", index

    def taken_in_words(self) -> dict[str, str]:
        """For each experiment of which something was not measured here: what, and where it was."""
        said = {record.experiment.name: "; ".join(_taken(record)) for record in self.records}
        return {name: words for name, words in said.items() if words}


def _taken(record: RecordProduct) -> Iterator[str]:
    vouchers = [run.voucher() for run in record.runs if run.taken]
    machines = [_machine(voucher and voucher.environment) for voucher in vouchers]
    elsewhere = "taken over, measured on another machine: "
    if machines:
        told = "; or ".join(dict.fromkeys(machines))
        yield f"{len(machines)} of its {len(record.runs)} runs were {elsewhere}{told}"
    if record.taken:
        machine = _machine(read_record(record.files[0]).environment)
        yield f"its values were {'taken over as well' if machine in machines else elsewhere + machine}"


def _machine(environment: Mapping[str, Any] | None) -> str:
    return run_in_words(environment) if environment else "nothing is known of it"
