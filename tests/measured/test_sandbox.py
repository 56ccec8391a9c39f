"""What stands in the braces of a page reaches measurements and arithmetic, and nothing else of Python."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

import weaving
from measured.errors import MeasuredError
from measured.site import render, weave_site
from measured.weaving.page import scan

ESCAPES = [
    "''.__class__.__mro__[1].__subclasses__()",
    "dice.mean.__class__",
    "dice.mean.shown.__globals__",
    "dice._library",
    "_at.__globals__",
    "_at.__self__.page",
    "_weaving.page",
    "table.__func__.__globals__['os']",
    "given('1', 'x').__class__",
    "[].__class__",
    "().__class__.__bases__[0]",
    "(dice.mean | abs).__init__.__globals__",
    "lipsum.__globals__",
    "cycler.__init__.__globals__",
    "self._TemplateReference__context",
    "'x'.format(dice)",
    "'{0.__class__}'.format(dice.mean)",
    "'%s' % dice.mean",
    "'%999999999d' % 1",
    "'x' * 999999999",
    "[1] * 999999999",
    "'x'.ljust(999999999)",
    "dice.mean ** 999999",
    "9 ** 9 ** 9 ** 9",
    "dice.mean | fmt('.999999999f')",
    "dice.mean | fmt('999999999.1f')",
    "range(999999999)",
    "dict(a=1)",
    "namespace(a=1)",
]


@pytest.mark.parametrize("expression", ESCAPES)
def test_an_expression_that_reaches_for_more_is_refused_with_its_line(expression):
    began = time.process_time()
    with pytest.raises(MeasuredError) as refused:
        weaving.weave(f"A line.\n\nSo {{{{ {expression} }}}}.\n")
    assert refused.value.line == 3
    assert len(str(refused.value)) < 700
    assert time.process_time() - began < 10  # far from what the number asked for would take


def test_statements_reach_no_more():
    for statement in (
        "{% set x = ''.__class__ %}{{ x }}",
        "{% for x in ''.__class__.__mro__ %}{{ x }}{% endfor %}",
        "{% include '/etc/passwd' %}",
        "{% import 'os' as os %}",
        "{% macro m() %}{{ caller.__globals__ }}{% endmacro %}{{ m() }}",
    ):
        with pytest.raises(MeasuredError):
            weaving.weave(f"{statement}\n")


def test_arithmetic_still_works():
    text = weaving.weave(
        "{{ (dice.mean * 2 / dice.sides) | fmt('.4f') }} {{ (dice.mean ** 2) | fmt('.2f') }}\n"
    )
    assert "{{" not in str(text)


def test_of_a_renderers_traceback_the_error_is_told():
    said = "WARNING  x\nTraceback (most recent call last):\n  File y\njinja2.TemplateNotFound: z"
    assert render._without_traceback(said) == "WARNING  x\njinja2.TemplateNotFound: z"
    assert render._without_traceback("WARNING  x") == "WARNING  x"
    for name in ('"><script>', "../../x", "/etc/x", ["x"], "a b"):
        page = scan(f"---\n{json.dumps({'icon': name})}\n---\n\nx\n", Path("page.md"))
        with pytest.raises(MeasuredError, match="icon is no name of a file"):
            weave_site._refuse_odd_names(page)
    weave_site._refuse_odd_names(scan("---\nicon: material/home\n---\n\nx\n", Path("page.md")))
