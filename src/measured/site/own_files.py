"""What the engine brings to every site: scripts, styles, and colours where the project has none of its own.

They are published under `assets/measured/`, and named before what authors name: a site's own rules win.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from measured.project import OWN_ASSETS, Project
from measured.terms.drawing import SCHEMES
from measured.weaving import diagrams, formulas, outputs

PALETTE = "assets/palette.css"
FOLDER = "assets/measured"
SCRIPTS = (f"{FOLDER}/main.js",)
_STYLES = (f"{FOLDER}/pages.css", f"{FOLDER}/cards.css")

# What a role is on a site without a palette: Material's own variable; elsewhere, the default colour.
_OF_THEME = {
    "ink": "--md-default-fg-color",
    "muted": "--md-default-fg-color--light",
    "grid": "--md-typeset-table-color",
    "surface": "--md-default-bg-color",
    "raised": "--md-code-bg-color",
    "accent": "--md-typeset-a-color",
}


def files(project: Project) -> Iterator[tuple[str, str | bytes]]:
    """Path in the site, and content."""
    for path in sorted(OWN_ASSETS.iterdir()):
        if path.suffix in (".js", ".css"):
            yield f"{FOLDER}/{path.name}", path.read_text(encoding="utf-8")
    yield formulas.STYLE, formulas.style_sheet()
    yield diagrams.STYLE, diagrams.style_sheet()
    yield outputs.STYLE, outputs.style_sheet()
    yield PALETTE, project.read_palette().css() if project.palette else _colours_of_the_theme()


def style_sheets() -> list[str]:
    """What every page links before the style sheets of its author."""
    return [formulas.STYLE, diagrams.STYLE, outputs.STYLE, PALETTE, *_STYLES]


def _colours_of_the_theme() -> str:
    """The roles as CSS variables that follow the theme's, where it has one for them.

    They stand at the body, where Material sets its own by scheme.
    """
    roles = json.loads((OWN_ASSETS / "palette.json").read_text(encoding="utf-8"))
    light, dark = (
        "".join(
            f"\n  --figure-{role}: "
            + (f"var({_OF_THEME[role]}, {colours[scheme]});" if role in _OF_THEME else f"{colours[scheme]};")
            for role, colours in roles.items()
        )
        for scheme in SCHEMES
    )
    return f'body {{{light}\n}}\n@media screen {{ [data-md-color-scheme="slate"] {{{dark}\n}} }}\n'
