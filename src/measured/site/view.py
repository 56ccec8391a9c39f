"""Looking at the site that was built: a server of its folder on this machine, and a browser that opens it.

A browser that opens `index.html` as a file follows links to folders, and refuses modules, data and the index
of search. It needs a server, be it the smallest.
"""

from __future__ import annotations

import webbrowser
from collections.abc import Callable
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from measured.errors import MeasuredError


class FolderHandler(SimpleHTTPRequestHandler):
    """Answers from a folder as a host does: with the site's own page of errors, and without a log."""

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """The site's page of errors, where it has one."""
        page = Path(self.directory) / "404.html"
        if code != 404 or not page.is_file():
            super().send_error(code, message, explain)
            return
        data = page.read_bytes()
        self.send_response(404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Nothing."""


def host_and_port(address: str) -> tuple[str, int]:
    """The parts of `host:port`.

    Raises:
        MeasuredError: it is none.
    """
    host, _, port = address.rpartition(":")
    if not host or not port.isdigit() or int(port) > 65_535:
        raise MeasuredError(f"{address!r} is no address", expected="host:port, as 127.0.0.1:8000")
    return host, int(port)


def server_of(site: Path, address: str) -> ThreadingHTTPServer:
    """A server of a built site, not yet running.

    Args:
        site: its folder.
        address: `host:port` to listen at; port 0 for a free one.

    Raises:
        MeasuredError: nothing was built, or the address cannot be listened at.
    """
    if not (site / "index.html").is_file():
        raise MeasuredError("there is no site to look at", path=site, mend="build it first: nox -s build")
    try:
        return ThreadingHTTPServer(host_and_port(address), partial(FolderHandler, directory=str(site)))
    except OSError as error:
        raise MeasuredError(
            f"cannot serve at {address}: {error.strerror}",
            mend="choose another: nox -s view -- --address 127.0.0.1:8001",
        ) from error


def view(site: Path, address: str, say: Callable[[str], None], *, browse: bool = True) -> None:
    """Serve a built site until somebody stops it, and open it in the browser of the machine.

    Raises:
        MeasuredError: nothing was built, or the address cannot be listened at.
    """
    with server_of(site, address) as server:
        shown = f"http://{host_and_port(address)[0]}:{server.server_port}/"
        say(f"{site.name}/ is served at {shown} until you press Ctrl-C")
        if browse:
            webbrowser.open(shown)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            say("stopped")
