"""Diagrams: drawn by the build, in the palette's roles, with words for those who do not see them."""

from __future__ import annotations

import html
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from measured.errors import MeasuredError
from measured.site import allowlist
from measured.weaving import diagrams, mermaid
from weaving import weave

CIRCUIT = """flowchart TD
    Q["query: the cue"] --> O{"how many blocks?"}
    O -->|one| P["the most common symbol<br/>0.55"]
    O -.->|two| A[read the symbol]
"""
KINDS = {
    "flowchart": CIRCUIT,
    "graph": 'graph LR\n  a["mean 3.62"] --> b',
    "sequence": "sequenceDiagram\n participant Q as Query\n Q->>Keys: compare\n Keys-->>Q: scores",
    "state": "stateDiagram-v2\n [*] --> Empty\n Empty --> Filled: token",
    "class": "classDiagram\n class Mask {\n +bool causal\n }\n A <|-- SelfAttention\n A --> Mask : uses",
    "relations": "erDiagram\n TOKEN ||--o{ HEAD : attends",
    "pie": 'pie title Weights\n "cue" : 45\n "answer" : 55',
    "quadrant": "quadrantChart\n title T\n x-axis low --> high\n y-axis low --> high\n A: [0.3, 0.6]",
    "mindmap": "mindmap\n root((attention))\n  queries\n  keys",
    "block": "block-beta\n columns 2\n a b",
}
SVG = "{http://www.w3.org/2000/svg}"


def rendered(source):
    return diagrams.render(f'<p>x</p><pre class="diagram"><code>{html.escape(source)}</code></pre><p>y</p>')


@pytest.mark.parametrize("kind", KINDS)
def test_a_drawing_is_fit_for_a_page(kind):
    page = rendered(KINDS[kind])
    assert page.startswith('<p>x</p><div class="diagram"><svg')
    assert not list(allowlist.problems_of_fragment(page))
    assert not re.search(r"#[0-9a-f]{3,8}\b|rgb|hsl|<foreignObject|<style|font-family|filter", page)
    assert "var(--figure-" in page
    assert ' role="img" aria-labelledby="diagram-1-title diagram-1-desc"' in page
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r"url\(#([^)]+)\)", page)) <= set(ids)
    root = ET.fromstring(re.search(r"<svg.*</svg>", page, re.S)[0])
    assert root.find(f"{SVG}title").text
    assert root.find(f"{SVG}desc").text
    assert list(root.iter(f"{SVG}text"))


@pytest.mark.parametrize(
    ("kind", "title", "description"),
    [
        (
            "flowchart",
            "Flowchart",
            "query: the cue → how many blocks?; how many blocks? → the most common symbol 0.55 (one); "
            "how many blocks? → read the symbol (two)",
        ),
        ("sequence", "Sequence diagram", "Query → Keys: compare; Keys → Query: scores"),
        ("state", "State diagram", "start → Empty; Empty → Filled: token"),
        ("class", "Class diagram", "SelfAttention → A; A → Mask: uses"),
        ("pie", "Weights", "45%; 55%; Weights; cue; answer"),
    ],
)
def test_a_drawing_says_what_it_shows(kind, title, description):
    root = ET.fromstring(mermaid.draw(KINDS[kind]))
    assert root.find(f"{SVG}title").text == title
    assert root.find(f"{SVG}desc").text == description


def test_an_author_says_it_better():
    drawn = mermaid.draw("flowchart LR\n accTitle: Two blocks\n accDescr: The cue is matched.\n a --> b")
    assert ">Two blocks</title>" in drawn
    assert ">The cue is matched.</desc>" in drawn


def test_labels_are_text_whatever_they_hold():
    page = rendered('graph LR\n  a["x #60;b#62; ID-3 #quot;#124;#quot; #42;d#42;"] --> b')
    labels = "".join(ET.fromstring(re.search(r"<svg.*</svg>", page, re.S)[0]).itertext())
    assert 'x <b> ID-3 "|" *d*' in labels
    assert "<b>" not in page


def test_two_diagrams_of_a_page_keep_their_ids_apart():
    two = diagrams.render('<pre class="diagram"><code>graph TD\n a--&gt;b</code></pre>' * 2)
    ids = re.findall(r' id="([^"]+)"', two)
    assert len(ids) == len(set(ids)) >= 6


def test_a_wide_flowchart_has_a_shape_for_narrow_columns():
    chain = " --> ".join(f'n{i}["a label of some length"]' for i in range(4))
    page = rendered(f"flowchart LR\n {chain}")
    assert page.count("<svg") == 2
    wide, narrow = (float(w) for w in re.findall(r' width="(\d+)" height="\d+" font', page))
    assert narrow < diagrams.NARROW < wide
    assert rendered("flowchart LR\n a --> b").count("<svg") == 1


def test_the_same_text_gives_the_same_bytes():
    first = mermaid.draw(CIRCUIT)
    mermaid.draw.cache_clear()
    assert mermaid.draw(CIRCUIT) == first


REFUSED = {
    "a label that stays open": ("graph TD\n a --> b\n c --> d[x\n d --> e", 3),
    "an arrow to nothing": ("flowchart TD\n subgraph x\n a --> b\n c -->\n end", 5),
    "no kind": ("nothing\n a --> b", 1),
    "nothing at all": ("", 1),
    "a kind whose colours would be its own": ("xychart-beta\n bar [1]", 1),
    "a formula": ('graph LR\n a["$$x$$"]', 2),
    "a link": ('graph LR\n a --> b\n click a href "https://example.org"', 3),
    "a colour of its own": ("graph LR\n a --> b\n style a fill:#f00", 3),
    "a coloured region": ("sequenceDiagram\n A->>B: hi\n rect rgb(0,1,2)\n A->>B: x\n end", 3),
}


@pytest.mark.parametrize(("source", "line"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_drawn_rightly_is_told_with_its_line(source, line):
    with pytest.raises(MeasuredError) as told:
        mermaid.draw(source)
    assert told.value.line == line


def test_a_role_of_the_palette_may_be_named():
    drawn = mermaid.draw("graph LR\n a --> b\n style a stroke:var(--figure-series2)")
    assert 'stroke="var(--figure-series2)"' in drawn


def test_a_fault_in_a_page_is_told_with_the_pages_line():
    listed = "- x\n\n    ```mermaid\n    graph TD\n     a --> b\n    ```\n"
    text = f"# T\n\n{listed}\n```mermaid\ngraph TD\n a --> x{{{{ dice.sides }}}}[\n```\n"
    found = weave(text).diagrams
    assert found == ((5, "graph TD\n a --> b"), (10, "graph TD\n a --> x6["))
    with pytest.raises(MeasuredError, match=r"page\.md:12: the diagram cannot be drawn"):
        diagrams.check(Path("page.md"), found)
    diagrams.check(Path("page.md"), found[:1])
