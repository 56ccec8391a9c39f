"""Null worlds: the same findings, changed so that a claim's sentence is false.

A claim says in which worlds it would be false; the build makes those worlds out of what was measured and
evaluates the predicate in each. A claim that still holds there does not say what its sentence says.

    nulls=(
        instead("scale.max_weight.unscaled.{d}", by="scale.max_weight.scaled.{d}"),
        permuted("scale.max_weight.unscaled.{d}", over="d"),
    )

Ids may have holes in braces; a hole matches one word, and the same hole stands for the same word. What is
changed is a measurement's value, its samples and seeds together; the value is computed from the samples
again, by the measurement's own statistic, and so is that of every other measurement of the same samples.
Arrays whose names match are changed along.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, islice, permutations, product
from math import comb, prod
from string import Formatter
from typing import Any

import numpy as np

from measured.errors import MeasuredError
from measured.terms.experiment import Findings
from measured.terms.measurement import Measurement, Value
from measured.terms.statistics import STATISTICS

Worlds = Callable[[Findings], Mapping[str, Findings]]
Baseline = float | str | Callable[[Findings], float]

MOST_WORLDS = 1_000


@dataclass(frozen=True)
class Null:
    """One way in which a sentence would be false.

    Args:
        words: what is different there, for people: "scaled in the place of unscaled".
        worlds: makes the worlds, by name, from what was found.
        shuffle: the worlds are relabellings, a few of which may look like the truth; otherwise the claim must
            be false in every world.
    """

    words: str
    worlds: Worlds
    shuffle: bool = False


def instead(take: str, by: str, words: str = "") -> Null:
    """One thing stands where another was measured.

    Args:
        take: ids of what is replaced.
        by: id of what stands there; its holes are those of `take`.
        words: where the ids do not say it well.
    """

    def worlds(findings: Findings) -> dict[str, Findings]:
        return {by: _substituted(findings, {take: by})}

    return Null(words or f"{_said(by)} in the place of {_said(take)}", worlds)


def swapped(one: str, other: str, words: str = "") -> Null:
    """Two things change places."""

    def worlds(findings: Findings) -> dict[str, Findings]:
        return {"swapped": _substituted(findings, {one: other, other: one})}

    return Null(words or f"{_said(one)} and {_said(other)} swapped", worlds)


def flat(family: str, over: str, *more: str, words: str = "") -> Null:
    """No effect of a hole: all members are alike, as any one of them is.

    Args:
        family: ids with the hole.
        over: its name.
        more: further ids with it, made alike along.
        words: where the ids do not say it well.
    """

    def worlds(findings: Findings) -> dict[str, Findings]:
        names = _filled(findings, family, over)
        return {
            f"all as {name}": _reordered(findings, (family, *more), over, dict.fromkeys(names, name))
            for name in names
        }

    return Null(words or f"no effect of {over} on {_said(family)}", worlds)


def permuted(family: str, over: str, *more: str, words: str = "") -> Null:
    """Every other order of the members of a hole than the one that was measured."""

    def worlds(findings: Findings) -> dict[str, Findings]:
        names = _filled(findings, family, over)
        if len(names) < 2:
            raise MeasuredError(f"{family} has {len(names)} members to reorder over {over}", expected="two")
        orders = islice((o for o in permutations(names) if o != tuple(names)), MOST_WORLDS)
        return {
            " ".join(order): _reordered(findings, (family, *more), over, dict(zip(names, order, strict=True)))
            for order in orders
        }

    return Null(words or f"another order of {over} in {_said(family)}", worlds)


def relabelled(*families: str, words: str = "") -> Null:
    """Seeds are dealt anew to the conditions that they belong to.

    Args:
        families: one id a condition; where ids have holes, seeds stay within the same filling.
        words: where the ids do not say it well.
    """

    def worlds(findings: Findings) -> dict[str, Findings]:
        strata = _strata(findings, families)
        return {
            str(index): _with_samples(findings, dealt)
            for index, dealt in enumerate(_dealt([[m.samples for m in s] for s in strata], strata))
        }

    return Null(words or f"seeds relabelled across {', '.join(map(_said, families))}", worlds, shuffle=True)


def one_seed(family: str, by: Baseline, words: str = "") -> Null:
    """Each seed in turn, alone, is no better than the baseline.

    Args:
        family: ids of measurements with samples.
        by: a number, the id of one, or a function of the findings.
        words: where the ids do not say it well.
    """

    def worlds(findings: Findings) -> dict[str, Findings]:
        level = _level(findings, by)
        return {
            f"{m.id} seed {seed}": _with_samples(
                findings, {m.id: (*m.samples[:i], level, *m.samples[i + 1 :])}
            )
            for m in _members(findings, family)
            for i, seed in enumerate(_sampled(m).seeds)
        }

    return Null(words or f"one seed of {_said(family)} at {_baseline(by)}", worlds)


def becomes(family: str, by: Baseline, words: str = "") -> Null:
    """Each member in turn, with all of its seeds, is what the baseline is."""

    def worlds(findings: Findings) -> dict[str, Findings]:
        level = _level(findings, by)
        return {
            m.id: _with_samples(findings, {m.id: (level,) * len(m.samples)})
            if m.samples
            else with_values(findings, {m.id: level})
            for m in _members(findings, family)
        }

    return Null(words or f"{_said(family)} at {_baseline(by)}", worlds)


def planted(words: str, change: Callable[[Findings], Findings | Mapping[str, Findings]]) -> Null:
    """A world of the author's own making: a value off by one, an ulp, a wrong implementation."""

    def worlds(findings: Findings) -> Mapping[str, Findings]:
        made = change(findings)
        return made if isinstance(made, Mapping) else {words: made}

    return Null(words, worlds)


def with_values(findings: Findings, values: Mapping[str, Value]) -> Findings:
    """The findings with other values, for `planted`; samples become as many copies of the value.

    Raises:
        MeasuredError: an id that was not measured.
    """
    for name in values:
        findings[name]  # noqa: B018 - an unknown id is a mistake in the null
    return _changed(
        findings,
        {
            m.id: _copy(m, value=values[m.id], samples=(values[m.id],) * len(m.samples))
            for m in findings.measurements
            if m.id in values
        },
    )


def with_array(findings: Findings, name: str, array: Any) -> Findings:
    """The findings with another array, for `planted`."""
    if name not in findings.arrays:
        raise MeasuredError(f"there is no array {name}", expected=f"one of {', '.join(findings.arrays)}")
    return replace(findings, arrays={**findings.arrays, name: np.asarray(array)})


def _pattern(id_: str) -> re.Pattern[str]:
    seen: set[str] = set()
    parts = []
    for literal, hole, _, _ in Formatter().parse(id_):
        parts.append(re.escape(literal))
        if hole is not None:
            parts.append(f"(?P={hole})" if hole in seen else f"(?P<{hole}>[a-z0-9_]+)")
            seen.add(hole)
    return re.compile("".join(parts))


def _members(findings: Findings, family: str) -> list[Measurement]:
    pattern = _pattern(family)
    found = [m for m in findings.measurements if pattern.fullmatch(m.id)]
    if not found:
        raise MeasuredError(f"the null names {family}, and nothing of that id was measured")
    return found


def _filled(findings: Findings, family: str, over: str) -> list[str]:
    """What fills a hole, in the order in which it was measured."""
    pattern = _pattern(family)
    if over not in pattern.groupindex:
        raise MeasuredError(f"{family} has no hole {over}")
    return list(dict.fromkeys(pattern.fullmatch(m.id)[over] for m in _members(findings, family)))


def _substituted(findings: Findings, pairs: Mapping[str, str]) -> Findings:
    """For each pair, what matches the first gets what the second holds."""
    by_id = {m.id: m for m in findings.measurements}
    changed, arrays = {}, {}
    for take, by in pairs.items():
        pattern = _pattern(take)
        for m in findings.measurements:
            match = pattern.fullmatch(m.id)
            if match and by.format(**match.groupdict()) in by_id:
                source = by_id[by.format(**match.groupdict())]
                changed[m.id] = _copy(m, value=source.value, samples=source.samples, seeds=source.seeds)
        for name in findings.arrays:
            match = pattern.fullmatch(name)
            if match and by.format(**match.groupdict()) in findings.arrays:
                arrays[name] = findings.arrays[by.format(**match.groupdict())]
    if not changed and not arrays:
        raise MeasuredError(f"the null replaces {' and '.join(pairs)}, and nothing of that id was measured")
    return replace(
        _changed(findings, changed), arrays={**findings.arrays, **arrays} if arrays else findings.arrays
    )


def _reordered(findings: Findings, families: Iterable[str], over: str, order: Mapping[str, str]) -> Findings:
    """Each member gets what the one that `order` names holds, in every group of the other holes."""
    by_id = {m.id: m for m in findings.measurements}
    changed, arrays = {}, {}
    for family in families:
        pattern = _pattern(family)
        for names, put in ((by_id, changed), (findings.arrays, arrays)):
            for name in names:
                match = pattern.fullmatch(name)
                if match is None or match[over] not in order:
                    continue
                other = family.format(**{**match.groupdict(), over: order[match[over]]})
                if other not in names:
                    raise MeasuredError(f"the null puts {other} in the place of {name}, and there is none")
                put[name] = names[other]
    copied = {
        name: _copy(by_id[name], value=m.value, samples=m.samples, seeds=m.seeds)
        for name, m in changed.items()
    }
    return replace(
        _changed(findings, copied), arrays={**findings.arrays, **arrays} if arrays else findings.arrays
    )


def _strata(findings: Findings, families: Sequence[str]) -> list[list[Measurement]]:
    """Groups of measurements, one of each family, that share what fills their holes."""
    groups: dict[tuple[tuple[str, str], ...], list[Measurement]] = {}
    for family in families:
        pattern = _pattern(family)
        for m in _members(findings, family):
            key = tuple(sorted(pattern.fullmatch(m.id).groupdict().items()))
            groups.setdefault(key, []).append(_sampled(m))
    return list(groups.values())


def _dealt(
    samples: list[list[tuple[float, ...]]], strata: list[list[Measurement]]
) -> Iterator[dict[str, tuple[float, ...]]]:
    """All ways to deal the samples of each stratum anew, or, where they are too many, so many of them."""
    ids = [[m.id for m in stratum] for stratum in strata]
    ways = prod(_ways([len(s) for s in stratum]) for stratum in samples)
    if ways <= MOST_WORLDS:
        for deal in product(*(list(_deals(stratum)) for stratum in samples)):
            yield {
                name: dealt for n, d in zip(ids, deal, strict=True) for name, dealt in zip(n, d, strict=True)
            }
        return
    generator = np.random.default_rng(0)
    for _ in range(MOST_WORLDS):
        dealt = {}
        for names, stratum in zip(ids, samples, strict=True):
            pool = generator.permutation(np.concatenate(stratum))
            ends = np.cumsum([len(s) for s in stratum])
            for name, part in zip(names, np.split(pool, ends[:-1]), strict=True):
                dealt[name] = tuple(map(float, part))
        yield dealt


def _ways(sizes: Sequence[int]) -> int:
    left, ways = sum(sizes), 1
    for size in sizes:
        ways *= comb(left, size)
        left -= size
    return ways


def _deals(stratum: Sequence[tuple[float, ...]]) -> Iterator[list[tuple[float, ...]]]:
    pool = [value for s in stratum for value in s]

    def deal(left: tuple[int, ...], sizes: list[int]) -> Iterator[list[tuple[float, ...]]]:
        if not sizes:
            yield []
            return
        for chosen in combinations(left, sizes[0]):
            rest = tuple(i for i in left if i not in chosen)
            for further in deal(rest, sizes[1:]):
                yield [tuple(pool[i] for i in chosen), *further]

    return deal(tuple(range(len(pool))), [len(s) for s in stratum])


def _with_samples(findings: Findings, samples: Mapping[str, Sequence[float]]) -> Findings:
    changed = {
        m.id: _copy(m, samples=tuple(samples[m.id]), value=_summed_up(m, samples[m.id]))
        for m in findings.measurements
        if m.id in samples
    }
    return _changed(findings, changed)


def _changed(findings: Findings, changed: Mapping[str, Measurement]) -> Findings:
    """The findings with these measurements; what has the very same samples, however summed up, follows."""
    if not changed:
        return findings
    before = {m.id: m for m in findings.measurements if m.id in changed}
    follow = {
        (m.seeds, m.samples): changed[m.id] for m in before.values() if m.samples and len(set(m.samples)) > 1
    }

    def world(m: Measurement) -> Measurement:
        if m.id in changed:
            return changed[m.id]
        new = follow.get((m.seeds, m.samples)) if m.samples else None
        if new is None:
            return m
        return _copy(m, samples=new.samples, seeds=new.seeds, value=_summed_up(m, new.samples))

    return replace(findings, measurements=tuple(map(world, findings.measurements)))


def _summed_up(m: Measurement, samples: Sequence[float]) -> float:
    return float(STATISTICS[m.statistic].of(list(samples)))


def _copy(m: Measurement, **fields: Any) -> Measurement:
    """A measurement of another world: what it holds is not checked, and it may be absurd."""
    made = object.__new__(Measurement)
    made.__dict__.update(m.__dict__)
    made.__dict__.update(fields)
    return made


def _sampled(m: Measurement) -> Measurement:
    if not m.samples:
        raise MeasuredError(
            f"the null deals the seeds of {m.id}, which has no samples",
            expected="a measurement that stores the value of each seed",
        )
    return m


def _level(findings: Findings, by: Baseline) -> float:
    if callable(by):
        return float(by(findings))
    return float(findings[by]) if isinstance(by, str) else float(by)


def _baseline(by: Baseline) -> str:
    return f"{by:g}" if isinstance(by, int | float) else by if isinstance(by, str) else "its baseline"


def _said(id_: str) -> str:
    return id_.partition(".")[2] or id_
