from __future__ import annotations

import re
from pathlib import Path

import pytest

from measured.errors import MeasuredError
from measured.terms.claims import Claim, above, below, every
from measured.terms.experiment import Cell, Findings, Table
from measured.terms.measurement import Exact, Measurement
from measured.terms.parts import false_parts
from measured.terms.trial import Confirmed
from measured.weaving.page import scan
from measured.weaving.references import Library, in_words, typeset
from measured.weaving.weave import Picture, Weaver
from weaving import LIBRARY, record_of, weave


def plain(text, **options):
    return re.sub(r"<[^>]+>", "", weave(text, **options).markdown)


def test_a_reference_becomes_its_value_with_its_provenance():
    woven = weave("The mean is {{ dice.mean }}.")
    assert woven.markdown == (
        'The mean is [<data value="3.6183">3.62</data>](measurements.md#dice.mean){ .measured }.'
    )
    assert woven.ids == ("dice.mean",)


def test_a_filter_overrides_the_format():
    assert ">3.6183</data>" in weave('{{ dice.mean | fmt(".4f") }}').markdown


def test_a_derived_number_comes_from_the_same_record():
    woven = weave('{{ dice.mean }} is {{ (dice.mean / dice.sides) | fmt(".4f") }} of {{ dice.sides }}')
    assert f"{3.6183 / 6:.4f}" in woven.markdown
    assert woven.ids == ("dice.mean", "dice.sides")
    assert 'data-ids="dice.mean dice.sides"' in woven.markdown


@pytest.mark.parametrize(
    ("expression", "shown"),
    [
        ("(dice.mean - 3)", 0.6183),
        ("(10 - dice.mean)", 6.3817),
        ("(2 * dice.mean)", 7.2366),
        ("(1 / dice.mean)", 1 / 3.6183),
        ("(dice.mean ** 2)", 3.6183**2),
        ("(dice.low - dice.mean) | abs", 2.6183),
        ("(-dice.mean)", -3.6183),
        ("max(dice.mean, dice.low)", 3.6183),
        ("min(dice.mean, dice.low)", 1.0),
    ],
)
def test_arithmetic_on_references(expression, shown):
    digits = typeset(f"{shown:.4f}", shown)
    assert plain(f'{{{{ {expression} | fmt(".4f") }}}}').startswith(f"[{digits}]")


def test_braces_of_markdown_and_latex_pass_untouched():
    page = (
        "# Title {#id}\n\nText {: .class}\n\n$\\frac{{a}}{{b}} {% x %}$ and `{{ code }}`\n\n"
        "$$\n{{x}}^{{2}}\n$$\n\n<!-- {{ comment }} -->\n"
    )
    assert weave(page).markdown == page


@pytest.mark.parametrize("fence", ["```", "~~~", "````"])
def test_code_stays_as_written(fence):
    page = f"{fence}py\n{{{{ dice.mean }}}} {{% x %}} $a$ \\\n{fence}\n"
    assert weave(page).markdown == page


def test_indented_code_in_an_admonition_stays_as_written():
    page = "!!! note\n\n    ```py\n    {{ x }}\n    ```\n\nThen {{ dice.sides }}.\n"
    assert "    {{ x }}\n" in weave(page).markdown


def test_alt_text_attributes_and_titles_get_bare_values():
    woven = weave('![mean {{ dice.mean }}](x.svg)\n<img alt="{{ dice.mean }}">\n').markdown
    assert "![mean 3.62](x.svg)" in woven
    assert '<img alt="3.62">' in woven


def test_a_value_inside_a_link_is_no_second_link():
    woven = weave("[see {{ dice.mean }}](there.md)").markdown
    assert woven == '[see <data value="3.6183">3.62</data>](there.md)'


def test_mermaid_gets_bare_values_and_nothing_that_breaks_it():
    woven = weave('```mermaid\ngraph LR\n a["{{ dice.mean }} {{ dice.name }}"]\n```\n').markdown
    assert "3.62" in woven
    assert "<data" not in woven
    assert "<script" not in woven
    assert '""' not in woven


def test_measured_text_is_inert():
    woven = weave("Called {{ dice.name }}.\n\n| a |\n|---|\n| {{ dice.name }} |\n").markdown
    assert "<script" not in woven
    assert "|pipe" not in woven


def test_links_are_relative_to_the_page():
    assert "(../measurements.md#dice.mean)" in weave("{{ dice.mean }}", where="exercises/one.md").markdown
    assert "(../data/tables/dice.t.csv)" in weave('{{ table("dice.t") }}', where="exercises/one.md").markdown


def test_a_negative_number_has_a_minus_and_text_keeps_its_hyphens():
    assert "[−2.5]" in plain("{{ (dice.low - 3.5) | fmt('.1f') }}")
    assert "[1e-03]" in plain("{{ (dice.low / 1000) | fmt('.0e') }}")
    assert typeset("-inf", "-inf") == "-inf"


def test_parameters_can_be_cited():
    assert plain("{{ parameters.dice.draws }} throws") == "200 throws"


def test_a_table_shows_and_uses_its_measurements():
    woven = weave('{{ table("dice.t") }}')
    assert "| mean | [<data" in woven.markdown
    assert woven.tables == ("dice.t",)
    assert woven.ids == ("dice.mean",)


def test_a_figure_has_number_alt_caption_and_data():
    page = '{% figure "dice.f" %}\nFaces of {{ dice.sides }}.\n{% endfigure %}\n'
    woven = weave(page, pictures={"dice.f": Picture("Bars; mean 3.62.")})
    assert "![Bars; mean 3.62.](data/figures/dice.f.light.svg)" in woven.markdown
    assert "**Figure 1.** Faces of [<data" in woven.markdown
    assert "(data/figures/dice.f.csv)" in woven.markdown


def test_a_claim_that_holds_marks_its_sentence():
    assert weave('{% claim "dice.holds" %}It *is*.{% endclaim %}').claims == ("dice.holds",)


def test_markup_is_right_only_while_a_claim_holds():
    woven = weave('<li data-right="{{ holds("dice.holds") }}">x</li>')
    assert woven.markdown == '<li data-right="dice.holds">x</li>'
    assert woven.claims == ("dice.holds",)


@pytest.mark.parametrize(
    ("value", "words"),
    [(0, "zero"), (12, "twelve"), (20, "twenty"), (24, "twenty-four"), (99, "ninety-nine")],
)
def test_small_numbers_are_spelled(value, words):
    assert in_words(value) == words


@pytest.mark.parametrize("value", [100, -1, 2.0, True, "2"])
def test_other_numbers_are_not_spelled(value):
    with pytest.raises(ValueError, match="whole numbers below a hundred"):
        in_words(value)


def of_fresh_seeds(text, **fresh):
    library = Library({"dice": record_of([])}, confirmed={"dice.holds": Confirmed((1, 2, 3), **fresh)})
    return re.sub(r"<[^>]+>", "", Weaver(library, {}).weave(scan(text, Path("page.md")), None).markdown)


def test_what_fresh_seeds_said_can_be_cited():
    text = "{{ confirmed.dice.holds.held | fmt('words') }} of {{ confirmed.dice.holds.of }}, "
    text += "{{ confirmed.dice.holds.missed }} less"
    assert of_fresh_seeds(text, held=(1, 2), missed=(3,)) == "two of 3, 1 less"


def test_seeds_that_say_nothing_of_a_sentence_can_be_counted():
    text = "{{ confirmed.dice.holds.silent }} asked, {{ confirmed.dice.holds.of | fmt('words') }} speak"
    assert of_fresh_seeds(text, silent=(1, 2, 3)) == "3 asked, zero speak"


def test_seeds_that_were_not_asked_are_not_cited():
    with pytest.raises(MeasuredError, match="no fresh seed of the claim dice.holds has been asked") as caught:
        of_fresh_seeds("{{ confirmed.dice.holds.held }}")
    assert "nox -s confirm" in str(caught.value)
    for name in ("dice.holds.misses", "dice.false.held"):
        with pytest.raises(MeasuredError, match="no record has confirmed"):
            of_fresh_seeds(f"{{{{ confirmed.{name} }}}}", held=(1,))


def test_parameters_are_counted_and_spelled():
    assert plain("{{ parameters.dice.seeds.count | fmt('words') }} seeds") == "three seeds"
    assert plain("{{ dice.sides | fmt('Words') }} sides").startswith("[Six]")


@pytest.mark.parametrize(
    ("page", "line", "expected"),
    [
        ("a\n{{ parameters.dice.seeds }}", 2, "a group of measurements"),
        ("a\n{{ parameters.dice.draws.count }}", 2, "the expression fails"),
        ("a\n{{ dice.mean | fmt('words') }}", 2, "format 'words' does not fit"),
        ("a\n<li data-right='{{ holds(\"dice.false\") }}'>", 2, r"the claim dice\.false is false"),
        ("a\n{{ holds('dice.none') }}", 2, "no record has a claim"),
        ("\n\n{{ dice.meen }}", 3, r"no record has dice\.meen[^$]*did you mean dice\.mean"),
        ("a\n{{ coins.mean }}", 2, r"no record has coins\.mean[^$]*nox -s build"),
        ("{{ dice }}", 1, "a group of measurements"),
        ("x {{ 12 }}", 1, "12, which nobody measured"),
        ("{{ 'text' }}", 1, "which nobody measured"),
        ("a\n\n{{ dice.mean - 1 }}", 3, "no display format"),
        ("{{ dice.mean | fmt('d') }}", 1, "format 'd' does not fit"),
        ("{{ dice.mean | upper }}", 1, "no filter is called 'upper'"),
        ("a\n{{ dice.mean ", 2, "malformed"),
        ("{% nope %}", 1, "no tag is called 'nope'"),
        ("{{ dice.name + 1 }}", 1, "arithmetic with text"),
        ("\n{{ (dice.mean / 0) | fmt('.1f') }}", 2, "arithmetic on dice.mean failed"),
        ("a\n{{ table('dice.none') }}", 2, "no record has a table"),
        ("a\n{% figure 'dice.none' %}x{% endfigure %}", 2, "no figure is called"),
        ("a\n\n{% claim 'dice.false' %}never{% endclaim %}", 3, "is false: 'never'[^$]*w < 1; it saw w = 2"),
        ("a\n{% claim 'dice.open' %}never{% endclaim %}", 2, "cannot be decided"),
        ("a\n{% claim 'dice.none' %}never{% endclaim %}", 2, "no record has a claim"),
        ("a\n```python\nnever closed", 2, "never closed"),
        ("a\nb \ue000 c", 2, "private-use"),
        ("{{ parameters.dice.nope }}", 1, "no record has parameters"),
        ("{{ ().__class__ }}", 1, "reaches for what is no measurement"),
    ],
)
def test_bad_input_is_told_with_its_line(page, line, expected):
    front = "---\ntitle: x\n---\n"
    for text, offset in ((page, 0), (front + page, 3)):
        with pytest.raises(MeasuredError, match=expected) as caught:
            weave(text)
        assert caught.value.path == Path("page.md")
        assert caught.value.line == line + offset


def test_front_matter_that_is_no_yaml_is_told_with_its_line():
    with pytest.raises(MeasuredError, match="no YAML") as caught:
        weave("---\ntitle: x\nbad: [\n---\ntext")
    assert caught.value.line in (3, 4)


def test_two_experiments_may_not_measure_one_id():
    other = record_of([Measurement("dice.mean", 1.0, "again", Exact("why"), ".1f")], name="dice")
    with pytest.raises(MeasuredError, match="is measured by"):
        Library({"dice": other, "more": other})


@pytest.mark.parametrize("count", [10, 100])
def test_every_reference_is_replaced(count):
    woven = weave("\n".join("{{ dice.mean }} $x_{{1}}$" for _ in range(count)))
    assert woven.markdown.count("<data") == count
    assert "{{ dice" not in woven.markdown


def test_the_notebook_has_prose_and_cells_in_order():
    page = "One {{ dice.mean }}.\n\n```python\nx\n```\n\nTwo.\n"
    woven = weave(page, cells={3: "ran\n"})
    assert [kind for kind, _ in woven.plain] == ["prose", "cell", "prose"]
    assert woven.plain[0][1] == "One 3.62."
    assert "ran" in woven.markdown


def test_weaving_alone_needs_no_site_generator():
    library = Library({"dice": record_of([Measurement("dice.mean", 1.0, "m", Exact("w"), ".1f")])})
    from measured.weaving.page import scan

    woven = Weaver(library, row_page=None).weave(scan("{{ dice.mean }}", Path("x.md")))
    assert woven.markdown == '<data class="measurement" value="1">1.0</data>'


def test_a_table_whose_rows_do_not_fit_is_refused():
    with pytest.raises(MeasuredError, match="2 cells for 3 columns"):
        Table("dice.t", ("a", "b", "c"), (("x", Cell("dice.mean")),))


def test_a_number_that_quick_records_lack_is_a_question_mark():
    from measured.weaving.page import scan

    library = Library(
        {"dice": record_of([Measurement("dice.mean", 1.0, "m", Exact("w"), ".1f")])}, {"dice.a.rare"}
    )
    page = scan(
        "{{ dice.a.rare }} {{ (dice.mean - dice.a.rare) | fmt('.1f') }} {{ dice.mean }}", Path("x.md")
    )
    assert re.sub("<[^>]+>", "", Weaver(library, row_page=None).weave(page).markdown) == "? ? 1.0"
    with pytest.raises(MeasuredError, match="no record has dice.a.rarer"):
        Weaver(library).weave(scan("{{ dice.a.rarer }}", Path("x.md")))


PARTIAL = """{{ dice.mean }} of {{ parameters.dice.draws }}

{% claim "dice.holds" %}It is {{ dice.mean }}.{% endclaim %}

{{ table("dice.t") }}

{% figure "dice.plot" %}
How often $n$ comes.
{% endfigure %}

Of $m$.
"""


def test_a_page_says_in_the_place_of_what_is_not_there_what_makes_it():
    from measured.weaving.page import scan

    library = Library({}, {"dice.mean"}, {"dice": {"draws": 200}})
    woven = Weaver(library, row_page=None, shows_gaps=True).weave(scan(PARTIAL, Path("x.md")))
    text = re.sub("<[^>]+>", "", woven.markdown)
    assert text.startswith("? of 200\n\nIt is ?.?\n")
    assert '.<abbr class="claim-undecided" title="Nothing that was measured here decides' in woven.markdown
    assert "data-claim" not in woven.markdown
    assert [latex for _, latex, _ in woven.formulas] == ["m"]
    for missing in ("Table dice.t", "Figure dice.plot"):
        assert f"{missing} is not there yet: `nox -s build` makes it." in text
    assert woven.claims == woven.figures == woven.tables == ()
    with pytest.raises(MeasuredError, match="no record has a claim"):
        Weaver(library).weave(scan(PARTIAL, Path("x.md")))


def test_a_claim_that_quick_results_do_not_decide_is_marked_as_such():
    from measured.weaving.page import scan

    library = Library({"dice": record_of([Measurement("dice.mean", 1.0, "m", Exact("w"), ".1f")])})
    weaver = Weaver(library, claims_must_hold=False, shows_gaps=True)

    def woven(name):
        page = scan(f'{{% claim "dice.{name}" %}}It is so.{{% endclaim %}}', Path("x.md"))
        return weaver.weave(page).markdown

    assert ".claim-mark" in woven("holds")
    for name in ("false", "open"):
        assert f'measurements.md#claim-dice.{name}){{ .claim-undecided title="What was' in woven(name)
        assert ".claim-mark" not in woven(name)
    block = '{% claim "dice.none" %}\nIt is so.\n\nAnd so.\n{% endclaim %}\n'
    assert "And so.\n\n<abbr" in re.sub(r"\n{3,}", "\n\n", weaver.weave(scan(block, Path("x.md"))).markdown)


@pytest.mark.parametrize("options", ['title="a/b.py"', "hl_lines='1'", 'linenums="1" title="a"'])
def test_code_that_is_shown_may_have_what_colouring_reads(options):
    source = f"A\n\n```py {options}\nx = 1\n```\n"
    assert weave(source).markdown == source


def test_an_option_that_nobody_reads_is_told():
    with pytest.raises(MeasuredError, match="page.md:3: the renderer does not read"):
        weave('A\n\n```py titel="a"\nx = 1\n```\n')


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ('a\n\n{% claim "dice.hold" %}x{% endclaim %}', 3, "did you mean dice.holds"),
        ('a {{ holds("dice.hold") }}', 1, "did you mean dice.holds"),
        ('{{ table("dice.tt") }}', 1, "did you mean dice.t?"),
        (
            'a\n\n{% claim "dice.holds" %}x\n\nmore\n',
            3,
            '{% claim "dice.holds" %} opens here and is never closed',
        ),
        ('a\n\n{% figure "f" %}\nx\n\nmore\n', 3, '{% figure "f" %} opens here and is never closed'),
        (
            'a\n\n{% claim "dice.holds" %}x\n\n{% figure "f" %}\nx\n{% endfigure %}\n',
            3,
            '{% claim "dice.holds" %} opens here and is never closed',
        ),
        (
            'a\n\n{% figure "f" %}\n{% claim "dice.holds" %}x\n{% endfigure %}\n\nmore {% endclaim %}',
            4,
            "{% endclaim %} before the {% endfigure %} of line 5",
        ),
        ("a {% if dice.mean > 3 %}x\n\nmore", 1, "{% if dice.mean > 3 %} opens here and is never closed"),
        ("a\n\n`{% claim %}` {% endif %}", 3, "{% endif %} closes nothing"),
        ("a {% endclaim %}", 1, "{% endclaim %} closes nothing"),
        ("a\n\nb {{ dice.run.k7 }} and {{ dice.mean }}", 3, "no record has dice.run.k7"),
        ('a {% clam "dice.holds" %}x{% endclam %}', 1, "did you mean {% claim … %}?"),
        ('a {{ dice.mean | fmtt(".1f") }}', 1, "no filter is called 'fmtt'"),
    ],
)
def test_what_is_mistyped_or_left_open_is_told_in_the_authors_words(text, line, says):
    with pytest.raises(MeasuredError) as caught:
        weave(text)
    assert caught.value.line == line
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        (
            'a\n\n{% claim "dice.false" %}It\nis so.{% endclaim %}',
            3,
            "dice.false is false: 'It is so.'\n    part 2",
        ),
        ('a\n\n{% claim "dice.fals" %}x{% endclaim %}', 3, "did you mean dice.false"),
        ('a\n\n{% claim "dice.open" %}x{% endclaim %}', 3, "cannot be decided"),
        ('`{% claim "dice.false" %}x{% endclaim %}`\n\n{% claim "dice.holds" %}x{% endclaim %}', 0, ""),
    ],
)
def test_a_claim_that_does_not_hold_is_told_before_anything_is_woven(text, line, says):
    weaver = Weaver(LIBRARY, false_parts=lambda name: [f"part 2 of 3 is false: {name}"])
    page = scan(text, Path("page.md"))
    if not says:
        weaver.refuse_claims(page)
        return
    with pytest.raises(MeasuredError) as caught:
        weaver.refuse_claims(page)
    assert str(caught.value).startswith(f"page.md:{line}: ")
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("fresh", "says"),
    [
        (Confirmed((1, 2), held=(1,), missed=(2,)), "confirmed on 1 of 2 fresh seeds"),
        (Confirmed((1, 2, 3), missed=(2,)), "confirmed on 0 of 1 fresh seeds, 2 not asked yet"),
        (Confirmed((1, 2), held=(1,), missed=(2,), least="most"), "it speaks of most"),
        (Confirmed((1,), missed=(1,), least="one"), "one is enough for it"),
        (Confirmed((1, 2), missed=(1,), least="one"), ""),
        (Confirmed((1, 2, 3), held=(1, 3), missed=(2,), least="most"), ""),
        (Confirmed((1, 2)), ""),
    ],
)
@pytest.mark.parametrize("quick", [False, True])
def test_a_page_may_not_make_a_claim_that_fresh_seeds_have_taken_down(fresh, says, quick):
    library = Library({"dice": record_of([])}, confirmed={"dice.holds": fresh})
    weaver = Weaver(library, {}, claims_must_hold=not quick)
    page = scan('a\n\n{% claim "dice.holds" %}x{% endclaim %}', Path("page.md"))
    if quick or not says:
        weaver.refuse_claims(page)
        return
    with pytest.raises(
        MeasuredError, match=r"page\.md:3: the claim dice\.holds says more than fresh"
    ) as caught:
        weaver.refuse_claims(page)
    assert says in str(caught.value)


def test_the_false_parts_of_a_predicate_are_named_with_what_they_saw():
    def predicate(findings):
        return every(above({"a": 1.0}, 0), above({"b": 2.0}, 3), below({"c": 5.0}, 4))

    findings = Findings(())
    assert false_parts(Claim("a.b", "w", predicate), findings) == [
        "part 2 of 3 is false: b = 2.0, bound = 3",
        "part 3 of 3 is false: c = 5.0, bound = 4",
    ]
    assert false_parts(Claim("a.b", "w", lambda f: above({"a": 1.0}, 2)), findings) == []
    assert false_parts(Claim("a.b", "w", lambda f: 1 / 0), findings) == []
