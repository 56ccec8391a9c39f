"""A project in memory, with records and stored values on disk, for whoever asks the gate."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

from measured.files import sha256_of_text
from measured.gate import accept
from measured.gate.stored import dump
from measured.project import Project
from measured.terms.claims import Claim, above
from measured.terms.experiment import Experiment
from measured.terms.measurement import Close, Exact, Measurement
from measured.terms.record import write_record
from weaving import record_of

WHY = "because of rounding"
HIGH = Claim("dice.high", "the mean is above 3", lambda f: above({"mean": f["dice.mean"]}, 3))


def dice(mean=3.5, atol=0.1):
    return (
        Measurement("dice.mean", mean, "m", Close(WHY, atol=atol), ".2f"),
        Measurement("dice.sides", 6, "s", Exact("a count")),
    )


def coins(heads=5):
    return (Measurement("coins.heads", heads, "h", Exact("a count")),)


class Gated:
    """Two experiments, `dice` and `coins`, measured and stored."""

    def __init__(self, root: Path, monkeypatch) -> None:
        self.module = ModuleType("gated_registry")
        self.module.EXPERIMENTS = [experiment("dice", claims=(HIGH,)), experiment("coins")]
        monkeypatch.setitem(sys.modules, "gated_registry", self.module)
        (root / "requirements.lock").write_text("numpy==0\n", encoding="utf-8")
        (root / "docs").mkdir()
        (root / "docs" / "index.md").write_text("# Dice\n\nThe mean is {{ dice.mean }}.\n", encoding="utf-8")
        (root / "mkdocs.yml").write_text("site_name: Dice\n", encoding="utf-8")
        self.root = root
        self.measure("dice", dice())
        self.measure("coins", coins())
        for name in ("dice", "coins"):
            self.store(name)

    @property
    def project(self):
        """Read anew, as another command would."""
        return Project(self.root, ("measured",), "gated_registry")

    def measure(self, name, measurements, claims=(), **more):
        more.setdefault("fingerprint", {"lock": sha256_of_text(self.project.lock_file)})
        record = replace(
            record_of(measurements, name),
            tables={},
            claims={c.id: c for c in claims},
            **more,
        )
        write_record(self.project.records, record)

    def store(self, name):
        declared = self.project.declared[name]
        found = accept.expectations(declared, self.project.read_records()[name], {})
        path = self.project.stored / f"{name}.yml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dump(found), encoding="utf-8")


def experiment(name, **more):
    return Experiment(name, "Fair?", dict, {}, **more)
