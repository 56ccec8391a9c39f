"""Readers fetch scripts without comments and indentation; what runs stays word for word."""

import pytest

from measured.site.lean_scripts import lean, write


@pytest.mark.parametrize(
    ("script", "left"),
    [
        ("// why\nf();\n", "f();\n"),
        ("f(); // beside code\n", "f(); // beside code\n"),
        ("/** a\n * b\n */\nf();\n", "f();\n"),
        ("/* a */ f();\n", "/* a */ f();\n"),
        ("/* a */\n\nf();\n", "f();\n"),
        ("/*! licence\n */\nf();\n", "/*! licence\n */\nf();\n"),
        ("f(`\n// text\n\n`);\n// why\n", "f(`\n// text\n\n`);\n"),
        ("f(`a`);\n// why\n", "f(`a`);\n"),
        ('f("`");\n// why\n', 'f("`");\n// why\n'),
        ("f(`\\``);\n// why\n", "f(`\\``);\n"),
        ("x = a\n  / b;\n", "x = a\n/ b;\n"),
        ("  f(`a\n  b\n`);\n  g();\n", "f(`a\n  b\n`);\ng();\n"),
        ('f("a\\\n  b");\n', 'f("a\\\n  b");\n'),
    ],
)
def test_lines_that_are_only_a_comment_go_and_so_does_indentation(script, left):
    assert lean(script) == left
    assert lean(left) == left


def test_scripts_of_others_stay_as_they_are(tmp_path):
    for name in ("own", "theirs", "elsewhere"):
        path = tmp_path / ("vendor" if name == "elsewhere" else "scripts") / f"{name}.js"
        path.parent.mkdir(exist_ok=True)
        path.write_text("// why\nf();\n", encoding="utf-8")
    write(tmp_path, ("scripts",), frozenset(["scripts/theirs.js"]))
    left = {path.stem for path in tmp_path.rglob("*.js") if "why" in path.read_text(encoding="utf-8")}
    assert left == {"theirs", "elsewhere"}
