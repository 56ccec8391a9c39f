"""A small site for the components alone: the repository's scripts under the strictest policy, no Material."""

from __future__ import annotations

import json
import shutil
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "tests"), str(Path(__file__).parent)]

import circuits_page  # noqa: E402
import pictures_page  # noqa: E402
import words_page  # noqa: E402

import live_models  # noqa: E402
import live_spellers  # noqa: E402
import vendor  # noqa: E402
from measured.terms.drawing import Palette  # noqa: E402

POLICY = "default-src 'self'"
ICON = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><path d="M0 0h1v1z"/></svg>'


class Quiet(SimpleHTTPRequestHandler):
    """Serves a folder with the content security policy of the site, and says nothing."""

    def end_headers(self):
        """The policy on every answer."""
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def log_message(self, *_):
        """Nothing."""


def make_site(folder: Path) -> None:
    """The fixture pages, the scripts, the vendored files, the palette and random models."""
    shutil.copytree(Path(__file__).parent / "sketches", folder, dirs_exist_ok=True)
    shutil.copytree(ROOT / "docs" / "assets" / "javascripts", folder / "assets" / "javascripts")
    shutil.copytree(ROOT / "docs" / "assets" / "stylesheets", folder / "assets" / "stylesheets")
    shutil.copytree(vendor.vendor(ROOT), folder / "assets" / "vendor")
    faces = folder / "assets" / "vendor" / "fonts.css"  # pictures are compared: they wait for their faces
    faces.write_text(faces.read_text().replace("optional", "block"))
    words_page.fill(folder / "words.html")
    circuits_page.fill(folder / "circuits.html", folder / "models")
    pictures_page.fill(folder / "pictures.html")
    palette = Palette.load(ROOT / "src/attention_from_scratch/figures/palette.json")
    (folder / "palette.css").write_text(palette.css())
    (folder / "icon.svg").write_text(ICON)
    live_models.export_random(folder / "models", 2, "two-blocks", 16)
    live_models.export_random(folder / "models", 1, "one-block", 16)
    live_spellers.export_random(folder / "models" / "speller")
    live_models.export_digits(folder / "models")
    digits = json.loads((folder / "models" / "digits.json").read_text())
    (folder / "models" / "none.json").write_text(json.dumps({**digits, "images": []}))
    page = (folder / "explanation.html").read_text()
    (folder / "explanation-broken.html").write_text(page.replace("models/digits.json", "models/none.json"))


def serve(folder: Path) -> tuple[ThreadingHTTPServer, str]:
    """A server of the folder on a free port of this machine, and its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, f"http://127.0.0.1:{server.server_port}/"
