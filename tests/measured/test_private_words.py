"""Nothing published says on whose machine, or where on it, a site was made."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

from measured import archives, private_words
from measured.errors import MeasuredError
from measured.making import environment
from measured.weaving import kernel


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project of Alice's, on her machine."""
    root = tmp_path / "alice-project"
    (root / "docs").mkdir(parents=True)
    (root / "site" / "assets").mkdir(parents=True)
    monkeypatch.setattr(private_words.socket, "gethostname", lambda: "wonderland.example.org")
    monkeypatch.setattr(private_words, "_user", lambda: "alicia")
    monkeypatch.setattr(private_words.Path, "home", lambda: Path("/home/alicia"))
    private_words.of_this_machine.cache_clear()
    private_words._is_written.cache_clear()
    yield root
    private_words.of_this_machine.cache_clear()


def escaped(text):
    return "".join(f"&#{ord(letter)};" for letter in text)


@pytest.mark.parametrize(
    ("name", "content", "what"),
    [
        ("index.html", "<pre>/home/alicia/data.csv</pre>", "a path of a home"),
        ("index.html", f"<pre>{escaped('/home/alicia')}</pre>", "a path of a home"),
        ("index.html", '<a href="file:///home/alicia/x">x</a>', "a path of a home"),
        ("index.html", '<a href="?f=%2Fhome%2Falicia%2Fx">x</a>', "a path of a home"),
        ("x.ipynb", json.dumps({"outputs": [{"text": "at\n/home/alicia"}]}), "a path of a home"),
        ("x.ipynb", json.dumps({"outputs": [{"text": "on wonderland"}]}), "the name of this host"),
        ("records/x.json", '{"machine": "wonderland.example.org"}', "the name of this host"),
        ("records/x.json", '{"who": "Alicia"}', "the name of the user"),
        ("x.csv", "who\nalicia\n", "the name of the user"),
        ("x.svg", "<svg><title>{root}/x</title></svg>", "a path of the project"),
        ("x.json", '{"at": "{root}"}', "a path of the project"),
        ("x.txt", "{tmp}/tmpab12/kernel.json", "a path of a temporary file"),
        ("x.png", "\x89PNG tEXt Source /home/alicia/plot.py", "a path of a home"),
    ],
)
def test_what_is_private_is_found_with_its_place(project, name, content, what):
    path = project / "site" / name
    path.parent.mkdir(exist_ok=True)
    filled = content.replace("{root}", str(project)).replace("{tmp}", tempfile.gettempdir())
    path.write_text(f"first line\n{filled}" if name == "x.txt" else filled, "utf-8")
    with pytest.raises(MeasuredError, match=what) as refused:
        private_words.refuse(project / "site", project)
    assert refused.value.path == Path(name)
    assert refused.value.line == (2 if name in ("x.txt", "x.csv") else 1)


def test_what_is_private_is_found_in_arrays(project):
    packed = archives.pack_arrays({"a": np.zeros(3), "files": np.array(["x", "/home/alicia/y"])})
    (project / "site" / "x.npz").write_bytes(packed)
    with pytest.raises(MeasuredError, match="a path of a home would be published in the array files"):
        private_words.refuse(project / "site", project)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("index.html", '<a href="https://example.org/home/alicia">x</a> <a href="../home/alicia-x/">y</a>'),
        ("index.html", "<p>Temporary files are in /tmp.</p>"),
        ("index.html", "<p>wonderland</p>"),  # an author's word: what machines write is in notebooks and JSON
        ("x.json", '["alicias", "wonderlands", "my.alicia"]'),
        ("assets/x.json", '["alicia"]'),
    ],
)
def test_what_is_not_private_is_published(project, name, content):
    (project / "site" / name).write_text(content, "utf-8")
    private_words.refuse(project / "site", project)


def test_an_author_may_sign(project):
    (project / "docs" / "index.md").write_text("By Alicia.", "utf-8")
    (project / "site" / "x.json").write_text('["alicia"]', "utf-8")
    private_words.refuse(project / "site", project)
    (project / "docs" / "index.md").write_text("See /home/alicia.", "utf-8")
    (project / "site" / "x.json").write_text('["/home/alicia"]', "utf-8")
    with pytest.raises(MeasuredError, match="a path of a home"):
        private_words.refuse(project / "site", project)


COMPILED = {"PYTHONDONTWRITEBYTECODE"}  # whether compiled modules are left; no word of an author


@pytest.mark.parametrize("leaves_none", [True, False])
def test_kernels_and_workers_see_nothing_of_an_authors_environment(tmp_path, monkeypatch, leaves_none):
    monkeypatch.setattr(sys, "dont_write_bytecode", leaves_none)
    monkeypatch.setenv("GITHUB_TOKEN", "ghp_secret")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("HOME", "/home/alicia")
    setup = kernel.Setup(tmp_path, tmp_path / "build", tmp_path / "site", ("dice",))
    for seen in (environment.of_worker(tmp_path), kernel._environment(tmp_path, setup)):
        assert not any("secret" in value for value in seen.values())
        assert seen["HOME"].startswith(str(tmp_path))
        told = {"IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_NO_CONFIG", "MPLCONFIGDIR"}
        own = {"HOME", "USERPROFILE", "PYTHONUSERBASE", "LANG", "TZ"}
        assert set(seen) <= {*environment.PASSED_ON, *environment.SETTINGS, *own, *told, *COMPILED}
