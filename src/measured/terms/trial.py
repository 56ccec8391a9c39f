"""Trials and studies: trainings whose few kept numbers are stored in the repository.

A *trial* asks seeds that nobody chose: they are drawn from the hash of the words and predicates of the claims
that it tests, so that a reworded claim draws others. A *study* is a set of trainings too long for a build.
Both are run by `measured confirm`, which stores what came out, whatever it is; a build repeats one or two of
them, chosen by the commit, and compares.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from measured.archives import read_json
from measured.errors import MeasuredError
from measured.terms.experiment import Run

Outcome = Mapping[str, Any]
Outcomes = Mapping[str, Outcome]

FEWEST_SEEDS = 10
# Of how many fresh seeds a sentence has to be true, and how that is said.
LEAST: Mapping[str, str] = {"each": "", "most": "; it speaks of most", "one": "; one is enough for it"}


@dataclass(frozen=True)
class Trial:
    """A training that can start from any seed, and what is kept of it.

    Args:
        name: a word; its results are stored under it.
        question: what it asks of each seed, in one sentence.
        function: called with `seed` and the parameters; returns numbers and truth values by name.
        parameters: keyword arguments, plain data.
        count: of fresh seeds, at least ten.
        tolerance: by how much a number may differ when a run is repeated, by name; 0 where none is given.
    """

    name: str
    question: str
    function: Callable[..., Outcome]
    parameters: Mapping[str, Any]
    count: int = FEWEST_SEEDS
    tolerance: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.count < FEWEST_SEEDS:
            raise MeasuredError(
                f"trial {self.name} asks {self.count} seeds", expected=f"at least {FEWEST_SEEDS}"
            )

    def runs(self, seeds: Iterable[int]) -> list[Run]:
        """One run a seed."""
        return [Run(f"seed{seed}", self.function, {**self.parameters, "seed": seed}) for seed in seeds]


@dataclass(frozen=True)
class Study:
    """Trainings that are too long for a build.

    Args:
        name: a word; its results are stored under it.
        question: what it asks, in one sentence.
        runs: the runs that can be named, given the outcomes that are stored; asked again until all are.
        tolerance: by how much a number may differ when a run is repeated, by name; 0 where none is given.
    """

    name: str
    question: str
    runs: Callable[[Outcomes], list[Run]]
    tolerance: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Confirmation:
    """How a claim is put to a fresh seed.

    Args:
        trial: what is done from the seed.
        holds: the claim's predicate over what one seed's trial keeps, as Python: `"test_accuracy > 0.99"`.
        given: of which seeds the sentence speaks at all, in the same way (`"circuit == 'pointer'"`); others
            say nothing of it, and are not counted. Where it is false `holds` has to be true, of nothing
            (`"circuit != 'pointer' or hole < 0.02"`), so that it can hide no failure. Empty: of each.
        least: of how many of these it has to be true: of `each`; of `most`, where the sentence speaks of a
            median or of a difference of groups; of `one`, where it says that something can happen.
    """

    trial: Trial
    holds: str
    given: str = ""
    least: str = "each"

    def __post_init__(self) -> None:
        if self.least not in LEAST:
            raise MeasuredError(
                f"a confirmation by trial {self.trial.name} says least={self.least!r}",
                expected=f"one of {', '.join(LEAST)}",
            )

    def held(self, outcome: Outcome) -> bool | None:
        """Whether the claim is true of one seed; None where the sentence does not speak of it.

        Raises:
            MeasuredError: the predicate names what the trial does not keep, or fails where nothing is given.
        """
        held = self._decided(self.holds, outcome)
        if not self.given or self._decided(self.given, outcome):
            return held
        if not held:
            raise MeasuredError(
                f"trial {self.trial.name}: {self.holds!r} fails where {self.given!r} does: hidden",
                expected="a predicate that is true of seeds of which the sentence does not speak: "
                "not (given) or …",
            )
        return None

    def _decided(self, condition: str, outcome: Outcome) -> bool:
        try:
            names = {"__builtins__": {"abs": abs, "min": min, "max": max}}
            return bool(eval(condition, names, dict(outcome)))
        except Exception as error:
            raise MeasuredError(
                f"trial {self.trial.name}: {condition!r} cannot be decided ({error})",
                expected=f"a comparison of {', '.join(outcome)}",
            ) from error

    @property
    def told(self) -> tuple[str, ...]:
        """What the seeds are drawn from, beside the claim's own words."""
        return (self.holds,) if self.least == "each" else (self.holds, self.least)


def drawn_seeds(trial: Trial, claims: Iterable[Any]) -> list[int]:
    """The fresh seeds of a trial: from the words and predicates of all claims that it tests, in any order.

    Args:
        trial: what is done from each.
        claims: those with a confirmation by this trial.
    """
    told = sorted((c.id, c.words, *c.confirmed_by.told) for c in claims)
    digest = hashlib.sha256(json.dumps(told, ensure_ascii=False).encode()).hexdigest()
    seeds: dict[int, None] = {}
    index = 0
    while len(seeds) < trial.count:
        drawn = hashlib.sha256(f"{digest} {index}".encode()).digest()
        seeds[1_000 + int.from_bytes(drawn[:8], "big") % 999_000] = None
        index += 1
    return list(seeds)


class StoredOutcomes(dict[str, Outcome]):
    """Outcomes by run; one that is missing is told with what makes it."""

    def __init__(self, path: Path, outcomes: Outcomes) -> None:
        super().__init__(outcomes)
        self._path = path

    def __missing__(self, name: str) -> Outcome:
        raise MeasuredError(
            f"no outcome of the run {name} is stored",
            path=self._path,
            mend=f"nox -s confirm -- {self._path.stem}",
        )


def read_outcomes(path: Path) -> StoredOutcomes:
    """What a trial or a study has stored, by run; nothing where it has not been run.

    Raises:
        MeasuredError: the file cannot be read.
    """
    return StoredOutcomes(path, {name: run["outcome"] for name, run in read_stored(path).items()})


def read_stored(path: Path) -> dict[str, dict[str, Any]]:
    """The stored runs, with their parameters.

    Raises:
        MeasuredError: the file cannot be read.
    """
    try:
        path.open("rb").close()  # asked by opening: who watches what is read learns that it was looked for
    except FileNotFoundError:
        return {}
    try:
        runs = read_json(path)["runs"]
        return {
            name: {"parameters": run["parameters"], "outcome": run["outcome"]} for name, run in runs.items()
        }
    except (MeasuredError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise MeasuredError(
            f"the stored outcomes cannot be read: {error}",
            path=path,
            expected="what `nox -s confirm` writes",
            mend="restore it from version control, or delete it and run: nox -s confirm",
        ) from error


def agree(stored: Outcome, again: Outcome, tolerance: Mapping[str, float]) -> list[str]:
    """Where two outcomes of the same run differ by more than the tolerance, in words."""
    told = []
    for name in sorted({*stored, *again}):
        one, other = stored.get(name), again.get(name)
        if not _near(one, other, tolerance.get(name, 0.0)):
            told.append(f"{name} was {str(one)[:60]} and is {str(other)[:60]}")
    return told


def _near(one: Any, other: Any, tolerance: float) -> bool:
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return all(_near(a, b, tolerance) for a, b in zip(one, other, strict=True))
    numbers = all(isinstance(v, int | float) and not isinstance(v, bool) for v in (one, other))
    return abs(one - other) <= tolerance if numbers else one == other


@dataclass(frozen=True)
class Confirmed:
    """What fresh seeds said of a claim.

    Args:
        seeds: those that were drawn for it.
        held: those on which it held.
        missed: those on which it did not.
        silent: those that were asked and of which the sentence does not speak.
        least: of how many it has to be true; see `Confirmation`.
    """

    seeds: tuple[int, ...] = ()
    held: tuple[int, ...] = ()
    missed: tuple[int, ...] = ()
    silent: tuple[int, ...] = ()
    least: str = "each"

    @property
    def of(self) -> int:
        """How many of the seeds that were asked say something of the sentence."""
        return len(self.held) + len(self.missed)

    @property
    def stands(self) -> bool:
        """Whether what the fresh seeds said is what the sentence says; undecided counts as standing."""
        enough = {"each": not self.missed, "most": len(self.held) > len(self.missed), "one": bool(self.held)}
        return not self.of or enough[self.least]

    @property
    def waiting(self) -> int:
        """How many of the seeds have not been asked."""
        return len(self.seeds) - self.of - len(self.silent)

    @property
    def says_too_much(self) -> bool:
        """Whether the sentence fails on its fresh seeds; what can happen may still, while some wait."""
        return not self.stands and not (self.least == "one" and self.waiting)

    def in_words(self) -> str:
        """`confirmed on 19 of 20 fresh seeds`."""
        if not self.seeds:
            return "not put to fresh seeds"
        waiting = self.waiting
        if waiting == len(self.seeds):
            return f"{waiting} fresh seeds drawn, none asked yet"
        parts = [f"confirmed on {len(self.held)} of {self.of} fresh seeds{LEAST[self.least]}"]
        parts += [f"{len(self.silent)} more say nothing of it"] if self.silent else []
        parts += [f"{waiting} not asked yet"] if waiting else []
        return ", ".join(parts)

    def as_dict(self) -> dict[str, Any]:
        """As published."""
        return {"seeds": list(self.seeds), "held": len(self.held), "of": self.of}


def confirmed(claim: Any, siblings: Iterable[Any], stored: Mapping[str, Mapping[str, Any]]) -> Confirmed:
    """What the stored outcomes say of a claim; those of other seeds or parameters say nothing.

    Args:
        claim: with a confirmation, or without.
        siblings: all claims that its trial tests, itself among them.
        stored: the runs that the trial has stored.
    """
    if claim.confirmed_by is None:
        return Confirmed()
    trial = claim.confirmed_by.trial
    seeds = drawn_seeds(trial, siblings)
    said: dict[bool | None, list[int]] = {True: [], False: [], None: []}
    for seed, run in zip(seeds, trial.runs(seeds), strict=True):
        found = stored.get(run.name)
        if found is not None and found["parameters"] == as_stored(run.parameters):
            said[claim.confirmed_by.held(found["outcome"])].append(seed)
    held, missed, silent = (tuple(said[key]) for key in (True, False, None))
    return Confirmed(tuple(seeds), held, missed, silent, claim.confirmed_by.least)


def as_stored(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters as a file holds them: lists for tuples."""
    return json.loads(json.dumps(dict(parameters), default=list))
