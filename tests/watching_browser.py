"""A browser in which nothing that happens goes unnoticed, and a host that sets no headers of its own."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

# Whatever a page could do unasked, and what a reader's hand could set off: each element gets each event.
# Links that a reader would follow are left alone; what is no address of a page is followed.
PROVOKE = """() => {
  const events = ["load", "error", "mouseover", "mouseenter", "pointerenter", "pointerover", "focus", 
    "focusin", "toggle", "beforetoggle", "animationstart", "transitionend", "begin", "start", "scroll",
    "wheel", "input", "change", "keydown", "beforematch"];
  for (const element of document.querySelectorAll("*")) {
    for (const name of events) element.dispatchEvent(new Event(name, { bubbles: false }));
    const link = element.closest("a, area");
    const address = link?.getAttribute("href") ?? link?.getAttribute("xlink:href") ?? "";
    const leads = /^\\s*(https?:|mailto:|[.#/?]|[\\w-]+(\\.|\\/|$))/i.test(address);
    if (!link || !leads) {
      if (element.closest("article") && !element.matches("form *, label")) {
        element.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
      }
    }
  }
}"""


class _Quiet(SimpleHTTPRequestHandler):
    extensions_map = {**SimpleHTTPRequestHandler.extensions_map, ".xhtml": "application/xhtml+xml"}

    def log_message(self, *_):
        pass


@contextmanager
def hosted(folder: Path) -> Iterator[str]:
    """The address at which a folder is served."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()


class Watcher:
    """A browser in which nothing that happens goes unnoticed."""

    def __init__(self, browser, address: str) -> None:
        self.address, self.noticed = address, []
        self.context = browser.new_context()
        self.context.expose_binding("executed", lambda source: self.notice("executed", source["frame"].url))
        self.context.route(lambda url: not url.startswith((address, "data:", "blob:")), self._stranger)
        self.context.on("page", lambda page: page.on("dialog", self._dialog))

    def notice(self, what: str, where: str) -> None:
        self.noticed.append((what, where))

    def _stranger(self, route) -> None:
        self.notice("left the origin", route.request.url)
        route.abort()

    def _dialog(self, dialog) -> None:
        self.notice("executed", dialog.message)
        dialog.dismiss()

    def look(self, url: str, settle: int = 120) -> None:
        """Open an address, provoke all that is there, and see whether one is still there."""
        page = self.context.new_page()
        page.on("download", lambda download: download.cancel())
        try:
            page.goto(url, wait_until="load", timeout=20_000)
        except Exception as error:  # noqa: BLE001 - a file that is downloaded is no page
            if "ERR_ABORTED" not in str(error) and "Download" not in str(error):
                raise
            page.close()
            return
        page.wait_for_timeout(settle)
        there = page.url.split("#")[0]
        if there != url.split("#")[0]:
            self.notice("left the origin", f"{url} became {page.url}")
        page.evaluate(PROVOKE)
        page.wait_for_timeout(settle)
        if page.url.split("#")[0] != there:
            self.notice("left the origin", f"{url} became {page.url}")
        for other in self.context.pages:
            if other is not page:
                self.notice("left the origin", f"{url} opened {other.url}")
                other.close()
        page.close()
