"""One diagram: Mermaid's text in, SVG out, or a refusal that says on which of its lines reading stopped.

mmdr lays a diagram out as Mermaid would, in Rust. The text is checked for what it would draw wrongly or in
colours of its own; colours that stand for the palette's roles go in, and `drawn_svg` makes what comes out fit
for a page.
"""

from __future__ import annotations

import html
import json
import re
import xml.etree.ElementTree as ET
from functools import lru_cache

from measured.errors import MeasuredError
from measured.weaving.described import described
from measured.weaving.drawn_svg import LAID_OUT, ROLES, STAND_INS, as_image, dress

# `#40;` and `#quot;` stand for signs that mean something in Mermaid's text. While it is laid out, characters
# of the private use stand for them, so that no line breaks inside of one.
_CODE = re.compile(r"#(\d{1,4}|[a-z]{2,6});")
_STANDING = re.compile("[\ue100-\uf0ff]")

# What was looked at in both schemes; mmdr draws more kinds, with labels astray or in other colours.
_KINDS = (
    "flowchart", "graph", "sequenceDiagram", "stateDiagram", "stateDiagram-v2", "classDiagram",
    "erDiagram", "pie", "quadrantChart", "mindmap", "block", "block-beta",
)  # fmt: skip

_FRONT_MATTER = re.compile(r"\s*---[ \t]*\n.*?\n[ \t]*---[ \t]*\n", re.S)
_KIND = re.compile(r"(?:\s+|%%[^\n]*\n)*(?P<kind>[A-Za-z][\w-]*)")
_SIDEWAYS = re.compile(r"^(\s*(?:flowchart|graph)[ \t]+)(?:LR|RL)\b", re.M)
_CLICK = re.compile(r"^[ \t]*(?:(?:click|callback)[ \t]+[\w\"]|links?[ \t]+\w+[ \t]*:).*$", re.M)
_OWN_COLOUR = re.compile(
    r"(?:(?:fill|stroke|color|background)[ \t]*:|^[ \t]*(?:rect|box)\b)[ \t]*"
    r"(?P<colour>[^\s,;}(]+(?:\([^)\n]*\))?)",
    re.I | re.M,
)

# What wears which role: Mermaid's names of its theme's colours.
_WORN = {
    "surface": """background mainBkg clusterBkg edgeLabelBackground primaryColor secondaryColor tertiaryColor
        labelBoxBkgColor actorBkg activationBkgColor noteBkgColor labelBackground
        compositeBackground altBackground stateBkg compositeTitleBackground rowOdd rowEven
        attributeBackgroundColorOdd attributeBackgroundColorEven quadrant1Fill quadrant2Fill
        quadrant3Fill quadrant4Fill pieSectionTextColor pieStrokeColor""",
    "ink": """primaryTextColor secondaryTextColor tertiaryTextColor textColor titleColor nodeTextColor
        actorTextColor signalTextColor labelTextColor loopTextColor noteTextColor classText
        stateLabelColor transitionLabelColor pieTitleTextColor pieLegendTextColor
        quadrantTitleFill quadrantPointTextFill quadrantXAxisTextFill quadrantYAxisTextFill""",
    "muted": """lineColor signalColor actorLineColor transitionColor specialStateColor arrowheadColor
        defaultLinkColor labelColor""",
    "accent": "primaryBorderColor nodeBorder actorBorder stateBorder pieOuterStrokeColor quadrantPointFill",
    "grid": """secondaryBorderColor tertiaryBorderColor clusterBorder labelBoxBorderColor noteBorderColor
        activationBorderColor quadrantInternalBorderStrokeFill quadrantExternalBorderStrokeFill""",
}


@lru_cache(maxsize=1024)
def draw(source: str) -> str:
    """One diagram as SVG; its ids begin with `drawn_svg.OWN`, for the page to replace.

    Raises:
        MeasuredError: `line` counts from the diagram's first.
    """
    _refuse_what_is_not_drawn(source)
    root = ET.fromstring(_laid_out(_CODE.sub(_stand_for, source)))
    for element in root.iter():
        element.text = element.text and _STANDING.sub(_stood_for, element.text)
        element.tail = element.tail and _STANDING.sub(_stood_for, element.tail)
    said = described(root, source)
    dress(root)
    return as_image(root, *said)


def is_sideways(source: str) -> bool:
    """Whether a flowchart runs to the right or to the left."""
    return _SIDEWAYS.search(source) is not None


def turned_downward(source: str) -> str:
    """The same flowchart from top to bottom, for narrow columns."""
    return _SIDEWAYS.sub(r"\1TB", source)


def _refuse_what_is_not_drawn(source: str) -> None:
    def refuse(at: int, problem: str, mend: str) -> MeasuredError:
        line = source.count("\n", 0, at) + 1
        return MeasuredError(problem, line=line, expected="what a drawing can show", mend=mend)

    kind = _kind_of(source)
    if kind not in _KINDS:
        raise refuse(
            0,
            f"no diagram of the kind {kind!r} is drawn here"
            if kind
            else "the diagram does not say of what kind it is",
            f"begin with one of {', '.join(_KINDS)}",
        )
    if (at := source.find("$$")) >= 0:
        raise refuse(at, "a formula in a diagram would not be drawn", "write it with signs: √dₖ, Qᵀ")
    if match := _CLICK.search(source):
        raise refuse(
            match.start(),
            "a drawing's parts cannot be clicked",
            "put the link into a sentence beside the diagram",
        )
    for match in _OWN_COLOUR.finditer(source):
        colour = match["colour"].strip()
        if not (colour.lower() in ("none", "transparent") or colour.startswith("var(--figure-")):
            raise refuse(
                match.start("colour"),
                f"the diagram sets a colour of its own: {colour}",
                f"name a role of the palette, as in fill:var(--figure-series1); roles are {', '.join(ROLES)}",
            )


def _stand_for(match: re.Match[str]) -> str:
    sign = chr(int(match[1])) if match[1].isdigit() else html.unescape(f"&{match[1]};")
    return chr(0xE100 + ord(sign)) if len(sign) == 1 and 0 < ord(sign) < 0x1000 else match[0]


def _stood_for(match: re.Match[str]) -> str:
    return chr(ord(match[0]) - 0xE100)


def _laid_out(source: str) -> str:
    import mmdr

    def drawn(text: str) -> str:
        front = _FRONT_MATTER.match(text)
        cut = front.end() if front else 0
        return mmdr.render(f"{text[:cut]}{_settings(_kind_of(text))}\n{text[cut:]}").svg()

    try:
        return drawn(source)
    except ValueError as error:
        problem = str(error)
    # mmdr does not say where: it is the first line up to which the text fails in the same way.
    lines = source.split("\n")
    for count in range(1, len(lines) + 1):
        try:
            drawn("\n".join(lines[:count]))
        except ValueError as error:
            if str(error) == problem:
                break
    raise MeasuredError(
        f"the diagram cannot be drawn: {problem}",
        line=count,
        expected="Mermaid's syntax",
        mend="try it at https://mermaid.live; labels with brackets or signs stand in quotes",
    )


def _kind_of(source: str) -> str:
    front = _FRONT_MATTER.match(source)
    kind = _KIND.match(source, front.end() if front else 0)
    return kind["kind"] if kind else ""


def _settings(kind: str) -> str:
    """Mermaid's settings: a plain look, and the stand-ins for colours."""
    variables = {name: STAND_INS[role] for role, names in _WORN.items() for name in names.split()}
    series = [STAND_INS[role] for role in ROLES if role.startswith("series")]
    for number in range(12):
        variables[f"pie{number + 1}"] = variables[f"cScale{number}"] = series[number % len(series)]
        variables[f"git{number}"] = series[number % len(series)]
        variables[f"cScaleLabel{number}"] = variables[f"gitBranchLabel{number}"] = STAND_INS["surface"]
    variables |= {"pieOpacity": "1", "fontFamily": "serif", "fontSize": f"{LAID_OUT}px", "dropShadow": "none"}
    # Labels that Mermaid would set as HTML arrive as text in the right place; a flowchart's, inside of nodes.
    as_html = kind not in ("flowchart", "graph")
    flow = {"htmlLabels": as_html, "curve": "basis", "padding": 12, "wrappingWidth": 240}
    look = {"theme": "base", "look": "classic", "htmlLabels": as_html, "fontFamily": "serif"}
    return "%%{init: " + json.dumps({**look, "flowchart": flow, "themeVariables": variables}) + "}%%"
