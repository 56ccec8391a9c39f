"""Compiled code of an earlier text is not run under the key of a later one."""

import os
import py_compile
import subprocess
import sys
from pathlib import Path

import pytest

from measured.compiled import forget_doubtful
from measured.errors import MeasuredError
from measured.project import Project

WRITTEN = 1_000_000_000


@pytest.fixture
def edited(tmp_path, monkeypatch):
    """A package of which a module was compiled, and edited to the same length; `at` are parts of seconds."""

    def edit(*, compiled_at, edited_at):
        folder = tmp_path / "doubted"
        folder.mkdir()
        (folder / "__init__.py").touch()
        module = folder / "module.py"
        module.write_text("X = 1\n", encoding="utf-8")
        os.utime(module, (WRITTEN, WRITTEN))
        compiled = Path(py_compile.compile(str(module), doraise=True))
        os.utime(compiled, (WRITTEN + compiled_at, WRITTEN + compiled_at))
        module.write_text("X = 2\n", encoding="utf-8")
        os.utime(module, (WRITTEN + edited_at, WRITTEN + edited_at))
        monkeypatch.syspath_prepend(str(tmp_path))
        return compiled

    return edit


def found_by_another_process(folder):
    command = [sys.executable, "-c", "from doubted import module; print(module.X)"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return int(done.stdout)


def test_an_edit_within_the_second_of_compiling_is_run(edited, tmp_path):
    compiled = edited(compiled_at=0.3, edited_at=0.6)
    assert found_by_another_process(tmp_path) == 1, "Python has learnt it: the module is needed no more"
    forget_doubtful(["doubted"])
    assert not compiled.exists()
    assert found_by_another_process(tmp_path) == 2


def test_what_a_project_declares_is_read_from_what_stands_there(edited, tmp_path):
    edited(compiled_at=0.3, edited_at=0.6)
    try:
        with pytest.raises(MeasuredError, match="has no list EXPERIMENTS"):
            _ = Project(tmp_path, ("doubted",), "doubted.module").declared
        assert sys.modules["doubted.module"].X == 2
    finally:
        for name in ("doubted.module", "doubted"):
            sys.modules.pop(name, None)


def test_what_was_compiled_later_is_kept_and_python_sees_a_later_edit_itself(edited, tmp_path):
    compiled = edited(compiled_at=1.3, edited_at=1.6)
    before = compiled.read_bytes()
    os.utime(compiled, (WRITTEN + 2, WRITTEN + 2))
    forget_doubtful(["doubted"])
    assert compiled.read_bytes() == before
    assert found_by_another_process(tmp_path) == 2


def test_what_is_not_installed_or_has_no_source_is_left_alone(edited):
    compiled = edited(compiled_at=0.3, edited_at=0.6)
    (compiled.parent.parent / "module.py").unlink()
    forget_doubtful(["no_such_package", "doubted"])
    assert compiled.exists()
