"""What a person can mend is told once: the file, the line, what was expected, what to do."""

from __future__ import annotations

import errno
import os
import socket

import pytest

from gated import Gated
from measured import commands, files
from measured.errors import MeasuredError
from measured.gate import prose
from measured.gate.stored import read_all
from measured.mkdocs_yml import SiteSettings
from measured.project import Project
from measured.terms.drawing import Palette
from measured.weaving import page_text

LATIN_1 = "# one\n# two: caf\xe9\n".encode("latin-1")


@pytest.fixture
def gated(tmp_path, monkeypatch):
    return Gated(tmp_path, monkeypatch)


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("docs/index.md", lambda root, project: prose.pass_prose(project)),
        ("docs/more.md", lambda root, project: prose.pass_prose(project)),
        ("mkdocs.yml", lambda root, project: SiteSettings.load(root)),
        ("pyproject.toml", lambda root, project: Project.load(root)),
        ("palette.json", lambda root, project: Palette.load(root / "palette.json")),
        ("tests/regressions/dice.yml", lambda root, project: read_all(project.stored)),
    ],
)
def test_a_file_in_another_encoding_is_named_with_its_line(gated, name, read):
    (gated.root / name).write_bytes(LATIN_1)
    with pytest.raises(MeasuredError) as caught:
        read(gated.root, gated.project)
    told = str(caught.value)
    assert f"{name}:2: the byte 0xE9 is no UTF-8" in told
    assert "expected: a text file in UTF-8" in told


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(MeasuredError, match=r"gone\.md: cannot read: No such file"):
        files.read_text(tmp_path / "gone.md")


def test_python_says_its_own_encoding_and_a_mark_of_byte_order_is_no_text(tmp_path):
    module, page = tmp_path / "a.py", tmp_path / "a.md"
    module.write_bytes("# -*- coding: latin-1 -*-\nNAME = 'caf\xe9'\n".encode("latin-1"))
    assert "café" in files.read_text(module)
    module.write_bytes(b"# -*- coding: no-such -*-\n")
    assert "no-such" in files.read_text(module)
    page.write_bytes(b"\xef\xbb\xbf# Title\n")
    assert files.read_text(page) == "# Title\n"


@pytest.mark.parametrize("sign", ["\x00", "\x08", "\x0b", "\x0c", "\x1b", "\x1f", "\x7f"])
def test_a_control_character_in_a_page_is_named_with_its_line(tmp_path, sign):
    page = tmp_path / "a.md"
    page.write_text(f"# Title\n\nodd {sign} here\n", encoding="utf-8", newline="")
    with pytest.raises(
        MeasuredError, match=rf"a\.md:3: the page holds the control character U\+{ord(sign):04X}"
    ):
        page_text.read_text(page, page)


@pytest.mark.parametrize("text", ["a\tb\r\nc", "\u2028 \u0085 é 𝛼 \u200b"])
def test_other_odd_characters_are_text(tmp_path, text):
    page = tmp_path / "a.md"
    page.write_text(text, encoding="utf-8", newline="")
    assert page_text.read_text(page, page) == text


def said(monkeypatch, capsys, error):
    def fail(**_):
        raise error

    monkeypatch.setattr(commands, "cli", fail)
    with pytest.raises(SystemExit) as caught:
        commands.main()
    assert caught.value.code == 1
    return capsys.readouterr().err


def test_a_port_in_use_is_told_as_such(monkeypatch, capsys):
    with socket.socket() as one, socket.socket() as other:
        one.bind(("127.0.0.1", 0))
        one.listen()
        with pytest.raises(OSError, match="in use") as caught:
            other.bind(one.getsockname())
    told = said(monkeypatch, capsys, caught.value)
    assert "Address already in use" in told
    assert "choose another: nox -s serve -- --address" in told
    assert "space" not in told


@pytest.mark.parametrize(
    ("number", "mend"),
    [
        (errno.ENOSPC, "free some space"),
        (errno.EACCES, "permissions"),
        (errno.EROFS, "writable"),
        (errno.EIO, ""),
    ],
)
def test_each_refusal_of_the_system_has_its_own_advice(monkeypatch, capsys, number, mend):
    told = said(monkeypatch, capsys, OSError(number, os.strerror(number), "site/a.html"))
    assert f"site/a.html: {os.strerror(number)}" in told
    assert mend in told
    assert ("to mend" in told) is bool(mend)
