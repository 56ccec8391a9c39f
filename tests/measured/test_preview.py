"""The preview follows an author: prose at once, stale code with its remedy, errors in the page's place."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import time
import urllib.error
import urllib.request
from contextlib import contextmanager

import pytest

from measured import preview
from measured.errors import MeasuredError
from measured.project import Project


@pytest.fixture
def served(sample):
    """The sample, served; and what a browser gets: status and text."""
    with serving(sample) as until:
        yield sample, until


@contextmanager
def serving(sample):
    """Serve a sample; yields what waits until a browser is shown something."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = sample.start("serve", "--address", f"127.0.0.1:{port}", start_new_session=True)

    def until(shown, patience=60):
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=30) as page:
                    status, text = page.status, page.read().decode()
            except urllib.error.HTTPError as error:
                status, text = error.code, error.read().decode()
            except OSError:
                time.sleep(0.1)
                continue
            if shown(status, text):
                return text
            time.sleep(0.05)
        raise AssertionError("not shown in time")

    try:
        yield until
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait(30)


def test_a_preview_follows_its_author(served):
    sample, until = served
    page = until(lambda status, text: status == 200 and "The mean is middling." in text)
    assert "Not for publishing" not in page
    records = sample.tree("build/records")

    sample.edit("docs/index.md", "The mean is middling.", "The mean is served.")
    page = until(lambda status, text: "The mean is served." in text)
    assert "<math" in page
    assert "livereload(" in page
    assert "Content-Security-Policy" not in page

    sample.edit("docs/index.md", "The mean is served.", "The mean is {{ fair.meen }}.")
    page = until(lambda status, text: status == 500)
    assert "docs/index.md" in page
    assert "no record has fair.meen" in page
    assert "livereload(" in page, "the browser would not notice that it is mended"
    sample.edit("docs/index.md", "{{ fair.meen }}", "{{ fair.mean }}")
    until(lambda status, text: status == 200 and "no record has" not in text)

    sample.edit("src/dice/throwing.py", "SIDES = 6", "SIDES = 5 + 1")
    page = until(lambda status, text: "stale" in text)
    assert "dice.throwing changed" in page
    assert "nox -s build" in page
    sample.edit("src/dice/throwing.py", "SIDES = 5 + 1", "SIDES = 6")
    sample.edit("palette.json", "#a8400f", "#a8400e")
    page = until(lambda status, text: "stale" in text and "palette" in text)
    assert sample.tree("build/records") == records


def test_an_error_is_text_in_its_page():
    page = preview.error_page("docs/a.md:3: <script>no</script>").decode()
    assert "<script>" not in page
    assert "docs/a.md:3" in page


def test_an_address_that_is_none_is_told():
    with pytest.raises(MeasuredError, match="'8000' is no address"):
        preview.serve(None, "8000")


def test_quick_results_are_shown_where_nothing_was_measured_in_full(tmp_path):
    project = Project(tmp_path, ("dice",), "dice.registry")
    assert preview.shown(project) is project
    quick, full = tmp_path / "build/quick/records", tmp_path / "build/records"
    quick.mkdir(parents=True)
    (quick / "fair.json").touch()
    assert preview.shown(project).quick
    full.mkdir()
    (full / "fair.json").touch()
    assert preview.shown(project) is project


def test_before_anything_is_measured_pages_are_served_and_say_what_would_make_it(sample):
    """Also where a page links to what results make: there is nothing yet that it could lead to."""
    shutil.rmtree(sample.root / "build")
    sample.edit(
        "docs/index.md", "The mean is middling.", "[The mean](measurements.md#m-fair.mean) is middling."
    )
    with serving(sample) as until:
        page = until(lambda status, text: status in (200, 500))
    assert "nox -s build" in page
    assert "is not there yet" in page
    assert "middling." in page
    assert not (sample.root / "build" / "records").exists()


def test_what_is_taken_away_while_pages_are_served_shows_its_error_until_it_is_mended(served):
    sample, until = served
    until(lambda status, text: status == 200)
    registry, page = sample.read("src/dice/registry.py"), sample.read("docs/index.md")
    (sample.root / "src/dice/loaded.py").unlink()
    told = until(lambda status, text: status == 500)
    assert "cannot import name &#x27;loaded&#x27;" in told
    assert "registry.py:" in told
    assert "BuildError" not in told

    (sample.root / "src/dice/registry.py").write_text(
        registry.replace("fair, loaded", "fair").replace(", loaded.EXPERIMENT", ""), encoding="utf-8"
    )
    told = until(lambda status, text: status == 500 and "docs/index.md" in text)
    assert "No module named &#x27;dice.loaded&#x27;" in told
    begin, end = page.index('{% claim "loaded'), page.index("```mermaid")
    (sample.root / "docs/index.md").write_text(page[:begin] + page[end:], encoding="utf-8")
    told = until(lambda status, text: status == 200 and "A loaded die" not in text)
    assert "Not for publishing" in told

    docs = sample.root / "docs"
    docs.rename(sample.root / "kept")
    until(lambda status, text: status == 500)
    (sample.root / "kept").rename(docs)
    until(lambda status, text: status == 200)
    sample.edit("docs/index.md", "The mean is middling.", "The mean came back.")
    until(lambda status, text: status == 200 and "The mean came back." in text)
