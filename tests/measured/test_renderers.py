"""One woven folder, three renderers, the same articles."""

from __future__ import annotations

import shutil
from dataclasses import replace

import pytest
from selectolax.lexbor import LexborHTMLParser

from measured.errors import MeasuredError
from measured.mkdocs_yml import SiteSettings
from measured.site import own_files, render, theme_scripts
from measured.site.finish_page import Setting, article_of, finish_page


@pytest.fixture(scope="module")
def woven(accepted, tmp_path_factory):
    """The accepted sample's settings, and a copy of its pages as its build has woven them."""
    folder = tmp_path_factory.mktemp("rendered")
    shutil.copytree(accepted.root / "build" / "woven", folder / "woven")
    return SiteSettings.load(accepted.root), folder / "woven", accepted.root / "build" / "figures"


def articles(woven, name: str) -> dict[str, str]:
    """Each page's article, finished, without white space between elements and the theme's own anchor."""
    settings, folder, figures = woven
    target = folder.parent / name
    environment = {"SOURCE_DATE_EPOCH": "0", "NO_MKDOCS_2_WARNING": "1"}
    render.render(settings, render.renderer_named(name), folder, target, environment=environment)
    setting = Setting(
        figures=lambda figure: ((figures / f"{figure}.svg").read_text(encoding="utf-8"), ""),
        expected={},
        templates=theme_scripts.templates_of("material", name),
        scripts=own_files.SCRIPTS,
    )
    found = {}
    for path in sorted(target.rglob("*.html")):
        place = path.relative_to(target).as_posix()
        tree = LexborHTMLParser(finish_page(path.read_text(encoding="utf-8"), place, setting).html)
        for anchor in tree.css("#__skip"):
            anchor.decompose()
        found[place] = " ".join(article_of(tree).html.split()).replace("> <", "><")
    return found


def test_all_renderers_make_the_same_articles(woven):
    made = {name: articles(woven, name) for name in render.RENDERERS}
    assert set(made["mkdocs"]) >= {"index.html", "measurements/index.html", "404.html"}
    assert "<math" in made["mkdocs"]["index.html"]
    assert 'href="../"' in made["mkdocs"]["measurements/index.html"]
    for name in ("properdocs", "zensical"):
        assert made[name] == made["mkdocs"], name


def test_a_page_that_was_kept_is_the_page_that_would_be_made(woven):
    settings, folder, _ = woven
    targets = [folder.parent / name for name in ("first", "second")]
    for target in targets:
        render.render(
            settings, render.RENDERERS["mkdocs"], folder, target, environment={"SOURCE_DATE_EPOCH": "0"}
        )
    assert (folder.parent / "kept_pages.json").is_file()
    first, second = (
        {p.relative_to(t): p.read_bytes() for p in sorted(t.rglob("*")) if p.is_file()} for t in targets
    )
    assert first == second


def test_a_page_that_warns_is_told_again_though_nothing_changed(woven):
    settings, folder, _ = woven
    page = folder / "astray.md"
    page.write_text("[x](nowhere.md)\n", encoding="utf-8")
    try:
        for _ in range(2):
            with pytest.raises(MeasuredError, match=r"nowhere\.md"):
                render.render(
                    settings, render.RENDERERS["mkdocs"], folder, folder.parent / "astray", environment={}
                )
    finally:
        page.unlink()


def test_what_a_renderer_would_ignore_in_silence_is_refused(woven, tmp_path):
    settings, folder, _ = woven
    foreign = replace(settings, raw={**settings.raw, "plugins": ["search", "measured", "tags"]})
    with pytest.raises(MeasuredError, match="Zensical runs no tags"):
        render.configuration(foreign, render.RENDERERS["zensical"], folder, tmp_path)
    with pytest.raises(MeasuredError, match="no renderer is called 'jekyll'"):
        render.renderer_named("jekyll")


def test_a_renderer_gets_the_settings_less_what_weaving_has_done(woven):
    settings, folder, _ = woven
    raw = {
        **settings.raw,
        "repo_url": "",
        "theme": {"name": "material", "custom_dir": "over"},
        "hooks": ["a.py"],
    }
    raw |= {"exclude_docs": "x", "extra_css": ["own.css"]}
    root = settings.path.parent
    for name in ("mkdocs", "properdocs"):
        made = render.configuration(
            replace(settings, raw=raw), render.RENDERERS[name], folder, folder.parent / "x"
        )
        assert made["plugins"] == ["search"]
        assert made["theme"]["custom_dir"] == str(root / "over")
        assert made["hooks"][0] == str(root / "a.py")
        assert made["extra_css"] == [*own_files.style_sheets(), "own.css"]
        assert made["extra_javascript"] == [{"path": own_files.SCRIPTS[0], "type": "module"}]
        assert made["docs_dir"] == "woven"
        assert "exclude_docs" not in made
    raw = {key: value for key, value in raw.items() if key != "hooks"}
    made = render.configuration(
        replace(settings, raw=raw), render.RENDERERS["zensical"], folder, folder.parent / "x"
    )
    assert "repo_url" not in made
    assert made["theme"]["variant"] == "classic"
