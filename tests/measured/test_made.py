"""Whether what was made is still what its inputs make: each way in which it may not be."""

from __future__ import annotations

import os
import sys
from functools import partial, wraps
from pathlib import Path

import pytest

from measured import build
from measured.errors import MeasuredError
from measured.making import environment, fingerprint, workflow
from measured.making.watching import watching
from measured.project import Project
from samples import SAMPLE, copy

ODD = {
    "src/dice/verdicts.py": '''
        """Predicates of claims, apart from what is measured."""

        from dice import limits
        from measured.terms.claims import above


        def leans(findings):
            """Whether the mean is large."""
            return above({"mean": findings["odd.mean"]}, limits.LEAST)
        ''',
    "src/dice/limits.py": "LEAST = 1.0\n",
    "src/dice/secret.py": "SHIFT = 0.0\n",
    "src/dice/loading.py": '''
        """Reads while it is imported."""

        from pathlib import Path

        FIRST = (Path(__file__).parents[2] / "data" / "first.txt").read_text()
        ''',
    "src/dice/odd.py": '''
        """Reads in every way."""

        import functools
        import importlib
        from pathlib import Path

        from dice import loading, verdicts
        from measured.terms.claims import Claim
        from measured.terms.experiment import Experiment, Findings, Run
        from measured.terms.measurement import Close, Measurement

        DATA = Path(__file__).parents[2] / "data"


        @functools.lru_cache
        def shared():
            return float((DATA / "shared.txt").read_text())


        def run(seed):
            return {"mean": shared() + seed}


        def measure(runs):
            total = sum(float(run["mean"]) for run in runs.values())
            total += importlib.import_module("dice.secret").SHIFT + float(loading.FIRST)
            parts = sorted((DATA / "parts").iterdir())
            if (DATA / "parts").exists():
                total += len(parts)
            try:
                total += float((DATA / "more.txt").read_text())
            except FileNotFoundError:
                pass
            return Findings((Measurement("odd.mean", total, "mean", Close("sums", atol=1e-9), ".3f"),))


        EXPERIMENT = Experiment(
            "odd",
            "What was read?",
            measure,
            {},
            runs=(Run("seed0", run, {"seed": 0}), Run("seed1", run, {"seed": 1})),
            claims=(Claim("odd.leans", "it leans", verdicts.leans),),
        )
        ''',
    "src/dice/registry.py": """
        from dice import odd

        EXPERIMENTS = [odd.EXPERIMENT]
        FIGURES = []
        """,
    "data/first.txt": "1\n",
    "data/shared.txt": "2\n",
    "data/parts/a.txt": "3\n",
}


def write(root, texts):
    for name, text in texts.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = text.strip("\n").splitlines()
        indent = len(lines[0]) - len(lines[0].lstrip())
        path.write_text("\n".join(line[indent:] for line in lines) + "\n", encoding="utf-8")


@pytest.fixture
def plan(monkeypatch):
    """The plan of a project, made in this process: why each stale thing is stale."""

    def planned(root):
        with monkeypatch.context() as patch:
            patch.syspath_prepend(str(Path(root) / "src"))
            forget()
            found = {job.name: job.why for job in workflow.jobs(Project.load(Path(root))) if job.why}
        forget()
        return found

    return planned


def forget():
    for name in [name for name in sys.modules if name.partition(".")[0] == "dice"]:
        del sys.modules[name]


@pytest.fixture(scope="module")
def odd(tmp_path_factory):
    sample = copy(SAMPLE, tmp_path_factory.mktemp("odd") / "dice")
    write(sample.root, ODD)
    made = sample.run("make", "--workers", "1")
    assert made.returncode == 0, made.stdout
    return sample


@pytest.fixture
def harmed(odd, tmp_path):
    return copy(odd.root, tmp_path / "dice")


RUNS = {"odd/seed0", "odd/seed1"}


@pytest.mark.parametrize(
    ("name", "old", "new", "stale", "why"),
    [
        ("data/shared.txt", "2", "3", {*RUNS, "odd"}, "file data/shared.txt changed"),
        ("data/first.txt", "1", "4", {*RUNS, "odd"}, "file data/first.txt changed"),
        ("src/dice/limits.py", "1.0", "2.0", {*RUNS, "odd"}, "module dice.limits changed"),
        ("src/dice/verdicts.py", "above(", "1 and above(", {*RUNS, "odd"}, "module dice.verdicts changed"),
        ("src/dice/secret.py", "0.0", "0.5", {"odd"}, "code src/dice/secret.py changed"),
    ],
)
def test_whatever_was_read_or_imported_counts(harmed, plan, name, old, new, stale, why):
    assert plan(harmed.root) == {}
    harmed.edit(name, old, new)
    found = plan(harmed.root)
    assert set(found) == stale
    assert why in " ".join(found.values())


def test_a_file_that_appears_counts(harmed, plan):
    (harmed.root / "data/parts/b.txt").write_text("")
    assert plan(harmed.root) == {"odd": "folder data/parts changed"}
    (harmed.root / "data/parts/b.txt").unlink()
    (harmed.root / "data/more.txt").write_text("1")
    assert plan(harmed.root) == {"odd": "file data/more.txt changed"}


def test_comments_and_docstrings_count_for_nothing(harmed, plan):
    harmed.edit("src/dice/verdicts.py", '"""Whether the mean is large."""', '"""Whether it leans."""  # so')
    harmed.edit("src/dice/odd.py", "def run(seed):", "# One seed.\n\n\ndef run(seed):\n    'A run.'")
    harmed.edit("src/dice/loading.py", '"""Reads while it is imported."""', "")
    harmed.edit("src/dice/secret.py", "SHIFT = 0.0", "SHIFT = (\n    0.0  # none\n)")
    (harmed.root / "src/dice/limits.py").write_bytes(b"LEAST = 1.0\r\n")
    assert plan(harmed.root) == {}


def test_software_that_computes_and_the_settings_count(harmed, plan, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(fingerprint, "installed", lambda name: "99")
        assert plan(harmed.root)["odd"].startswith("package numpy changed")
    with monkeypatch.context() as patch:
        patch.setattr(fingerprint, "python_version", lambda: "CPython 4")
        assert plan(harmed.root)["odd/seed0"] == "python changed"
    with monkeypatch.context() as patch:
        patch.setitem(environment.SETTINGS, "OMP_NUM_THREADS", "2")
        assert plan(harmed.root)["odd/seed0"] == "settings changed"


def test_what_was_changed_by_hand_is_stale(harmed, plan):
    record = harmed.root / "build/records/odd.json"
    record.write_text(record.read_text().replace('"What was read?"', '"What else was read?"'))
    assert "was changed since it was written" in plan(harmed.root)["odd"]


def test_arrays_of_another_run_make_the_record_stale(harmed, plan):
    folder = harmed.root / "build/runs/odd"
    for end in ("npz", "json"):
        (folder / f"seed1.{end}").write_bytes((folder / f"seed0.{end}").read_bytes())
    found = plan(harmed.root)
    assert found["odd/seed1"] == "parameters changed"
    assert "run seed1 changed" in found["odd"]


def test_an_edit_while_it_works_is_an_error_and_nothing_is_stored(harmed):
    harmed.edit(
        "src/dice/odd.py",
        "    parts = sorted",
        "    path = DATA.parent / 'src/dice/limits.py'\n"
        "    path.write_text(path.read_text().replace('1.0', '0.5'))\n    parts = sorted",
    )
    before = harmed.read("build/records/odd.json")
    made = harmed.run("make", "--workers", "1")
    assert made.returncode == 1, made.stdout
    assert "changed while it was in use" in made.stdout
    assert harmed.read("build/records/odd.json") == before


def test_an_edit_of_equal_length_within_the_same_second_is_seen(harmed):
    path = harmed.root / "src/dice/limits.py"
    then = path.stat()
    harmed.run("plan")  # leaves bytecode
    harmed.edit("src/dice/limits.py", "LEAST = 1.0", "LEAST = 9.0")
    os.utime(path, ns=(then.st_atime_ns, then.st_mtime_ns))
    made = harmed.run("measure", "odd")
    assert "FAILS odd.leans" in made.stdout, made.stdout


def test_what_a_function_is_made_of_is_followed():
    def decorated(function):
        @wraps(function)
        def wrapper(*arguments):
            return function(*arguments)

        return wrapper

    outer = decorated(os.path.join)
    assert {"posixpath", __name__} <= fingerprint.modules_of(outer)
    assert {"posixpath"} <= fingerprint.modules_of(partial(lambda join: join, os.path.join))
    assert {"posixpath"} <= fingerprint.modules_of(lambda join=os.path.join: join)

    class Called:
        def __init__(self):
            self.helper = os.path.join

        def __call__(self):
            return self.helper

    assert {"posixpath", __name__} <= fingerprint.modules_of(Called())
    assert {"posixpath", __name__} <= fingerprint.modules_of(Called().__call__)


def test_parameters_that_are_no_plain_data_are_refused():
    with pytest.raises(MeasuredError, match="a parameter cannot be written down"):
        fingerprint.plain_json({"x": object()})
    assert fingerprint.plain_json({"x": {3, 1, 2}}) == '{"x": [1, 2, 3]}'


def test_a_watch_hashes_a_file_before_it_is_read_and_tells_of_changes(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("1")
    with watching(tmp_path) as watch:
        path.read_text()
        (tmp_path / "made.txt").write_text("x")
        path.write_text("2")
        list(tmp_path.iterdir())
    assert sorted(watch.read) == ["file a.txt", "folder ."]
    with pytest.raises(MeasuredError, match="a.txt changed while it was in use"):
        watch.refuse_changes()


def test_a_plan_makes_nothing(harmed):
    harmed.edit("data/shared.txt", "2", "5")
    before = harmed.tree("build")
    said = harmed.run("plan")
    assert said.returncode == 0
    assert "  odd/seed0: file data/shared.txt changed" in said.stdout
    assert harmed.tree("build") == before


def test_what_is_stale_after_the_work_is_an_error(harmed, monkeypatch):
    monkeypatch.setattr(workflow, "make", lambda *_: None)  # a workflow that stores nothing, and says nothing
    harmed.edit("data/shared.txt", "2", "5")
    monkeypatch.syspath_prepend(str(harmed.root / "src"))
    forget()
    with pytest.raises(MeasuredError, match="3 things are stale after they were made"):
        build.measure(Project.load(harmed.root), lambda line: None, 1)
    forget()


def test_what_python_compiles_meanwhile_is_no_change(tmp_path):
    cache = tmp_path / "src" / "__pycache__"
    cache.mkdir(parents=True)
    with watching(tmp_path) as watch:
        list(tmp_path.rglob("*"))
        (cache / "new.cpython-311.pyc").write_bytes(b"")
        watch.refuse_changes()
    assert "folder src" in watch.read
