"""Broken links are told by page and line."""

from __future__ import annotations

import pickle

import pytest

from measured.mkdocs_yml import SiteSettings
from measured.site import links
from measured.site.finish import DeadLink, SharedAnchor


@pytest.fixture
def settings(tmp_path):
    (tmp_path / "docs" / "deep").mkdir(parents=True)
    (tmp_path / "mkdocs.yml").write_text("site_name: X\n", encoding="utf-8")
    text = '# A\n\nSee [this](other.md#gone), and [that](missing.md).\n\n<a href="../b/#no">raw</a>\n'
    (tmp_path / "docs" / "deep" / "a.md").write_text(text, encoding="utf-8")
    return SiteSettings.load(tmp_path)


SAID = (
    "WARNING -  Doc file 'deep/a.md' contains a link 'missing.md', but the target 'deep/missing.md' is not"
    " found among documentation files.\n"
    "WARNING -  Doc file 'deep/a.md' contains a link 'other.md#gone', but the doc 'deep/other.md' does not"
    " contain an anchor '#gone'.\n\nAborted with 2 warnings in strict mode!"
)


def test_what_a_renderer_says_gets_its_lines(settings):
    told = str(links.told_by_renderer(SAID, settings))
    assert told.startswith(
        "docs/deep/a.md:3: the link missing.md leads nowhere: the target 'deep/missing.md'"
    )
    assert "and docs/deep/a.md:3: other.md#gone" in told
    assert links.told_by_renderer("ERROR - something else", settings) is None


@pytest.mark.parametrize(
    ("link", "line"), [("../b/#no", 5), ("../../b/#no", 5), ("missing/", 3), ("nowhere/", None)]
)
def test_a_link_of_a_finished_page_is_found_in_what_its_author_wrote(settings, link, line):
    error = DeadLink(link, "deep/a/index.html", "leads to no file of the site")
    told = links.with_line(error, link, "deep/a.md", settings)
    assert (str(told.path), told.line) == ("docs/deep/a.md", line)
    assert told.problem == error.problem == pickle.loads(pickle.dumps(error)).problem


def test_two_anchors_of_one_name_are_told_with_the_lines_of_both(settings):
    text = '# A\n\n## B {#by-hand}\n\n[there](#by-hand) and #by-hand-too\n\n<a id="by-hand"></a>\n'
    (settings.docs / "deep" / "a.md").write_text(text, encoding="utf-8")
    error = pickle.loads(pickle.dumps(SharedAnchor("by-hand", "deep/a/index.html")))
    told = links.with_lines_of_anchor(error, "by-hand", "deep/a.md", settings)
    assert str(told).startswith(
        "docs/deep/a.md:7: two elements of the page are called 'by-hand' (see line 3)\n  expected: an id"
    )
