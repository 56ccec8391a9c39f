"""What HTML of a page may hold, by element, attribute and scheme, read from the tree that a browser makes.

One table for whatever is not the theme's: raw HTML of pages, outputs of cells, figures, diagrams, formulas.
Around the article stands the theme, which has a few elements more, and scripts that are known by their hash.
What is in no table is refused, with its place; nothing is dropped in silence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser, LexborNode


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_TEXT = _words(
    "a abbr address article aside b bdi bdo blockquote br caption cite code col colgroup data dd del "
    "details dfn div dl dt em figcaption figure footer h1 h2 h3 h4 h5 h6 header hr i img input ins kbd "
    "label li main mark meter nav ol output p picture pre progress q rp rt ruby s samp section small "
    "source span strong sub summary sup table tbody td tfoot th thead time tr u ul var wbr audio video "
    "track button"
)
_SVG = _words(
    "svg g defs symbol use path rect circle ellipse line polyline polygon text tspan textpath title "
    "desc marker pattern mask clippath lineargradient radialgradient stop image filter feblend "
    "fecolormatrix fecomposite fedropshadow feflood fegaussianblur femerge femergenode feoffset"
)
_MATHML = _words(
    "math mi mn mo ms mtext mspace mrow mfrac msqrt mroot mstyle mpadded mphantom menclose merror msub "
    "msup msubsup munder mover munderover mmultiscripts mprescripts none mtable mtr mlabeledtr mtd "
    "semantics annotation"
)
DRAWING = _SVG | {"a"}
CONTENT = _TEXT | _SVG | _MATHML
THEME = CONTENT | _words("html head body meta link title script form dialog style")

_ANYWHERE = _words("id class title lang dir role tabindex hidden translate markdown")
_ATTRIBUTES = {
    "a": _words("href xlink:href target rel download hreflang type name"),
    "abbr": [],
    "audio": _words("src controls loop muted preload"),
    "blockquote": ["cite"],
    "button": _words("type disabled"),
    "col": ["span"],
    "colgroup": ["span"],
    "data": ["value"],
    "del": _words("cite datetime"),
    "details": _words("open name"),
    "img": _words("src srcset sizes alt width height loading decoding align"),
    "input": _words("type name value checked disabled min max step"),
    "ins": _words("cite datetime"),
    "label": ["for"],
    "li": ["value"],
    "meter": _words("value min max low high optimum"),
    "ol": _words("start reversed type"),
    "output": ["for"],
    "progress": _words("value max"),
    "q": ["cite"],
    "source": _words("src srcset sizes type media"),
    "table": ["align"],
    "td": _words("colspan rowspan headers align valign"),
    "th": _words("colspan rowspan headers scope abbr align valign"),
    "time": ["datetime"],
    "track": _words("src kind srclang label default"),
    "video": _words("src controls loop muted preload poster width height"),
}
_THEME_ATTRIBUTES = {
    "html": ["prefix"],
    "meta": _words("charset name content property"),
    "link": _words("rel href type sizes media as crossorigin hreflang title"),
    "script": _words("src type async defer"),
    "form": _words("name method"),
    "input": _words("placeholder autocomplete autocapitalize autocorrect spellcheck required"),
    "a": ["dir"],
    "svg": [],
}
_SVG_ATTRIBUTES = _words(
    "xmlns xmlns:xlink version viewbox preserveaspectratio width height x y x1 x2 y1 y2 dx dy r rx ry "
    "cx cy fx fy d points transform pathlength rotate textlength lengthadjust href xlink:href offset "
    "gradientunits gradienttransform spreadmethod patternunits patterncontentunits patterntransform "
    "clippathunits maskunits maskcontentunits markerunits markerwidth markerheight refx refy orient "
    "filterunits primitiveunits in in2 result mode type values operator k1 k2 k3 k4 stddeviation "
    "startoffset method spacing side focusable xml:space alignment-baseline baseline-shift clip-path "
    "clip-rule color color-interpolation color-interpolation-filters cursor direction display "
    "dominant-baseline fill fill-opacity fill-rule filter flood-color flood-opacity font-family font-size "
    "font-size-adjust font-stretch font-style font-variant font-weight image-rendering letter-spacing "
    "lighting-color marker-end marker-mid marker-start mask opacity overflow paint-order pointer-events "
    "shape-rendering stop-color stop-opacity stroke stroke-dasharray stroke-dashoffset stroke-linecap "
    "stroke-linejoin stroke-miterlimit stroke-opacity stroke-width text-anchor text-decoration "
    "text-rendering transform-origin unicode-bidi vector-effect visibility word-spacing writing-mode"
)
_MATHML_ATTRIBUTES = _words(
    "xmlns display displaystyle scriptlevel mathvariant mathsize mathcolor mathbackground alttext form "
    "fence separator lspace rspace stretchy symmetric maxsize minsize largeop movablelimits accent "
    "accentunder linethickness numalign denomalign bevelled width height depth voffset notation "
    "columnalign rowalign columnspacing rowspacing columnlines rowlines frame framespacing equalrows "
    "equalcolumns side minlabelspacing columnspan rowspan encoding open close separators intent arg"
)
_TEX = ("application/x-tex", "latex", "tex")
_INPUT_TYPES = ("", "checkbox", "radio", "range", "number", "text")
_ADDRESSES = _words("href src xlink:href action poster cite data formaction")
_LINKS = ("http", "https", "mailto", "tel")
_PICTURE = re.compile(r"data:image/(?:png|gif|jpeg|webp|avif)[;,]", re.I)
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*(?=:)", re.I)
# Browsers drop tabs and line ends anywhere in an address, and control characters and blanks before it.
_DROPPED = re.compile(r"[\t\n\r]|^[\x00-\x20]+")
_URL_IN_STYLE = re.compile(r"url\(\s*['\"]?\s*([^'\")\s]*)", re.I)
# Ids that renderers give inside an article; others of this form are the theme's.
_MARKDOWN_IDS = re.compile(r"__(?:skip|tabbed_\d+(?:_\d+)?|codelineno-[\w-]+|code_\d+|span-[\w-]+)")
_ID = re.compile(r"[^\s\"'<>&$`=]+")
_NAME = re.compile(r"__tabbed_\d+|[\w-]*\w")
_META_NAMES = _words("viewport description author generator robots theme-color color-scheme keywords")


@dataclass(frozen=True)
class Theme:
    """What a page's theme may do that its content may not.

    Args:
        runs: whether a script's own text may run.
        fetches: whether a script's address, as written, may be fetched.
    """

    runs: Callable[[str], bool] = field(default=lambda text: False)
    fetches: Callable[[str], bool] = field(default=lambda address: False)


def problems_of_fragment(html: str) -> Iterator[str]:
    """What a piece of content holds that no page may hold."""
    root = LexborHTMLParser(f"<!doctype html><body>{html}").body
    for node in _inside(root):
        yield from _content_problems(node)


def problems(root: LexborNode, article: LexborNode | None, theme: Theme) -> Iterator[str]:
    """What a whole page holds that it may not.

    Args:
        root: of the page as a browser reads it.
        article: the element around what authors wrote; without one, all of the page is theirs.
        theme: what is allowed around it.
    """
    authors = {node.mem_id for node in _inside(article)} if article is not None else set()
    around: set[str] = set()
    inside: list[str] = []
    for node in root.traverse():
        if article is None or node.mem_id in authors:
            yield from _content_problems(node, whole=article is None)
            if node.attributes.get("id"):
                inside.append(node.attributes["id"])
        else:
            yield from _theme_problems(node, theme)
            around.add(node.attributes.get("id") or "")
    yield from (f'the id "{name}", which the theme has already' for name in inside if name in around)


def drawing_problems(tag: str, name: str, value: str) -> Iterator[str]:
    """What an attribute of an element of a drawing is, or holds, that it may not."""
    tag, name = tag.lower(), name.lower()
    if name in _SVG_ATTRIBUTES or _known(tag, name):
        yield from _value_problems(tag, name, value)
    else:
        yield _unknown(tag, name, value)


def _inside(node: LexborNode) -> Iterator[LexborNode]:
    """Every element below a node."""
    yield from (found for found in node.traverse() if found.mem_id != node.mem_id)


def _content_problems(node: LexborNode, whole: bool = False) -> Iterator[str]:
    tag = (node.tag or "").lower()
    if tag not in (THEME if whole else CONTENT) or (whole and tag in ("script", "style", "form", "dialog")):
        yield f"<{tag}>"
        return
    for name, value in node.attributes.items():
        name, value = name.lower(), value or ""
        if name.startswith(("data-md-", "data-clipboard")):
            yield f"{name} on <{tag}>, which the theme's script obeys"
        elif not _known(tag, name) and not (whole and name in _THEME_ATTRIBUTES.get(tag, ())):
            yield _unknown(tag, name, value)
        else:
            yield from _value_problems(tag, name, value)
    yield from _meta_problems(tag, node) if whole else ()


def _theme_problems(node: LexborNode, theme: Theme) -> Iterator[str]:
    tag = (node.tag or "").lower()
    if tag not in THEME:
        yield f"<{tag}>"
        return
    attributes = {name.lower(): value or "" for name, value in node.attributes.items()}
    for name, value in attributes.items():
        if name == "http-equiv" and tag == "meta" and value.lower() == "x-ua-compatible":
            continue
        if name != "name" and not _known(tag, name) and name not in _THEME_ATTRIBUTES.get(tag, ()):
            yield _unknown(tag, name, value)
        elif name in _ADDRESSES and tag != "script":
            yield from _address_problems(tag, name, value)
    yield from _meta_problems(tag, node)
    if tag == "script":
        yield from _script_problems(attributes, node, theme)
    if tag == "style":
        yield "<style>"


def _script_problems(attributes: dict[str, str], node: LexborNode, theme: Theme) -> Iterator[str]:
    if "src" in attributes:
        if not theme.fetches(attributes["src"]):
            yield f'a script that is neither the theme\'s nor named in mkdocs.yml: src="{attributes["src"]}"'
    elif attributes.get("type", "").lower() not in ("application/json", "application/ld+json") and (
        not theme.runs(node.text())
    ):
        text = " ".join(node.text().split())
        yield f"a script that the installed theme does not have: {text[:60]!r}"


def _meta_problems(tag: str, node: LexborNode) -> Iterator[str]:
    if tag == "meta":
        name = (node.attributes.get("name") or "").lower()
        if name and name not in _META_NAMES and not name.startswith(("twitter:", "article:")):
            yield f'<meta name="{name}">'


def _known(tag: str, name: str) -> bool:
    if name in _ANYWHERE or name.startswith(("aria-", "data-")) or name in _ATTRIBUTES.get(tag, ()):
        return True
    if tag in _SVG and name in _SVG_ATTRIBUTES:
        return True
    return tag in _MATHML and name in _MATHML_ATTRIBUTES


def _unknown(tag: str, name: str, value: str) -> str:
    if name == "style":
        return f'an inline style on <{tag}>: style="{value}"'
    if name.startswith("on"):
        return f"a handler on <{tag}>: {name}"
    return f'the attribute {name} on <{tag}>: {name}="{value[:60]}"'


def _value_problems(tag: str, name: str, value: str) -> Iterator[str]:
    if name in _ADDRESSES:
        yield from _address_problems(tag, name, value)
    elif name == "srcset":
        for part in value.split(","):
            yield from _address_problems(tag, name, part.strip().split(" ")[0])
    elif name == "id" and value and not _MARKDOWN_IDS.fullmatch(value):
        if value.startswith("__") or not _ID.fullmatch(value):
            yield f'the id "{value}" on <{tag}>'
    elif name == "name" and not _NAME.fullmatch(value):
        yield f'the name "{value}" on <{tag}>'
    elif name == "type" and tag == "input" and value.lower() not in _INPUT_TYPES:
        yield f'<input type="{value}">'
    elif name == "type" and tag == "button" and value.lower() != "button":
        yield f'<button type="{value}">'
    elif name == "encoding" and tag == "annotation" and value.lower() not in _TEX:
        yield f'<annotation encoding="{value}">'
    elif tag in _SVG and "url(" in value.lower():
        for address in _URL_IN_STYLE.findall(value):
            if not address.startswith("#"):
                yield f"an address outside the drawing on <{tag}>: {name}={value!r}"


def _address_problems(tag: str, name: str, value: str) -> Iterator[str]:
    address = _DROPPED.sub("", value).replace("\\", "/")
    scheme = _SCHEME.match(address)
    where = f'{name}="{" ".join(value.split())[:80]}"'
    if tag in ("a", "blockquote", "q", "ins", "del", "link"):
        if scheme and scheme[0].lower() not in _LINKS and not (tag == "link" and address == "data:,"):
            yield f"a {scheme[0].lower()}: address on <{tag}>: {where}"
        return
    if tag in _SVG and tag != "image":
        if not address.startswith("#"):
            yield f"an address outside the drawing on <{tag}>: {where}"
        return
    if tag in ("img", "image") and _PICTURE.match(address):
        return
    if scheme or address.startswith("//"):
        yield f"an address outside the site on <{tag}>: {where}"
