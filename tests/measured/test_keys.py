"""What each key holds, and what a record, a choice and a schema must not lose."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from gated import Gated, experiment
from measured import archives
from measured.errors import MeasuredError
from measured.making import watching
from measured.making.fingerprint import ABSENT, Sources
from measured.making.products import FigureProduct, RecordProduct, RunProduct
from measured.terms.drawing import Plot
from measured.terms.experiment import Run
from measured.terms.record import SCHEMA, read_record
from measured.terms.trial import read_outcomes
from measured.weaving.cells import CellsProduct, Setup, cells_of
from measured.weaving.page import scan
from weaving import weave


@pytest.fixture
def gated(tmp_path, monkeypatch):
    return Gated(tmp_path, monkeypatch)


def test_a_figures_key_holds_the_engine_that_draws_and_the_records_that_are_drawn(gated):
    project, sources = gated.project, Sources(("measured",))
    product = FigureProduct(project, Plot("dice.means", experiment, ("dice",)), sources)
    before = product.inputs()
    for name in ("measured.making.figures", "measured.terms.drawing", "measured.making.environment"):
        assert f"module {name}" in before
    gated.measure("dice", project.read_records()["dice"].measurements.values(), mode="quick")
    after = FigureProduct(project, product.plot, sources).inputs()
    assert {name for name in before if before[name] != after[name]} == {"record dice"}


def test_a_records_key_holds_each_of_its_runs(gated):
    project, sources = gated.project, Sources(("measured",))
    declared = experiment("dice", runs=tuple(Run(f"seed{s}", experiment, {"name": s}) for s in (0, 1)))
    runs = tuple(RunProduct(project, declared, run, sources) for run in declared.runs)
    found = RecordProduct(project, declared, runs, sources).inputs()
    assert {"run seed0", "run seed1"} <= found.keys()
    one = RecordProduct(project, declared, runs[:1], sources).inputs()
    assert "run seed1" not in one


PAGE = """---
jupyter:
  jupytext: {text_representation: {extension: .md, format_name: markdown}}
  kernelspec: {display_name: Python 3, language: python, name: python3}
---

```python%s
1 + 1
```
"""


def cells_key(root, attributes="", code="1 + 1"):
    page = scan((PAGE % attributes).replace("1 + 1", code), Path("page.md"))
    setup = Setup(root, root / "build", root / "site", ())
    return CellsProduct(Path("page.md"), tuple(cells_of(page)), setup).inputs()


def test_a_cells_key_holds_its_code_tags_and_time_budget(tmp_path):
    plain = cells_key(tmp_path)
    assert plain == cells_key(tmp_path)
    for other in (
        cells_key(tmp_path, code="1 + 2"),
        cells_key(tmp_path, ' tags=["hide-input"]'),
        cells_key(tmp_path, " timeout=99"),
    ):
        assert {name for name in plain if plain[name] != other[name]} == {"cells"}


def test_the_largest_of_several_rests_on_all_of_them():
    for choice in ("max", "min"):
        woven = weave(f'It is {{{{ {choice}(dice.mean, dice.low) | fmt(".1f") }}}}.')
        assert set(woven.ids) == {"dice.mean", "dice.low"}
        assert 'data-ids="' in woven.markdown


def test_a_record_of_another_schema_is_told_although_it_is_whole(gated):
    path = gated.project.records / "dice.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    for schema in (SCHEMA - 1, SCHEMA + 1, str(SCHEMA), None):
        path.write_text(json.dumps(archives.sealed({**data, "schema": schema})), encoding="utf-8")
        with pytest.raises(MeasuredError, match=r"dice\.json: the record .*schema"):
            read_record(path)
    path.write_text(json.dumps(archives.sealed(data)), encoding="utf-8")
    assert replace(read_record(path), arrays={}).experiment == "dice"


def test_outcomes_that_are_stored_later_make_stale_what_looked_for_them_in_vain(tmp_path):
    path = tmp_path / "tests" / "study.json"
    path.parent.mkdir()
    with watching.watching(tmp_path) as watch:
        assert not read_outcomes(path)
    assert watch.read == {"file tests/study.json": ABSENT}
    path.write_text('{"runs": {}}')
    assert watching.read_now(watch.read, tmp_path) != watch.read
