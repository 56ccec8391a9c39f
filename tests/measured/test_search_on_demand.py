"""The index of search is fetched once somebody searches; a theme that asks for it otherwise is refused."""

from __future__ import annotations

import pytest

from measured.errors import MeasuredError
from measured.site import search_on_demand, theme_scripts

INSTALLED = theme_scripts.templates_of("material")
SCRIPT = next(INSTALLED.glob("assets/javascripts/bundle.*.min.js")).read_text(encoding="utf-8")


@pytest.fixture
def theme(tmp_path):
    """A theme whose script is the given text."""

    def made(*texts: str):
        folder = tmp_path / "assets" / "javascripts"
        folder.mkdir(parents=True)
        for number, text in enumerate(texts):
            (folder / f"bundle.{number}.min.js").write_text(text, encoding="utf-8")
        return tmp_path

    return made


def test_the_installed_theme_waits_for_a_search():
    after = search_on_demand.script(INSTALLED)
    assert after.count("search/search_index.json") == SCRIPT.count("search/search_index.json") == 1
    asked = after[: after.index("search/search_index.json")]
    assert asked.rindex("[?&]h=") > asked.rindex("__index"), (
        "the index waits for an address that asks, or for"
    )
    assert asked.rindex('("search")).pipe(') > asked.rindex("[?&]h="), "the switch of search"
    assert "sourceMappingURL" not in after, "a map of another script"


@pytest.mark.parametrize(
    "texts",
    [
        (),
        ("", ""),
        ("nothing about search",),
        (SCRIPT.replace("search_index.json", "index.json"),),
        (SCRIPT.replace('("search")).pipe(', '("find")).pipe('),),
        (SCRIPT + SCRIPT,),
    ],
    ids=["no script", "two scripts", "another script", "another index", "another switch", "two places"],
)
def test_a_theme_that_asks_otherwise_stops_the_build(theme, texts):
    with pytest.raises(MeasuredError, match="does not ask for the index of search as it did"):
        search_on_demand.script(theme(*texts))


def test_the_worker_waits_under_its_own_name():
    told = search_on_demand.waits('{"search": "../assets/javascripts/workers/search.a7633da7.min.js"}')
    assert told == '{"search": "../assets/javascripts/workers/waiting.js?of=search.a7633da7.min.js"}'
    assert search_on_demand.waits('{"search": null}') == '{"search": null}', "a site without search"
