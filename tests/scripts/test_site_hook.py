"""The hook of the site: one style sheet whose addresses still lead somewhere, and what search leaves out."""

import sys
from pathlib import Path

import pytest
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import site_hook  # noqa: E402


@pytest.fixture
def config(tmp_path) -> MkDocsConfig:
    config = MkDocsConfig()
    config.load_dict({"site_name": "x", "docs_dir": str(tmp_path), "site_dir": str(tmp_path / "site")})
    config.validate()
    config.plugins._current_plugin = "site_hook"  # as MkDocs sets it while it calls a hook
    config.extra_css = ["assets/vendor/fonts.css", "assets/stylesheets/site.css"]
    return config


def a_site(config, **sheets: str) -> Files:
    paths = {
        "main": "assets/stylesheets/main.0a1b2c.min.css",
        "fonts": "assets/vendor/fonts.css",
        "site": "assets/stylesheets/site.css",
    }
    return Files([File.generated(config, paths[name], content=text) for name, text in sheets.items()])


def test_style_sheets_are_joined_the_theme_first_and_ours_last(config):
    files = a_site(config, site="a{}", fonts="b{}", main="c{}\n/*# sourceMappingURL=main.css.map */")
    joined = site_hook.on_files(files, config).get_file_from_path(site_hook.STYLES)
    assert joined.content_string.split() == ["c{}", "b{}", "a{}"]
    assert config.extra_css == []


def test_addresses_in_a_joined_style_sheet_lead_where_they_led(config):
    fonts = 'src: url("x.woff2"); mask: url("data:image/svg+xml,<svg/>"); /* a\nremark */ fill: url(#a)'
    files = site_hook.on_files(a_site(config, site="", fonts=fonts), config)
    text = files.get_file_from_path(site_hook.STYLES).content_string
    assert 'url("../vendor/x.woff2")' in text
    assert 'url("data:image/svg+xml,<svg/>")' in text
    assert "url(#a)" in text
    assert "remark" not in text


def test_a_missing_style_sheet_is_named(config):
    with pytest.raises(PluginError, match=r"assets/vendor/fonts\.css"):
        site_hook.on_files(a_site(config, site=""), config)


@pytest.fixture
def page(config) -> Page:
    return Page("x", File.generated(config, "measurements.md", content="# x"), config)


def test_search_leaves_out_code_drawings_and_measured_tables_but_no_captions(page, config):
    html = '<pre>1</pre><svg role="img"/><table>\n<thead></thead></table><figcaption>why</figcaption>'
    marked = site_hook.on_page_content(html, page, config, Files([]))
    assert marked.count("data-search-exclude") == 3
    assert "<figcaption>why" in marked
    assert "<preface>" in site_hook.on_page_content("<preface>", page, config, Files([]))


def test_a_table_scrolls_without_a_script_and_is_styled_as_the_theme_styles_tables(page, config):
    html = site_hook.on_page_content("<table>\n<tr></tr></table>", page, config, Files([]))
    assert html.startswith('<div class="md-typeset__scrollwrap"><div class="md-typeset__table">')
    assert '<table class="plain">\n<tr></tr></table></div></div>' in html
    files = site_hook.on_files(a_site(config, main=".x table:not([class]) th{}", site="", fonts=""), config)
    assert ".x table.plain th{}" in files.get_file_from_path(site_hook.STYLES).content_string


def test_the_list_of_measurements_is_not_searched(page, config):
    site_hook.on_page_markdown("", page, config, Files([]))
    assert page.meta["search"] == {"exclude": True}
