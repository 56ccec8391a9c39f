"""Fresh seeds: drawn from the words, stored whatever came out, repeated by sample, published."""

from __future__ import annotations

import json
from dataclasses import replace
from types import SimpleNamespace

import pytest

from measured.errors import MeasuredError
from measured.making import confirming, environment
from measured.site.claim_rows import confirmations_page
from measured.site.provenance import _tests_of
from measured.terms import cpu
from measured.terms.claims import Claim, Judgement
from measured.terms.trial import LEAST, Confirmation, Confirmed, Trial, agree, confirmed, drawn_seeds

TRIAL = Trial("throws", "?", lambda seed, draws: {"mean": 3.5}, {"draws": 9})
CLAIM = Claim("a.b", "the mean is below 4", lambda f: None, confirmed_by=Confirmation(TRIAL, "mean < 4"))


def test_another_word_or_predicate_draws_other_seeds():
    seeds = drawn_seeds(TRIAL, [CLAIM])
    assert len(set(seeds)) == 10
    assert seeds == drawn_seeds(TRIAL, [CLAIM])
    assert seeds != drawn_seeds(TRIAL, [replace(CLAIM, words="the mean is below four")])
    assert seeds != drawn_seeds(TRIAL, [replace(CLAIM, confirmed_by=Confirmation(TRIAL, "mean < 5"))])


def test_what_was_stored_for_other_seeds_or_parameters_says_nothing():
    seeds = drawn_seeds(TRIAL, [CLAIM])
    stored = {
        f"seed{seed}": {"parameters": {"draws": 9, "seed": seed}, "outcome": {"mean": 3 + index / 6}}
        for index, seed in enumerate(seeds)
    }
    found = confirmed(CLAIM, [CLAIM], stored)
    assert (len(found.held), found.of) == (6, 10)
    assert found.in_words() == "confirmed on 6 of 10 fresh seeds"
    reworded = replace(CLAIM, words="another sentence")
    assert confirmed(reworded, [reworded], stored).of == 0
    stored[f"seed{seeds[0]}"]["parameters"]["draws"] = 10
    assert confirmed(CLAIM, [CLAIM], stored).of == 9


def test_fewer_than_ten_seeds_are_refused():
    with pytest.raises(MeasuredError, match="at least ten|at least 10"):
        Trial("few", "?", TRIAL.function, {}, count=9)


def stored_of(claim, outcomes):
    seeds = drawn_seeds(TRIAL, [claim])
    return {
        f"seed{seed}": {"parameters": {"draws": 9, "seed": seed}, "outcome": outcome}
        for seed, outcome in zip(seeds, outcomes, strict=False)
    }


def test_seeds_of_which_a_sentence_does_not_speak_are_not_counted():
    claim = replace(CLAIM, confirmed_by=Confirmation(TRIAL, "not even or mean < 4", given="even"))
    outcomes = [{"mean": 3 + index / 6, "even": index % 2 == 0} for index in range(10)]
    found = confirmed(claim, [claim], stored_of(claim, outcomes))
    assert (len(found.held), found.of, len(found.silent)) == (3, 5, 5)
    assert found.in_words() == "confirmed on 3 of 5 fresh seeds, 5 more say nothing of it"
    assert found.as_dict() == {"seeds": list(found.seeds), "held": 3, "of": 5}
    assert not found.stands
    nobody = confirmed(claim, [claim], stored_of(claim, [{"mean": 9.0, "even": False}] * 10))
    assert (nobody.of, nobody.stands) == (0, True)


@pytest.mark.parametrize(
    ("least", "held", "stands"),
    [("each", 10, True), ("each", 9, False), ("most", 6, True), ("most", 5, False), ("one", 1, True),
     ("one", 0, False)],
)  # fmt: skip
def test_a_sentence_stands_on_as_many_seeds_as_it_speaks_of(least, held, stands):
    claim = replace(CLAIM, confirmed_by=Confirmation(TRIAL, "mean < 4", least=least))
    outcomes = [{"mean": 3.5 if index < held else 4.5} for index in range(10)]
    found = confirmed(claim, [claim], stored_of(claim, outcomes))
    assert (len(found.held), found.stands) == (held, stands)


def test_a_condition_can_hide_no_failure():
    hiding = Confirmation(TRIAL, "mean < 4", given="even")
    assert hiding.held({"mean": 3.0, "even": False}) is None
    with pytest.raises(MeasuredError, match="hidden"):
        hiding.held({"mean": 5.0, "even": False})


def test_a_sentence_of_other_seeds_draws_others():
    most = Confirmation(TRIAL, "mean < 4", least="most")
    assert drawn_seeds(TRIAL, [CLAIM]) != drawn_seeds(TRIAL, [replace(CLAIM, confirmed_by=most)])
    with pytest.raises(MeasuredError, match="least='all'"):
        Confirmation(TRIAL, "mean < 4", least="all")


def test_claims_that_say_more_than_fresh_seeds_come_first():
    said = {
        "a.whole": Confirmed((1, 2), (1, 2)),
        "a.waits": Confirmed((1, 2)),
        "a.fails": Confirmed((1, 2), (1,), (2,)),
        "a.can": Confirmed((1, 2), (1,), (2,), least="one"),
        "a.may": Confirmed((1, 2), (), (2,), least="one"),
    }
    claims = [Judgement(name, "words", True, seeds=(0,)) for name in said]
    page = confirmations_page(claims, said, {}, [], lambda target: target, {"a.whole"})
    places = [page.index(f"confirmed-{name}") for name in ("a.fails", "a.can", "a.whole", "a.waits")]
    assert places == sorted(places)
    assert "4 were put to fresh seeds, 1 of these say more than their seeds support." in page
    assert "Each of those has been taken off the pages" in page
    still = confirmations_page(claims, said, {}, [], lambda target: target, {"a.fails"})
    assert "0 of those have been taken off the pages; 1 still stand on one." in still
    fewer = {"a.whole": said["a.whole"]}
    assert "So each may stay where it stands." in confirmations_page(claims, fewer, {}, [], str)
    for told in (*LEAST.values(), "say nothing of it", "none asked yet"):
        assert told.removeprefix("; ") in page.split("<table")[0]
    assert page.count(": on no page any more</td>") == 1
    assert "Of those that stand, 2 failed on some seed" in page
    assert "1 stand at the end: no fresh seed was asked of them" in page
    assert page.count("<td>1 seed</td>") == 5


@pytest.mark.parametrize(
    ("fresh", "too_much"),
    [
        (Confirmed((1, 2), (1,), (2,)), True),
        (Confirmed((1, 2), (1, 2)), False),
        (Confirmed((1, 2)), False),
        (Confirmed((1, 2), (1,), (2,), least="one"), False),
        (Confirmed((1, 2), (), (2,), least="one"), False),
        (Confirmed((1, 2), (), (1, 2), least="one"), True),
        (Confirmed((1, 2, 3), (1,), (2, 3), least="most"), True),
    ],
)
def test_a_card_says_where_a_sentence_says_more_than_fresh_seeds(fresh, too_much):
    claim = Judgement("a.claim", "words", True, seeds=(0,))
    said = _tests_of(claim, fresh)["formed"]
    assert said.startswith("formed on 1 seed; ")
    assert said.endswith("it says more than these support") == too_much


def test_a_predicate_over_what_is_not_kept_is_told():
    with pytest.raises(MeasuredError, match="comparison of mean"):
        Confirmation(TRIAL, "median < 4").held({"mean": 1.0})


def test_outcomes_agree_within_their_tolerance():
    assert not agree({"a": 1.0, "b": True}, {"a": 1.05, "b": True}, {"a": 0.1})
    assert agree({"a": 1.0, "b": True}, {"a": 1.05, "b": False}, {}) == [
        "a was 1.0 and is 1.05",
        "b was True and is False",
    ]


def test_a_build_stores_repeats_and_publishes_what_fresh_seeds_said(sample):
    done = sample.run("confirm")
    assert done.returncode == 0, done.stdout
    assert "fair.every_seed: confirmed on" in done.stdout
    stored = json.loads(sample.read("tests/confirmations/throws.json"))
    assert len(stored["runs"]) == 10

    done = sample.build()
    assert done.returncode == 0, done.stdout
    assert "came out as stored" in done.stdout
    (row,) = [r for r in json.loads(sample.read("site/claims.json")) if r["id"] == "fair.every_seed"]
    assert row["confirmed"]["of"] == 10
    assert row["formed"] == [0, 1, 2]
    assert row["scope"] == "100 throws of one die a seed."
    assert row["nulls"][0]["held"] == 0
    assert "confirmed-fair.every_seed" in sample.read("site/confirmations/index.html")
    (middling,) = [r for r in json.loads(sample.read("site/claims.json")) if r["id"] == "fair.middling"]
    assert middling["sentence"] == "The mean is middling."
    assert middling["page"] == "index.md"
    assert "confirmed" not in middling
    assert middling["formed"] == []

    assert {run["cpu"] for run in stored["runs"].values()} == {cpu.class_of(environment.describe(()))}
    published = sample.tree("site")
    for run in stored["runs"].values():
        run["outcome"]["mean"] += 0.01
        run["cpu"] = "another class"
    (sample.root / "tests/confirmations/throws.json").write_text(json.dumps(stored))
    done = sample.build()
    assert done.returncode == 0, done.stdout
    assert "came out among what its seeds gave (stored on another class, made on " in done.stdout
    published = sample.tree("site")
    for run in stored["runs"].values():
        run["outcome"] = dict.fromkeys(run["outcome"], 9.0)
    (sample.root / "tests/confirmations/throws.json").write_text(json.dumps(stored))
    done = sample.build()
    assert done.returncode == 1
    assert "and was 9 to 9" in done.stdout

    for run in stored["runs"].values():
        run["outcome"]["mean"] = 3.0
        del run["cpu"]  # stored before anybody asked for it
    (sample.root / "tests/confirmations/throws.json").write_text(json.dumps(stored))
    done = sample.build()
    assert done.returncode == 1
    assert "gives another outcome than the stored one" in done.stdout
    assert sample.tree("site") == published


def test_a_vacuous_claim_is_not_published(sample):
    sample.edit("src/dice/fair.py", 'by="fair.sides", words="each throw', 'by=3.7, words="each throw')
    done = sample.build()
    assert done.returncode == 1
    assert "fair.middling: the claim still holds in null 'each throw shows the highest face'" in done.stdout


def test_what_a_build_repeats_is_drawn_by_the_commit_and_takes_a_while_and_no_more():
    def stored(name, seconds):
        return confirming._StoredRun(
            SimpleNamespace(name="trial"), SimpleNamespace(name=name), {}, seconds, {}
        )

    runs = [stored(f"seed{n}", seconds) for n, seconds in enumerate([5.0, 25.0, 39.0, 80.0] * 5)]
    chosen = [confirming._chosen(f"commit {n}", runs) for n in range(40)]
    assert all(1 <= len(some) <= confirming.REPEATED for some in chosen)
    assert all(sum(run.seconds for run in some) <= confirming.TOGETHER for some in chosen)
    assert {run.seconds for some in chosen for run in some} == {5.0, 25.0, 39.0}
    assert len({tuple(run.name for run in some) for some in chosen}) > 10
    assert chosen[0] == confirming._chosen("commit 0", reversed(runs))
