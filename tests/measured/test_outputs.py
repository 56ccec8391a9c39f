"""Whatever a cell prints, draws or returns, the page around it stays what it is."""

from __future__ import annotations

import base64
from pathlib import Path

import lxml.html
import pytest

from measured.errors import MeasuredError
from measured.weaving import cells, kernel, outputs
from measured.weaving.page import scan
from rendering import USUAL, render
from weaving import weave

FRONT = """---
jupyter:
  jupytext: {text_representation: {extension: .md}}
  kernelspec: {display_name: Python 3, language: python, name: python3}
---
"""
FRAME = """<div>
<style scoped>.dataframe tbody tr th { vertical-align: top; }</style>
<table border="1" class="dataframe">
  <thead><tr style="text-align: right;"><th></th><th>name</th><th>value|x</th></tr></thead>
  <tbody>
    <tr><th>0</th><td>a *b* | c</td><td>1.5</td></tr>
    <tr><th>1</th><td>&lt;script&gt;</td><td>NaN</td></tr>
  </tbody>
</table>
<p>2 rows × 2 columns</p>
</div>"""
DEEP = """<table border="1" class="dataframe"><thead>
<tr><th></th><th></th><th colspan="2" halign="left">up</th></tr>
<tr><th></th><th></th><th>x</th><th>y</th></tr></thead>
<tbody><tr><th rowspan="2" valign="top">a</th><th>0</th><td>1</td><td>2</td></tr>
<tr><th>1</th><td>3</td><td>4</td></tr></tbody></table>"""


def text_output(text):
    return {"output_type": "stream", "name": "stdout", "text": text}


def data_output(**data):
    return {
        "output_type": "display_data",
        "metadata": {},
        "data": {k.replace("_", "/"): v for k, v in data.items()},
    }


def shown(*found, fence="```python", indent="", around="{}"):
    """The rendered page of one cell with these outputs."""
    cell = "\n".join(indent + row for row in (fence, "x = 1", "```"))
    page = scan(FRONT + around.format(cell) + "\n\nAfter it.\n", Path("page.md"), USUAL)
    made = cells._shown(cells.cells_of(page), [list(found)], page, USUAL)
    html = render(weave(page_text(page), made.markdown).markdown)
    return lxml.html.fragment_fromstring(html, create_parent="div")


def page_text(page):
    return FRONT + page.body


def printed(tree):
    return [pre.text_content() for pre in tree.xpath(".//*[contains(@class, 'cell-output')]//pre")]


@pytest.mark.parametrize(
    "text",
    [
        "x = 3 </div> y",
        "# Heading\n\nparagraph\n\n    code",
        "```\nfence\n```\n~~~~\n",
        "<!-- open\n<script>alert(1)</script>",
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "{{ dice.mean }} {% claim %} {## x ##}",
        "--8<-- \"x.md\"\n[^1]: note\n*[HTML]: x\n[a]: b",
        "$a$ \\(b\\) $$c$$ &amp; &lt; `d`",
        "1. a\n\n2. b\n\n!!! note\n\n    x",
        "line one\n\n\n\nline two",
    ],
)  # fmt: skip
def test_text_is_text_and_the_page_goes_on(text):
    for options in ({}, {"indent": "    ", "around": "!!! note\n\n{}\n"}):
        tree = shown(text_output(text), **options)
        assert printed(tree) == [text.rstrip("\n") + "\n"]
        assert tree.xpath("./p[last()]")[-1].text == "After it."
        assert not tree.xpath(".//h1|.//script|.//table|.//ol")
        assert len(tree.xpath(".//pre")) == 2


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("loading\r# Heading\n", "# Heading\n"),
        ("  0%|    |\r 50%|##  |\r100%|####|\nend\n", "100%|####|\nend\n"),
        ("a\r\nb\r\n", "a\nb\n"),
        ("done\r", "done\n"),
        ("abc\b\bX\n", "aX\n"),
        ("\x1b[2K\x1b[1Gx \x1b]0;title\x07y\x00\x07\n", "x y\n"),
        ("\x1b(Bx \x9b31my\x9b0m\n", "x y\n"),
        ("outer 0%\ninner 0%\x1b[A\router 50%\ninner 90%\nend\n", "outer 50%\ninner 90%\nend\n"),
        ("a 1\nb 1\n\x1b[2Fa 2\nb 2\n", "a 2\nb 2\n"),
        ("a\nb\nc\x1b[2A\rd\x1b[J", "d\n"),
        ("a\x1b[99999999Bb", "a" + "\n" * 1000 + "b\n"),
    ],
)
def test_a_line_that_was_drawn_over_shows_its_last_state(text, state):
    assert printed(shown(text_output(text))) == [state]


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("\x1b[31mred\x1b[0m", '<span class="ansi-fg-red">red</span>'),
        (
            "\x1b[1;92;44mx\x1b[22my\x1b[39;49mz",
            '<span class="ansi-bold ansi-fg-bright-green ansi-bg-blue">x</span>'
            '<span class="ansi-fg-bright-green ansi-bg-blue">y</span>z',
        ),
        ("\x1b[38;5;208mx\x1b[48;2;1;2;3my\x1b[m", "xy"),
        ("\x1b[31m<b>\x1b[m&", '<span class="ansi-fg-red">&lt;b&gt;</span>&amp;'),
        ("\x1b[3;4;7;9mx", '<span class="ansi-italic ansi-underline ansi-inverse ansi-struck">x</span>'),
    ],
)  # fmt: skip
def test_colours_of_a_terminal_become_classes(text, html):
    assert outputs.coloured(text) == html


def test_colours_reach_the_page_and_are_dropped_in_a_container():
    (pre,) = shown(text_output("\x1b[31mred\x1b[0m")).xpath(".//*[@class='cell-output']//pre")
    assert pre.find(".//span[@class='ansi-fg-red']").text == "red"
    assert printed(shown(text_output("\x1b[31mred\x1b[0m"), indent="    ", around="- a\n\n{}\n")) == ["red\n"]


def test_several_outputs_of_one_cell_stay_apart():
    tree = shown(text_output("one"), data_output(text_plain="two"), text_output("three"))
    assert printed(tree) == ["one\n", "two\n", "three\n"]
    assert len(tree.xpath(".//div[@class='cell-output']")) == 3


@pytest.mark.parametrize("options", [{}, {"indent": "    ", "around": "1. a\n\n{}\n\n2. b\n"}])
def test_a_data_frame_becomes_one_of_our_tables(options):
    tree = shown(data_output(text_html=FRAME, text_plain="x"), **options)
    (box,) = tree.xpath(".//*[contains(@class, 'measured-table')]")
    rows = [[cell.text_content() for cell in row] for row in box.iter("tr")]
    assert rows == [["", "name", "value|x"], ["0", "a *b* | c", "1.5"], ["1", "<script>", "NaN"]]
    assert [cell.get("style") for cell in box.iter("th")][1:] == ["text-align: left;", "text-align: right;"]


def test_a_data_frame_with_levels_keeps_its_columns_straight():
    assert outputs.pandas_table(DEEP) == [
        ["", "", "up · x", "up · y"],
        ["a", "0", "1", "2"],
        ["", "1", "3", "4"],
    ]


def test_html_passes_a_sanitiser_unless_the_fence_says_otherwise():
    output = data_output(text_html='<h1>x</h1>\n\n<p onclick="y()">a <b>b</b></p><script>z</script>')
    (box,) = shown(output).xpath(".//div[@class='cell-output']")
    assert lxml.html.tostring(box, encoding="unicode").strip() == (
        '<div class="cell-output">\nx\n<p>a <b>b</b></p>\n</div>'
    )
    (box,) = shown(output, fence='```python html="as-is"').xpath(".//div[@class='cell-output']")
    assert box.find("./h1") is not None
    assert box.find("./p").get("onclick") == "y()"


def test_markdown_stays_markdown_if_it_keeps_to_itself():
    (box,) = shown(data_output(text_markdown="- *a*\n- b")).xpath(".//div[@class='cell-output']")
    assert [item.text_content() for item in box.iter("li")] == ["a", "b"]
    for wild in ("# Heading", "[^1]: x", "*[HTML]: x", "</div> out", "<div>\n\nopen", "a\n\n```\nopen"):
        tree = shown(data_output(text_markdown=wild))
        assert not tree.xpath(".//h1")
        assert tree.xpath("./p[last()]")[-1].text == "After it."


def test_latex_becomes_a_formula():
    tree = shown(data_output(text_latex="$\\displaystyle \\frac{a}{b}$"))
    assert tree.find(".//*[@class='arithmatex']").text == "\\[\n\\frac{a}{b}\n\\]"


def test_a_picture_has_the_words_of_its_fence():
    png = base64.b64encode(b"\x89PNG").decode()
    tree = shown(data_output(image_png=png), fence="```python alt=\"A 'dot' [here] *x*\"")
    assert tree.find(".//img").get("alt") == "A 'dot' [here] *x*"
    for options in ({}, {"indent": "    ", "around": "- a\n\n{}\n"}):
        with pytest.raises(
            MeasuredError, match="in cell 1, the cell shows a picture that has no words"
        ) as caught:
            shown(data_output(image_png=png), **options)
        assert caught.value.line is not None


@pytest.mark.parametrize(
    ("kind", "content", "problem"),
    [
        ("text_html", "<svg><text>x</text></svg>", "holds <svg>, which the sanitiser takes away"),
        ("text_html", "<p>a <math><mi>x</mi></math></p>", "holds <math>, which the sanitiser takes away"),
        ("text_html", '<img src="data:image/png;base64,AA==" alt="a">', "whose address the sanitiser takes"),
        ("text_html", '<img src="x.png">', "a picture that has no words"),
        ("text_markdown", "![](x.png)", "a picture that has no words"),
        ("text_markdown", "| a |\n|---|\n| b | c |", r"has more cells than the table: \| b \| c \|"),
        ("text_latex", "$\\frac{a$", "the formula .* cannot be read"),
        ("text_latex", "$$a$$ and $b$", "the formula .* cannot be read"),
        ("application_pdf", "x", "shows application/pdf, which no page can show"),
        ("application_javascript", "alert(1)", "shows application/javascript, which no page can show"),
    ],
)
def test_what_would_vanish_or_come_out_broken_is_told_with_its_line(kind, content, problem):
    with pytest.raises(MeasuredError, match=f"in cell 1, .*{problem}") as caught:
        shown(data_output(**{kind: content}))
    assert caught.value.line == 6


def test_html_keeps_its_pictures_words_and_the_blank_lines_of_its_code():
    (box,) = shown(
        data_output(text_html='<img src="x.png"> <img alt="own" src="y.png"><pre>a\n\n\nb</pre>\n\n<p>c</p>'),
        fence="```python alt=\"A 'dot'\"",
    ).xpath(".//div[@class='cell-output']")
    assert [picture.get("alt") for picture in box.iter("img")] == ["A 'dot'", "own"]
    assert box.find("./pre").text == "a\n\n\nb"
    assert box.find("./p").text == "c"


def test_html_in_a_container_is_refused_with_its_line():
    with pytest.raises(MeasuredError, match="shows HTML inside a list") as caught:
        shown(data_output(text_html="<b>x</b>"), indent="    ", around="- a\n\n{}\n")
    assert caught.value.line == 8


@pytest.mark.parametrize(
    ("info", "problem"),
    [
        ("tag=[x]", "no attribute tag; did you mean tags?"),
        ("tags=['hide-imput']", "unknown tag hide-imput; did you mean hide-input?"),
        ("timeout=2m", "timeout=2m cannot be read"),
        ("timeout=0", "timeout=0 cannot be read"),
        ("source=x", "source=x cannot be read"),
        ("titel='x'", "no attribute titel; did you mean title?"),
        ("hl_lines='a'", "hl_lines='a' cannot be read"),
        ("html=raw", "html=raw cannot be read"),
        ("hide-input", "hide-input on the fence of a cell cannot be read"),
        ("timeout=5 timeout=6", "says timeout twice"),
        ("alt=''", "alt='' cannot be read"),
        ("alt='of {{ dice.mean }}'", "alt on the fence of a cell holds a reference"),
        ("title='{% x %}'", "title on the fence of a cell holds a reference"),
        ("hl_lines='3-2'", "hl_lines='3-2' counts down"),
        ("hl_lines='2'", "hl_lines marks line 2 of code that has 1 line"),
        ("hl_lines='0-1'", "hl_lines marks line 0"),
        ("hl_lines='1 1-4'", "hl_lines marks line 4 of code that has 1 line"),
        ("source='sys:path'", "source='sys:path': module sys cannot be found"),
    ],
)
def test_a_fence_that_says_something_odd_is_told(info, problem):
    page = scan(f"{FRONT}\n```python {info}\nx\n```\n", Path("page.md"), USUAL)
    with pytest.raises(MeasuredError, match=problem.replace("?", r"\?")) as caught:
        cells.cells_of(page)
    assert caught.value.line == 7


def test_what_the_renderer_knows_reaches_it():
    fence = '```python title="average.py" hl_lines="1" linenums="1" timeout=9 tags=["hide-output"]'
    tree = shown(text_output("x"), fence=fence)
    assert tree.find(".//*[@class='filename']").text_content() == "average.py"
    assert tree.find(".//*[@class='hll']") is not None
    assert tree.xpath(".//*[contains(@class, 'linenos')]")


@pytest.mark.parametrize(
    ("around", "indent"),
    [("- a\n\n{}\n", "    "), ("!!! note\n\n{}\n", "    "), ('=== "A"\n\n{}\n', "    "), ("> {}\n", "")],
)
def test_a_cell_in_a_container_runs_there(around, indent):
    tree = shown(text_output("out"), around=around, indent=indent) if indent else None
    if tree is not None:
        (box,) = tree.xpath(".//*[@class='cell-output']")
        assert box.getparent().tag in ("li", "div")
        assert box.getparent() is not tree


def test_a_cell_in_a_quotation_runs_there():
    page = scan(f"{FRONT}> a\n>\n> ```python\n> x = 1\n> ```\n", Path("page.md"), USUAL)
    (cell,) = cells.cells_of(page)
    assert cell.code == "x = 1"
    made = cells._shown([cell], [[text_output("out\n\nmore")]], page, USUAL)
    tree = lxml.html.fragment_fromstring(
        render(weave(page_text(page), made.markdown).markdown), create_parent="div"
    )
    assert tree.xpath("./blockquote//*[@class='cell-output']//pre")[0].text_content() == "out\n\nmore\n"


@pytest.mark.parametrize(
    "body",
    [
        "<!--\n\n```python\n1 / 0\n```\n\n-->\n",
        "{##\n```python\n1 / 0\n```\n##}\n",
        "````\n```python\n1 / 0\n```\n````\n",
        "    ```python\n    1 / 0\n    ```\n",
        "- a\n\n        ```python\n        1 / 0\n        ```\n",
        "```py\n1 / 0\n```\n",
        "<pre>\n```python\n1 / 0\n```\n</pre>\n",
    ],
)
def test_what_is_no_cell_does_not_run(body):
    page = scan(f"{FRONT}Text\n\n{body}", Path("page.md"), USUAL)
    assert cells.cells_of(page) == []


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("1. one\n   ```python\n   x\n   ```\n2. two", 7),
        ("- a\n  ```python\n  x\n  ```\n- b", 7),
        ("- a\n```python\nx\n```\n- b", 7),
    ],
)
def test_a_cell_whose_output_would_leave_its_container_is_refused(body, line):
    with pytest.raises(MeasuredError, match="the output of this cell would leave the list") as caught:
        scan(FRONT + body, Path("page.md"), USUAL)
    assert caught.value.line == line


@pytest.mark.parametrize("language", ["Python", "python3", "ipython", "{.python3}"])
def test_python_by_another_name_is_told_on_a_page_with_cells(language):
    body = f"```{language}\n1 / 0\n```\n"
    with pytest.raises(MeasuredError, match="is shown on this page and not run") as caught:
        cells.cells_of(scan(FRONT + body, Path("page.md"), USUAL))
    assert caught.value.line == 6
    assert cells.cells_of(scan(body, Path("page.md"), USUAL)) == []


@pytest.mark.parametrize("fence", ["````python", "~~~python", "~~~~ python"])
def test_a_cell_with_another_fence_is_a_cell(fence):
    mark = fence.replace("python", "").strip()
    page = scan(f"{FRONT}{fence}\nx = '''\n```\n'''\n{mark}\n", Path("page.md"), USUAL)
    (cell,) = cells.cells_of(page)
    made = cells._shown([cell], [[]], page, USUAL)
    tree = lxml.html.fragment_fromstring(
        render(weave(page_text(page), made.markdown).markdown), create_parent="div"
    )
    assert tree.find(".//pre").text_content() == "x = '''\n```\n'''\n"


def _printed(text, name="stdout"):
    return {"output_type": "stream", "name": name, "text": text.splitlines(keepends=True)}


def test_what_is_printed_in_one_go_is_one_output_wherever_the_kernel_cut_it():
    whole = [_printed("one\ntwo\nthree\n")]
    for cut in range(1, len("one\ntwo\nthree\n")):
        pieces = [_printed("one\ntwo\nthree\n"[:cut]), _printed("one\ntwo\nthree\n"[cut:])]
        assert kernel.with_whole_streams(pieces) == whole


def test_what_stands_between_or_goes_elsewhere_keeps_its_place():
    shown = {"output_type": "display_data", "data": {"text/plain": ["x"]}, "metadata": {}}
    outputs = [_printed("a"), shown, _printed("b"), _printed("c", "stderr"), _printed("d")]
    assert kernel.with_whole_streams(outputs) == outputs
    assert kernel.with_whole_streams([]) == []
