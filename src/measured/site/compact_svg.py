"""A figure's drawing in fewer bytes, for the page that holds it: the same picture to a screen.

Matplotlib draws each tick by itself: a group in a group in a group, a line of the grid, a use of a mark,
and all their styles again. Here groups that say nothing go, lines of one look become one path, and what
neighbours have in common is said once, around them. A line keeps the corners that bend it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from functools import lru_cache
from itertools import groupby
from math import hypot

from lxml import etree

_PATH = re.compile(r'(?<= d=")[^"]*(?=")')
_STEP = re.compile(r"([A-Za-z])([^A-Za-z]*)")
_NUMBER = re.compile(r"-?[\d.]+")
# How many numbers a step of a path has that can be written anew.
_NUMBERS = {"M": 2, "L": 2, "H": 1, "V": 1, "C": 6, "Z": 0, "z": 0}
_STROKE = re.compile(r"M(-?[\d.]+) (-?[\d.]+)L(-?[\d.]+) (-?[\d.]+)")
_NAMESPACES = re.compile(r' (?:xmlns(?::\w+)?|version)="[^"]*"')
_REFERENCE = re.compile(r"\{[^}]*\}href$")
# A page's own face is the face of its drawings (pages.css).
_FACE = "font-family"
_INHERITED = {
    "fill", "stroke", "stroke-width", "stroke-linecap", "stroke-linejoin", "stroke-dasharray",
    "stroke-dashoffset", "fill-opacity", "stroke-opacity", "font-size", "font-weight", "font-style",
    "text-anchor", "clip-path",
}  # fmt: skip
_SEE_THROUGH = ("opacity", "fill-opacity", "stroke-opacity")
# Points by which a corner must stand out to be kept: a fifth of a pixel.
BEND = 0.15
# How far a mark reaches from its middle.
MARK = 4.0
_STRAIGHT = re.compile(r"M-?[\d.]+ -?[\d.]+(?:[LM]-?[\d.]+ -?[\d.]+|z)*")
_HASHED = re.compile(r"(.+)-[a-z][0-9a-f]{10}")
_ASKED = re.compile(r"(url\(#|#)([^)]+)\)?")
_LINE = re.compile(r"M-?[\d.]+ -?[\d.]+(?:L-?[\d.]+ -?[\d.]+){2,}z?")
_DISC = re.compile(r"M0 [\d.]+(?:C(?:-?[\d.]+ ?){6}){8}z")
_END = re.compile(r"(-?[\d.]+) (-?[\d.]+)(?=[Cz])")
Box = tuple[Decimal, Decimal, Decimal, Decimal]
Point = tuple[float, float]


@lru_cache(maxsize=128)
def compact(svg: str) -> str:
    """The drawing in fewer bytes; what Matplotlib did not draw comes back as it is, for the sanitiser."""
    try:
        return _compacted(svg)
    except (etree.XMLSyntaxError, ArithmeticError, ValueError):  # no XML, or numbers that are none
        return svg


def _compacted(svg: str) -> str:
    root = _parsed(svg)
    marks = {node.get("id"): node for node in root.iter("{*}path") if node.get("id")}
    uses = list(root.iter("{*}use"))
    asked = Counter(use.get("href") for use in uses)
    for use in uses:
        if not use.get("transform"):
            _draw_mark(use, marks, once=asked[use.get("href")] == 1)
    _drop_unpainted(root)
    _drop_needless_clips(root)
    for path in root.iter("{*}path"):
        line = path.get("d", "")
        if (path.get("fill") == "none" or line.endswith("z")) and _LINE.fullmatch(line):
            path.set("d", _straightened(line))
    _unwrap(root)
    for parent in list(root.iter("*")):
        _join_lines(parent)
    _say_common_size(root)
    for parent in list(root.iter("*")):
        _say_once(parent)
    _drop_unused(root)
    _shorten_ids(root)
    text = _NAMESPACES.sub("", etree.tostring(root, encoding="unicode"))
    # Scripts of themes write to the href of whatever has one; that of a mark cannot be written.
    text = text.replace(' href="#', ' xlink:href="#')
    return _PATH.sub(lambda match: _shorter(match[0]), text)


def _parsed(svg: str) -> etree._Element:
    """The drawing as a tree, with addresses of one form."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True)
    root = etree.fromstring(svg, parser)
    for node in root.iter("*"):
        for name in list(node.attrib):
            if _REFERENCE.search(name):
                node.set("href", node.attrib.pop(name))
        node.attrib.pop(_FACE, None)
    return root


def _draw_mark(use: etree._Element, marks: dict[str, etree._Element], *, once: bool) -> None:
    """The use of a mark becomes what it draws, in its place: a stroke, a disc, or what is drawn once."""
    mark = marks.get((use.get("href") or "").removeprefix("#"))
    drawn = mark.get("d", "") if mark is not None else ""
    x, y = Decimal(use.get("x", "0")), Decimal(use.get("y", "0"))
    radius = _radius(drawn)
    if radius is not None:
        shape = {"cx": format(x, "f"), "cy": format(y, "f"), "r": radius}
    elif (once or _STROKE.fullmatch(drawn)) and (moved := _moved(drawn, x, y)):
        shape = {"d": moved}
    else:
        return
    kept = {name: value for name, value in use.attrib.items() if name not in ("href", "x", "y")}
    kept |= {name: value for name, value in mark.attrib.items() if name not in ("id", "d")}
    if _STROKE.fullmatch(drawn):
        kept["fill"] = "none"
    tag = mark.tag if "d" in shape else _named(mark, "circle")
    use.getparent().replace(use, etree.Element(tag, {**shape, **kept}))


def _radius(drawn: str) -> str | None:
    """The radius of a mark that is a disc around its middle, as Matplotlib draws one: of eight bows."""
    ends = _DISC.fullmatch(drawn) and _END.findall(drawn)
    if not ends:
        return None
    radius = float(ends[0][1])
    return ends[0][1] if all(abs(hypot(*map(float, end)) - radius) < BEND for end in ends) else None


def _moved(drawn: str, x: Decimal, y: Decimal) -> str:
    """A path of absolute steps, elsewhere; empty for any other path."""
    made = []
    for command, rest in _STEP.findall(drawn):
        numbers = [Decimal(number) for number in _NUMBER.findall(rest)]
        if command not in "MLCz" or _NUMBERS[command] != len(numbers):
            return ""
        made.append(command + " ".join(format(n + (y if i % 2 else x), "f") for i, n in enumerate(numbers)))
    return "".join(made)


def _drop_unpainted(root: etree._Element) -> None:
    """A path without a fill and a stroke shows nothing."""
    for path in list(root.iter("{*}path")):
        around = [path, *path.iterancestors()]
        painted = path.get("fill") != "none" or any(node.get("stroke", "none") != "none" for node in around)
        in_use = path.get("id") or any(_local(node) in ("defs", "clipPath", "marker") for node in around)
        if not painted and not in_use:
            _remove(path)


def _drop_needless_clips(root: etree._Element) -> None:
    """What stays inside of the box that would clip it needs no box."""
    boxes = {}
    for clip in root.iter("{*}clipPath"):
        if len(clip) == 1 and _local(clip[0]) == "rect":
            x, y, width, height = (float(clip[0].get(name, "0")) for name in ("x", "y", "width", "height"))
            boxes[f"url(#{clip.get('id')})"] = (x, y, x + width, y + height)
    for node in root.iter("*"):
        box = boxes.get(node.get("clip-path"))
        if box is not None and all(_inside(part, box) for part in ([node] if not len(node) else node)):
            del node.attrib["clip-path"]


def _inside(node: etree._Element, box: tuple[float, ...]) -> bool:
    """Whether a line or a mark stays in a box; half of its own width may stand out."""
    left, top, right, bottom = box
    if _local(node) == "use" and not node.get("transform"):
        x, y = float(node.get("x", "0")), float(node.get("y", "0"))
        return left + MARK < x < right - MARK and top + MARK < y < bottom - MARK
    if _local(node) == "circle":
        x, y = float(node.get("cx", "0")), float(node.get("cy", "0"))
        return left + MARK < x < right - MARK and top + MARK < y < bottom - MARK
    line = node.get("d", "")
    if _local(node) != "path" or node.get("transform") or not _STRAIGHT.fullmatch(line):
        return False
    corners = re.findall(r"(-?[\d.]+) (-?[\d.]+)", line)
    return all(left - 1 <= float(x) <= right + 1 and top - 1 <= float(y) <= bottom + 1 for x, y in corners)


def _say_common_size(root: etree._Element) -> None:
    """The size that most letters have is said once for all of them."""
    texts = [node for node in root.iter("{*}text", "{*}tspan") if node.get("font-size")]
    if root.get("font-size") or len(texts) < 2 or any(not _sized(text) for text in root.iter("{*}text")):
        return
    common, _ = Counter(node.get("font-size") for node in texts).most_common(1)[0]
    root.set("font-size", common)
    for node in texts:
        if node.get("font-size") == common and not any(
            a.get("font-size") for a in node.iterancestors("{*}text")
        ):
            del node.attrib["font-size"]


def _sized(text: etree._Element) -> bool:
    """Whether a text says its size itself, or each of its parts does."""
    return bool(text.get("font-size")) or (len(text) > 0 and all(part.get("font-size") for part in text))


def _shorten_ids(root: etree._Element) -> None:
    """Numbers in the place of hashes; the figure's own name stays before them."""
    names = [node.get("id") for node in root.iter("*") if _HASHED.fullmatch(node.get("id", ""))]
    shorter = {name: f"{_HASHED.fullmatch(name)[1]}-{number}" for number, name in enumerate(names)}
    for node in root.iter("*"):
        for attribute, value in node.attrib.items():
            found = _ASKED.fullmatch(value)
            if attribute == "id" and value in shorter:
                node.set("id", shorter[value])
            elif found and found[2] in shorter and attribute in ("href", "clip-path"):
                node.set(attribute, value.replace(found[2], shorter[found[2]]))


def _unwrap(root: etree._Element) -> None:
    """Groups that say nothing about what they hold, or hold nothing, go."""
    for group in reversed(list(root.iter("{*}g"))):
        if group is root or (group.text or "").strip() or group.get("id"):
            continue
        if not len(group):
            _remove(group)
        elif not group.attrib:
            parent, place = group.getparent(), group.getparent().index(group)
            if (group.tail or "").strip():
                continue
            parent[place : place + 1] = list(group)


def _straightened(line: str) -> str:
    """A line without the corners that no screen shows (Ramer, Douglas and Peucker)."""
    corners = re.findall(r"(-?[\d.]+) (-?[\d.]+)", line)
    points = [(float(x), float(y)) for x, y in corners]
    kept, spans = {0, len(points) - 1}, [(0, len(points) - 1)]
    while spans:
        first, last = spans.pop()
        between = range(first + 1, last)
        if not between:
            continue
        far, place = max((_distance(points[i], points[first], points[last]), i) for i in between)
        if far > BEND:
            kept.add(place)
            spans += [(first, place), (place, last)]
    return "M" + "L".join(" ".join(corners[i]) for i in sorted(kept)) + line[-1:].strip("0123456789.")


def _distance(point: Point, start: Point, end: Point) -> float:
    """From a point to a stretch of a line."""
    (x, y), (from_x, from_y), (to_x, to_y) = point, start, end
    along, across = to_x - from_x, to_y - from_y
    length = along**2 + across**2
    share = ((x - from_x) * along + (y - from_y) * across) / length if length else 0.0
    share = min(1.0, max(0.0, share))
    return ((x - from_x - share * along) ** 2 + (y - from_y - share * across) ** 2) ** 0.5


def _join_lines(parent: etree._Element) -> None:
    """Straight strokes of one look become one path, unless one of another look crosses between them."""
    first: dict[tuple, tuple[int, etree._Element]] = {}
    boxes: list[tuple[tuple, Box]] = []
    for node in list(parent):
        stroke = _STROKE.fullmatch(node.get("d", "")) if _local(node) == "path" else None
        if stroke is None:
            if _local(node) not in ("text", "defs"):
                first.clear()  # what is painted here may lie between
            continue
        look = tuple(sorted((name, value) for name, value in node.attrib.items() if name != "d"))
        box = _box(stroke.groups())
        see_through = any(name in node.attrib for name in (*_SEE_THROUGH, "id", "transform"))
        if see_through or (box[0] != box[2] and box[1] != box[3]):
            first.clear()
            continue
        boxes.append((look, box))
        since, joined = first.get(look, (0, None))
        if joined is None or any(other != look and _cross(box, b) for other, b in boxes[since:]):
            first[look] = (len(boxes), node)
        else:
            joined.set("d", joined.get("d") + node.get("d"))
            _remove(node)


def _box(ends: Sequence[str]) -> Box:
    x, y, to_x, to_y = map(Decimal, ends)
    return min(x, to_x), min(y, to_y), max(x, to_x), max(y, to_y)


def _cross(one: Box, other: Box) -> bool:
    """Whether two strokes meet elsewhere than where both, or one of them, ends."""
    return all(_meet(one[i : i + 3 : 2], other[i : i + 3 : 2]) for i in (0, 1))


def _meet(one: Sequence[Decimal], other: Sequence[Decimal]) -> bool:
    low, high = max(one[0], other[0]), min(one[1], other[1])
    inside = one[0] < other[0] < one[1] or other[0] < one[0] < other[1]
    return low < high or (low == high and inside) or (one == other)


def _say_once(parent: etree._Element) -> None:
    """What neighbours have in common stands around them."""
    if _local(parent) not in ("svg", "g"):
        return
    for said, nodes in [(said, list(run)) for said, run in groupby(list(parent), _style)]:
        cost = sum(len(name) + len(value) + 4 for name, value in said)
        if len(nodes) < 2 or cost * (len(nodes) - 1) < len("<g></g>"):
            continue
        group = etree.Element(_named(parent, "g"), dict(said))
        parent.insert(parent.index(nodes[0]), group)
        for node in nodes:
            for name, _ in said:
                del node.attrib[name]
            group.append(node)


def _style(node: etree._Element) -> tuple[tuple[str, str], ...]:
    """What a node says that could stand around it."""
    moved_and_clipped = "transform" in node.attrib and "clip-path" in node.attrib
    if _local(node) not in ("path", "use", "circle", "text", "g") or moved_and_clipped:
        return ()
    return tuple(sorted((name, value) for name, value in node.attrib.items() if name in _INHERITED))


def _drop_unused(root: etree._Element) -> None:
    """Marks and clips that nothing asks for."""
    text = etree.tostring(root, encoding="unicode")
    for node in list(root.iter("{*}path", "{*}clipPath")):
        name = node.get("id")
        if name and f"#{name}" not in text and any(_local(a) == "defs" for a in node.iterancestors()):
            _remove(node)
    for node in list(root.iter("{*}defs")):
        if not len(node) and node is not root:
            _remove(node)


def _remove(node: etree._Element) -> None:
    parent = node.getparent()
    if parent is not None:
        parent.remove(node)


def _local(node: etree._Element) -> str:
    return etree.QName(node).localname


def _named(node: etree._Element, name: str) -> str:
    """A tag in the namespace of a node."""
    space = etree.QName(node).namespace
    return f"{{{space}}}{name}" if space else name


def _shorter(path: str) -> str:
    """A path of absolute steps, each from the one before; any other path stays as it is."""
    made, here, start = [], (Decimal(0), Decimal(0)), (Decimal(0), Decimal(0))
    for command, rest in _STEP.findall(path):
        numbers = [Decimal(number) for number in _NUMBER.findall(rest)]
        if _NUMBERS.get(command) != len(numbers) or _NUMBER.sub("", rest).strip(" ,\n"):
            return path
        if command == "M":
            made.append(f"M{_joined(numbers)}")
            here = start = (numbers[0], numbers[1])
        elif command in "Zz":
            made.append("z")
            here = start
        else:
            step, here = _step(command, numbers, here)
            made.append(step)
    if not made or "".join(command + rest for command, rest in _STEP.findall(path)) != path:
        return path
    shorter = "".join(made)
    return shorter if len(shorter) < len(path) else path


def _step(
    command: str, numbers: Sequence[Decimal], here: tuple[Decimal, Decimal]
) -> tuple[str, tuple[Decimal, Decimal]]:
    """A step from here, and where it ends; along an axis it names one number."""
    x, y = here
    if command == "H":
        return f"h{_joined([numbers[0] - x])}", (numbers[0], y)
    if command == "V":
        return f"v{_joined([numbers[0] - y])}", (x, numbers[0])
    moved = [number - (y if i % 2 else x) for i, number in enumerate(numbers)]
    end = (numbers[-2], numbers[-1])
    if command == "L" and not moved[1]:
        return f"h{_joined(moved[:1])}", end
    if command == "L" and not moved[0]:
        return f"v{_joined(moved[1:])}", end
    return command.lower() + _joined(moved), end


def _joined(numbers: Sequence[Decimal]) -> str:
    """Numbers without zeros that say nothing, apart where they must be."""
    texts = [re.sub(r"^(-?)0\.", r"\1.", format(number.normalize() + 0, "f")) for number in numbers]
    return texts[0] + "".join(text if text.startswith("-") else f" {text}" for text in texts[1:])
