"""Two files for one place in the site are told by name; a notebook is a page like any other."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from mkdocs.config import load_config

from measured import plugin
from measured.errors import MeasuredError
from measured.mkdocs_yml import SiteSettings, with_notebooks_as_pages
from measured.site import collisions, render, weave_site
from measured.weaving.page_text import as_markdown


@pytest.fixture
def settings(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "mkdocs.yml").write_text("site_name: x\nplugins: [search, mkdocs-jupyter, measured]\n")
    return SiteSettings.load(tmp_path)


def authored(settings, *names):
    for name in names:
        path = settings.docs / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    return list(settings.files())


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (("a.md", "a/index.md"), r"docs/a/index\.md: docs/a\.md becomes the same file of the site"),
        (("a.md", "a.ipynb"), "becomes the same file of the site: a/index.html"),
        (("data/x.csv", "data/X.csv"), "becomes the same file of the site: data/x.csv"),
        (("_headers",), r"docs/_headers: the site puts a generated file"),
        (("assets/stylesheets/all.css",), r"docs/assets/stylesheets/all\.css: the site puts"),
    ],
)
def test_two_files_of_authors_for_one_place_are_told(settings, names, told):
    with pytest.raises(MeasuredError, match=told):
        collisions.refuse_among(authored(settings, *names), settings)


def test_an_authors_file_is_taken_as_it_is_now_whatever_the_clock_said(tmp_path):
    source, woven = tmp_path / "x.csv", tmp_path / "woven" / "x.csv"
    for text in ("1\n", "2\n"):
        source.write_text(text)
        os.utime(source, ns=(10**18, 10**18))
        weave_site._copy(source, woven)
        assert woven.read_text() == text
    then = woven.stat().st_mtime_ns
    os.utime(source)
    weave_site._copy(source, woven)
    assert woven.stat().st_mtime_ns == then, "what is as it was is not written again"


@pytest.mark.parametrize(
    ("theirs", "made"),
    [
        ("measurements.md", "measurements.md"),
        ("measurements/index.md", "measurements.md"),
        ("data/tables/x.csv", "data/tables/x.csv"),
        ("assets/Palette.css", "assets/palette.css"),
        ("records/fair.json", "records/fair.json"),
    ],
)
def test_an_authors_file_is_not_replaced_by_a_generated_one(settings, theirs, made):
    files = dict(authored(settings, theirs))
    with pytest.raises(MeasuredError, match=f"docs/{theirs}: the site puts a generated file in this place"):
        collisions.collect([[(made, "text")]], files, settings)
    assert collisions.collect([[("other.md", "text")]], files, settings) == {"other.md": "text"}


def test_two_generated_files_for_one_place_are_told(settings):
    with pytest.raises(MeasuredError, match="two generated files at x/index.html"):
        collisions.collect([[("x.md", "a")], [("x/index.md", "b")]], {}, settings)
    with pytest.raises(MeasuredError, match="two generated files at x"):
        collisions.collect([[("x", "a")], [("x", "b")]], {}, settings)


def notebook(*cells, language="python", **metadata):
    return json.dumps(
        {
            "cells": cells,
            "metadata": {"kernelspec": {"name": "x", "display_name": "X", "language": language}, **metadata},
            "nbformat": 4,
            "nbformat_minor": 5,
        }
    )


CODE = {"cell_type": "code", "id": "a", "execution_count": 7, "source": "1 + 1", "outputs": []}
PROSE = {"cell_type": "markdown", "id": "b", "metadata": {}, "source": "# Title\n\nA {{ fair.mean }}."}


def test_a_notebook_is_read_as_a_page():
    said = {**CODE, "metadata": {"tags": ["hide-input"], "collapsed": True, "timeout": 9}}
    text = as_markdown(notebook(PROSE, said), "docs/x.ipynb")
    assert text.startswith("---\njupyter:\n")
    assert "language: python" in text
    assert "# Title\n\nA {{ fair.mean }}." in text
    assert '```python tags=["hide-input"] timeout=9\n1 + 1\n```' in text
    assert "collapsed" not in text


def test_a_notebook_that_no_page_can_be_made_of_is_told():
    with pytest.raises(MeasuredError, match=r"docs/x\.ipynb: the notebook's cells are julia"):
        as_markdown(notebook(PROSE, language="julia"), "docs/x.ipynb")
    with pytest.raises(MeasuredError, match=r"docs/x\.ipynb: the notebook cannot be read"):
        as_markdown("{}", "docs/x.ipynb")
    with pytest.raises(MeasuredError, match=r"docs/x\.ipynb: the notebook cannot be read"):
        as_markdown("no JSON", "docs/x.ipynb")
    inside = {**PROSE, "attachments": {"a.png": {"image/png": "AA=="}}}
    with pytest.raises(MeasuredError, match="a picture inside of itself: a.png"):
        as_markdown(notebook(inside), "docs/x.ipynb")


def test_a_notebook_is_executed_once_and_hides_no_page(settings):
    authored(settings, "index.md", "more.ipynb")
    assert [place for place, _ in settings.pages()] == ["index.md", "more.md"]
    made = render.configuration(settings, render.RENDERERS["mkdocs"], Path("build/woven"), Path("build/site"))
    assert made["plugins"] == ["search"]
    nav = [{"Home": "index.md"}, {"More": ["more.ipynb", {"Data": "x.csv"}]}]
    assert with_notebooks_as_pages(nav) == [{"Home": "index.md"}, {"More": ["more.md", {"Data": "x.csv"}]}]


def test_the_preview_leaves_no_event_to_mkdocs_jupyter(settings):
    authored(settings, "index.md", "more.ipynb")
    config = load_config(str(settings.path), nav=[{"More": "more.ipynb"}])
    other = config.plugins["mkdocs-jupyter"]

    def heard():
        return [m for methods in config.plugins.events.values() for m in methods if m.__self__ is other]

    assert heard()
    plugin._take_over(config)
    assert not heard()
    assert any(m.__self__ is config.plugins["measured"] for m in config.plugins.events["files"])
    assert config.nav == [{"More": "more.md"}]


def test_a_notebook_among_the_pages_is_woven_executed_and_offered(sample):
    cell = {**CODE, "metadata": {}, "source": "6 * 7"}
    (sample.root / "docs/more.ipynb").write_text(notebook(PROSE, cell))
    done = sample.run("export", "out")
    assert done.returncode == 0, done.stdout
    page = sample.read("out/more.md")
    assert "{{" not in page
    assert "42" in page
    ran = json.loads(sample.read("out/more.ipynb"))["cells"][-1]
    assert "".join(ran["outputs"][0]["data"]["text/plain"]) == "42"
    (sample.root / "docs/measurements.md").write_text("# Mine\n")
    done = sample.run("export", "out")
    assert done.returncode == 1
    assert "docs/measurements.md: the site puts a generated file in this place" in done.stdout
