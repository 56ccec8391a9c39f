"""Looking at a built site: a server of its folder, its page of errors, what to type when nothing is there."""

import socket
import threading
import urllib.error
import urllib.request
from contextlib import contextmanager

import pytest
from click.testing import CliRunner

from measured import commands
from measured.errors import MeasuredError
from measured.site import view


@contextmanager
def served(site):
    server = view.server_of(site, "127.0.0.1:0")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()


def test_folders_lead_to_their_pages_and_what_is_not_there_to_the_page_of_errors(tmp_path):
    (tmp_path / "dice").mkdir()
    for name, text in (("index.html", "home"), ("dice/index.html", "dice"), ("404.html", "lost")):
        (tmp_path / name).write_text(text)
    with served(tmp_path) as address:
        assert urllib.request.urlopen(f"{address}dice/").read() == b"dice"
        with pytest.raises(urllib.error.HTTPError, match="404") as lost:
            urllib.request.urlopen(f"{address}nowhere/")
        assert lost.value.read() == b"lost"


def test_without_a_site_it_says_what_to_type(tmp_path):
    with pytest.raises(MeasuredError, match="nox -s build"):
        view.server_of(tmp_path, "127.0.0.1:0")


@pytest.mark.parametrize("address", ["8000", "127.0.0.1:", "127.0.0.1:eight", "127.0.0.1:65536"])
def test_an_address_that_is_none_is_refused(tmp_path, address):
    (tmp_path / "index.html").touch()
    with pytest.raises(MeasuredError, match="host:port"):
        view.server_of(tmp_path, address)


def test_an_address_in_use_is_told_with_another(tmp_path):
    (tmp_path / "index.html").touch()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(MeasuredError, match="nox -s view -- --address"):
            view.server_of(tmp_path, f"127.0.0.1:{taken.getsockname()[1]}")


@pytest.mark.parametrize(("options", "folder"), [([], "site"), (["--quick"], "build/quick/site")])
def test_the_command_serves_what_the_build_of_its_mode_left_and_opens_it(
    tmp_path, monkeypatch, options, folder
):
    (tmp_path / "pyproject.toml").write_text(
        '[tool.measured]\npackages = []\nexperiments = ""\npalette = ""\n'
    )
    (tmp_path / folder).mkdir(parents=True)
    (tmp_path / folder / "index.html").touch()
    opened = []
    monkeypatch.setattr(view.webbrowser, "open", opened.append)
    monkeypatch.setattr(
        view.ThreadingHTTPServer, "serve_forever", lambda self: (_ for _ in ()).throw(KeyboardInterrupt)
    )
    told = CliRunner().invoke(
        commands.cli, ["--root", str(tmp_path), "view", "--address", "127.0.0.1:0", *options]
    )
    assert told.exit_code == 0, told.output
    assert opened[0].startswith("http://127.0.0.1:")
    assert opened[0] in told.output
