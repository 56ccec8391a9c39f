"""Figures drawn once and shown in two schemes: colours are roles until the SVG is written.

A figure function draws with the palette's roles. Each role is a colour of its own that no reader
sees; in the finished SVG it is replaced by the light colour, the dark colour, or a CSS variable. Both
schemes therefore come from one run, and the inlined figure follows the reader's choice.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from measured.errors import MeasuredError
from measured.files import read_text
from measured.names import checked

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SCHEMES = ("light", "dark")


@dataclass(frozen=True)
class Drawing:
    """One figure, ready to be saved.

    Args:
        figure: the Matplotlib figure, drawn with the palette's roles.
        alt: what it shows, in words and with the measured values; for those who do not see it.
        data: the plotted data, one column a name, published as CSV.
    """

    figure: Figure
    alt: str
    data: Mapping[str, Sequence] = field(default_factory=dict)


@dataclass(frozen=True)
class Plot:
    """A figure as a project declares it.

    Args:
        name: dotted name, `experiment.what`; a page shows it with `{% figure "experiment.what" %}`.
        draw: called with the palette and the records, in order; returns a `Drawing`.
        records: the experiments whose records it draws.
    """

    name: str
    draw: Callable[..., Drawing]
    records: tuple[str, ...]

    def __post_init__(self) -> None:
        checked(self.name, "a figure")


def subplots(
    palette: Palette,
    rows: int = 1,
    columns: int = 1,
    *,
    width: float = 7.2,
    height: float = 3.2,
    **options: Any,
) -> tuple[Figure, Any]:
    """A figure and its axes, as `matplotlib.pyplot.subplots`, without pyplot's global state.

    Args:
        palette: the roles.
        rows: of axes.
        columns: of axes.
        width: inches; a page shows 7.2 inches at its full measure.
        height: inches.
        options: handed to `matplotlib.figure.Figure.subplots`.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots(rows, columns, **options)


def given(text: str, reason: str) -> str:
    """A text with a number that nobody measures, and why it may stand: a unit, a place on an axis.

    Raises:
        MeasuredError: no reason.
    """
    if not reason.strip():
        raise MeasuredError(f"the text {text!r} of a figure states no reason for its number")
    return text


def style(palette: Palette) -> dict[str, Any]:
    """Matplotlib's settings in the palette's roles: quiet axes, text as text."""
    return {
        "svg.fonttype": "none",
        "font.family": "sans-serif",
        "font.sans-serif": ["DejaVu Sans"],
        "font.size": 9,
        "axes.titlesize": 10,
        "axes.titleweight": "bold",
        "axes.titlelocation": "left",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.edgecolor": palette.muted,
        "axes.labelcolor": palette.ink,
        "axes.titlecolor": palette.ink,
        "axes.facecolor": "none",
        "axes.grid": True,
        "axes.axisbelow": True,
        "axes.prop_cycle": "cycler('color', [" + ", ".join(repr(palette.series(i)) for i in range(5)) + "])",
        "grid.color": palette.grid,
        "grid.linewidth": 0.6,
        "text.color": palette.ink,
        "xtick.color": palette.muted,
        "ytick.color": palette.muted,
        "xtick.labelcolor": palette.ink,
        "ytick.labelcolor": palette.ink,
        "figure.facecolor": "none",
        "legend.frameon": False,
        "legend.labelcolor": palette.ink,
        "lines.linewidth": 1.8,
    }


class Palette:
    """Colours by role (`palette.accent`, `palette.ink` …), as stand-ins until the SVG is written."""

    def __init__(self, roles: Mapping[str, Mapping[str, str]]) -> None:
        self.roles = dict(roles)
        self._stand_ins = {role: f"#fe{index:02x}ed" for index, role in enumerate(self.roles)}

    @classmethod
    def load(cls, path: Path) -> Palette:
        """Read `{"role": {"light": "#rrggbb", "dark": "#rrggbb"}}`.

        Raises:
            MeasuredError: no such file, or a role that lacks a scheme.
        """
        try:
            roles = json.loads(read_text(path))
        except json.JSONDecodeError as error:
            raise MeasuredError(f"the palette cannot be read: {error}", path=path) from error
        for role, colours in roles.items():
            if set(colours) != set(SCHEMES) or not all(
                re.fullmatch("#[0-9a-f]{6}", c) for c in colours.values()
            ):
                raise MeasuredError(
                    f"role {role!r}", path=path, expected='{"light": "#rrggbb", "dark": "#rrggbb"}'
                )
        return cls(roles)

    def __getattr__(self, role: str) -> str:
        try:
            return self.__dict__["_stand_ins"][role]
        except KeyError:
            raise AttributeError(
                f"the palette has no role {role!r}; it has {', '.join(self.roles)}"
            ) from None

    def series(self, index: int) -> str:
        """The colour of the n-th data series, counted from 0: the role `series1`, then `series2`."""
        return getattr(self, f"series{index + 1}")

    def paint(self, svg: str, scheme: str | None) -> str:
        """Replace the stand-ins: by a scheme's colours, or by CSS variables where `scheme` is None."""
        for role, stand_in in self._stand_ins.items():
            colour = self.roles[role][scheme] if scheme else f"var(--figure-{role})"
            svg = svg.replace(stand_in, colour)
        return svg

    def css(self) -> str:
        """The roles as CSS variables: light, unless Material's dark scheme is chosen, on a screen."""
        light, dark = (
            "".join(f" --figure-{role}: {colours[scheme]};" for role, colours in self.roles.items())
            for scheme in SCHEMES
        )
        return f':root {{{light} }}\n@media screen {{ [data-md-color-scheme="slate"] {{{dark} }} }}\n'


def svg_of(drawing: Drawing, name: str, palette: Palette) -> str:
    """The figure as SVG text with stand-in colours: real text, the same bytes each time.

    Raises:
        MeasuredError: the figure has no alt text.
    """
    import matplotlib as mpl

    if not drawing.alt.strip():
        raise MeasuredError(f"figure {name} has no alt text", expected="a sentence with the measured values")
    stream = io.StringIO()
    with mpl.rc_context({**style(palette), "svg.hashsalt": name}):
        drawing.figure.savefig(
            stream, format="svg", transparent=True, metadata={"Date": None, "Creator": None}
        )
    return slim(stream.getvalue(), name)


def slim(svg: str, name: str) -> str:
    """Matplotlib's SVG without what no reader needs, its ids unique to the figure.

    Styles become presentation attributes, so that a page's content policy need not allow inline styles.
    """
    svg = svg[svg.index("<svg") :]
    svg = re.sub(
        r"<metadata>.*?</metadata>\s*|<!--.*?-->\s*|<defs>\s*<style.*?</style>\s*</defs>\s*",
        "",
        svg,
        flags=re.S,
    )
    svg = svg.replace("<svg", '<svg stroke-linejoin="round" stroke-linecap="butt"', 1)
    svg = re.sub(r' style="([^"]*)"', lambda match: _attributes(match[1]), svg)
    prefix = re.sub(r"[^a-z0-9]+", "-", name)
    used = set(re.findall(r'url\(#([^)]+)\)|xlink:href="#([^"]+)"', svg))
    wanted = {one or other for one, other in used}
    svg = re.sub(r' id="([^"]+)"', lambda m: f' id="{prefix}-{m[1]}"' if m[1] in wanted else "", svg)
    svg = re.sub(r"url\(#([^)]+)\)", rf"url(#{prefix}-\1)", svg)
    svg = re.sub(r'xlink:href="#([^"]+)"', rf'xlink:href="#{prefix}-\1"', svg)
    # Coordinates only: a number in a label is a measured one, and keeps its digits.
    svg = re.sub(r"<[^>]+>", lambda tag: re.sub(r"\d+\.\d+", _short, tag[0]), svg)
    svg = re.sub(r" transform=\"rotate\(-?0 [^\"]*\"", "", svg)
    svg = re.sub(r' (?:d|x|y)="[^"]*"', _coordinates, svg)
    svg = re.sub(r' d="([^"]*)"', lambda m: f' d="{_path(m[1])}"', svg)
    return re.sub(r">\s+<", "><", svg).strip() + "\n"


def _attributes(style_text: str) -> str:
    """`fill: none; stroke-width: 0.6` as ` fill="none" stroke-width="0.6"`."""
    pairs = (part.partition(":") for part in style_text.split(";") if part.strip())
    return "".join(f' {key.strip()}="{value.strip()}"' for key, _, value in pairs)


def _short(number: re.Match[str]) -> str:
    return f"{float(number[0]):.2f}".rstrip("0").rstrip(".")


def _coordinates(attribute: re.Match[str]) -> str:
    """To a tenth of a point: finer than a screen shows, in fewer bytes."""
    return re.sub(r"\d+\.\d+", lambda n: f"{float(n[0]):.1f}".removesuffix(".0"), attribute[0])


def _path(commands: str) -> str:
    return re.sub(r"\s*([A-Za-z])\s*", r"\1", " ".join(commands.split()))
