"""The site's own steps: roles are marked in formulas and in code, and a page says how long it takes."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import site_hooks  # noqa: E402
from measured.project import Project  # noqa: E402
from measured.site.finish_page import Page, Setting  # noqa: E402

CODE = (
    '<div class="highlight"><pre><code><span class="n">scores</span> = <span class="n">query</span> '
    '@ <span class="n">key</span></code></pre></div>'
)


def page(article: str, path: str = "attention/index.html") -> Page:
    return Page(
        f"<body><article class=md-content__inner>{article}</article></body>", path, Setting(str, {}, Path())
    )


def test_queries_keys_and_values_are_marked_in_code_and_in_formulas():
    made = page(CODE + "<i></i>")
    made.put(
        made.tree.css_first("i"),
        "<math><mi>Q</mi><msup><mi>K</mi><mi>T</mi></msup><msub><mi>d</mi><mi>k</mi></msub></math>",
    )
    assert site_hooks.mark_roles(made) == 2
    text = made.text()
    for marked in ('class="n role-query">query<', 'class="n role-key">key<', '<mi class="role-query">Q</mi>'):
        assert marked in text
    assert '<span class="n">scores</span>' in text
    assert "<mi>T</mi>" in text
    assert "<mi>d</mi><mi>k</mi>" in text, "the width of a key is no key"


def test_what_looks_like_the_code_around_it_is_no_element():
    made = page(CODE.replace(" = ", '<span class="w"> </span><span class="o">=</span> '))
    site_hooks.mark_roles(made)
    site_hooks.unwrap_plain_code(made)
    code = made.tree.css_first("code")
    assert code.text() == "scores = query @ key"
    assert [span.attributes["class"] for span in code.css("span")] == ["n role-query", "n role-key"]


def test_only_where_these_names_mean_attention():
    made = page(CODE, "recurrence/index.html")
    assert site_hooks.mark_roles(made) == 0
    assert "role-" not in made.text()


@pytest.mark.parametrize(
    ("extra", "minutes"),
    [
        ("", 2),
        ('<div class="sketch"></div>' * 3, 5),
        ("<details>" + "word " * 900 + "</details>", 2),
        ("word " * 360, 4),
    ],
)
def test_minutes_count_words_and_what_one_touches_and_no_folds(extra, minutes):
    made = page('<span class="reading-time"></span>' + "word " * 360 + extra)
    assert site_hooks.tell_time(made) == 1
    assert f"About {minutes} minutes." in made.text()


def test_a_term_is_marked_where_a_section_first_names_it():
    term = '<abbr title="a unit">nats</abbr>'
    made = page(f"<p>{term} {term}</p><h2>More</h2><details>{term} 1</details><p>{term} 2 {term} 3</p>")
    site_hooks.explain_terms_once(made)
    text = made.text()
    assert f"<p>{term} nats</p>" in text
    assert f"<details>{term} 1</details><p>{term} 2 nats 3</p>" in text, (
        "a closed fold explains nothing outside"
    )


def test_the_index_of_a_width_is_lowered_in_words_and_not_in_code():
    made = page(
        '<table><tr><td>divided by √d_k</td><td><a id="d_k" href="#d_k">d_model</a> of 2</td></tr></table>'
        "<ul><li>with <code>d_k</code> and d_v: <svg><text>d_k</text></svg></li></ul>"
        "<pre>d_k</pre><p>hard_k, d_k-1</p>"
    )
    site_hooks.lower_indices(made)
    text = made.text()
    assert "√<i>d</i><sub>k</sub></td>" in text
    assert '<a id="d_k" href="#d_k"><i>d</i><sub>model</sub></a> of 2' in text
    assert "<code>d_k</code> and <i>d</i><sub>v</sub>: <svg><text>d_k</text></svg>" in text
    assert "<pre>d_k</pre><p>hard_k, d_k-1</p>" in text


def test_a_page_that_asks_for_no_time_is_left_alone():
    assert site_hooks.tell_time(page("words")) == 0


def test_what_takes_a_second_is_made_once_from_the_same(tmp_path):
    made, project = [], SimpleNamespace(build=tmp_path)

    def ask(made_from):
        return site_hooks.kept(project, "words", made_from, lambda: made.append(made_from) or [made_from])

    assert [ask("a"), ask("a"), ask("b"), ask("b")] == [["a"], ["a"], ["b"], ["b"]]
    assert made == ["a", "b"]
    (tmp_path / "words.json").write_text('{"from": "b", "made": ["forged"]}')
    assert ask("b") == ["b"]


@pytest.mark.parametrize("quick", [True, False])
def test_what_was_trained_nowhere_yet_is_left_out(tmp_path, quick):
    """As a preview before the first build has it, and a first look, which leaves out what is dear."""
    project = replace(Project.load(ROOT, quick=quick), output=tmp_path)
    made = {place for place, _ in site_hooks.files(project)}
    assert {place for place in made if place.startswith("models/")} == set()
    assert "cite.md" in made
