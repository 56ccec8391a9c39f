"""What the engine brings to every site, and whose colours it takes."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from measured.errors import MeasuredError
from measured.project import OWN_ASSETS, Project
from measured.site import own_files, render
from measured.terms.drawing import Palette

PLAIN = Project(OWN_ASSETS, ("dice",), "dice.registry")
ROLES = json.loads((OWN_ASSETS / "palette.json").read_text(encoding="utf-8"))


def files(project=PLAIN):
    return dict(own_files.files(project))


def test_every_sheet_and_script_that_pages_name_is_published_and_what_a_script_imports_too():
    made = files()
    assert {*own_files.style_sheets(), *own_files.SCRIPTS} <= set(made)
    scripts = {path: text for path, text in made.items() if path.endswith(".js")}
    imported = {
        name for text in scripts.values() for name in re.findall(r"""["']\./([\w.]+\.js)["']""", text)
    }
    assert imported == {"card.js", "cards.js", "ledger.js", "elements.js"}
    assert {f"{own_files.FOLDER}/{name}" for name in imported} <= set(scripts)


def test_without_a_palette_colours_are_the_themes_and_each_role_has_one():
    css = files()[own_files.PALETTE]
    assert "--figure-ink: var(--md-default-fg-color, #1f2430)" in css
    assert "--figure-surface: var(--md-default-bg-color, #171b26)" in css
    assert all(css.count(f"--figure-{role}:") == 2 for role in ROLES)


def test_styles_ask_for_roles_that_every_site_has():
    asked = {
        role
        for text in files().values()
        if isinstance(text, str)
        for role in re.findall(r"--figure-(\w+)", text)
    }
    assert asked <= set(ROLES)


def test_a_palette_of_ones_own_is_used_and_what_it_lacks_is_named(tmp_path):
    project = replace(PLAIN, root=tmp_path, palette="palette.json")
    (tmp_path / "palette.json").write_text(json.dumps(ROLES), encoding="utf-8")
    assert files(project)[own_files.PALETTE] == Palette(ROLES).css()
    less = {role: colours for role, colours in ROLES.items() if role not in ("muted", "series3")}
    (tmp_path / "palette.json").write_text(json.dumps(less), encoding="utf-8")
    with pytest.raises(MeasuredError, match="the palette has no muted, series3"):
        files(project)


def test_a_script_that_an_author_names_is_named_once():
    assert render.own_scripts([own_files.SCRIPTS[0]]) == []
    assert render.own_scripts([{"path": own_files.SCRIPTS[0]}]) == []
    assert [one["path"] for one in render.own_scripts(["mine.js"])] == list(own_files.SCRIPTS)
