"""Whatever we use of other projects that they have not promised to keep, each with what it is for.

| project | what | used by |
|---|---|---|
| MkDocs, ProperDocs | `build._populate_page`, `build._build_page` | `plugin`: one page is shown anew |
| MkDocs, ProperDocs | a page's `render`, `toc`, `_title_from_render`, anchors | `site/kept_pages` |
| MkDocs, ProperDocs, Material | the index of search, its `add_entry_from_context` | `site/kept_pages` |
| MkDocs | the live server's epochs, its watches, `_inject_js_into_html`, `error_handler` | `preview` |
| Python-Markdown | `TableProcessor._build_row`, `_split_row` | `weaving/renderer`: rows lose no cell |
| nbclient | `async_start_new_kernel`, `create_kernel_manager`, `timeout_func` | `weaving/kernel` |
| pytest-regressions | `common.perform_regression_check` | `gate/drift_test` |
| loky | `process_executor` | `making/executor` |
| NumPy | the header of an `.npy` file | `archives` |
| Material | templates, scripts, classes, variables | `site/theme_scripts`, `site/own_files` |

A new version that breaks one fails here first, and says what rests on it.
"""

from __future__ import annotations

import importlib
import inspect
import io
import re
from pathlib import Path

import numpy as np
import pytest

from measured.archives import unpack_arrays
from measured.site import own_files, theme_scripts
from measured.site.render import RENDERERS


def parameters(function) -> set[str]:
    return set(inspect.signature(function).parameters)


@pytest.mark.parametrize("fork", ["mkdocs", "properdocs"])
def test_a_page_is_rendered_kept_and_restored_through_these_names(fork):
    pages, toc = (importlib.import_module(f"{fork}.structure.{name}") for name in ("pages", "toc"))
    source = inspect.getsource(pages.Page)
    assert parameters(pages.Page.render) == {"self", "config", "files"}, "kept_pages wraps it"
    for name in ("content", "toc", "_title_from_render", "present_anchor_ids", "links_to_anchors"):
        assert f"self.{name}" in source or f"    {name}:" in source, f"kept_pages stores page.{name}"
    made = toc.AnchorLink("Title", "id", 1)
    assert made.children == [], "kept_pages makes outlines anew"
    assert next(iter(toc.TableOfContents([made]))) is made


@pytest.mark.parametrize("theme", ["mkdocs.contrib", "properdocs.contrib", "material.plugins"])
def test_no_renderer_reads_pages_for_an_index_that_finishing_writes(theme):
    name = f"{theme}.search.plugin" if theme.startswith("material") else f"{theme}.search"
    source = inspect.getsource(importlib.import_module(name))
    assert "self.search_index = SearchIndex(" in source, "kept_pages finds it there"
    assert "self.search_index.add_entry_from_context(page)" in source, "kept_pages replaces it"


def test_one_page_is_built_anew_through_these_names():
    from mkdocs.commands import build

    assert list(inspect.signature(build._populate_page).parameters)[:3] == ["page", "config", "files"]
    names = list(inspect.signature(build._build_page).parameters)[:5]
    assert names == ["page", "config", "doc_files", "nav", "env"], "plugin.show_again calls it"


def test_the_preview_holds_readers_back_through_these_names():
    from mkdocs.livereload import LiveReloadServer

    source = inspect.getsource(LiveReloadServer)
    for name in ("_epoch_cond", "_wanted_epoch", "_visible_epoch", "_watch_refs", "error_handler"):
        assert f"self.{name}" in source, f"preview.PreviewServer uses {name}"
    assert parameters(LiveReloadServer._inject_js_into_html) == {"self", "content", "epoch"}


def test_tables_are_built_row_by_row_through_these_names():
    from markdown.extensions.tables import TableProcessor

    assert parameters(TableProcessor._build_row) == {"self", "row", "parent", "align"}, (
        "renderer overrides it"
    )
    assert parameters(TableProcessor._split_row) == {"self", "row"}


def test_notebooks_run_through_these_names():
    from nbclient import NotebookClient

    for name in ("create_kernel_manager", "async_start_new_kernel", "timeout_func", "on_cell_start"):
        assert hasattr(NotebookClient, name), f"weaving/kernel uses {name}"


def test_notebooks_run_as_mkdocs_jupyter_runs_them():
    from mkdocs_jupyter.convert import get_nbconvert_app
    from nbclient import NotebookClient
    from nbconvert.preprocessors import ExecutePreprocessor

    assert issubclass(ExecutePreprocessor, NotebookClient)
    theirs = get_nbconvert_app(execute=True, allow_errors=False).config.ExecutePreprocessor
    plain = NotebookClient(None)
    ours = {name: getattr(plain, name) for name in theirs if name not in ("enabled", "store_widget_state")}
    assert ours == {name: theirs[name] for name in ours}, "weaving/kernel sets nothing of these itself"


def test_the_gate_speaks_through_pytest_regressions():
    from pytest_regressions.common import perform_regression_check

    used = {"datadir", "original_datadir", "request", "check_fn", "dump_fn", "extension", "fullpath"}
    assert used | {"obtained_filename"} <= parameters(perform_regression_check)


def test_processes_come_from_loky():
    from loky.process_executor import BrokenProcessPool, ProcessPoolExecutor

    assert issubclass(BrokenProcessPool, Exception)
    assert {"max_workers", "context", "env"} <= parameters(ProcessPoolExecutor.__init__)


@pytest.mark.parametrize("array", [np.arange(6.0).reshape(2, 3), np.array(["a", "bc"]), np.array(True)])
def test_arrays_are_written_in_the_format_that_is_read(array):
    stream = io.BytesIO()
    np.savez_compressed(stream, a=array)
    found = unpack_arrays(stream.getvalue())["a"]
    assert found.dtype == array.dtype
    assert np.array_equal(found, array)


@pytest.mark.parametrize("renderer", RENDERERS)
def test_the_themes_own_scripts_are_found_in_its_templates(renderer):
    scripts = theme_scripts.scripts(theme_scripts.templates_of("material", renderer))
    assert any("__md_get" in text for text in scripts), "the policy allows what stands there, by hash"
    assert not any("{{" in text for text in scripts)


def test_the_theme_has_the_classes_and_variables_that_styles_and_scripts_ask_for():
    theme = theme_scripts.templates_of("material")
    sheets = "".join(p.read_text("utf-8") for p in theme.glob("assets/stylesheets/*.css"))
    for variable in own_files._OF_THEME.values():
        assert f"{variable}:" in sheets, f"own_files: a colour without a palette is {variable}"
    assert "[data-md-color-scheme=slate]" in sheets, "the dark roles of a palette stand under it"
    bundles = "".join(p.read_text("utf-8") for p in theme.glob("assets/javascripts/bundle.*.min.js"))
    assert "document$" in bundles, "assets/main.js: cards come again after instant navigation"
    assert "location$" in bundles
    base = (theme / "base.html").read_text("utf-8")
    assert re.search(r"assets/javascripts/bundle\.", base)
    assert 'class="md-content__inner md-typeset"' in (theme / "partials/../base.html").read_text("utf-8")
    assert (theme / "partials" / "header.html").is_file()


def test_everything_that_begins_with_an_underscore_and_is_not_ours_is_listed_here():
    """Names of others that the engine's sources use, found by their leading underscore."""
    engine, listed = Path(own_files.__file__).parents[1], Path(__file__).read_text(encoding="utf-8")
    for name in ("build._populate_page", "build._build_page", "_title_from_render", "_inject_js_into_html"):
        assert name.rpartition(".")[2] in listed
    used = set()
    for path in engine.rglob("*.py"):
        used |= set(re.findall(r"\bbuild\._[a-z]\w+|\bpage\._[a-z]\w+", path.read_text(encoding="utf-8")))
    assert used == {"build._populate_page", "build._build_page", "page._title_from_render"}
