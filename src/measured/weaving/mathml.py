"""One formula: LaTeX in, MathML Core out, or a refusal that says where in it reading stopped.

Temml reads the LaTeX. It is JavaScript, kept in `temml/` as npm's package brings it, and runs inside this
process in QuickJS, without files or network, within a limit of time and of memory. Loading it takes a
twentieth of a second, once, and only where there is a formula.

Temml accepts some things that it then shows otherwise than TeX would, and writes what a browser that knows
MathML Core cannot lay out. Both are found in the result and refused, or mended where the meaning is plain.
Styles become classes, since pages allow no inline style; `temml/formulas.css` has a rule for each of them.
"""

from __future__ import annotations

import json
import re
import threading
import xml.etree.ElementTree as ET
from collections.abc import Callable
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from measured.errors import MeasuredError

SECONDS, BYTES = 5, 256 << 20  # what one formula may take

# How many children MathML wants.
_ARITY = {
    "mfrac": 2, "mroot": 2, "msub": 2, "msup": 2, "msubsup": 3, "munder": 2, "mover": 2, "munderover": 3,
}  # fmt: skip
_ELEMENTS = {
    "math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "mtable", "mtr", "mtd", "msqrt", "mstyle", "mpadded",
    "mphantom", "menclose", "mmultiscripts", "mprescripts", "none", *_ARITY,
}  # fmt: skip
_REFUSED = {
    r"\ref": "write the number of the \\tag in the sentence",
    r"\eqref": "write the number of the \\tag in the sentence",
    r"\label": "give the line a \\tag{…} and refer to that",
    r"\color": "leave the colour out: formulas take the page's, in both schemes",
    r"\textcolor": "leave the colour out: formulas take the page's, in both schemes",
    r"\colorbox": "leave the colour out: formulas take the page's, in both schemes",
    r"\fcolorbox": "use \\boxed{…}: formulas take the page's colours, in both schemes",
    r"\rule": "draw lines with \\hline, \\overline or \\underline",
    r"\mbox": "write \\text{…}",
    r"\mathbbm": "write \\mathbb{1}",
    r"\mathds": "write \\mathbb{1}",
    r"\DeclareMathOperator": "write \\operatorname{…} where it is used",
}
_COMMAND = re.compile(r"\\(?:[a-zA-Z]+\*?|.)", re.S)
_COMMENT = re.compile(r"(?P<before>[^\\\n]|^)(?:\\\\)*(?P<comment>%[^\n]*)(?P<end>\n|\Z)", re.M)
_PLACED = re.compile(r"(\\begin\{(?:aligned|gathered|alignedat|split)\})\s*\[[tcb]\]")
# Temml sets what \overset puts above a letter beside it, as an exponent: it is marked, to be put above.
_OVERSET = re.compile(r"\\overset\s*\{")
_ABOVE = "〒"
_CALL = """(latex, display) => {
  const settings = {displayMode: display, throwOnError: true};
  try { return JSON.stringify({markup: temml.renderToString(latex, settings)}) }
  catch (error) { return JSON.stringify({problem: String(error.message), at: error.position ?? null}) }
}"""
_CONSOLE = "const refuse = (text) => { throw new Error(text) };\
globalThis.console = {log: refuse, warn: refuse, error: refuse};"


@lru_cache(maxsize=8192)
def convert(latex: str, display: bool) -> str:
    """One formula as MathML that keeps its LaTeX as `alttext`.

    Args:
        latex: without its delimiters.
        display: whether it stands on lines of its own.

    Raises:
        MeasuredError: LaTeX that cannot be shown as TeX would show it; `line` counts from its first.
    """
    latex = latex.strip()
    _refuse_comments(latex, display)
    for command in _COMMAND.finditer(latex):
        if command[0] in _REFUSED:
            raise _refusal(latex, f"it uses {command[0]}", command.start(), _REFUSED[command[0]])
    if bare := re.search(r"\\overset(?![a-zA-Z]|\s*\{)", latex):
        raise _refusal(latex, r"what \overset puts above has no braces", bare.start(), r"\overset{…}{…}")
    _refuse_stray_rows(latex)
    written = _OVERSET.sub(rf"\\overset{{\\text{{{_ABOVE}}}", _PLACED.sub(r"\1", latex))
    found = json.loads(_temml()(written, display))
    if "problem" in found:
        raise _refusal(latex, _in_words(found["problem"]), found["at"])
    root = ET.fromstring(found["markup"])
    _mend(root)
    _check(root, latex)
    root.attrib.pop("class", None)
    root.set("alttext", latex)
    return ET.tostring(root, encoding="unicode", short_empty_elements=False)


def style_sheet() -> str:
    """The rules that formulas need beside the browser's own."""
    return (files(__package__) / "temml" / "formulas.css").read_text(encoding="utf-8")


def as_text(markup: str) -> str:
    """A formula as one types it: `softmax(Q K^⊤/sqrt(d_k)) V`. For search, titles and descriptions."""
    text = re.sub(r"\s+", " ", _text(ET.fromstring(markup)))
    return re.sub(r"(?<=[(\[{]) | (?=[)\]},])", "", text).strip()


def _temml() -> Callable[[str, bool], str]:
    """Temml, ready to convert; QuickJS keeps to the thread that made it."""
    if not hasattr(_of_thread, "call"):
        import quickjs

        context = quickjs.Context()
        context.set_memory_limit(BYTES)
        context.set_time_limit(SECONDS)
        context.eval(_CONSOLE)
        context.eval((files(__package__) / "temml" / "temml.min.js").read_text(encoding="utf-8"))
        call = context.eval(_CALL)

        def limited(latex: str, display: bool) -> str:
            try:
                return call(latex, display)
            except quickjs.JSException as error:
                del _of_thread.call  # what is left of it may be in any state
                return json.dumps({"problem": f"it takes too long or too much memory: {error}", "at": None})

        _of_thread.call = limited
    return _of_thread.call


_of_thread: Any = threading.local()


def _refusal(latex: str, problem: str, at: int | None = None, mend: str = "") -> MeasuredError:
    line = 1 + latex.count("\n", 0, min(at, len(latex))) if at is not None else 1
    return MeasuredError(
        f"the formula {latex!r} cannot be read: {problem}",
        line=line,
        expected="LaTeX that can be shown",
        mend=mend,
    )


def _in_words(problem: str) -> str:
    """What Temml found, without the piece of the formula that it underlines letter by letter."""
    problem = re.sub(r"^\s*ParseError:\s*", "", problem)
    problem = re.sub(r" at (position \d+|end of input):.*", lambda m: f" at {m[1]}", problem, flags=re.S)
    return problem.replace("\u0332", "").replace("'EOF'", "the end").strip()


def _refuse_comments(latex: str, display: bool) -> None:
    """A bare % hides the rest of its line; on a page it is nearly always meant to be seen."""
    for match in _COMMENT.finditer(latex):
        if not display or not match["end"] or match["before"].isdigit():
            raise _refusal(
                latex,
                f"everything from {match['comment'][:20]!r} on would be hidden",
                match.start("comment"),
                r"write \% for a percent sign",
            )


def _refuse_stray_rows(latex: str) -> None:
    r"""`\\` ends a row of an environment; elsewhere TeX ignores it, and so would a reader's eye."""
    open_braces: list[bool] = []
    environments = 0
    stacked = False
    for token in re.finditer(r"\\(?:[a-zA-Z]+\*?|.)|[{}]", latex, re.S):
        if token[0] == "{":
            open_braces.append(stacked)
        elif token[0] == "}" and open_braces:
            open_braces.pop()
        environments += {r"\begin": 1, r"\end": -1}.get(token[0], 0)
        if token[0] in (r"\\", r"\newline", r"\cr") and environments <= 0 and not any(open_braces):
            raise _refusal(
                latex,
                f"{token[0]} stands where no row can end, and TeX ignores it",
                token.start(),
                r"put the lines between \begin{aligned} and \end{aligned}",
            )
        stacked = token[0] == r"\substack"


# What Temml writes, as a browser needs it


def _mend(root: ET.Element) -> None:
    _put_above(root)
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in ("munder", "mover") and len(child) > 2:
                _take_out(parent, child)
    for element in root.iter("mo"):
        if len(element):  # an operator is text; what Temml makes one of letters is a row of them
            element.tag, element.attrib = "mrow", {}
    for element in root.iter():
        for name in _SAID_ANYWAY:
            element.attrib.pop(name, None)
        declared = [one for one in element.attrib.pop("style", "").split(";") if one]
        if element.tag == "mtd" and not len(element):
            # Of a row with fewer cells than another: Temml adds the others, with all its settings on them.
            declared = [one for one in declared if one.startswith("padding")]
        names = [*element.get("class", "").split(), *map(_class_of, declared)]
        names = [name for name in names if name not in _NEEDLESS]
        if names:
            element.set("class", " ".join(names))
        else:
            element.attrib.pop("class", None)
        if element.text:
            element.text = element.text.replace("\ufe0e", "")
    for holder in root.iter("mtext"):
        if len(holder) == 1 and holder[0].tag == "span" and holder[0].get("class") == NUMBERED:
            holder.remove(holder[0])
            holder.set("class", NUMBERED)


NUMBERED = "tml-eqn"
"""The class of the cell that holds the number of an equation; a page numbers its own."""

# What a browser knows of brackets and commas by itself, or does not ask for.
_SAID_ANYWAY = ("fence", "separator")

# `display: block math` is what a browser does by itself.
_NEEDLESS = {"tml-display", "tml-display-block-math", "tml-label"}


def _put_above(root: ET.Element) -> None:
    parents = {child: parent for parent in root.iter() for child in parent}
    for mark in [element for element in root.iter("mtext") if (element.text or "").startswith(_ABOVE)]:
        script = mark
        while parents[script].tag not in ("msup", "mover"):
            script = parents[script]
        parents[script].tag = "mover"
        mark.text = mark.text.removeprefix(_ABOVE)
        if not mark.text and parents[mark].tag == "mrow":
            parents[mark].remove(mark)


def _take_out(parent: ET.Element, child: ET.Element) -> None:
    r"""`\underset{x}{\operatorname{f}}` arrives with the operator's space among its limits: it goes out."""
    between = list(child)[1:-1]
    row = ET.Element("mrow")
    row.tail = child.tail
    child.tail = None
    for piece in between:
        child.remove(piece)
    parent[list(parent).index(child)] = row
    row.append(child)
    row.extend(between)


def _class_of(declaration: str) -> str:
    """`padding-left:1em` is `tml-padding-left-1em`; `margin-left:-0.1em` is `tml-margin-left-minus-0_1em`."""
    name = declaration.strip().replace(":-", "-minus-").replace(".", "_")
    return "tml-" + re.sub(r"[^\w-]+", "-", name).strip("-")


def _check(root: ET.Element, latex: str) -> None:
    for element in root.iter():
        if element.tag not in _ELEMENTS:
            raise _refusal(latex, f"it needs <{element.tag}>, which no formula here may hold")
        if len(element) != _ARITY.get(element.tag, len(element)):
            raise _refusal(latex, f"it comes out as a broken <{element.tag}>")
        for name in ("mathcolor", "mathbackground"):
            if element.get(name):
                raise _refusal(latex, f"it sets a colour of its own, {element.get(name)}")
        unknown = set(element.get("class", "").split()) - _classes()
        if unknown:
            raise _refusal(
                latex,
                f"the site's style sheet has no rule for {', '.join(sorted(unknown))}",
                mend=r"use the usual spaces: \, \: \; \quad \qquad \!",
            )


@cache
def _classes() -> frozenset[str]:
    rules = re.sub(r"/\*.*?\*/", "", style_sheet(), flags=re.S)
    return frozenset(re.findall(r"\.((?:tml|wbk|chr|math)[\w-]+|upstrike|downstrike)", rules))


# A formula as text

# Signs that stand without blanks.
_CLOSE = tuple("()[]{}|.!′/…‖⟨⟩⌈⌉⌊⌋")


def _text(element: ET.Element) -> str:
    tag, parts = element.tag, [_text(child) for child in element]
    if tag in ("mi", "mn", "mo", "mtext"):
        text = re.sub("[\u2061-\u2064]", "", element.text or "")
        return (
            f" {text} "
            if tag == "mo" and text not in tuple("()[]{}|,.!′/…‖⟨⟩⌈⌉⌊⌋")
            else text + " " * (text == ",")
        )
    if tag in ("mphantom", "mprescripts", "none"):
        return ""
    if tag == "mspace":
        return " " if _wide(element.get("width", "")) else ""
    if tag == "mfrac":
        return "/".join(map(_grouped, parts))
    if tag == "msqrt":
        return f"sqrt({''.join(parts).strip()})"
    if tag == "mroot":
        return f"root({parts[1]}, {parts[0]})"
    if tag in ("munder", "mover") and element[1].tag == "mo":
        return parts[0]  # an accent, a brace or a line: x̂ is found as x
    if tag in _SCRIPTS:
        return parts[0].rstrip(" ") + "".join(
            f"{mark}{_grouped(part)}" if mark else part
            for mark, part in zip(_SCRIPTS[tag], parts[1:], strict=False)
            if part.strip()
        )
    if tag == "mtable":
        return "; ".join(part.strip() for part in parts)
    if tag == "mtr":
        return " ".join(part.strip() for part in parts if part.strip())
    return _joined(element, parts)


def _joined(element: ET.Element, parts: list[str]) -> str:
    """Neighbours side by side, names of more than one letter apart: `p_i log_2 p_i`, `QK`."""
    text, is_name = "", False
    for child, part in zip(element, parts, strict=True):
        begins_name = child.tag in _SCRIPTS or len(part.strip()) > 1
        if text[-1:].isalnum() and part[:1].isalnum() and (is_name or begins_name):
            text += " "
        text += part
        is_name = begins_name if part else is_name
    return text


_SCRIPTS = {
    "msub": "_", "msup": "^", "msubsup": "_^", "munder": "_", "munderover": "_^", "mover": "^",
}  # fmt: skip


def _wide(width: str) -> bool:
    number = re.match(r"[\d.]+", width)
    return bool(number) and float(number[0]) > 0.2


def _grouped(part: str) -> str:
    part = part.strip()
    return part if re.fullmatch(r"\w*|[^\w\s]|\w+_\w+", part) else f"({part})"
