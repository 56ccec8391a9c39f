"""The beginning of a project: a whole site from nothing, and what is added to it by name."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import zipfile
from importlib.metadata import Distribution
from pathlib import Path

import pytest

import measured
from measured import reference
from measured.errors import MeasuredError
from measured.mkdocs_yml import SiteSettings
from measured.project import Project
from measured.start import init, new, wheel

ENGINE = Path(measured.__file__).parent


@pytest.fixture(scope="module")
def engine():
    return wheel.engine()


@pytest.fixture
def begun(tmp_path, monkeypatch, engine):
    monkeypatch.setattr(wheel, "engine", lambda: engine)
    init.init(tmp_path / "my-walks")
    monkeypatch.syspath_prepend(tmp_path / "my-walks" / "src")
    yield Project.load(tmp_path / "my-walks")
    for name in [name for name in sys.modules if name.partition(".")[0] == "my_walks"]:
        del sys.modules[name]


def text_of(project, place):
    return (project.root / place).read_text(encoding="utf-8")


def test_a_site_is_written_whole_under_its_own_names(begun, engine):
    assert list(begun.declared) == ["pi"]
    assert list(begun.declared_figures) == ["pi.errors"]
    assert SiteSettings.load(begun.root).name == "My walks"
    assert (begun.root / ".gitignore").is_file()
    assert (begun.root / ".github" / "workflows" / "site.yml").is_file()
    assert (begun.root / "wheels" / engine.name).read_bytes() == engine.data
    for path in begun.root.rglob("*"):
        left = ("subject_package", "subject-package", "Subject Title", "ENGINE_WHEEL")
        assert not path.is_file() or not any(word.encode() in path.read_bytes()[:100_000] for word in left), (
            path
        )


def test_the_lock_is_true_every_line_has_a_hash_and_the_engine_is_the_one_that_runs(begun, engine):
    lock = text_of(begun, "requirements.lock")
    pinned = re.findall(
        r"^([a-z0-9-]+)==\S+(?: ;.*)? \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", lock, re.M
    )
    lines = [line for line in lock.splitlines() if line and not line.startswith((" ", "#"))]
    assert len(lines) == len(pinned) + 1
    assert lock.endswith(f"./wheels/{engine.name} \\\n    --hash=sha256:{engine.sha256}\n")
    required = [re.split(r"[<>=\[]", name)[0] for name in _declared()]
    assert required
    assert {name.lower() for name in required} <= {name for name, _ in pinned}


def _declared(extra="tests"):
    import tomllib

    settings = tomllib.loads((ENGINE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [*settings["dependencies"], *settings["optional-dependencies"][extra]]


def test_everything_that_the_engine_imports_is_declared():
    """What comes with something declared, or with Python, aside."""
    provided = {"quickjs-ng": "quickjs", "pyyaml": "yaml", "mkdocs-material": "material"}
    declared = [*_declared(), *_declared("cluster")]
    names = {re.split(r"[<>=\[]", name)[0].lower() for name in declared}
    modules = {provided.get(name, name.replace("-", "_")) for name in names}
    # TensorFlow is looked at only where a project's own code has imported it.
    optional = {"griffe", "hatchling", "IPython", "pymdownx", "tensorflow"}
    missing = set()
    for path in ENGINE.rglob("*.py"):
        if "start/project" in path.as_posix():
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            found = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not node.level and node.module:
                found = [node.module]
            missing |= {name.partition(".")[0] for name in found}
    missing -= modules | optional | set(sys.stdlib_module_names) | {"measured", "_pytest", "properdocs"}
    assert missing == set()


def test_the_wheel_is_the_same_from_a_checkout_and_from_what_was_installed(engine, tmp_path):
    (tmp_path / engine.name).write_bytes(engine.data)
    with zipfile.ZipFile(tmp_path / engine.name) as archive:
        archive.extractall(tmp_path / "site-packages")
        members = {name: archive.read(name) for name in archive.namelist()}
    assert "measured/site/stages.py" in members
    parts = [path for path in ENGINE.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    whole = {f"measured/{path.relative_to(ENGINE).as_posix()}" for path in parts} - {
        "measured/pyproject.toml"
    }
    assert whole == {name for name in members if name.startswith("measured/")}
    assert not any("__pycache__" in name or name.startswith("measured/build/") for name in members)
    info = next((tmp_path / "site-packages").glob("*.dist-info"))
    (info / "INSTALLER").write_text("uv")
    with (info / "RECORD").open("a") as record:
        record.write(f"{info.name}/INSTALLER,,\n../../../bin/measured,,\nmeasured/__pycache__/cli.pyc,,\n")
    packed = wheel._packed(Distribution.at(info))
    assert packed.name == engine.name
    (tmp_path / "again.whl").write_bytes(packed.data)
    with zipfile.ZipFile(tmp_path / "again.whl") as archive:
        again = {name: archive.read(name) for name in archive.namelist()}
    record = f"{info.name}/RECORD"
    assert {n: d for n, d in again.items() if n != record} == {
        n: d for n, d in members.items() if n != record
    }
    assert sorted(again[record].splitlines()) == sorted(members[record].splitlines())
    assert wheel._packed(Distribution.at(info)).data == packed.data


@pytest.mark.parametrize(
    ("name", "package", "says"),
    [
        ("held", "", "holds notes.txt"),
        ("absent/../held", "", "holds notes.txt"),
        ("statistics", "", "can be called 'statistics'"),
        ("3d", "", "can be called '3d'"),
        ("fine", "class", "can be called 'class'"),
    ],
)
def test_a_folder_that_holds_something_and_a_name_that_is_taken_are_refused(tmp_path, name, package, says):
    held = name.endswith("held")
    if held:
        (tmp_path / "held").mkdir()
        (tmp_path / "held" / "notes.txt").write_text("mine")
    with pytest.raises(MeasuredError, match=re.escape(says)):
        init.init(tmp_path / name, package=package)
    assert [p.name for p in tmp_path.rglob("*")] == (["held", "notes.txt"] if held else [])


def test_what_is_begun_by_name_is_listed_and_loads(begun):
    for name in ("coins", "walks"):
        made = new.experiment(begun, name)
        assert made.changed == begun.root / "src/my_walks/experiments/registry.py"
    assert made.changed.read_text(encoding="utf-8").count("EXPERIMENT,") == 3
    script = (
        "from pathlib import Path; from measured.project import Project; from measured.start import new\n"
        "p = Project.load(Path('.')); new.figure(p, 'walks.mean'); new.page(p, 'chance/walks')\n"
        "p = Project.load(Path('.')); import importlib, my_walks.figures.registry as r; importlib.reload(r)\n"
        "print(list(p.declared), [f.name for f in r.FIGURES])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=begun.root,
        env={"PYTHONPATH": f"{begun.root / 'src'}:{ENGINE.parent}"},
        capture_output=True,
        text=True,
    )
    assert done.stdout.strip() == "['pi', 'coins', 'walks'] ['pi.errors', 'walks.mean']", done.stderr
    assert "  - Home: index.md\n  - Walks: chance/walks.md\n  - Measurements: measurements.md\n" in text_of(
        begun, "mkdocs.yml"
    )
    assert text_of(begun, "docs/chance/walks.md").startswith("---\ntitle: Walks\n")
    for path in begun.root.rglob("*.py"):
        ast.parse(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("registry", "added"),
    [
        (
            '"""X."""\nfrom p import a\n\nEXPERIMENTS = [a.EXPERIMENT]\n',
            "from p import a, b\n\nEXPERIMENTS = [a.EXPERIMENT,\n    b.EXPERIMENT,\n]\n",
        ),
        (
            "from p import (\n    a,\n    c,\n)\nfrom q import d\n\nEXPERIMENTS = [\n    a,\n    c,\n]\n",
            "from p import (\n    a,\n    b,\n    c,\n)\nfrom q import d\n\n"
            "EXPERIMENTS = [\n    a,\n    c,\n    b.EXPERIMENT,\n]\n",
        ),
        (
            f"from p import a, c{'c' * 90}\n\nEXPERIMENTS = []\n",
            f"from p import (\n    a,\n    b,\n    c{'c' * 90},\n)\n\n"
            "EXPERIMENTS = [\n    b.EXPERIMENT,\n]\n",
        ),
        (
            "import p\nfrom p import a as x\n\nEXPERIMENTS = []\n",
            "import p\nfrom p import a as x\nfrom p import b\n\nEXPERIMENTS = [\n    b.EXPERIMENT,\n]\n",
        ),
        (
            '"""X."""\n\nEXPERIMENTS = []\n',
            '"""X."""\n\nfrom p import b\n\nEXPERIMENTS = [\n    b.EXPERIMENT,\n]\n',
        ),
        (
            "EXPERIMENTS = [\n    1\n]\nx = 1\n",
            "\nfrom p import b\nEXPERIMENTS = [\n    1,\n    b.EXPERIMENT,\n]\nx = 1\n",
        ),
    ],
)
def test_registries_as_people_write_them_take_one_more(tmp_path, registry, added):
    (tmp_path / "registry.py").write_text(registry, encoding="utf-8")
    made = new._listed(tmp_path / "registry.py", "EXPERIMENTS", "p.registry", "b", "b.EXPERIMENT")
    assert made.endswith(added)
    ast.parse(made)


def test_a_new_page_stands_before_the_pages_that_are_generated_at_the_end(tmp_path):
    for name in ("index.md", "own.md", "new.md"):
        (tmp_path / name).touch()
    own = "  - Own:\n      - own.md\n      - Data: own/data.md\n"
    path = tmp_path / "mkdocs.yml"
    path.write_text(f"nav:\n  - index.md\n{own}  - List: list.md\n  - cite.md\ntheme: x\n", "utf-8")
    new._in_navigation(path, tmp_path, "New", "new.md")
    new._in_navigation(path, tmp_path, "Newer", "newer.md")
    listed = "  - New: new.md\n  - Newer: newer.md\n"
    assert path.read_text("utf-8") == (
        f"nav:\n  - index.md\n{own}{listed}  - List: list.md\n  - cite.md\ntheme: x\n"
    )


def test_what_cannot_be_begun_says_why_and_writes_nothing(begun):
    before = sorted(begun.root.rglob("*"))
    for kind, name, says in (
        ("experiment", "a.b", "one word"),
        ("experiment", "Upper", "lower-case"),
        ("experiment", "pi", "there already"),
        ("figure", "pi", "experiment.what"),
        ("figure", "nothing.here", "no experiment is called 'nothing'"),
        ("figure", "pi.errors", "a figure pi.errors already"),
        ("page", "index", "there already"),
        ("page", "../out", "lower-case words"),
    ):
        with pytest.raises(MeasuredError, match=re.escape(says)):
            new.KINDS[kind](begun, name)
    (begun.root / "src/my_walks/experiments/registry.py").write_text(
        "EXPERIMENTS = list(())\n", encoding="utf-8"
    )
    with pytest.raises(MeasuredError, match="add by hand: coins.EXPERIMENT"):
        new.experiment(begun, "coins")
    assert sorted(p for p in begun.root.rglob("*") if "__pycache__" not in p.parts) == before


def test_the_reference_describes_what_it_lists_every_setting_and_every_command():
    page = reference.page()
    for module, name in reference.names():
        assert f"### `{name}` {{#{name}}}\n\n```py\nfrom {module} import {name}\n" in page
        described = page.split(f"{{#{name}}}", 1)[1].split("```\n\n", 1)[1]
        assert not described.startswith("#"), f"{name} has no docstring"
    for command in ("build", "init", "new", "accept"):
        assert f"### `measured {command}`" in page
    assert (
        '| `regressions` | the folder of stored expectations, relative to the root. | `"tests/regressions"` |'
        in page
    )


def test_the_first_site_is_whole_its_values_are_those_that_it_measures(begun, tmp_path):
    """Without a browser or a renderer: measured in this process, compared with what comes along."""
    from measured.gate.stored import read_all

    experiment = begun.declared["pi"]
    found = experiment.measure(**experiment.settings(False))
    stored = read_all(begun.stored)["pi"]
    assert set(stored) == {m.id for m in found.measurements}
    for m in found.measurements:
        assert stored[m.id].value == pytest.approx(m.value, rel=1e-9)
    shutil.rmtree(begun.root)
