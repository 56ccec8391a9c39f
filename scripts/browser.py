"""A browser for the checks of the built site: where Chromium is, a server like a host's, Lighthouse."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache, partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import vendor
from measured.errors import MeasuredError

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# Nothing that a fresh profile would do on its own, and nothing that needs a screen.
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
_COMPRESSED = {".html", ".css", ".js", ".json", ".svg", ".xml", ".txt", ".csv"}


def chromium() -> str:
    """The machine's Chromium.

    Raises:
        MeasuredError: there is none.
    """
    named = os.environ.get("CHROMIUM")
    found = named or next(filter(None, map(shutil.which, NAMES)), None)
    if not found:
        raise MeasuredError(
            "no Chromium on this machine",
            expected=f"one of {', '.join(NAMES)} on the PATH, or its path in the variable CHROMIUM",
            mend="apt-get install chromium, or: playwright install --with-deps chromium",
        )
    return found


class _Host(SimpleHTTPRequestHandler):
    """Serves a folder as hosts do: compressed text, index pages, and a sitemap that knows the address."""

    protocol_version = "HTTP/1.1"

    def __init__(
        self, *args: object, faces_may_come: threading.Event | None = None, **kwargs: object
    ) -> None:
        self.faces_may_come = faces_may_come
        super().__init__(*args, **kwargs)

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        if self.faces_may_come and path.suffix == ".woff2":
            self.faces_may_come.wait(60)
        path = path / "index.html" if path.is_dir() else path
        if self.path.split("?")[0].endswith("/sitemap.xml"):
            return self._answer(200, self._sitemap(), ".xml")
        if not path.is_file():
            return self._answer(404, (Path(self.directory) / "404.html").read_bytes(), ".html")
        return self._answer(200, path.read_bytes(), path.suffix)

    def _answer(self, status: int, data: bytes, suffix: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", self.guess_type(f"x{suffix}"))
        if suffix in _COMPRESSED:
            data = _gzipped(data)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Cache-Control", "max-age=600")
        self.end_headers()
        self.wfile.write(data)

    def _sitemap(self) -> bytes:
        """What the build writes when SITE_URL is this server: Material navigates by it. It lists no code."""
        host = f"http://{self.headers['Host']}/"
        pages = (page for page in pages_of(Path(self.directory)) if not page.startswith("code/"))
        places = (page.removesuffix("index.html") for page in pages)
        return (
            f"<urlset>{''.join(f'<url><loc>{host}{place}</loc></url>' for place in places)}</urlset>".encode()
        )

    def log_message(self, *_: object) -> None:
        """Nothing."""


@lru_cache(maxsize=512)
def _gzipped(data: bytes) -> bytes:
    return gzip.compress(data, mtime=0)


def pages_of(site: Path) -> list[str]:
    """The site's pages, as paths with `/`; the error page is none."""
    found = (path.relative_to(site).as_posix() for path in site.rglob("*.html"))
    return sorted(page for page in found if page != "404.html")


@contextmanager
def served(folder: Path, faces_may_come: threading.Event | None = None) -> Iterator[str]:
    """The folder at a free port of this machine; yields the address, with `/`.

    Args:
        folder: what is served.
        faces_may_come: until it is set, typefaces are waited for; None: they come at once.
    """
    host = partial(_Host, directory=str(folder), faces_may_come=faces_may_come)
    server = ThreadingHTTPServer(("127.0.0.1", 0), host)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()


def lighthouse(root: Path, url: str, output: Path) -> tuple[dict[str, float], list[str]]:
    """Lighthouse's scores of a page, 0 to 100, with its mobile preset, and the audits that failed.

    Raises:
        MeasuredError: Lighthouse failed.
    """
    tools = vendor.install(root, development=True)
    program = tools / "node_modules" / "lighthouse" / "cli" / "index.js"
    command = [str(vendor.node()), str(program), url, "--quiet", "--output=json", f"--output-path={output}"]
    command += [f"--chrome-flags=--headless=new {' '.join(ARGUMENTS)}", "--no-enable-error-reporting"]
    environment = {**os.environ, "CHROME_PATH": chromium()}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise MeasuredError(f"Lighthouse failed on {url}: {done.stderr[-500:]}")
    report = json.loads(output.read_text(encoding="utf-8"))
    scores = {name: 100 * category["score"] for name, category in report["categories"].items()}
    failed = [f"{a['id']}: {a['title']}" for a in report["audits"].values() if a["score"] == 0]
    return scores, failed


def validate(root: Path, site: Path, configuration: Path) -> list[str]:
    """What html-validate says against the site's pages, one line a finding."""
    tools = vendor.install(root, development=True)
    program = tools / "node_modules" / "html-validate" / "bin" / "html-validate.mjs"
    command = [
        str(vendor.node()),
        str(program),
        "--config",
        str(configuration),
        "--formatter",
        "json",
        "--ext",
        "html",
    ]
    with tempfile.TemporaryFile("w+", encoding="utf-8") as out:  # Node cuts a pipe short when it exits
        done = subprocess.run(
            [*command, str(site)], stdout=out, stderr=subprocess.PIPE, text=True, check=False
        )
        out.seek(0)
        told = out.read()
    if not told.strip():
        raise MeasuredError(f"html-validate failed: {done.stderr[-500:]}")
    return [
        f"{Path(page['filePath']).relative_to(site)}:{m['line']}:{m['column']} {m['ruleId']}: {m['message']}"
        for page in json.loads(told)
        for m in page["messages"]
    ]
