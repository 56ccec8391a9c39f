"""Auditing claims: what each was measured under, and whether it fails in the worlds where it should.

`judged` evaluates the claims of one experiment, each in its own findings and then in its null worlds.
"""

from __future__ import annotations

import fnmatch
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from measured.errors import MeasuredError
from measured.terms import evidence, scope
from measured.terms.claims import Claim, Judgement, Verdict, judge
from measured.terms.experiment import Experiment, Findings
from measured.terms.measurement import Measurement
from measured.terms.null import Null
from measured.terms.reading import watching

MOST_THAT_HOLD = 0.05  # share of relabellings in which a claim may hold
FEWEST_RELABELLINGS = 20  # three seeds against three; fewer cannot do better than one in so many


def judged(
    experiment: Experiment, findings: Findings, settings: Mapping[str, Any], *, nulls: bool = True
) -> dict[str, Judgement]:
    """Every claim of an experiment: decided, with its scope, its seeds and its null worlds.

    Args:
        experiment: whose claims they are.
        findings: what it found.
        settings: the parameters in force.
        nulls: off for quick runs, whose few draws and seeds decide nothing.
    """
    scopes = scopes_of(experiment, findings, settings)
    conditioned = [_conditioned(claim, experiment, findings, scopes, settings) for claim in experiment.claims]
    if nulls:
        conditioned = [
            _audited(claim, found, findings)
            for claim, found in zip(experiment.claims, conditioned, strict=True)
        ]
    return {found.id: found for found in conditioned}


def scopes_of(experiment: Experiment, findings: Findings, settings: Mapping[str, Any]) -> dict[str, str]:
    """For each measurement the conditions under which it was measured, in a sentence.

    Raises:
        MeasuredError: a measurement of trained models to which no scope of the experiment applies.
    """
    found = {}
    for m in findings.measurements:
        declared = _scope_of(experiment, m.id)
        if declared is None and m.seeds and (experiment.runs or experiment.studies):
            raise MeasuredError(
                f"{m.id} comes from several seeds, and nothing says under which conditions",
                expected=f"a scope among those of experiment {experiment.name}",
                mend=f'scopes={{"{m.id.rpartition(".")[0]}.*": Scope("…")}}',
            )
        found[m.id] = declared.text(settings) if declared else scope.of_parameters(settings)
    return found


def _scope_of(experiment: Experiment, name: str) -> scope.Scope | None:
    """The first scope that fits an id."""
    fitting = (s for pattern, s in experiment.scopes.items() if fnmatch.fnmatchcase(name, pattern))
    return next(fitting, None)


def _conditioned(
    claim: Claim,
    experiment: Experiment,
    findings: Findings,
    scopes: Mapping[str, str],
    settings: Mapping[str, Any],
) -> Judgement:
    """A claim decided, with the conditions and seeds of what it read."""
    watched, reading = watching(findings)
    found = judge(claim, watched)
    read = [m for m in findings.measurements if m.id in reading.measurements]
    of_arrays = _scopes_of_arrays(experiment, reading.arrays)
    conditions = dict.fromkeys([*(scopes[m.id] for m in read), *(s.text(settings) for s in of_arrays)])
    return replace(
        found,
        scope=" ".join(conditions or [scope.of_parameters(settings)]),
        seeds=() if found.undecidable else _formed_on(claim, experiment, read, of_arrays, settings),
        reads=tuple(sorted(reading.names)),
        carries=_carries(read),
        exempt=claim.exempt,
    )


def _scopes_of_arrays(experiment: Experiment, arrays: Iterable[str]) -> list[scope.Scope]:
    """The scopes whose patterns fit the arrays that were read."""
    fitting = (_scope_of(experiment, name) for name in sorted(arrays))
    return [found for found in fitting if found is not None]


def _formed_on(
    claim: Claim,
    experiment: Experiment,
    read: list[Measurement],
    of_arrays: list[scope.Scope],
    settings: Mapping[str, Any],
) -> tuple[int, ...]:
    """The seeds of the trained models that a claim reads of; none where it reads of nothing trained.

    A measurement names its seeds itself, or its scope does: a count of models, or one model, has no samples.

    Raises:
        MeasuredError: models were trained, or fresh seeds are asked, and nothing says from which seeds.
    """
    scopes = [(declared, m.seeds) for m in read if (declared := _scope_of(experiment, m.id)) is not None]
    scopes += [(declared, ()) for declared in of_arrays]
    trained = [own or declared.formed_on(settings) for declared, own in scopes if declared.trained]
    seeds = tuple(sorted({seed for of_one in trained for seed in of_one}))
    if not seeds and (trained or claim.confirmed_by is not None):
        raise MeasuredError(
            f"the claim {claim.id} is about trained models, and nothing says from which seeds",
            expected="the parameters of the seeds in the scope of what it reads, or that nothing was trained",
            mend='Scope("…", seeds=("seeds",)) or Scope("…", trained=False)',
        )
    return seeds


def _audited(claim: Claim, found: Judgement, findings: Findings) -> Judgement:
    """The same with what became of it in its null worlds."""
    if found.undecidable or not found.holds:
        return found
    truth, read = claim.predicate(findings), set(found.reads)
    tried = [_tried(claim, null, findings, truth, read) for null in claim.nulls]
    vacuous = [problem for null in tried for problem in null.problems]
    if claim.nulls:
        vacuous += _legs_that_cannot_fail(truth, tried)
    elif not claim.exempt:
        vacuous.append(
            "it has no null: say in which worlds its sentence would be false (nulls=…), or why there is no "
            "natural one (exempt='theorem: …', 'arithmetic: test_…')"
        )
    return replace(found, nulls=tuple(null.as_dict() for null in tried), vacuous=tuple(vacuous))


def _carries(read: list[Measurement]) -> str:
    """What the seeds that were read can carry, if the claim speaks of each of them."""
    counts = sorted({len(m.seeds) for m in read if len(m.seeds) > 1})
    return evidence.in_words(counts[0], counts[0]) if counts else ""


@dataclass(frozen=True)
class Tried:
    """What became of a claim in the worlds of one null."""

    null: Null
    verdicts: Mapping[str, Verdict | None]
    truth: Verdict
    problems: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """As a record holds it: counts, shares and a margin, no findings."""
        decided = [v for v in self.verdicts.values() if v is not None]
        margins = [float(v.margin) for v in decided if math.isfinite(v.margin)]
        count = len(self.verdicts)
        return {
            "words": self.null.words,
            "worlds": count,
            "held": sum(v.holds for v in decided) / count if count else 0.0,
            "as_far": sum(_as_far(v, self.truth) for v in decided) / count if count else 0.0,
            "margin": max(margins, default=None),
        }


def _tried(claim: Claim, null: Null, findings: Findings, truth: Verdict, read: set[str]) -> Tried:
    """Evaluate a claim in the worlds of one null, and say what is wrong with either."""
    try:
        worlds = null.worlds(findings)
    except Exception as error:  # noqa: BLE001 - whatever a null raises, it has made no world
        said = error.problem if isinstance(error, MeasuredError) else f"{type(error).__name__}: {error}"
        return Tried(null, {}, truth, (f"null {null.words!r} makes no world: {said}",))
    verdicts = {name: _verdict(claim, world) for name, world in worlds.items()}
    return Tried(null, verdicts, truth, tuple(_problems(null, findings, worlds, verdicts, truth, read)))


def _problems(
    null: Null,
    findings: Findings,
    worlds: Mapping[str, Findings],
    verdicts: Mapping[str, Verdict | None],
    truth: Verdict,
    read: set[str],
) -> Iterator[str]:
    said = f"null {null.words!r}"
    if not worlds:
        yield f"{said} makes no world"
        return
    if not any(_differs(findings, world, read) for world in worlds.values()):
        yield f"{said} changes nothing that the claim reads ({', '.join(sorted(read)[:4])})"
        return
    cheap = [name for name, verdict in verdicts.items() if verdict is None]
    if cheap:
        yield (
            f"{said} is cheap: in {cheap[0]!r} the predicate cannot be decided, which says nothing about its "
            "sentence; ask for a world with finite values of the same kind"
        )
    held = [name for name, verdict in verdicts.items() if verdict is not None and verdict.holds]
    if null.shuffle:
        if len(worlds) < FEWEST_RELABELLINGS:
            yield (
                f"{said} has {len(worlds)} relabellings, of which the truth is one; "
                f"take more seeds, so that there are at least {FEWEST_RELABELLINGS}"
            )
        if len(held) / len(worlds) > MOST_THAT_HOLD:
            yield (
                f"the claim holds in {len(held) / len(worlds):.0%} of the relabellings of {said}: these "
                "seeds do not carry it; ask for a larger difference, or for more seeds"
            )
    elif held:
        more = f" and {len(held) - 1} more" if len(held) > 1 else ""
        yield (
            f"the claim still holds in {said}, world {held[0]!r}{more}: it does not say what its sentence "
            "says; ask for what is different there"
        )


def _verdict(claim: Claim, world: Findings) -> Verdict | None:
    """The verdict in a world; None where there is none."""
    try:
        verdict = claim.predicate(world)
        numbers = [v for v in (verdict.margin, *verdict.saw.values()) if isinstance(v, float)]
        return verdict if verdict.saw and all(map(math.isfinite, numbers)) else None
    except Exception:  # noqa: BLE001 - whatever a predicate raises, it has not decided
        return None


def _legs_that_cannot_fail(truth: Verdict, tried: list[Tried]) -> Iterator[str]:
    """Parts of a predicate that hold in each world of each null."""
    legs = truth.legs or (truth,)
    for index, leg in enumerate(legs):
        seen = [
            (v.legs or (v,))[index]
            for one in tried
            for v in one.verdicts.values()
            if v is not None and len(v.legs or (v,)) == len(legs)
        ]
        names = ", ".join(map(str, list(leg.saw)[:3]))
        if not seen and any(v is not None for one in tried for v in one.verdicts.values()):
            yield (
                f"part {index + 1} of {len(legs)} of the predicate, over {names}, is compared in no null "
                "world: the predicate has another number of parts there; ask for the same parts in each"
            )
        if seen and all(v.holds for v in seen):
            yield (
                f"part {index + 1} of {len(legs)} of the predicate, over {names}, holds in every null world; "
                "ask for a world in which it is false, or leave it out"
            )


def _differs(findings: Findings, world: Findings, read: set[str]) -> bool:
    """Whether something that the claim reads is another thing in that world."""
    before = {m.id: m for m in findings.measurements}
    if any(
        m.id in read
        and m is not before[m.id]
        and (m.value, m.samples) != (before[m.id].value, before[m.id].samples)
        for m in world.measurements
    ):
        return True
    return any(world.arrays[name] is not findings.arrays[name] for name in findings.arrays if name in read)


def _as_far(verdict: Verdict, truth: Verdict) -> bool:
    return verdict.holds and verdict.margin >= truth.margin
