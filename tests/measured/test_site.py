"""The whole pipe on the sample: what a stranger publishes, and what an author's mistake does to the site."""

from __future__ import annotations

import json
import re

import pytest

ENTRIES = ("id", "value", "display", "stored", "tolerance", "experiment", "source", "seeds", "spread")


def test_the_site_publishes_its_data(accepted):
    rows = json.loads(accepted.read("site/measurements.json"))
    assert isinstance(rows, list)
    fair = ["fair.sides", "fair.mean", "fair.error", "fair.luck", "fair.name"]
    assert {row["id"] for row in rows} == {*fair, "loaded.mean", "loaded.heaviest"}
    assert all(set(ENTRIES) <= set(row) for row in rows)
    luck = next(row for row in rows if row["id"] == "fair.luck")
    assert luck["seeds"] == [0, 1, 2]
    assert luck["spread"]["n"] == 3
    record = json.loads(accepted.read("site/records/fair.json"))
    shown = [row["id"] for row in rows if row["experiment"] == "fair"]
    assert [m["id"] for m in record["measurements"]] == shown
    mean = next(row["value"] for row in rows if row["id"] == "fair.mean")
    assert accepted.read("site/data/tables/fair.summary.csv") == f"what,value\nmean,{mean!r}\nsides,6\n"
    assert accepted.read("site/data/figures/fair.counts.csv").startswith("face,count\n1,")
    for scheme in ("light", "dark"):
        assert "<title>Bars of how often" in accepted.read(f"site/data/figures/fair.counts.{scheme}.svg")


def test_the_executed_notebook_is_published_and_valid(accepted):
    import nbformat

    notebook = nbformat.reads(accepted.read("site/index.ipynb"), as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == [1, 2, 3]
    assert code[1].outputs[0]["data"]["text/plain"].isdigit()
    prose = "".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    assert "{{" not in re.sub(r"\$[^$]*\$", "", prose)


def test_the_page_is_complete_without_javascript(accepted):
    page = accepted.read("site/index.html")
    record = json.loads(accepted.read("build/records/fair.json"))
    shown = {m["id"]: m["display"] for m in record["measurements"]}
    assert f">{shown['fair.mean']}</data></a>" in page
    assert 'href="measurements/#fair.mean"' in page
    assert 'id="fair.mean"' in accepted.read("site/measurements/index.html")
    assert "<mfrac>" in page
    assert 'role="img" aria-label="Bars of how often' in page
    assert "var(--figure-accent)" in page
    assert f"mean {shown['fair.mean']}" in page.replace("&quot;", '"')


def test_measured_text_is_inert_in_the_page(accepted):
    page = accepted.read("site/index.html")
    assert "<b>sides</b>" not in page
    assert "sides" in page


MISTAKES = {
    "an unknown reference": (
        "Its mean",
        "Its {{ fair.meen }} mean",
        "docs/index.md:11: no record has fair.meen",
    ),
    "a wrong format": (
        "{{ fair.mean }}",
        '{{ fair.mean | fmt("d") }}',
        "docs/index.md:11: format 'd' does not fit",
    ),
    "a false claim": ("fair.middling", "fair.loaded", "docs/index.md:14: the claim fair.loaded is false"),
    "an unknown claim": ("fair.middling", "fair.none", "docs/index.md:14: no record has a claim 'fair.none'"),
    "a cell that raises": ("int(throw", "1 / 0\nint(throw", "raised ZeroDivisionError"),
    "a cell that warns": ("int(throw", "import warnings; warnings.warn('x')\nint(throw", "wrote to stderr"),
    "no notebook header": ("jupyter:", "jupiter:", "does not make it a notebook"),
    "a number by hand": ("Its mean is", "Its 600 throws have a mean of", "docs/index.md:11: the number"),
    "a dead link": ("Its mean", "[Its](nowhere.md) mean", "nowhere.md"),
    "an unreadable formula": ("{{a}}", "{{a}", "docs/index.md:12"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_on_a_page_is_told_and_the_site_stays(sample, mistake):
    old, new, expected = MISTAKES[mistake]
    sample.edit("docs/index.md", old, new)
    before = sample.tree("site")
    result = sample.build()
    assert result.returncode == 1, result.stdout
    assert expected in result.stdout, result.stdout
    assert "Traceback (most recent call last)" not in result.stdout, result.stdout
    assert sample.tree("site") == before


def test_woven_pages_can_be_exported_as_plain_markdown(sample):
    assert sample.run("export", "out").returncode == 0
    page = sample.read("out/index.md")
    assert "jupyter" not in page
    assert "{{ fair" not in page
    assert "def throw" in page
    assert (sample.root / "out/data/figures/fair.counts.light.svg").exists()
