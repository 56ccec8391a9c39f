"""A program in a process of its own, forked or started: the same words, the same files seen, the same end."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import tempfile
import threading
from dataclasses import replace

import pytest

from measured.making import watching
from measured.making.watched import Program

PROGRAM = """\
import os, sys
import helper_of_it
print("said", os.getcwd(), os.environ["WORD"], helper_of_it.NUMBER, sys.argv[1:], sys.stdin.read())
print("told", file=sys.stderr)
open("data.txt").read()
os.environ.get("ASKED_FOR")
if sys.argv[1] == "raise":
    raise ValueError("no good")
sys.exit({"": None, "words": "in words"}.get(sys.argv[1], 3))
"""


@pytest.fixture
def program(tmp_path, monkeypatch):
    root = tmp_path / "project"
    root.mkdir()
    (root / "program_of_it.py").write_text(PROGRAM, encoding="utf-8")
    (root / "helper_of_it.py").write_text("NUMBER = 1\n", encoding="utf-8")
    (root / "data.txt").write_text("x", encoding="utf-8")
    monkeypatch.syspath_prepend(str(root))
    importlib.import_module("helper_of_it")  # as it was before
    (root / "helper_of_it.py").write_text("NUMBER = 1 + 1\n", encoding="utf-8")
    yield lambda *arguments: Program(
        "program_of_it", arguments, root, tmp_path / "report.json", (), {"WORD": "spoken"}
    )
    sys.modules.pop("helper_of_it", None)


def ran(program, way):
    with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as told:
        code = getattr(program, way)(said, told)
        said.seek(0), told.seek(0)
        return code, said.read().decode(), told.read().decode()


@pytest.mark.parametrize("way", ["_forked", "_started"])
def test_what_it_says_and_reads_is_the_same_forked_and_started(program, way):
    one = program("other", "more")
    with watching.watching(one.root) as watch:
        code, said, told = ran(one, way)
    assert (code, told) == (3, "told\n")
    assert said == f"said {one.root} spoken 2 ['other', 'more'] \n"
    read = json.loads(one.report.read_text("utf-8"))
    assert {"file data.txt", "code helper_of_it.py", "code program_of_it.py", "variable ASKED_FOR"} <= set(
        read
    )
    assert watch.read == {}, "the fork tells its own watch alone"
    assert "WORD" not in os.environ
    assert sys.modules["helper_of_it"].NUMBER == 1


@pytest.mark.parametrize("way", ["_forked", "_started"])
def test_how_it_ends_is_the_same_forked_and_started(program, way):
    assert ran(program(""), way)[0] == 0
    assert ran(program("words"), way)[::2] == (1, "told\nin words\n")
    code, _, told = ran(program("raise"), way)
    assert code == 1
    assert told.rstrip().endswith("ValueError: no good")
    assert program("").report.exists()


@pytest.mark.parametrize(
    ("others", "may_fork", "way"),
    [
        ([], True, "_forked"),
        (["worker"], True, "_started"),
        (["quickjs-worker-1_0"], True, "_forked"),
        (["quickjs-worker-1_0", "worker"], True, "_started"),
        ([], False, "_started"),
    ],
)
def test_it_is_a_fork_where_it_may_be_one_and_nothing_else_works(program, monkeypatch, others, may_fork, way):
    taken = []
    for one in ("_started", "_forked"):
        monkeypatch.setattr(Program, one, lambda self, said, told, one=one: taken.append(one) or 3)
    threads = [threading.Thread(name=name) for name in others]
    monkeypatch.setattr(threading, "enumerate", lambda: [threading.current_thread(), *threads])
    monkeypatch.setattr(sys, "platform", "linux")
    code, _ = replace(program("x"), may_fork=may_fork).run()
    assert (code, taken) == (3, [way])


def test_the_thread_that_quickjs_begins_is_known():
    """What formulas are made with leaves a thread without work; a build may be forked all the same."""
    code = "from measured.making.watched import _others_at_work as w; from measured.weaving import mathml; "
    code += "import threading; mathml.convert('x', False); print(threading.active_count(), w())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["2", "False"]
