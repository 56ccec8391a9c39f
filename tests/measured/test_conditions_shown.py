"""What is marked as right because a claim holds says under which conditions it was measured."""

from __future__ import annotations

from dataclasses import replace

from measured.terms.measurement import Exact, Measurement
from measured.weaving.conditions_shown import with_conditions
from weaving import LIBRARY, Weaver, record_of, scan

PAGE = """\
<div class="predict" data-kind="choice" markdown="1">

<ul><li>No.</li><li data-right="{{ holds("dice.holds") }}">Yes.</li></ul>

<details markdown="1"><summary>Show it</summary>

It is so.

</details>
</div>
"""


def woven(scope):
    record = record_of((Measurement("dice.mean", 3.6, "mean", Exact("why"), ".2f"),))
    claims = {**record.claims, "dice.holds": replace(record.claims["dice.holds"], scope=scope)}
    library = type(LIBRARY)({"dice": replace(record, claims=claims)})
    return Weaver(library).weave(scan(PAGE, "page.md")).markdown


def test_a_prediction_shows_the_scope_of_its_claim_where_the_answer_unfolds():
    text = woven("Seeds 0 to 4, N(0, 1), key_dim 8.")
    inside = text[text.index("It is so.") : text.index("</details>")]
    assert "Measured under: Seeds 0 to 4, N(0, 1), key\\_dim 8." in inside
    assert 'measurements.md#claim-dice.holds){ .claim-mark data-claim="dice.holds"' in inside
    assert "Measured under" not in woven("")


def test_a_mark_that_is_no_claim_is_passed_over_and_a_scope_is_said_once():
    two = '<li data-right="a b c">x</li>\n\n<details>\n\nwhy\n\n</details>\n'
    shown = with_conditions(two, {"a": "Five seeds.", "b": "Five seeds."}, lambda name: f"[{name}]")
    assert shown.count("Five seeds.") == 1
    assert "Five seeds.[a][b]\n{: .conditions }" in shown
    assert with_conditions(two, {}, str) == two
