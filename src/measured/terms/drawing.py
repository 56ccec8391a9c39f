"""Figures drawn once and shown in two schemes: colours are roles until the SVG is written.

A figure function draws with the palette's roles. Each role is a colour of its own that no reader
sees; in the finished SVG it is replaced by the light colour, the dark colour, or a CSS variable. Both
schemes therefore come from one run, and the inlined figure follows the reader's choice.

A figure is drawn twice: at a page's full measure, and narrow, for a phone, where its panels stand below each
other. A page shows the one that fits, at the size that it was drawn in, so that its words can be read.
"""

from __future__ import annotations

import io
import json
import re
import textwrap
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
FULL, NARROW = 7.2, 3.1
"""Inches: a page's full measure, and what a phone shows of it."""
SMALLEST = 8.25
"""Points, eleven pixels: smaller letters are not read."""
TITLE, NAMES = 34, 20
"""Letters in a line of a narrow panel: of its title and the names of its axes, of names beside it."""


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
    width: float = FULL,
    height: float = 3.2,
    stacked: bool = True,
    **options: Any,
) -> tuple[Figure, Any]:
    """A figure and its axes, as `matplotlib.pyplot.subplots`, without pyplot's global state.

    Args:
        palette: the roles, and whether this is the narrow drawing.
        rows: of axes.
        columns: of axes.
        width: inches; a page shows 7.2 inches at its full measure.
        height: inches.
        stacked: whether panels stand below each other in the narrow drawing, each as high as it is in the
            wide one; otherwise rows and columns stay, and the height is the author's.
        options: handed to `matplotlib.figure.Figure.subplots`.
    """
    from matplotlib.figure import Figure

    if not palette.narrow:
        figure = Figure(figsize=(width, height), layout="constrained")
        return figure, figure.subplots(rows, columns, **options)
    width = min(width, NARROW)
    if not stacked or columns == 1:
        figure = Figure(figsize=(width, height), layout="constrained")
        return figure, figure.subplots(rows, columns, **options)
    figure = Figure(figsize=(width, height * columns), layout="constrained")
    return figure, _stack(figure, rows, columns, **options)


def _stack(
    figure: Figure,
    rows: int,
    columns: int,
    *,
    sharex: bool | str = False,
    sharey: bool | str = False,
    squeeze: bool = True,
    **options: Any,
) -> Any:
    """Axes of a grid, one below the other: they share what they would share, and show their own ticks."""
    axes = figure.subplots(rows * columns, 1, squeeze=False, **options).reshape(rows, columns)
    for row in range(rows):
        for column in range(columns):
            for shared, share in ((sharex, "sharex"), (sharey, "sharey")):
                first = {True: (0, 0), "all": (0, 0), "row": (row, 0), "col": (0, column)}.get(shared)
                if first is not None and first != (row, column):
                    getattr(axes[row, column], share)(axes[first])
    return axes.squeeze() if squeeze else axes


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

    def __init__(self, roles: Mapping[str, Mapping[str, str]], *, narrow: bool = False) -> None:
        self.roles, self.narrow = dict(roles), narrow
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

    def narrowed(self) -> Palette:
        """The same roles, for the narrow drawing; a drawing function may ask for `palette.narrow`."""
        return Palette(self.roles, narrow=True)

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
        MeasuredError: the figure has no alt text, or letters that are too small.
    """
    import matplotlib as mpl

    if not drawing.alt.strip():
        raise MeasuredError(f"figure {name} has no alt text", expected="a sentence with the measured values")
    _write_powers_as_text(drawing.figure)
    if palette.narrow:
        _name_axes(drawing.figure)
        _break_lines(drawing.figure)
    stream = io.StringIO()
    with mpl.rc_context({**style(palette), "svg.hashsalt": name}):
        drawing.figure.savefig(
            stream, format="svg", transparent=True, metadata={"Date": None, "Creator": None}
        )
    svg = slim(stream.getvalue(), f"{name}.narrow" if palette.narrow else name)
    _refuse_small_letters(svg, name)
    return svg


def _write_powers_as_text(figure: Figure) -> None:
    """Ticks of logarithmic axes: 10⁷ in letters of one size."""
    from matplotlib.ticker import LogFormatterMathtext

    class Powers(LogFormatterMathtext):
        def __call__(self, x: float, pos: int | None = None) -> str:
            return _POWER.sub(lambda found: found[1] + found[2].translate(_RAISED), super().__call__(x, pos))

    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            written = axis.get_major_formatter()
            if isinstance(written, LogFormatterMathtext):
                axis.set_major_formatter(Powers(written._base, written.labelOnlyBase))


def power_of_ten(exponent: int) -> str:
    """10⁷ in letters of one size."""
    return "10" + str(exponent).translate(_RAISED)


_POWER = re.compile(r"\$\\mathdefault\{(-?\d+)\^\{(-?\d+)\}\}\$")
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def _name_axes(figure: Figure) -> None:
    """A panel that left the neighbour who named its axis says the name itself."""
    for axes in figure.axes:
        for what in ("x", "y"):
            siblings = getattr(axes, f"get_shared_{what}_axes")().get_siblings(axes)
            names = [name for one in siblings if (name := getattr(one, f"get_{what}label")())]
            if names and not getattr(axes, f"get_{what}label")():
                getattr(axes, f"set_{what}label")(names[0])


def _break_lines(figure: Figure) -> None:
    """Titles and names take several lines beside and above narrow panels."""
    from matplotlib.text import Text
    from matplotlib.ticker import FixedFormatter, FuncFormatter

    for axes in figure.axes:
        written = axes.yaxis.get_major_formatter()
        named = isinstance(written, FuncFormatter | FixedFormatter)
        letters = TITLE - NAMES // 2 if named else TITLE
        titles = {axes.get_title(place) for place in ("left", "center", "right")} - {""}
        for text in axes.get_children():
            if isinstance(text, Text) and text.get_text() in titles:
                text.set_text(_filled(text.get_text(), letters))
        axes.set_xlabel(_filled(axes.get_xlabel(), letters))
        if named:
            broken = FuncFormatter(lambda y, place, written=written: _filled(written(y, place), NAMES))
            axes.yaxis.set_major_formatter(broken)


def _filled(text: str, letters: int) -> str:
    return "\n".join(textwrap.fill(line, letters) for line in text.split("\n"))


def _refuse_small_letters(svg: str, name: str) -> None:
    for size, text in re.findall(r'<(?:text|tspan)[^>]* font-size="([\d.]+)px"[^>]*>([^<]*)', svg):
        if float(size) < SMALLEST:
            raise MeasuredError(
                f"figure {name}: “{text}” is set in {size} points",
                expected=f"{SMALLEST} at least, which are eleven pixels; a formula's index counts, too",
                mend="a larger fontsize, or the letter itself: dₖ in the place of $d_k$",
            )


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
