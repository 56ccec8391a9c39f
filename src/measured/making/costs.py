"""How long each piece of work takes: as it did here, else as a committed table says, in proportion."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from measured import files
from measured.archives import read_json
from measured.errors import MeasuredError
from measured.project import Project

DEAR = 5.0  # seconds of one run
DIGITS = 2  # of a second; what is left of it says nothing about other machines


@dataclass(frozen=True)
class Costs:
    """Seconds of each piece of work.

    Args:
        here: what it took here when it was last done.
        table: what it took of the processor's time on the machine that wrote the committed table.
        full: the same for full work, also where quick work is asked about.
    """

    here: Mapping[str, float]
    table: Mapping[str, float]
    full: Mapping[str, float]

    @classmethod
    def of(cls, project: Project) -> Costs:
        """Those of a project; the table is of full work, and says nothing about what quick work takes."""
        full = _numbers(_read(project.root / project.costs).get("seconds"))
        return cls(_taken_here(project), {} if project.quick else full, full)

    def is_dear(self, name: str) -> bool:
        """Whether a first look cannot wait for it, by the table; what a table lacks is dear."""
        return bool(self.full) and self.full.get(name, DEAR + 1) > DEAR

    def seconds(self, name: str) -> float | None:
        """What it may take here; None where nobody has ever done it."""
        if name in self.here:
            return self.here[name]
        return self.table[name] * self._slower if name in self.table else None

    @property
    def _slower(self) -> float:
        """How many times as long as the table says things take here."""
        both = [name for name in self.here if name in self.table]
        written = sum(self.table[name] for name in both)
        return sum(self.here[name] for name in both) / written if written else 1.0


def write(project: Project, declared: Collection[str]) -> int:
    """Write down what everything took here, for clones that have done nothing yet; how many things.

    The processor's, where they are known: what else a machine did meanwhile says nothing of another.

    Args:
        project: whose it is.
        declared: the names that it still makes; others were made once.
    """
    found = {**_taken_here(project), **_taken_here(project, "processor")}
    taken = {name: round(found[name], DIGITS) for name in sorted(found) if name in declared}
    files.write_json(project.root / project.costs, {"seconds": taken})
    return len(taken)


def _taken_here(project: Project, what: str = "seconds") -> dict[str, float]:
    found = {path.stem: _read(path).get(what) for path in sorted(project.timings.glob("*.json"))}
    return _numbers(found)


def _read(path: Path) -> Mapping[str, object]:
    try:
        found = read_json(path)
    except MeasuredError:
        return {}
    return found if isinstance(found, dict) else {}


def _numbers(found: object) -> dict[str, float]:
    if not isinstance(found, dict):
        return {}
    return {
        name: float(value)
        for name, value in found.items()
        if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0
    }
