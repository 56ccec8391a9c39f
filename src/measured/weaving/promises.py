"""Words of a claim's sentence that its predicate must be able to carry: seeds, medians, means.

A sentence that speaks of seeds rests on a predicate that reads what several seeds gave; one that says
"median" or
"on average" rests on that statistic, and on no other.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from measured.terms.claims import Judgement
from measured.terms.measurement import Measurement

_SEEDS = re.compile(r"\bseeds?\b", re.I)
_STATISTICS = {
    "median": re.compile(r"\bmedian\b", re.I),
    "mean": re.compile(r"\bon average\b|\bthe mean\b", re.I),
}


def unsupported(sentence: str, claim: Judgement, measurements: Mapping[str, Measurement]) -> str:
    """What the sentence says that the claim's predicate cannot know; empty where there is nothing.

    Args:
        sentence: as the page makes it.
        claim: with what its predicate read.
        measurements: all of them, by id.
    """
    read = [measurements[name] for name in claim.reads if name in measurements]
    if not read:
        return ""
    if _SEEDS.search(sentence) and not any(len(m.seeds) > 1 for m in read) and not claim.seeds:
        return "it speaks of seeds, and its predicate reads no measurement of several seeds"
    for statistic, words in _STATISTICS.items():
        if not words.search(sentence):
            continue
        summed_up = {m.statistic for m in read if len(m.samples) > 1}
        named = any(statistic in f"{m.id} {m.description}".lower() for m in read)
        if statistic not in summed_up and not named:
            others = ", ".join(sorted(summed_up)) or "no statistic"
            return f"it speaks of the {statistic}, and its predicate reads {others}"
    return ""
