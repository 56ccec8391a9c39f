"""Small parts of the engine: scanning, claims, formulas, figures, fingerprints, checks."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from measured.errors import MeasuredError
from measured.files import write_text
from measured.making import fingerprint
from measured.making.figures import csv_of
from measured.terms import claims
from measured.terms.drawing import Drawing, Palette, subplots, svg_of
from measured.terms.experiment import Experiment, Findings, Run
from measured.terms.measurement import Exact, Measurement
from measured.weaving.page import scan

ROLES = ["ink", "muted", "grid", "surface", "accent", "series1", "series2", "series3", "series4", "series5"]
PALETTE = {role: {"light": f"#0000{i:02x}", "dark": f"#ffff{i:02x}"} for i, role in enumerate(ROLES)}


@given(st.text(alphabet="ab`$~\n {}%<>!-#\\*[]", max_size=80))
def test_the_spans_of_a_page_add_up_to_it(text):
    try:
        page = scan(text, Path("page.md"))
    except MeasuredError as error:
        told = error.line
        assert told is not None  # noqa: PT017 - hypothesis looks for either outcome
        return
    assert "".join(span.text for span in page.spans) == text or page.meta
    line = page.spans[0].line if page.spans else 1
    for span in page.spans:
        assert span.line == line
        line += span.text.count("\n")


def test_a_finding_decides_a_claim():
    findings = Findings((Measurement("dice.mean", 3.5, "m", Exact("why"), ".1f"),))
    low = claims.Claim("dice.low", "below 4", lambda f: claims.below({"mean": f["dice.mean"]}, 4))
    found = claims.judge(low, findings)
    assert found.holds
    assert found.margin == pytest.approx(0.5)
    assert found.saw == {"mean": 3.5, "bound": 4}


@pytest.mark.parametrize(
    ("verdict", "holds", "margin"),
    [
        (claims.above({"a": 3.0}, 2), True, 1),
        (claims.above({"a": 2.0}, 2), False, 0),
        (claims.between({"a": 3.0, "b": 3.9}, 3.5, 4), False, -0.5),
        (claims.equal({"a": 0.0, "b": 0.0}, 0.0), True, 0),
        (claims.equal({"a": 0.0, "b": 1e-300}, 0.0), False, 0),
        (claims.rises({"a": 1.0, "b": 2.0, "c": 2.5}), True, 0.5),
        (claims.rises({"a": 1.0, "b": 1.0}), False, 0),
        (claims.falls({"a": 1.0, "b": 0.0}), True, 1),
        (claims.every(claims.above({"a": 3.0}, 2), claims.below({"b": 3.0}, 2)), False, -1),
    ],
)
def test_the_verdicts(verdict, holds, margin):
    assert verdict.holds is holds
    assert verdict.margin == pytest.approx(margin)


def test_a_predicate_that_fails_or_weighs_nan_is_undecidable_never_true():
    findings = Findings((Measurement("dice.mean", float("nan"), "m", Exact("why"), ".1f", non_finite=True),))
    raises = claims.judge(claims.Claim("a.b", "w", lambda f: f["dice.none"]), findings)
    assert not raises.holds
    assert "no measurement dice.none" in raises.undecidable
    weighs = claims.judge(
        claims.Claim("a.b", "w", lambda f: claims.below({"m": f["dice.mean"]}, 4)), findings
    )
    assert not weighs.holds
    assert weighs.undecidable
    assert json.dumps(weighs.as_dict(), allow_nan=False)


@pytest.fixture
def drawing():
    import matplotlib as mpl

    palette = Palette(PALETTE)
    with mpl.rc_context({"svg.fonttype": "none"}):
        figure, axes = subplots(palette, width=3, height=2)
        axes.plot([0, 1], [0, 1], color=palette.accent)
        axes.set_title("A title that can be selected")
        axes.text(0.5, 0.5, "all alike: 0.0833")
    return Drawing(figure, "A line from 0 to 1.", {"x": [0, 1], "y": np.array([0.0, 1.0])}), palette


def test_a_figure_is_the_same_bytes_has_text_and_three_colourings(drawing):
    made, palette = drawing
    svg = svg_of(made, "dice.line", palette)
    assert svg == svg_of(made, "dice.line", palette)
    assert ">A title that can be selected</text>" in svg
    assert ">all alike: 0.0833</text>" in svg
    assert " style=" not in svg
    assert "<style" not in svg
    assert 'stroke="var(--figure-accent)"' in palette.paint(svg, None)
    assert f'stroke="{PALETTE["accent"]["light"]}"' in palette.paint(svg, "light")
    assert f'stroke="{PALETTE["accent"]["dark"]}"' in palette.paint(svg, "dark")
    for scheme in (None, "light", "dark"):
        assert "#fe0" not in palette.paint(svg, scheme)


def test_two_figures_on_a_page_share_no_id(drawing):
    import re

    made, palette = drawing
    one, other = (set(re.findall(r' id="([^"]+)"', svg_of(made, n, palette))) for n in ("dice.a", "dice.b"))
    assert one
    assert not one & other


def test_a_figure_without_alt_text_is_refused(drawing):
    made, palette = drawing
    with pytest.raises(MeasuredError, match="no alt text"):
        svg_of(Drawing(made.figure, "  "), "dice.line", palette)


def test_columns_become_csv():
    assert csv_of({"n": [1, 2], "w": np.array([0.5, 0.25])}) == "n,w\n1,0.5\n2,0.25\n"
    with pytest.raises(ValueError, match="shorter|longer"):
        csv_of({"n": [1], "w": [1, 2]})


def test_a_palette_names_what_it_lacks(tmp_path):
    path = tmp_path / "palette.json"
    write_text(path, '{"ink": {"light": "#000000"}}')
    with pytest.raises(MeasuredError, match=r"palette\.json: role 'ink'"):
        Palette.load(path)
    with pytest.raises(AttributeError, match="no role 'ultraviolet'"):
        _ = Palette(PALETTE).ultraviolet


def test_a_fingerprint_follows_imports_wherever_they_stand(tmp_path, monkeypatch):
    package = tmp_path / "traced"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "top.py").write_text("def f():\n    from traced import deep\n    return deep\n")
    (package / "deep.py").write_text("from traced import deeper\n")
    (package / "deeper.py").write_text("X = 1\n")
    (package / "aside.py").write_text("Y = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert list(fingerprint.closure("traced.top", ("traced",))) == [
        "traced",
        "traced.deep",
        "traced.deeper",
        "traced.top",
    ]
    deep = package / "deep.py"
    then = deep.stat()
    deep.write_text("from traced import aside \n")  # as long as before, and by a clock set back as old
    os.utime(deep, ns=(then.st_atime_ns, then.st_mtime_ns))
    assert list(fingerprint.closure("traced.top", ("traced",)))[1:3] == ["traced.aside", "traced.deep"]


def test_changes_are_told_in_words():
    old, new = {"lock": "a", "gone": "x"}, {"lock": "b", "more": "y"}
    assert fingerprint.changes(old, new) == ["gone is gone", "lock changed", "more is new"]


def made(ids, prefixes=()):
    experiment = Experiment("dice", "Fair?", lambda: None, {}, prefixes=prefixes)
    return experiment, Findings(tuple(Measurement(i, 1, "x", Exact("w")) for i in ids))


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        ([], "measured nothing"),
        (["dice.a", "dice.a"], "two measurements are called 'dice.a': in experiment dice, twice"),
        (["coins.a"], "an id that starts with dice"),
        (["dice.a", "dice.a.b"], "the beginning of another"),
    ],
)
def test_findings_that_no_page_could_refer_to_are_refused(ids, expected):
    experiment, findings = made(ids)
    with pytest.raises(MeasuredError, match=expected):
        experiment.check(findings)


def test_two_runs_of_one_name_are_refused():
    run = Run("seed0", lambda: None, {})
    with pytest.raises(MeasuredError, match="two runs are called 'seed0'"):
        Experiment("dice", "Fair?", lambda: None, {}, runs=(run, run))
