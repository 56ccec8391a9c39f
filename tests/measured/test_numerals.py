"""Numbers by hand are found with their line; declared kinds pass."""

from __future__ import annotations

import re
import time
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from measured.errors import MeasuredError
from measured.mkdocs_yml import SiteSettings
from measured.weaving import numerals
from measured.weaving.page import scan
from measured.weaving.references import Library
from weaving import MEASUREMENTS, record_of

LIBRARY = Library({"dice": record_of(MEASUREMENTS)})


def by_hand(text):
    found = numerals.numbers_by_hand(scan(text, Path("page.md")))
    return [(f.line, f.text) for f in found]


def site_of(root, settings=""):
    write(root / "mkdocs.yml", f"site_name: x\n{settings}")
    return SiteSettings.load(root)


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("page", "line", "number"),
    [
        ("The weight is 0.4442 here.", 1, "0.4442"),
        ("# Title\n\nAfter 30 epochs", 3, "30"),
        ("# 4 heads", 1, "4"),
        ("| a | b |\n|---|---|\n| x | 17,673 |", 3, "17,673"),
        ("a\n\n![a peak of 12](x.svg)", 3, "12"),
        ('<img alt="87 of them" width="300">', 1, "87"),
        ('<p title="at 5">x</p>', 1, "5"),
        ('{% figure "x" %}\nEach of\n6 faces\n{% endfigure %}', 3, "6"),
        ('{% claim "x" %}stays below 0.5{% endclaim %}', 1, "0.5"),
        ('```mermaid\ngraph LR\n  b1["mean 3.6"] --> c2\n```', 3, "3.6"),
        ("```mermaid\ngraph LR\n  b1 -->|87%| c2\n```", 3, "87%"),
        ('<div class="quiz" markdown>\n\n1. It grows by 2e3\n\n</div>', 3, "2e3"),
        ('??? note "After 9 steps"\n\n    text', 1, "9"),
        ("[a link to 8](page.md#p1)", 1, "8"),
        ('[a](b.md "see 7")', 1, "7"),
        ("Half, or ½, of it", 1, "½"),
        ("The 2nd block", 1, "2nd"),
        ("over 2000 draws", 1, "2000"),
        ("---\ntitle: Weights of 0.44\n---\n\ntext", 2, "0.44"),
        ("text[^1]\n\n[^1]: in 40 steps", 3, "40"),
        ("1 {{ dice.mean }}", 1, "1"),
        ("The batch holds 2000.", 1, "2000"),
        ("Stopped at 2048.", 1, "2048"),
        ("Nobody (2000) knows", 1, "2000"),
        ("Batch 2000, then", 1, "2000"),
        ("In 1024, as in all", 1, "1024"),
        ("Smith 2048.", 1, "2048"),
        ("in parts 17", 1, "17"),
        ("at step 12", 1, "12"),
        ("Steps 300 of it", 1, "300"),
        ("See figures 12", 1, "12"),
        ("Figure 2048 of them", 1, "2048"),
        ("a width of .5 at most", 1, ".5"),
        ("after twenty-four steps", 1, "twenty-four"),
        ("of a hundred tokens", 1, "hundred"),
        ("Sixteen heads", 1, "Sixteen"),
        ("the twentieth of them", 1, "twentieth"),
        ("two dozen heads", 1, "two dozen"),
        ("a thousandfold gain", 1, "thousandfold"),
        ("Ⅷ of them", 1, "Ⅷ"),
        ("as ② shows", 1, "②"),
        ("Smith (2017 draws)", 1, "2017"),
        ("Figure 2 and 17 more", 1, "17"),
        ("Step 3, 400 of them", 1, "400"),
        ("- a\n\n    - b of 7\n", 3, "7"),
        ("!!! note\n\n    About 7\n", 3, "7"),
        ('=== "Tab 7"\n\n    x\n', 1, "7"),
        ("Term\n:   of 7\n", 2, "7"),
        ("<p>In HTML 7</p>", 1, "7"),
        ("The HTML\n\n*[HTML]: of 7 words", 3, "7"),
        ("```python alt='7 dots'\nx\n```", 1, "7"),
        ("```python title='run 7'\nx\n```", 1, "7"),
        ("---\ndescription: of 7 dice\n---\n\nx", 2, "7"),
        ("\N{BYTE ORDER MARK}---\ntitle: x\n---\n\nof 7", 5, "7"),
        ("`7` code\n\nother text\n\n`7` code and 7 there", 5, "7"),
    ],
)
def test_a_number_by_hand_is_told_with_its_line(page, line, number):
    assert by_hand(page) == [(line, number)]


@pytest.mark.parametrize(
    "page",
    [
        "{{ dice.mean }} and {{ (dice.mean / 2) | fmt('.3f') }}",
        '{{ given("12", "the length of the example") }}',
        "`x[0]` and $d_k = 4$ and\n\n```python\nx = 3\n```\n\n~~~\n9\n~~~",
        "1. first\n2. second\n   10. third",
        "(Vaswani et al. 2017, §3.2.1), and Hochreiter and Schmidhuber (1997); Rabe and Staats 2021.",
        "Hochreiter 1991 and [Bengio, Simard and Frasconi 1994](bibliography.md#bengio1994)",
        "Sanford, Hsu and Telgarsky 2024, arXiv:2408.14332v2, doi 10.1162/neco.1997.9.8.1735",
        "Figure 2a, Steps 3 to 5, pp. 3, 4, §§2 and 3, Pages 3–5, Exercise 3–4, a dozen, dozens",
        "Figure 2, Table 1, Exercises 3 and 4, equation (5), footnote 4, pp. 3–5, Appendix B.1",
        "float32 and GPT-2 and d4 and Conv1D",
        "i18n.json and x86_64",
        "---\ntitle: The 10 best\n---\n\ntext",
        "In 2017, and since 1997; on 5 May 2027, in May 2027, on 2027-05-05.",
        "Neubig and others (2022), Michel et al. (2019, 2020), Ré 2021.",
        "twelve of them, hundreds of others",
        "Part 17, Steps 3 and 4, Exercise 2",
        "    x = 12  # indented code\n",
        "<pre>12</pre> and <code>12</code>",
        "\\(12\\) and $12$\n\n\\[\n12\n\\]\n",
        "- a\n\n    ```python\n    x = 12\n    ```\n",
        "<!--\n\n12\n\n-->\n\n{##\n\n12\n\n##}\n",
        "\N{BYTE ORDER MARK}---\ntitle: x\n---\n\ntext",
        "## Heading {#part-2}\n\ntext\n{: .wide-3 }\n\n[a](page-4.md#p5){ .x6 }",
        '<div class="col-2" style="width: 3px" id="x1" data-size="9">x</div>',
        "<!-- 12 -->\n\n&#8211; {## 7 ##}",
        "[1]: https://example.org/2\n\nhttps://example.org/3 <https://example.org/4>",
        "text[^1]\n\n[^1]: a note",
        "```mermaid\ngraph LR\n  b1[mean {{ dice.mean }}] --> c2\n```",
        ":material-numeric-1: and two blocks, six lines",
        "---\nnumerals: literature\n---\n\nNeural Computation 9(8), 1735",
    ],
)
def test_declared_kinds_need_no_mark(page):
    assert by_hand(page) == []


def test_promises_outside_a_claim_are_listed_and_inside_are_not():
    claim = '{% claim "dice.holds" %}It always works.{% endclaim %}'
    text = f"It never\nfails. {claim}\n\n`only` $always$ Only here."
    found = numerals.promising_words(scan(text, Path("page.md")))
    assert [(f.line, re.search(r"never|only", f.text, re.I)[0].lower()) for f in found] == [
        (1, "never"),
        (4, "only"),
    ]


def test_pages_are_read_as_mkdocs_reads_them(tmp_path):
    docs = tmp_path / "handbook"
    for name in ("a.md", "b.markdown", "c.mkd", "out/d.md", "draft.md", ".hidden.md", "README.md"):
        write(docs / name, f"of 7 in {name}")
    write(docs / "index.md", "nothing")
    (docs / ".#a.md").symlink_to("nobody@nowhere.1234")
    settings = "docs_dir: handbook\nexclude_docs: |\n  out/\ndraft_docs: |\n  draft.md\n"
    report = numerals.inspect(site_of(tmp_path, settings))
    assert [(str(f.path), f.text) for f in report.by_hand] == [
        ("handbook/a.md", "7"),
        ("handbook/b.markdown", "7"),
        ("handbook/c.mkd", "7"),
    ]
    assert report.pages == 4


def test_no_page_at_all_is_no_pass(tmp_path):
    (tmp_path / "docs").mkdir()
    with pytest.raises(MeasuredError, match="no page was read"):
        numerals.inspect(site_of(tmp_path))


def test_snippets_are_read_where_they_are_included(tmp_path):
    write(tmp_path / "parts/one.md", "Text of 7 words\n\n{{ dice.mean }}\n")
    write(tmp_path / "parts/all.md", "*[HTML]: of 6 words\n")
    write(tmp_path / "docs/a.md", 'The HTML\n\n--8<-- "one.md"\n\nof 9')
    settings = (
        "markdown_extensions:\n  - abbr\n  - pymdownx.snippets:\n      base_path: [parts]\n"
        "      auto_append: [all.md]\n"
    )
    report = numerals.inspect(site_of(tmp_path, settings), LIBRARY)
    found = [(f.path.as_posix(), f.line, f.text) for f in report.by_hand]
    assert found == [("parts/all.md", 1, "6"), ("docs/a.md", 3, "7"), ("docs/a.md", 5, "9")]
    assert "dice.mean" not in report.unused


def test_texts_of_figures_are_read(tmp_path):
    write(
        tmp_path / "drawn.py",
        "from measured.terms.drawing import given\n\n"
        "def draw(palette, record):\n"
        '    """Of 12 kinds."""\n'
        "    ax.set(title='Mean of 30 draws', xlabel=f'{record} and 5 more', ylim=(0, 1.05))\n"
        "    ax.text(0, 1, given('1 MiB', 'a unit'))\n"
        "    return f\"{record['a.d256']:.2f} of {record['dice 7']} at d4\", {'label': '9'}\n",
    )
    spec = spec_from_file_location("drawn", tmp_path / "drawn.py")
    spec.loader.exec_module(module := module_from_spec(spec))
    found = numerals.numbers_in_figure(module.draw, tmp_path)
    assert [(str(f.path), f.line, f.text) for f in found] == [("drawn.py", 5, "30"), ("drawn.py", 5, "5")]


def test_a_page_may_make_promises_an_error(tmp_path):
    write(tmp_path / "docs/a.md", "---\npromises: claims\n---\n\nIt never\nfails, always.")
    write(tmp_path / "docs/b.md", "It never fails.")
    report = numerals.inspect(site_of(tmp_path))
    assert len(report.promises) == 3
    with pytest.raises(MeasuredError, match=r"docs/a.md:5: the page promises[^$]*also docs/a.md:6: .*always"):
        report.refuse()


@pytest.mark.parametrize("said", ["promises: claim", "numerals: literatur", "promises: true"])
def test_a_word_that_means_nothing_in_the_front_matter_is_told(tmp_path, said):
    write(tmp_path / "docs/a.md", f"---\ntitle: x\n{said}\n---\n\nx")
    with pytest.raises(MeasuredError, match="means nothing") as caught:
        numerals.inspect(site_of(tmp_path))
    assert (str(caught.value.path), caught.value.line) == ("docs/a.md", 3)


def test_the_command_lists_promises_and_stops_where_a_page_keeps_them_to_claims(sample):
    sample.edit("docs/index.md", "Its mean is", "It never fails. Its mean is")
    listed = sample.run("prose")
    assert listed.returncode == 0, listed.stdout
    assert "promising words outside a claim: 1\n  docs/index.md:11: It never fails" in listed.stdout
    sample.edit("docs/index.md", "title: Dice", "title: Dice\npromises: claims")
    refused = sample.run("prose")
    assert refused.returncode == 1
    assert "docs/index.md:12: the page promises something outside a claim" in refused.stdout


def test_what_no_page_uses_is_told(tmp_path):
    write(tmp_path / "docs/index.md", '{{ table("dice.t") }}\n\n{% claim "dice.holds" %}x{% endclaim %}')
    report = numerals.inspect(site_of(tmp_path, "markdown_extensions: [md_in_html]\n"), LIBRARY)
    assert report.unused == ("dice.low", "dice.sides", "dice.name")
    assert report.idle == ("dice.false", "dice.open")
    report.refuse()


def test_markup_that_rests_on_a_claim_uses_it(tmp_path):
    write(tmp_path / "docs/a.md", """<li data-right="{{ holds('dice.holds') }}">x</li>""")
    assert "dice.holds" not in numerals.inspect(site_of(tmp_path), LIBRARY).idle


def test_all_numbers_by_hand_are_told_at_once(tmp_path):
    write(tmp_path / "docs/a.md", "5 and\n6")
    with pytest.raises(
        MeasuredError, match=r"docs/a.md:1: the number 5 is typed by hand\n  also docs/a.md:2: 6"
    ):
        numerals.inspect(site_of(tmp_path)).refuse()


def test_the_build_stops_at_a_number_by_hand(sample):
    sample.edit("docs/index.md", "The mean is middling.", "The mean is 3.6.")
    before = sample.tree("site")
    result = sample.build()
    assert result.returncode == 1
    assert "docs/index.md:14: the number 3.6 is typed by hand" in result.stdout
    assert sample.tree("site") == before
    sample.edit("docs/index.md", "is 3.6.", 'is {{ given("3.6", "an example") }}.')
    assert sample.build().returncode == 0
    assert "an example" in sample.read("site/measurements/index.html")


def test_a_given_number_needs_a_reason(sample):
    sample.edit("docs/index.md", "The mean is middling.", 'The mean is {{ given("3.6", "") }}.')
    result = sample.build()
    assert result.returncode == 1
    assert "docs/index.md:14: a given number states no reason" in result.stdout


def test_the_time_grows_with_the_text_alone():
    page = "A sentence with `code`, $x_1$, {{ dice.mean }} and (Author 2017). " * 4
    once = min(_seconds("\n\n".join([page] * 10)) for _ in range(3))
    often = min(_seconds("\n\n".join([page] * 100)) for _ in range(3))
    assert often / once < 40  # ten times the text; a pattern that backtracks takes hundreds of times as long


def _seconds(text):
    began = time.process_time()
    by_hand(text)
    return time.process_time() - began
