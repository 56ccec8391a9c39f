"""A drawing made fit for a page: its style sheet becomes attributes, its colours roles of the palette.

Pages allow no styles of their own; roles follow the scheme. Whatever is not needed to show the drawing goes:
classes that the site's style sheets could mean, ids that nothing refers to, links, scripts, fonts.
"""

from __future__ import annotations

import html
import re
import xml.etree.ElementTree as ET

ROLES = ("ink", "muted", "grid", "surface", "accent", "series1", "series2", "series3", "series4", "series5")
STAND_INS = {role: f"#{0x0A0B00 + number:06x}" for number, role in enumerate(ROLES)}
"""Colours that stand for roles while a diagram is laid out."""

_SVG = "http://www.w3.org/2000/svg"
SIZE, LAID_OUT = 16, 20
"""The size of labels in pixels: as they are shown, and as mmdr lays them out. It guesses letters' widths,
and too low for most faces; with this room, labels of a serif face fit into their boxes."""

OWN = "\uf8ff"
"""With this begins what is one drawing's own, its ids; the page that shows it puts a name there."""

_KEPT = {
    "fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap",
    "stroke-linejoin", "stroke-opacity", "opacity", "font-size", "font-weight", "font-style",
    "text-anchor", "dominant-baseline", "text-decoration", "visibility", "display", "marker-start",
    "marker-mid", "marker-end",
}  # fmt: skip
_GEOMETRY = {
    "x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r", "rx", "ry", "dx", "dy", "d", "points", "width",
    "height", "transform", "viewBox", "refX", "refY", "markerWidth", "markerHeight", "markerUnits",
    "orient", "textLength", "lengthAdjust",
}  # fmt: skip
_DRAWING = {
    "svg", "g", "path", "rect", "circle", "ellipse", "polygon", "polyline", "line", "text", "tspan",
    "defs", "marker", "title", "desc",
}  # fmt: skip


def dress(root: ET.Element) -> None:
    """Leave of a drawing what shows it, in the palette's roles."""
    _style(root)
    for element in list(root.iter()):
        _keep_drawing(element)
    _number_ids(root)
    _join_words(root)


def as_image(root: ET.Element, title: str, description: str) -> str:
    """The whole drawing as one picture with a title and a description."""
    box = [float(part) for part in root.get("viewBox", "0 0 300 150").split()]
    ET.register_namespace("", _SVG)
    body = re.sub(
        r"^<svg[^>]*>|</svg>$", "", ET.tostring(root, encoding="unicode", short_empty_elements=True)
    )
    said = f'<title id="{OWN}-title">{html.escape(title)}</title>'
    said += f'<desc id="{OWN}-desc">{html.escape(description)}</desc>'
    return (
        f'<svg xmlns="{_SVG}" class="diagram-drawing" viewBox="{root.get("viewBox")}" width="{box[2]:.0f}"'
        f' height="{box[3]:.0f}" font-size="{SIZE}" role="img" aria-labelledby="{OWN}-title {OWN}-desc">'
        f"{said}{body}</svg>"
    )


def _style(root: ET.Element) -> None:
    """Rules and style attributes become attributes; the later and the more particular one wins, as in CSS."""
    import cssselect2
    import tinycss2

    matcher = cssselect2.Matcher()
    for sheet in root.iter(f"{{{_SVG}}}style"):
        for rule in tinycss2.parse_stylesheet(sheet.text or "", skip_comments=True, skip_whitespace=True):
            if rule.type != "qualified-rule":
                continue
            declarations = _declarations(tinycss2.parse_blocks_contents(rule.content))
            try:
                selectors = cssselect2.compile_selector_list(rule.prelude)
            except cssselect2.SelectorError:
                continue
            for selector in selectors:
                matcher.add_selector(selector, declarations)
    for wrapper in cssselect2.ElementWrapper.from_xml_root(root).iter_subtree():
        element = wrapper.etree_element
        ordinary: dict[str, str] = {}
        important: dict[str, str] = {}
        for *_, declarations in sorted(matcher.match(wrapper), key=lambda found: (found[0], found[1])):
            for name, value, matters in declarations:
                (important if matters else ordinary)[name] = value
        own = tinycss2.parse_blocks_contents(element.attrib.pop("style", ""))
        for name, value, matters in _declarations(own):
            (important if matters else ordinary)[name] = value
        for name, value in {**ordinary, **important}.items():
            if name in _KEPT:
                element.set(name, value)


def _declarations(parsed: list) -> list[tuple[str, str, bool]]:
    import tinycss2

    return [
        (d.lower_name, tinycss2.serialize(d.value).strip(), d.important)
        for d in parsed
        if d.type == "declaration"
    ]


# What an element is unless it says otherwise.
_USUAL = {"font-weight": "normal", "font-style": "normal", "stroke-dasharray": "0", "opacity": "1"}


def _keep_drawing(element: ET.Element) -> None:
    for child in list(element):
        if _local(child.tag) not in _DRAWING - {"title", "desc"}:
            element.remove(child)
    for name, value in list(element.attrib.items()):
        if value == _USUAL.get(name):
            del element.attrib[name]
        elif name in ("fill", "stroke"):
            element.set(name, _role(value, element, name))
        elif name == "font-size":
            element.set(name, re.sub(r"[\d.]+(?=px)", lambda m: f"{float(m[0]) * SIZE / LAID_OUT:g}", value))
        elif name in _GEOMETRY or name in _KEPT:
            in_pixels = re.sub(r"(-?[\d.]+)em\b", lambda m: f"{float(m[1]) * LAID_OUT:g}", value)
            element.set(name, _rounded(in_pixels))
        elif name != "id":
            del element.attrib[name]
    if _local(element.tag) == "rect" and element.get("fill") == _variable("surface"):
        element.attrib.pop("opacity", None)  # behind a label no line shows through
    if _local(element.tag) == "text" and any(row.get("dy") for row in element):
        # Smaller than laid out, letters stand too low in their lines.
        element.set("y", f"{float(element.get('y', '0')) - (LAID_OUT - SIZE) / 2:g}")
    if element.get("display") == "none":
        element.clear()


def _local(tag: str) -> str:
    return tag.removeprefix(f"{{{_SVG}}}")


def _role(value: str, element: ET.Element, use: str) -> str:
    """A stand-in's role; what Mermaid computed by itself takes the role of its use."""
    value = value.strip()
    if value in ("none", "transparent", "inherit", "currentColor") or value.startswith("var(--figure-"):
        return value
    rgba = re.match(r"rgba?\((\d+), ?(\d+), ?(\d+)", value)
    colour = "#{:02x}{:02x}{:02x}".format(*map(int, rgba.groups())) if rgba else value.lower()
    for role, stand_in in STAND_INS.items():
        if colour == stand_in:
            return _variable(role)
    if use == "stroke":
        return _variable("muted")
    return _variable("ink" if _local(element.tag) in ("text", "tspan") else "surface")


def _variable(role: str) -> str:
    """A role's colour; a project without a palette has the page's own two."""
    return f"var(--figure-{role}, {'Canvas' if role == 'surface' else 'currentColor'})"


def _rounded(value: str) -> str:
    return re.sub(r"-?\d+\.\d{2,}", lambda m: f"{float(m[0]):.1f}".removesuffix(".0"), value)


def _number_ids(root: ET.Element) -> None:
    """Only what is referred to keeps an id, of this drawing's own; markers that nothing refers to go."""
    text = ET.tostring(root, encoding="unicode")
    wanted = list(dict.fromkeys(re.findall(r"url\([\"']?#([^)\"']+)", text)))
    names = {old: f"{OWN}-{number}" for number, old in enumerate(wanted)}
    for parent in list(root.iter()):
        for child in list(parent):
            if _local(child.tag) == "marker" and child.get("id") not in names:
                parent.remove(child)
    for element in root.iter():
        if (old := element.attrib.pop("id", None)) in names:
            element.set("id", names[old])
        for key in ("marker-start", "marker-mid", "marker-end"):
            if key in element.attrib:
                element.set(
                    key,
                    re.sub(
                        r"url\([\"']?#([^)\"']+)[\"']?\)", lambda m: f"url(#{names[m[1]]})", element.get(key)
                    ),
                )


def _join_words(root: ET.Element) -> None:
    """Mermaid sets each word apart; one line is one piece of text. Groups that hold nothing go."""
    for line in root.iter(f"{{{_SVG}}}tspan"):
        if len(line) and not any(word.attrib.keys() - {"font-weight", "font-style"} for word in line):
            styles = {(word.get("font-weight"), word.get("font-style")) for word in line}
            if len(styles) == 1:
                for name, value in line[0].attrib.items():
                    line.set(name, value)
                line.text = "".join(line.itertext())
                for word in list(line):
                    line.remove(word)
    emptied = True
    while emptied:
        emptied = False
        for parent in list(root.iter()):
            for child in list(parent):
                if (
                    _local(child.tag) in ("g", "defs", "text")
                    and not len(child)
                    and not (child.text or "").strip()
                ):
                    parent.remove(child)
                    emptied = True
