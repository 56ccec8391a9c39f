"""A record to weave from, made in memory."""

from __future__ import annotations

from pathlib import Path

from measured.terms.claims import Judgement
from measured.terms.experiment import Cell, Table
from measured.terms.measurement import Exact, Measurement
from measured.terms.record import Record
from measured.weaving.page import scan
from measured.weaving.references import Library
from measured.weaving.weave import Weaver

MEASUREMENTS = (
    Measurement("dice.mean", 3.6183, "mean of the throws", Exact("why"), ".2f"),
    Measurement("dice.low", 1.0, "smallest throw", Exact("why"), ".1f"),
    Measurement("dice.sides", 6, "sides", Exact("a count")),
    Measurement(
        "dice.name", '<script>alert("x")</script> |pipe| $a$ *b* [c](d) `e` {{ f }}', "text", Exact("why")
    ),
)


def record_of(measurements, name="dice"):
    return Record(
        experiment=name,
        question="Fair?",
        source="src/dice.py:1",
        mode="full",
        parameters={"draws": 200, "seeds": [0, 1, 2]},
        fingerprint={},
        environment={},
        measurements={m.id: m for m in measurements},
        tables={"dice.t": Table("dice.t", ("what", "value"), (("mean", Cell("dice.mean")),))},
        claims={
            c.id: c
            for c in (
                Judgement("dice.holds", "w < 1", True, 0.5, {"w": 0.5}),
                Judgement("dice.false", "w < 1", False, -1.0, {"w": 2}),
                Judgement("dice.open", "w < 1", False, undecidable="KeyError: w"),
            )
        },
    )


LIBRARY = Library({"dice": record_of(MEASUREMENTS)})


def weave(text, cells=None, where="index.md", pictures=None):
    return Weaver(LIBRARY, pictures or {}).weave(scan(text, Path("page.md")), cells, where)
