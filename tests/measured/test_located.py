"""Whatever is wrong with a declaration is told with the file and the line where it stands."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from measured.errors import MeasuredError
from measured.located import located
from measured.making import executor, running, workflow
from measured.making.order import Order
from measured.project import Project

EXPERIMENT = """from measured.terms.claims import Claim, above
from measured.terms.experiment import Experiment, Findings, Run
from measured.terms.family import Family
from measured.terms.measurement import Close, Measurement
from measured.terms.null import becomes
from measured.terms.scope import Scope

CLOSE = Close("rounding", rtol=1e-9)
MEAN = Family("walks.mean.n{n}", "mean", CLOSE, ".2f")


def measure(steps):
    found = [MEAN.of(0.5, n=n) for n in (1, 2)]
    return Findings((*found,))


EXPERIMENT = Experiment(
    name="walks",
    question="How far?",
    measure=measure,
    parameters={"steps": 10},
    claims=(
        Claim("walks.far", "far", lambda f: above(MEAN.values(f), 0), (becomes("walks.mean.n{n}", -1),)),
    ),
    scopes={"walks.*": Scope("{steps} steps.", trained=False)},
)
"""
REGISTRY = """from walked import walks

EXPERIMENTS = [
    walks.EXPERIMENT,
]
"""
PYPROJECT = """[tool.measured]
packages = ["walked"]
experiments = "walked.registry"
"""


@pytest.fixture
def walked(tmp_path, monkeypatch):
    """Writes the project with one thing said otherwise; yields how."""
    root = tmp_path / "here"
    monkeypatch.syspath_prepend(str(root / "src"))

    def written(old="", new="", *, of="walks"):
        texts = {"walks": EXPERIMENT, "registry": REGISTRY, "__init__": ""}
        (root / "src" / "walked").mkdir(parents=True)
        assert old in texts[of]
        texts[of] = texts[of].replace(old, new)
        for name, text in texts.items():
            (root / "src" / "walked" / f"{name}.py").write_text(text, encoding="utf-8")
        (root / "pyproject.toml").write_text(PYPROJECT, encoding="utf-8")
        line = next((n for n, row in enumerate(texts[of].splitlines(), 1) if new and new in row), 0)
        return Project.load(root), f"src/walked/{of}.py:{line}: "

    yield written
    for name in [name for name in sys.modules if name.partition(".")[0] == "walked"]:
        del sys.modules[name]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("measure=measure", "measure=measrue", "NameError: name 'measrue'"),
        ("import Close, Measurement", "import Klose", "cannot import name 'Klose'"),
        ("from measured.terms.null", "from measured.terms.nul", "No module named 'measured.terms.nul'"),
        ("= Experiment(", "= Experiment(kwestion='How?',", "unexpected keyword argument 'kwestion'"),
        ("CLOSE = Close(", "CLOSE = 1 / 0 + Close(", "ZeroDivisionError"),
        ('Scope("{steps}', 'Scope("5000', "holds '5000', typed by hand"),
        ('n{n}", "mean"', 'n{9}", "mean"', "a hole without a plain name"),
        ("rtol=1e-9", "rtol=0.0", "allows no distance"),
    ],
)
def test_what_fails_while_it_is_imported(walked, old, new, says):
    project, where = walked(old, new)
    with pytest.raises(MeasuredError) as caught:
        _ = project.declared
    assert str(caught.value).startswith(where), caught.value
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("    walks.EXPERIMENT,\n", "    walks.EXPERIMENT,\n" * 2, "two experiments are called 'walks'"),
        ("walks.EXPERIMENT", "walks", "EXPERIMENTS holds <module"),
        ("EXPERIMENTS = ", "EXPERIMENT = ", "walked.registry has no list EXPERIMENTS"),
    ],
)
def test_what_is_wrong_with_a_list(walked, old, new, says):
    project, _ = walked(old, new, of="registry")
    with pytest.raises(MeasuredError) as caught:
        _ = project.declared
    assert str(caught.value).startswith("src/walked/registry.py")
    assert ":3: " in str(caught.value) or "no list" in says
    assert says in str(caught.value)


def told_by_a_build(project, monkeypatch):
    """What a build says of the one experiment, made in this process."""
    monkeypatch.setattr(
        executor.work, "perform", lambda order: running.make_record(project, project.declared["walks"])
    )
    with pytest.raises(MeasuredError) as caught:
        executor.perform(Order(project, "record", "walks"))
    job = SimpleNamespace(name="walks", order=SimpleNamespace(name="walks"))
    return workflow._failure(project, job, caught.value)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("MEAN.of(0.5, n=n)", "MEAN.of(0.5, m=n)", "neither its id nor its words name m"),
        ("MEAN.of(0.5, n=n)", 'MEAN.of(0.5, n=n, format=".1q")', "format '.1q' does not fit walks.mean.n1"),
        ("MEAN.of(0.5, n=n)", "MEAN.of(float('nan'), n=n)", "is not finite"),
        ("return Findings((*found,))", "return Findings((*found,), tables=1 / 0)", "ZeroDivisionError"),
    ],
)
def test_what_fails_while_it_measures_is_told_at_the_line_that_measures(walked, monkeypatch, old, new, says):
    project, where = walked(old, new)
    told = told_by_a_build(project, monkeypatch)
    assert where.rstrip() in told
    assert says in told


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("for n in (1, 2)", "for n in (1, 1)", "two measurements are called 'walks.mean.n1'"),
        ("{steps} steps", "{stepps} steps", "names stepps, which is no parameter"),
        ("(*found,)", "()", "measured nothing"),
        ('Family("walks.', 'Family("talks.', "measures talks.mean.n1"),
    ],
)
def test_what_is_wrong_with_all_of_it_is_told_where_the_experiment_is_declared(
    walked, monkeypatch, old, new, says
):
    project, _ = walked(old, new)
    told = told_by_a_build(project, monkeypatch)
    assert told.startswith("src/walked/walks.py:17: ")
    assert says in told


def test_an_error_keeps_its_own_place(walked):
    project, _ = walked()
    one = MeasuredError("this", path="a.py", line=3)
    assert located(one, project.root) is one
    again = MeasuredError("that", path="a.py")
    again.__cause__ = one
    assert located(again, project.root).line == 3


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('experimnts = "a"', "pyproject.toml:3: [tool.measured] has 'experimnts', which is no setting"),
        ("quick = true", "has 'quick', which is no setting"),
        ('packages = "walked"', "pyproject.toml:3: [tool.measured] packages is 'walked'"),
        ("page_bytes = true", "pyproject.toml:3: [tool.measured] page_bytes is True"),
        ("", "pyproject.toml:1: [tool.measured] lacks packages"),
    ],
)
def test_a_setting_that_is_none_is_named_with_its_line(tmp_path, line, says):
    (tmp_path / "pyproject.toml").write_text(
        f'[tool.measured]\nexperiments = "walked.registry"\n{line}\n', encoding="utf-8"
    )
    with pytest.raises(MeasuredError) as caught:
        Project.load(tmp_path)
    assert says in str(caught.value)
    assert "expected:" in str(caught.value)
