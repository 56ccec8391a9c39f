"""What a site says and publishes of the runs behind its numbers: who may start from them, who made them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from measured.making.products import RunProduct
from measured.making.workflow import sources_of
from measured.project import Project
from measured.results.archive import ARCHIVE, FOLDER, INDEX, pack
from measured.site.provenance import run_in_words


@dataclass(frozen=True)
class Runs:
    """The runs of a project, as they are stored."""

    products: tuple[RunProduct, ...]

    @classmethod
    def of(cls, project: Project) -> Runs:
        """All that are declared; in quick mode none, since nobody could take them over."""
        if project.quick:
            return cls(())
        sources = sources_of(project)
        return cls(
            tuple(
                RunProduct(project, experiment, run, sources)
                for experiment in project.declared.values()
                for run in experiment.runs
            )
        )

    def files(self) -> Iterator[tuple[str, bytes]]:
        """One archive, and its index: a clone of the published site can start from them."""
        if self.products:
            archive, index = pack(self.products)
            yield f"{FOLDER}/{ARCHIVE}", archive
            yield f"{FOLDER}/{INDEX}", index

    def taken_in_words(self) -> dict[str, str]:
        """For each experiment some of whose runs were not measured here: how many, and where they were."""
        found: dict[str, list[str]] = {}
        count: dict[str, int] = {}
        for product in self.products:
            name = product.experiment.name
            count[name] = count.get(name, 0) + 1
            voucher = product.voucher() if product.taken else None
            if voucher is not None:
                machine = (
                    run_in_words(voucher.environment) if voucher.environment else "nothing is known of it"
                )
                found.setdefault(name, []).append(machine)
        return {
            name: f"{len(machines)} of its {count[name]} runs were taken over, measured on another machine: "
            + "; or ".join(dict.fromkeys(machines))
            for name, machines in found.items()
        }
