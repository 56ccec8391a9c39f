"""Style sheets close what they open: one open brace would put all that follows inside another rule."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ASSETS = Path(__file__).resolve().parents[2] / "docs/assets"
SHEETS = sorted((ASSETS / "stylesheets").glob("*.css")) + sorted(ASSETS.glob("javascripts/*/view.css"))


def faults(text: str) -> list[str]:
    """Lines at the left edge that stand inside another rule, and what is open at the end."""
    depth, found = 0, []
    blank = re.sub(r"/\*.*?\*/", lambda comment: "\n" * comment[0].count("\n"), text, flags=re.DOTALL)
    for number, line in enumerate(blank.splitlines(), 1):
        if depth and line[:1].strip(" }"):
            found.append(f"line {number} stands inside another rule: {line}")
        depth += line.count("{") - line.count("}")
    return [*found[:1], *([f"{depth} braces are open at the end"] if depth else [])]


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.name)
def test_every_rule_stands_where_it_seems_to(sheet):
    assert faults(sheet.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "text", ["@media print {\n  .a {\n    b: c;\n  }\n\n.d {\n  e: f;\n}\n", ".a {\n  b: c;\n", ".a {}\n}\n"]
)
def test_a_brace_that_is_left_open_is_seen(text):
    assert faults(text)
