"""Sentences say no more than their predicates can know."""

from __future__ import annotations

import pytest

from measured.terms.claims import Judgement
from measured.terms.measurement import Exact, Measurement
from measured.weaving.promises import unsupported

ONE = Measurement("a.one", 1.0, "a number", Exact("why"), ".1f")
SEVERAL = Measurement(
    "a.several", 2.0, "accuracy", Exact("why"), ".1f", seeds=(0, 1), samples=(1.0, 3.0), statistic="median"
)
FOUND = {m.id: m for m in (ONE, SEVERAL)}


@pytest.mark.parametrize(
    ("sentence", "reads", "told"),
    [
        ("No seed solves it.", ("a.one",), "speaks of seeds"),
        ("No seed solves it.", ("a.several",), ""),
        ("By the median it is solved.", ("a.several",), ""),
        ("On average it is solved.", ("a.several",), "speaks of the mean"),
        ("By the median it is solved.", ("a.one",), "speaks of the median"),
        ("It is solved.", ("a.one",), ""),
    ],
)
def test_a_sentence_may_say_what_its_predicate_reads(sentence, reads, told):
    said = unsupported(sentence, Judgement("a.c", "w", True, reads=reads), FOUND)
    assert told in said
    assert bool(told) == bool(said)
