"""What stands between a project and its publishing: stale records, the gate, empty claims, unread pages."""

from __future__ import annotations

import importlib
import re
import sys
from dataclasses import replace
from functools import partial

import pytest

from gated import Gated, dice
from measured.errors import MeasuredError
from measured.gate import prose, publishable, vacuous, verdicts
from measured.making import workflow
from measured.site import checks
from measured.terms.claims import Judgement
from measured.terms.names import refuse_shared

TYPED = "# Dice\n\nThe mean is about 17.\n"


@pytest.fixture
def gated(tmp_path, monkeypatch):
    project = Gated(tmp_path, monkeypatch)
    project.stale = {}
    monkeypatch.setattr(workflow, "stale", lambda _: project.stale)
    return project


@pytest.fixture
def checked(gated):
    verdicts.pass_gate(gated.project)
    prose.pass_prose(gated.project)
    assert publishable.reasons_against(gated.project) == []
    return gated


def write(gated, text):
    (gated.root / "docs" / "index.md").write_text(text, encoding="utf-8")


def test_nothing_stands_against_what_is_fresh_compared_and_read(checked):
    publishable.refuse(publishable.reasons_against(checked.project))


def test_each_reason_is_told(gated):
    stale, gate, read = (
        "records or figures are stale (dice: module dice changed and 1 more)",
        "the gate has not passed for these records and stored values",
        "these pages have not been read for numbers typed by hand",
    )
    assert publishable.reasons_against(gated.project) == [gate, read]
    prose.pass_prose(gated.project)
    assert publishable.reasons_against(gated.project) == [gate]
    verdicts.pass_gate(gated.project)
    gated.stale = {"dice": "module dice changed", "figure x": "never made"}
    assert publishable.reasons_against(gated.project) == [stale]
    gated.stale = {"dice": "never made"}
    assert publishable.reasons_against(gated.project) == ["records or figures are stale (dice: never made)"]
    with pytest.raises(MeasuredError) as caught:
        publishable.refuse([stale, gate])
    assert f"nothing may be published from this: {stale}; {gate}" in str(caught.value)
    assert str(caught.value).count("run: nox -s build") == 1


def test_quick_records_are_for_authors(checked):
    quick = replace(checked.project, quick=True)
    assert publishable.reasons_against(quick) == ["quick records hold fewer draws and seeds, for authors"]


def test_a_page_that_changed_was_not_read(checked):
    write(checked, "# Dice\n\nThe mean is, again, {{ dice.mean }}.\n")
    assert not prose.passed(checked.project)
    assert "1 page, 0 numbers" in prose.pass_prose(checked.project)
    assert prose.passed(checked.project)


def test_a_number_by_hand_is_named_and_nothing_counts_as_read(checked):
    write(checked, TYPED)
    with pytest.raises(MeasuredError, match=r"index\.md:3: the number 17 is typed by hand"):
        prose.pass_prose(checked.project)
    assert not prose.stamp_of(checked.project).exists()
    assert not prose.passed(checked.project)


def test_pages_that_were_never_read_have_not_passed(gated):
    assert not prose.passed(gated.project)
    assert not verdicts.passed(gated.project)


def test_a_record_that_cannot_be_read_is_no_traceback(checked):
    (checked.project.records / "dice.json").write_text("{", encoding="utf-8")
    assert "the gate has not passed" in "; ".join(publishable.reasons_against(checked.project))


# Claims that could not fail

FINE = Judgement("dice.fine", "w", True, 1.0, {"a": 1}, nulls=({"words": "x", "worlds": 3},))
EXEMPT = Judgement("dice.exempt", "w", True, 1.0, {"a": 1}, exempt="theorem: it is one")
EMPTY = Judgement("dice.empty", "w", True, 1.0, {"a": 1}, vacuous=("it holds where its sentence is false",))


FALSE = Judgement("dice.false", "w", False, -1.0, {"a": 1})


def claiming(gated, *judgements):
    gated.measure("dice", dice(), claims=judgements)
    return gated.project


def test_claims_that_can_fail_are_counted_and_those_that_do_not_hold_are_named(gated):
    said = vacuous.refuse_vacuous(claiming(gated, FINE, EXEMPT))
    assert (
        said
        == "2 claims that hold, each false in its null worlds (1 null, 3 worlds); 1 without a natural null"
    )
    said = vacuous.refuse_vacuous(claiming(gated, FINE, FALSE))
    assert said.startswith("1 claim that holds, each false in its null worlds (1 null, 3 worlds); 0 without")
    assert said.endswith("no page may make what does not hold: dice.false")


def test_a_claim_that_cannot_fail_is_named(gated):
    with pytest.raises(
        MeasuredError, match=r"1 fault in .*\n  dice\.empty: it holds where its sentence is false"
    ) as caught:
        vacuous.refuse_vacuous(claiming(gated, FINE, EMPTY))
    mistyped = replace(
        EMPTY, vacuous=("the null names dice.men, and nothing of that id was measured", "part 1 of 1 x")
    )
    with pytest.raises(
        MeasuredError, match=r"of that id was measured; did you mean dice\.mean\?\n  expected"
    ):
        vacuous.refuse_vacuous(claiming(gated, mistyped))
    assert "CONTRIBUTING" not in str(caught.value), "a new project has none"


def test_a_claim_that_cannot_fail_is_told_where_it_is_declared(monkeypatch, gated, tmp_path):
    package = tmp_path / "claiming.py"
    package.write_text(
        'from measured.terms.claims import Claim\n\nX = [\n    Claim("dice.empty", "w", len),\n]\n'
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setitem(sys.modules, "claiming", importlib.import_module("claiming"))
    project = replace(claiming(gated, FINE, EMPTY), packages=("claiming",))
    with pytest.raises(MeasuredError, match=r"\n  claiming\.py:4: dice\.empty: it holds"):
        vacuous.refuse_vacuous(project)


def test_a_claim_that_cannot_fail_stands_against_publishing(checked):
    checked.measure("coins", checked.project.read_records()["coins"].measurements.values(), claims=(EMPTY,))
    verdicts.pass_gate(checked.project)
    assert publishable.reasons_against(checked.project) == ["a claim could not fail"]


# Names, and what pages weigh


def test_of_two_owners_each_is_named_once():
    with pytest.raises(MeasuredError) as caught:
        refuse_shared([("a", "dice"), ("b", "x"), ("a", "dice")], "claim")
    assert "two claims are called 'a': in dice, twice" in str(caught.value)
    with pytest.raises(MeasuredError, match="which differ in capitals alone: in dice and coins"):
        refuse_shared([("a", "dice"), ("A", "coins")], "claim")


def test_the_heaviest_page_is_found_wherever_it_stands(tmp_path):
    incompressible = "".join(chr(33 + i * i * 7919 % 89) for i in range(3000))
    for name, text in (("a.html", "x"), ("b.html", incompressible), ("c.html", "x" * 5000)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    found = checks.heaviest(tmp_path, 60_000, 0)
    assert checks.heaviest(tmp_path, found, 0) == found > 100
    with pytest.raises(MeasuredError, match=r"b\.html: the page weighs .*bytes gzipped"):
        checks.heaviest(tmp_path, found - 1, 0)


@pytest.mark.parametrize(
    ("attributes", "name"),
    [
        ('id="rolls" aria-label="Rolls of a die"', "'Rolls of a die'"),
        ('id="rolls"', "'rolls'"),
        ("", "'sum of two'"),
    ],
)
def test_what_weighs_is_told_by_the_name_that_a_person_may_know(attributes, name):
    drawing = f"<svg {attributes}><text>sum</text> <text>of  two</text></svg>"
    page = f"<p>short</p>{drawing}<svg id=small></svg>"
    (told,) = (told for told in checks.what_weighs(page) if f"(2, the largest: {name})" in told)
    assert 0 < int(re.search(r"are (\d+) of it", told)[1]) < len(page)


def test_a_long_name_is_cut_where_what_weighs_is_told():
    (told,) = checks.what_weighs(f"<svg id='{'x' * 80}'></svg>")[:1]
    assert f"largest: '{'x' * 60}')" in told


@pytest.mark.parametrize("name", ["measurements/index.html", "measurements.html", "confirmations/index.html"])
def test_a_list_in_which_people_look_things_up_may_weigh_more_than_a_page(tmp_path, name):
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(chr(33 + i * i * 7919 % 89) for i in range(3000)), encoding="utf-8")
    found = checks.heaviest(tmp_path, 10, 60_000)
    assert checks.heaviest(tmp_path, 10, found) == found
    with pytest.raises(MeasuredError, match=r"list_bytes in \[tool\.measured\]"):
        checks.heaviest(tmp_path, 10, found - 1)
    path.rename(tmp_path / "page.html")
    with pytest.raises(MeasuredError, match=r"page_bytes in \[tool\.measured\]"):
        checks.heaviest(tmp_path, 10, 60_000)


def test_what_is_met_twice_hides_nothing_that_comes_after_it():
    from json import dumps

    from measured.making.fingerprint import modules_of

    def again():
        return 0

    assert dumps.__module__ in modules_of(partial(again, [dumps, again, again]))


def test_what_a_function_closes_over_counts():
    from json import dumps

    from measured.making.fingerprint import modules_of

    def closing():
        return dumps

    assert dumps.__module__ in modules_of(closing)


def test_the_policy_stands_once_in_a_page_that_shows_another_head():
    from selectolax.lexbor import LexborHTMLParser

    from measured.site.content_policy import MARK, marked, with_policy

    page = "<html><head></head><body><script type='text/plain'><head></script></body></html>"
    written = marked(LexborHTMLParser(page))
    assert written.count(MARK) == 1
    assert written.index(MARK) < written.index("</head>")
    twice = written + written  # a page about pages: what it shows stays as it is
    for policy in ("", "default-src 'self'"):
        assert with_policy(twice, policy).endswith(written)
        assert with_policy(twice, policy).count(MARK) == 1
