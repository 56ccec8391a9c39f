"""What a page may load, and what it may not hold."""

from __future__ import annotations

import base64
import hashlib
import html
import re

import pytest

from measured.errors import MeasuredError
from measured.site import content_policy


def test_inline_scripts_of_the_theme_are_allowed_by_hash_and_data_is_not_code():
    page = "<script>go()</script><script src=x.js></script><script type='application/json'>{}</script>"
    allowed = base64.b64encode(hashlib.sha256(b"go()").digest()).decode()
    found = content_policy.policy([page])
    assert f"script-src 'self' 'sha256-{allowed}';" in found
    assert found.startswith("default-src 'self'; ")
    assert "unsafe" not in found


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("<p>x</p><script>go()</script>", "<script>"),
        ("<SCRIPT src=a.js></SCRIPT>", "<script>"),
        ('<p style="color: red">x</p>', "an inline style on <p>"),
        ("<p style=color:red>x</p>", "an inline style"),
        ("<style>p {}</style>", "<style>"),
        ('<img src="x" onerror="go()">', "a handler on <img>: onerror"),
        ('<a href=" javascript:go()">x</a>', "a javascript: address"),
        ('<iframe src="page.html"></iframe>', "<iframe>"),
        ('<base href="//elsewhere">', "<base>"),
    ],
)
def test_active_content_is_refused(content, expected):
    with pytest.raises(MeasuredError, match=re.escape(expected)):
        content_policy.refuse_active(content, "page.md")


@pytest.mark.parametrize(
    "content",
    [
        "&lt;script&gt;go()&lt;/script&gt;",
        '<img alt="a > b, onerror=x, style=y" src="x.svg">',
        "<code>style=&quot;x&quot;</code>",
        '<math alttext="a < b"><mi>x</mi></math>',
        '<p class="style">on = off</p>',
    ],
)
def test_text_about_scripts_is_text(content):
    content_policy.refuse_active(content, "page.md")


@pytest.mark.parametrize(
    "text",
    [
        '<script src="https://cdn.example/x.js"></script>',
        '<link rel="stylesheet" href="//fonts.example/x.css">',
        '<link href="https://x.example" rel="preconnect">',
        '<img src="a.png" srcset="a.png 1x, https://x.example/b.png 2x">',
        '<image xlink:href="http://x.example/a.png"/>',
        "<style>p { background: url(https://x.example/a.png) }</style>",
    ],
)
def test_a_request_to_a_third_party_is_found(tmp_path, text):
    (tmp_path / "index.html").write_text(text, encoding="utf-8")
    assert len(content_policy.third_parties(tmp_path)) == 1


def test_links_that_a_reader_follows_are_no_requests(tmp_path):
    text = '<a href="https://x.example">x</a><link rel="canonical" href="https://x.example"><img src="//a">'
    (tmp_path / "index.html").write_text(text.replace('<img src="//a">', ""), encoding="utf-8")
    (tmp_path / "a.css").write_text(
        "@import 'b.css'; p { background: url(data:image/png;x) }", encoding="utf-8"
    )
    assert content_policy.third_parties(tmp_path) == []


def test_every_page_of_a_site_has_one_policy_that_covers_its_scripts(accepted):
    pages = list((accepted.root / "site").rglob("*.html"))
    policies = set()
    for page in pages:
        text = page.read_text(encoding="utf-8")
        found = re.findall(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', text)
        assert len(found) == 1, page
        assert text.index("Content-Security-Policy") < text.index("<link")
        policies.update(found)
        for script in re.findall(r"<script>(.*?)</script>", text, re.S):
            digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
            assert f"'sha256-{digest}'" in found[0]
    assert len(pages) > 4
    assert len(policies) == 1
    assert content_policy.third_parties(accepted.root / "site") == []


def test_a_script_in_a_measured_text_reaches_no_page_as_a_script(sample):
    planted = "</td><script>steal()</script><img src=x onerror=steal()>{{ x }}$$"
    sample.edit("src/dice/fair.py", "six <b>sides</b> & |pipes|", planted)
    sample.edit("src/dice/fair.py", '"a text"', repr(planted))
    sample.edit("src/dice/fair.py", 'Exact("a name")', f"Exact({planted!r})")
    for arguments in (("make",), ("accept", "--yes"), ("build",)):
        result = sample.run(*arguments)
        assert result.returncode == 0, result.stdout
    for name in ("index.html", "measurements/index.html"):
        text = sample.read(f"site/{name}")
        assert "steal()" in html.unescape(text)
        assert "<script>steal" not in text
        assert "<img src=x" not in text


def test_a_page_with_a_script_of_its_own_is_refused(sample):
    sample.edit("docs/index.md", "The mean is middling.", "x <span onclick='go()'>y</span>")
    result = sample.build()
    assert result.returncode == 1
    assert "a handler on <span>: onclick" in result.stdout
