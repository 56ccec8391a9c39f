"""Where each number comes from: the line that declares it, the run that made it, what it may drift to."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from measured.gate.stored import Expectation
from measured.located import is_source
from measured.making.running import place_of
from measured.project import Project
from measured.site.code_pages import Place
from measured.site.declared import ENGINE, declared
from measured.terms import evidence
from measured.terms.claims import Judgement
from measured.terms.cpu import widest_vectors
from measured.terms.measurement import Measurement, Value
from measured.terms.record import Record
from measured.terms.trial import Confirmed
from measured.weaving.references import Library, typeset

CARDS = "data/cards"  # a file for each page


def places(library: Library, project: Project) -> dict[str, Place]:
    """The line of each measurement and each claim, by `key_of`; where none is written, the experiment's.

    Read from the sources as they are: a comment moves lines, and makes no record again.
    """
    lines = declared(project)
    found: dict[str, Place] = {}
    for record in library.records.values():
        function = _measured_at(record, project)
        for name, measurement in record.measurements.items():
            place = lines.of_measurement(measurement, older=library.is_partial)
            found[key_of(name, "measurement")] = place or function
        for name in record.claims:
            found[key_of(name, "claim")] = lines.of_claim(name) or function
    return found


def _measured_at(record: Record, project: Project) -> Place:
    """The line of the function that measured it, as the source is now."""
    declared_here = project.declared.get(record.experiment)
    if declared_here is None:
        return Place(record.source.partition(":")[0], 1)
    return Place.read(place_of(project.root, declared_here.measure))


def key_of(name: str, kind: str) -> str:
    """What `places` calls a claim or a measurement; one of each may have the same id."""
    return name if kind == "measurement" else f"claim {name}"


def source_files(record: Record, project: Project) -> list[Path]:
    """The files that made a record, the measuring function's first; only those inside the project."""
    first = project.root / record.source.partition(":")[0]
    modules = [name.removeprefix("module ") for name in record.fingerprint if name.startswith("module ")]
    # To look for a module imports the package that holds it: a record may name our own packages alone.
    modules = [name for name in modules if name.split(".")[0] in (*project.packages, ENGINE)]
    specs = [find_spec(name) for name in modules]
    paths = [Path(spec.origin).resolve() for spec in specs if spec is not None and spec.origin]
    others = [path for path in paths if is_source(path, project.root)]
    return list(dict.fromkeys([first, *others]))


@dataclass(frozen=True)
class Commit:
    """The hosted state of the code: a link is only made to a file that stands there as it stands here.

    Args:
        repository: its address.
        sha: the commit.
        changed: paths in the repository that differ from it.
        folder: the project's own in the repository, with `/` at its end; empty where it is all of it.
    """

    repository: str
    sha: str
    changed: frozenset[str]
    folder: str = ""

    def link(self, place: Place) -> str:
        """The address of a line in the hosted repository, or nothing where its form is not known."""
        hostname = urlsplit(self.repository).hostname or ""
        form = next((f for host, f in _FORMS.items() if host in hostname), "")
        path = self.folder + place.path
        if not form or path in self.changed:
            return ""
        where = {"sha": self.sha, "path": path, "line": place.line}
        return form.format(repository=self.repository.rstrip("/"), **where)


_FORMS = {
    "github": "{repository}/blob/{sha}/{path}#L{line}",
    "gitlab": "{repository}/-/blob/{sha}/{path}#L{line}",
    "bitbucket": "{repository}/src/{sha}/{path}#lines-{line}",
    "codeberg": "{repository}/src/commit/{sha}/{path}#L{line}",
    "gitea": "{repository}/src/commit/{sha}/{path}#L{line}",
}


def commit_of(root: Path, repository: str | None) -> Commit | None:
    """The commit that the project stands at, if an address is configured and there is a commit."""
    if not repository:
        return None
    sha = _git(root, "rev-parse", "HEAD")
    if sha is None:
        return None
    changed = _git(root, "status", "--porcelain", "--no-renames", "--untracked-files=all") or ""
    folder = (_git(root, "rev-parse", "--show-prefix") or "").strip()
    paths = frozenset(line[3:].strip('"') for line in changed.splitlines())
    return Commit(repository, sha.strip(), paths, folder)


def _git(root: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(root), *arguments], capture_output=True, text=True, check=False
        )
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None


def drift(measurement: Measurement, expectation: Expectation | None) -> str:
    """How far the value stands from the stored one, in units of its tolerance, in words."""
    if expectation is None:
        return "nothing stored"
    if measurement.tolerance.kind in ("at_most", "at_least"):
        bound = float(expectation.value)
        return f"{float(measurement.value) / bound:.2g} of the bound" if bound else "bound 0"
    if isinstance(measurement.value, str) or isinstance(expectation.value, str):
        return "same" if measurement.value == expectation.value else "changed"
    change, width = float(measurement.value) - float(expectation.value), expectation.width()
    if change == 0:
        return "0"
    return f"{change / width:+.2f}" if width else "changed"


def run_in_words(environment: Mapping[str, Any]) -> str:
    """Versions and CPU class of a run, in one line."""
    versions = ", ".join(f"{name} {version}" for name, version in environment["versions"].items())
    threads = environment["settings"].get("OMP_NUM_THREADS", "")
    vectors = widest_vectors(environment["cpu_features"])
    alone = ", one thread a process" if threads == "1" else f", {threads} threads" if threads else ""
    return (
        f"Python {environment['python']}, {versions}; "
        f"{environment['system']} {environment['machine']}{f' with {vectors}' if vectors else ''}{alone}"
    )


@dataclass(frozen=True)
class Provenance:
    """All that cards and the page of measurements say, gathered once.

    Args:
        library: the records.
        stored: the stored expectations by measurement.
        places: the line of each measurement and claim.
        pages: for each measurement, the pages that show it.
        claimed: for each claim, the pages that make it.
        source: a path in the site for a place in the code.
        commit: the hosted state, where there is one.
        confirmed: what fresh seeds said, by claim.
        taken: what was taken over and not measured here, in words, by experiment.
    """

    library: Library
    stored: Mapping[str, Expectation]
    places: Mapping[str, Place]
    pages: Mapping[str, list[str]]
    claimed: Mapping[str, list[str]]
    source: Callable[[Place], str]
    commit: Commit | None = None
    confirmed: Mapping[str, Confirmed] = field(default_factory=dict)
    taken: Mapping[str, str] = field(default_factory=dict)

    def cards(self, page: str) -> dict[str, Any]:
        """The data of a page's cards: of the numbers that it shows and the claims that it makes."""
        numbers = [m for m in self.library.measurements.values() if page in self.pages.get(m.id, [])]
        claims = {name for name in self.library.claims if page in self.claimed.get(name, [])}
        asked = {self.library.owner[m.id].experiment for m in numbers}
        records = {
            name: record
            for name, record in self.library.records.items()
            if name in asked or claims.intersection(record.claims)
        }
        return {
            "experiments": {
                name: {
                    "question": r.question,
                    "run": run_in_words(r.environment),
                    **({"taken": self.taken[name]} if name in self.taken else {}),
                }
                for name, r in records.items()
            },
            "measurements": {m.id: self._card(m) for m in numbers},
            "claims": {
                name: {
                    "words": claim.words,
                    "margin": claim.margin,
                    "saw": {key: plain(value) for key, value in claim.saw.items()},
                    **_tests_of(claim, self.confirmed.get(name, Confirmed())),
                    "experiment": record.experiment,
                    **self._code(key_of(name, "claim")),
                }
                for record in records.values()
                for name, claim in record.claims.items()
                if name in claims
            },
        }

    def _card(self, m: Measurement) -> dict[str, Any]:
        expectation = self.stored.get(m.id)
        spread = m.spread
        card = {
            "words": m.description,
            "scope": self.library.owner[m.id].scopes.get(m.id, ""),
            "value": plain(m.value),
            "display": typeset(m.display(), m.value),
            "unit": m.unit,
            "allowed": expectation.allowed() if expectation else "",
            "stored": plain(expectation.value) if expectation else None,
            "moves": _may_move(expectation) if expectation else "",
            "drift": drift(m, expectation),
            "reason": m.tolerance.reason,
            "experiment": self.library.owner[m.id].experiment,
            "seeds": list(m.seeds),
            "spread": {k: spread[k] for k in ("min", "max", "sd", "standard_error")} if spread else None,
            "interval": _interval_in_words(m),
            **self._code(m.id),
        }
        return {key: value for key, value in card.items() if value not in (None, "", [])}

    def _code(self, name: str) -> dict[str, str]:
        place = self.places[name]
        hosted = self.commit.link(place) if self.commit else ""
        code = {"source": str(place), "code": self.source(place)}
        return {**code, "hosted": hosted} if hosted else code


def _may_move(expectation: Expectation) -> str:
    """How far the value may go before a build stops, in a sentence."""
    kind = expectation.tolerance.kind
    if kind in ("at_most", "at_least"):
        limit = "exceeds" if kind == "at_most" else "falls below"
        return f"The build stops if it {limit} {expectation.value:.3g}."
    width = None if isinstance(expectation.value, str) else expectation.width()
    if not width:
        return "The build stops if it changes."
    return f"The build stops if it moves by more than {width:.2g}."


def _tests_of(claim: Judgement, fresh: Confirmed) -> dict[str, Any]:
    """What a claim's card says beyond its words: conditions, how it would be false, on which seeds."""
    nulls = [
        f"{null['words']} (false in {1 - null['held']:.0%} of {null['worlds']:,})" for null in claim.nulls
    ]
    formed = f"formed on {seeds_in_words(claim)}; {fresh.in_words()}" if claim.seeds else ""
    formed += ": it says more than these support" if fresh.says_too_much else ""
    found = {
        "scope": claim.scope,
        "nulls": nulls,
        "exempt": claim.exempt,
        "formed": formed,
        "carries": claim.carries,
    }
    return {key: value for key, value in found.items() if value}


def seeds_in_words(claim: Judgement) -> str:
    """On how many seeds a claim was formed: `5 seeds`."""
    return "1 seed" if len(claim.seeds) == 1 else f"{len(claim.seeds)} seeds"


def _interval_in_words(m: Measurement) -> str:
    """Where the statistic that is shown lies, by its samples; nothing where there are none."""
    found = evidence.interval(m.samples, m.statistic) if len(m.samples) > 1 else None
    return found.in_words() if found else ""


def plain(value: Value) -> Value:
    """A value for JSON, which has no word for NaN and infinity."""
    return value if not isinstance(value, float) or value - value == 0 else str(value)
