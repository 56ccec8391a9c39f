"""Each stored number leads to the family that measures it, and none to a line that only reads it."""

import importlib
import pkgutil
import re
from pathlib import Path

import pytest

from attention_from_scratch import experiments
from measured.gate.stored import read_all
from measured.project import Project
from measured.site.declared import declared
from measured.terms.family import Family
from measured.terms.measurement import Exact, Measurement

ROOT = Path(__file__).resolve().parents[3]
STORED = read_all(ROOT / "tests" / "regressions")


@pytest.fixture(scope="module")
def families():
    """Every family of every module, by the id with its holes; a module may keep some in a dictionary."""
    modules = [
        importlib.import_module(f"{experiments.__name__}.{module.name}")
        for module in pkgutil.iter_modules(experiments.__path__)
    ]
    named = [value for module in modules for value in vars(module).values()]
    kept = [value for one in named if isinstance(one, dict) for value in one.values()]
    return {f.id: f for f in (*named, *kept) if isinstance(f, Family) and not f.filled}


def fills(family: str, name: str) -> bool:
    """Whether an id is the family's with its holes filled: written apart from what the engine does."""
    parts = [re.escape(part) for part in re.split(r"\{\w+\}", family)]
    return re.fullmatch("[a-z0-9_]+".join(parts), name) is not None


@pytest.fixture(scope="module")
def lines():
    return declared(Project.load(ROOT))


def line_at(place) -> str:
    """The line, and the one before it, where the constructor's name may stand."""
    text = (ROOT / place.path).read_text(encoding="utf-8").splitlines()
    return "\n".join(text[max(place.line - 2, 0) : place.line])


def test_no_card_leads_to_a_line_that_does_not_declare_its_number(families, lines):
    """Where two families fit an id, the measurement says whose it is; here all that could be it are asked."""
    wrong, claims = [], {c.id for e in Project.load(ROOT).declared.values() for c in e.claims}
    for experiment, expectations in STORED.items():
        for name in expectations.keys() - claims:  # a margin that is stored is no measurement
            fitting = [family for family in families if fills(family, name)]
            for family in [name] if name in fitting else fitting:
                place = lines.of_measurement(Measurement(name, 1, "w", Exact("why"), family=family))
                declares = f'"{family}"' in line_at(place).splitlines()[-1] and "Family(" in line_at(place)
                own = place.path.startswith(f"src/attention_from_scratch/experiments/{experiment}")
                wrong += [] if declares and own else [(name, str(place))]
            wrong += [] if fitting else [(name, "no family")]
    assert sum(map(len, STORED.values())) >= 700
    assert not wrong, f"{len(wrong)} lead elsewhere"


def test_every_claim_has_the_line_that_constructs_it(lines):
    for experiment in Project.load(ROOT).declared.values():
        for claim in experiment.claims:
            assert f'"{claim.id}"' in line_at(lines.of_claim(claim.id)).splitlines()[-1]


def test_every_family_measures_something_that_is_stored(families):
    names = [name for expectations in STORED.values() for name in expectations]
    assert not [f for f in families if not any(fills(f, name) for name in names)]
