from __future__ import annotations

import pytest

from measured.errors import MeasuredError
from measured.gate import compare, stored
from measured.terms.measurement import AtMost, Close, Exact, Measurement, Spread
from weaving import record_of

WHY = "because of rounding"
MEASURED = (
    Measurement("dice.mean", 3.5, "m", Close(WHY, atol=0.1), ".1f"),
    Measurement("dice.sides", 6, "s", Exact(WHY)),
    Measurement("dice.error", 1e-9, "e", AtMost(WHY, bound=1e-6), ".0e"),
    Measurement("dice.luck", 3.4, "l", Spread(WHY, k=2), ".1f", seeds=(0, 1, 2), samples=(3.3, 3.4, 3.5)),
)


def expected(**values):
    found = {m.id: stored.Expectation.of(m) for m in MEASURED}
    for name, value in values.items():
        old = found[f"dice.{name}"]
        found[old.id] = stored.Expectation(old.id, value, old.tolerance, old.standard_error)
    return found


def test_what_was_stored_passes_and_survives_the_disk(tmp_path):
    path = tmp_path / "dice.yml"
    path.write_text(stored.dump(expected()))
    assert stored.read_expectations(path) == expected()
    assert compare.compare(record_of(MEASURED), stored.read_expectations(path)) == []


@pytest.mark.parametrize(
    ("name", "inside", "outside"),
    [("mean", 3.59, 3.61), ("sides", 6, 7), ("luck", 3.4 + 0.11, 3.4 + 0.12)],
)
def test_a_value_inside_passes_and_one_outside_is_named(name, inside, outside):
    record = record_of(MEASURED)
    assert compare.compare(record, expected(**{name: inside})) == []
    (drift,) = compare.compare(record, expected(**{name: outside}))
    assert drift.id == f"dice.{name}"
    told = compare.table([drift])
    for part in (drift.id, repr(outside), repr(record[f"dice.{name}"]), "allowed", WHY):
        assert part in told
    assert len(told.split("\n")) == 3  # a heading, and two lines a drift


def test_a_value_over_its_bound_is_named():
    over = (*MEASURED[:2], Measurement("dice.error", 2e-6, "e", AtMost(WHY, bound=1e-6), ".0e"), MEASURED[3])
    (drift,) = compare.compare(record_of(over), expected())
    assert drift.allowed == "at most 1e-06"


def test_change_is_given_in_units_of_the_tolerance():
    (drift,) = compare.compare(record_of(MEASURED), expected(mean=3.0))
    assert drift.change == pytest.approx(0.5)
    assert drift.ratio == pytest.approx(5)


def test_a_changed_policy_is_shown_in_short_and_a_reworded_one_by_its_words():
    wider = Measurement("dice.mean", 3.5, "m", Close(WHY, atol=0.2), ".1f")
    (drift,) = compare.compare(record_of((wider, *MEASURED[1:])), expected())
    assert (drift.kind, drift.stored, drift.measured) == (
        "policy",
        "close rtol=0.0 atol=0.1",
        "close rtol=0.0 atol=0.2",
    )
    reworded = Measurement("dice.mean", 3.5, "m", Close("another", atol=0.1), ".1f")
    (drift,) = compare.compare(record_of((reworded, *MEASURED[1:])), expected())
    assert (drift.stored, drift.measured) == (repr(WHY), repr("another"))


def test_the_table_has_two_lines_a_drift():
    (drift,) = compare.compare(record_of(MEASURED), expected(mean=3.0))
    assert compare.table([drift]) == (
        "           obtained  expected  diff  allowed\n"
        "dice.mean  3.5       3.0       +0.5  3.0 ± 0.1\n"
        "    the tolerance: because of rounding"
    )


def test_no_line_of_the_table_ends_in_blanks():
    found = [compare.Drift(name, "new", "x", "y", "z", "why") for name in ("dice.a", "dice.longer")]
    assert all(line == line.rstrip() for line in compare.table(found).split("\n"))


def test_new_missing_and_unmeasured_values_are_drift():
    record = record_of(MEASURED)
    less = {k: v for k, v in expected().items() if k != "dice.mean"}
    assert [d.kind for d in compare.compare(record, less)] == ["new"]
    (drift,) = compare.compare(record_of(MEASURED[1:]), expected())
    assert (drift.kind, drift.measured) == ("missing", "nothing")
    assert "nothing measures any more" in drift.reason


@pytest.mark.parametrize(
    "text",
    [
        "",
        "- a\n",
        "dice.mean: 3\n",
        "dice.mean: {value: 3}\n",
        "a: [\n",
        "dice.mean:\n  value: 1\n  tolerance: {kind: x}\n",
    ],
)
def test_a_spoiled_stored_file_is_told(tmp_path, text):
    path = tmp_path / "dice.yml"
    path.write_text(text)
    with pytest.raises(MeasuredError, match=r"dice\.yml"):
        stored.read_expectations(path)


CLOSE = "{kind: close, reason: r, rtol: 0.0, atol: 0.1}"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (f"dice.mean:\n  value: two\n  tolerance: {CLOSE}\n", ":1: dice.mean: its value is 'two'"),
        (f"dice.mean:\n  value: true\n  tolerance: {CLOSE}\n", ":1: dice.mean: its value is True"),
        (
            f"a.b: {{value: 1, tolerance: {CLOSE}}}\ndice.mean:\n  tolerance: {CLOSE}\n",
            ":2: dice.mean has no value",
        ),
        ("dice.mean:\n  value: 1\n", ":1: dice.mean has no tolerance"),
        ("dice.mean: 1\n", ":1: dice.mean is 1"),
        (
            "dice.mean:\n  value: 1\n  tolerance: {reason: r, rtol: 0.0}\n",
            ":1: dice.mean: unreadable tolerance",
        ),
        (
            "dice.mean:\n  value: 1\n  tolerance: {kind: close, reason: r}\n",
            ":1: dice.mean: a Close tolerance",
        ),
        (
            "dice.mean:\n  value: [1]\n  tolerance: {kind: exact, reason: r}\n",
            ":1: dice.mean: its value is [1]",
        ),
        (f"dice.mean:\n  value: 1\n  within: x\n  tolerance: {CLOSE}\n", "its within is 'x'"),
        (f"dice.mean:\n  value: 1\n  samples: [a]\n  tolerance: {CLOSE}\n", "its samples are ['a']"),
        ("", ": the stored file holds nothing"),
        ("two", ": the stored file holds two"),
        ("a: [\n", ":2: the stored file is no YAML"),
    ],
)
def test_a_stored_file_that_was_edited_by_hand_is_told_by_id_and_line(tmp_path, text, says):
    path = tmp_path / "dice.yml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(MeasuredError) as caught:
        stored.read_expectations(path)
    told = str(caught.value)
    assert f"dice.yml{says}" in told or says in told
    assert "expected:" in told
    assert "to mend: restore the file" in told
    assert "object" not in told, "Python's words"


@pytest.mark.parametrize("value", ["two", "true", "2", "2.5"])
def test_what_is_compared_as_it_is_may_be_of_any_plain_kind(tmp_path, value):
    path = tmp_path / "dice.yml"
    path.write_text(
        f"dice.mean:\n  value: {value}\n  tolerance: {{kind: exact, reason: r}}\n", encoding="utf-8"
    )
    assert str(stored.read_expectations(path)["dice.mean"].value).lower() == value


@pytest.mark.parametrize(("old", "new"), [("two", 2.0), (2, "two")])
def test_text_that_became_a_number_is_drift_and_so_is_the_reverse(old, new):
    def one(value):
        tolerance, form = (Exact(WHY), "") if isinstance(value, str) else (Close(WHY, atol=0.1), ".1f")
        return Measurement("dice.mean", value, "m", tolerance, form)

    before = {"dice.mean": stored.Expectation.of(one(old))}
    found = compare.compare(record_of((one(new),)), before)
    assert [d.kind for d in found] == ["policy", "outside"]
    assert repr(old) in compare.table(found)
