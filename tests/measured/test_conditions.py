"""Prose that depends on a measured value is a claim's business."""

from __future__ import annotations

import pytest

from measured.errors import MeasuredError
from weaving import weave


@pytest.mark.parametrize(
    "text",
    [
        "{% if dice.mean > 3 %}High.{% else %}Low.{% endif %}",
        "{% if dice.sides %}High.{% endif %}",
        "{{ dice.mean if dice.mean > 3 else dice.low }}",
        '{{ given("high" if dice.mean > 3 else "low", "a word") }}',
        '{{ given(["low", "high"][dice.mean > 3], "a word") }}',
        '{{ given(dice.mean > 3 and "high" or "low", "a word") }}',
        '{% for word in ["high"] if dice.mean > 3 %}x{% endfor %}',
        "{% for number in [dice.mean] %}x{% endfor %}",
        '{% for word in ["x"] if dice.sides %}x{% endfor %}',
        "{% set found = dice.mean %}{% if found > 3 %}High.{% endif %}",
        '{% if dice.mean is not none and holds("dice.holds") %}High.{% endif %}',
        '{% for _ in ["a"] %}{% if dice.mean > 3 %}High.{% endif %}{% endfor %}',
        "{% macro word() %}{% if dice.mean > 3 %}High.{% endif %}{% endmacro %}",
    ],
)
def test_a_condition_over_a_measurement_outside_a_claim_is_refused_with_its_line(text):
    with pytest.raises(MeasuredError, match=r"page\.md:3: what the page says depends on a measured value"):
        weave(f"A line.\n\n{text}\n")


def test_inside_a_claim_its_predicate_decides():
    text = '{% claim "dice.holds" %}It is {% if dice.mean > 3 %}high{% else %}low{% endif %}.{% endclaim %}'
    assert "It is high." in weave(text).markdown


@pytest.mark.parametrize(
    "text",
    [
        '{% for word in ["x", "y"] %}{{ dice.mean }}{% endfor %}',
        "{% if parameters.dice.draws > 100 %}x{% endif %}",
        "{{ max(dice.mean, dice.low) }}",
    ],
)
def test_repeating_choosing_a_parameter_and_the_largest_of_several_are_no_conditions(text):
    weave(text)
