"""The line that declares each measurement and each claim, read from the project's own packages.

Where a family is constructed, there its measurements are declared; where a claim or a single measurement
is constructed, there it is. Ids are compared, never likened: whoever only reads a number writes the same
id, but constructs nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from measured.errors import MeasuredError
from measured.files import read_text
from measured.project import Project
from measured.site.code_pages import Place
from measured.terms.measurement import Measurement

CONSTRUCTORS = ("Family", "Measurement", "Claim")
ENGINE = __name__.partition(".")[0]


@dataclass(frozen=True)
class Declared:
    """The places of all that is declared, by constructor and by id as it is written in the source."""

    places: Mapping[tuple[str, str], Place]

    def of_measurement(self, measurement: Measurement, older: bool = False) -> Place | None:
        """Where its family is declared, or itself; None if its id is put together while measuring.

        Args:
            measurement: of a record.
            older: whether the record may be older than the code, as in a preview; then None for a family that
                nothing declares any more.

        Raises:
            MeasuredError: no package of the project declares its family.
        """
        if not measurement.family:
            return self.places.get(("Measurement", measurement.id))
        place = self.places.get(("Family", measurement.family))
        if place is None and not older:
            raise MeasuredError(
                f"{measurement.id} is of the family {measurement.family}, which no package declares",
                expected="Family(…) in a package of the project, its id written out",
                mend="declare it there, or, where the record is older than the code, run: nox -s build",
            )
        return place

    def of_claim(self, id_: str) -> Place | None:
        """Where the claim is declared; None if its id is put together."""
        return self.places.get(("Claim", id_))


def declared(project: Project) -> Declared:
    """Read the project's packages, the engine aside.

    Raises:
        MeasuredError: the same id is declared twice, or a family's id is not written out.
    """
    places: dict[tuple[str, str], Place] = {}
    for path in _sources(project):
        for constructor, id_, line in _constructed(path):
            place = Place(path.relative_to(project.root).as_posix(), line)
            if (constructor, id_) in places:
                raise MeasuredError(
                    f"{constructor} {id_} is declared twice, here and at {places[constructor, id_]}",
                    path=place.path,
                    line=line,
                    expected="an id of its own, so that its numbers lead to one line",
                )
            places[constructor, id_] = place
    return Declared(places)


def _sources(project: Project) -> Iterator[Path]:
    for package in project.packages:
        spec = find_spec(package) if package != ENGINE else None
        for folder in (spec.submodule_search_locations or ()) if spec else ():
            for path in sorted(Path(folder).resolve().rglob("*.py")):
                if path.is_relative_to(project.root):
                    yield path


def _constructed(path: Path) -> Iterator[tuple[str, str, int]]:
    """What is constructed in a file: by what, its id, and the line of the id."""
    text = read_text(path)
    if not any(f"{constructor}(" in text for constructor in CONSTRUCTORS):
        return
    for call in (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)):
        constructor = getattr(call.func, "id", getattr(call.func, "attr", ""))
        if constructor not in CONSTRUCTORS:
            continue
        given = [*call.args[:1], *(keyword.value for keyword in call.keywords if keyword.arg == "id")]
        if given and isinstance(given[0], ast.Constant) and isinstance(given[0].value, str):
            yield constructor, given[0].value, given[0].lineno
        elif constructor == "Family":
            raise MeasuredError(
                "a family's id is put together",
                path=path,
                line=call.lineno,
                expected="the id written out, with holes: scale.max_weight.{way}.d{d}",
            )
