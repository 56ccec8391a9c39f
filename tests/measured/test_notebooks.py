"""A page as a notebook: plain Markdown, nothing relative, first of all what to install."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import fields

import nbformat
import numpy
import pytest

from measured.site.notebooks import Elsewhere, Needs, notebook, place_of, requirements
from measured.site.plain_markdown import PlainMarkdown
from measured.weaving.cells import Executed
from measured.weaving.weave import Woven

PAGE = """# Title with $d_k$ { #title }

A [link](recurrence.md#x "t"){ .a }, `code { .x }`, \\(x\\), <data value="1">0.5</data>
<span class="claim" data-claim="a">as claimed</span>. Note[^1].

<div class="measured-table" data-table="x" markdown="1">

| a | b |
| ---: | :--- |
| 1 | $x|y$ |

[Data (CSV)](data/tables/x.csv){ .data-link }

</div>

!!! note "How?"
    Quoted [a](b.md).

    ```python title="x.py"
    x = { .y }
    ```

=== "Tab"

    In a tab

<figure class="measured-figure" id="f" markdown="1">

![A \\[b\\] c](data/figures/f.light.svg){ data-figure="f" }

<figcaption markdown="1">
**Figure 1.** Words. [data](data/figures/f.csv){ .data-link } · [code](c.html#L1){ .data-link target="_self" }
</figcaption>

</figure>

<details markdown="1" data-search-exclude><summary>Show it</summary>

Inside.

</details>

<ul><li>To one.</li><li data-right="scale.winner">To <em>zero</em>.</li></ul>

Last
{: .lead }

[^1]: A note
    goes on.

*[MLP]: a network

```mermaid
graph LR
 a --> b
```

\\[ x = 1 \\]
"""


def plain(text, url="https://example.org/book/", where="attention.md"):
    made = PlainMarkdown(where, url, {"data/figures/f.light.svg": b"<svg/>"}.get)
    return made.of(text), made.attachments


def test_nothing_of_the_sites_own_markdown_is_left():
    text, attachments = plain(PAGE)
    outside = re.sub(r"```.*?```|`[^`]*`", "", text, flags=re.S)
    assert not re.search(
        r"\{[ :.#]|markdown=|</?(?:div|span|figure|data|details)|^!!!|^===|\*\[MLP", outside, re.M
    )
    assert "# Title with $d_k$\n" in text
    assert "`code { .x }`" in text
    assert (
        "> **How?**\n>\n> Quoted [a](https://example.org/book/b/).\n>\n> ```python\n> x = { .y }\n> ```"
        in text
    )
    assert "**Tab**\n\nIn a tab" in text
    assert "**Show it**\n\nInside." in text
    assert "[link](https://example.org/book/recurrence/#x)" in text
    assert "[data](https://example.org/book/data/figures/f.csv) · [code](" in text
    assert "Note<sup>1</sup>" in text
    assert "- To one.\n- To <em>zero</em>.\n" in text
    assert "data-right" not in text
    assert "$x$" in text
    assert "$$ x = 1 $$" in text
    assert list(attachments) == ["f.light.svg", "diagram-1.svg"]
    assert "](attachment:f.light.svg)" in text
    assert "![a → b](attachment:diagram-1.svg)" in text


def test_a_diagram_that_is_shown_as_code_stays_code():
    written = "```mermaid\ngraph LR\n  a -->\n```"
    assert plain(written) == (written, {})


def test_links_without_an_address_are_their_words():
    text, _ = plain(PAGE, url="")
    assert "A link, `code" in text
    assert "Data (CSV)" not in text
    assert "**Figure 1.** Words.\n" in text
    assert not re.search(r"\]\((?!attachment:)", text)


@pytest.mark.parametrize(
    ("where", "target", "address"),
    [
        ("a/b.md", "../c.md#d", "https://example.org/book/c/#d"),
        ("a/b.md", "x.csv", "https://example.org/book/a/x.csv"),
        ("a/b.md", "#d", "https://example.org/book/a/b/#d"),
        ("index.md", "https://elsewhere.org", "https://elsewhere.org"),
        ("index.md", "a/index.md", "https://example.org/book/a/"),
    ],
)
def test_addresses_are_whole(where, target, address):
    assert plain(f"[x]({target})", where=where)[0] == f"[x]({address})"


def woven(*pieces):
    nothing = {field.name: () for field in fields(Woven)}
    return Woven(**{**nothing, "markdown": "", "plain": pieces, "meta": {"title": "Dice"}})


RUN = Executed(
    notebook={
        7: {"code": "import numpy as np\nimport json", "outputs": []},
        9: {
            "code": "np.int64(3)",
            "outputs": [
                {
                    "output_type": "execute_result",
                    "execution_count": 9,
                    "data": {"text/plain": "3"},
                    "metadata": {},
                }
            ],
        },
    }
)


def test_a_notebook_is_valid_and_says_first_what_to_install():
    elsewhere = Elsewhere(
        "Book", "https://example.org/book/", ("dice",), "dice", picture=lambda place: b"<svg/>"
    )
    pieces = (("prose", "# Dice\n\n!!! note\n    x"), ("cell", "7"), ("prose", "![p](p.svg)"), ("cell", "9"))
    text = notebook("a/dice.md", woven(*pieces), RUN, elsewhere)
    assert notebook("a/dice.md", woven(*pieces), RUN, elsewhere) == text
    made = nbformat.reads(text, as_version=4)
    nbformat.validate(made)
    first, title, code, picture, last = made.cells
    assert "[Dice](https://example.org/book/a/dice/) of *Book*" in first.source
    assert f"python -m pip install jupyterlab numpy=={numpy.__version__}\n```" in first.source
    assert title.source == "# Dice\n\n> **Note**\n>\n> x"
    assert (code.execution_count, last.execution_count) == (1, 2)
    assert last.outputs[0].execution_count == 2
    assert base64.b64decode(picture.attachments["p.svg"]["image/svg+xml"]) == b"<svg/>"
    assert place_of("a/dice.md") == "a/dice.ipynb"
    assert json.loads(text)["metadata"]["kernelspec"]["name"] == "python3"


def test_a_cell_inside_of_a_container_leaves_no_code_block_behind():
    pieces = (("prose", "1. one\n\n    "), ("cell", "7"), ("prose", "\n\n    and on\n\n2. two"))
    made = json.loads(notebook("a.md", woven(*pieces), RUN, Elsewhere("Book")))
    assert [cell["source"] for cell in made["cells"]][1:] == [
        "1. one",
        RUN.notebook[7]["code"],
        "and on\n\n2. two",
    ]


def test_what_cells_need_is_followed_through_the_projects_modules():
    needs = requirements(
        ["from attention_from_scratch import attention\n%time 1"], ("attention_from_scratch",)
    )
    assert needs.project
    assert not needs.engine
    assert any(name.startswith("numpy==") for name in needs.distributions)
    assert requirements(["import json, sys"], ("measured",)) == Needs([])


@pytest.mark.parametrize(
    ("module", "name"), [("PIL", "pillow"), ("yaml", "PyYAML"), ("sklearn", "scikit-learn"), ("six", "six")]
)
def test_a_module_is_installed_under_the_name_of_its_distribution(module, name):
    (pinned,) = requirements([f"import {module}"], ()).distributions
    assert pinned.partition("==")[0] == name


@pytest.mark.parametrize("packages", [("measured", "attention_from_scratch"), ("attention_from_scratch",)])
def test_the_engine_is_never_asked_for_by_name(packages):
    """The package index has no `measured-site` of ours; who made one would be run by every reader."""
    needs = requirements(["from attention_from_scratch.tasks import spelling"], packages)
    assert (needs.project, needs.engine) == (True, True)
    assert not any("measured" in name for name in needs.distributions)
    assert requirements(["from measured.terms import drawing"], packages).engine


def test_the_project_is_installed_from_its_repository_where_it_has_one():
    pieces = (("prose", "x"), ("cell", "7"))
    run = Executed(notebook={7: {"code": "import attention_from_scratch.tasks.spelling", "outputs": []}})
    ours = ("attention_from_scratch",)
    git = "git+https://example.org/b@abc"
    here = Elsewhere("Book", "", ours, "book", git, f"{git}#subdirectory=src/measured")
    first = json.loads(notebook("a.md", woven(*pieces), run, here))["cells"][0]["source"]
    assert 'python -m pip install "book @ git+https://example.org/b@abc"' in first
    assert f'python -m pip install "measured-site @ {git}#subdirectory=src/measured"' in first
    nowhere = notebook("a.md", woven(*pieces), run, Elsewhere("Book", "", ours, "book"))
    assert "`book`: install it from its wheel" in nowhere
    assert "`measured-site`: install it from its wheel" in nowhere
