"""Pages as no author writes them: what weaving has to bear, and what must be true of whatever comes out."""

from __future__ import annotations

from pathlib import Path

from hypothesis import strategies as st

from measured.errors import MeasuredError
from measured.weaving import numerals
from measured.weaving.page import scan
from measured.weaving.weave import Picture, Weaver
from weaving import LIBRARY

REFERENCES = (
    "{{ dice.mean }}",
    "{{dice.sides}}",
    "{{ dice.name }}",
    "{{ dice.mean | fmt('.4f') }}",
    '{{ (dice.mean - dice.low) | fmt(".2f") }}',
    "{{ parameters.dice.draws }}",
    '{{ table("dice.t") }}',
    '{{ given("12", "a reason") }}',
    '{% claim "dice.holds" %}so it is{% endclaim %}',
    '{% figure "dice.f" %}\nfaces: {{ dice.sides }}\n{% endfigure %}',
)
FAULTS = (
    "{{ dice.nothing }}",
    "{{ dice }}",
    "{{ dice.mean }",
    "{{ dice.mean | fmt('d') }}",
    "{{ dice.mean / 0 }}",
    "{{ 7 }}",
    "{{ ''.__class__.__mro__ }}",
    "{{ dice.name * 2 }}",
    "{{ table('none') }}",
    "{{ given('12') }}",
    '{% claim "dice.false" %}x{% endclaim %}',
    '{% claim "dice.holds" %}',
    "{% endfigure %}",
    "{% for x in dice %}x{% endfor %}",
    "{% raw %}",
    "{%",
    "{{",
    "}}",
    "{##",
    "{{ dice.mean.real }}",
    "{{ dice.mean() }}",
    "{% set dice = 3 %}",
    "{% include 'x' %}",
)
CODE = (
    "```python\nx = {{ not.a.reference }}\n{% x %}\n```",
    "~~~\n{{ dice.mean }} {# x #}\n\n\n~~~",
    "    ```py\n    {{ y }}\n    ```",
    "`{{ code }}`",
    "``a ` {% b %}``",
    "$\\frac{{a}}{b}$",
    "$$\n{{x}}^{2}\n$$",
    "<!-- {{ comment }} -->",
)
MARKUP = (
    "# Heading {#id}",
    "![alt {{ dice.mean }}](x.svg)",
    "[a {{ dice.sides }} b](page.md){ .c }",
    '<p title="{{ dice.name }}">x</p>',
    '```mermaid\ngraph LR\n  a["{{ dice.name }}"] --> b\n```',
    "| {{ dice.mean }} | b |\n|---|---|",
    '!!! note "{{ dice.mean }}"\n\n    text',
    "- one\n- two",
    "```",
    "`",
    "$",
    "<",
    "&lt;",
    "\\",
    "---",
    "\r\n",
    "\t",
)

words = st.text(st.characters(codec="utf-8", exclude_categories=("Cs",)), max_size=12)
pieces = st.one_of(
    st.sampled_from(REFERENCES),
    st.sampled_from(REFERENCES),
    st.sampled_from(CODE),
    st.sampled_from(MARKUP),
    st.sampled_from(FAULTS),
    words,
)
gaps = st.sampled_from(("", " ", "\n", "\n\n"))
pages = st.lists(st.tuples(pieces, gaps), max_size=12).map(lambda parts: "".join(p + g for p, g in parts))
# Without faults most pages weave, so that what weaving yields is looked at as often as what it refuses.
sound = st.lists(
    st.tuples(st.one_of(*map(st.sampled_from, (REFERENCES, CODE, MARKUP[:8]))), st.just("\n\n")), max_size=12
).map(lambda parts: "".join(p + g for p, g in parts))

WEAVER = Weaver(LIBRARY, {"dice.f": Picture("faces")})


def bears(text: str) -> bool:
    """Weave a page and hold what comes out against what must be true; whether anything came out."""
    page, woven, refusal = None, None, None
    try:
        page = scan(text, Path("page.md"))
        woven = WEAVER.weave(page)
    except MeasuredError as error:
        refusal = error
    if refusal is not None:
        assert refusal.line is not None, f"no line: {refusal}"
        assert 1 <= refusal.line <= text.count("\n") + text.count("\r") + 2, refusal
        assert refusal.path == Path("page.md")
        return False
    position = 0
    for span in page.spans:
        if span.kind != "prose" and not (span.kind == "fence" and span.language == "mermaid"):
            position = woven.markdown.index(span.text, position)
    for output in (woven.markdown, *(part for _, part in woven.plain)):
        assert 'alert("x")' not in output
        assert not any(mark in output for mark in "\ue000\ue001\ue002\ue003\ue004")
    numerals.numbers_by_hand(page)
    numerals.promising_words(page)
    return True
