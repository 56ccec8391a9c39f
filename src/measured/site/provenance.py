"""Where each number comes from: the line that names it, the run that made it, what it may drift to.

The lines are read from the source, not from a run: a measurement's line is where its id is written.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from measured.files import sha256_of_text, write_json
from measured.gate.stored import Expectation
from measured.making.fingerprint import digest
from measured.project import Project
from measured.site.code_pages import Place
from measured.terms.measurement import Measurement, Value
from measured.terms.record import Record
from measured.weaving.references import Library, typeset

CARDS = "data/cards.json"

# Calls that refer to a measurement that another line makes.
_REFERRING = {"Cell", "Claim", "Table", "Plot", "Run", "display", "measurement"}
_CONSTRUCTORS = {"measurement": "Measurement", "claim": "Claim"}


@dataclass(frozen=True)
class _Written:
    """A string of the source that may be an id: what it matches, how much of it is certain, and where."""

    pattern: re.Pattern[str]
    certain: int
    constructs: bool
    line: int


def places(library: Library, project: Project) -> dict[str, Place]:
    """The line of each measurement and each claim, by id; where none is found, its experiment's function.

    The lines follow from the sources, whose hashes the records hold: equal records have equal places.
    """
    kept = project.build / "places.json"
    parts = {name: digest(r.fingerprint) for name, r in library.records.items()}
    key = digest({**parts, "ids": repr(sorted(library.owner)), "reader": sha256_of_text(Path(__file__))})
    try:
        stored = json.loads(kept.read_text(encoding="utf-8"))
        if stored["of"] == key:
            return {name: Place.read(text) for name, text in stored["places"].items()}
    except (OSError, ValueError, KeyError, TypeError):
        pass  # never made, or half-written: read the sources
    found = _places(library, project)
    write_json(kept, {"of": key, "places": {name: str(place) for name, place in found.items()}})
    return found


def _places(library: Library, project: Project) -> dict[str, Place]:
    found: dict[str, Place] = {}
    for record in library.records.values():
        files = source_files(record, project)
        for kind, names in (("measurement", record.measurements), ("claim", record.claims)):
            for name in names:
                place = place_of(name, kind, files, project.root) or Place.read(record.source)
                found[key_of(name, kind)] = place
    return found


def key_of(name: str, kind: str) -> str:
    """What `places` calls a claim or a measurement; one of each may have the same id."""
    return name if kind == "measurement" else f"claim {name}"


def source_files(record: Record, project: Project) -> list[Path]:
    """The files that made a record, the measuring function's first; only those inside the project."""
    first = project.root / Place.read(record.source).path
    modules = [name.removeprefix("module ") for name in record.fingerprint if name.startswith("module ")]
    specs = [find_spec(name) for name in modules]
    paths = [Path(spec.origin).resolve() for spec in specs if spec is not None and spec.origin]
    others = [path for path in paths if path.is_relative_to(project.root)]
    return list(dict.fromkeys([first, *others]))


def place_of(name: str, kind: str, files: list[Path], root: Path) -> Place | None:
    """Where an id is written: the string that fixes most of it; in doubt, the call that constructs it."""
    best: tuple[tuple[int, bool], Place] | None = None
    for path in files:
        for written in _strings_of(path, _CONSTRUCTORS[kind]):
            rank = (written.certain, written.constructs)
            if (best is None or rank > best[0]) and written.pattern.fullmatch(name):
                best = rank, Place(path.relative_to(root).as_posix(), written.line)
        if best is not None:
            return best[1]
    return None


@cache
def _strings_of(path: Path, constructor: str) -> tuple[_Written, ...]:
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except (OSError, SyntaxError):
        return ()
    return tuple(_written(tree, constructor))


def _written(tree: ast.AST, constructor: str) -> Iterator[_Written]:
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        called = getattr(call.func, "id", getattr(call.func, "attr", ""))
        if called in _REFERRING - {constructor}:
            continue
        for argument in [*call.args, *(k.value for k in call.keywords)]:
            pattern, certain = _pattern(argument)
            if certain >= 3:
                yield _Written(re.compile(pattern), certain, called == constructor, argument.lineno)


def _pattern(node: ast.AST) -> tuple[str, int]:
    """A string or f-string as a regular expression, and how many of its letters are fixed."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return re.escape(node.value), len(node.value)
    if not isinstance(node, ast.JoinedStr):
        return "", 0
    parts = [str(p.value) if isinstance(p, ast.Constant) else None for p in node.values]
    return "".join(".+" if p is None else re.escape(p) for p in parts), sum(len(p or "") for p in parts)


@dataclass(frozen=True)
class Commit:
    """The hosted state of the code: a link is only made to a file that stands there as it stands here."""

    repository: str
    sha: str
    changed: frozenset[str]

    def link(self, place: Place) -> str:
        """The address of a line in the hosted repository, or nothing where its form is not known."""
        hostname = urlsplit(self.repository).hostname or ""
        form = next((f for host, f in _FORMS.items() if host in hostname), "")
        if not form or place.path in self.changed:
            return ""
        where = {"sha": self.sha, "path": place.path, "line": place.line}
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
    return Commit(repository, sha.strip(), frozenset(line[3:].strip('"') for line in changed.splitlines()))


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
    alone = ", one thread a process" if threads == "1" else f", {threads} threads" if threads else ""
    return (
        f"Python {environment['python']}, {versions}; "
        f"{environment['system']} {environment['machine']}{_vectors(environment['cpu_features'])}{alone}"
    )


def _vectors(features: list[str]) -> str:
    classes = ("AVX512", "AVX2", "SVE", "ASIMD", "VSX")
    found = next((c for c in classes if any(name.startswith(c) for name in features)), "")
    return f" with {found}" if found else ""


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
    """

    library: Library
    stored: Mapping[str, Expectation]
    places: Mapping[str, Place]
    pages: Mapping[str, list[str]]
    claimed: Mapping[str, list[str]]
    source: Callable[[Place], str]
    commit: Commit | None = None

    def cards(self) -> dict[str, Any]:
        """The data of the cards, one file for the whole site."""
        records = self.library.records
        return {
            "experiments": {
                name: {"question": r.question, "run": run_in_words(r.environment)}
                for name, r in records.items()
            },
            "measurements": {name: self._card(m) for name, m in self.library.measurements.items()},
            "claims": {
                name: {
                    "words": claim.words,
                    "margin": claim.margin,
                    "saw": {key: plain(value) for key, value in claim.saw.items()},
                    "experiment": record.experiment,
                    **self._code(key_of(name, "claim")),
                }
                for record in records.values()
                for name, claim in record.claims.items()
            },
        }

    def _card(self, m: Measurement) -> dict[str, Any]:
        expectation = self.stored.get(m.id)
        spread = m.spread
        card = {
            "words": m.description,
            "value": plain(m.value),
            "display": typeset(m.display(), m.value),
            "unit": m.unit,
            "allowed": expectation.allowed() if expectation else "",
            "stored": plain(expectation.value) if expectation else None,
            "drift": drift(m, expectation),
            "reason": m.tolerance.reason,
            "experiment": self.library.owner[m.id].experiment,
            "seeds": list(m.seeds),
            "spread": {k: spread[k] for k in ("min", "max", "sd", "standard_error")} if spread else None,
            **self._code(m.id),
        }
        return {key: value for key, value in card.items() if value not in (None, "", [])}

    def _code(self, name: str) -> dict[str, str]:
        place = self.places[name]
        hosted = self.commit.link(place) if self.commit else ""
        code = {"source": str(place), "code": self.source(place)}
        return {**code, "hosted": hosted} if hosted else code


def plain(value: Value) -> Value:
    """A value for JSON, which has no word for NaN and infinity."""
    return value if not isinstance(value, float) or value - value == 0 else str(value)
